#include "learn/policy/policy_gap.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Trees that return 1 + sum in any state, or with 'above' another value if delta is above 5. */
static struct policy make_constant(int32_t sum, int32_t above)
{
    struct policy p;
    struct forest f;

    forest_init(&f);
    f.base += sum;
    f.trees = 1;
    f.tree[0] = (struct tree){ 1, { { 5 * TREE_DELTA_ONE, TREE_DELTA } }, { 0, above } };
    policy_init_trees(&p, &f);
    return p;
}

static void add__keeps_the_first_of_the_largest(void **unused)
{
    struct policy_gap g = { 0 };

    (void)unused;
    policy_gap_add(&g, (float[]){ 1, 2, 3, 4 }, 1, 1);
    policy_gap_add(&g, (float[]){ 5, 6, 7, 8 }, 1, 0.5f);
    policy_gap_add(&g, (float[]){ 9, 9, 9, 9 }, 0.5f, 1);
    policy_gap_add(&g, (float[]){ 1, 1, 1, 1 }, 1.25f, 1);
    assert_int_equal(4, g.states);
    assert_true(g.largest == 0.5 && g.x[0] == 5 && g.x[3] == 8 && g.a == 1 && g.b == 0.5f);
    assert_true(policy_gap_mean(&g) == (0.5 + 0.5 + 0.25) / 4);
    assert_float_equal(0.375, policy_gap_rms(&g), 1e-12);    /* sqrt((1/4 + 1/4 + 1/16) / 4) */
}

static void add__has_a_state_without_differences(void **unused)
{
    struct policy_gap g = { 0 };

    (void)unused;
    assert_true(policy_gap_mean(&g) == 0 && policy_gap_rms(&g) == 0);
    policy_gap_add(&g, (float[]){ 1, 2, 3, 4 }, 1.1f, 1.1f);
    assert_true(g.largest == 0 && g.x[3] == 4 && g.a == 1.1f);
}

/* They differ by 1/16 if delta is above 5. Half of the deltas are drawn from 0.8 .. 10, of which 5/9.2 are
 * above 5. */
static void draw__finds_where_they_differ(void **unused)
{
    struct policy a = make_constant(0, 0), b = make_constant(0, TREE_ONE / 16);
    struct policy_gap g = { 0 }, again = { 0 }, near = { 0 };

    (void)unused;
    policy_gap_draw(&g, &a, &b, &(struct policy_gap_cfg){ .states = 100000 });
    assert_int_equal(100000, g.states);
    assert_true(g.largest == 0.0625 && g.a == 1 && g.b == 1.0625f && g.x[3] > 5);
    assert_true(fabs(0.0625 / 2 * 5 / 9.2 - policy_gap_mean(&g)) < 0.0003);
    policy_gap_draw(&again, &a, &b, &(struct policy_gap_cfg){ .states = 100000, .seed = 1 });
    assert_memory_equal(&g, &again, sizeof(g));
    policy_gap_draw(&near, &a, &b, &(struct policy_gap_cfg){ .states = 1000, .delta_max = 4 });
    assert_true(near.largest == 0);
}

static void state__stays_within_its_ranges(void **unused)
{
    struct rng rng;

    (void)unused;
    rng_init(&rng, 3, 0);
    for (int i = 0; i < 10000; i++) {
        float x[POLICY_FEATURES];

        policy_gap_state(&rng, 20, x);
        assert_true(x[0] >= 1 / 1.2001f && x[0] <= 1.2f && x[2] >= 1 / 1.2001f && x[2] <= 1.2f);
        assert_true(x[1] >= -0.8f && x[1] <= 20 && x[3] >= -0.8f && x[3] <= 20);
    }
}

static void print__names_both_and_the_state(void **unused)
{
    struct policy_gap g = { 0 };
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)unused;
    policy_gap_add(&g, (float[]){ 1, 2, 1.1f, 4 }, 1, 0.5f);
    policy_gap_print(out, &g, "net", "trees");
    fclose(out);
    assert_string_equal("  mean 0.50000, root mean square 0.50000\n"
                        "  largest 0.50000: net 1.0000, trees 0.5000\n"
                        "    at actions 1.000, 1.100 and deltas 2.000, 4.000, the older one first\n", text);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__keeps_the_first_of_the_largest),
        cmocka_unit_test(add__has_a_state_without_differences),
        cmocka_unit_test(draw__finds_where_they_differ),
        cmocka_unit_test(state__stays_within_its_ranges),
        cmocka_unit_test(print__names_both_and_the_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
