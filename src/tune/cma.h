/* src/tune/cma.h - CMA-ES: a search distribution that moves, stretches and shrinks. Hansen, "The CMA
 * Evolution Strategy: A Tutorial", 2016 (arXiv 1604.00772).
 *
 * Points are drawn from a normal distribution with mean m, width sigma and covariance C. A generation has
 * lambda points; the better half updates the distribution, with weights w that decrease with rank:
 *
 *   m      moves to the weighted mean of that half
 *   C      stretches along these steps, and along the path p_c of m in recent generations
 *   sigma  grows when the steps of m point the same way (a path p_s longer than by chance), and shrinks when
 *          they cancel
 *
 * Only the order of scores within a generation matters. This is the plain (mu/mu_w, lambda) strategy with the
 * constants of the tutorial, without negative weights and without restarts.
 *
 * The search space is the unit cube. A point outside is mirrored at the walls before it is evaluated, so the
 * optimum may lie on a wall, and no evaluation is wasted outside.
 */
#ifndef TUNE_CMA_H
#define TUNE_CMA_H

#include "base/rng.h"
#include "tune/search/space.h"

#define CMA_DIMS_MAX       24   /* twins have more axes than searches: rehearse/search/coded.h */
#define CMA_POPULATION_MIN 4
#define CMA_POPULATION_MAX 128

struct matrix { double at[CMA_DIMS_MAX][CMA_DIMS_MAX]; };

/* Writes the eigenvalues of the symmetric n x n matrix 'a', unsorted, and its eigenvectors of length 1 as
 * columns of 'vector': a = vector diag(value) vector^T. The result is the same on every processor. */
void eigen_solve(const struct matrix *a, uint32_t n, double *value, struct matrix *vector);

struct cma_point { double at[CMA_DIMS_MAX]; };   /* may be outside the cube */

struct cma {
    uint32_t n;                  /* dimensions */
    uint32_t lambda, mu;
    double   weight[CMA_POPULATION_MAX / 2], mu_eff;
    double   c_sigma, d_sigma, c_c, c_1, c_mu;
    double   chi;                /* mean length of a normal vector of n dimensions */

    double        mean[CMA_DIMS_MAX], sigma;
    struct matrix covariance, axes;          /* columns of 'axes' are its eigenvectors */
    double        length[CMA_DIMS_MAX];      /* of the axes: square roots of the eigenvalues */
    double        path_sigma[CMA_DIMS_MAX], path_c[CMA_DIMS_MAX];
    uint32_t      generation;

    struct cma_point drawn[CMA_POPULATION_MAX];

    struct rng  rng;
    double      spare;           /* normal numbers come in pairs */
    bool        has_spare;
};

/* 'population' 0: 4 + 3 ln n. */
void cma_init(struct cma *, uint32_t n, uint32_t population, uint64_t seed);

/* Starts a search around a point of the cube. */
void cma_begin(struct cma *, const double *mean, double sigma);

/* Draws point 'number' of a generation, 0 .. lambda - 1; 'unit' is where to try it. */
void cma_draw(struct cma *, uint32_t number, double *unit);

/* Learns from the scores of a generation; higher is better. */
void cma_learn(struct cma *, const double *score);

/* The mean of the distribution, and its width along the longest axis. */
void   cma_mean(const struct cma *, double *unit);
double cma_width(const struct cma *);

#endif
