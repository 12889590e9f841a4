/* src/meter/scores.h - utility of a network and accuracy of its monitors, over a whole run. */
#ifndef METER_SCORES_H
#define METER_SCORES_H

#include "core/report.h"
#include "meter/monitor/monitor_utility.h"

struct score {                   /* of one interval */
    bool                 is_active;          /* at least one uplink was active; otherwise the rest is
                                              * meaningless */
    struct utility_terms terms;
    double               utility;            /* weighted for the prevailing kind of flows */
};

struct scores {
    uint64_t             active;             /* intervals */
    struct utility_terms terms_sum;
    double               utility_sum;
    double               accuracy_sum[REPORT_MONITORS_MAX];  /* relative to the monitor 'exact', if present */
    uint64_t             compared;           /* intervals in 'accuracy_sum' */
};

struct score score_of(const struct report *);

/* Accuracy of a monitor of the report in this interval; NAN without a monitor 'exact' or without flows. */
double score_accuracy(const struct report *, uint32_t monitor);

void scores_add(struct scores *, const struct report *);

#endif
