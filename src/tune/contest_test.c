/* src/tune/contest_test.c - contests between two settings with known effects. */
#include "tune/contest.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define RUNS 400

/* 100 small messages end, with this mean slowdown; 'waiting' more are unfinished. */
static struct seen messages(double slowdown, double waiting)
{
    return (struct seen){ .done = { [PREDICT_MICE] = { 100, 100 * slowdown } },
                          .waiting = { [PREDICT_MICE] = { waiting, waiting * slowdown } } };
}

/* Returns how many of RUNS contests B wins. Its messages take 'by' times as long. Slowdowns of intervals
 * vary by 'noise'. */
static int won_by_b(const struct contest_rule *rule, double by, double noise, uint32_t *intervals)
{
    struct rng rng;
    int        won = 0;

    rng_init(&rng, 7, 7);
    *intervals = 0;
    for (int i = 0; i < RUNS; i++) {
        struct seen          before = messages(2, 0);
        struct contest       c;
        enum contest_verdict verdict = CONTEST_ON;

        assert_true(contest_begin(&c, rule, goal_find("balanced"), &before, 1, (uint64_t)i));
        assert_int_equal(c.pairing.length, 2);
        for (; verdict == CONTEST_ON; ++*intervals) {
            struct seen now = messages(2 * (contest_is_b(&c) ? by : 1) *
                                       exp(noise * (rng_real(&rng) - 0.5)), 0);

            verdict = contest_add(&c, &now, 1);
        }
        won += verdict == CONTEST_B;
    }
    return won;
}

/* A clearly better setting wins, and a worse one never does. Without a difference, B wins at most 1 of 20
 * times under the strict rule (Ville's inequality). */
static void contest__decides_by_messages(void **unused)
{
    static const struct contest_rule strict = { .pairs = 12 }, lenient = { .pairs = 6, .is_lenient = true };
    uint32_t                         intervals;

    (void)unused;
    assert_true(won_by_b(&strict, 0.7, 0.2, &intervals) > 0.9 * RUNS);
    assert_true(won_by_b(&lenient, 0.9, 0.2, &intervals) > 0.85 * RUNS);
    assert_int_equal(won_by_b(&strict, 1.3, 0.2, &intervals), 0);
    assert_true(won_by_b(&lenient, 1.1, 0.2, &intervals) <= 0.02 * RUNS);
    assert_true(won_by_b(&strict, 1, 0.2, &intervals) <= RUNS / 20);
}

/* A setting that doubles the time of messages is dropped after the first pair, which takes four intervals. */
static void contest__ends_when_it_costs_too_much(void **unused)
{
    static const struct contest_rule rule = { .pairs = 12, .harm_max = 0.5 }, patient = { .pairs = 12 };
    uint32_t                         intervals;

    (void)unused;
    assert_int_equal(won_by_b(&rule, 2, 0, &intervals), 0);
    assert_int_equal(intervals, 4 * RUNS);
    won_by_b(&patient, 2, 0, &intervals);
    assert_int_equal(intervals, 16 * RUNS);      /* four pairs without a gain */
}

/* Without messages that end, the contest gives up after four pairs of blocks. */
static void contest__ends_without_messages(void **unused)
{
    struct contest_rule rule = { .pairs = 12, .is_lenient = true };
    struct seen         before = messages(2, 0), none = { 0 };
    struct contest      c;
    int                 intervals = 1;

    (void)unused;
    assert_true(contest_begin(&c, &rule, goal_find("balanced"), &before, 1, 1));
    while (contest_add(&c, intervals % 2 ? &none : NULL, 1) == CONTEST_ON)
        intervals++;
    assert_int_equal(intervals, 16);
    assert_int_equal(c.evalue.pairs, 0);
}

/* Adds a job that posts the share 'jobs' of the bytes and completes 'progress' messages in the interval. */
static struct seen with_job(struct seen s, double jobs, double progress)
{
    s.job[0] = (struct seen_job){ .bytes = 1000, .messages = (uint32_t)progress };
    s.posted_bytes = (uint64_t)(1000 * 100 / jobs);
    return s;
}

