/* src/tune/rehearse/proof/proof_test.c */
#include "tune/rehearse/proof/proof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Mice and elephants of which each takes so long. */
static struct seen window(double messages, double slowdown)
{
    struct seen s = { 0 };

    s.done[PREDICT_MICE] = (struct seen_class){ messages * 0.9, messages * 0.9 * slowdown };
    s.done[PREDICT_ELEPHANTS] = (struct seen_class){ messages * 0.1, messages * 0.1 * slowdown };
    return s;
}

/* Hosts see such a gain, over so many messages, where it was 1,000 before. */
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

/* By hand: the twin's variance is 0.2^2, that of hosts 0.1^2 x (1 + 1): weights of 1/3 and 2/3. */
static void worth__both_by_what_they_are_sure_of(void **state)
{
    (void)state;
    assert_true(fabs(worth(-0.4, 0, 0.1, 0.2, 1000) - (-0.4 / 3 + 0.2 * 2 / 3)) < 1e-9);
}

static void worse__a_window_full_of_bad_luck_undoes_nothing(void **state)
{
    (void)state;
    assert_false(is_worse(-0.7, 0.2, 0.6, 0.05));
    assert_true(is_worse(-0.7, 0.2, 0.05, 0.05));            /* windows do not differ by chance so much */
}

/* Four times as slow, where chance makes 1.645 x 0.6 x sqrt(2), a factor of 4.04, in 1 of 20 windows. */
static void worse__what_chance_does_not_explain_goes_whatever_the_twin_says(void **state)
{
    (void)state;
    assert_false(is_worse(-1, 0, 0.6, log(4.0)));
    assert_true(is_worse(-1, 0, 0.6, log(4.1)));
}

/* The more messages there are, the more what hosts see counts. */
static void worth__more_messages_tell_more(void **state)
{
    double few = worth(-0.3, 0.1, 0.2, 0.2, 500), many = worth(-0.3, 0.1, 0.2, 0.2, 8000);

    (void)state;
    assert_true(few < many && many < 0.2);
}

static void add__what_was_long_ago_is_forgotten(void **state)
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

/* spread: from draw to draw, up and down */
struct stand_in { double mice, elephants; double elephant_count, spread; };

/* 100 mice, and as many elephants as asked for, of these slowdowns. */
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

static void twin__what_is_right_is_off_by_nothing(void **state)
{
    (void)state;
    assert_true(fabs(off(2, 4, 50)) < 1e-12);
}

/* The mean of all is 8/3; elephants twice as slow make it 4, and are themselves off by a factor of 2. */
static void twin__the_worst_counts_with_its_sign(void **state)
{
    (void)state;
    assert_true(fabs(off(2, 8, 50) - log(2)) < 1e-12);
    assert_true(fabs(off(2, 2, 50) + log(2)) < 1e-12);
}

static void twin__a_few_elephants_are_not_looked_at(void **state)
{
    (void)state;
    assert_true(fabs(off(2, 4.4, 5)) < 0.02);
}

/* Draws that differ by 0.2 from one to the next, in their logarithm: their standard deviation is 0.2
 * sqrt(2.5), and a mean of five and one more differ by sqrt(1.2) of that, times Student's 2.776 in 1 of 20
 * cases. */
static void twin__is_off_by_chance_as_its_own_draws_are(void **state)
{
    struct twin_check c = check(3, 6, 50, 0.2, 1), many = check(3, 6, 50, 0.2, 16);

    (void)state;
    assert_true(fabs(c.chance - 2.776 * 0.2 * sqrt(2.5) * sqrt(1.2)) < 1e-9);
    assert_true(fabs(c.noise - 0.2 * sqrt(2.5)) < 1e-9);
    assert_true(check_is_right(&c, 0.4));
    assert_true(fabs(many.noise - c.noise / 4) < 1e-9 && many.chance < 0.6 * c.chance);
}

static void twin__what_chance_does_not_explain_is_wrong(void **state)
{
    struct twin_check c = check(20, 40, 50, 0.2, 1);

    (void)state;
    assert_false(check_is_right(&c, 0.4));
    assert_false(check_is_right(&c, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worth__both_by_what_they_are_sure_of),
        cmocka_unit_test(worse__a_window_full_of_bad_luck_undoes_nothing),
        cmocka_unit_test(worse__what_chance_does_not_explain_goes_whatever_the_twin_says),
        cmocka_unit_test(worth__more_messages_tell_more),
        cmocka_unit_test(add__what_was_long_ago_is_forgotten),
        cmocka_unit_test(twin__what_is_right_is_off_by_nothing),
        cmocka_unit_test(twin__the_worst_counts_with_its_sign),
        cmocka_unit_test(twin__is_off_by_chance_as_its_own_draws_are),
        cmocka_unit_test(twin__what_chance_does_not_explain_is_wrong),
        cmocka_unit_test(twin__a_few_elephants_are_not_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
