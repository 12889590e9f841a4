/* src/tune/rehearse/proof/twin_check_test.c */
#include "tune/rehearse/proof/twin_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* spread: from draw to draw, up and down */
struct stand_in { double mice, elephants; double elephant_count, spread; };

/* 100 mice, and as many elephants as asked for, of these slowdowns. */
static int run(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out,
               struct err *err)
{
    const struct stand_in *s = arg;

    (void)point;
    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        double times = exp(s->spread * ((double)i - (count - 1) / 2.0));

        out[i] = (struct predicted){ .window = { { 100, 0, s->elephant_count },
                                                 { 100 * s->mice * times, 0,
                                                   s->elephant_count * s->elephants * times }, 0 } };
    }
    return 0;
}

static struct twin_check check(double mice, double elephants, double elephant_count, double spread,
                               double seen_times)
{
    struct stand_in   s = { mice, elephants, elephant_count, spread };
    struct predictor  p = { .arg = &s, .run = run };
    struct outcomes   saw = { { 100 * seen_times, 0, elephant_count * seen_times },
                              { 100 * seen_times * 2.0, 0, elephant_count * seen_times * 4.0 }, 0 };
    struct knobs      k;
    struct err        err;
    struct twin_check found;

    knobs_init(&k);
    assert_int_equal(check_twin(&found, &p, goal_find("balanced"), &k, 1, &saw, &err), 0);
    return found;
}

static double off(double mice, double elephants, double elephant_count)
{
    return check(mice, elephants, elephant_count, 0, 1).off;
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

/* Draws that differ by 0.2 from one to the next, in their logarithm: their standard deviation is 0.2
 * sqrt(2.5), and a mean of five and one more differ by sqrt(1.2) of that, times Student's 2.776 in 1 of 20
 * cases. */
static void twin__is_off_by_chance_as_its_own_draws_are(void **state)
{
    struct twin_check c = check(3, 6, 50, 0.2, 1), many = check(3, 6, 50, 0.2, 16);

    (void)state;
    assert_true(fabs(c.chance - 2.776 * 0.2 * sqrt(2.5) * sqrt(1.2)) < 1e-9);
    assert_true(fabs(c.noise - 0.2 * sqrt(2.5)) < 1e-9);
    assert_true(check_is_right(&c, 0.4));
    assert_true(fabs(many.noise - c.noise / 4) < 1e-9 && many.chance < 0.6 * c.chance);
}

static void twin__what_chance_does_not_explain_is_wrong(void **state)
{
    struct twin_check c = check(20, 40, 50, 0.2, 1);

    (void)state;
    assert_false(check_is_right(&c, 0.4));
    assert_false(check_is_right(&c, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin__what_is_right_is_off_by_nothing),
        cmocka_unit_test(twin__the_worst_counts_with_its_sign),
        cmocka_unit_test(twin__is_off_by_chance_as_its_own_draws_are),
        cmocka_unit_test(twin__what_chance_does_not_explain_is_wrong),
        cmocka_unit_test(twin__a_few_elephants_are_not_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
