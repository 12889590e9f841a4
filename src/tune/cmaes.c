/* src/tune/cmaes.c - CMA-ES: a cloud of points that moves, stretches and shrinks.
 * Hansen, "The CMA Evolution Strategy: A Tutorial", 2016 (arXiv 1604.00772).
 *
 * In a nutshell: settings are drawn from a normal distribution with a mean m, a width sigma and a covariance
 * C. A generation is lambda of them, of which the better half counts, the better the more (weights w):
 *
 *   m      moves to the weighted mean of that half
 *   C      stretches along the steps that led there, and along the path p_c that m took in recent generations
 *   sigma  grows when the steps of m go the same way (a path p_s longer than by chance), shrinks when they
 *          undo each other
 *
 * Only the order of utilities within a generation matters, not by how much they differ. This is the plain
 * (mu/mu_w, lambda) strategy with the constants of the tutorial, without negative weights and without
 * restarts.
 *
 * The distribution lives in the unit cube of the space, and goes on beyond it: a point outside is mirrored at
 * the walls, back into the cube, before it is tried. So the best may lie on a wall, and none is wasted
 * outside. Ranks are by the weights of the generation's last interval.
 */
#include "base/err.h"
#include "base/rng.h"
#include "tune/eigen.h"
#include "tune/exp.h"
#include "tune/search/points.h"
#include "tune/search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POPULATION_MIN 4
#define POPULATION_MAX 128

enum cmaes_option { CMAES_POPULATION, CMAES_SIGMA, CMAES_TOLERANCE, CMAES_OWN };

struct individual {
    double               at[SPACE_DIMS_MAX]; /* may be outside the cube */
    struct utility_terms terms;
};

struct cmaes {
    struct space space;
    uint32_t     n;              /* dimensions */
    uint32_t     lambda, mu;
    double       weight[POPULATION_MAX / 2], mu_eff;
    double       c_sigma, d_sigma, c_c, c_1, c_mu;
    double       chi;            /* mean length of a normal vector of n dimensions */
    double       sigma_first, tolerance;

    double        mean[SPACE_DIMS_MAX], sigma;
    struct matrix covariance, axes;          /* columns of 'axes' are its eigenvectors */
    double        length[SPACE_DIMS_MAX];    /* of the axes: square roots of the eigenvalues */
    double        path_sigma[SPACE_DIMS_MAX], path_c[SPACE_DIMS_MAX];
    uint32_t      generation;

    struct individual drawn[POPULATION_MAX];
    uint32_t          told;      /* of this generation */

    struct rng  rng;
    double      spare;           /* normal numbers come in pairs */
    bool        has_spare;
    struct best best;
};

/* ---- constants ---- */

static uint32_t usual_population(uint32_t n)
{
    return 4 + (uint32_t)(3 * rng_log(n));
}

static void set_weights(struct cmaes *c)
{
    double sum = 0, squares = 0;

    c->mu = c->lambda / 2;
    for (uint32_t i = 0; i < c->mu; i++) {
        c->weight[i] = rng_log(c->lambda / 2.0 + 0.5) - rng_log(i + 1);
        sum += c->weight[i];
    }
    for (uint32_t i = 0; i < c->mu; i++) {
        c->weight[i] /= sum;
        squares += c->weight[i] * c->weight[i];
    }
    c->mu_eff = 1 / squares;
}

static void set_rates(struct cmaes *c)
{
    double n = c->n, mu_eff = c->mu_eff;

    c->c_sigma = (mu_eff + 2) / (n + mu_eff + 5);
    c->d_sigma = 1 + 2 * fmax(0, sqrt((mu_eff - 1) / (n + 1)) - 1) + c->c_sigma;
    c->c_c = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n);
    c->c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu_eff);
    c->c_mu = fmin(1 - c->c_1, 2 * (mu_eff - 2 + 1 / mu_eff) / ((n + 2) * (n + 2) + mu_eff));
    c->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

/* ---- drawing ---- */

