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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worth__both_by_what_they_are_sure_of),
        cmocka_unit_test(worse__a_window_full_of_bad_luck_undoes_nothing),
        cmocka_unit_test(worse__what_chance_does_not_explain_goes_whatever_the_twin_says),
        cmocka_unit_test(worth__more_messages_tell_more),
        cmocka_unit_test(add__what_was_long_ago_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
