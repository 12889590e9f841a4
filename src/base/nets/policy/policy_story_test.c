#include "base/nets/policy/policy_story.h"
#include "base/nets/policy/test_teacher.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A single split on delta: 'below' or 'above' is added to 1. */
static struct policy one_question(float threshold, int32_t below, int32_t above)
{
    struct policy p;
    struct forest f;

    forest_init(&f);
    f.trees = 1;
    f.tree[0] =
        (struct tree){ 1, { { (int16_t)(threshold * TREE_DELTA_ONE), TREE_DELTA } }, { below, above } };
    policy_init_trees(&p, &f);
    return p;
}

static void tell__rest_is_the_sign_change(void **unused)
{
    struct policy p = one_question(0.5f, 4096, -4096);
    struct rule_cfg cfg = { 0 };
    struct policy_story s;

    (void)unused;
    policy_story_tell(&s, &p);
    assert_true(s.empty == 1.0625f && s.target == 1.0625f && s.full == 0.9375f && s.flooded == 0.9375f);
    assert_true(s.rising == 0.9375f && s.falling == 1.0625f && s.receding == 0.9375f);
    assert_true(s.after_cut == s.after_raise);
    assert_true(s.has_rest && fabsf(s.rest - 0.5f) < 0.01f);
    assert_true(fabs(policy_story_inflation(&s, &cfg, 64) - (1.5 + (0.064 + 0.5 / 12.5) * 8)) < 0.01);
    cfg = (struct rule_cfg){ .beta = 2, .target = 1, .scale = 1 };
    assert_true(fabs(policy_story_inflation(&s, &cfg, 1) - 3.5) < 0.01);
}

static void tell__no_rest_without_sign_change(void **unused)
{
    struct policy up = one_question(0, 4096, 4096), down = one_question(0, -4096, -4096);
    struct policy_story s;

    (void)unused;
    policy_story_tell(&s, &up);
    assert_false(s.has_rest);
    policy_story_tell(&s, &down);
    assert_false(s.has_rest);
}

/* Known figures of RL-CC's net (docs/rlcc.md): 1.051 when empty, 0.941 when full; slightly up at delta 0. */
static void tell__of_a_net_like_rlccs(void **unused)
{
    struct policy_story s;
    struct policy p;

    (void)unused;
    test_teacher_init(&p);
    policy_story_tell(&s, &p);
    assert_true(fabsf(s.empty - 1.051f) < 0.003f && fabsf(s.full - 0.941f) < 0.003f);
    assert_true(fabsf(s.rising - 0.906f) < 0.003f && fabsf(s.falling - 1.061f) < 0.003f);
    assert_true(fabsf(s.receding - 1.162f) < 0.003f);
    assert_true(s.has_rest && s.rest > 0 && s.rest < 0.1f);
    policy_fini(&p);
}

static void rising__counts_upward_steps(void **unused)
{
    struct policy never = one_question(-0.1f, 4096, -4096), above_5 = one_question(5, 0, 4096);
    struct policy_rising r;

    (void)unused;
    policy_story_look_for_rising(&r, &never, 10000, 1);
    assert_true(r.states == 10000 && r.broken == 0 && r.most == 0.9375f);
    policy_story_look_for_rising(&r, &above_5, 10000, 1);
    assert_true(r.broken > 1000 && r.broken < 9000 && r.most == 1.0625f);
    assert_true(r.x[3] > 5 && r.x[3] > r.x[1]);
}

static char *print_to_text(const struct policy *p)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof(text), "w");
    struct policy_story s;

    policy_story_tell(&s, p);
    policy_story_print_body(out, p);
    policy_story_print(out, &s, &(struct rule_cfg){ 0 });
    fclose(out);
    return text;
}

