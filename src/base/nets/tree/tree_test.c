#include "base/nets/tree/tree.h"
#include "base/nets/tree/test_forest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

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

/* ---- rule ---- */

/* Integers against the formulas of tree.h in double. */

static struct rule make_rule(const struct forest *f, const struct rule_cfg *cfg)
{
    struct rule_params p;
    struct rule r;

    assert_int_equal(0, rule_params_make(&p, cfg, NULL));
    rule_init(&r, f, &p);
    return r;
}

static void params_make__has_the_published_values(void **unused)
{
    struct rule_params p;

    (void)unused;
    assert_int_equal(0, rule_params_make(&p, &(struct rule_cfg){ 0 }, NULL));
    assert_int_equal(12288, p.beta_ns);
    assert_int_equal(134218, p.target_ns);       /* 0.064 * 8192 * 256 = 134217.7 */
    assert_int_equal(25600, p.gain);             /* 12.5 / 8192 * 2^24 */
    assert_int_equal(1 << 14, p.rate_min);
    assert_int_equal(150000, p.rtt_ns_max);
}

static void params_make__refuses_invalid_parameters(void **unused)
{
    struct rule_params p;
    struct err err;

    (void)unused;
    assert_int_equal(-EINVAL, rule_params_make(&p, &(struct rule_cfg){ .base_ns = -1 }, &err));
    assert_string_equal("a base RTT of -1 ns is not within 1 ns .. 1 s", err.text);
    assert_int_equal(-EINVAL, rule_params_make(&p, &(struct rule_cfg){ .beta = -1 }, &err));
    assert_int_equal(-EINVAL, rule_params_make(&p, &(struct rule_cfg){ .rate_min = 1e-9 }, &err));
    assert_string_equal("the rule's lowest rate is not within 2^-20 .. 1 of the line's", err.text);
    assert_int_equal(-EINVAL, rule_params_make(&p, &(struct rule_cfg){ .base_ns = 2, .scale = 100 }, &err));
    assert_string_equal("the rule's scale over base RTT is out of range", err.text);
}

static void root__is_within_four_thousandths(void **unused)
{
    struct forest f;
    struct rule r;

    (void)unused;
    forest_init(&f);
    r = make_rule(&f, &(struct rule_cfg){ 0 });
    assert_int_equal(65535, rule_root(&r, RULE_RATE_ONE));
    for (double rate = 0x1p-14; rate < 1; rate *= 1.0003) {
        double want = sqrt(rate) * 65536, is = rule_root(&r, (uint32_t)(rate * RULE_RATE_ONE));

        assert_true(fabs(is - want) <= 0.004 * want + 1);
    }
}

/* Tolerance: 0.4 % of the first term, for the root, plus one unit. */
static void delta__matches_the_formula(void **unused)
{
    static const struct rule_cfg cfg[] = { { 0 },
                                           { .base_ns = 6100, .beta = 1.2, .target = 0.1, .scale = 12 } };
    struct forest f;

    (void)unused;
    forest_init(&f);
    for (int i = 0; i < 2; i++) {
        double base = i ? 6100 : 8192, beta = i ? 1.2 : 1.5, target = i ? 0.1 : 0.064, scale = i ? 12 : 12.5;
        struct rule r = make_rule(&f, &cfg[i]);

        for (double rate = 0x1p-13; rate <= 1; rate *= 1.37)
            for (uint32_t rtt = 0; rtt < 2000000; rtt += rtt / 7 + 611) {
                double filled = fmax(rtt / base - beta, 0) * sqrt(rate),
                       want = scale * (filled - target) * 256;
                double is = rule_delta(&r, (uint32_t)(rate * RULE_RATE_ONE), rtt);

                assert_true(fabs(is - fmin(want, 32767)) <= 0.005 * scale * filled * 256 + 2);
            }
    }
}

/* In an empty network delta is -scale * target: RL-CC's -0.8. */
static void delta__extreme_values(void **unused)
{
    struct forest f;
    struct rule r;

    (void)unused;
    forest_init(&f);
    r = make_rule(&f, &(struct rule_cfg){ 0 });
    assert_int_equal(-205, rule_delta(&r, RULE_RATE_ONE, 0));
    assert_int_equal(-205, rule_delta(&r, RULE_RATE_ONE, 12288));
    assert_int_equal(INT16_MAX, rule_delta(&r, RULE_RATE_ONE, UINT32_MAX));
}

