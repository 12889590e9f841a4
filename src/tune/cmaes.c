/* src/tune/cmaes.c - a tuner that searches by CMA-ES (cma.h). Ranks use the weights of the last interval. */
#include "base/err.h"
#include "tune/cma.h"
#include "tune/search/search.h"

#include <stdlib.h>

enum cmaes_option { CMAES_POPULATION, CMAES_SIGMA, CMAES_TOLERANCE, CMAES_OWN };

struct cmaes {
    struct space         space;
    struct cma           cma;
    double               sigma_first, tolerance;
    struct utility_terms terms[CMA_POPULATION_MAX];  /* of the drawn points */
    uint32_t             measured;           /* of this generation */
    struct best          best;
};

static void end_generation(struct cmaes *c, const struct utility_weights *weights)
{
    double score[CMA_POPULATION_MAX];

    for (uint32_t i = 0; i < c->cma.lambda; i++)
        score[i] = utility(*weights, c->terms[i]);
    cma_learn(&c->cma, score);
    c->measured = 0;
}

/* ---- hooks ---- */

static void *cmaes_create(const struct space *space, const double *value, uint64_t seed)
{
    struct cmaes *c = xcalloc(1, sizeof(*c));

    c->space = *space;
    c->sigma_first = value[CMAES_SIGMA];
    c->tolerance = value[CMAES_TOLERANCE];
    cma_init(&c->cma, space->dims, (uint32_t)value[CMAES_POPULATION], seed);
    return c;
}

static void cmaes_begin(void *state, const double *from, const struct search_now *now)
{
    struct cmaes *c = state;
    double        unit[SPACE_DIMS_MAX] = { 0 };

    unit_from_point(&c->space, from, unit);
    cma_begin(&c->cma, unit, c->sigma_first);
    c->measured = 0;
    c->best = (struct best){ 0 };
    if (now)
        best_update(&c->best, now);
}

static bool cmaes_ask(void *state, const struct search_now *now, double *point)
{
    struct cmaes *c = state;
    double unit[SPACE_DIMS_MAX] = { 0 };

    (void)now;
    if (c->measured == 0 && cma_width(&c->cma) < c->tolerance)
        return false;
    cma_draw(&c->cma, c->measured, unit);
    unit_to_point(&c->space, unit, point);
    return true;
}

static void cmaes_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    struct cmaes *c = state;
    bool is_best = best_update(&c->best, now);

    c->terms[c->measured++] = now->terms;
    note->verdict = is_best ? TUNER_BEST : TUNER_NO_VERDICT;
    tuner_say(note, "setting %u of %u in generation %u, of width %.3g: %s", c->measured, c->cma.lambda,
              c->cma.generation + 1, cma_width(&c->cma), is_best ? "the best so far" : "not the best so far");
    if (c->measured == c->cma.lambda)
        end_generation(c, &now->weights);
}

static const struct key_row cmaes_options[] = {
    [CMAES_POPULATION] = { "population", KEY_COUNT, "0",
        "settings of a generation, 4 at least; 0: 4 + 3 ln n for n parameters", .min = 0,
        .max = CMA_POPULATION_MAX },
    [CMAES_SIGMA] = { "sigma", KEY_REAL, "0.2",
        "width of the first generation, as a share of each parameter's range", .min = 0.001, .max = 1 },
    [CMAES_TOLERANCE] = { "tolerance", KEY_REAL, "0.001",
        "end when a generation is narrower than this share of the ranges; 0: never", .min = 0, .max = 1 },
    SEARCH_OPTIONS,
    { 0 }
};

const struct search_algo cmaes_search = {
    .create = cmaes_create, .destroy = free, .begin = cmaes_begin, .ask = cmaes_ask, .tell = cmaes_tell,
    .option = cmaes_options,
};

static int cmaes_open(void **state, const struct world *world, const struct option_values *values,
                      struct err *err)
{
    double population = values->value[CMAES_POPULATION];

    if (population > 0 && population < CMA_POPULATION_MIN)
        return option_refuse(values, err, EINVAL, "population", "%g is too few; it is 0 or at least %d",
                             population, CMA_POPULATION_MIN);
    return search_create(state, &cmaes_search, world, values, err);
}

const struct tuner_algo tuner_cmaes = {
    .create = cmaes_open, SEARCH_HOOKS,
    .name   = "cmaes",
    .about  = "CMA-ES: settings from a normal distribution that learns where the better ones lie",
    .option = cmaes_options,
};
