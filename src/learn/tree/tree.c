/* src/learn/tree/tree.c - evaluation of trees. */
#include "learn/tree/tree.h"

#include <stddef.h>

static const char *tree_flaw(const struct tree *t)
{
    if (t->depth < 1 || t->depth > TREE_DEPTH_MAX)
        return "has a tree without splits or with too many";
    for (uint32_t i = 0; i < t->depth; i++)
        if (t->split[i].feature >= TREE_FEATURES)
            return "asks for a feature that is not there";
    for (uint32_t i = 0; i < 1u << t->depth; i++)
        if (t->leaf[i] < -TREE_LEAF_MAX || t->leaf[i] > TREE_LEAF_MAX)
            return "has a leaf out of range";
    return NULL;
}

const char *forest_flaw(const struct forest *f)
{
    const char *flaw = NULL;

    if (f->trees > TREE_TREES_MAX)
        return "has too many trees";
    if (f->base < -TREE_LEAF_MAX || f->base > TREE_LEAF_MAX)
        return "has a base out of range";
    if (f->multiplier_min < 1 || f->multiplier_min > TREE_ONE || f->multiplier_max < TREE_ONE
        || f->multiplier_max > 2 * TREE_ONE)
        return "has bounds that are not on both sides of 1";
    for (uint32_t i = 0; !flaw && i < f->trees; i++)
        flaw = tree_flaw(&f->tree[i]);
    return flaw;
}

void forest_init(struct forest *f)
{
    *f = (struct forest){ .base = TREE_ONE, .multiplier_min = TREE_ONE * 5 / 6,
                          .multiplier_max = TREE_ONE * 6 / 5 };
}

uint32_t tree_leaf(const struct tree *t, const int16_t x[TREE_FEATURES])
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < t->depth; i++)
        number |= (uint32_t)(x[t->split[i].feature] > t->split[i].threshold) << i;
    return number;
}

int32_t forest_sum(const struct forest *f, const int16_t x[TREE_FEATURES])
{
    int32_t sum = f->base;

    for (uint32_t i = 0; i < f->trees; i++)
        sum += f->tree[i].leaf[tree_leaf(&f->tree[i], x)];
    return sum;
}

int32_t forest_multiplier(const struct forest *f, const int16_t x[TREE_FEATURES])
{
    int32_t sum = forest_sum(f, x);

    return sum < f->multiplier_min ? f->multiplier_min : sum > f->multiplier_max ? f->multiplier_max : sum;
}

static int16_t round_feature(float value)
{
    if (!(value > INT16_MIN))
        return value <= INT16_MIN ? INT16_MIN : 0;
    if (value >= INT16_MAX)
        return INT16_MAX;
    return (int16_t)(value + (value < 0 ? -0.5f : 0.5f));
}

void forest_features(const float x[TREE_FEATURES], int16_t feature[TREE_FEATURES])
{
    feature[TREE_ACTION_OLDER] = round_feature((x[TREE_ACTION_OLDER] - 1) * TREE_ACTION_ONE);
    feature[TREE_DELTA_OLDER] = round_feature(x[TREE_DELTA_OLDER] * TREE_DELTA_ONE);
    feature[TREE_ACTION] = round_feature((x[TREE_ACTION] - 1) * TREE_ACTION_ONE);
    feature[TREE_DELTA] = round_feature(x[TREE_DELTA] * TREE_DELTA_ONE);
}

int16_t forest_action(int32_t multiplier)
{
    return (int16_t)((multiplier - TREE_ONE) >> 4);
}
