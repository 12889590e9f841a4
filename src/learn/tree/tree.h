/* src/learn/tree/tree.h - a policy small enough for a NIC: a sum of a few shallow trees, in integers.
 *
 * Trees are oblivious: all nodes of a level have the same split, "is feature f above t?". The answers, the
 * first level in the lowest bit, form the index of the leaf. A decision is thus a few comparisons, one lookup
 * per tree and a sum, without floating point, division, or data-dependent loops.
 *
 *   feature     of RL-CC, oldest first           as int16_t
 *   0           action before the last           (action - 1) * 4096
 *   1           delta before this one            delta * 256
 *   2           last action                      (action - 1) * 4096
 *   3           delta                            delta * 256
 *
 * Features saturate. Actions are multipliers of the rate. Leaves and their sum, the multiplier, are in units
 * of 1/65536. The sum is then clipped to [multiplier_min, multiplier_max], outside the trees.
 */
#ifndef LEARN_TREE_TREE_H
#define LEARN_TREE_TREE_H

#include <stdint.h>

#define TREE_FEATURES   4
#define TREE_DEPTH_MAX  4
#define TREE_LEAVES_MAX (1 << TREE_DEPTH_MAX)
#define TREE_TREES_MAX  16
#define TREE_LEAF_MAX   (1 << 20)            /* largest absolute value of a leaf: sums of 17 fit in 32 bits */

#define TREE_ONE        65536    /* a multiplier of 1 */
#define TREE_ACTION_ONE 4096
#define TREE_DELTA_ONE  256

enum tree_feature { TREE_ACTION_OLDER, TREE_DELTA_OLDER, TREE_ACTION, TREE_DELTA };

struct tree_split {
    int16_t threshold;
    uint8_t feature;
};

struct tree {
    uint32_t          depth;     /* 1 .. TREE_DEPTH_MAX */
    struct tree_split split[TREE_DEPTH_MAX];
    int32_t           leaf[TREE_LEAVES_MAX]; /* 1 << depth of them */
};

struct forest {
    uint32_t    trees;
    int32_t     base;            /* constant term */
    int32_t     multiplier_min, multiplier_max;
    struct tree tree[TREE_TREES_MAX];
};

/* Returns what is wrong with it, to follow "the forest ", or NULL. */
const char *forest_flaw(const struct forest *);

/* No trees, always 1; bounds are RL-CC's range of actions, [1/1.2, 1.2]. */
void forest_init(struct forest *);

/* Returns the index of the leaf of a state. */
uint32_t tree_leaf(const struct tree *, const int16_t x[TREE_FEATURES]);

/* The sum, unbounded and bounded. */
int32_t forest_sum(const struct forest *, const int16_t x[TREE_FEATURES]);
int32_t forest_multiplier(const struct forest *, const int16_t x[TREE_FEATURES]);

/* Converts numbers to features, rounded to nearest; NaN becomes 0. */
void    forest_features(const float x[TREE_FEATURES], int16_t feature[TREE_FEATURES]);
int16_t forest_action(int32_t multiplier);   /* the feature of a decision; rounds down */

#endif
