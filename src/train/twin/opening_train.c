#include "train/twin/opening_train.h"
#include "run/simulation.h"
#include "train/twin/twin_draw.h"
#include "tune/cma.h"
#include "tune/rehearse/opening.h"
#include "tune/setting.h"
#include "twin/maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POPULATION 12
#define SIGMA      0.12
#define WATCHED_S  0.009         /* duration of a trial: about as long as an opening is used */
#define QUICK      20.0          /* factor by which quick trials are shorter */
#define SCORE_MAX  1.0           /* largest contribution of one network, in log slowdowns */
#define SEED_APART 1000003u      /* offset between the networks of search and check */

const struct opening_request opening_initial = { .generations = 30, .networks = 24, .check = 64, .seed = 1 };

struct opening_worth { double gain, ratio[GOAL_PARTS], worst; uint32_t counted[GOAL_PARTS], networks; };

/* ---- trials ---- */

/* Runs all settings and, last, the default on the same messages. */
static int run_trials(const struct opening_request *q, const struct twin_drawn *d, const struct knobs *k,
                      uint32_t count, uint64_t seed, struct predicted *found, struct err *err)
{
    struct simulation_input in = { .name = "a random network", .base = &d->build, .threads = q->jobs };
    struct predict_point    point[POPULATION + 1];
    struct predictor        p;
    int                     rc = twin_maker.make(&in, &d->world, &d->model, &p, err);

    if (rc)
        return rc;
    for (uint32_t i = 0; i <= count; i++)
        point[i] = (struct predict_point){ i < count ? &k[i] : &d->world.start, seed, 1, 1 };
    rc = p.run(p.arg, point, count + 1, found, err);
    twin_maker.drop(&p);
    return rc;
}

static int draw_network(const struct opening_request *q, uint64_t seed, uint64_t number, struct twin_drawn *d,
                        struct err *err)
{
    return twin_draw(d, seed, number, q->is_quick ? WATCHED_S / QUICK : WATCHED_S, err);
}

/* ---- search ---- */

static int score_network(const struct opening_request *q, uint64_t number,
                         double unit[POPULATION][CMA_DIMS_MAX], double *score, struct err *err)
{
    struct knobs      k[POPULATION];
    struct predicted  found[POPULATION + 1];
    struct twin_drawn d;
    int               rc = draw_network(q, q->seed, number, &d, err);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < POPULATION; i++)
        opening_at(&d.world, unit[i], &k[i]);
    rc = run_trials(q, &d, k, POPULATION, 1 + number, found, err);
    for (uint32_t i = 0; i < POPULATION && !rc; i++)
        score[i] -= fmin(SCORE_MAX, goal_score(&goal_all[0], &found[i], &found[POPULATION]));
    twin_drop(&d);
    return rc;
}

static int run_generation(const struct opening_request *q, struct cma *cma, uint32_t generation,
                          struct err *err)
{
    double unit[POPULATION][CMA_DIMS_MAX], score[POPULATION] = { 0 }, best;
    int    rc = 0;

    for (uint32_t i = 0; i < POPULATION; i++)
        cma_draw(cma, i, unit[i]);
    for (uint32_t i = 0; i < q->networks && !rc; i++)
        rc = score_network(q, (uint64_t)generation * q->networks + i, unit, score, err);
    if (rc)
        return rc;
    cma_learn(cma, score);
    best = score[0];
    for (uint32_t i = 1; i < POPULATION; i++)
        best = fmax(best, score[i]);
    if (!q->is_quiet)
        fprintf(stderr,
                "generation %u of %u: the best of %u is worth %.3f (log slowdowns against default, harm "
                "counted), width %.3f\n",
                generation + 1, q->generations, POPULATION, -best / q->networks, cma_width(cma));
    return 0;
}

/* ---- check ---- */