/* With B, messages take 'slowdown' times as long, and the job makes 'progress' times the progress. */
static enum contest_verdict verdict_with_job(double jobs, double slowdown, double progress,
                                             uint32_t *intervals)
{
    struct contest_rule  rule = { .pairs = 12, .harm_max = 0.5, .is_lenient = true };
    struct seen          before = with_job(messages(2, 0), jobs, 100);
    struct contest       c;
    enum contest_verdict verdict = CONTEST_ON;

    assert_true(contest_begin(&c, &rule, goal_find("balanced"), &before, 1, 1));
    for (*intervals = 0; verdict == CONTEST_ON; ++*intervals) {
        bool        is_b = contest_is_b(&c);
        struct seen now = with_job(messages(is_b ? 2 * slowdown : 2, 0), jobs, is_b ? 100 * progress : 100);

        verdict = contest_add(&c, &now, 1);
    }
    return verdict;
}

/* If jobs post most of the bytes, their progress decides, whatever happens to messages. Otherwise messages
 * decide, but no job may lose more than 2 % of its progress. */
static void contest__decides_by_progress_of_jobs(void **unused)
{
    static const struct { double jobs, slowdown, progress; enum contest_verdict is; } row[] = {
        { 0.9, 1.2, 1.2, CONTEST_B }, { 0.9, 0.5, 0.8, CONTEST_A }, { 0.9, 0.5, 1, CONTEST_A },
        { 0.1, 0.7, 1.0, CONTEST_B }, { 0.1, 0.7, 0.99, CONTEST_B }, { 0.1, 0.7, 0.97, CONTEST_A },
        { 0.1, 1.3, 1.5, CONTEST_A },
    };
    uint32_t intervals;

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(verdict_with_job(row[i].jobs, row[i].slowdown, row[i].progress, &intervals),
                         row[i].is);
}

/* A contest ends after the first pair, which takes four intervals, if a job loses 60 % of its progress. */
static void contest__ends_when_a_job_loses_too_much(void **unused)
{
    uint32_t intervals;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(verdict_with_job(i ? 0.9 : 0.1, 0.9, 0.4, &intervals), CONTEST_A);
        assert_int_equal(intervals, 4);
    }
}

/* The job may lose 2 intervals' worth of progress, and blocks have 16 intervals. If it loses a quarter with
 * B, B is dropped in its ninth interval, before the first pair ends. */
static void contest__ends_within_a_block_when_a_job_loses_too_much(void **unused)
{
    static const struct { double progress; uint32_t intervals_of_b; } row[] = { { 75, 9 }, { 0, 3 }, { 50, 5 } };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct contest_rule  rule = { .pairs = 12, .job_cost_max = 2 };
        struct seen          before = with_job(messages(2, 400), 0.2, 100);
        struct contest       c;
        enum contest_verdict verdict = CONTEST_ON;
        uint32_t             of_b = 0;

        assert_true(contest_begin(&c, &rule, goal_find("balanced"), &before, 1, 1));
        assert_true(c.pairing.length == 16 && contest_has_jobs(&c));
        while (verdict == CONTEST_ON) {
            bool        is_b = contest_is_b(&c);
            struct seen now = with_job(messages(2, 400), 0.2, is_b ? row[i].progress : 100);

            of_b += is_b;
            verdict = contest_add(&c, &now, 1);
        }
        assert_int_equal(verdict, CONTEST_A);
        assert_int_equal(of_b, row[i].intervals_of_b);
        assert_true(fabs(contest_job_cost(&c) - of_b * (1 - row[i].progress / 100)) < 1e-9);
    }
}

/* A job that posts 1 % of the bytes ends no contest: it may well post nothing in an interval by chance. */
static void contest__small_jobs_cost_nothing(void **unused)
{
    struct contest_rule rule = { .pairs = 12, .job_cost_max = 2 };
    struct seen         before = with_job(messages(2, 0), 0.01, 100);
    struct contest      c;

    (void)unused;
    assert_true(contest_begin(&c, &rule, goal_find("balanced"), &before, 1, 1));
    assert_false(contest_has_jobs(&c));
    for (int i = 0; i < 3; i++) {
        struct seen none = with_job(messages(2, 0), 0.01, 0);

        assert_int_equal(contest_add(&c, &none, 1), CONTEST_ON);
    }
    assert_true(contest_job_cost(&c) == 0);
}

