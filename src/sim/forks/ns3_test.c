#include "sim/forks/ns3.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void frame_ps__truncates_nanoseconds(void **unused)
{
    /* 1048 bytes take 83.84, 335.36, 8384 ns: the last is a whole number, but its double is smaller. */
    static const struct { uint64_t bytes, bps, want_ns; } row[] = {
        { 1048, 100000000000, 83 }, { 60, 100000000000, 4 }, { 43, 100000000000, 3 },
        { 1048, 25000000000, 335 }, { 60, 25000000000, 19 },
        { 1048, 1000000000, 8383 }, { 0, 100000000000, 0 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_int_equal(row[i].want_ns * 1000, ns3_frame_ps((uint32_t)row[i].bytes, row[i].bps));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frame_ps__truncates_nanoseconds) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
