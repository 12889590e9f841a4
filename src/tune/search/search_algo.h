/* src/tune/search/search_algo.h - how a search chooses its next point: what differs from searcher to searcher.
 *
 * What they all share is around them, and its options too (search.h).
 */
#ifndef TUNE_SEARCH_SEARCH_ALGO_H
#define TUNE_SEARCH_SEARCH_ALGO_H

#include "meter/monitor/monitor_utility.h"
#include "tune/search/space.h"
#include "tune/tuner.h"

#define SEARCH_PERSIST_MAX 16

struct search_now {              /* the interval that has ended */
    struct utility_terms   terms;
    struct utility_weights weights;          /* by the flows that prevail now, or fixed */
    double                 utility;          /* of both, times the option utility_scale */
    double                 elephants;        /* share of flows 0 .. 1; 0.5 if nothing is known */
    bool                   is_known;         /* there is a distribution of flow sizes */
};

struct search_algo {
    /* 'value': options in the order of the tuner's table. */
    void *(*create)(const struct space *, const double *value, uint64_t seed);
    void  (*destroy)(void *state);

    /* A search begins at the point 'from'; 'now' was measured with it, unless now is NULL. */
    void (*begin)(void *state, const double *from, const struct search_now *now);

    /* Writes the next point to try; false: the search is over. 'now' is NULL if nothing was measured yet. The
     * point is brought inside the space by the caller. */
    bool (*ask)(void *state, const struct search_now *now, double *point);

    /* What came of the last one asked for. Writes verdict, temperature and why. */
    void (*tell)(void *state, const struct search_now *now, struct tuner_note *note);

    const struct key_row *option;            /* the tuner's table: its own rows and those of search.h */
};

/* Options of the engine. */
enum search_option {
    SEARCH_TRIGGER, SEARCH_THETA, SEARCH_WEIGHTS, SEARCH_WEIGHT_THROUGHPUT, SEARCH_WEIGHT_RTT, SEARCH_WEIGHT_PFC,
    SEARCH_SPACE, SEARCH_KNOWN, SEARCH_CONFIRM, SEARCH_BUDGET, SEARCH_REMEMBER, SEARCH_SETTLE, SEARCH_MEASURE,
    SEARCH_ABANDON, SEARCH_RESTART, SEARCH_OBJECTIVE, SEARCH_GUARD,
    SEARCH_EPSILON, SEARCH_METRICS, SEARCH_UTILITY_SCALE, SEARCH_DIRECTIONS, SEARCH_START_FROM, SEARCH_REREAD,
    SEARCH_AGAINST, SEARCH_PERSIST, SEARCH_GIVE_UP,
    SEARCH_SUMMARY, SEARCH_FILTER, SEARCH_GOAL, SEARCH_METRIC,
    SEARCH_OPTION_COUNT
};

#endif
