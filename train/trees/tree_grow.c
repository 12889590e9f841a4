#include "train/trees/tree_grow.h"
#include "base/err.h"
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

void tree_rows_init(struct tree_rows *r)
{
    *r = (struct tree_rows){ 0 };
}

void tree_rows_fini(struct tree_rows *r)
{
    free(r->row);
    *r = (struct tree_rows){ 0 };
}

static void add_row(struct tree_rows *r, const struct tree_row *row)
{
    r->row = xgrow(r->row, r->rows, &r->rows_max, 1024, sizeof(*row));
    r->row[r->rows++] = *row;
}

void tree_rows_add(struct tree_rows *r, const float x[TREE_FEATURES], float multiplier)
{
    struct tree_row row = { .target = (int32_t)(multiplier * TREE_TARGET_ONE) };

    assert(multiplier >= -8 && multiplier <= 8);
    forest_features(x, row.feature);
    add_row(r, &row);
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
        add_row(r, &other->row[i]);
}

void tree_rows_set_aside(struct tree_rows *r, struct tree_rows *aside, double share, uint64_t seed)
{
    uint32_t kept = 0;
    struct rng rng;

    rng_init(&rng, seed, 0);
    for (uint32_t i = 0; i < r->rows; i++)
        if (rng_real(&rng) < share)
            add_row(aside, &r->row[i]);
        else
            r->row[kept++] = r->row[i];
    r->rows = kept;
}

void tree_rows_count(const struct tree_rows *r, const struct forest *f,
                     uint32_t rows[TREE_TREES_MAX][TREE_LEAVES_MAX])
{
    memset(rows, 0, TREE_TREES_MAX * sizeof(*rows));
    for (uint32_t i = 0; i < r->rows; i++)
        for (uint32_t j = 0; j < f->trees; j++)
            rows[j][tree_leaf(&f->tree[j], r->row[i].feature)]++;
}

double tree_rows_rmse(const struct tree_rows *r, const struct forest *f)
{
    double sum = 0;

    for (uint32_t i = 0; i < r->rows; i++) {
        double away =
            r->row[i].target * (1.0 / TREE_TARGET_ONE) - forest_sum(f, r->row[i].feature) * (1.0 / TREE_ONE);

        sum += away * away;
    }
    return r->rows ? sqrt(sum / r->rows) : 0;
}

/* ---- growing ---- */

#define BINS  (TREE_BORDERS_MAX + 1)
#define NODES (TREE_LEAVES_MAX / 2)          /* nodes of the last level that is split */
#define VALUES (1 << 16)
#define UNIT  256                /* target units per leaf unit: TREE_TARGET_ONE / TREE_ONE */

_Static_assert(UNIT * TREE_ONE == TREE_TARGET_ONE, "leaves and targets count in powers of 2");

struct tree_bin { int64_t sum, rows; };

struct grower {
    struct tree_cfg         cfg;
    const struct tree_rows *rows;
    uint32_t                borders[TREE_FEATURES];
    int16_t                 border[TREE_FEATURES][TREE_BORDERS_MAX];
    uint8_t                *bin[TREE_FEATURES];          /* [rows]: number of borders below the feature */
    uint8_t                *node;            /* [rows]: answers so far */
    int32_t                *left;            /* [rows]: residual */
};

struct split_choice { double gain; uint32_t feature, border; };

static struct tree_cfg fill_defaults(const struct tree_cfg *given)
{
    static const double weight[TREE_FEATURES] = { 1, 1, 0.05, 1 };
    struct tree_cfg cfg = *given;
    double sum = 0;

    cfg.trees = cfg.trees ? cfg.trees : 10;
    cfg.depth = cfg.depth ? cfg.depth : TREE_DEPTH_MAX;
    cfg.rate = cfg.rate > 0 ? cfg.rate : 1;
    cfg.l2 = cfg.l2 > 0 ? cfg.l2 : 1;
    for (int i = 0; i < TREE_FEATURES; i++)
        sum += cfg.weight[i];
    if (sum == 0)
        memcpy(cfg.weight, weight, sizeof(weight));
    assert(cfg.trees <= TREE_TREES_MAX && cfg.depth <= TREE_DEPTH_MAX);
    return cfg;
}

/* ---- borders ---- */

