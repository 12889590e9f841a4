/* src/learn/tree/tree_rows.h - training data for trees: states and a teacher's actions in them. */
#ifndef LEARN_TREE_TREE_ROWS_H
#define LEARN_TREE_TREE_ROWS_H

#include "learn/tree/tree.h"

#include <stddef.h>

#define TREE_TARGET_ONE (1 << 24)            /* a multiplier of 1 as a target */

/* Integers, so that sums over rows are exact and independent of order. */
struct tree_rows {
    uint32_t rows, rows_max;
    int16_t (*feature)[TREE_FEATURES];
    int32_t *target;
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

#endif