static void count_gain(struct opening_worth *w, const struct predicted *is, const struct predicted *base)
{
    double gain = goal_gain(&goal_all[0], &is->all, &base->all);

    w->worst = w->networks ? fmax(w->worst, gain) : gain;
    w->gain += gain;
    w->networks++;
    for (int i = 0; i < GOAL_PARTS; i++)
        if (!isnan(goal_slowdown(&base->all, i)) && !isnan(goal_slowdown(&is->all, i))) {
            w->ratio[i] += goal_ratio(&is->all, &base->all, i);
            w->counted[i]++;
        }
}

static double percent(double sum, uint32_t of)
{
    return of ? 100 * (exp(sum / of) - 1) : 0;
}

static void print_worth(FILE *out, const char *name, const struct opening_worth *w)
{
    fprintf(out,
            "# %s on %u networks that were not met: J %+.1f %% against default (at worst %+.0f %%), mice "
            "%+.1f %%, elephants %+.1f %%\n",
            name, w->networks, percent(w->gain, w->networks), percent(w->worst, 1),
            percent(w->ratio[GOAL_MICE], w->counted[GOAL_MICE]),
            percent(w->ratio[GOAL_ELEPHANTS], w->counted[GOAL_ELEPHANTS]));
}

static int check_opening(const struct opening_request *q, const double *unit, FILE *out, struct err *err)
{
    struct opening_worth found = { 0 }, bdp = { 0 }, shipped = { 0 }, gentle = { 0 };

    for (uint32_t i = 0; i < q->check; i++) {
        struct twin_drawn d;
        struct knobs      k[4];
        struct predicted  p[5];
        int               rc = draw_network(q, q->seed + SEED_APART, i, &d, err);

        if (rc)
            return rc;
        opening_at(&d.world, unit, &k[0]);
        setting_find("bdp")->make(&k[1], &d.world);
        opening_make(OPENING_FABRIC, &d.world, &k[2]);
        opening_make(OPENING_GENTLE, &d.world, &k[3]);
        rc = run_trials(q, &d, k, 4, 1 + i, p, err);
        twin_drop(&d);
        if (rc)
            return rc;
        count_gain(&found, &p[0], &p[4]);
        count_gain(&bdp, &p[1], &p[4]);
        count_gain(&shipped, &p[2], &p[4]);
        count_gain(&gentle, &p[3], &p[4]);
    }
    print_worth(out, "this", &found);
    print_worth(out, "bdp", &bdp);
    print_worth(out, "the one that ships", &shipped);
    print_worth(out, "gentle", &gentle);
    return 0;
}

/* Starts the search at bdp. */
static void encode_bdp(const struct opening_request *q, double *unit)
{
    struct twin_drawn d;
    struct err        err;
    struct coded      coded;
    struct knobs      k;

    memset(unit, 0, CMA_DIMS_MAX * sizeof(*unit));
    if (draw_network(q, q->seed, 0, &d, &err))
        return;
    coded_init(&coded, &d.world);
    setting_find("bdp")->make(&k, &d.world);
    coded_from_knobs(&coded, &k, unit);
    twin_drop(&d);
}

int opening_train(const struct opening_request *q, FILE *out, struct err *err)
{
    struct cma *cma = xmalloc(sizeof(*cma));
    double      unit[CMA_DIMS_MAX];
    int         rc = 0;

    cma_init(cma, CODED_DIMS_MAX, POPULATION, q->seed);
    encode_bdp(q, unit);
    cma_begin(cma, unit, SIGMA);
    for (uint32_t i = 0; i < q->generations && !rc; i++)
        rc = run_generation(q, cma, i, err);
    cma_mean(cma, unit);
    free(cma);
    for (uint32_t i = 0; i < CODED_DIMS_MAX && !rc; i++) {
        unit[i] = floor(100 * unit[i] + 0.5) / 100;
        fprintf(out, "%.2f%s", unit[i], i + 1 < CODED_DIMS_MAX ? ", " : "\n");
    }
    return rc ? rc : check_opening(q, unit, out, err);
}
