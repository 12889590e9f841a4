/* src/core/meter/fct_test.c - rows computed by hand, and a sorted list as an independent quantile. */
#include "core/meter/fct.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HIST_ERROR 0.0005        /* half a bucket of base/hist.h */

static struct flow_result flow(uint32_t traffic, uint64_t bytes, uint64_t fct_ps, uint64_t ideal_ps)
{
    return (struct flow_result){ .traffic = traffic, .bytes = bytes, .fct_ps = fct_ps, .ideal_ps = ideal_ps };
}

static void add(struct fct *f, uint32_t traffic, uint64_t bytes, uint64_t fct_ps, uint64_t ideal_ps)
{
    struct flow_result r = flow(traffic, bytes, fct_ps, ideal_ps);

    fct_add(f, &r);
}

static void assert_near(double is, double should_be, double relative)
{
    if (fabs(is - should_be) > relative * fabs(should_be))
        fail_msg("%.12g is not %.12g", is, should_be);
}

static void slowdown__is_fct_over_ideal(void **state)
{
    struct flow_result r = flow(0, 1000, 7000000, 2000000);

    (void)state;
    assert_true(fct_slowdown(&r) == 3.5);
}

static void slowdown__is_never_below_one(void **state)
{
    struct flow_result r = flow(0, 1000, 1999000, 2000000);

    (void)state;
    assert_true(fct_slowdown(&r) == 1);
}

