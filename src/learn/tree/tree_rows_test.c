#include "learn/tree/tree_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static float sum_features(const void *unused, const float x[TREE_FEATURES])
{
    (void)unused;
    return (x[0] + x[2] + (x[1] + x[3]) / 256) / 2;
}

static void add_grid__has_all_states_once(void **unused)
{
    const struct tree_grid grid = { .actions = 3, .deltas = 6, .edge = 0.5 };
    static const int16_t action[] = { -819, 0, 819 }, delta[] = { -128, 0, 128, 4352, 8576, 12800 };
    uint8_t seen[3][6][3][6] = { { { { 0 } } } };
    struct tree_rows r;

    (void)unused;
    tree_rows_init(&r);
    tree_rows_add_grid(&r, &grid, sum_features, NULL);
    assert_int_equal(324, r.rows);
    for (uint32_t i = 0; i < r.rows; i++) {
        uint32_t at[4] = { 0 };

        for (uint32_t f = 0; f < 4; f++)
            while (r.feature[i][f] != (f % 2 ? delta[at[f]] : action[at[f]]))
                assert_true(++at[f] < (f % 2 ? 6 : 3));
        seen[at[0]][at[1]][at[2]][at[3]]++;
    }
    for (uint32_t i = 0; i < 324; i++)
        assert_int_equal(1, ((uint8_t *)seen)[i]);
    tree_rows_fini(&r);
}

/* Half of the deltas are near 0, half between the edge and a hundred times the edge, 0.768 by default. */
static void add_grid__has_the_published_ranges(void **unused)
{
    const struct tree_grid grid = { .actions = 2, .deltas = 20 };
    int low = 0, high = 0, near = 0;
    struct tree_rows r;

    (void)unused;
    tree_rows_init(&r);
    tree_rows_add_grid(&r, &grid, sum_features, NULL);
    for (uint32_t i = 0; i < r.rows; i++) {
        low = r.feature[i][3] < low ? r.feature[i][3] : low;
        high = r.feature[i][3] > high ? r.feature[i][3] : high;
        near += r.feature[i][3] <= 197;
    }
    assert_int_equal(-197, low);                 /* 0.768 * 256 = 196.6 */
    assert_int_equal(19661, high);
    assert_int_equal(r.rows / 2, near);
    tree_rows_fini(&r);
}

static void set_aside__keeps_every_row_on_one_side(void **unused)
{
    struct tree_rows r, aside;
    int64_t sum = 0;

    (void)unused;
    tree_rows_init(&r);
    tree_rows_init(&aside);
    for (int i = 0; i < 10000; i++)
        tree_rows_add(&r, (float[]){ 1, (float)i / 256, 1, 0 }, (float)i / 65536);
    tree_rows_set_aside(&r, &aside, 0.2, 7);
    assert_int_equal(10000, r.rows + aside.rows);
    assert_true(aside.rows > 1800 && aside.rows < 2200);
    for (uint32_t i = 0; i < r.rows; i++) {
        assert_int_equal(r.feature[i][1] * 256, r.target[i]);
        sum += r.feature[i][1];
    }
    for (uint32_t i = 0; i < aside.rows; i++)
        sum += aside.feature[i][1];
    assert_int_equal(10000 * 9999 / 2, sum);
    tree_rows_fini(&r);
    tree_rows_fini(&aside);
}

static void rmse__by_hand(void **unused)
{
    struct tree_rows r;
    struct forest f;

    (void)unused;
    forest_init(&f);
    tree_rows_init(&r);
    assert_true(tree_rows_rmse(&r, &f) == 0);
    tree_rows_add(&r, (float[]){ 1, 0, 1, 0 }, 1.5f);
    tree_rows_add(&r, (float[]){ 1, 0, 1, 0 }, 1);
    assert_true(fabs(tree_rows_rmse(&r, &f) - sqrt(0.125)) < 1e-12);
    tree_rows_fini(&r);
}

static void count__by_hand(void **unused)
{
    uint32_t rows[TREE_TREES_MAX][TREE_LEAVES_MAX];
    struct tree_rows r;
    struct forest f;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] = (struct tree){ 2, { { 0, TREE_DELTA }, { 0, TREE_DELTA_OLDER } }, { 0 } };
    tree_rows_init(&r);
    for (int i = 0; i < 5; i++)
        tree_rows_add(&r, (float[]){ 1, i == 4, 1, i > 1 }, 1);
    tree_rows_count(&r, &f, rows);
    assert_memory_equal(((uint32_t[]){ 2, 2, 0, 1, 0 }), rows[0], 5 * sizeof(uint32_t));
    assert_int_equal(0, rows[1][0]);
    tree_rows_fini(&r);
}

static void append__copies_all(void **unused)
{
    struct tree_rows a, b;

    (void)unused;
    tree_rows_init(&a);
    tree_rows_init(&b);
    tree_rows_add(&a, (float[]){ 1, 2, 1, 3 }, 1.5f);
    tree_rows_add(&b, (float[]){ 1, 4, 1, 5 }, 0.5f);
    tree_rows_append(&a, &b);
    assert_int_equal(2, a.rows);
    assert_int_equal(1, b.rows);
    assert_int_equal(5 * TREE_DELTA_ONE, a.feature[1][TREE_DELTA]);
    assert_int_equal(TREE_TARGET_ONE / 2, a.target[1]);
    tree_rows_fini(&a);
    tree_rows_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_grid__has_all_states_once),
        cmocka_unit_test(add_grid__has_the_published_ranges),
        cmocka_unit_test(set_aside__keeps_every_row_on_one_side),
        cmocka_unit_test(rmse__by_hand),
        cmocka_unit_test(count__by_hand),
        cmocka_unit_test(append__copies_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
