/* src/core/fsd.h - a flow-size distribution of one measurement point or of the network.
 *
 * Counts the flows that were active in an interval. PARALEON's elephants and mice are in fractions of a flow,
 * because a potential elephant counts as both. 'bin' counts flows by the bytes sent so far. All are integers,
 * so sums do not depend on the order.
 */
#ifndef CORE_FSD_H
#define CORE_FSD_H

#include <stdbool.h>
#include <stdint.h>

#define FSD_ONE  65536u          /* a whole flow */
#define FSD_BINS 32

struct fsd {
    uint64_t elephants, mice;    /* in 1/FSD_ONE of a flow */
    uint64_t bin[FSD_BINS];      /* flows; all 0 from a monitor that does not fill them */
};

/* bin[i] counts flows of 2^(i+6) .. 2^(i+7) - 1 bytes; the first also smaller, the last also larger ones. */
uint32_t fsd_bin(uint64_t bytes);

void fsd_add(struct fsd *to, const struct fsd *from);

/* The share of elephants, 0 .. 1; 0 if there are no flows. */
double fsd_elephant_share(const struct fsd *);

/* Accuracy of a distribution, 0 .. 1: 1 minus the sum of the absolute differences of the shares of elephants
 * and of mice, at least 0. (This is the weighted mean relative difference with the true shares as weights.) 1
 * if both distributions are empty, 0 if one is. */
double fsd_accuracy(const struct fsd *measured, const struct fsd *truth);

/* ---- detects a change of traffic: Kullback-Leibler divergence, and PARALEON's trigger ----
 *
 *   KL(P, Q) = sum of P(i) ln(P(i) / Q(i)),   P now, Q before
 *
 * A bin that was empty before and is not now would make it infinite. So 'epsilon' is added to every share,
 * and the shares are normalised again. With epsilon 0 such a bin yields KL_MAX.
 */
#define KL_THETA   0.01          /* PARALEON, table III */
#define KL_EPSILON 1e-3
#define KL_MAX     1e9

/* Divergence of counts in 1 or more bins. Two empty distributions are equal; one alone counts as uniform. */
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
