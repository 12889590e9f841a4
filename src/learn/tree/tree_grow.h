/* src/learn/tree/tree_grow.h - gradient boosting of oblivious trees.
 *
 * Each tree is fitted by least squares to the residuals of the previous ones. A level takes the split with
 * the largest gain, sum over leaves of S^2 / (n + l2), where S is the sum of residuals in a leaf of n rows.
 * Candidates are up to 254 borders per feature with about equal numbers of rows in between. A leaf is rate *
 * S / (n + l2). Residuals are integers, so the same rows give the same trees in any order and on any machine.
 *
 * Early trees are fitted without knowledge of later ones. Sweeps remove each tree and regrow it from the
 * residuals of all others. With the few trees that fit on a NIC, this is worth more than an additional tree.
 */
#ifndef LEARN_TREE_TREE_GROW_H
#define LEARN_TREE_TREE_GROW_H

#include "learn/tree/tree_rows.h"

#define TREE_BORDERS_MAX 254

struct tree_cfg {                /* 0: the default of RL-CC's authors in brackets */
    uint32_t trees;              /* [10] */
    uint32_t depth;              /* [4] */
    uint32_t borders;            /* [254] per feature */
    uint32_t sweeps;             /* [0] number of times each tree is regrown, if that is better */
    double   rate;               /* [1] learning rate */
    double   l2;                 /* [1] */
    double   weight[TREE_FEATURES];          /* [1, 1, 0.05, 1] factors of a split's gain; all 0: defaults */
};

/* Trees without gain are not grown, so there may be fewer. Needs at least one row. Returns the root mean
 * square of the residuals. Bounds are those of forest_init(). */
double forest_grow(struct forest *, const struct tree_cfg *, const struct tree_rows *);

#endif
