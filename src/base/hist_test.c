#include "base/err.h"
#include "base/hist.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct hist *new_hist(void)
{
    return xcalloc(1, sizeof(struct hist));
}

static void quantile__without_samples_is_0(void **unused)
{
    struct hist *h = new_hist();

    (void)unused;
    assert_true(hist_quantile(h, 0.5) == 0);
    assert_true(h->min == 0 && h->max == 0);
    free(h);
}

static void quantile__is_exact_at_the_ends(void **unused)
{
    static const double value[] = { 1.23456789, 77.7, 3.3333333, 1e9 / 7 };
    struct hist *h = new_hist();

    (void)unused;
    for (int i = 0; i < 4; i++)
        hist_add(h, value[i]);
    assert_true(hist_quantile(h, 0) == 1.23456789);
    assert_true(hist_quantile(h, 1) == 1e9 / 7);
    assert_true(hist_quantile(h, 0.99) == 1e9 / 7);          /* index 3 of 0..3 */
    free(h);
}

/* The middle of a bucket lies below some of its values and above others. */
static void quantile__lies_between_the_ends(void **unused)
{
    static const double value[] = { 1.0000001, 1.9999999, 77.7 };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct hist *h = new_hist();

        for (int n = 0; n < 4; n++)
            hist_add(h, value[i]);
        assert_true(hist_quantile(h, 0.5) == value[i]);
        free(h);
    }
}

static void quantile__takes_the_sample_of_that_index(void **unused)
{
    struct hist *h = new_hist();

    (void)unused;
    for (int i = 100; i >= 1; i--)
        hist_add(h, i);
    /* Of the sorted values 1 .. 100, the one with index floor(100 p) is floor(100 p) + 1. */
    assert_true(fabs(hist_quantile(h, 0.5) - 51) <= 51 * 0.0005);
    assert_true(fabs(hist_quantile(h, 0.25) - 26) <= 26 * 0.0005);
    assert_true(fabs(hist_quantile(h, 0.95) - 96) <= 96 * 0.0005);
    assert_true(hist_quantile(h, 0.99) == 100);
    free(h);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void quantile__is_near_the_exact_one(void **unused)
{
    enum { N = 20000 };
    double *sample = xmalloc(N * sizeof(*sample));
    struct hist *h = new_hist();
    struct rng r;

    (void)unused;
    rng_init(&r, 1, 0);
    for (int i = 0; i < N; i++) {            /* over all octaves */
        sample[i] = (1 + rng_real(&r)) * rng_pow(2, rng_below(&r, HIST_HIGH - HIST_LOW)) / 4;
        hist_add(h, sample[i]);
    }
    qsort(sample, N, sizeof(*sample), by_value);
    for (int p = 0; p <= 1000; p++) {
        int index = (int)(N * (p / 1000.0));
        double want = sample[index < N ? index : N - 1];

        assert_true(fabs(hist_quantile(h, p / 1000.0) - want) <= want * 0.0005);
    }
    free(h);
    free(sample);
}

static void add__counts_values_outside_at_the_ends(void **unused)
{
    static const double value[] = { 0, -1, 1e-300, 0x1p-3, 0x1p46, 1e300, INFINITY };
    struct hist *h = new_hist();

    (void)unused;
    for (int i = 0; i < 7; i++)
        hist_add(h, value[i]);
    assert_int_equal(7, h->count);
    assert_int_equal(4, h->bucket[0]);
    assert_int_equal(3, h->bucket[HIST_SIZE - 1]);
    assert_true(h->min == -1 && h->max == INFINITY);
    free(h);
}

static void add__puts_the_limits_into_the_right_bucket(void **unused)
{
    struct hist *h = new_hist();

    (void)unused;
    hist_add(h, 0.25);
    hist_add(h, 0.25 * (1 + 0x1p-10));
    hist_add(h, 1);
    hist_add(h, nextafter(0x1p46, 0));
    assert_int_equal(1, h->bucket[0]);
    assert_int_equal(1, h->bucket[1]);
    assert_int_equal(1, h->bucket[2 << HIST_BITS]);
    assert_int_equal(1, h->bucket[HIST_SIZE - 1]);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantile__without_samples_is_0),
        cmocka_unit_test(quantile__is_exact_at_the_ends),
        cmocka_unit_test(quantile__lies_between_the_ends),
        cmocka_unit_test(quantile__takes_the_sample_of_that_index),
        cmocka_unit_test(quantile__is_near_the_exact_one),
        cmocka_unit_test(add__counts_values_outside_at_the_ends),
        cmocka_unit_test(add__puts_the_limits_into_the_right_bucket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
