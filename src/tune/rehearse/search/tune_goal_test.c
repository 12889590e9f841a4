/* src/tune/rehearse/search/tune_goal_test.c */
#include "tune/rehearse/search/tune_goal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct predicted found(double mice, double mouse, double middles, double middle, double elephants,
                              double elephant)
{
    return (struct predicted){ .all = { { mice, middles, elephants },
                                        { mice * mouse, middles * middle, elephants * elephant } } };
}

static void gain__balanced_is_the_log_of_j(void **state)
{
    struct predicted was = found(90, 2, 0, 0, 10, 4), is = found(90, 1.5, 0, 0, 10, 3);
    double           j_was = sqrt((90 * 2 + 10 * 4) / 100.0 * 4),
                     j_is = sqrt((90 * 1.5 + 10 * 3) / 100.0 * 3);

    (void)state;
    assert_true(fabs(goal_gain(goal_find("balanced"), &is.all, &was.all) - log(j_is / j_was)) < 1e-12);
    assert_true(goal_gain(goal_find("balanced"), &was.all, &was.all) == 0);
}

static void gain__without_elephants_the_others_decide(void **state)
{
    struct predicted was = found(100, 2, 0, 0, 0, 0), is = found(100, 1, 0, 0, 0, 0);

    (void)state;
    assert_true(fabs(goal_gain(goal_find("balanced"), &is.all, &was.all) - log(0.5)) < 1e-12);
    assert_true(fabs(goal_gain(goal_find("throughput"), &is.all, &was.all) - log(0.5)) < 1e-12);
}

/* Elephants are 10 % slower. That scores worse than the baseline, however much mice gain. */
static void score__gains_do_not_outweigh_harm_to_a_class(void **state)
{
    struct predicted was = found(90, 4, 0, 0, 10, 2), is = found(90, 3, 0, 0, 10, 2.2);

    (void)state;
    assert_true(goal_gain(goal_find("balanced"), &is.all, &was.all) < 0);
    assert_true(goal_score(goal_find("balanced"), &is, &was) > 0.5);
    is = found(90, 3, 0, 0, 10, 2 * exp(GOAL_BOUND));
    assert_true(goal_score(goal_find("balanced"), &is, &was) < 0);
}

/* The bound is 2 %, the limit 5 %. Harm in between costs three times as much, harm beyond the limit ten
 * times. */
static void harm__costs_more_beyond_the_limit(void **state)
{
    struct goal g = *goal_find("balanced");

    (void)state;
    assert_true(fabs(goal_harm(&g, GOAL_MICE, 0.06) - 10 * (0.06 - GOAL_BOUND)) < 1e-12);
    g.bound = 0.02;
    g.limit = 0.05;
    assert_true(goal_harm(&g, GOAL_MICE, 0.02) == 0 && goal_harm(&g, GOAL_MICE, -1) == 0);
    assert_true(fabs(goal_harm(&g, GOAL_MICE, 0.04) - 3 * 0.02) < 1e-12);
    assert_true(fabs(goal_harm(&g, GOAL_MICE, 0.07) - 3 * 0.03 - 10 * 0.02) < 1e-12);
    g.limit = 0.01;                              /* limit below the bound */
    assert_true(fabs(goal_harm(&g, GOAL_MICE, 0.04) - 10 * 0.02) < 1e-12);
}

static void score__a_stuck_setting_is_the_worst(void **state)
{
    struct predicted was = found(90, 4, 0, 0, 10, 2), is = found(90, 1, 0, 0, 10, 1),
                     bad = found(90, 400, 0, 0, 10, 200);

    (void)state;
    is.is_stuck = true;
    assert_true(goal_score(goal_find("balanced"), &is, &was) > goal_score(goal_find("balanced"), &bad, &was));
}

/* 90 mice at 2 and 10 elephants at 4: the mean is 2.2, and J the square root of 2.2 x 4. */
static void speed__is_one_over_the_slowdown(void **state)
{
    struct predicted p = found(90, 2, 0, 0, 10, 4), empty = found(0, 0, 0, 0, 0, 0),
                     alone = found(5, 1, 5, 1, 5, 1);

    (void)state;
    assert_true(fabs(goal_speed(goal_find("balanced"), &p.all) - 1 / sqrt(2.2 * 4)) < 1e-12);
    assert_true(fabs(goal_speed(goal_find("latency"),
                                &p.all) - 1 / (pow(2.2, 0.2) * pow(2, 0.6) * pow(4, 0.2))) < 1e-12);
    assert_true(goal_speed(goal_find("balanced"), &alone.all) == 1);
    assert_true(goal_speed(goal_find("balanced"), &empty.all) == 0);
}

