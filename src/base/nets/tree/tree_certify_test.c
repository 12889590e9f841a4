/* src/base/nets/tree/tree_certify_test.c - certificates against exhaustive enumeration.
 *
 * A forest is constant between two thresholds, so states at thresholds, one above them, and at the ends
 * suffice.
 */
#include "base/nets/tree/tree_certify.h"

#include "base/nets/tree/test_forest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define VALUES_MAX (2 * TREE_TREES_MAX * TREE_DEPTH_MAX + 6)

static struct rule_params params;

struct threshold_values { int16_t at[TREE_FEATURES][VALUES_MAX]; uint32_t n[TREE_FEATURES]; };

struct enumerated { int32_t sum_min, sum_max; bool is_up_when_rising; };

static void add_value(struct threshold_values *v, int feature, int value)
{
    bool is_action = feature % 2 == 0;

    if (value < (is_action ? -683 : INT16_MIN) || value > (is_action ? 819 : INT16_MAX))
        return;
    for (uint32_t i = 0; i < v->n[feature]; i++)
        if (v->at[feature][i] == value)
            return;
    v->at[feature][v->n[feature]++] = (int16_t)value;
}

/* Both deltas share their values, so that one may be just above the other. */
static void find_values(const struct forest *f, struct threshold_values *v)
{
    *v = (struct threshold_values){ 0 };
    for (int i = 0; i < TREE_FEATURES; i++) {
        add_value(v, i, i % 2 ? INT16_MIN : -683);
        add_value(v, i, i % 2 ? INT16_MAX : 819);
    }
    add_value(v, TREE_DELTA, 0);
    add_value(v, TREE_DELTA, 1);
    for (uint32_t i = 0; i < f->trees; i++)
        for (uint32_t j = 0; j < f->tree[i].depth; j++) {
            const struct tree_split *s = &f->tree[i].split[j];

            add_value(v, s->feature, s->threshold);
            add_value(v, s->feature, s->threshold + 1);
        }
}

static void try_state(const struct forest *f, const int16_t *x, struct enumerated *t)
{
    int32_t sum = forest_sum(f, x);

    t->sum_min = sum < t->sum_min ? sum : t->sum_min;
    t->sum_max = sum > t->sum_max ? sum : t->sum_max;
    if (x[TREE_DELTA] > 0 && x[TREE_DELTA] > x[TREE_DELTA_OLDER] && forest_multiplier(f, x) > TREE_ONE)
        t->is_up_when_rising = true;
}

static struct enumerated try_all(const struct forest *f)
{
    struct enumerated t = { INT32_MAX, INT32_MIN, false };
    struct threshold_values v;

    find_values(f, &v);
    for (uint32_t a = 0; a < v.n[0]; a++)
        for (uint32_t b = 0; b < v.n[1]; b++)
            for (uint32_t c = 0; c < v.n[2]; c++)
                for (uint32_t d = 0; d < v.n[3]; d++)
                    try_state(f, (int16_t[]){ v.at[0][a], v.at[1][b], v.at[2][c], v.at[3][d] }, &t);
    return t;
}

static void check_rising_case(const struct forest *f, const struct certify_case *b)
{
    assert_true(b->x[TREE_DELTA] > 0 && b->x[TREE_DELTA] > b->x[TREE_DELTA_OLDER]);
    assert_true(b->x[0] >= -683 && b->x[0] <= 819 && b->x[2] >= -683 && b->x[2] <= 819);
    assert_int_equal(b->multiplier, forest_multiplier(f, b->x));
    assert_true(b->multiplier > TREE_ONE);
}

static void certify__agrees_with_enumeration(void **unused)
{
    uint32_t proven = 0, broken = 0;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 11, 0);
    for (int round = 0; round < 400; round++) {
        uint32_t trees = 1 + (uint32_t)rng_below(&rng, 4);
        struct certificate c;
        struct forest f;
        struct enumerated t;

        test_forest_draw(&f, trees, 1 + (uint32_t)rng_below(&rng, 500), 3000, &rng);
        f.base -= (int32_t)rng_below(&rng, 6000);            /* some forests hardly ever go up */
        certify_rule(&c, &f, &params);
        t = try_all(&f);
        assert_int_equal(t.sum_min, c.sum_min);
        assert_int_equal(t.sum_max, c.sum_max);
        assert_int_equal(t.is_up_when_rising, !c.holds[CERTIFY_RISING]);
        assert_true(c.holds[CERTIFY_CEILING] && c.holds[CERTIFY_FLOOR]);
        if (!c.holds[CERTIFY_RISING])
            check_rising_case(&f, &c.broken[CERTIFY_RISING]);
        proven += c.holds[CERTIFY_RISING];
        broken += !c.holds[CERTIFY_RISING];
    }
    assert_true(proven > 50 && broken > 50);
}

/* Goes up only while delta is at most 0 or falling from above 50: provable by splits. One more leaf breaks
 * it. */
static void certify__proves_and_refutes_by_hand(void **unused)
{
    struct certificate c;
    struct forest f;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] = (struct tree){ 3, { { 0, TREE_DELTA }, { 50, TREE_DELTA_OLDER }, { 50, TREE_DELTA } },
                               { 10, 0, 10, 10, -5, -5, -5, -5 } };
    assert_true(certify_rule(&c, &f, &params));
    f.tree[0].leaf[5] = 1;                       /* delta above 50, the previous one not */
    assert_false(certify_rule(&c, &f, &params));
    check_rising_case(&f, &c.broken[CERTIFY_RISING]);
    assert_true(c.broken[CERTIFY_RISING].x[TREE_DELTA] > 50);
}

