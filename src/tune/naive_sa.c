/* src/tune/naive_sa.c - simulated annealing as in a textbook: what PARALEON's is compared with.
 *
 * Every parameter goes either way with the same probability, and the temperature falls slowly from where
 * nearly all is accepted, 100, to where a loss of one percent of utility is accepted in 37 of 100, 1: 90
 * temperatures of 10 settings. PARALEON's paper gives no numbers for its naive SA; these are ours.
 */
#include "tune/anneal.h"

extern const struct tuner_algo tuner_naive_sa;

enum { TEMPERATURE_START, TEMPERATURE_END, COOLING, ITERATIONS, OWN_COUNT };

static const struct tuner_option options[] = {
    [TEMPERATURE_START] = { "temperature_start", OPTION_REAL, 100, 1e-6, 1e6, NULL, NULL,
                            "a loss of so much utility, scaled, is at first accepted in 37 of 100" },
    [TEMPERATURE_END] = { "temperature_end", OPTION_REAL, 1, 1e-6, 1e6, NULL, NULL,
                          "the search is over at this temperature" },
    [COOLING] = { "cooling", OPTION_REAL, 0.95, 0.01, 0.999, NULL, NULL,
                  "factor from a temperature to the next" },
    [ITERATIONS] = { "iterations", OPTION_COUNT, 10, 1, 1e5, NULL, NULL,
                     "settings at each temperature; budget is as many as that takes unless it is given" },
    SEARCH_OPTIONS,
    { 0 },
};

static struct anneal_cfg configure(const double *value)
{
    return (struct anneal_cfg){
        .temperature_start = value[TEMPERATURE_START],
        .temperature_end = value[TEMPERATURE_END],
        .cooling = value[COOLING],
        .iterations = (uint32_t)value[ITERATIONS],
        .eta = 0.5,
        .scale = value[OWN_COUNT + SEARCH_UTILITY_SCALE],
    };
}

static void *create_anneal(const struct space *space, const double *value, uint64_t seed)
{
    return anneal_new(space, configure(value), seed);
}

static const struct search_algo annealing = {
    .create = create_anneal, .destroy = anneal_free,
    .begin = anneal_begin, .ask = anneal_ask, .tell = anneal_tell,
    .own_options = OWN_COUNT,
};

static void fill(struct tuner_values *v)
{
    struct anneal_cfg cfg = configure(v->value);

    anneal_set_budget(&cfg, v, OWN_COUNT);
}

static int create(void **state, const struct tuner_world *world, const struct tuner_values *given,
                  struct err *err)
{
    struct tuner_values v = *given;          /* has no text of its own */

    fill(&v);
    if (v.value[TEMPERATURE_START] <= v.value[TEMPERATURE_END])
        return err_set(err, EINVAL, "temperature_start: %.10g must be above temperature_end (%.10g)",
                       v.value[TEMPERATURE_START], v.value[TEMPERATURE_END]);
    return search_create(state, &annealing, world, &v, err);
}

const struct tuner_algo tuner_naive_sa = {
    .fill = fill, .create = create, .destroy = search_destroy, .step = search_step,
    .best = search_best, .is_idle = search_is_idle,
    .name = "naive_sa",
    .about = "simulated annealing without guidance and with ordinary temperatures: 900 settings",
    .option = options,
};
