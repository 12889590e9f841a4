/* src/tune/anneal.h - simulated annealing over a space of knobs: PARALEON's algorithm 1, with and without its
 * guidance.
 *
 *   temperature  from start to end, times 'cooling' after every 'iterations' measurements
 *   accept       a point better than the current one, or with probability e^(difference / temperature)
 *   mutate       every parameter by U(0.5, 1) of its step; guided: with probability min(mu, eta) in the
 *                direction that favours the dominant type of flows, whose share is mu; else either way
 */
#ifndef TUNE_ANNEAL_H
#define TUNE_ANNEAL_H

#include "base/rng.h"
#include "tune/search/search.h"

#include <stdlib.h>

enum anneal_from { ANNEAL_CURRENT, ANNEAL_BEST };

struct anneal_cfg {
    double           temperature_start, temperature_end, cooling;
    uint32_t         iterations;
    double           eta;
    double           scale;          /* of utility */
    bool             guided;
    enum anneal_from mutate_from;
    bool             first_always;   /* the start counts as not measured: the first candidate is accepted */
    uint32_t         mutate_count;   /* parameters that are mutated, chosen at random; 0: all */
};

struct anneal_point {
    double               at[SPACE_DIMS_MAX];
    struct utility_terms terms;
    bool                 is_measured;
};

struct anneal {
    struct anneal_cfg   cfg;
    struct space        space;
    struct rng          rng;
    double              temperature;
    uint32_t            iteration;           /* at this temperature */
    bool                asks_for_start;      /* the next to be measured is the start itself */
    struct anneal_point current, best, candidate;
};

/* The hooks of struct search_algo, all but create. */
#define ANNEAL_HOOKS .destroy = free, .begin = anneal_begin, .ask = anneal_ask, .tell = anneal_tell

struct anneal *anneal_new(const struct space *, struct anneal_cfg, uint64_t seed);
void           anneal_begin(void *, const double *from, const struct search_now *);
bool           anneal_ask(void *, const struct search_now *, double *point);
void           anneal_tell(void *, const struct search_now *, struct tuner_note *);

/* Settings that are measured from start to end. */
uint32_t anneal_settings(const struct anneal_cfg *);

/* Unless a budget is given, it becomes what the search needs at most, all presets included. */
void anneal_set_budget(const struct anneal_cfg *, const struct search_algo *, struct option_values *);

/* True if a scaled difference in utility is accepted. Draws a random number unless it is a gain. */
bool anneal_accepts(struct rng *, double difference, double temperature);

#endif