/* The slowest of two jobs counts: one is half as fast, the other three times as fast. */
static void contest__no_job_pays_for_another(void **unused)
{
    struct contest_rule  rule = { .pairs = 12 };
    struct seen          before = with_job(messages(2, 0), 0.9, 100);
    struct contest       c;
    enum contest_verdict verdict = CONTEST_ON;
    char                 text[CONTEST_TEXT];

    (void)unused;
    before.job[1] = (struct seen_job){ .bytes = 2000, .messages = 100 };
    assert_true(contest_begin(&c, &rule, goal_find("balanced"), &before, 1, 1));
    while (verdict == CONTEST_ON) {
        struct seen now = before;

        now.job[0].messages = contest_is_b(&c) ? 50 : 100;
        now.job[1].messages = contest_is_b(&c) ? 300 : 100;
        verdict = contest_add(&c, &now, 1);
    }
    assert_int_equal(verdict, CONTEST_A);
    assert_string_equal(contest_text(&c, text),
                        "in 12 pairs of blocks jobs are 75.0 % faster, and one job is 50.0 % slower,");
}

/* By Little's law, messages take as many intervals as there are unfinished ones per message that ends in an
 * interval. */
static void contest_begin__needs_short_messages(void **unused)
{
    static const struct { double waiting; bool is_possible; uint32_t block; } row[] = {
        { 0, true, 2 }, { 50, true, 2 }, { 100, true, 4 }, { 400, true, 16 }, { 401, false, 0 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct contest_rule rule = { .pairs = 4 };
        struct seen         window = messages(2, row[i].waiting);
        struct contest      c;

        assert_int_equal(contest_begin(&c, &rule, goal_find("balanced"), &window, 1, 1), row[i].is_possible);
        if (row[i].is_possible)
            assert_int_equal(c.pairing.length, row[i].block);
    }
}

/* Twelve endless queue pairs share the network with small messages. With B, small messages take 'by' times
 * as long, and the network delivers 'rate' times as much. */
static enum contest_verdict beside_endless(double by, double rate)
{
    struct contest_rule  rule = { .pairs = 12, .harm_max = 0.25, .is_rate_enough = true };
    struct seen          window = messages(2, 0);
    enum contest_verdict verdict = CONTEST_ON;
    struct contest       c;

    window.waiting[PREDICT_ELEPHANTS] = (struct seen_class){ 12, 1200 };
    assert_true(contest_begin(&c, &rule, goal_find("balanced"), &window, 16, 1));
    assert_int_equal(c.pairing.length, 16);
    while (verdict == CONTEST_ON) {
        struct seen now = messages(2 * (contest_is_b(&c) ? by : 1), 0);

        window.waiting[PREDICT_ELEPHANTS].slowdowns += 100;      /* slowdowns grow with time */
        now.waiting[PREDICT_ELEPHANTS] = window.waiting[PREDICT_ELEPHANTS];
        verdict = contest_add(&c, &now, 1e7 * (contest_is_b(&c) ? rate : 1));
    }
    return verdict;
}

/* Messages that never end do not rule out a contest: their goodput counts instead of their duration. */
static void contest__judges_endless_elephants_by_goodput(void **unused)
{
    struct contest_rule strict = { .pairs = 12 };
    struct seen         window = messages(2, 0);
    struct contest      c;

    (void)unused;
    assert_int_equal(beside_endless(0.78, 0.99), CONTEST_B);
    assert_int_equal(beside_endless(0.78, 0.7), CONTEST_A);
    assert_int_equal(beside_endless(1.2, 1), CONTEST_A);
    window.waiting[PREDICT_ELEPHANTS] = (struct seen_class){ 12, 1200 };
    assert_false(contest_begin(&c, &strict, goal_find("balanced"), &window, 16, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contest__decides_by_messages),
        cmocka_unit_test(contest__ends_when_it_costs_too_much),
        cmocka_unit_test(contest__ends_without_messages),
        cmocka_unit_test(contest__decides_by_progress_of_jobs),
        cmocka_unit_test(contest__ends_when_a_job_loses_too_much),
        cmocka_unit_test(contest__ends_within_a_block_when_a_job_loses_too_much),
        cmocka_unit_test(contest__small_jobs_cost_nothing),
        cmocka_unit_test(contest__no_job_pays_for_another),
        cmocka_unit_test(contest_begin__needs_short_messages),
        cmocka_unit_test(contest__judges_endless_elephants_by_goodput),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
