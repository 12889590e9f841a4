/* src/study/run/sampling_test.c - when a run is sampled. simulation_test.c tests that it has enough
 * points. */
#include "study/run/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void of__a_given_interval_is_the_point(void **state)
{
    struct scenario s = { .interval_ps = 30 * PS_PER_US, .has_interval = true };
    struct pace p = pace_of(&s, 10, false);
    struct series none = { .merged = 4, .intervals = 7 };

    (void)state;
    assert_true(!p.is_growing && p.point_ps == s.interval_ps && p.interval_ps == s.interval_ps);
    assert_int_equal(pace_next_ps(&p, &none, 60 * PS_PER_US), 90 * PS_PER_US);
    assert_int_equal(pace_points(&p, 10), 1);
}

/* Results have the same rows, whether packets may be skipped or not. */
static void of__fidelity_fast_changes_nothing(void **state)
{
    struct scenario s = { .interval_ps = PS_PER_MS }, fast = { .interval_ps = PS_PER_MS, .cfg.is_fast = true };
    struct pace     a = pace_of(&s, 10, false), b = pace_of(&fast, 10, false);

    (void)state;
    assert_true(a.is_growing && b.is_growing);
    assert_int_equal(a.point_ps, b.point_ps);
    assert_int_equal(a.interval_ps, b.interval_ps);
}

static void of__many_ports_have_longer_points(void **state)
{
    struct scenario s = { .interval_ps = PS_PER_MS };

    (void)state;
    assert_int_equal(pace_of(&s, 1024, false).point_ps, PS_PER_US / 8);
    assert_int_equal(pace_of(&s, 4096, false).point_ps, PS_PER_US / 2);
    assert_int_equal(pace_of(&s, 1u << 20, false).point_ps, PS_PER_MS);
    assert_int_equal(pace_of(&s, 1024, true).point_ps * SERIES_POINTS, PS_PER_MS);
    assert_int_equal(pace_of(&s, 1u << 20, true).point_ps, PS_PER_MS);
}

/* 2 hosts at 40 Gb/s send 10 GB in a second. */
static void reached_ps__is_the_middle_of_random_traffic(void **state)
{
    struct traffic_about entry[] = { { .start_ps = 5 * PS_PER_MS, .stop_ps = NEVER, .hosts = 2 },
                                     { .start_ps = PS_PER_S, .stop_ps = NEVER, .hosts = 2, .load = 0.4,
                                       .bps_per_host = 40e9 } };
    struct scenario      s = { .entry = entry, .entries = 1, .run_ps = NEVER };

    (void)state;
    assert_int_equal(pace_reached_ps(&s), 5 * PS_PER_MS);
    s.entries = 2;
    assert_int_equal(pace_reached_ps(&s), 5 * PS_PER_MS);        /* its end is unknown */
    s.run_ps = 2 * PS_PER_S;
    assert_int_equal(pace_reached_ps(&s), 3 * PS_PER_S / 2);
    entry[1].stop_ps = PS_PER_S + PS_PER_S / 11;                 /* less than 1 GB: it may end early */
    assert_int_equal(pace_reached_ps(&s), 5 * PS_PER_MS);
    s.entries = 0;
    assert_int_equal(pace_reached_ps(&s), 0);
}

/* After a doubling, the current point is completed first; no interval end is skipped. */
static void next_ps__completes_points_and_intervals(void **state)
{
    struct scenario s = { .interval_ps = PS_PER_MS };
    struct pace alone = pace_of(&s, 10, false), read = pace_of(&s, 10, true);
    struct series at = { .merged = 2, .intervals = 513 };
    uint64_t point = alone.point_ps;

    (void)state;
    assert_int_equal(pace_next_ps(&alone, &at, 513 * point), 514 * point);
    at.intervals = 514;
    assert_int_equal(pace_next_ps(&alone, &at, 514 * point), 516 * point);
    assert_int_equal(pace_points(&alone, 2 * point), 2);
    at = (struct series){ .merged = 1024, .intervals = 512 };
    assert_int_equal(pace_next_ps(&read, &at, PS_PER_MS), 2 * PS_PER_MS);
    assert_true(pace_is_interval(&read, 2 * PS_PER_MS) &&
                !pace_is_interval(&read, 2 * PS_PER_MS - read.point_ps));
    assert_false(pace_is_interval(&alone, PS_PER_MS));
}

/* A list of flows from 2 s on: no points before. With an influx, what is before it counts. */
static void next_ps__begins_with_the_first_flow(void **state)
{
    struct traffic_about entry = { .start_ps = 2 * PS_PER_S + 300, .stop_ps = NEVER };
    struct scenario      s = { .entry = &entry, .entries = 1, .run_ps = NEVER, .interval_ps = PS_PER_MS };
    struct pace          alone = pace_of(&s, 10, false), read = pace_of(&s, 10, true);
    struct series        at = { .merged = 1 };

    (void)state;
    assert_int_equal(pace_next_ps(&alone, &at, 0), 2 * PS_PER_S);
    assert_int_equal(pace_next_ps(&alone, &at, 2 * PS_PER_S), 2 * PS_PER_S + alone.point_ps);
    assert_int_equal(pace_next_ps(&read, &at, 0), PS_PER_MS);    /* a tuner's intervals begin at 0 */
    assert_int_equal(pace_next_ps(&read, &at, 2 * PS_PER_S), 2 * PS_PER_S + read.point_ps);
    entry.is_influx = true;
    assert_int_equal(pace_of(&s, 10, false).origin_ps, 0);
}

static void points__are_rounded_up(void **state)
{
    static const struct pace growing = { .point_ps = 100, .is_growing = true };

    (void)state;
    assert_int_equal(pace_points(&growing, 300), 3);
    assert_int_equal(pace_points(&growing, 301), 4);
    assert_int_equal(pace_points(&growing, 99), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of__a_given_interval_is_the_point),
        cmocka_unit_test(of__fidelity_fast_changes_nothing),
        cmocka_unit_test(of__many_ports_have_longer_points),
        cmocka_unit_test(reached_ps__is_the_middle_of_random_traffic),
        cmocka_unit_test(next_ps__completes_points_and_intervals),
        cmocka_unit_test(next_ps__begins_with_the_first_flow),
        cmocka_unit_test(points__are_rounded_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
