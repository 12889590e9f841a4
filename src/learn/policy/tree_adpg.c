#include "learn/policy/tree_adpg.h"

#include "base/err.h"
#include "learn/policy/policy.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define U_MIN      (-5.0f / 6)
#define U_MAX      1.0f
/* largest target of a state, in root mean squares, limited by the range of rows */
#define WANT_MAX   8.0
#define MEND_STEPS 100000

static uint32_t leaf_place(uint32_t tree, uint32_t leaf)
{
    return 1 + tree * TREE_LEAVES_MAX + leaf;
}

static struct tree_adpg_cfg fill_defaults(const struct tree_adpg_cfg *given)
{
    struct tree_adpg_cfg cfg = *given;

    cfg.adpg = adpg_cfg_fill(&given->adpg);
    cfg.tree.trees = cfg.tree.trees ? cfg.tree.trees : 10;
    cfg.tree.sweeps = 0;
    cfg.grow_every = cfg.grow_every ? cfg.grow_every : 20;
    cfg.grow_rate = cfg.grow_rate > 0 ? cfg.grow_rate : 0.05;
    assert(cfg.tree.trees <= TREE_TREES_MAX);
    return cfg;
}

void tree_adpg_init(struct tree_adpg *a, const struct tree_adpg_cfg *cfg, uint32_t steps_max)
{
    *a = (struct tree_adpg){
        .cfg = fill_defaults(cfg), .steps_max = steps_max,
        .u = xcalloc(steps_max, sizeof(*a->u)), .slope = xcalloc(steps_max, sizeof(*a->slope)),
    };
    forest_init(&a->shape);
    tree_rows_init(&a->rows);
    adam_init(&a->adam, &a->cfg.adpg.adam, TREE_ADPG_PARAMETERS);
}

void tree_adpg_fini(struct tree_adpg *a)
{
    adam_fini(&a->adam);
    tree_rows_fini(&a->rows);
    free(a->want);
    free(a->u);
    free(a->slope);
    *a = (struct tree_adpg){ 0 };
}

static float clip_u(float u)
{
    return u < U_MIN ? U_MIN : u > U_MAX ? U_MAX : u;
}

float tree_adpg_u(const struct tree_adpg *a, const int16_t feature[TREE_FEATURES])
{
    float sum = a->parameter[0];

    for (uint32_t i = 0; i < a->shape.trees; i++)
        sum += a->parameter[leaf_place(i, tree_leaf(&a->shape.tree[i], feature))];
    return clip_u(sum);
}

/* ---- gradient ---- */

/* For a sum beyond its bound, drops derivatives that would move it further out. */
static float clip_slope(float u, float slope)
{
    return (u >= U_MAX && slope < 0) || (u <= U_MIN && slope > 0) ? 0 : slope;
}

static void add_to_leaves(struct tree_adpg *a, const int16_t *feature, float slope)
{
    a->gradient[0] += slope;
    for (uint32_t i = 0; i < a->shape.trees; i++) {
        uint32_t leaf = tree_leaf(&a->shape.tree[i], feature);

        a->gradient[leaf_place(i, leaf)] += slope;
        a->visits[i][leaf] += a->visits[i][leaf] < UINT32_MAX;
    }
}

/* The target of a row is computed when all derivatives are known. */
static void add_row(struct tree_adpg *a, const float *x, float slope)
{
    if (a->rows.rows == a->wants_max) {
        a->wants_max = a->wants_max ? 2 * a->wants_max : 1024;
        a->want = xrealloc(a->want, a->wants_max * sizeof(*a->want));
    }
    a->want[a->rows.rows] = -slope;
    tree_rows_add(&a->rows, x, 0);
}

