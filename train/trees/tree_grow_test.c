/* train/trees/tree_grow_test.c - rows with known best trees, and exhaustive search of splits. */
#include "train/trees/tree_grow.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static const struct tree_cfg even = { .trees = 1, .depth = 1, .l2 = 1e-9, .weight = { 1, 1, 1, 1 } };

static void add_row(struct tree_rows *r, int a, int b, int c, int d, double target)
{
    float x[] = { 1 + (float)a / TREE_ACTION_ONE, (float)b / TREE_DELTA_ONE, 1 + (float)c / TREE_ACTION_ONE,
                  (float)d / TREE_DELTA_ONE };

    tree_rows_add(r, x, (float)target);
}

/* A step between delta 10 and 20: the border is halfway, and each side gets its mean. */
static void grow__finds_a_step(void **unused)
{
    struct tree_rows r;
    struct forest f;

    (void)unused;
    tree_rows_init(&r);
    for (int i = 0; i < 100; i++)
        add_row(&r, i % 7, i % 5, i % 3, i % 2 ? 20 : 10, i % 2 ? 0.9 : 1.1);
    assert_true(forest_grow(&f, &even, &r) < 1e-4);
    assert_int_equal(1, f.trees);
    assert_int_equal(1, f.tree[0].depth);
    assert_int_equal(TREE_DELTA, f.tree[0].split[0].feature);
    assert_int_equal(15, f.tree[0].split[0].threshold);
    assert_int_equal(72090, f.base + f.tree[0].leaf[0]);     /* 1.1 * 65536 = 72089.6 */
    assert_int_equal(58982, f.base + f.tree[0].leaf[1]);     /* 0.9 * 65536 = 58982.4 */
    tree_rows_fini(&r);
}

/* Sixteen corners with arbitrary values fit one tree of depth 4 exactly. */
static void grow__fits_any_function_of_four_questions(void **unused)
{
    struct tree_cfg cfg = { .trees = 3, .l2 = 1e-9, .weight = { 1, 1, 1, 1 } };
    struct tree_rows r;
    struct forest f;

    (void)unused;
    tree_rows_init(&r);
    for (int i = 0; i < 16; i++)
        add_row(&r, i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, 0.8 + 0.01 * (i * i % 17));
    assert_true(forest_grow(&f, &cfg, &r) < 1.0 / TREE_ONE);
    assert_int_equal(4, f.tree[0].depth);
    tree_rows_fini(&r);
}

static void grow__stops_when_nothing_is_left(void **unused)
{
    struct tree_rows r;
    struct forest f;

    (void)unused;
    tree_rows_init(&r);
    for (int i = 0; i < 10; i++)
        add_row(&r, i, i, i, i, 0.75);
    assert_true(forest_grow(&f, &even, &r) == 0);
    assert_int_equal(0, f.trees);
    assert_int_equal(49152, f.base);
    tree_rows_fini(&r);
}

/* Leaves shrink by n / (n + l2), and by the rate. */
static void grow__shrinks_leaves(void **unused)
{
    struct tree_cfg cfg = { .trees = 1, .depth = 1, .l2 = 10, .rate = 0.5, .weight = { 1, 1, 1, 1 } };
    struct tree_rows r;
    struct forest f;

    (void)unused;
    tree_rows_init(&r);
    for (int i = 0; i < 20; i++)
        add_row(&r, 0, 0, 0, i % 2, i % 2 ? 1.25 : 0.75);
    forest_grow(&f, &cfg, &r);
    assert_int_equal(65536, f.base);
    assert_int_equal(-4096, f.tree[0].leaf[0]);              /* 0.5 * 10 / 20 * -0.25 * 65536 */
    assert_int_equal(4096, f.tree[0].leaf[1]);
    tree_rows_fini(&r);
}

/* Two equivalent features: the weight decides. */
static void grow__prefers_the_feature_with_more_weight(void **unused)
{
    struct tree_cfg cfg = even;
    struct tree_rows r;
    struct forest f;

    (void)unused;
    tree_rows_init(&r);
    for (int i = 0; i < 20; i++)
        add_row(&r, 0, 0, i % 2, i % 2, i % 2);
    forest_grow(&f, &cfg, &r);
    assert_int_equal(TREE_ACTION, f.tree[0].split[0].feature);       /* the first of equals */
    memset(cfg.weight, 0, sizeof(cfg.weight));
    forest_grow(&f, &cfg, &r);                               /* default weight 0.05 for the last action */
    assert_int_equal(TREE_DELTA, f.tree[0].split[0].feature);
    tree_rows_fini(&r);
}

static void draw_rows(struct tree_rows *r, uint32_t rows, struct rng *rng)
{
    for (uint32_t i = 0; i < rows; i++) {
        int x[4];

        for (int j = 0; j < 4; j++)
            x[j] = (int)rng_below(rng, 400) - 200;
        add_row(r, x[0], x[1], x[2], x[3],
                1 + 0.2 * tanh(x[3] * 0.01 - x[1] * 0.004 + x[0] * 1e-4) * rng_real(rng));
    }
}

