/* src/tune/rehearse/search/test_predictor.h - for tests: a network with a known best setting. */
#ifndef TUNE_REHEARSE_SEARCH_TEST_PREDICTOR_H
#define TUNE_REHEARSE_SEARCH_TEST_PREDICTOR_H

#include "base/rng.h"
#include "core/predict.h"
#include "tune/exp.h"
#include "tune/rehearse/search/coded.h"

#include <math.h>

struct test_network {
    struct coded coded;
    double       best[CODED_DIMS_MAX];       /* where slowdowns are smallest */
    double       steep;                      /* how fast slowdowns grow away from it */
    double       common, own;                /* standard deviation of the noise of a seed, and of a setting
                                              * with a seed */
    double       later;                      /* change of log slowdowns near it in trials of twice the
                                              * length */
    uint32_t     trials, fails_at;           /* the trial that fails; 0: none */
};

static inline double test_normal(uint64_t seed, uint64_t stream)
{
    struct rng rng;
    double     sum = 0;

    rng_init(&rng, seed, stream);
    for (int i = 0; i < 12; i++)
        sum += rng_real(&rng);
    return sum - 6;
}

/* Slowdowns of mice and elephants grow with the distance from the best point. Noise of the same seed is the
 * same for all settings. */
static inline int test_predict(void *arg, const struct predict_point *point, uint32_t count,
                               struct predicted *out, struct err *err)
{
    struct test_network *n = arg;

    for (uint32_t i = 0; i < count; i++) {
        double   unit[CODED_DIMS_MAX], off = 0, hash = 0;
        double   slowdown;

        if (++n->trials == n->fails_at)
            return err_set(err, EIO, "the network is on fire");
        coded_from_knobs(&n->coded, point[i].knobs, unit);
        for (uint32_t d = 0; d < n->coded.dims; d++) {
            off += (unit[d] - n->best[d]) * (unit[d] - n->best[d]);
            hash += unit[d] * (d + 1) * 1e6;
        }
        slowdown = 1.5 * exp_of(n->steep * off / n->coded.dims + n->later * fmax(0, point[i].length - 1) *
                                exp_of(-20 * off / n->coded.dims)
                                + n->common * test_normal(point[i].seed, 1)
                                + n->own * test_normal(point[i].seed, (uint64_t)hash + 2));
        out[i] = (struct predicted){ .all = { { 90, 0, 10 }, { 90 * slowdown, 0, 10 * slowdown }, 0 },
                                     .cost = (uint64_t)(1000 * point[i].length) };
    }
    return 0;
}

#endif
