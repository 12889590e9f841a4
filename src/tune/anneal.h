/* src/tune/anneal.h - simulated annealing over a space of knobs: PARALEON's algorithm 1, with and without its
 * guidance.
 *
 *   temperature from start to end, times 'cooling' after every 'iterations' measurements
 *   accept:   better than the current point, or with probability e^(difference / temperature)
 *   mutate:   every parameter by U(0.5, 1) of its step; guided: with probability min(mu, eta) the way that
 *             flows of the prevailing type like, whose share mu is; not guided: either way. With log_steps those whose bounds
 *             are far apart by a factor instead: U(0.5, 1) of an eighth of the way between them, on a logarithmic scale
 */
#ifndef TUNE_ANNEAL_H
#define TUNE_ANNEAL_H

#include "base/rng.h"
#include "tune/search/search.h"

enum anneal_from { ANNEAL_CURRENT, ANNEAL_BEST };

struct anneal_cfg {
    double           temperature_start, temperature_end, cooling;
    uint32_t         iterations;
    double           eta;
    double           scale;          /* of utility */
    bool             guided;
    enum anneal_from mutate_from;
    bool             first_always;   /* the start counts as not measured: the first candidate is accepted */
    bool             cap_adaptive;   /* ParaleonPlus: instead of eta */
    bool             log_steps;
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
    double              bad;                 /* moving share of clear losses: cap_adaptive */
    struct anneal_point current, best, candidate;
};

/* For the table of a tuner that anneals: these rows with its initial values, in the order of
 * enum anneal_option. */
enum anneal_option { ANNEAL_START, ANNEAL_END, ANNEAL_COOLING, ANNEAL_ITERATIONS, ANNEAL_OPTION_COUNT };

#define ANNEAL_OPTIONS(start, end, factor, settings) \
    { "temperature_start", KEY_REAL, #start, \
      "initial temperature: a scaled loss of this size is accepted with 37 %", .min = 1e-6, .max = 1e6 }, \
    { "temperature_end", KEY_REAL, #end, "final temperature", .min = 1e-6, .max = 1e6 }, \
    { "cooling", KEY_REAL, #factor, "factor from a temperature to the next", .min = 0.01, .max = 0.999 }, \
    { "iterations", KEY_COUNT, #settings, \
      "settings per temperature; they define the default budget", .min = 1, .max = 1e5 }

/* The cfg that 'value', of those rows, and the utility's scale make; not guided, the rest zero. */
struct anneal_cfg anneal_configure(const double *value, double scale);

/* Makes a search that anneals; refuses a start that is not above the end. */
int anneal_create(void **state, const struct search_algo *, const struct anneal_cfg *,
                  const struct world *, const struct option_values *, struct err *);

/* The hooks of struct search_algo, all but create. */
#define ANNEAL_HOOKS .destroy = anneal_free, .begin = anneal_begin, .ask = anneal_ask, .tell = anneal_tell

struct anneal *anneal_new(const struct space *, struct anneal_cfg, uint64_t seed);
void           anneal_free(void *);
void           anneal_begin(void *, const double *from, const struct search_now *);
bool           anneal_ask(void *, const struct search_now *, double *point);
void           anneal_tell(void *, const struct search_now *, struct tuner_note *);

/* Settings that are measured from start to end. */
uint32_t anneal_settings(const struct anneal_cfg *);

/* Unless a budget is given it becomes what the search needs at most, all known settings included.
 * 'own_options' as in struct search_algo. */
void anneal_set_budget(const struct anneal_cfg *, struct option_values *, uint32_t own_options);

/* Is a difference in utility, already scaled, taken at this temperature? Takes a random number if it is no
 * gain. */
bool anneal_accepts(struct rng *, double difference, double temperature);

#endif
