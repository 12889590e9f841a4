#include "tune/lag.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Reports of intervals of one millisecond, the n-th of which ends after n of them. */
static void add(struct lag *l, uint64_t number)
{
    struct report r = { 0 };

    report_init(&r, 2, 3, 0);
    r.number = number;
    r.start_ps = (number - 1) * PS_PER_MS;
    r.end_ps = number * PS_PER_MS;
    r.port[2].tx_bytes = number;
    lag_add(l, &r);
    report_fini(&r);
}

static void take__every_report_is_seen_where_there_is_no_delay(void **unused)
{
    struct lag l;

    (void)unused;
    lag_init(&l, 0);
    assert_true(lag_next_ps(&l) == NEVER && !lag_next(&l, 0));
    for (uint64_t i = 1; i <= 9; i++) {
        const struct report *r;

        add(&l, i);
        assert_true(lag_next_ps(&l) == i * PS_PER_MS);
        r = lag_next(&l, i * PS_PER_MS);
        assert_true(r && r->number == i && r->port[2].tx_bytes == i);
        assert_null(lag_next(&l, i * PS_PER_MS));
        lag_settle(&l, i * PS_PER_MS);           /* a decision at once */
    }
    lag_fini(&l);
}

static void take__reports_come_as_late_as_they_should(void **unused)
{
    struct lag           l;
    const struct report *r;

    (void)unused;
    lag_init(&l, 2500 * PS_PER_US);
    add(&l, 1);
    add(&l, 2);
    assert_true(lag_next_ps(&l) == 3500 * PS_PER_US);
    assert_null(lag_next(&l, 3499 * PS_PER_US));
    r = lag_next(&l, 3500 * PS_PER_US);
    assert_true(r && r->number == 1);
    assert_null(lag_next(&l, 3500 * PS_PER_US));
    lag_fini(&l);                /* one is left, and is freed */
}

/* Decided on report 1 at 2 ms, in force at 5 ms: the next is of the interval from 5 to 6 ms. */
static void take__what_began_before_the_decision_was_in_force_is_left_out(void **unused)
{
    struct lag           l;
    const struct report *r = NULL;

    (void)unused;
    lag_init(&l, PS_PER_MS);
    add(&l, 1);
    assert_non_null(lag_next(&l, 2 * PS_PER_MS));
    lag_settle(&l, 5 * PS_PER_MS);
    for (uint64_t i = 2; i <= 7 && !r; i++) {
        add(&l, i);
        r = lag_next(&l, i * PS_PER_MS);
    }
    assert_true(r && r->number == 6);
    lag_settle(&l, NEVER);       /* on its way for an unknown time */
    add(&l, 8);
    assert_null(lag_next(&l, 100 * PS_PER_MS));
    lag_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__every_report_is_seen_where_there_is_no_delay),
        cmocka_unit_test(take__reports_come_as_late_as_they_should),
        cmocka_unit_test(take__what_began_before_the_decision_was_in_force_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
