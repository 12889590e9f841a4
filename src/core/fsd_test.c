#include "core/fsd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void bin__doubles(void **unused)
{
    static const struct { uint64_t bytes; uint32_t bin; } rows[] = {
        { 0, 0 }, { 1, 0 }, { 127, 0 }, { 128, 1 }, { 255, 1 }, { 256, 2 }, { 1000000, 13 },
        { 1ull << 37, 31 }, { (1ull << 37) - 1, 30 }, { UINT64_MAX, 31 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(fsd_bin(rows[i].bytes), rows[i].bin);
}

static void add__adds_everything(void **unused)
{
    struct fsd a = { .elephants = 1, .mice = 2 }, b = { .elephants = 10, .mice = 20 };

    (void)unused;
    for (uint32_t i = 0; i < FSD_BINS; i++)
        a.bin[i] = i, b.bin[i] = 100 * i;
    fsd_add(&a, &b);
    assert_int_equal(a.elephants, 11);
    assert_int_equal(a.mice, 22);
    for (uint32_t i = 0; i < FSD_BINS; i++)
        assert_int_equal(a.bin[i], 101 * i);
}

/* One elephant in four against one in two: both shares differ by a quarter. */
static void accuracy__falls_by_the_difference_of_both_shares(void **unused)
{
    struct fsd quarter = { .elephants = 1, .mice = 3 }, half = { .elephants = 5, .mice = 5 }, empty = { 0 };

    (void)unused;
    assert_true(fsd_elephant_share(&quarter) == 0.25);
    assert_true(fsd_accuracy(&quarter, &half) == 0.5);
    assert_true(fsd_accuracy(&half, &quarter) == 0.5);
    assert_true(fsd_accuracy(&half, &half) == 1);
    assert_true(fsd_accuracy(&empty, &half) == 0);
    assert_true(fsd_accuracy(&empty, &empty) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bin__doubles),
        cmocka_unit_test(add__adds_everything),
        cmocka_unit_test(accuracy__falls_by_the_difference_of_both_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
