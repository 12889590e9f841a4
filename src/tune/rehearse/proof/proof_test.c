/* src/tune/rehearse/proof/proof_test.c */
#include "tune/rehearse/proof/proof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* 90 % mice and 10 % elephants, all with this slowdown. */
static struct seen window(double messages, double slowdown)
{
    struct seen s = { 0 };

    s.done[PREDICT_MICE] = (struct seen_class){ messages * 0.9, messages * 0.9 * slowdown };
    s.done[PREDICT_ELEPHANTS] = (struct seen_class){ messages * 0.1, messages * 0.1 * slowdown };
    return s;
}

/* Hosts measure this gain over 'messages' messages, after 1,000 before the change. */
static struct proof proof(double expected, double error, double noise, double gain, double messages)
{
    struct seen  before = window(1000, 4), after = window(messages, 4 * exp(gain));
    struct proof p;

    proof_begin(&p, (struct race_gain){ expected, expected - 2 * error, expected + 2 * error }, noise,
                &before);
    proof_add(&p, &after);
    assert_true(fabs(proof_gain(&p, goal_find("balanced")) - gain) < 1e-9);
    return p;
}

static double worth(double expected, double error, double noise, double gain, double messages)
{
    struct proof p = proof(expected, error, noise, gain, messages);

    return proof_worth(&p, goal_find("balanced"));
}

static bool is_worse(double expected, double error, double noise, double gain)
{
    struct proof p = proof(expected, error, noise, gain, 1000);

    return proof_is_worse(&p, goal_find("balanced"));
}

/* By hand: the variance of the twin is 0.2^2 and that of hosts 0.1^2 x (1 + 1), which makes weights of 1/3
 * and 2/3. */
static void worth__weighs_twin_and_hosts_by_precision(void **state)
{
    (void)state;
    assert_true(fabs(worth(-0.4, 0, 0.1, 0.2, 1000) - (-0.4 / 3 + 0.2 * 2 / 3)) < 1e-9);
}

static void worse__an_unlucky_window_undoes_nothing(void **state)
{
    (void)state;
    assert_false(is_worse(-0.7, 0.2, 0.6, 0.05));
    assert_true(is_worse(-0.7, 0.2, 0.05, 0.05));            /* a larger loss than chance explains */
}

/* Messages take four times as long. Chance alone causes 1.645 x 0.6 x sqrt(2), a factor of 4.04, in 1 of 20
 * windows. */
static void worse__overrules_the_twin_beyond_chance(void **state)
{
    (void)state;
    assert_false(is_worse(-1, 0, 0.6, log(4.0)));
    assert_true(is_worse(-1, 0, 0.6, log(4.1)));
}

/* The more messages, the more the hosts' measurement counts. */
static void worth__more_messages_weigh_more(void **state)
{
    double few = worth(-0.3, 0.1, 0.2, 0.2, 500), many = worth(-0.3, 0.1, 0.2, 0.2, 8000);

    (void)state;
    assert_true(few < many && many < 0.2);
}

static void add__forgets_old_windows(void **state)
{
    struct seen  fast = window(1000, 1), slow = window(1000, 8), before = window(1000, 4);
    struct proof p;

    (void)state;
    proof_begin(&p, (struct race_gain){ -0.5, -0.6, -0.4 }, 0.1, &before);
    for (uint32_t i = 0; i < PROOF_WINDOWS; i++)
        proof_add(&p, &fast);
    assert_true(proof_worth(&p, goal_find("balanced")) < 0);
    proof_add(&p, &slow);
    assert_true(fabs(proof_gain(&p, goal_find("balanced")) - log(2)) < 1e-9);
}

/* spread: difference of log slowdowns from draw to draw */
struct stand_in { double mice, elephants; double elephant_count, spread; };

/* Predicts 100 mice and elephant_count elephants with these slowdowns. */
static int run(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out,
               struct err *err)
{
    const struct stand_in *s = arg;

    (void)point;
    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        double times = exp(s->spread * ((double)i - (count - 1) / 2.0));

        out[i] = (struct predicted){ .window = { { 100, 0, s->elephant_count },
                                                 { 100 * s->mice * times, 0,
                                                   s->elephant_count * s->elephants * times }, 0 } };
    }
    return 0;
}

static struct twin_check check(double mice, double elephants, double elephant_count, double spread,
                               double seen_times)
{
    struct stand_in   s = { mice, elephants, elephant_count, spread };
    struct predictor  p = { .arg = &s, .run = run };
    struct outcomes   saw = { { 100 * seen_times, 0, elephant_count * seen_times },
                              { 100 * seen_times * 2.0, 0, elephant_count * seen_times * 4.0 }, 0 };
    struct knobs      k;
    struct err        err;
    struct twin_check found;

    knobs_init(&k);
    assert_int_equal(check_twin(&found, &p, goal_find("balanced"), &k, 1, &saw, &err), 0);
    return found;
}

static double off(double mice, double elephants, double elephant_count)
{
    return check(mice, elephants, elephant_count, 0, 1).off;
}

static void twin__a_right_prediction_has_no_error(void **state)
{
    (void)state;
    assert_true(fabs(off(2, 4, 50)) < 1e-12);
}

/* The mean slowdown of all is 8/3. With elephants twice as slow it is 4, but the elephants' own error, a
 * factor of 2, is larger. */
static void twin__the_largest_error_counts_with_its_sign(void **state)
{
    (void)state;
    assert_true(fabs(off(2, 8, 50) - log(2)) < 1e-12);
    assert_true(fabs(off(2, 2, 50) + log(2)) < 1e-12);
}

static void twin__ignores_a_few_elephants(void **state)
{
    (void)state;
    assert_true(fabs(off(2, 4.4, 5)) < 0.02);
}

/* Log slowdowns that differ by 0.2 from draw to draw have a standard deviation of 0.2 sqrt(2.5). The mean
 * of five draws and one more draw differ by sqrt(1.2) of that, times Student's 2.776 in 1 of 20 cases. */
static void twin__chance_comes_from_its_draws(void **state)
{
    struct twin_check c = check(3, 6, 50, 0.2, 1), many = check(3, 6, 50, 0.2, 16);

    (void)state;
    assert_true(fabs(c.chance - 2.776 * 0.2 * sqrt(2.5) * sqrt(1.2)) < 1e-9);
    assert_true(fabs(c.noise - 0.2 * sqrt(2.5)) < 1e-9);
    assert_true(check_is_right(&c, 0.4));
    assert_true(fabs(many.noise - c.noise / 4) < 1e-9 && many.chance < 0.6 * c.chance);
}

static void twin__is_wrong_beyond_chance(void **state)
{
    struct twin_check c = check(20, 40, 50, 0.2, 1);

    (void)state;
    assert_false(check_is_right(&c, 0.4));
    assert_false(check_is_right(&c, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worth__weighs_twin_and_hosts_by_precision),
        cmocka_unit_test(worse__an_unlucky_window_undoes_nothing),
        cmocka_unit_test(worse__overrules_the_twin_beyond_chance),
        cmocka_unit_test(worth__more_messages_weigh_more),
        cmocka_unit_test(add__forgets_old_windows),
        cmocka_unit_test(twin__a_right_prediction_has_no_error),
        cmocka_unit_test(twin__the_largest_error_counts_with_its_sign),
        cmocka_unit_test(twin__chance_comes_from_its_draws),
        cmocka_unit_test(twin__is_wrong_beyond_chance),
        cmocka_unit_test(twin__ignores_a_few_elephants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
