/* src/tune/search/search_engine_summary_test.c - mean and outlier filter, against values computed by hand. */
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

static void summary__is_the_mean_of_each_term(void **unused)
{
    static const struct utility_terms seen[] = { { 0.1, 0.9, 1 }, { 0.2, 0.5, 1 }, { 0.6, 0.1, 1 } };
    struct utility_terms is = summary_of(seen, 3);

    (void)unused;
    assert_true(is_near(is.throughput, 0.3) && is_near(is.rtt, 0.5) && is_near(is.pfc, 1));
}

/* The median is 0.5, and the median distance from it 0.02. 0.9 is 20 of those away, 0.44 three. */
static void filter__keeps_values_near_the_median(void **unused)
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
        cmocka_unit_test(summary__is_the_mean_of_each_term),
        cmocka_unit_test(filter__keeps_values_near_the_median),
        cmocka_unit_test(filter__cannot_choose_between_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