/* Borders are halfway between adjacent values. If too many, they divide the rows about equally. */
static uint32_t place_borders(const uint32_t *count, uint32_t rows, int16_t *border)
{
    uint32_t borders = 0, distinct = 0;
    uint64_t below = 0;
    int before = -1;

    for (int v = 0; v < VALUES; v++)
        distinct += count[v] > 0;
    for (int v = 0; v < VALUES; v++) {
        uint64_t due = (uint64_t)(borders + 1) * rows;

        if (!count[v])
            continue;
        if (before >= 0 && borders < TREE_BORDERS_MAX && (distinct <= BINS || below * BINS >= due))
            border[borders++] = (int16_t)((before + v) / 2 + INT16_MIN);
        below += count[v];
        before = v;
    }
    return borders;
}

/* For each possible value of a feature: the number of borders below it. */
static void number_values(const int16_t *border, uint32_t borders, uint8_t *number)
{
    uint32_t n = 0;

    for (int v = 0; v < VALUES; v++) {
        while (n < borders && v + INT16_MIN > border[n])
            n++;
        number[v] = (uint8_t)n;
    }
}

static void sort_into_bins(struct grower *g, int feature)
{
    uint32_t *count = xcalloc(VALUES, sizeof(*count)), rows = g->rows->rows;
    uint8_t *number = xcalloc(VALUES, sizeof(*number));

    for (uint32_t i = 0; i < rows; i++)
        count[g->rows->row[i].feature[feature] - INT16_MIN]++;
    g->borders[feature] = place_borders(count, rows, g->border[feature]);
    number_values(g->border[feature], g->borders[feature], number);
    g->bin[feature] = xmalloc(rows);
    for (uint32_t i = 0; i < rows; i++)
        g->bin[feature][i] = number[g->rows->row[i].feature[feature] - INT16_MIN];
    free(count);
    free(number);
}

/* ---- one tree ---- */

static void fill_bins(const struct grower *g, int feature, struct tree_bin bin[NODES][BINS])
{
    const uint8_t *number = g->bin[feature];

    memset(bin, 0, NODES * sizeof(*bin));
    for (uint32_t i = 0; i < g->rows->rows; i++) {
        struct tree_bin *b = &bin[g->node[i]][number[i]];

        b->sum += g->left[i];
        b->rows++;
    }
}

static double bin_worth(const struct tree_bin *b, double l2)
{
    double sum = (double)b->sum;

    return sum * sum / ((double)b->rows + l2);
}

/* Adds the gain of each border of a feature: worth of both sides minus that of the whole, over all nodes. */
static void add_gains(const struct tree_bin *bin, uint32_t borders, double l2, double *gain)
{
    struct tree_bin all = { 0 }, low = { 0 };

    for (uint32_t i = 0; i <= borders; i++) {
        all.sum += bin[i].sum;
        all.rows += bin[i].rows;
    }
    for (uint32_t i = 0; i < borders; i++) {
        low.sum += bin[i].sum;
        low.rows += bin[i].rows;
        struct tree_bin high = (struct tree_bin){ all.sum - low.sum, all.rows - low.rows };
        gain[i] += bin_worth(&low, l2) + bin_worth(&high, l2) - bin_worth(&all, l2);
    }
}

static void try_feature(const struct grower *g, uint32_t feature, uint32_t nodes, struct split_choice *best)
{
    static _Thread_local struct tree_bin bin[NODES][BINS];
    double gain[TREE_BORDERS_MAX] = { 0 };

    if (g->borders[feature] == 0)
        return;
    fill_bins(g, (int)feature, bin);
    for (uint32_t n = 0; n < nodes; n++)
        add_gains(bin[n], g->borders[feature], g->cfg.l2, gain);
    for (uint32_t i = 0; i < g->borders[feature]; i++)
        if (gain[i] * g->cfg.weight[feature] > best->gain)
            *best = (struct split_choice){ gain[i] * g->cfg.weight[feature], feature, i };
}

/* Adds a level. Returns false if no split has a gain. */
static bool split_level(struct grower *g, struct tree *t)
{
    struct split_choice best = { 0 };

    for (uint32_t f = 0; f < TREE_FEATURES; f++)
        try_feature(g, f, 1u << t->depth, &best);
    if (best.gain <= 0)
        return false;
    for (uint32_t i = 0; i < g->rows->rows; i++)
        g->node[i] |= (uint8_t)((g->bin[best.feature][i] > best.border) << t->depth);
    t->split[t->depth++] = (struct tree_split){ g->border[best.feature][best.border], (uint8_t)best.feature };
    return true;
}

