/* src/tune/naive_sa.c - simulated annealing as in a textbook: what PARALEON's is compared with.
 *
 * Every parameter goes either way with the same probability. The temperature falls slowly from 100, where
 * nearly everything is accepted, to 1, where a loss of one percent of utility is accepted in 37 of 100: 90
 * temperatures of 10 settings. PARALEON's paper gives no numbers for its naive SA; these are ours.
 */
#include "tune/anneal.h"

static const struct key_row options[] = {
    SEARCH_OPTIONS,
    { 0 },
};

static const struct anneal_cfg cfg = {
    .temperature_start = 100, .temperature_end = 1, .cooling = 0.95, .iterations = 10, .eta = 0.5,
        .scale = 100,
};

static void *create_anneal(const struct space *space, const double *value, uint64_t seed)
{
    (void)value;
    return anneal_new(space, cfg, seed);
}

static const struct search_algo annealing = { .create = create_anneal, ANNEAL_HOOKS, .option = options };

static void fill(struct option_values *v)
{
    anneal_set_budget(&cfg, &annealing, v);
}

static int create(void **state, const struct world *world, const struct option_values *v, struct err *err)
{
    return search_create(state, &annealing, world, v, err);
}

const struct tuner_algo tuner_naive_sa = {
    .fill = fill, .create = create, SEARCH_HOOKS,
    .name = "naive_sa",
    .about = "simulated annealing without guidance and with ordinary temperatures: 900 settings",
    .option = options,
};
