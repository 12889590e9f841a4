#include "core/seen/seen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void bin__every_size_is_between_its_bounds(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes < 1ull << 40; bytes += 1 + bytes / 97) {
        uint32_t bin = seen_bin(bytes);

        assert_true(bin < SEEN_BINS);
        assert_true(seen_bin_min(bin) <= bytes);
        assert_true(bin + 1 == SEEN_BINS || bytes < seen_bin_min(bin + 1));
    }
}

static void bin_min__four_to_the_octave(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < SEEN_BINS; i++)
        assert_true(fabs((double)seen_bin_min(i) / (64 * pow(2, i / 4.0)) - 1) < 0.02);
}

static void add__sums_counts_and_takes_the_last_waiting(void **state)
{
    struct seen a = { .posted = 3, .bin[5] = 2, .done[1] = { 4, 8 }, .waiting[0] = { 7, 70 } };
    struct seen b = { .posted = 1, .bin[5] = 1, .done[1] = { 1, 3 }, .waiting[0] = { 2, 30 } };
    struct outcomes p;

    (void)state;
    seen_add(&a, &b);
    assert_int_equal(a.posted, 4);
    assert_int_equal(a.bin[5], 3);
    p = seen_outcomes(&a);
    assert_true(p.messages[1] == 5 && p.slowdowns[1] == 11);
    assert_true(p.messages[0] == 2 && p.slowdowns[0] == 30 && p.unfinished == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bin__every_size_is_between_its_bounds),
        cmocka_unit_test(bin_min__four_to_the_octave),
        cmocka_unit_test(add__sums_counts_and_takes_the_last_waiting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
