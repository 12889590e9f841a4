/* src/tune/rehearse/check_test.c */
#include "tune/rehearse/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct stand_in { double mice, elephants; double elephant_count; };

/* 100 mice, and as many elephants as asked for, of these slowdowns. */
static int run(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out, struct err *err)
{
    const struct stand_in *s = arg;

    (void)point;
    (void)err;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct predicted){ .window = { { 100, 0, s->elephant_count },
                                                 { 100 * s->mice, 0, s->elephant_count * s->elephants }, 0 } };
    return 0;
}

static double off(double mice, double elephants, double elephant_count)
{
    struct stand_in  s = { mice, elephants, elephant_count };
    struct predictor p = { &s, run };
    struct outcomes  saw = { { 100, 0, elephant_count }, { 100 * 2.0, 0, elephant_count * 4.0 }, 0 };
    struct knobs     k;
    struct err       err;
    double           found;

    knobs_init(&k);
    assert_int_equal(check_twin(&p, &k, 1, &saw, &found, &err), 0);
    return found;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin__what_is_right_is_off_by_nothing),
        cmocka_unit_test(twin__the_worst_counts_with_its_sign),
        cmocka_unit_test(twin__a_few_elephants_are_not_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
