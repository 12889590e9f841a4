/* bench/xgboost_yardstick.h - XGBoost on the same rows, if its library is installed. The library is loaded at
 * run time, so the build does not need it.
 */
#ifndef BENCH_XGBOOST_YARDSTICK_H
#define BENCH_XGBOOST_YARDSTICK_H

#include "base/err.h"
#include "train/trees/tree_grow.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions of its C interface that are needed; all return 0 on success. */
struct xgboost {
    void *library;
    int (*matrix)(const float *data, uint64_t rows, uint64_t columns, float missing, void **matrix);
    int (*set)(void *matrix, const char *field, const float *value, uint64_t n);
    int (*free_matrix)(void *matrix);
    int (*booster)(void *const *matrix, uint64_t n, void **booster);
    int (*param)(void *booster, const char *name, const char *value);
    int (*update)(void *booster, int round, void *matrix);
    int (*predict)(void *booster, void *matrix, int mask, unsigned trees, int training, uint64_t *n,
                   const float **value);
    int (*free_booster)(void *booster);
};

static inline int xgboost_open(struct xgboost *x)
{
    static const char *const name[] = { "XGDMatrixCreateFromMat", "XGDMatrixSetFloatInfo", "XGDMatrixFree",
                                        "XGBoosterCreate", "XGBoosterSetParam", "XGBoosterUpdateOneIter",
                                        "XGBoosterPredict", "XGBoosterFree" };
    void **slot[] = { (void **)&x->matrix, (void **)&x->set, (void **)&x->free_matrix, (void **)&x->booster,
                      (void **)&x->param, (void **)&x->update, (void **)&x->predict, (void **)&x->free_booster };

    x->library = dlopen("libxgboost.so.0", RTLD_NOW);
    for (int i = 0; x->library && i < 8; i++)
        if (!(*slot[i] = dlsym(x->library, name[i])))
            return -1;
    return x->library ? 0 : -1;
}

static inline void *xgboost_rows(const struct xgboost *x, const struct tree_rows *r)
{
    float *data = xcalloc((size_t)r->rows * (TREE_FEATURES + 1), sizeof(*data)), *target = data;
    void *matrix = NULL;

    target += (size_t)r->rows * TREE_FEATURES;
    for (uint32_t i = 0; i < r->rows; i++) {
        for (int f = 0; f < TREE_FEATURES; f++)
            data[(size_t)i * TREE_FEATURES + f] = r->row[i].feature[f];
        target[i] = (float)r->row[i].target / TREE_TARGET_ONE;
    }
    if (x->matrix(data, r->rows, TREE_FEATURES, NAN, &matrix) || x->set(matrix, "label", target, r->rows))
        die("XGBoost takes no rows");
    free(data);
    return matrix;
}

static inline void xgboost_set(const struct xgboost *x, void *booster, uint32_t depth)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", depth);
    x->param(booster, "max_depth", text);
    x->param(booster, "objective", "reg:squarederror");
    x->param(booster, "base_score", "1");
    x->param(booster, "eta", "1");
    x->param(booster, "lambda", "1");
    x->param(booster, "tree_method", "hist");
    x->param(booster, "max_bin", "254");
    x->param(booster, "nthread", "1");
    x->param(booster, "verbosity", "0");
}

/* Root mean square on 'test' of this many trees grown on 'train'; negative without XGBoost. */
static inline double xgboost_rmse(const struct tree_rows *train, const struct tree_rows *test, uint32_t trees,
                                  uint32_t depth)
{
    void *matrix[2], *booster;
    const float *value;
    struct xgboost x;
    double sum = 0;
    uint64_t n;

    if (xgboost_open(&x))
        return -1;
    matrix[0] = xgboost_rows(&x, train);
    matrix[1] = xgboost_rows(&x, test);
    x.booster(matrix, 2, &booster);
    xgboost_set(&x, booster, depth);
    for (uint32_t i = 0; i < trees; i++)
        if (x.update(booster, (int)i, matrix[0]))
            die("XGBoost grows no trees");
    if (x.predict(booster, matrix[1], 0, 0, 0, &n, &value) || n != test->rows)
        die("XGBoost predicts nothing");
    for (uint64_t i = 0; i < n; i++) {
        double away = (double)value[i] - test->row[i].target * (1.0 / TREE_TARGET_ONE);

        sum += away * away;
    }
    x.free_booster(booster);
    x.free_matrix(matrix[0]);
    x.free_matrix(matrix[1]);
    return sqrt(sum / (double)n);
}

#endif
