/* src/live/core/guard_test.c - rows of intervals, and what a guard says of each. */
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

/* Limits by hand: of 20 % they are 40 %, of 80 % they are 90 %. */
static void check__pauses_are_held_against_the_usual(void **unused)
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

static void check__pauses_are_held_against_the_control_group(void **unused)
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

static void check__what_is_not_known_is_neither_broken_nor_learnt(void **unused)
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

static void check__retransmissions_are_held_against_the_usual(void **unused)
{
    static const struct row row[] = {
        { .retransmissions = 100 },                                      /* the first: that is usual here */
        { .retransmissions = 100 },
        /* not twice as many; and not learnt from */
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
        cmocka_unit_test(check__pauses_are_held_against_the_usual),
        cmocka_unit_test(check__pauses_are_held_against_the_control_group),
        cmocka_unit_test(check__what_is_not_known_is_neither_broken_nor_learnt),
        cmocka_unit_test(check__retransmissions_are_held_against_the_usual),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
