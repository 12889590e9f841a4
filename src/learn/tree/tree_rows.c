#include "learn/tree/tree_rows.h"

#include "base/err.h"
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tree_rows_init(struct tree_rows *r)
{
    *r = (struct tree_rows){ 0 };
}

void tree_rows_fini(struct tree_rows *r)
{
    free(r->feature);
    free(r->target);
    *r = (struct tree_rows){ 0 };
}

static void make_room(struct tree_rows *r, uint32_t rows_max)
{
    r->rows_max = rows_max;
    r->feature = xrealloc(r->feature, (size_t)rows_max * sizeof(*r->feature));
    r->target = xrealloc(r->target, (size_t)rows_max * sizeof(*r->target));
}

static void add_row(struct tree_rows *r, const int16_t *feature, int32_t target)
{
    if (r->rows == r->rows_max)
        make_room(r, r->rows_max ? 2 * r->rows_max : 1024);
    memcpy(r->feature[r->rows], feature, sizeof(*r->feature));
    r->target[r->rows++] = target;
}

void tree_rows_add(struct tree_rows *r, const float x[TREE_FEATURES], float multiplier)
{
    int16_t feature[TREE_FEATURES];

    assert(multiplier >= -8 && multiplier <= 8);
    forest_features(x, feature);
    add_row(r, feature, (int32_t)(multiplier * TREE_TARGET_ONE));
}

static float grid_action(const struct tree_grid *g, uint32_t i)
{
    return (float)(0.8 + 0.4 * i / (g->actions - 1));
}

static float grid_delta(const struct tree_grid *g, uint32_t i)
{
    double edge = g->edge > 0 ? g->edge : 0.768;
    uint32_t near = g->deltas / 2;

    if (i < near)
        return (float)(edge * (2.0 * i / (near - 1) - 1));
    return (float)(edge * (1 + 99.0 * (i - near + 1) / (g->deltas - near)));
}

void tree_rows_add_grid(struct tree_rows *r, const struct tree_grid *g, tree_teacher *teach,
                        const void *teacher)
{
    uint64_t pairs = (uint64_t)g->actions * g->deltas;

    assert(g->actions >= 2 && g->deltas >= 4 && pairs < 1u << 16 && r->rows + pairs * pairs < UINT32_MAX / 2);
    if (r->rows + pairs * pairs > r->rows_max)
        make_room(r, (uint32_t)(r->rows + pairs * pairs));
    for (uint64_t i = 0; i < pairs * pairs; i++) {
        uint32_t older = (uint32_t)(i / pairs), last = (uint32_t)(i % pairs);
        float x[TREE_FEATURES] = {
            grid_action(g, older / g->deltas), grid_delta(g, older % g->deltas),
            grid_action(g, last / g->deltas), grid_delta(g, last % g->deltas),
        };

        tree_rows_add(r, x, teach(teacher, x));
    }
}

void tree_rows_append(struct tree_rows *r, const struct tree_rows *other)
{
    for (uint32_t i = 0; i < other->rows; i++)
        add_row(r, other->feature[i], other->target[i]);
}

void tree_rows_set_aside(struct tree_rows *r, struct tree_rows *aside, double share, uint64_t seed)
{
    uint32_t kept = 0;
    struct rng rng;

    rng_init(&rng, seed, 0);
    for (uint32_t i = 0; i < r->rows; i++)
        if (rng_real(&rng) < share)
            add_row(aside, r->feature[i], r->target[i]);
        else {
            memmove(r->feature[kept], r->feature[i], sizeof(*r->feature));
            r->target[kept++] = r->target[i];
        }
    r->rows = kept;
}

void tree_rows_count(const struct tree_rows *r, const struct forest *f,
                     uint32_t rows[TREE_TREES_MAX][TREE_LEAVES_MAX])
{
    memset(rows, 0, TREE_TREES_MAX * sizeof(*rows));
    for (uint32_t i = 0; i < r->rows; i++)
        for (uint32_t j = 0; j < f->trees; j++)
            rows[j][tree_leaf(&f->tree[j], r->feature[i])]++;
}

double tree_rows_rmse(const struct tree_rows *r, const struct forest *f)
{
    double sum = 0;

    for (uint32_t i = 0; i < r->rows; i++) {
        double away =
            r->target[i] * (1.0 / TREE_TARGET_ONE) - forest_sum(f, r->feature[i]) * (1.0 / TREE_ONE);

        sum += away * away;
    }
    return r->rows ? sqrt(sum / r->rows) : 0;
}
