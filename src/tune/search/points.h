/* src/tune/search/points.h - what searchers share: points as shares of their range, and the best so far. */
#ifndef TUNE_SEARCH_POINTS_H
#define TUNE_SEARCH_POINTS_H

#include "tune/search/search_algo.h"
#include "base/minmax.h"

#include <stdbool.h>
#include <stdint.h>

/* The unit cube: 0 is the least value of a dimension, 1 the greatest. */
static inline void unit_from_point(const struct space *s, const double *point, double *unit)
{
    for (uint32_t i = 0; i < s->dims; i++) {
        double width = s->dim[i].max - s->dim[i].min;

        unit[i] = width > 0 ? clamp_real((point[i] - s->dim[i].min) / width, 0, 1) : 0;
    }
}

static inline void unit_to_point(const struct space *s, const double *unit, double *point)
{
    for (uint32_t i = 0; i < s->dims; i++) {
        const struct space_dim *d = &s->dim[i];

        point[i] = clamp_real(d->min + unit[i] * (d->max - d->min), d->min, d->max);
    }
}

struct best {                    /* zeroed: of none */
    struct utility_terms terms;
    uint32_t             taken;
};

/* Is this interval better than all that were taken before it? By the weights of now: in the course of a
 * search they may change. */
static inline bool best_take(struct best *b, const struct search_now *now)
{
    bool is_better = b->taken++ == 0 || utility(now->weights, now->terms) > utility(now->weights, b->terms);

    if (is_better)
        b->terms = now->terms;
    return is_better;
}

#endif
