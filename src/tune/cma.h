/* src/tune/cma.h - CMA-ES: a cloud of points that moves, stretches and shrinks. Hansen, "The CMA Evolution
 * Strategy: A Tutorial", 2016 (arXiv 1604.00772).
 *
 * In a nutshell: points are drawn from a normal distribution with a mean m, a width sigma and a covariance C.
 * A generation is lambda of them, of which the better half counts, the better the more (weights w):
 *
 *   m      moves to the weighted mean of that half
 *   C      stretches along the steps that led there, and along the path p_c that m took in recent generations
 *   sigma  grows when the steps of m go the same way (a path p_s longer than by chance), shrinks when they
 *          undo each other
 *
 * Only the order of scores within a generation matters, not by how much they differ. This is the plain
 * (mu/mu_w, lambda) strategy with the constants of the tutorial, without negative weights and without
 * restarts.
 *
 * The distribution lives in the unit cube, and goes on beyond it: a point outside is mirrored at the walls,
 * back into the cube, before it is tried. So the best may lie on a wall, and none is wasted outside.
 */
#ifndef TUNE_CMA_H
#define TUNE_CMA_H

#include "base/rng.h"
#include "tune/eigen.h"

#include <stdbool.h>
#include <stdint.h>

#define CMA_DIMS_MAX       MATRIX_DIMS_MAX
#define CMA_POPULATION_MIN 4
#define CMA_POPULATION_MAX 128

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

/* Another search, around a point of the cube. */
void cma_begin(struct cma *, const double *mean, double sigma);

/* Draws point 'number' of a generation, 0 .. lambda - 1; 'unit' is where to try it. */
void cma_draw(struct cma *, uint32_t number, double *unit);

/* All of a generation were tried, with these scores; the higher the better. */
void cma_learn(struct cma *, const double *score);

/* Where the cloud is now, and how wide along its longest axis. */
void   cma_mean(const struct cma *, double *unit);
double cma_width(const struct cma *);

#endif