static void print__describes_the_policy(void **unused)
{
    struct policy p = one_question(0.5f, 4096, -4096);
    char *text = print_to_text(&p);

    (void)unused;
    assert_non_null(strstr(
        text, "1 trees of depth 1 at most; questions: last action but one 0, delta before 0, last action "
              "0, delta 1\n"));
    /* ln 2 / ln 1.0625 is 11.4; ln 2 / -ln 0.9375 is 10.7 */
    assert_non_null(strstr(text, "x 1.062: up 6.2 % an RTT, twice the rate in 12\n"));
    assert_non_null(strstr(text, "x 0.938: down 6.2 % an RTT, half the rate in 11\n"));
    assert_non_null(strstr(text, "its own actions hardly matter"));
    /* 8.192 us (1.5 + 0.104 sqrt(n)) */
    assert_non_null(strstr(text, "13.1 us for 1 flow, 19.1 us for 64 flows"));
    p = one_question(0, 4096, 4096);
    assert_non_null(strstr(print_to_text(&p), "It does not come to rest: it goes up in a flooded network."));
}

/* ---- policy_gap ---- */

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
    policy_gap_draw(&again, &a, &b, &(struct policy_gap_cfg){ .states = 100000 });
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

/* ---- policy_table ---- */

/* Trees with a split on the previous or the current delta: rows or columns differ. */
static void fill__rows_are_previous_deltas(void **unused)
{
    policy_table table;
    struct forest f;
    struct policy p;

    (void)unused;
    forest_init(&f);
    f.trees = 1;
    for (int feature = TREE_DELTA_OLDER; feature <= TREE_DELTA; feature += 2) {
        f.tree[0] = (struct tree){ 1, { { 0, (uint8_t)feature } }, { 4096, -4096 } };
        policy_init_trees(&p, &f);
        policy_table_fill(table, &p);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                assert_true(table[i][j] == ((feature == TREE_DELTA ? j : i) > 2 ? 0.9375f : 1.0625f));
        policy_fini(&p);
    }
}

static void distance__is_the_largest(void **unused)
{
    policy_table a = { { 0 } }, b = { { 0 } };

    (void)unused;
    b[3][4] = -0.5f;
    b[7][7] = 0.25f;
    assert_true(policy_table_distance(a, b) == 0.5f);
    assert_true(policy_table_distance(b, b) == 0);
}

static void print__is_a_line_per_row(void **unused)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    (void)unused;
    policy_table_print(out, policy_table_released);
    fclose(out);
    assert_int_equal(0, strncmp(text,
                                " before \\ now   -0.8   -0.4    0.0    0.4    0.8    2.0    5.0   20.0\n"
                                "         -0.8  1.051  0.984  0.926  0.902  0.887  0.854  0.834  0.833\n",
                                140));
    free(text);
}

/* The paper's table agrees with the released net in common cells; actions have little effect. */
static void fill_paper__has_the_states_of_the_paper(void **unused)
{
    float table[3][3];
    struct policy p;

    (void)unused;
    test_teacher_init(&p);
    policy_table_fill_paper(table, &p);
    for (int i = 0; i < 3; i++)
        for (int j = 1; j < 3; j++)
            assert_true(table[i][j] < table[i][j - 1]);      /* lower rates in a fuller network */
    for (int j = 0; j < 3; j++)
        assert_true(table[2][j] > table[0][j]);              /* higher rates when falling than when rising */
    policy_fini(&p);
}

/* The teacher of other tests approximates the released net. */
static void teacher__approximates_the_released_net(void **unused)
{
    policy_table table;
    struct policy p;

    (void)unused;
    test_teacher_init(&p);
    policy_table_fill(table, &p);
    assert_true(policy_table_distance(table, policy_table_released) < 0.03f);
    policy_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tell__rest_is_the_sign_change),
        cmocka_unit_test(tell__no_rest_without_sign_change),
        cmocka_unit_test(tell__of_a_net_like_rlccs),
        cmocka_unit_test(rising__counts_upward_steps),
        cmocka_unit_test(print__describes_the_policy),
        cmocka_unit_test(add__keeps_the_first_of_the_largest),
        cmocka_unit_test(add__has_a_state_without_differences),
        cmocka_unit_test(draw__finds_where_they_differ),
        cmocka_unit_test(state__stays_within_its_ranges),
        cmocka_unit_test(print__names_both_and_the_state),
        cmocka_unit_test(fill__rows_are_previous_deltas),
        cmocka_unit_test(distance__is_the_largest),
        cmocka_unit_test(print__is_a_line_per_row),
        cmocka_unit_test(fill_paper__has_the_states_of_the_paper),
        cmocka_unit_test(teacher__approximates_the_released_net),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
