/* src/live/core/guard_test.c - rows of intervals, and what a guard says of each. */
#include "live/core/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

struct row { uint64_t retransmissions, drops, storms; double paused; bool is_open; const char *says; };

static void check_rows(const struct row *row, size_t count)
{
    struct guard_limits l = GUARD_LIMITS;
    struct guard        g = { 0 };

    for (size_t i = 0; i < count; i++) {
        struct msg_sample s = { .interval_us = 1000000, .retransmissions = row[i].retransmissions,
                                .lossless_drops = row[i].drops, .watchdog = row[i].storms, .paused = row[i].paused };
        char              why[MSG_WHY_SIZE] = "";
        bool              is_broken = guard_check(&g, &l, &s, row[i].is_open, why);

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
    static const struct row row[] = { { .paused = 0.06 }, { .paused = 0.04 }, { .paused = 0.06 },
                                      { .paused = 0.06, .says = "6.0 %" }, { .paused = 0.05 }, { .paused = 1 } };

    (void)unused;
    check_rows(row, sizeof row / sizeof *row);
}

static void check__retransmissions_are_held_against_the_usual(void **unused)
{
    static const struct row row[] = {
        { .retransmissions = 100 },                                      /* the first: that is usual here */
        { .retransmissions = 100 },
        { .retransmissions = 190, .is_open = true },                     /* not twice as many; and not learnt from */
        { .retransmissions = 201, .is_open = true, .says = "201 retransmissions" },
        { .retransmissions = 201, .is_open = true, .says = "more than 2 times" },
    };
    static const struct row few[] = { { .retransmissions = 0 }, { .retransmissions = 15 }, { .retransmissions = 16, .says = "16" } };

    (void)unused;
    check_rows(row, sizeof row / sizeof *row);
    check_rows(few, sizeof few / sizeof *few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__one_drop_or_storm_is_enough),
        cmocka_unit_test(check__pauses_must_last),
        cmocka_unit_test(check__retransmissions_are_held_against_the_usual),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
