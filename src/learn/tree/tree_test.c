#include "learn/tree/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Tree 1: delta > 100, then older delta > -5. Tree 2: action > 7. */
static void make_forest(struct forest *f)
{
    forest_init(f);
    f->trees = 2;
    f->tree[0] = (struct tree){ 2, { { 100, TREE_DELTA }, { -5, TREE_DELTA_OLDER } }, { 10, 20, 40, 80 } };
    f->tree[1] = (struct tree){ 1, { { 7, TREE_ACTION } }, { 1000, 30000 } };
}

static void sum__by_hand(void **unused)
{
    static const struct { int16_t x[4]; int32_t sum; } row[] = {
        /* a value equal to the threshold is not above it */
        { { 0, -5, 7, 100 }, 65536 + 10 + 1000 },
        { { 0, -5, 7, 101 }, 65536 + 20 + 1000 },
        { { 0, -4, 7, 100 }, 65536 + 40 + 1000 },
        { { 0, -4, 8, 101 }, 65536 + 80 + 30000 },
        { { 0, INT16_MAX, INT16_MIN, INT16_MAX }, 65536 + 80 + 1000 },
    };
    struct forest f;

    (void)unused;
    make_forest(&f);
    for (uint32_t i = 0; i < sizeof(row) / sizeof(*row); i++)
        assert_int_equal(row[i].sum, forest_sum(&f, row[i].x));
}

static void multiplier__stays_within_the_bounds(void **unused)
{
    static const int16_t up[] = { 0, 0, 8, 0 };
    struct forest f;

    (void)unused;
    make_forest(&f);
    assert_int_equal(54613, f.multiplier_min);   /* 65536 / 1.2 */
    assert_int_equal(78643, f.multiplier_max);
    assert_int_equal(78643, forest_multiplier(&f, up));
    f.base = -5;
    assert_int_equal(54613, forest_multiplier(&f, up));
}

static void flaw__names_what_is_wrong(void **unused)
{
    struct forest f;

    (void)unused;
    make_forest(&f);
    assert_null(forest_flaw(&f));
    f.trees = TREE_TREES_MAX + 1;
    assert_string_equal("has too many trees", forest_flaw(&f));
    make_forest(&f);
    f.tree[1].depth = 0;
    assert_string_equal("has a tree without splits or with too many", forest_flaw(&f));
    make_forest(&f);
    f.tree[1].split[0].feature = 4;
    assert_string_equal("asks for a feature that is not there", forest_flaw(&f));
    make_forest(&f);
    f.tree[0].leaf[3] = -TREE_LEAF_MAX - 1;
    assert_string_equal("has a leaf out of range", forest_flaw(&f));
    make_forest(&f);
    f.base = TREE_LEAF_MAX + 1;
    assert_string_equal("has a base out of range", forest_flaw(&f));
    make_forest(&f);
    f.multiplier_min = TREE_ONE + 1;
    assert_string_equal("has bounds that are not on both sides of 1", forest_flaw(&f));
}

static void features__round_and_saturate(void **unused)
{
    static const struct { float x[4]; int16_t want[4]; } row[] = {
        { { 1, 0, 1, 0 }, { 0, 0, 0, 0 } },
        { { 1.2f, -0.8f, 1 / 1.2f, 0.064f }, { 819, -205, -683, 16 } },
        { { 1, 127.99f, 1, -128 }, { 0, 32765, 0, -32768 } },
        { { 1, 1e30f, 1, -1e30f }, { 0, 32767, 0, -32768 } },
        { { NAN, INFINITY, 0, -INFINITY }, { 0, 32767, -4096, -32768 } },
    };
    int16_t x[4];

    (void)unused;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        forest_features(row[i].x, x);
        assert_memory_equal(row[i].want, x, sizeof(x));
    }
}

static void action__matches_the_feature(void **unused)
{
    (void)unused;
    assert_int_equal(0, forest_action(TREE_ONE));
    assert_int_equal(-683, forest_action(54613));
    assert_int_equal(819, forest_action(78643));
    assert_int_equal(-1, forest_action(TREE_ONE - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flaw__names_what_is_wrong),
        cmocka_unit_test(sum__by_hand),
        cmocka_unit_test(multiplier__stays_within_the_bounds),
        cmocka_unit_test(features__round_and_saturate),
        cmocka_unit_test(action__matches_the_feature),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
