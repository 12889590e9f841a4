/* src/tune/search/search_algo.h - the interface of a searcher: how a search chooses its next point. The
 * engine around it and the options of the engine are common to all (search.h). */
#ifndef TUNE_SEARCH_SEARCH_ALGO_H
#define TUNE_SEARCH_SEARCH_ALGO_H

#include "base/minmax.h"
#include "core/meter/monitor/monitor_utility.h"
#include "tune/search/space.h"
#include "tune/tuner.h"

#define SEARCH_PERSIST_MAX 16

struct search_now {              /* a completed measurement */
    struct utility_terms   terms;
    struct utility_weights weights;          /* for the dominant flows, or fixed */
    double                 utility;          /* from both, times the option utility_scale */
    double                 elephants;        /* share of flows, 0 .. 1; 0.5 if unknown */
    bool                   is_known;         /* flow sizes are known */
};

struct search_algo {
    /* 'value': options in the order of the tuner's table. */
    void *(*create)(const struct space *, const double *value, uint64_t seed);
    void  (*destroy)(void *state);

    /* A search begins at the point 'from'. 'now' is its measurement, or NULL. */
    void (*begin)(void *state, const double *from, const struct search_now *now);

    /* Writes the next point, which the caller clips; false: the search is over. NULL: no measurement yet. */
    bool (*ask)(void *state, const struct search_now *now, double *point);

    /* Reports the measurement of the last point. Writes verdict and temperature, and adds to why. */
    void (*tell)(void *state, const struct search_now *now, struct tuner_note *note);

    const struct key_row *option;            /* the tuner's table: its own rows and those of search.h */
};

/* Options of the engine, in the order of search_defaults (search.c). */
enum search_option {
    SEARCH_TRIGGER, SEARCH_THETA, SEARCH_WEIGHTS, SEARCH_WEIGHT_THROUGHPUT, SEARCH_WEIGHT_RTT,
    SEARCH_WEIGHT_PFC, SEARCH_SPACE, SEARCH_KNOWN, SEARCH_CONFIRM, SEARCH_BUDGET, SEARCH_REMEMBER,
    SEARCH_SETTLE, SEARCH_MEASURE, SEARCH_ABANDON, SEARCH_RESTART, SEARCH_OBJECTIVE, SEARCH_GUARD,
    SEARCH_FLOOR, SEARCH_EPSILON, SEARCH_METRICS, SEARCH_UTILITY_SCALE, SEARCH_DIRECTIONS,
    SEARCH_START_FROM, SEARCH_REREAD, SEARCH_AGAINST, SEARCH_PERSIST, SEARCH_GIVE_UP, SEARCH_FILTER,
    SEARCH_METRIC, SEARCH_OPTION_COUNT
};

/* In the unit cube, 0 is the minimum of a dimension and 1 its maximum. */
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

struct best { struct utility_terms terms; uint32_t count; };     /* initially zero */

/* Returns true if the interval is better than all before it, by the current weights. */
static inline bool best_update(struct best *b, const struct search_now *now)
{
    bool is_better = b->count++ == 0 || utility(now->weights, now->terms) > utility(now->weights, b->terms);

    if (is_better)
        b->terms = now->terms;
    return is_better;
}

#endif
