/* src/tune/naive_sa.c - simulated annealing as in a textbook: what PARALEON's is compared with.
 *
 * Every parameter goes either way with the same probability, and the temperature falls slowly from where
 * nearly all is accepted, 100, to where a loss of one percent of utility is accepted in 37 of 100, 1: 90
 * temperatures of 10 settings. PARALEON's paper gives no numbers for its naive SA; these are ours.
 */
#include "tune/anneal.h"

extern const struct tuner_algo tuner_naive_sa;

enum { OWN_COUNT = ANNEAL_OPTION_COUNT };

static const struct key_row options[] = {
    ANNEAL_OPTIONS(100, 1, 0.95, 10),
    SEARCH_OPTIONS,
    { 0 },
};

static struct anneal_cfg configure(const double *value)
{
    return anneal_configure(value, value[OWN_COUNT + SEARCH_UTILITY_SCALE]);
}

static void *create_anneal(const struct space *space, const double *value, uint64_t seed)
{
    return anneal_new(space, configure(value), seed);
}

static const struct search_algo annealing = {
    .create = create_anneal, ANNEAL_HOOKS, .own_options = OWN_COUNT,
};

static void fill(struct option_values *v)
{
    struct anneal_cfg cfg = configure(v->value);

    anneal_set_budget(&cfg, v, OWN_COUNT);
}

static int create(void **state, const struct world *world, const struct option_values *given,
                  struct err *err)
{
    struct option_values v = *given;          /* has no text of its own */
    struct anneal_cfg   cfg = configure(v.value);

    fill(&v);
    return anneal_create(state, &annealing, &cfg, world, &v, err);
}

const struct tuner_algo tuner_naive_sa = {
    .fill = fill, .create = create, SEARCH_HOOKS,
    .name = "naive_sa",
    .about = "simulated annealing without guidance and with ordinary temperatures: 900 settings",
    .option = options,
};
