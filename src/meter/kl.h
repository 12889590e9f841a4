/* src/meter/kl.h - has the traffic changed? Kullback-Leibler divergence, and PARALEON's trigger.
 *
 *   KL(P, Q) = sum of P(i) ln(P(i) / Q(i)),   P now, Q before
 *
 * A bin that is empty before and not now makes it infinite. Every share is therefore raised by 'epsilon'
 * before the shares are made to sum to one again; with epsilon 0 an empty bin gives KL_MAX.
 */
#ifndef METER_KL_H
#define METER_KL_H

#include "core/fsd.h"

#include <stdbool.h>
#include <stdint.h>

#define KL_THETA   0.01          /* PARALEON, table III */
#define KL_EPSILON 1e-3
#define KL_MAX     1e9

/* Of counts, at least one bin. Two empty distributions are equal; an empty one is taken to be even. */
double kl_divergence(const uint64_t *now, const uint64_t *before, uint32_t bins, double epsilon);

/* Of elephants and mice, as in PARALEON's artifact. */
double kl_fsd(const struct fsd *now, const struct fsd *before, double epsilon);

struct kl_trigger {
    double     theta, epsilon;
    struct fsd before;           /* empty at the start: even, as in the artifact */
    double     last;             /* divergence at the last step */
};

void kl_trigger_init(struct kl_trigger *, double theta, double epsilon);

/* Takes the distribution of an interval; true if it is more than theta from that of the interval before. An
 * interval without flows says nothing: it neither triggers nor is remembered. */
bool kl_trigger_step(struct kl_trigger *, const struct fsd *);

#endif
