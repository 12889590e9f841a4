#include "learn/policy/policy_story.h"

#include "learn/policy/test_teacher.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

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

static void rising__counts_what_goes_up(void **unused)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tell__rest_is_the_sign_change),
        cmocka_unit_test(tell__no_rest_without_sign_change),
        cmocka_unit_test(tell__of_a_net_like_rlccs),
        cmocka_unit_test(rising__counts_what_goes_up),
        cmocka_unit_test(print__describes_the_policy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