static void next_rate__is_bounded(void **unused)
{
    struct forest f;
    struct rule r;

    (void)unused;
    forest_init(&f);
    r = make_rule(&f, &(struct rule_cfg){ 0 });
    assert_int_equal(RULE_RATE_ONE, rule_next_rate(&r, RULE_RATE_ONE, 78643));
    assert_int_equal(RULE_RATE_ONE / 2, rule_next_rate(&r, RULE_RATE_ONE / 2, 65536));
    assert_int_equal(1 << 14, rule_next_rate(&r, 1 << 14, 54613));
    assert_int_equal(19660, rule_next_rate(&r, 1 << 14, 78643));
}

/* A single tree whose multiplier reveals its features. */
static void decide__remembers_two_steps_oldest_first(void **unused)
{
    struct forest f;
    struct rule_flow flow;
    struct rule r;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] = (struct tree){ 1, { { 0, TREE_DELTA } }, { 6554, -6554 } };
    r = make_rule(&f, &(struct rule_cfg){ 0 });
    rule_start(&flow, RULE_RATE_ONE / 2);
    assert_int_equal((RULE_RATE_ONE / 2 * 72090ull >> 16) >> 8, rule_decide(&r, &flow, 8192));
    assert_int_equal(0, flow.action_older);
    assert_int_equal(409, flow.action);          /* 0.1 * 4096 */
    assert_int_equal(-205, flow.delta);
    rule_decide(&r, &flow, 40000);
    assert_int_equal(409, flow.action_older);
    assert_int_equal(-410, flow.action);
    assert_true(flow.delta > 0 && flow.is_started);
}

/* The first decision sees its delta in both places. */
static void decide__sees_the_first_delta_twice(void **unused)
{
    struct forest f;
    struct rule_flow flow;
    struct rule r;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    f.tree[0] = (struct tree){ 1, { { -1, TREE_DELTA_OLDER } }, { 0, 1600 } };
    r = make_rule(&f, &(struct rule_cfg){ 0 });
    rule_start(&flow, RULE_RATE_ONE / 2);
    rule_decide(&r, &flow, 50000);               /* delta above 0 */
    assert_int_equal(100, flow.action);
    rule_start(&flow, RULE_RATE_ONE / 2);
    rule_decide(&r, &flow, 0);
    assert_int_equal(0, flow.action);
    rule_decide(&r, &flow, 50000);               /* the previous delta was below 0 */
    assert_int_equal(0, flow.action);
}

static void decide__halves_beyond_the_largest_rtt(void **unused)
{
    struct forest f;
    struct rule_flow flow;
    struct rule r;

    (void)unused;
    forest_init(&f);
    r = make_rule(&f, &(struct rule_cfg){ 0 });
    rule_start(&flow, RULE_RATE_ONE);
    assert_int_equal(1 << 20, rule_decide(&r, &flow, 150000));
    assert_int_equal(1 << 19, rule_decide(&r, &flow, 150001));
    assert_int_equal(-683, flow.action);
    for (int i = 0; i < 40; i++)
        rule_decide(&r, &flow, 150001);
    assert_int_equal(64, rule_decide(&r, &flow, 150001));
}

/* For any state of a flow, the NIC's rate is within (0, 1]. */
static void decide__is_within_bounds_for_any_state(void **unused)
{
    struct forest f;
    struct rng rng;

    (void)unused;
    rng_init(&rng, 1, 0);
    for (int i = 0; i < 50; i++) {
        struct rule r;

        test_forest_draw(&f, 10, 300, 20000, &rng);
        r = make_rule(&f, &(struct rule_cfg){ 0 });
        for (int j = 0; j < 200; j++) {
            uint64_t bits[2] = { rng_next(&rng), rng_next(&rng) };
            struct rule_flow flow;
            uint32_t rate;

            memcpy(&flow, bits, sizeof(flow));
            rate = rule_decide(&r, &flow, (uint32_t)rng_next(&rng) >> rng_below(&rng, 20));
            assert_true(rate >= 64 && rate <= 1 << 20);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flaw__names_what_is_wrong),
        cmocka_unit_test(sum__by_hand),
        cmocka_unit_test(multiplier__stays_within_the_bounds),
        cmocka_unit_test(features__round_and_saturate),
        cmocka_unit_test(action__matches_the_feature),
        cmocka_unit_test(params_make__has_the_published_values),
        cmocka_unit_test(params_make__refuses_invalid_parameters),
        cmocka_unit_test(root__is_within_four_thousandths),
        cmocka_unit_test(delta__matches_the_formula),
        cmocka_unit_test(delta__extreme_values),
        cmocka_unit_test(next_rate__is_bounded),
        cmocka_unit_test(decide__remembers_two_steps_oldest_first),
        cmocka_unit_test(decide__sees_the_first_delta_twice),
        cmocka_unit_test(decide__halves_beyond_the_largest_rtt),
        cmocka_unit_test(decide__is_within_bounds_for_any_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
