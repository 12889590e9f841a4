/* src/tune/search/search_engine_summary_test.c - rows by hand. */
#include "tune/search/search_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct utility_weights throughput_alone = { 1, 0, 0 };

static bool is_near(double a, double b)
{
    return a - b < 1e-12 && b - a < 1e-12;
}

static void summary__is_that_of_each_term(void **unused)
{
    static const struct utility_terms seen[] = { { 0.1, 0.9, 1 }, { 0.2, 0.5, 1 }, { 0.6, 0.1, 1 } };
    static const struct { enum summary_kind kind; uint32_t count; double throughput, rtt; } row[] = {
        { SUMMARY_MEAN, 3, 0.3, 0.5 },
        { SUMMARY_MEDIAN, 3, 0.2, 0.5 },
        { SUMMARY_MEDIAN, 2, 0.15, 0.7 },
        { SUMMARY_TREND, 3, 0.55, 0.1 },     /* slopes 0.25 and -0.4 */
        { SUMMARY_TREND, 1, 0.1, 0.9 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct utility_terms is = summary_of(seen, row[i].count, row[i].kind);

        assert_true(is_near(is.throughput, row[i].throughput) && is_near(is.rtt, row[i].rtt) &&
                    is_near(is.pfc, 1));
    }
}

/* The line through 0.3, 0, 0, 0 ends at 0.075 - 0.135. */
static void summary__of_a_trend_is_not_below_0(void **unused)
{
    static const struct utility_terms seen[] = { { 0.3, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };

    (void)unused;
    assert_true(summary_of(seen, 4, SUMMARY_TREND).throughput == 0);
}

/* Medians 0.5 and, of distances, 0.02: 0.9 is 20 of them away, 0.44 three. */
static void filter__leaves_what_is_near_the_median(void **unused)
{
    static const struct { double filter; uint32_t left; double last; } row[] = {
        { 0, 5, 0.9 }, { 25, 5, 0.9 }, { 10, 4, 0.5 }, { 2, 3, 0.5 }, { 0.001, 3, 0.5 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct utility_terms seen[] = { { 0.52, 0, 0 }, { 0.44, 0, 0 }, { 0.49, 0, 0 }, { 0.5, 0, 0 },
                                        { 0.9, 0, 0 } };

        assert_int_equal(row[i].left, summary_filter(seen, 5, row[i].filter, throughput_alone));
        assert_true(is_near(seen[row[i].left - 1].throughput, row[i].last) &&
                    is_near(seen[0].throughput, 0.52));
    }
}

static void filter__cannot_choose_between_two(void **unused)
{
    struct utility_terms seen[] = { { 0.1, 0, 0 }, { 0.9, 0, 0 } };

    (void)unused;
    assert_int_equal(2, summary_filter(seen, 2, 1, throughput_alone));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary__is_that_of_each_term),
        cmocka_unit_test(summary__of_a_trend_is_not_below_0),
        cmocka_unit_test(filter__leaves_what_is_near_the_median),
        cmocka_unit_test(filter__cannot_choose_between_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
