/* src/core/fsd.h - a flow-size distribution: of one measurement point, or of the network.
 *
 * It counts the flows that sent something in an interval. Two bins are PARALEON's, elephants and mice, in
 * fractions of a flow because a flow that may become an elephant is counted in both; the others are flows by
 * the bytes they have sent so far. All are whole numbers: adding distributions does not depend on the order.
 */
#ifndef CORE_FSD_H
#define CORE_FSD_H

#include <stdint.h>

#define FSD_ONE  65536u          /* a whole flow */
#define FSD_BINS 32

struct fsd {
    uint64_t elephants, mice;    /* in 1/FSD_ONE of a flow */
    uint64_t bin[FSD_BINS];      /* flows; all 0 from a monitor that does not fill them */
};

/* bin[i] has flows of 2^(i+6) bytes and more, but less than 2^(i+7); the first all that are smaller, the last
 * all that are larger. */
uint32_t fsd_bin(uint64_t bytes);

void fsd_add(struct fsd *to, const struct fsd *from);

/* The share of elephants, 0 .. 1; 0 if there are no flows. */
double fsd_elephant_share(const struct fsd *);

/* How near a distribution is to the truth, 0 .. 1: 1 less the weighted mean relative difference of the shares of
 * elephants and of mice, each difference relative to the true share and weighted with it, so that the sum of both
 * differences is left; at least 0. 1 if both distributions are empty, 0 if one is. */
double fsd_accuracy(const struct fsd *measured, const struct fsd *truth);

#endif
