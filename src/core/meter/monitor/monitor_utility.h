/* src/core/meter/monitor/monitor_utility.h - PARALEON's utility: the performance of a network as one number.
 *
 *   U = w_tp O_tp + w_rtt O_rtt + w_pfc O_pfc          each term and U in 0 .. 1, larger is better
 *
 *   O_tp    mean utilization of the active links from hosts to ToRs
 *   O_rtt   unloaded round-trip time divided by the measured one
 *   O_pfc   1 - mean fraction of time paused
 *
 * Pure functions of one report. Where the paper and its artifact differ, both variants exist.
 */
#ifndef CORE_METER_MONITOR_MONITOR_UTILITY_H
#define CORE_METER_MONITOR_MONITOR_UTILITY_H

#include "core/fsd.h"
#include "core/report.h"

#include <stdbool.h>
#include <stdint.h>

#define UTILITY_ACTIVE_SHARE 0.05            /* of a link's rate: the artifact's 5 Gb/s of 100 */

struct utility_weights { double throughput, rtt, pfc; };     /* sum 1 */

extern const struct utility_weights utility_for_delay;       /* .2 .5 .3: table III */
extern const struct utility_weights utility_for_throughput;  /* .5 .2 .3: the paper's for training */

/* The artifact's rule: weights for delay if there are more mice, otherwise for throughput. */
struct utility_weights utility_weights_for(const struct fsd *);

/* Interpolates from .2 .5 .3 (mice only) to .8 0 .2 (elephants only). Elephants do not depend on the
 * round-trip time, and a high weight for it keeps them from filling their links. */
struct utility_weights utility_weights_at(double elephant_share);

/* Mean utilization of the uplinks above active_share; 0: there are none. The interval must not be empty. */
double utility_throughput(const struct report *, double active_share);

/* Mean over pairs of hosts of unloaded / mean measured round-trip time, each at most 1. As in the paper,
 * except that the base covers both directions: the paper's "hops times link delay" is one way, half of what
 * it is compared with. Pairs without samples do not count; 1 if no pair has samples. */
double utility_rtt(const struct report *);

/* The artifact's variant: one base for all pairs, divided by the mean of their last samples. May exceed 1. */
double utility_rtt_of_last(const struct report *, uint64_t base_rtt_ps);

/* Averages over all ports, or (the artifact's variant) over the paused ones. 1 without ports. */
double utility_pfc(const struct report *, bool paused_only);

/* The artifact's variant: each PAUSE frame counts 5 us; mean over ports that got any. May be negative. */
double utility_pfc_of_frames(const struct report *);

struct utility_terms { double throughput, rtt, pfc; };

double utility(struct utility_weights, struct utility_terms);

/* ---- over a whole run, with the accuracy of monitors ---- */

struct score {                   /* of one interval */
    bool                 is_active;          /* at least one uplink was active; else ignore the rest */
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
