/* src/meter/kl.h - detects a change of traffic: Kullback-Leibler divergence, and PARALEON's trigger.
 *
 *   KL(P, Q) = sum of P(i) ln(P(i) / Q(i)),   P now, Q before
 *
 * A bin that was empty before and is not now would make it infinite. So 'epsilon' is added to every share,
 * and the shares are normalised again. With epsilon 0 such a bin yields KL_MAX.
 */
#ifndef METER_KL_H
#define METER_KL_H

#include "core/fsd.h"

#include <stdbool.h>
#include <stdint.h>

#define KL_THETA   0.01          /* PARALEON, table III */
#define KL_EPSILON 1e-3
#define KL_MAX     1e9

/* Returns the divergence of counts in at least one bin. Two empty distributions are equal; a single empty one
 * counts as uniform. */
double kl_divergence(const uint64_t *now, const uint64_t *before, uint32_t bins, double epsilon);

/* Returns the divergence of elephants and mice, as in PARALEON's artifact. */
double kl_fsd(const struct fsd *now, const struct fsd *before, double epsilon);

struct kl_trigger {
    double     theta, epsilon;
    struct fsd before;           /* initially empty, which counts as uniform, as in the artifact */
    double     last;             /* divergence at the last step */
};

void kl_trigger_init(struct kl_trigger *, double theta, double epsilon);

/* Adds the distribution of an interval. Returns true if it differs from that of the previous interval by more
 * than theta. An interval without flows is ignored: it neither triggers nor is remembered. */
bool kl_trigger_step(struct kl_trigger *, const struct fsd *);

#endif