/* Marsaglia's polar method: cosines without the cosine. */
static double draw_normal(struct cmaes *c)
{
    double x, y, square, scale;

    if (c->has_spare) {
        c->has_spare = false;
        return c->spare;
    }
    do {
        x = 2 * rng_real(&c->rng) - 1;
        y = 2 * rng_real(&c->rng) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    scale = sqrt(-2 * rng_log(square) / square);
    c->spare = y * scale;
    c->has_spare = true;
    return x * scale;
}

/* mean + sigma axes diag(length) z */
static void draw_individual(struct cmaes *c, double *at)
{
    double z[SPACE_DIMS_MAX];

    for (uint32_t i = 0; i < c->n; i++)
        z[i] = c->length[i] * draw_normal(c);
    for (uint32_t i = 0; i < c->n; i++) {
        double sum = 0;

        for (uint32_t j = 0; j < c->n; j++)
            sum += c->axes.at[i][j] * z[j];
        at[i] = c->mean[i] + c->sigma * sum;
    }
}

/* ... -0.3 is 0.3, 1.2 is 0.8, 2.1 is 0.1 ... */
static double mirror(double x)
{
    x -= 2 * floor(x / 2);
    return x > 1 ? 2 - x : x;
}

/* ---- learning ---- */

/* Best first; of equals the one drawn first. */
static void sort_drawn(struct cmaes *c, const struct utility_weights *weights)
{
    for (uint32_t i = 1; i < c->lambda; i++) {
        struct individual moving = c->drawn[i];
        uint32_t at = i;

        for (; at > 0 && utility(*weights, c->drawn[at - 1].terms) < utility(*weights, moving.terms); at--)
            c->drawn[at] = c->drawn[at - 1];
        c->drawn[at] = moving;
    }
}

/* Moves the mean; 'step' is how far, in sigmas. From here on 'at' of those drawn is their step in sigmas too.
 * */
static void move_mean(struct cmaes *c, double *step)
{
    for (uint32_t i = 0; i < c->n; i++) {
        step[i] = 0;
        for (uint32_t k = 0; k < c->mu; k++) {
            c->drawn[k].at[i] = (c->drawn[k].at[i] - c->mean[i]) / c->sigma;
            step[i] += c->weight[k] * c->drawn[k].at[i];
        }
        c->mean[i] += c->sigma * step[i];
    }
}

/* C^(-1/2) step: what the step would be if C were a sphere. */
static void whiten(const struct cmaes *c, const double *step, double *white)
{
    double along[SPACE_DIMS_MAX];

    for (uint32_t j = 0; j < c->n; j++) {
        along[j] = 0;
        for (uint32_t i = 0; i < c->n; i++)
            along[j] += c->axes.at[i][j] * step[i];
        along[j] /= c->length[j];
    }
    for (uint32_t i = 0; i < c->n; i++) {
        white[i] = 0;
        for (uint32_t j = 0; j < c->n; j++)
            white[i] += c->axes.at[i][j] * along[j];
    }
}

static double norm(const double *vector, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += vector[i] * vector[i];
    return sqrt(sum);
}

/* Adds a step to both paths. Returns whether it counts for the covariance's: not while sigma is growing fast,
 * for then C would grow along with it. */
static bool add_to_paths(struct cmaes *c, const double *step)
{
    double white[SPACE_DIMS_MAX], expected, keep_c = 1 - c->c_c, keep_sigma = 1 - c->c_sigma;
    double add_c = sqrt(c->c_c * (2 - c->c_c) * c->mu_eff);
    double add_sigma = sqrt(c->c_sigma * (2 - c->c_sigma) * c->mu_eff);
    bool counts;

    whiten(c, step, white);
    for (uint32_t i = 0; i < c->n; i++)
        c->path_sigma[i] = keep_sigma * c->path_sigma[i] + add_sigma * white[i];
    expected = c->chi * sqrt(1 - rng_pow(keep_sigma, 2 * (uint64_t)(c->generation + 1)));
    counts = norm(c->path_sigma, c->n) < (1.4 + 2 / (c->n + 1.0)) * expected;
    for (uint32_t i = 0; i < c->n; i++)
        c->path_c[i] = keep_c * c->path_c[i] + (counts ? add_c * step[i] : 0);
    return counts;
}

static void adapt_covariance(struct cmaes *c, bool path_counts)
{
    double missing = path_counts ? 0 : c->c_1 * c->c_c * (2 - c->c_c);
    double keep = 1 - c->c_1 - c->c_mu + missing;

    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double steps = 0, value;

            for (uint32_t k = 0; k < c->mu; k++)
                steps += c->weight[k] * c->drawn[k].at[i] * c->drawn[k].at[j];
            value = keep * c->covariance.at[i][j] + c->c_1 * c->path_c[i] * c->path_c[j] + c->c_mu * steps;
            c->covariance.at[i][j] = c->covariance.at[j][i] = value;
        }
}

static double length_max(const struct cmaes *c)
{
    double max = 0;

    for (uint32_t i = 0; i < c->n; i++)
        max = fmax(max, c->length[i]);
    return max;
}

/* The axes of C. An axis that rounding has made vanish gets a small length again, or nothing would be drawn
 * along it any more. */
static void find_axes(struct cmaes *c)
{
    double value[SPACE_DIMS_MAX] = { 0 }, max = 0;

    eigen_solve(&c->covariance, c->n, value, &c->axes);
    for (uint32_t i = 0; i < c->n; i++)
        max = fmax(max, value[i]);
    for (uint32_t i = 0; i < c->n; i++)
        c->length[i] = sqrt(fmax(value[i], 1e-14 * max));
}

