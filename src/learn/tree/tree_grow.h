/* src/learn/tree/tree_grow.h - boosted oblivious trees, from rows.
 *
 * Tree after tree is fitted to what those before it left over, by least squares. A level takes the question that
 * gains most, sum over leaves of S^2 / (n + l2), where S is what is left over in a leaf of n rows; candidates are
 * up to 254 borders per feature with about the same number of rows between them. A leaf is rate * S / (n + l2).
 * What is left over is counted in integers: the same rows give the same trees, in any order and on any machine.
 *
 * A tree grown first did not know of those after it. Sweeps take each tree out and grow it anew from what all the
 * others leave over; with as few trees as a NIC takes, that is worth more than the tree that one could add.
 */
#ifndef LEARN_TREE_TREE_GROW_H
#define LEARN_TREE_TREE_GROW_H

#include "learn/tree/tree_rows.h"

#define TREE_BORDERS_MAX 254

struct tree_cfg {                /* 0: the value in brackets, that of RL-CC's authors */
    uint32_t trees;              /* [10] */
    uint32_t depth;              /* [4] */
    uint32_t borders;            /* [254] per feature */
    uint32_t sweeps;             /* [0] times that each tree is grown anew, beside all others, if that is better */
    double   rate;               /* [1] of what a tree could mend it does mend */
    double   l2;                 /* [1] */
    double   weight[TREE_FEATURES];          /* [1, 1, 0.05, 1] of what a split gains; all 0: that */
};

/* Trees that gain nothing are not grown: there may be fewer. Needs at least one row. Returns the root mean
 * square of what is left over. Bounds are as forest_init() sets them. */
double forest_grow(struct forest *, const struct tree_cfg *, const struct tree_rows *);

#endif
