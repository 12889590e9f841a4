#include "tune/cma.h"
#include "tune/exp.h"

#include <math.h>
#include <string.h>

/* ---- eigenvectors ----
 *
 * Jacobi's method: rotations that each make one pair of elements off the diagonal zero. Later rotations undo
 * earlier zeros, but the sum of squares off the diagonal decreases with every rotation, and converges
 * quadratically once it is small. */

#define SWEEPS_MAX 50            /* six or seven are usual */

/* Rotates the axes p and q of 'm' (symmetric, in both halves) so that its element (p, q) becomes 0. */
static void rotate(struct matrix *m, struct matrix *vector, uint32_t n, uint32_t p, uint32_t q)
{
    double (*a)[CMA_DIMS_MAX] = m->at, (*v)[CMA_DIMS_MAX] = vector->at;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));      /* the smaller angle */
    double c = 1 / sqrt(t * t + 1), s = t * c;

    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    for (uint32_t i = 0; i < n; i++) {
        double vp = v[i][p], vq = v[i][q], ap = a[i][p], aq = a[i][q];

        v[i][p] = c * vp - s * vq;
        v[i][q] = s * vp + c * vq;
        if (i == p || i == q)
            continue;
        a[i][p] = a[p][i] = c * ap - s * aq;
        a[i][q] = a[q][i] = s * ap + c * aq;
    }
}

static bool is_negligible(const struct matrix *m, uint32_t p, uint32_t q)
{
    double off = fabs(m->at[p][q]), pp = fabs(m->at[p][p]), qq = fabs(m->at[q][q]);

    return off == 0 || (pp + off == pp && qq + off == qq);
}

static bool sweep(struct matrix *m, struct matrix *vector, uint32_t n)
{
    bool has_rotated = false;

    for (uint32_t p = 0; p + 1 < n; p++)
        for (uint32_t q = p + 1; q < n; q++)
            if (!is_negligible(m, p, q)) {
                rotate(m, vector, n, p, q);
                has_rotated = true;
            }
    return has_rotated;
}

void eigen_solve(const struct matrix *a, uint32_t n, double *value, struct matrix *vector)
{
    struct matrix m = *a;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            vector->at[i][j] = i == j;
    for (int i = 0; i < SWEEPS_MAX && sweep(&m, vector, n); i++)
        ;
    for (uint32_t i = 0; i < n; i++)
        value[i] = m.at[i][i];
}

/* ---- constants ---- */

static void set_weights(struct cma *c)
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

static void set_rates(struct cma *c)
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
static double draw_normal(struct cma *c)
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
static void draw_individual(struct cma *c, double *at)
{
    double z[CMA_DIMS_MAX];

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

/* Sorts by score, best first; equals stay in the order of drawing. */
static void sort_drawn(struct cma *c, const double *score)
{
    double sorted[CMA_POPULATION_MAX];

    for (uint32_t i = 0; i < c->lambda; i++) {
        struct cma_point moving = c->drawn[i];
        uint32_t at = i;

        for (; at > 0 && sorted[at - 1] < score[i]; at--) {
            c->drawn[at] = c->drawn[at - 1];
            sorted[at] = sorted[at - 1];
        }
        c->drawn[at] = moving;
        sorted[at] = score[i];
    }
}

/* Moves the mean by 'step' sigmas. From here on drawn[].at is a step in sigmas, too. */
static void move_mean(struct cma *c, double *step)
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
static void whiten(const struct cma *c, const double *step, double *white)
{
    double along[CMA_DIMS_MAX];

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
static bool add_to_paths(struct cma *c, const double *step)
{
    double white[CMA_DIMS_MAX], expected, keep_c = 1 - c->c_c, keep_sigma = 1 - c->c_sigma;
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

static void adapt_covariance(struct cma *c, bool path_counts)
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

static double largest(const double *x, uint32_t n)
{
    double max = 0;

    for (uint32_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    return max;
}

double cma_width(const struct cma *c)
{
    return c->sigma * largest(c->length, c->n);
}

/* Computes the axes of C. Each keeps a small length, because nothing is drawn along an axis of length 0. */
static void find_axes(struct cma *c)
{
    double value[CMA_DIMS_MAX] = { 0 };

    eigen_solve(&c->covariance, c->n, value, &c->axes);
    for (uint32_t i = 0; i < c->n; i++)
        c->length[i] = sqrt(fmax(value[i], 1e-14 * largest(value, c->n)));
}

void cma_learn(struct cma *c, const double *score)
{
    double step[CMA_DIMS_MAX];

    sort_drawn(c, score);
    move_mean(c, step);
    adapt_covariance(c, add_to_paths(c, step));
    find_axes(c);
    /* Sigma is limited to the width of the cube: beyond it, mirrored points only repeat. */
    double excess = norm(c->path_sigma, c->n) / c->chi - 1;
    c->sigma *= exp_of(fmin(1, c->c_sigma / c->d_sigma * excess));
    c->sigma = fmin(c->sigma, 1 / largest(c->length, c->n));
    c->generation++;
}

/* ---- interface ---- */

void cma_init(struct cma *c, uint32_t n, uint32_t population, uint64_t seed)
{
    *c = (struct cma){ .n = n, .lambda = population ? population : 4 + (uint32_t)(3 * rng_log(n)) };
    set_weights(c);
    set_rates(c);
    rng_init(&c->rng, seed, 0);
}

void cma_begin(struct cma *c, const double *mean, double sigma)
{
    memcpy(c->mean, mean, c->n * sizeof(*mean));
    c->sigma = sigma;
    c->covariance = (struct matrix){ 0 };
    for (uint32_t i = 0; i < c->n; i++)
        c->covariance.at[i][i] = 1;
    find_axes(c);
    memset(c->path_sigma, 0, sizeof(c->path_sigma));
    memset(c->path_c, 0, sizeof(c->path_c));
    c->generation = 0;
}

void cma_draw(struct cma *c, uint32_t number, double *unit)
{
    draw_individual(c, c->drawn[number].at);
    for (uint32_t i = 0; i < c->n; i++)
        unit[i] = mirror(c->drawn[number].at[i]);
}

void cma_mean(const struct cma *c, double *unit)
{
    for (uint32_t i = 0; i < c->n; i++)
        unit[i] = mirror(c->mean[i]);
}