static void add__sorts_by_size_at_the_boundaries(void **state)
{
    static const struct { uint64_t bytes; uint32_t bucket; } rows[] = {
        { 1, 0 },      { 9999, 0 },    { 10000, 1 },   { 99999, 1 },
        { 100000, 2 }, { 999999, 2 },  { 1000000, 3 }, { 1ull << 48, 3 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct fct f;

        fct_init(&f, 1, NULL);
        add(&f, 0, rows[i].bytes, 2, 1);
        for (uint32_t b = 0; b < FCT_BUCKETS; b++)
            assert_int_equal(f.bucket[b].count, b == rows[i].bucket);
        assert_int_equal(f.bucket[rows[i].bucket].bytes, rows[i].bytes);
        assert_int_equal(fct_bucket_of(rows[i].bytes), rows[i].bucket);
        fct_fini(&f);
    }
}

static void add__counts_by_entry_and_in_all(void **state)
{
    struct flow_result again = flow(2, 300, 4, 1);
    struct fct f;

    (void)state;
    fct_init(&f, 3, NULL);
    add(&f, 0, 100, 2, 1);
    add(&f, 2, 200, 3, 1);
    again.resent_bytes = 50;
    fct_add(&f, &again);
    assert_int_equal(f.entry[0].count, 1);
    assert_int_equal(f.entry[1].count, 0);
    assert_int_equal(f.entry[2].count, 2);
    assert_int_equal(f.entry[2].bytes, 500);
    assert_int_equal(f.entry[2].resent_bytes, 50);
    assert_int_equal(f.all.count, 3);
    assert_int_equal(f.all.bytes, 600);
    fct_fini(&f);
}

/* Slowdowns 1, 2, 3 and 6; FCTs 10, 20, 30 and 60 us. */
static void stats__of_four_flows_by_hand(void **state)
{
    static const uint64_t slowdowns[] = { 3, 1, 6, 2 };
    struct fct_stats slowdown, us;
    struct fct f;

    (void)state;
    fct_init(&f, 1, NULL);
    for (int i = 0; i < 4; i++)
        add(&f, 0, 1000, slowdowns[i] * 10000000, 10000000);
    slowdown = fct_slowdown_stats(&f.all);
    us = fct_us_stats(&f.all);
    assert_true(slowdown.mean == 3);
    assert_near(slowdown.p50, 3, HIST_ERROR);        /* index floor(4 * 0.5) = 2 */
    assert_near(slowdown.p95, 6, HIST_ERROR);
    assert_true(slowdown.max == 6);
    assert_true(us.mean == 30);
    assert_near(us.p50, 30, HIST_ERROR);
    assert_near(us.p999, 60, HIST_ERROR);
    assert_true(us.max == 60);
    fct_fini(&f);
}

static void stats__without_flows_are_zero(void **state)
{
    struct fct_stats s;
    struct fct f;

    (void)state;
    fct_init(&f, 1, NULL);
    s = fct_slowdown_stats(&f.all);
    assert_true(s.mean == 0 && s.p50 == 0 && s.max == 0);
    s = fct_us_stats(&f.entry[0]);
    assert_true(s.mean == 0 && s.p999 == 0 && s.max == 0);
    fct_fini(&f);
}

/* Longer than a day in picoseconds, and sums that do not fit 64 bits. */
static void stats__of_very_long_flows(void **state)
{
    uint64_t day_ps = 86400ull * 1000000000000ull;
    struct fct_stats us;
    struct fct f;

    (void)state;
    fct_init(&f, 1, NULL);
    for (int i = 0; i < 1000; i++)
        add(&f, 0, 1, day_ps, day_ps / 1000);
    us = fct_us_stats(&f.all);
    assert_near(us.mean, 86400e6, 1e-12);
    assert_near(us.max, 86400e6, 1e-12);
    assert_near(fct_slowdown_stats(&f.all).mean, 1000, 1e-12);
    fct_fini(&f);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void stats__agree_with_a_sorted_list(void **state)
{
    enum { N = 20000 };
    double *sorted = malloc(N * sizeof(*sorted)), sum = 0;
    struct rng rng;
    struct fct_stats s;
    struct fct f;

    (void)state;
    rng_init(&rng, 5, 0);
    fct_init(&f, 1, NULL);
    for (int i = 0; i < N; i++) {
        uint64_t fct_ps = 1000000 + (uint64_t)(1e9 * rng_real(&rng) * rng_real(&rng));

        sorted[i] = (double)fct_ps / 1000000;
        sum += sorted[i];
        add(&f, 0, 1, fct_ps, 1000000);
    }
    qsort(sorted, N, sizeof(*sorted), by_value);
    s = fct_slowdown_stats(&f.all);
    assert_near(s.mean, sum / N, 1e-9);
    assert_near(s.p50, sorted[N / 2], HIST_ERROR);
    assert_near(s.p95, sorted[N / 100 * 95], HIST_ERROR);
    assert_near(s.p99, sorted[N / 100 * 99], HIST_ERROR);
    assert_near(s.p999, sorted[N / 1000 * 999], HIST_ERROR);
    assert_true(s.max == sorted[N - 1]);
    fct_fini(&f);
    free(sorted);
}

/* Bit for bit: the order in which flows finish must not matter. */
static void stats__do_not_depend_on_the_order(void **state)
{
    struct fct up, down;

    (void)state;
    fct_init(&up, 1, NULL);
    fct_init(&down, 1, NULL);
    for (uint64_t i = 1; i <= 1000; i++) {
        add(&up, 0, i, 1000 + i * i * i, 1000);
        add(&down, 0, 1001 - i, 1000 + (1001 - i) * (1001 - i) * (1001 - i), 1000);
    }
    assert_true(fct_slowdown_stats(&up.all).mean == fct_slowdown_stats(&down.all).mean);
    assert_true(fct_us_stats(&up.all).mean == fct_us_stats(&down.all).mean);
    assert_true(fct_slowdown_stats(&up.all).p99 == fct_slowdown_stats(&down.all).p99);
    fct_fini(&up);
    fct_fini(&down);
}

static void size_min__goes_1_2_5(void **state)
{
    static const uint64_t first[] = { 0, 100, 200, 500, 1000, 2000, 5000, 10000 };

    (void)state;
    for (uint32_t i = 0; i < sizeof(first) / sizeof(*first); i++)
        assert_int_equal(fct_size_min(i), first[i]);
    assert_int_equal(fct_size_min(FCT_SIZES - 1), 5000000000);
    assert_int_equal(fct_size_min(FCT_SIZES), UINT64_MAX);
}

static void add__puts_a_flow_into_its_size_class(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FCT_SIZES; i++) {
        struct fct f;

        fct_init(&f, 1, NULL);
        add(&f, 0, fct_size_min(i) ? fct_size_min(i) : 1, 2, 1);
        add(&f, 0, fct_size_min(i + 1) - 1, 2, 1);
        assert_int_equal(f.size[i].count, 2);
        fct_fini(&f);
    }
}

static void add__distinguishes_mice_and_elephants(void **state)
{
    struct fct f;

    (void)state;
    fct_init(&f, 1, NULL);
    add(&f, 0, 119999, 2, 1);
    add(&f, 0, 120000, 2, 1);        /* neither */
    add(&f, 0, 999999, 2, 1);
    add(&f, 0, 1000000, 3, 1);
    add(&f, 0, 5000000, 5, 1);
    assert_int_equal(f.mice.count, 1);
    assert_int_equal(f.mice.bytes, 119999);
    assert_int_equal(f.elephants.count, 2);
    assert_true(fct_slowdown_stats(&f.elephants).mean == 4);
    fct_fini(&f);
}

/* A flow belongs to the phase it starts in, wherever it ends. */
static void add__splits_by_the_phase_of_the_start(void **state)
{
    static const struct { uint64_t start_ps; enum phase phase; } rows[] = {
        { 0, PHASE_BEFORE }, { 99, PHASE_BEFORE }, { 100, PHASE_DURING }, { 199, PHASE_DURING },
        { 200, PHASE_AFTER },
    };
    struct phases phases = { 0 };
    struct fct f;

    (void)state;
    phases_add(&phases, 100, 200);
    fct_init(&f, 2, &phases);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct flow_result r = flow(i % 2, 10, 1000, 1);

        r.start_ps = rows[i].start_ps;
        fct_add(&f, &r);
        assert_true(f.entry_phase[(i % 2) * PHASES + rows[i].phase].count > 0);
    }
    assert_int_equal(f.phase[PHASE_BEFORE].count, 2);
    assert_int_equal(f.phase[PHASE_DURING].count, 2);
    assert_int_equal(f.phase[PHASE_AFTER].count, 1);
    assert_int_equal(f.entry_phase[0 * PHASES + PHASE_BEFORE].count, 1);
    assert_int_equal(f.entry_phase[1 * PHASES + PHASE_AFTER].count, 0);
    fct_fini(&f);
}