/* A job of ten iterations of 'ms', with messages of this mean slowdown. Other messages have 2. */
static struct outcomes with_job(double ms, double slowdown)
{
    return (struct outcomes){ .messages = { 200, 0, 0 }, .slowdowns = { 100 * 2 + 100 * slowdown, 0, 0 },
                              .job_messages = { 100, 0, 0 }, .job_slowdowns = { 100 * slowdown, 0, 0 },
                              .job = { { 1, 10, ms / 100 } } };
}

/* Iterations take 10 % longer although messages are faster. A job is judged by its iterations. */
static void gain__of_a_job_is_its_iteration_time(void **state)
{
    struct predicted was = { .all = with_job(2, 4) }, is = { .all = with_job(2.2, 3) };

    (void)state;
    assert_true(fabs(goal_gain(goal_default, &is.all, &was.all) - log(1.1)) < 1e-12);
    assert_true(goal_gain(goal_find("balanced"), &is.all, &was.all) < 0);
    assert_true(goal_score(goal_find("balanced"), &is, &was) > 0.5);     /* 2 % is allowed */
    assert_true(goal_party_ratio(&is.all, &was.all, GOAL_MICE) == 0);    /* a job's messages are not mice */
    is.all.job[0].id = 2;                /* another job: nothing to compare with */
    assert_true(goal_gain(goal_default, &is.all, &was.all) == goal_gain(goal_find("balanced"), &is.all, &was.all));
}

/* 3,200 messages with slowdowns from 1 to 16, evenly spread on a logarithmic scale: 1 % are above 16^0.99. */
static void p99__is_within_a_bin(void **state)
{
    struct outcomes p = { 0 };

    (void)state;
    assert_true(isnan(goal_p99(&p, GOAL_MICE)));
    for (uint32_t i = 0; i < 3200; i++)
        p.bin[PREDICT_MICE][i / 100]++;
    assert_true(fabs(goal_p99(&p, GOAL_MICE) - pow(16, 0.99)) < 1e-9);
    assert_true(fabs(goal_p99(&p, GOAL_ALL) - pow(16, 0.99)) < 1e-9);
    assert_true(isnan(goal_p99(&p, GOAL_ELEPHANTS)));
}

/* A loop that completes 80 instead of 100 bytes per second takes 1.25 times as long per byte. That is harm,
 * although messages are faster. Loops are not jobs. */
static void party__of_a_loop_is_time_per_byte(void **state)
{
    struct predicted was = { .all = { .messages = { 100 }, .slowdowns = { 200 }, .loop = { { 1, 100, 1 } } } };
    struct predicted is = { .all = { .messages = { 80 }, .slowdowns = { 120 }, .loop = { { 1, 80, 1 } } } };

    (void)state;
    assert_true(fabs(goal_party_ratio(&is.all, &was.all, GOAL_LOOPS) - log(1.25)) < 1e-12);
    assert_false(goal_has_party(&is.all, &was.all, GOAL_LOOPS + 1));
    assert_false(goal_has_jobs(&is.all, &was.all));
    assert_true(goal_gain(goal_default, &is.all, &was.all) < 0);
    assert_true(goal_score(goal_default, &is, &was) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gain__balanced_is_the_log_of_j),
        cmocka_unit_test(gain__without_elephants_the_others_decide),
        cmocka_unit_test(score__gains_do_not_outweigh_harm_to_a_class),
        cmocka_unit_test(harm__costs_more_beyond_the_limit),
        cmocka_unit_test(score__a_stuck_setting_is_the_worst),
        cmocka_unit_test(speed__is_one_over_the_slowdown),
        cmocka_unit_test(gain__of_a_job_is_its_iteration_time),
        cmocka_unit_test(p99__is_within_a_bin),
        cmocka_unit_test(party__of_a_loop_is_time_per_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
