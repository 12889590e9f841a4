#include "base/least_squares.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double bytes[] = { 1000, 4000, 16000, 64000, 256000, 1000000 };

/* A message takes a delay and its bytes over a rate; a third parameter adds to the delay. */
static int take_time(void *arg, const double *x, double *figure, struct err *err)
{
    const struct least_squares *p = arg;

    (void)err;
    for (uint32_t i = 0; i < p->figures; i++)
        figure[i] = x[0] + bytes[i] / x[1] + (p->parameters == 3 ? x[2] : 0);
    return 0;
}

static const char *const names[] = { "delay", "rate", "other" };
static const double      low[] = { 0.1, 100, 0.1 }, high[] = { 100, 100000, 100 };

static struct least_squares problem(const double *measured, uint32_t parameters, uint32_t figures)
{
    return (struct least_squares){ parameters, figures, names, low, high, measured, take_time, NULL };
}

static void least_squares__recovers_the_parameters(void **unused)
{
    const double               truth[] = { 7, 1250 };
    double                     measured[6] = { 0 };
    struct least_squares       p = problem(measured, 2, 6);
    struct least_squares_fit   fit;
    struct err                 err;

    (void)unused;
    p.arg = &p;
    take_time(&p, truth, measured, &err);
    assert_int_equal(least_squares(&p, &fit, &err), 0);
    assert_true(fabs(fit.value[0] / 7 - 1) < 1e-3 && fabs(fit.value[1] / 1250 - 1) < 1e-3);
    assert_true(fit.rms < 1e-3);
}

/* The errors are 2 %. The intervals contain the true values, and are a few per cent wide. */
static void least_squares__intervals_contain_the_truth(void **unused)
{
    static const double        noise[] = { 1.02, 0.98, 0.98, 1.02, 0.98, 1.02 };
    const double               truth[] = { 7, 1250 };
    double                     measured[6] = { 0 };
    struct least_squares       p = problem(measured, 2, 6);
    struct least_squares_fit   fit;
    struct err                 err;

    (void)unused;
    p.arg = &p;
    take_time(&p, truth, measured, &err);
    for (uint32_t i = 0; i < 6; i++)
        measured[i] *= noise[i];
    assert_int_equal(least_squares(&p, &fit, &err), 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(fit.low[i] < truth[i] && truth[i] < fit.high[i]);
        assert_true(fit.high[i] / fit.low[i] > 1.02 && fit.high[i] / fit.low[i] < 1.3);
    }
}

static void least_squares__refuses_indistinguishable_parameters(void **unused)
{
    const double             truth[] = { 7, 1250, 3 }, flat[] = { 7, 7, 7, 7, 7, 7 };
    double                   measured[6] = { 0 };
    struct least_squares     p = problem(measured, 3, 6);
    struct least_squares_fit fit;
    struct err               err;

    (void)unused;
    p.arg = &p;
    take_time(&p, truth, measured, &err);
    assert_true(least_squares(&p, &fit, &err) < 0);      /* two delays, of which only the sum counts */
    assert_non_null(strstr(err.text, "cannot tell delay from the other parameters"));
    p.parameters = 2;
    p.figures = 2;
    assert_true(least_squares(&p, &fit, &err) < 0);
    assert_string_equal(err.text, "2 measurements cannot tell 2 parameters: there must be more of them");
    p.figures = 6;
    p.measured = flat;
    p.low = (double[]){ 0.1, 1e12 };                     /* so fast that no measurement depends on it */
    p.high = (double[]){ 100, 1e13 };
    assert_true(least_squares(&p, &fit, &err) < 0);
    assert_string_equal(err.text, "these measurements cannot tell rate: none of them depends on it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares__recovers_the_parameters),
        cmocka_unit_test(least_squares__intervals_contain_the_truth),
        cmocka_unit_test(least_squares__refuses_indistinguishable_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