/* Sum of squares after splitting the rows at one threshold, in double from the targets. */
static double squares_after_split(const struct tree_rows *r, int feature, int threshold)
{
    double sum[2] = { 0 }, square = 0, rows[2] = { 0 };

    for (uint32_t i = 0; i < r->rows; i++) {
        int side = r->row[i].feature[feature] > threshold;
        double target = r->row[i].target;

        sum[side] += target;
        rows[side]++;
        square += target * target;
    }
    for (int i = 0; i < 2; i++)
        square -= rows[i] > 0 ? sum[i] * sum[i] / rows[i] : 0;
    return square;
}

static void grow__takes_the_best_of_all_splits(void **unused)
{
    struct rng rng;

    (void)unused;
    rng_init(&rng, 5, 0);
    for (int round = 0; round < 20; round++) {
        double best = INFINITY, is;
        struct tree_rows r;
        struct forest f;

        tree_rows_init(&r);
        draw_rows(&r, 60, &rng);             /* fewer values than borders: all thresholds are candidates */
        forest_grow(&f, &even, &r);
        for (int feature = 0; feature < 4; feature++)
            for (int t = -200; t < 200; t++)
                best = fmin(best, squares_after_split(&r, feature, t));
        is = squares_after_split(&r, f.tree[0].split[0].feature, f.tree[0].split[0].threshold);
        assert_true(is <= best * (1 + 1e-9) + 1);
        tree_rows_fini(&r);
    }
}

static void grow__does_not_depend_on_the_order_of_rows(void **unused)
{
    struct tree_cfg cfg = { 0 };
    struct tree_rows r, turned;
    struct forest a, b;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 6, 0);
    tree_rows_init(&r);
    draw_rows(&r, 5000, &rng);
    tree_rows_init(&turned);
    tree_rows_set_aside(&r, &turned, 0, 1);
    forest_grow(&a, &cfg, &r);
    for (uint32_t i = 0; i < r.rows / 2; i++) {
        uint32_t j = r.rows - 1 - i;
        struct tree_row row = r.row[i];

        r.row[i] = r.row[j];
        r.row[j] = row;
    }
    forest_grow(&b, &cfg, &r);
    assert_memory_equal(&a, &b, sizeof(a));
    assert_int_equal(10, a.trees);
    assert_null(forest_flaw(&a));
    tree_rows_fini(&r);
    tree_rows_fini(&turned);
}

static void grow__residual_falls_with_every_tree(void **unused)
{
    struct tree_cfg cfg = { 0 };
    double before = INFINITY;
    struct tree_rows r;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 7, 0);
    tree_rows_init(&r);
    draw_rows(&r, 3000, &rng);
    for (cfg.trees = 1; cfg.trees <= 10; cfg.trees++) {
        struct forest f;
        double rmse = forest_grow(&f, &cfg, &r);

        assert_true(rmse < before);
        before = rmse;
    }
    tree_rows_fini(&r);
}

/* Every change of a sweep lowers the residual, and the returned residual is correct. */
static void grow__residual_falls_with_every_sweep(void **unused)
{
    struct tree_cfg cfg = { .trees = 5 };
    struct tree_rows r;
    struct forest f;
    struct rng rng;
    double first, before;

    (void)unused;
    rng_init(&rng, 8, 0);
    tree_rows_init(&r);
    draw_rows(&r, 3000, &rng);
    first = before = forest_grow(&f, &cfg, &r);
    for (cfg.sweeps = 1; cfg.sweeps <= 6; cfg.sweeps++) {
        double rmse = forest_grow(&f, &cfg, &r);

        assert_true(rmse <= before);
        assert_null(forest_flaw(&f));
        before = rmse;
    }
    assert_true(before < 0.99 * first);
    tree_rows_fini(&r);
}

/* ---- tree_rows ---- */

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
            while (r.row[i].feature[f] != (f % 2 ? delta[at[f]] : action[at[f]]))
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
        low = r.row[i].feature[3] < low ? r.row[i].feature[3] : low;
        high = r.row[i].feature[3] > high ? r.row[i].feature[3] : high;
        near += r.row[i].feature[3] <= 197;
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
        assert_int_equal(r.row[i].feature[1] * 256, r.row[i].target);
        sum += r.row[i].feature[1];
    }
    for (uint32_t i = 0; i < aside.rows; i++)
        sum += aside.row[i].feature[1];
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
    assert_int_equal(5 * TREE_DELTA_ONE, a.row[1].feature[TREE_DELTA]);
    assert_int_equal(TREE_TARGET_ONE / 2, a.row[1].target);
    tree_rows_fini(&a);
    tree_rows_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grow__finds_a_step),
        cmocka_unit_test(grow__fits_any_function_of_four_questions),
        cmocka_unit_test(grow__stops_when_nothing_is_left),
        cmocka_unit_test(grow__shrinks_leaves),
        cmocka_unit_test(grow__prefers_the_feature_with_more_weight),
        cmocka_unit_test(grow__takes_the_best_of_all_splits),
        cmocka_unit_test(grow__does_not_depend_on_the_order_of_rows),
        cmocka_unit_test(grow__residual_falls_with_every_tree),
        cmocka_unit_test(grow__residual_falls_with_every_sweep),
        cmocka_unit_test(add_grid__has_all_states_once),
        cmocka_unit_test(add_grid__has_the_published_ranges),
        cmocka_unit_test(set_aside__keeps_every_row_on_one_side),
        cmocka_unit_test(rmse__by_hand),
        cmocka_unit_test(count__by_hand),
        cmocka_unit_test(append__copies_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
