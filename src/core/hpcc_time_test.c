#include "core/hpcc_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
        cmocka_unit_test(ns_from_seconds__truncates_64_64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
