#include "sim/cc/timer.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

static void ended__at_the_same_instant_the_older_goes_first(void **unused)
{
    struct cc_timer t;

    (void)unused;
    cc_timer_start(&t, 100, 50);
    assert_false(cc_timer_ended(&t, (struct cc_now){ 149, 149 }));
    assert_false(cc_timer_ended(&t, (struct cc_now){ 150, 99 }));
    assert_false(cc_timer_ended(&t, (struct cc_now){ 150, 100 }));
    assert_true(cc_timer_ended(&t, (struct cc_now){ 150, 101 }));
    assert_true(cc_timer_ended(&t, (struct cc_now){ 151, 0 }));
}

static void ended__a_stopped_timer_never(void **unused)
{
    struct cc_timer t;

    (void)unused;
    cc_timer_stop(&t);
    assert_false(cc_timer_ended(&t, (struct cc_now){ NEVER - 1, NEVER - 1 }));
    assert_int_equal(cc_timer_run(&t, (struct cc_now){ NEVER - 1, NEVER - 1 }, 7), 0);
    assert_true(t.at_ps == NEVER);
}

/* The current period of 9 keeps its length, the next ones take 4: ends at 10, 14, 18, 22. */
static void run__counts_and_keeps_the_phase(void **unused)
{
    static const struct { struct cc_now now; uint64_t want, next_ps; } rows[] = {
        { {  9,  9 }, 0, 10 },
        { { 10,  1 }, 0, 10 },
        { { 10,  2 }, 1, 14 },
        { { 13, 13 }, 1, 14 },
        { { 14, 10 }, 1, 14 },
        { { 14, 11 }, 2, 18 },
        { { 22, 18 }, 3, 22 },
        { { 22, 19 }, 4, 26 },
        { { 4000000010, 4000000010 }, 1000000001, 4000000014 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cc_timer t;

        cc_timer_start(&t, 1, 9);
        assert_int_equal(cc_timer_run(&t, rows[i].now, 4), rows[i].want);
        assert_int_equal(t.at_ps, rows[i].next_ps);
    }
}

/* Compared with one period at a time, for all small numbers. */
static void run__same_as_one_by_one(void **unused)
{
    (void)unused;
    for (uint64_t first = 1; first < 8; first++)
    for (uint64_t period = 1; period < 6; period++)
    for (uint64_t ps = 3; ps < 30; ps++)
    for (uint64_t since = 0; since <= ps; since++) {
        struct cc_timer t, slow;
        uint64_t ended = 0;

        cc_timer_start(&t, 3, first);
        cc_timer_start(&slow, 3, first);
        while (slow.at_ps < ps || (slow.at_ps == ps && slow.from_ps < since)) {
            slow = (struct cc_timer){ slow.at_ps, slow.at_ps + period };
            ended++;
        }
        assert_int_equal(cc_timer_run(&t, (struct cc_now){ ps, since }, period), ended);
        assert_int_equal(t.at_ps, slow.at_ps);
        assert_int_equal(t.from_ps, slow.from_ps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ended__at_the_same_instant_the_older_goes_first),
        cmocka_unit_test(ended__a_stopped_timer_never),
        cmocka_unit_test(run__counts_and_keeps_the_phase),
        cmocka_unit_test(run__same_as_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
