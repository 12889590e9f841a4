/* src/learn/tree/tree.h - a policy small enough for a NIC: a sum of a few shallow trees, in integers.
 *
 * A tree is oblivious: all nodes of a level ask the same question, "is feature f above t?", and the answers of
 * the levels, the first in the lowest bit, are the number of its leaf. So a decision is some comparisons, one
 * look-up per tree and a sum; there is no floating point, no division and no loop that depends on data.
 *
 *   feature     of RL-CC, oldest first           as int16_t
 *   0           action before the last           (action - 1) * 4096
 *   1           delta before this one            delta * 256
 *   2           last action                      (action - 1) * 4096
 *   3           delta                            delta * 256
 *
 * What does not fit becomes the nearest that does. Actions are multipliers of the rate. Leaves and their sum,
 * the multiplier, count 1/65536. The sum is then bounded, outside of the trees: whatever they say, a decision
 * stays within [multiplier_min, multiplier_max].
 */
#ifndef LEARN_TREE_TREE_H
#define LEARN_TREE_TREE_H

#include <stdint.h>

#define TREE_FEATURES   4
#define TREE_DEPTH_MAX  4
#define TREE_LEAVES_MAX (1 << TREE_DEPTH_MAX)
#define TREE_TREES_MAX  16
#define TREE_LEAF_MAX   (1 << 20)            /* of a leaf's size: 17 of them fit in 32 bits */

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
    int32_t     base;            /* what trees add to */
    int32_t     multiplier_min, multiplier_max;
    struct tree tree[TREE_TREES_MAX];
};

/* Returns what is wrong with it, in words to put behind "the forest ", or NULL. */
const char *forest_flaw(const struct forest *);

/* RL-CC's range of actions, [1/1.2, 1.2], and no trees: always 1. */
void forest_init(struct forest *);

/* The number of the leaf that a state is in. */
uint32_t tree_leaf(const struct tree *, const int16_t x[TREE_FEATURES]);

/* The sum as it is, and bounded. */
int32_t forest_sum(const struct forest *, const int16_t x[TREE_FEATURES]);
int32_t forest_multiplier(const struct forest *, const int16_t x[TREE_FEATURES]);

/* Features from numbers, to the nearest; NaN is 0. */
void    forest_features(const float x[TREE_FEATURES], int16_t feature[TREE_FEATURES]);
int16_t forest_action(int32_t multiplier);   /* what a decision is remembered as; rounds down */

#endif
