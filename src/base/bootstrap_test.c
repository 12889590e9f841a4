#include "base/bootstrap.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#define Z 1.959963984540054

static struct interval interval_of(const double *value, uint32_t count)
{
    struct bootstrap b;
    struct interval i;

    bootstrap_init(&b, count);
    i = bootstrap_mean(&b, value);
    bootstrap_fini(&b);
    return i;
}

static void mean__of_two_values_is_known(void **unused)
{
    /* Draws of two values have means 0, 1/2 and 1 with probabilities 1/4, 1/2 and 1/4, so the middle 95 %
     * reach from 0 to 1. t(1) is 12.7062. */
    const double value[] = { 0, 1 };
    double half = 0.5 * sqrt(2.0) * 12.7062 / Z;
    struct interval i = interval_of(value, 2);

    (void)unused;
    assert_true(fabs(i.low - (0.5 - half)) < 1e-12);
    assert_true(fabs(i.high - (0.5 + half)) < 1e-12);
}

static void mean__of_a_coin_is_binomial(void **unused)
{
    /* 20 zeros and 20 ones: a draw is Binomial(40, 1/2). Its 2.5 % quantile is 14, its 97.5 % quantile 26
     * (P(X <= 13) = 0.0192, P(X <= 14) = 0.0403). t(39) is 2.0227. */
    double value[40], half = 6.0 / 40 * sqrt(40.0 / 39) * 2.0227 / Z;
    struct interval i;

    (void)unused;
    for (int n = 0; n < 40; n++)
        value[n] = n % 2;
    i = interval_of(value, 40);
    assert_true(fabs(i.low - (0.5 - half)) < 1e-5);
    assert_true(fabs(i.high - (0.5 + half)) < 1e-5);
}

static void mean__of_equal_values_is_that_value(void **unused)
{
    const double zero[7] = { 0 }, three[3] = { 3, 3, 3 };
    struct interval i = interval_of(zero, 7);

    (void)unused;
    assert_true(i.low == 0 && i.high == 0);
    i = interval_of(three, 3);
    assert_true(i.low == 3 && i.high == 3);
}

static void mean__moves_and_grows_with_the_values(void **unused)
{
    const double value[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    double moved[8];
    struct interval a = interval_of(value, 8), b;

    (void)unused;
    for (int i = 0; i < 8; i++)
        moved[i] = 16 - 4 * value[i];    /* exact, and mirrors the interval; the draws are not symmetric */
    b = interval_of(moved, 8);
    assert_true(fabs(b.low - (16 - 4 * a.high)) < 0.3);
    assert_true(fabs(b.high - (16 - 4 * a.low)) < 0.3);
}

static void mean__leans_to_the_long_tail(void **unused)
{
    const double value[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 11 };    /* mean 2 */
    struct interval i = interval_of(value, 10);

    (void)unused;
    assert_true(i.high - 2 > 1.5 * (2 - i.low));
}

static void mean__is_the_same_every_time(void **unused)
{
    const double value[] = { 3, 1, 4, 1, 5 }, other[] = { 2, 7, 1, 8, 2 };
    struct interval first, again;
    struct bootstrap b;

    (void)unused;
    bootstrap_init(&b, 5);
    first = bootstrap_mean(&b, value);
    bootstrap_mean(&b, other);
    again = bootstrap_mean(&b, value);
    bootstrap_fini(&b);
    assert_true(first.low == again.low && first.high == again.high);
    again = interval_of(value, 5);
    assert_true(first.low == again.low && first.high == again.high);
}

/* Marsaglia's polar method. */
static double normal(struct rng *r)
{
    double x, y, s;

    do {
        x = 2 * rng_real(r) - 1;
        y = 2 * rng_real(r) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s == 0);
    return x * sqrt(-2 * log(s) / s);
}

static double exponential(struct rng *r)
{
    return rng_exp(r) - 1;
}

/* Returns the percentage of trials in which the interval contains the true mean, 0. */
static double coverage(double (*draw)(struct rng *), uint32_t count, uint32_t trials)
{
    struct bootstrap b;
    struct rng rng;
    uint32_t hits = 0;
    double value[40];

    bootstrap_init(&b, count);
    rng_init(&rng, 7, count);
    for (uint32_t t = 0; t < trials; t++) {
        struct interval i;

        for (uint32_t n = 0; n < count; n++)
            value[n] = draw(&rng);
        i = bootstrap_mean(&b, value);
        hits += i.low <= 0 && i.high >= 0;
    }
    bootstrap_fini(&b);
    return 100.0 * hits / trials;
}

static void mean__has_the_expected_coverage(void **unused)
{
    static const struct {
        uint32_t count;
        double (*draw)(struct rng *);
        const char *name;
        double low, high;
    } row[] = {
        /* 1,000 trials: two standard deviations are 1.4 points. */
        { 5, normal, "normal", 93, 97 },
        { 10, normal, "normal", 93, 97 },
        { 20, normal, "normal", 93, 97 },
        /* Skewed values: no method reaches 95 % with 5 values. docs/compare.md describes the expected
         * coverage. */
        { 5, exponential, "exponential", 85, 97 },
        { 20, exponential, "exponential", 90, 97 },
    };

    (void)unused;
    for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
        double is = coverage(row[i].draw, row[i].count, 1000);

        print_message("%u %s values: %.1f %%\n", row[i].count, row[i].name, is);
        if (is < row[i].low || is > row[i].high)
            fail_msg("%u %s values: %.1f %%", row[i].count, row[i].name, is);
    }
}

