/* train/train_jobs_test.c - scores computed by hand. */
#include "train/train.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The logarithm, plus four times the excess over 1 %. */
static void badness__by_hand(void **state)
{
    static const struct { double times, bad;
    } rows[] = {
        { 1, 0 },
        { 0.5, -0.69314718056 },
        { 1.01, 0.00995033085 },
        { 1.11, 0.10436001532 + 0.4 },
        { 2, 0.69314718056 + 3.96 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(train_badness(rows[i].times) - rows[i].bad) < 1e-9);
}

/* Jobs of two rules and of SECN2: mice take half as long in every check, elephants the same. The last check
 * has no elephants. */
static void score__mean_over_checks(void **state)
{
    struct train_found base = { .fct_us = { 20, 300 } }, is = { .fct_us = { 10, 300 } },
                       last = { .fct_us = { 10, 0 } };
    char              *text[2 * TRAIN_CHECKS];
    struct train       t = { .text = text };

    (void)state;
    for (int i = 0; i < TRAIN_CHECKS; i++) {
        text[i] = (char *)&base;
        text[TRAIN_CHECKS + i] = (char *)(i < TRAIN_CHECKS - 1 ? &is : &last);
    }
    assert_true(fabs(train_score(&t, TRAIN_CHECKS, 0) +
                     0.69314718056 * TRAIN_CHECKS / (2 * TRAIN_CHECKS - 1)) < 1e-9);
    assert_true(train_score(&t, 0, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(badness__by_hand),
        cmocka_unit_test(score__mean_over_checks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
