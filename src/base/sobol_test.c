#include "base/sobol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

/* What scipy 1.10 (scipy.stats.qmc.Sobol, 40 dimensions, no scrambling, 32 bits) gives. */
static void at__is_what_scipy_gives(void **state)
{
    static const struct { uint32_t index, dimension, at; } rows[] = {
        { 0, 7, 0 },            { 1, 0, 2147483648 },    { 2, 1, 1073741824 },   { 3, 2, 3221225472 },
        { 5, 3, 1610612736 },   { 7, 9, 3758096384 },    { 100, 20, 3254779904 }, { 1000, 39, 2059403264 },
        { 1023, 39, 2998927360 }, { 513, 30, 2671771648 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(rows[i].at, sobol_at(rows[i].dimension, rows[i].index));
}

/* What makes it a Sobol sequence: of the first 2^k points each 2^k-th of every axis has exactly one. */
static void at__has_one_point_in_every_part_of_every_axis(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < SOBOL_DIMENSIONS; d++)
        for (uint32_t k = 0; k <= 10; k++) {
            unsigned char seen[1024] = { 0 };

            for (uint32_t i = 0; i < 1u << k; i++)
                seen[k ? sobol_at(d, i) >> (32 - k) : 0]++;
            for (uint32_t i = 0; i < 1u << k; i++)
                assert_int_equal(1, seen[i]);
        }
}

/* The first two dimensions together: one point in each of the 2^k boxes of every shape 2^-a by 2^-(k-a). */
static void at__fills_boxes_of_every_shape(void **state)
{
    (void)state;
    for (uint32_t a = 0; a <= 8; a++) {
        unsigned char seen[256] = { 0 };

        for (uint32_t i = 0; i < 256; i++) {
            uint32_t x = a ? sobol_at(0, i) >> (32 - a) : 0, y = a < 8 ? sobol_at(1, i) >> (24 + a) : 0;

            seen[x << (8 - a) | y]++;
        }
        for (uint32_t i = 0; i < 256; i++)
            assert_int_equal(1, seen[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at__is_what_scipy_gives),
        cmocka_unit_test(at__has_one_point_in_every_part_of_every_axis),
        cmocka_unit_test(at__fills_boxes_of_every_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
