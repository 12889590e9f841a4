/* src/live/core/guard_test.c - sequences of intervals, and the guard's verdict on each. */
#include "live/core/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

struct row { uint64_t retransmissions, drops, storms; double paused, control; bool is_open, has_control;
             const char *says; };

static void check_rows(const struct row *row, size_t count)
{
    struct guard_limits l = GUARD_LIMITS;
    struct guard        g = { 0 };

    for (size_t i = 0; i < count; i++) {
        struct msg_sample s = { .interval_us = 1000000, .retransmissions = row[i].retransmissions,
                                .lossless_drops = row[i].drops, .watchdog = row[i].storms,
                                .paused = row[i].paused };
        char              why[MSG_WHY_SIZE] = "";
        bool              is_broken = guard_check(&g, &l, &s, row[i].is_open,
                                                  row[i].has_control ? row[i].control : NAN, why);

        if (is_broken != (row[i].says != NULL) || (is_broken && !strstr(why, row[i].says)))
            fail_msg("row %zu: '%s'", i, why);
    }
}

static void check__one_drop_or_storm_is_enough(void **unused)
{
    static const struct row row[] = { { .says = NULL }, { .drops = 1, .says = "lossless" }, { .says = NULL },
                                      { .storms = 1, .is_open = true, .says = "watchdog" } };

    (void)unused;
    check_rows(row, sizeof row / sizeof *row);
}

static void check__pauses_must_last(void **unused)
{
    static const struct row row[] = { { .paused = 0 }, { .paused = 0.06, .is_open = true },
                                      { .paused = 0.04, .is_open = true },
                                      { .paused = 0.06, .is_open = true },
                                      { .paused = 0.06, .is_open = true, .says = "6.0 %" },
                                      { .paused = 0.05, .is_open = true }, { .paused = 1, .is_open = true } };

    (void)unused;
    check_rows(row, sizeof row / sizeof *row);
}

/* The limits by hand: 40 % if the usual share is 20 %, and 90 % if it is 80 %. */
static void check__compares_pauses_with_the_usual_share(void **unused)
{
    static const struct row row[] = {
        { .paused = 0.2 }, { .paused = 0.2 },                    /* a fabric that needs tuning */
        { .paused = 0.39, .is_open = true }, { .paused = 0.39, .is_open = true },
        { .paused = 0.39, .is_open = true }, { .paused = 0.41, .is_open = true },
        { .paused = 0.41, .is_open = true, .says = "up to 40.0 %" },
    };
    static const struct row much[] = {
        { .paused = 0.8 }, { .paused = 0.89, .is_open = true }, { .paused = 0.89, .is_open = true },
        { .paused = 0.91, .is_open = true }, { .paused = 0.91, .is_open = true, .says = "up to 90.0 %" },
    };

    (void)unused;
    check_rows(row, sizeof row / sizeof *row);
    check_rows(much, sizeof much / sizeof *much);
}

static void check__compares_pauses_with_the_control_group(void **unused)
{
    static const struct row row[] = {
        { .paused = 0 },                                         /* then the load rises everywhere: */
        { .paused = 0.3, .is_open = true, .has_control = true, .control = 0.3 },
        { .paused = 0.3, .is_open = true, .has_control = true, .control = 0.3 },
        { .paused = 0.3, .is_open = true, .has_control = true, .control = 0.01 },        /* only here */
        { .paused = 0.3, .is_open = true, .has_control = true, .control = 0.01, .says = "30.0 %" },
    };

    (void)unused;
    check_rows(row, sizeof row / sizeof *row);
}

static void check__ignores_unknown_values(void **unused)
{
    struct guard_limits l = GUARD_LIMITS;
    struct guard        g = { 0 };
    struct msg_sample   s = { .interval_us = 1000000, .paused = NAN,
                              .unknown = MSG_UNKNOWN(retransmissions) | MSG_UNKNOWN(watchdog) };
    char                why[MSG_WHY_SIZE], text[120];

    (void)unused;
    for (int i = 0; i < 4; i++)
        assert_false(guard_check(&g, &l, &s, i % 2, NAN, why));
    assert_false(g.has_average || g.has_paused);
    assert_string_equal(guard_blind(text, sizeof text, &s), "pauses, pause storms, retransmissions");
    s = (struct msg_sample){ .interval_us = 1000000 };
    assert_string_equal(guard_blind(text, sizeof text, &s), "");
}

