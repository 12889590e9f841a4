/* src/base/hist.h - a histogram of positive reals with a bounded relative error.
 *
 * Buckets are the exponent and the first HIST_BITS bits of the mantissa of the
 * double: 2^HIST_BITS to the octave, from 2^HIST_LOW up to 2^HIST_HIGH. Values
 * outside are counted in the first or last bucket. Memory is constant, whatever
 * the number of values.
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdint.h>

#define HIST_BITS 10             /* 1024 buckets to the octave: within 0.05 % */
#define HIST_LOW  (-2)
#define HIST_HIGH 46             /* 7e13: a picosecond count of 70 s, or any slowdown */
#define HIST_SIZE ((HIST_HIGH - HIST_LOW) << HIST_BITS)

struct hist {                    /* all zero: empty */
    uint64_t count;
    double   min, max;           /* exact; 0 when empty */
    uint64_t bucket[HIST_SIZE];
};

void hist_add(struct hist *, double value);

/* The p-quantile (0..1): the sample with index min(n - 1, floor(n * p)) in sorted order, as in HPCC's
 * scripts, to within half a bucket; exact at the minimum and maximum. 0 when empty. */
double hist_quantile(const struct hist *, double p);

#endif
