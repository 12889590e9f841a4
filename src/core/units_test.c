/* src/core/units_test.c - products that do not fit 64 bits.
 *
 * Oracle: multiples, whose quotients are known.
 */
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* (a x b + more) / c, rounded down: for products that fit 64 bits, just fit them, or exceed them. */
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

/* ---- hpcc_time ---- */

static void ns_from_seconds__truncates_64_64(void **unused)
{
    /* A double below its decimal (2.001, 0.3) loses a nanosecond; so does 1e-9, truncated at 2^-64. */
    static const struct { double seconds; uint64_t want_ns; } row[] = {
        { 0, 0 }, { 2, 2000000000 }, { 2.001, 2000999999 }, { 2.5, 2500000000 }, { 1e-9, 0 },
        { 0.1, 100000000 }, { 2.1, 2100000000 }, { 2.000005624, 2000005623 }, { 0.3, 299999999 },
        { 1e6, 1000000000000000 }, { 0x1p-31, 0 }, { 3 * 0x1p-30, 2 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(row[i].want_ns, hpcc_ns_from_seconds(row[i].seconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_divide__truncates),
        cmocka_unit_test(units_share__of_a_window),
        cmocka_unit_test(ns_from_seconds__truncates_64_64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