static void add__without_windows_there_are_no_phases(void **state)
{
    struct phases none = { 0 };
    struct fct f;

    (void)state;
    fct_init(&f, 1, &none);
    add(&f, 0, 10, 2, 1);
    assert_int_equal(f.phase[PHASE_BEFORE].count, 0);
    assert_int_equal(f.all.count, 1);
    fct_fini(&f);
}

static void add__records_the_first_start_and_the_last_end(void **state)
{
    static const uint64_t times[][2] = { { 500, 100 }, { 300, 50 }, { 310, 900 }, { 600, 1 } };
    struct fct f;

    (void)state;
    fct_init(&f, 1, NULL);
    for (int i = 0; i < 4; i++) {
        struct flow_result r = flow(0, 10, times[i][1], 1);

        r.start_ps = times[i][0];
        fct_add(&f, &r);
    }
    assert_int_equal(f.entry[0].first_ps, 300);
    assert_int_equal(f.entry[0].last_ps, 1210);
    fct_fini(&f);
}

/* ---- phase ---- */

/* Windows by hand, and a check of every picosecond. */

static void at__of_a_run_without_windows_is_before(void **state)
{
    struct phases p = { 0 };

    (void)state;
    assert_int_equal(phases_at(&p, 0), PHASE_BEFORE);
    assert_int_equal(phases_at(&p, UINT64_MAX), PHASE_BEFORE);
    assert_int_equal(phases_overlap_ps(&p, PHASE_BEFORE, 10, 35), 25);
    assert_int_equal(phases_overlap_ps(&p, PHASE_DURING, 10, 35), 0);
}

static void at__a_window_begins_with_its_start_and_ends_before_its_stop(void **state)
{
    static const struct { uint64_t at_ps; enum phase is; } rows[] = {
        { 0, PHASE_BEFORE },  { 99, PHASE_BEFORE }, { 100, PHASE_DURING }, { 199, PHASE_DURING },
        { 200, PHASE_AFTER }, { 299, PHASE_AFTER }, { 300, PHASE_DURING }, { 400, PHASE_AFTER },
    };
    struct phases p = { 0 };

    (void)state;
    phases_add(&p, 300, 400);        /* in any order */
    phases_add(&p, 100, 200);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(phases_at(&p, rows[i].at_ps), rows[i].is);
}

