/* src/meter/phase_test.c - windows by hand, and a check of every picosecond. */
#include "meter/phase.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

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
        cmocka_unit_test(at__of_a_run_without_windows_is_before),
        cmocka_unit_test(at__a_window_begins_with_its_start_and_ends_before_its_stop),
        cmocka_unit_test(overlap__by_hand),
        cmocka_unit_test(overlap__is_a_count_of_picoseconds),
        cmocka_unit_test(add__extends_the_last_window_when_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
