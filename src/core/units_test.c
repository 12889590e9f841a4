/* src/core/units_test.c - products that do not fit 64 bits.
 *
 * Oracle: multiples, whose quotients are known.
 */
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* a x b + more = c x quotient + rest, with a rest below c: in 64 bits, at their end, and beyond them. */
static void units_divide__truncates(void **unused)
{
    (void)unused;
    assert_int_equal(units_divide(7, 3, 0, 4), 5);
    assert_int_equal(units_divide(7, 3, 3, 4), 6);
    assert_int_equal(units_divide(0, UINT64_MAX, 0, 5), 0);
    assert_int_equal(units_divide(1ull << 32, (1ull << 32) - 1, 0, 1ull << 32), (1ull << 32) - 1);
    assert_int_equal(units_divide(1ull << 32, 1ull << 32, 0, 1ull << 32), 1ull << 32);
    assert_int_equal(units_divide(UINT64_MAX, 1, 1, 2), 1ull << 63);
    assert_int_equal(units_divide(UINT64_MAX, UINT64_MAX, 0, UINT64_MAX), UINT64_MAX);
    assert_int_equal(units_divide(3 * PS_PER_S, 400000000000u, 400000000000u - 2, 400000000000u - 1),
                     3 * PS_PER_S + 8);
}

static void units_share__of_a_window(void **unused)
{
    (void)unused;
    assert_int_equal(units_share(125000, 25000000000u, 100000000000u), 31250);
    assert_int_equal(units_share(125001, 25000000000u, 100000000000u), 31250);
    assert_int_equal(units_share(1ull << 40, 50000000000u, 100000000000u), 1ull << 39);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_divide__truncates),
        cmocka_unit_test(units_share__of_a_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
