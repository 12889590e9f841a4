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

/* ---- kl ---- */

static bool is_near(double a, double b, double error)
{
    return a > b - error && a < b + error;
}

/* 0.5 ln(0.5/0.9) + 0.5 ln(0.5/0.1) = 0.5 ln(25/9); 0.9 ln(9/5) + 0.1 ln(1/5) */
static void divergence__has_known_values(void **unused)
{
    static const uint64_t even[] = { 1, 1 }, uneven[] = { 9, 1 };
    static const uint64_t three[] = { 1, 2, 1 }, other[] = { 2, 1, 1 };

    (void)unused;
    assert_true(is_near(kl_divergence(even, uneven, 2, 0), 0.5108256237659907, 1e-15));
    assert_true(is_near(kl_divergence(uneven, even, 2, 0), 0.3680642071684971, 1e-15));
    assert_true(is_near(kl_divergence(three, other, 3, 0), 0.25 * 0.6931471805599453, 1e-15));
    assert_true(kl_divergence(even, even, 2, 0) == 0);
}

/* Shares of elephants between which theta = 0.01 is not exceeded, to three digits. */
static void divergence__has_the_known_sensitivity(void **unused)
{
    static const struct { uint64_t before, low, high; } rows[] = {       /* thousandths */
        { 20, 4, 43 }, { 50, 22, 84 }, { 100, 60, 145 }, { 500, 429, 571 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint64_t before[] = { rows[i].before, 1000 - rows[i].before };

        for (uint64_t share = 1; share < 1000; share++) {
            const uint64_t now[] = { share, 1000 - share };
            bool is_far = kl_divergence(now, before, 2, 0) > KL_THETA;

            if (share < rows[i].low || share > rows[i].high)
                assert_true(is_far);
            if (share > rows[i].low && share < rows[i].high)
                assert_false(is_far);
        }
    }
}

/* (1 + e) / (1 + 2 e) against e / (1 + 2 e), e = 0.001 */
static void divergence__is_finite_for_empty_bins(void **unused)
{
    static const uint64_t first[] = { 7, 0 }, second[] = { 0, 7 }, none[] = { 0, 0 }, even[] = { 3, 3 };

    (void)unused;
    assert_true(is_near(kl_divergence(first, second, 2, 1e-3), 6.894964849616, 1e-11));
    assert_true(kl_divergence(first, second, 2, 0) == KL_MAX);
    assert_true(kl_divergence(none, none, 2, 1e-3) == 0);
    assert_true(kl_divergence(none, even, 2, 1e-3) == 0);
    assert_true(kl_divergence(none, first, 2, 1e-3) > 1);
}

static void trigger__compares_with_the_interval_before(void **unused)
{
    static const struct { uint64_t elephants, mice; bool fires; } rows[] = {
        { 50, 50, false },       /* empty before: uniform */
        { 57, 43, false }, { 50, 50, false }, { 58, 42, true }, { 58, 42, false },
        { 0, 0, false },         /* ignored */
        { 59, 41, false }, { 0, 100, true }, { 0, 200, false }, { 1, 199, false }, { 100, 0, true },
    };
    struct kl_trigger t;

    (void)unused;
    kl_trigger_init(&t, KL_THETA, KL_EPSILON);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct fsd f = { .elephants = rows[i].elephants * FSD_ONE, .mice = rows[i].mice * FSD_ONE };

        assert_int_equal(kl_trigger_step(&t, &f), rows[i].fires);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bin__doubles),
        cmocka_unit_test(add__adds_everything),
        cmocka_unit_test(accuracy__falls_by_the_difference_of_both_shares),
        cmocka_unit_test(divergence__has_known_values),
        cmocka_unit_test(divergence__has_the_known_sensitivity),
        cmocka_unit_test(divergence__is_finite_for_empty_bins),
        cmocka_unit_test(trigger__compares_with_the_interval_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
