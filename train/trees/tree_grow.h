/* train/trees/tree_grow.h - gradient boosting of oblivious trees.
 *
 * Each tree is fitted by least squares to the residuals of the previous ones. A level takes the split with
 * the largest gain, sum over leaves of S^2 / (n + l2), where S is the sum of residuals in a leaf of n rows.
 * Candidates are up to 254 borders per feature with about equal numbers of rows in between. A leaf is rate *
 * S / (n + l2). Residuals are integers, so the same rows give the same trees in any order and on any machine.
 *
 * Early trees are fitted without knowledge of later ones. Sweeps remove each tree and regrow it from the
 * residuals of all others. With the few trees that fit on a NIC, this is worth more than an additional tree.
 */
#ifndef TRAIN_TREES_TREE_GROW_H
#define TRAIN_TREES_TREE_GROW_H

#include "base/nets/tree/tree.h"

#include <stddef.h>

#define TREE_TARGET_ONE (1 << 24)            /* a multiplier of 1 as a target */

/* States and a teacher's actions. Integers: sums over rows are exact and independent of order. */
struct tree_row { int16_t feature[TREE_FEATURES]; int32_t target; };

struct tree_rows {
    uint32_t         rows, rows_max;
    struct tree_row *row;
};

/* A teacher returns a multiplier. */
typedef float tree_teacher(const void *teacher, const float x[TREE_FEATURES]);

/* A grid of states, as used by RL-CC's authors. Each action takes 'actions' values in [0.8, 1.2]; each delta
 * takes 'deltas' values, half in [-edge, edge], half up to 100 edge. With all combinations there are (actions
 * * deltas)^2 rows. */
struct tree_grid {
    uint32_t actions, deltas;    /* at least 2 and 4 */
    double   edge;               /* of delta; 0: 0.768 */
};

void tree_rows_init(struct tree_rows *);
void tree_rows_fini(struct tree_rows *);
void tree_rows_add(struct tree_rows *, const float x[TREE_FEATURES], float multiplier);

/* Adds all states of the grid with the teacher's actions. */
void tree_rows_add_grid(struct tree_rows *, const struct tree_grid *, tree_teacher *, const void *teacher);

/* Adds copies of all rows of another. */
void tree_rows_append(struct tree_rows *, const struct tree_rows *other);

/* Moves a random share of the rows to 'aside', which must be empty. */
void tree_rows_set_aside(struct tree_rows *, struct tree_rows *aside, double share, uint64_t seed);

/* Counts the rows in each leaf of each tree. */
void tree_rows_count(const struct tree_rows *, const struct forest *,
                     uint32_t rows[TREE_TREES_MAX][TREE_LEAVES_MAX]);

/* Root mean square difference between an unbounded forest and the targets, in multipliers. */
double tree_rows_rmse(const struct tree_rows *, const struct forest *);

#define TREE_BORDERS_MAX 254

struct tree_cfg {                /* 0: the default of RL-CC's authors in brackets */
    uint32_t trees;              /* [10] */
    uint32_t depth;              /* [4] */
    uint32_t sweeps;             /* [0] number of times each tree is regrown, if that is better */
    double   rate;               /* [1] learning rate */
    double   l2;                 /* [1] */
    double   weight[TREE_FEATURES];          /* [1, 1, 0.05, 1] factors of a split's gain; all 0: defaults */
};

/* Trees without gain are not grown, so there may be fewer. Needs at least one row. Returns the root mean
 * square of the residuals. Bounds are those of forest_init(). */
double forest_grow(struct forest *, const struct tree_cfg *, const struct tree_rows *);

#endif
