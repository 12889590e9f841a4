/* src/sim/skip/replay_test.c - how well the next of some values is known. */
#include "sim/skip/replay.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void replay_spread__of_equal_values_is_none(void **unused)
{
    const uint64_t value[] = { 500, 500, 500 };

    (void)unused;
    assert_true(replay_spread(value, 3) == 0);
}

/* By hand: 100 and 102 have the mean 101 and the deviation sqrt(2); t(0.975, 1) = 12.706. */
static void replay_spread__of_two_values_by_hand(void **unused)
{
    const uint64_t value[] = { 100, 102 };

    (void)unused;
    assert_true(fabs(replay_spread(value, 2) - 12.706 * sqrt(2) * sqrt(1.5) / 101) < 1e-12);
}

/* 1 .. 5: mean 3, deviation sqrt(2.5), t(0.975, 4) = 2.776. */
static void replay_spread__of_five_values_by_hand(void **unused)
{
    const uint64_t value[] = { 5, 1, 4, 2, 3 };

    (void)unused;
    assert_true(fabs(replay_spread(value, 5) - 2.776 * sqrt(2.5) * sqrt(1.2) / 3) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_spread__of_equal_values_is_none),
        cmocka_unit_test(replay_spread__of_two_values_by_hand),
        cmocka_unit_test(replay_spread__of_five_values_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
