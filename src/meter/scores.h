/* src/meter/scores.h - how well a network did, and how well its monitors saw it, over a whole run. */
#ifndef METER_SCORES_H
#define METER_SCORES_H

#include "core/report.h"
#include "meter/monitor/monitor_utility.h"

struct score {                   /* of one interval */
    bool                 is_active;          /* an uplink was: otherwise the rest says nothing */
    struct utility_terms terms;
    double               utility;            /* with the weights for the flows that prevail */
};

struct scores {
    uint64_t             active;             /* intervals */
    struct utility_terms terms_sum;
    double               utility_sum;
    double               accuracy_sum[REPORT_MONITORS_MAX];  /* against the monitor 'exact', if there is one */
    uint64_t             compared;           /* intervals with flows, in which that was done */
};

struct score score_of(const struct report *);

/* The accuracy of a monitor of the report in this interval; NAN: there is no truth, or there are no flows. */
double score_accuracy(const struct report *, uint32_t monitor);

void scores_add(struct scores *, const struct report *);

#endif