static struct msg_sample known(void)
{
    return (struct msg_sample){ .interval_us = 100000 };
}

static struct msg_sample nothing(void)
{
    return (struct msg_sample){ .paused = NAN, .unknown = MSG_UNKNOWN_ALL };
}

/* Counters are a right: without them nobody would see the harm. */
static void check__ends_a_change_when_a_counter_vanishes(void **unused)
{
    struct guard_limits l = GUARD_LIMITS;
    struct guard        g = { 0 };
    struct msg_sample   s = known(), none = nothing();
    char                why[MSG_WHY_SIZE];

    (void)unused;
    assert_false(guard_check(&g, &l, &s, false, NAN, why));
    assert_false(guard_check(&g, &l, &s, true, NAN, why));
    s.unknown = MSG_UNKNOWN(watchdog);
    for (uint32_t i = 1; i < l.gone_intervals; i++)
        assert_false(guard_check(&g, &l, i % 2 ? &s : &none, true, NAN, why));
    assert_true(guard_check(&g, &l, &s, true, NAN, why));
    assert_string_equal(why, "guardrail: pause storms can no longer be read");
    for (uint32_t i = 0; i < 9; i++)
        assert_false(guard_check(&g, &l, &s, false, NAN, why));  /* it is listed, and missed no longer */
    for (uint32_t i = 0; i < 9; i++)
        assert_false(guard_check(&g, &l, &s, true, NAN, why));
}

static void check__forgives_a_reading_that_failed(void **unused)
{
    struct guard_limits l = GUARD_LIMITS;
    struct guard        g = { 0 };
    struct msg_sample   s = known(), none = nothing(), stale = nothing();
    char                why[MSG_WHY_SIZE];

    (void)unused;
    stale.is_stale = true;       /* a switch whose counters are polled every ten seconds */
    for (int i = 0; i < 30; i++)
        assert_false(guard_check(&g, &l, i % 3 ? &none : &s, true, NAN, why));
    for (int i = 0; i < 30; i++)
        assert_false(guard_check(&g, &l, &stale, true, NAN, why));
}

/* A reading that failed is not one without pauses. */
static void check__counts_pauses_across_a_reading_that_failed(void **unused)
{
    struct guard_limits l = GUARD_LIMITS;
    struct guard        g = { 0 };
    struct msg_sample   s = known(), none = nothing();
    char                why[MSG_WHY_SIZE];

    (void)unused;
    guard_check(&g, &l, &s, false, NAN, why);
    s.paused = 0.5;
    assert_false(guard_check(&g, &l, &s, true, NAN, why));
    assert_false(guard_check(&g, &l, &none, true, NAN, why));
    assert_true(guard_check(&g, &l, &s, true, NAN, why));
}

static void check__compares_retransmissions_with_the_usual_number(void **unused)
{
    static const struct row row[] = {
        { .retransmissions = 100 },                                      /* the usual number */
        { .retransmissions = 100 },
        /* less than twice as many; these do not change what is usual */
        { .retransmissions = 190, .is_open = true },
        { .retransmissions = 201, .is_open = true, .says = "201 retransmissions" },
        { .retransmissions = 201, .is_open = true, .says = "more than 2 times" },
    };
    static const struct row few[] = { { .retransmissions = 0 }, { .retransmissions = 15 },
                                      { .retransmissions = 16, .says = "16" } };

    (void)unused;
    check_rows(row, sizeof row / sizeof *row);
    check_rows(few, sizeof few / sizeof *few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__one_drop_or_storm_is_enough),
        cmocka_unit_test(check__pauses_must_last),
        cmocka_unit_test(check__compares_pauses_with_the_usual_share),
        cmocka_unit_test(check__compares_pauses_with_the_control_group),
        cmocka_unit_test(check__ignores_unknown_values),
        cmocka_unit_test(check__ends_a_change_when_a_counter_vanishes),
        cmocka_unit_test(check__forgives_a_reading_that_failed),
        cmocka_unit_test(check__counts_pauses_across_a_reading_that_failed),
        cmocka_unit_test(check__compares_retransmissions_with_the_usual_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
