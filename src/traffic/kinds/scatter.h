/* src/traffic/kinds/scatter.h - uniform random points of an interval, generated in ascending order. */
#ifndef TRAFFIC_KINDS_SCATTER_H
#define TRAFFIC_KINDS_SCATTER_H

#include "base/rng.h"

#include <stdint.h>

struct scatter {
    double   sum, sum_all;
    uint32_t left;
};

/* In order, n uniform points lie at the ends of exponential gaps, if n + 1 gaps are scaled to the interval.
 * The generator runs through the gaps twice (first for their sum), so that no point needs to be stored. */
static inline void scatter_begin(struct scatter *c, const struct rng *rng, uint32_t points)
{
    struct rng ahead = *rng;

    *c = (struct scatter){ .left = points };
    for (uint32_t i = 0; i <= points; i++)
        c->sum_all += rng_exp(&ahead);
}

/* Returns the next point of an interval from 0 to 'length_ps'. */
static inline uint64_t scatter_next(struct scatter *c, struct rng *rng, uint64_t length_ps)
{
    uint64_t at;

    c->sum += rng_exp(rng);
    if (--c->left == 0)
        rng_exp(rng);            /* the gap after the last point */
    at = (uint64_t)(c->sum / c->sum_all * (double)length_ps);
    return at < length_ps ? at : length_ps - (length_ps > 0);
}

#endif