/* Beyond a width of the whole cube the mirrors only show the same again. */
static void adapt_sigma(struct cmaes *c)
{
    double excess = norm(c->path_sigma, c->n) / c->chi - 1;

    c->sigma *= exp_of(fmin(1, c->c_sigma / c->d_sigma * excess));
    c->sigma = fmin(c->sigma, 1 / length_max(c));
}

static void end_generation(struct cmaes *c, const struct utility_weights *weights)
{
    double step[SPACE_DIMS_MAX];

    sort_drawn(c, weights);
    move_mean(c, step);
    adapt_covariance(c, add_to_paths(c, step));
    find_axes(c);
    adapt_sigma(c);
    c->generation++;
    c->told = 0;
}

/* ---- hooks ---- */

static void *cmaes_create(const struct space *space, const double *value, uint64_t seed)
{
    struct cmaes *c = xcalloc(1, sizeof(*c));

    c->space = *space;
    c->n = space->dims;
    c->lambda = (uint32_t)value[CMAES_POPULATION];
    if (c->lambda == 0)
        c->lambda = usual_population(c->n);
    c->sigma_first = value[CMAES_SIGMA];
    c->tolerance = value[CMAES_TOLERANCE];
    set_weights(c);
    set_rates(c);
    rng_init(&c->rng, seed, 0);
    return c;
}

static void cmaes_begin(void *state, const double *from, const struct search_now *now)
{
    struct cmaes *c = state;

    unit_from_point(&c->space, from, c->mean);
    c->sigma = c->sigma_first;
    c->covariance = (struct matrix){ 0 };
    for (uint32_t i = 0; i < c->n; i++)
        c->covariance.at[i][i] = 1;
    find_axes(c);
    memset(c->path_sigma, 0, sizeof(c->path_sigma));
    memset(c->path_c, 0, sizeof(c->path_c));
    c->generation = c->told = 0;
    c->best = (struct best){ 0 };
    if (now)
        best_take(&c->best, now);
}

static bool cmaes_ask(void *state, const struct search_now *now, double *point)
{
    struct cmaes *c = state;
    double unit[SPACE_DIMS_MAX] = { 0 };

    (void)now;
    if (c->told == 0 && c->sigma * length_max(c) < c->tolerance)
        return false;
    draw_individual(c, c->drawn[c->told].at);
    for (uint32_t i = 0; i < c->n; i++)
        unit[i] = mirror(c->drawn[c->told].at[i]);
    unit_to_point(&c->space, unit, point);
    return true;
}

static void cmaes_tell(void *state, const struct search_now *now, struct tuner_note *note)
{
    struct cmaes *c = state;
    bool is_best = best_take(&c->best, now);

    c->drawn[c->told++].terms = now->terms;
    note->verdict = is_best ? TUNER_BEST : TUNER_NO_VERDICT;
    snprintf(note->why, sizeof(note->why), "setting %u of %u in generation %u, of width %.3g: %s", c->told,
             c->lambda, c->generation + 1, c->sigma * length_max(c),
             is_best ? "the best so far" : "not the best so far");
    if (c->told == c->lambda)
        end_generation(c, &now->weights);
}

extern const struct search_algo cmaes_search;
const struct search_algo cmaes_search = {
    .create      = cmaes_create,
    .destroy     = free,
    .begin       = cmaes_begin,
    .ask         = cmaes_ask,
    .tell        = cmaes_tell,
    .own_options = CMAES_OWN,
};

static int cmaes_open(void **state, const struct world *world, const struct option_values *values,
                      struct err *err)
{
    double population = values->value[CMAES_POPULATION];

    if (population > 0 && population < POPULATION_MIN)
        return err_set(err, EINVAL, "population: %g is too few; it is 0 or at least %d", population,
                       POPULATION_MIN);
    return search_create(state, &cmaes_search, world, values, err);
}

static const struct option_info cmaes_options[] = {
    [CMAES_POPULATION] = { "population", OPTION_COUNT, 0, 0, POPULATION_MAX, NULL, NULL,
        "settings of a generation, 4 at least; 0: 4 + 3 ln n for n parameters" },
    [CMAES_SIGMA] = { "sigma", OPTION_REAL, 0.2, 0.001, 1, NULL, NULL,
        "width of the first generation, as a share of each parameter's range" },
    [CMAES_TOLERANCE] = { "tolerance", OPTION_REAL, 0.001, 0, 1, NULL, NULL,
        "a search is over when a generation is narrower than this share of the ranges; 0: with the budget" },
    SEARCH_OPTIONS,
    { 0 }
};

extern const struct tuner_algo tuner_cmaes;
const struct tuner_algo tuner_cmaes = {
    .create = cmaes_open, SEARCH_HOOKS,
    .name   = "cmaes",
    .about  = "CMA-ES: settings from a normal distribution that learns where the better ones lie",
    .option = cmaes_options,
};
