/* src/tune/random.c - uniform random points until the budget is spent: what any search must beat. */
#include "base/err.h"
#include "base/rng.h"
#include "tune/search/search.h"

#include <stdlib.h>

struct random {
    struct space space;
    struct rng   rng;
    struct best  best;
    uint32_t     tried;
};

static void *random_create(const struct space *space, const double *value, uint64_t seed)
{
    struct random *r = xcalloc(1, sizeof(*r));

    (void)value;
    r->space = *space;
    rng_init(&r->rng, seed, 0);
    return r;
}

static void random_begin(void *state, const double *from, const struct search_now *now)
{
    struct random *r = state;

    (void)from;
    r->best = (struct best){ 0 };
    r->tried = 0;
    if (now)
        best_update(&r->best, now);
}

static bool random_ask(void *state, const struct search_now *now, double *point)
{
    struct random *r = state;
    double unit[SPACE_DIMS_MAX] = { 0 };

    (void)now;
    for (uint32_t i = 0; i < r->space.dims; i++)
        unit[i] = rng_real(&r->rng);
    unit_to_point(&r->space, unit, point);
    return true;
}

static void random_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    struct random *r = state;
    bool is_best = best_update(&r->best, now);

    r->tried++;
    note->verdict = is_best ? TUNER_BEST : TUNER_REJECTED;
    tuner_say(note, "setting %u, drawn at random: %s", r->tried,
              is_best ? "the best so far" : "not the best so far");
}

static const struct key_row random_options[] = {
    SEARCH_OPTIONS,
    { 0 }
};

const struct search_algo random_search = {
    .create = random_create, .destroy = free, .begin = random_begin, .ask = random_ask, .tell = random_tell,
    .option = random_options,
};

static int random_open(void **state, const struct world *world, const struct option_values *values,
                       struct err *err)
{
    return search_create(state, &random_search, world, values, err);
}

const struct tuner_algo tuner_random = {
    .create = random_open, SEARCH_HOOKS,
    .name   = "random",
    .about  = "random settings within the budget: what a search must beat",
    .option = random_options,
};