/* before 0-100, during 100-200, between 200-300 (after), during 300-400, after. */
static void overlap__by_hand(void **state)
{
    static const struct { uint64_t from, to, before, during, after; } rows[] = {
        { 0, 50, 50, 0, 0 },    { 50, 150, 50, 50, 0 },     { 0, 1000, 100, 200, 700 },
        { 120, 130, 0, 10, 0 }, { 150, 350, 0, 100, 100 },  { 400, 500, 0, 0, 100 },
        { 77, 77, 0, 0, 0 },    { 99, 101, 1, 1, 0 },
    };
    struct phases p = { 0 };

    (void)state;
    phases_add(&p, 100, 200);
    phases_add(&p, 300, 400);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(phases_overlap_ps(&p, PHASE_BEFORE, rows[i].from, rows[i].to), rows[i].before);
        assert_int_equal(phases_overlap_ps(&p, PHASE_DURING, rows[i].from, rows[i].to), rows[i].during);
        assert_int_equal(phases_overlap_ps(&p, PHASE_AFTER, rows[i].from, rows[i].to), rows[i].after);
    }
}

/* Windows that overlap, touch, or never end. */
static void overlap__is_a_count_of_picoseconds(void **state)
{
    struct rng rng;

    (void)state;
    rng_init(&rng, 11, 0);
    for (int round = 0; round < 200; round++) {
        uint64_t      count[PHASES] = { 0 }, from = rng_below(&rng, 100), to = from + rng_below(&rng, 200);
        struct phases p = { 0 };

        for (uint64_t n = rng_below(&rng, 5); n > 0; n--) {
            uint64_t start = rng_below(&rng, 200);

            phases_add(&p, start, n == 4 ? UINT64_MAX : start + rng_below(&rng, 60));
        }
        for (uint64_t at = from; at < to; at++)
            count[phases_at(&p, at)]++;
        for (int i = 0; i < PHASES; i++)
            assert_int_equal(phases_overlap_ps(&p, (enum phase)i, from, to), count[i]);
    }
}

static void add__extends_the_last_window_when_full(void **state)
{
    struct phases p = { 0 };

    (void)state;
    for (uint64_t i = 0; i < PHASE_WINDOWS_MAX + 10; i++)
        phases_add(&p, 100 * i, 100 * i + 10);
    assert_int_equal(p.windows, PHASE_WINDOWS_MAX);
    assert_int_equal(phases_at(&p, 100 * (PHASE_WINDOWS_MAX - 2) + 50), PHASE_AFTER);
    assert_int_equal(phases_at(&p, 100 * (PHASE_WINDOWS_MAX + 5) + 50), PHASE_DURING);
    assert_int_equal(phases_at(&p, 100 * (PHASE_WINDOWS_MAX + 9) + 10), PHASE_AFTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slowdown__is_fct_over_ideal),
        cmocka_unit_test(slowdown__is_never_below_one),
        cmocka_unit_test(add__sorts_by_size_at_the_boundaries),
        cmocka_unit_test(add__counts_by_entry_and_in_all),
        cmocka_unit_test(stats__of_four_flows_by_hand),
        cmocka_unit_test(stats__without_flows_are_zero),
        cmocka_unit_test(stats__of_very_long_flows),
        cmocka_unit_test(stats__agree_with_a_sorted_list),
        cmocka_unit_test(stats__do_not_depend_on_the_order),
        cmocka_unit_test(size_min__goes_1_2_5),
        cmocka_unit_test(add__puts_a_flow_into_its_size_class),
        cmocka_unit_test(add__distinguishes_mice_and_elephants),
        cmocka_unit_test(add__splits_by_the_phase_of_the_start),
        cmocka_unit_test(add__without_windows_there_are_no_phases),
        cmocka_unit_test(add__records_the_first_start_and_the_last_end),
        cmocka_unit_test(at__of_a_run_without_windows_is_before),
        cmocka_unit_test(at__a_window_begins_with_its_start_and_ends_before_its_stop),
        cmocka_unit_test(overlap__by_hand),
        cmocka_unit_test(overlap__is_a_count_of_picoseconds),
        cmocka_unit_test(add__extends_the_last_window_when_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
