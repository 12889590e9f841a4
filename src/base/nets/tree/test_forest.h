/* src/base/nets/tree/test_forest.h - random forests for tests. */
#ifndef BASE_NETS_TREE_TEST_FOREST_H
#define BASE_NETS_TREE_TEST_FOREST_H

#include "base/rng.h"
#include "base/nets/tree/tree.h"

/* Thresholds are in [-span, span], leaves in [-leaf, leaf]. */
static inline void test_forest_draw(struct forest *f, uint32_t trees, uint32_t span, uint32_t leaf,
                                    struct rng *rng)
{
    forest_init(f);
    f->trees = trees;
    for (uint32_t i = 0; i < trees; i++) {
        struct tree *t = &f->tree[i];

        t->depth = 1 + (uint32_t)rng_below(rng, TREE_DEPTH_MAX);
        for (uint32_t j = 0; j < t->depth; j++)
            t->split[j] = (struct tree_split){ (int16_t)((int)rng_below(rng, 2 * span + 1) - (int)span),
                                               (uint8_t)rng_below(rng, TREE_FEATURES) };
        for (uint32_t j = 0; j < 1u << t->depth; j++)
            t->leaf[j] = (int32_t)rng_below(rng, 2 * leaf + 1) - (int32_t)leaf;
    }
}

/* Draws a state, often near the thresholds. Actions are in the range that a flow can have. */
static inline void test_state_draw(int16_t x[TREE_FEATURES], uint32_t span, struct rng *rng)
{
    for (int i = 0; i < TREE_FEATURES; i++) {
        uint32_t wide = i % 2 == 0 ? 683 : rng_below(rng, 4) ? span + 2 : 32767;

        x[i] = (int16_t)((int)rng_below(rng, 2 * wide + 1) - (int)wide);
    }
}

#endif