static struct interval within(const double *value, uint32_t count, double least, double most)
{
    struct bootstrap b;
    struct interval i;

    bootstrap_init(&b, count);
    i = bootstrap_mean_within(&b, value, least, most);
    bootstrap_fini(&b);
    return i;
}

/* Plain intervals contain negative times and shares above 1; bounded intervals do not. */
static void mean_within__stays_within(void **unused)
{
    const double times[] = { 1, 2, 90 }, shares[] = { 0.9, 0.99, 1 }, zeros[] = { 0, 0, 5 };
    struct interval i;

    (void)unused;
    assert_true(interval_of(times, 3).low < 0 && interval_of(shares, 3).high > 1);
    i = within(times, 3, 0, INFINITY);
    assert_true(i.low > 0 && i.low < 1 && i.high == interval_of(times, 3).high);
    i = within(shares, 3, 0, 1);
    assert_true(i.high <= 1 && i.high >= 0.99 && i.low > 0 && i.low < 0.9);
    assert_true(within(zeros, 3, 0, INFINITY).low == 0);
    /* A value is outside the bound: the bound is ignored. */
    assert_true(within(times, 3, 1.5, INFINITY).low == interval_of(times, 3).low);
}

/* Far from the bounds, the interval is nearly that of bootstrap_mean(): they differ by the square of the
 * relative width. */
static void mean_within__far_from_its_bounds_is_near_mean(void **unused)
{
    const double value[] = { 1000, 1001, 1002, 1003, 1004, 1007 };
    struct interval plain = interval_of(value, 6), bounded = within(value, 6, 0, 1e6);

    (void)unused;
    assert_true(fabs(plain.low - bounded.low) < 0.03 && fabs(plain.high - bounded.high) < 0.03);
    assert_true(plain.low != bounded.low);
}

/* ---- fdr ---- */

/* Compared with closed forms, tables, and the example of Benjamini and Hochberg (1995). */

static void student_p__closed_forms_of_one_and_two_degrees(void **state)
{
    (void)state;
    for (double t = 0.01; t < 1000; t *= 3) {
        assert_true(fabs(student_p(t, 1) - (1 - 2 / M_PI * atan(t))) < 1e-12);
        assert_true(fabs(student_p(t, 2) - (1 - t / sqrt(2 + t * t))) < 1e-12);
    }
}

static void student_p__quantiles_of_the_table(void **state)
{
    static const struct { double t, df, p; } row[] = {       /* two-sided, from any table of Student's t */
        { 2.776, 4, 0.05 }, { 4.604, 4, 0.01 }, { 2.262, 9, 0.05 }, { 1.984, 100, 0.05 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++)
        assert_true(fabs(student_p(row[i].t, row[i].df) - row[i].p) < 2e-4);
    assert_true(student_p(-2.776, 4) == student_p(2.776, 4));
}

static void t_test_p__edges(void **state)
{
    const double same[] = { 2, 2, 2 }, zero[] = { 0, 0, 0 }, one[] = { 1, 1.1, 0.9, 1.05, 0.95 };

    (void)state;
    assert_true(t_test_p(same, 3) == 0);         /* no spread at all */
    assert_true(t_test_p(zero, 3) == 1);
    assert_true(t_test_p(same, 1) == 1);
    assert_true(t_test_p(one, 5) < 1e-4);
}

static void threshold__example_of_the_paper(void **state)
{
    double p[] = { 0.0344, 0.0001, 0.7590, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0459, 0.3240,
                   0.4262, 0.5719,
                   0.6528, 1 };

    (void)state;
    assert_true(fdr_threshold(p, 15, 0.05) == 0.0095);       /* four are significant; nine would be if each
                                                              * was tested alone */
    assert_true(fdr_threshold((double[]){ 0.2, 0.9 }, 2, 0.05) < 0);
    assert_true(fdr_threshold(p, 0, 0.05) < 0);
}

/* 200 metrics without a difference: about one comparison in 20 has a false positive. Tested alone, ten
 * metrics in each comparison would have one. */
static void threshold__limits_false_positives(void **state)
{
    struct rng rng;
    uint32_t   called = 0, worlds = 400;

    (void)state;
    rng_init(&rng, 7, 0);
    for (uint32_t w = 0; w < worlds; w++) {
        double p[200];

        for (int i = 0; i < 200; i++)
            p[i] = rng_real(&rng);
        called += fdr_threshold(p, 200, 0.05) > 0;
    }
    assert_true(called > 0.02 * worlds && called < 0.09 * worlds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean__of_two_values_is_known),
        cmocka_unit_test(mean__of_a_coin_is_binomial),
        cmocka_unit_test(mean__of_equal_values_is_that_value),
        cmocka_unit_test(mean__moves_and_grows_with_the_values),
        cmocka_unit_test(mean__leans_to_the_long_tail),
        cmocka_unit_test(mean__is_the_same_every_time),
        cmocka_unit_test(mean_within__stays_within),
        cmocka_unit_test(mean_within__far_from_its_bounds_is_near_mean),
        cmocka_unit_test(mean__has_the_expected_coverage),
        cmocka_unit_test(student_p__closed_forms_of_one_and_two_degrees),
        cmocka_unit_test(student_p__quantiles_of_the_table),
        cmocka_unit_test(t_test_p__edges),
        cmocka_unit_test(threshold__example_of_the_paper),
        cmocka_unit_test(threshold__limits_false_positives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
