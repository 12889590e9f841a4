#include "sim/parts/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Rounds of 100,000 events in 10,000 steps, with a share 'wait' of the time spent waiting, and durations with
 * one thread and with two. Returns how many of them one thread has run. */
static uint32_t run_rounds(struct pace *p, uint32_t rounds, double one_s, double two_s, double wait)
{
    uint32_t alone = 0;

    for (uint32_t i = 0; i < rounds; i++) {
        bool one = pace_choose_one(p);

        alone += one;
        pace_keep(p, &(struct pace_round){ 100000, 10000, one ? one_s : two_s, one ? 0 : 2 * wait * two_s,
                                           one ? 1 : 2 });
    }
    return alone;
}

/* Threads that hardly wait continue. Threads that wait a lot are compared with one, and the faster choice
 * continues; the other is tried about every 17th round. */
static void choose_one__keeps_the_faster_choice(void **unused)
{
    (void)unused;
    assert_int_equal(run_rounds(&(struct pace){ 0 }, 100, 0.1, 0.06, 0.1), 0);
    assert_in_range(run_rounds(&(struct pace){ 0 }, 100, 0.1, 0.9, 0.8), 85, 98);
    assert_in_range(run_rounds(&(struct pace){ 0 }, 100, 0.1, 0.07, 0.5), 2, 15);
}

/* Two events per step: one thread, regardless of times; many threads again when there is more work. */
static void choose_one__takes_one_thread_for_few_events(void **unused)
{
    struct pace p = { 0 };

    (void)unused;
    assert_false(pace_choose_one(&p));
    pace_keep(&p, &(struct pace_round){ 200, 100, 1e-5, 0, 2 });
    for (int i = 0; i < 50; i++) {
        assert_true(pace_choose_one(&p));
        pace_keep(&p, &(struct pace_round){ 2000, 1000, 1e-3, 0, 1 });
    }
    pace_keep(&p, &(struct pace_round){ 500000, 1000, 0.1, 0, 1 });
    assert_in_range(run_rounds(&p, 40, 0.1, 0.06, 0.1), 0, 2);
}

/* A long round is a valid measurement, even with few events. */
static void keep__counts_slow_rounds(void **unused)
{
    struct pace p = { 0 };

    (void)unused;
    assert_false(pace_choose_one(&p));
    pace_keep(&p, &(struct pace_round){ 900, 50, 2, 3.9, 2 });
    assert_true(pace_choose_one(&p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choose_one__keeps_the_faster_choice),
        cmocka_unit_test(choose_one__takes_one_thread_for_few_events),
        cmocka_unit_test(keep__counts_slow_rounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