/* Both deltas in one cell: violated only because delta can rise within the cell. */
static void certify__detects_rising_within_a_cell(void **unused)
{
    struct certificate c;
    struct forest f;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] = (struct tree){ 4, { { 9, TREE_DELTA }, { 10, TREE_DELTA }, { 9, TREE_DELTA_OLDER },
                                    { 10, TREE_DELTA_OLDER } }, { 0 } };
    f.tree[0].leaf[1 | 4] = 7;                   /* both are 10: cannot be rising */
    assert_true(certify_rule(&c, &f, &params));
    f.tree[0].split[1].threshold = 11;           /* 10 or 11 after 10 */
    f.tree[0].leaf[1 | 4] = 7;
    assert_false(certify_rule(&c, &f, &params));
    assert_int_equal(11, c.broken[CERTIFY_RISING].x[TREE_DELTA]);
    assert_int_equal(10, c.broken[CERTIFY_RISING].x[TREE_DELTA_OLDER]);
}

static void certify__refutes_rates_out_of_bounds(void **unused)
{
    struct rule_params bad = params;
    struct certificate c;
    struct forest f;

    (void)unused;
    forest_init(&f);
    bad.rate_min = 255;                          /* the NIC would receive 0 */
    assert_false(certify_rule(&c, &f, &bad));
    assert_true(c.holds[CERTIFY_CEILING] && !c.holds[CERTIFY_FLOOR]);
    bad.rate_min = RULE_RATE_ONE + 1;
    assert_false(certify_rule(&c, &f, &bad));
    assert_true(!c.holds[CERTIFY_CEILING]);
}

/* The largest number of thresholds takes only moments. */
static void certify__ends_soon_for_the_largest_forest(void **unused)
{
    struct certificate c;
    struct forest f;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 12, 0);
    test_forest_draw(&f, TREE_TREES_MAX, 600, 2000, &rng);
    certify_rule(&c, &f, &params);
    assert_true(c.boxes < 2000000);
}

/* Afterwards enumeration finds no violation, no leaf went up, and valid trees are unchanged. */
static void mend__removes_all_violations(void **unused)
{
    struct certificate c;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 13, 0);
    for (int round = 0; round < 60; round++) {
        struct forest f, before;
        int64_t steps;

        test_forest_draw(&f, (uint32_t)rng_below(&rng, 5), 300, 3000, &rng);
        f.base += 1000 - (int32_t)rng_below(&rng, 6000);
        before = f;
        steps = certify_mend(&f, NULL, 100000);
        assert_true(steps >= 0);
        assert_int_equal(!try_all(&before).is_up_when_rising, steps == 0);
        assert_false(try_all(&f).is_up_when_rising);
        assert_true(certify_rule(&c, &f, &params));
        for (uint32_t i = 0; i < f.trees; i++)
            for (uint32_t j = 0; j < 1u << f.tree[i].depth; j++)
                assert_true(f.tree[i].leaf[j] <= before.tree[i].leaf[j]);
    }
}

/* The sum of two trees is 110 too high; one leaf has nine times as many rows as the other. */
static void mend__changes_leaves_of_many_rows_less(void **unused)
{
    certify_weights weight = { { 0 } };
    struct forest f;

    (void)unused;
    forest_init(&f);
    f.trees = 2;
    f.tree[0] = (struct tree){ 1, { { 0, TREE_DELTA } }, { 0, 1000 } };
    f.tree[1] = (struct tree){ 1, { { 0, TREE_DELTA } }, { 0, -900 + 10 } };
    weight[0][1] = 9;
    weight[1][1] = 0;
    assert_int_equal(1, certify_mend(&f, weight, 10));
    assert_in_range(1000 - f.tree[0].leaf[1], 10, 11);       /* one to ten, and at most 1 for rounding */
    assert_in_range(-890 - f.tree[1].leaf[1], 100, 101);
    assert_int_equal(0, f.tree[0].leaf[0]);
}

static void mend__stops_at_the_limit(void **unused)
{
    struct forest f;

    (void)unused;
    forest_init(&f);
    f.base = TREE_ONE + 5;
    assert_int_equal(-1, certify_mend(&f, NULL, 0));
    assert_int_equal(0, certify_mend(&f, NULL, 0));                /* one state was repaired nevertheless */
    assert_int_equal(TREE_ONE, f.base);
}

static void print__lists_each_claim(void **unused)
{
    struct certificate c;
    struct forest f;
    size_t length;
    char *text;
    FILE *out = open_memstream(&text, &length);

    (void)unused;
    forest_init(&f);
    f.base = TREE_ONE + 16;
    assert_false(certify_rule(&c, &f, &params));
    certify_print(out, &c);
    fclose(out);
    assert_non_null(strstr(text, "proven: the rate never goes above the line's\n"));
    assert_non_null(strstr(text, "BROKEN: the rate never goes up when"));
    assert_non_null(strstr(text, "multiplier 1.00024\n"));
    assert_non_null(strstr(text, "multipliers in 1.00024 .. 1.00024"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certify__proves_and_refutes_by_hand),
        cmocka_unit_test(certify__detects_rising_within_a_cell),
        cmocka_unit_test(certify__refutes_rates_out_of_bounds),
        cmocka_unit_test(certify__agrees_with_enumeration),
        cmocka_unit_test(certify__ends_soon_for_the_largest_forest),
        cmocka_unit_test(mend__removes_all_violations),
        cmocka_unit_test(mend__changes_leaves_of_many_rows_less),
        cmocka_unit_test(mend__stops_at_the_limit),
        cmocka_unit_test(print__lists_each_claim),
    };

    if (rule_params_make(&params, &(struct rule_cfg){ 0 }, NULL))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
