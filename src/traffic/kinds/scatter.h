/* src/traffic/kinds/scatter.h - points that are uniform over an interval, drawn in order. */
#ifndef TRAFFIC_KINDS_SCATTER_H
#define TRAFFIC_KINDS_SCATTER_H

#include "base/rng.h"

#include <stdint.h>

struct scatter {
    double   sum, sum_all;
    uint32_t left;
};

/* n points that are uniform over an interval, in order, are where n + 1 exponential gaps end, the sum of all
 * gaps being its length. So they are drawn twice, and none of them is kept. */
static inline void scatter_begin(struct scatter *c, const struct rng *rng, uint32_t points)
{
    struct rng ahead = *rng;

    *c = (struct scatter){ .left = points };
    for (uint32_t i = 0; i <= points; i++)
        c->sum_all += rng_exp(&ahead);
}

/* The next of them, in an interval from 0 up to 'length_ps'. */
static inline uint64_t scatter_next(struct scatter *c, struct rng *rng, uint64_t length_ps)
{
    uint64_t at;

    c->sum += rng_exp(rng);
    if (--c->left == 0)
        rng_exp(rng);            /* the gap behind the last point */
    at = (uint64_t)(c->sum / c->sum_all * (double)length_ps);
    return at < length_ps ? at : length_ps - (length_ps > 0);
}

#endif
