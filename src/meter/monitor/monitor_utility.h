/* src/meter/monitor/monitor_utility.h - how well a network does, in one number: PARALEON's utility.
 *
 *   U = w_tp O_tp + w_rtt O_rtt + w_pfc O_pfc          each term and U in 0 .. 1, larger is better
 *
 *   O_tp    mean utilisation of the active links from hosts to ToRs
 *   O_rtt   round trip of an empty path over the measured one
 *   O_pfc   1 - mean time paused over the interval
 *
 * Pure functions of what an interval's report has. Where the paper and its artifact differ, both can be had.
 */
#ifndef METER_MONITOR_MONITOR_UTILITY_H
#define METER_MONITOR_MONITOR_UTILITY_H

#include "core/report.h"
#include "core/fsd.h"

#include <stdbool.h>
#include <stdint.h>

#define UTILITY_ACTIVE_SHARE 0.05            /* of a link's rate: the artifact's 5 Gb/s of 100 */

struct utility_weights { double throughput, rtt, pfc; };     /* sum 1 */

extern const struct utility_weights utility_for_delay;       /* .2 .5 .3: table III */
extern const struct utility_weights utility_for_throughput;  /* .5 .2 .3: the paper's for training */

/* For delay where mice prevail, for throughput otherwise: the artifact's rule. */
struct utility_weights utility_weights_for(const struct fsd *);

/* In proportion: from .2 .5 .3, where there are mice only, to .8 0 .2, where there are elephants only. Nobody waits for
 * the round trips of elephants, and half of a utility that a queue can spoil keeps them from filling their links. */
struct utility_weights utility_weights_at(double elephant_share);

/* Mean share of its rate that an active uplink sends at, 0 .. 1. An uplink is active if that is more than
 * active_share. 0 if none is. The report's interval is not empty. */
double utility_throughput(const struct report *, double active_share);

/* Mean over pairs of hosts of the round trip of an empty path over the mean of the measured ones, each at most
 * 1, as the paper has it, but there and back: its hops times link delay is one way, half of what it is compared
 * with. Pairs without samples do not count; 1 without any. */
double utility_rtt(const struct report *);

/* As the artifact has it: one base for all over the mean of the pairs' last samples, which may exceed 1. */
double utility_rtt_of_last(const struct report *, uint64_t base_rtt_ps);

/* Over all ports that the report knows something of, or, as in the artifact, over those that were paused. 1 if there are none. */
double utility_pfc(const struct report *, bool paused_only);

/* As the artifact has it: frames of 5 us each, over ports that got some. May be less than 0. */
double utility_pfc_of_frames(const struct report *);

struct utility_terms { double throughput, rtt, pfc; };

double utility(struct utility_weights, struct utility_terms);

#endif
