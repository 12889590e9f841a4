#include "sim/nic/gaps.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Edges by hand: 16 bins per octave from 4096 ps on. */
static void bin__matches_its_edges(void **unused)
{
    static const struct { uint64_t gap_ps; uint32_t bin; uint64_t edge_ps; } row[] = {
        { 0, 0, 0 }, { 4095, 0, 0 }, { 4096, 0, 0 }, { 4351, 0, 0 },
        { 4352, 1, 4352 }, { 8191, 15, 7936 }, { 8192, 16, 8192 }, { 8703, 16, 8192 }, { 8704, 17, 8704 },
        { 65536, 64, 65536 }, { 88480, 69, 86016 },
        { (1ull << 40) - 1, 447, 31ull << 35 }, { 1ull << 40, 447, 31ull << 35 },
        { UINT64_MAX, 447, 31ull << 35 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(gaps_bin(row[i].gap_ps), row[i].bin);
        assert_int_equal(gaps_edge_ps(row[i].bin), row[i].edge_ps);
    }
    assert_int_equal(gaps_edge_ps(GAPS_BINS), 1ull << 40);
    for (uint32_t b = 1; b < GAPS_BINS; b++) {
        assert_int_equal(gaps_bin(gaps_edge_ps(b)), b);
        assert_int_equal(gaps_bin(gaps_edge_ps(b) - 1), b - 1);
    }
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Three kinds of gaps: nearly equal, over many octaves, and with a tail like that of a paced queue pair. */
static uint64_t draw(struct rng *r, int kind)
{
    if (kind == 0)
        return 88480 + rng_below(r, 8);
    if (kind == 1)
        return 5000 + (1ull << (13 + rng_below(r, 24))) + rng_below(r, 100000);
    return rng_real(r) < 0.97 ? 88480 : 88480 + (uint64_t)(100e6 * rng_real(r));
}

static void percentile__is_within_a_bin_of_the_exact_one(void **unused)
{
    static const double shares[] = { 0.1, 0.5, 0.9, 0.975, 0.99, 0.999, 0.9999 };
    static struct gaps  g;
    static uint64_t     gap_ps[20000];
    struct rng          r;

    (void)unused;
    rng_init(&r, 5, 0);
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t n = 1; n <= 20000; n *= 20) {
            g = (struct gaps){ 0 };
            for (uint32_t i = 0; i < n; i++)
                gaps_add(&g, gap_ps[i] = draw(&r, kind));
            qsort(gap_ps, n, sizeof *gap_ps, by_size);
            for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
                uint32_t at = (uint32_t)(shares[i] * n);
                double   low = (double)gap_ps[at ? at - 1 : 0], high = (double)gap_ps[at < n ? at : n - 1];
                double   got = (double)gaps_percentile(&g, shares[i]);

                assert_true(got >= low * (1 - 1.0 / 16) && got <= high * (1 + 1.0 / 16));
            }
        }
}

/* A hundred gaps in one bin, [86016, 90112), and a hundred in another, [172032, 180224). */
static void percentile__interpolates_within_a_bin(void **unused)
{
    struct gaps g = { 0 };

    (void)unused;
    assert_int_equal(gaps_percentile(&g, 0.5), 0);
    for (uint32_t i = 0; i < 100; i++)
        gaps_add(&g, 88480), gaps_add(&g, 176960);
    assert_int_equal(gaps_percentile(&g, 0.25), 86016 + 4096 / 2);
    assert_int_equal(gaps_percentile(&g, 0.5), 90112);
    assert_int_equal(gaps_percentile(&g, 0.75), 172032 + 8192 / 2);
}

static void merge__equals_one_histogram(void **unused)
{
    struct gaps a = { 0 }, b = { 0 }, all = { 0 };
    struct rng  r;

    (void)unused;
    rng_init(&r, 6, 0);
    for (uint32_t i = 0; i < 5000; i++) {
        uint64_t gap_ps = draw(&r, (int)(i % 3));

        gaps_add(i % 7 ? &a : &b, gap_ps);
        gaps_add(&all, gap_ps);
    }
    gaps_merge(&b, &a);
    assert_memory_equal(&b, &all, sizeof all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bin__matches_its_edges),
        cmocka_unit_test(percentile__is_within_a_bin_of_the_exact_one),
        cmocka_unit_test(percentile__interpolates_within_a_bin),
        cmocka_unit_test(merge__equals_one_histogram),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
