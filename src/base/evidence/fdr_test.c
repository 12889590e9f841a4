/* src/base/evidence/fdr_test.c - against closed forms, tables, and the example of Benjamini and Hochberg
 * (1995). */
#include "base/evidence/fdr.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

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
    assert_true(fdr_threshold(p, 15, 0.05) == 0.0095);       /* four are called, where testing each alone
                                                              * calls nine */
    assert_true(fdr_threshold((double[]){ 0.2, 0.9 }, 2, 0.05) < 0);
    assert_true(fdr_threshold(p, 0, 0.05) < 0);
}

/* 200 figures without any difference: in one comparison of 20 something is called, not ten figures in
 * each. */
static void threshold__nothing_is_called_where_nothing_differs(void **state)
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
        cmocka_unit_test(student_p__closed_forms_of_one_and_two_degrees),
        cmocka_unit_test(student_p__quantiles_of_the_table),
        cmocka_unit_test(t_test_p__edges),
        cmocka_unit_test(threshold__example_of_the_paper),
        cmocka_unit_test(threshold__nothing_is_called_where_nothing_differs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