static double add_agent(struct tree_adpg *a, const struct adpg_trajectory *t, double share, double *squares)
{
    double loss;

    assert(t->steps <= a->steps_max);
    for (uint32_t i = 0; i < t->steps; i++) {
        int16_t feature[TREE_FEATURES];

        forest_features(t->state + (size_t)i * TREE_FEATURES, feature);
        a->u[i] = tree_adpg_u(a, feature);
    }
    loss = adpg_loss(&a->cfg.adpg, a->u, t->delta, t->steps, a->slope);
    for (uint32_t i = 0; i < t->steps; i++) {
        const float *x = t->state + (size_t)i * TREE_FEATURES;
        float slope = clip_slope(a->u[i], (float)((double)a->slope[i] * share));
        int16_t feature[TREE_FEATURES];

        forest_features(x, feature);
        add_to_leaves(a, feature, slope);
        add_row(a, x, slope);
        *squares += (double)slope * (double)slope;
    }
    return loss * share;
}

/* ---- growing ---- */

/* Normalizes by the root mean square, because the size of derivatives depends on the number of agents. */
static void make_targets(struct tree_adpg *a, double squares)
{
    double scale = squares > 0 ? 1 / sqrt(squares / a->rows.rows) : 0;

    for (uint32_t i = 0; i < a->rows.rows; i++) {
        double want = (double)a->want[i] * scale;

        want = want > WANT_MAX ? WANT_MAX : want < -WANT_MAX ? -WANT_MAX : want;
        a->rows.target[i] = (int32_t)(want * (TREE_TARGET_ONE - 1));
    }
}

static void grow_tree(struct tree_adpg *a)
{
    struct tree_cfg cfg = a->cfg.tree;
    uint32_t place = a->shape.trees;
    struct forest one;

    cfg.trees = 1;
    forest_grow(&one, &cfg, &a->rows);
    if (one.trees == 0)
        return;
    a->shape.tree[place] = one.tree[0];
    a->shape.trees++;
    for (uint32_t i = 0; i < 1u << one.tree[0].depth; i++) {
        a->parameter[leaf_place(place, i)] = (float)(a->cfg.grow_rate * one.tree[0].leaf[i] / TREE_ONE);
        a->shape.tree[place].leaf[i] = 0;
    }
}

/* ---- update ---- */

static void adjust_leaves(struct tree_adpg *a)
{
    float clip = (float)a->cfg.adpg.clip;

    for (uint32_t i = 0; i < TREE_ADPG_PARAMETERS; i++) {
        float g = a->gradient[i];

        a->gradient[i] = g > clip ? clip : g < -clip ? -clip : g;
    }
    adam_step(&a->adam, a->parameter, a->gradient);
}

double tree_adpg_update(struct tree_adpg *a, const struct adpg_trajectory *t, uint32_t n)
{
    uint32_t agents = adpg_agents(t, n);
    double loss = 0, squares = 0;

    if (agents == 0)
        return 0;
    memset(a->gradient, 0, sizeof(a->gradient));
    a->rows.rows = 0;
    for (uint32_t i = 0; i < n; i++)
        if (t[i].steps >= 2)
            loss += add_agent(a, &t[i], 1.0 / agents, &squares);
    adjust_leaves(a);
    if (++a->updates % a->cfg.grow_every == 0 && a->shape.trees < a->cfg.tree.trees) {
        make_targets(a, squares);
        grow_tree(a);
    }
    return loss;
}

/* ---- conversion to integers ---- */

static int32_t to_integer(float u)
{
    float value = u * POLICY_RANGE * TREE_ONE;

    if (!(fabsf(value) < TREE_LEAF_MAX))
        return value < 0 ? -TREE_LEAF_MAX : TREE_LEAF_MAX;
    return (int32_t)(value + (value < 0 ? -0.5f : 0.5f));
}

void tree_adpg_forest(const struct tree_adpg *a, struct forest *f)
{
    *f = a->shape;
    f->base = TREE_ONE + to_integer(a->parameter[0]);
    for (uint32_t i = 0; i < f->trees; i++)
        for (uint32_t j = 0; j < 1u << f->tree[i].depth; j++)
            f->tree[i].leaf[j] = to_integer(a->parameter[leaf_place(i, j)]);
}

int64_t tree_adpg_mended(const struct tree_adpg *a, struct forest *f)
{
    tree_adpg_forest(a, f);
    return certify_mend(f, a->visits, MEND_STEPS);
}
