#include "tune/exp.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Reference values with 17 digits, from tables. */
static void exp__has_known_values(void **unused)
{
    static const struct { double x, y; } row[] = {
        { 0, 1 }, { 1, 2.7182818284590452 }, { -1, 0.36787944117144232 }, { 0.5, 1.6487212707001281 },
        { -0.05, 0.95122942450071403 }, { 10, 22026.465794806717 }, { -10, 4.5399929762484852e-5 },
        { -100, 3.7200759760208360e-44 }, { 100, 2.6881171418161354e43 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_true(fabs(exp_of(row[i].x) / row[i].y - 1) < 1e-15);
}

/* Also at multiples of half of log 2, where the range reduction switches. */
static void exp__undoes_the_logarithm(void **unused)
{
    (void)unused;
    for (double x = -690; x < 690; x += 0.0731)
        assert_true(fabs(rng_log(exp_of(x)) - x) < 4e-16 * (1 + fabs(x)));
    for (int i = -40; i <= 40; i++)
        assert_true(fabs(rng_log(exp_of(i * 0.34657359027997264)) - i * 0.34657359027997264) < 1e-14);
}

static void exp__stays_finite(void **unused)
{
    (void)unused;
    assert_true(exp_of(-701) == 0);
    assert_true(exp_of(-1e300) == 0);
    assert_true(exp_of(1e300) == exp_of(700));
    assert_true(exp_of(700) < HUGE_VAL);
    assert_true(exp_of(-700) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp__has_known_values),
        cmocka_unit_test(exp__undoes_the_logarithm),
        cmocka_unit_test(exp__stays_finite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