static int32_t round_leaf(double value)
{
    double bounded = value > TREE_LEAF_MAX ? TREE_LEAF_MAX : value < -TREE_LEAF_MAX ? -TREE_LEAF_MAX : value;

    return (int32_t)(bounded + (bounded < 0 ? -0.5 : 0.5));
}

/* Subtracts the leaves times 'sign' from the residuals of rows with known nodes. */
static void subtract_leaves(struct grower *g, const struct tree *t, int32_t sign)
{
    for (uint32_t i = 0; i < g->rows->rows; i++)
        g->left[i] -= sign * t->leaf[g->node[i]] * UNIT;
}

static bool grow_tree(struct grower *g, struct tree *t)
{
    *t = (struct tree){ 0 };
    memset(g->node, 0, g->rows->rows);
    while (t->depth < g->cfg.depth && split_level(g, t))
        ;
    if (t->depth == 0)
        return false;
    struct tree_bin leaf[TREE_LEAVES_MAX] = { { 0, 0 } };
    for (uint32_t i = 0; i < g->rows->rows; i++) {
        leaf[g->node[i]].sum += g->left[i];
        leaf[g->node[i]].rows++;
    }
    for (uint32_t i = 0; i < 1u << t->depth; i++)
        t->leaf[i] =
            round_leaf(g->cfg.rate * (double)leaf[i].sum / ((double)leaf[i].rows + g->cfg.l2) / UNIT);
    subtract_leaves(g, t, 1);
    return true;
}

/* ---- regrow a tree ---- */

/* Finds the leaf of each row. */
static void find_nodes(struct grower *g, const struct tree *t)
{
    for (uint32_t i = 0; i < g->rows->rows; i++)
        g->node[i] = (uint8_t)tree_leaf(t, g->rows->row[i].feature);
}

/* Sum of squared residuals; 128 bits suffice for any number of rows. */
static unsigned __int128 sum_squares(const struct grower *g)
{
    unsigned __int128 sum = 0;

    for (uint32_t i = 0; i < g->rows->rows; i++)
        sum += (uint64_t)((int64_t)g->left[i] * g->left[i]);
    return sum;
}

/* Returns true if the tree has changed. */
static bool regrow_tree(struct grower *g, struct tree *t)
{
    unsigned __int128 before = sum_squares(g);
    struct tree old = *t;

    find_nodes(g, &old);
    subtract_leaves(g, &old, -1);
    bool is_grown = grow_tree(g, t);
    if (is_grown && sum_squares(g) < before)
        return true;
    if (is_grown)
        subtract_leaves(g, t, -1);
    *t = old;
    find_nodes(g, &old);
    subtract_leaves(g, &old, 1);
    return false;
}

static void sweep_forest(struct grower *g, struct forest *f)
{
    bool is_better = true;

    for (uint32_t i = 0; i < g->cfg.sweeps && is_better; i++) {
        is_better = false;
        for (uint32_t j = 0; j < f->trees; j++)
            is_better |= regrow_tree(g, &f->tree[j]);
    }
}

/* ---- all trees ---- */

static int32_t find_base(const struct tree_rows *r)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < r->rows; i++)
        sum += r->row[i].target;
    return round_leaf((double)sum / r->rows / UNIT);
}

static void grower_init(struct grower *g, const struct tree_cfg *cfg, const struct tree_rows *rows,
                        int32_t base)
{
    *g = (struct grower){ .cfg = fill_defaults(cfg), .rows = rows };
    for (int f = 0; f < TREE_FEATURES; f++)
        sort_into_bins(g, f);
    g->node = xmalloc(rows->rows);
    g->left = xcalloc(rows->rows, sizeof(*g->left));
    for (uint32_t i = 0; i < rows->rows; i++)
        g->left[i] = rows->row[i].target - base * UNIT;
}

static void grower_fini(struct grower *g)
{
    for (int f = 0; f < TREE_FEATURES; f++)
        free(g->bin[f]);
    free(g->node);
    free(g->left);
}

double forest_grow(struct forest *f, const struct tree_cfg *cfg, const struct tree_rows *rows)
{
    struct grower g;

    assert(rows->rows > 0);
    forest_init(f);
    f->base = find_base(rows);
    grower_init(&g, cfg, rows, f->base);
    while (f->trees < g.cfg.trees && grow_tree(&g, &f->tree[f->trees]))
        f->trees++;
    sweep_forest(&g, f);
    grower_fini(&g);
    return tree_rows_rmse(rows, f);
}

