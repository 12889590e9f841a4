/* src/live/controller/roster_test.c - groups of devices, and their clocks. */
#include "live/controller/controller.h"
#include "live/controller/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

static struct controller_config cfg;
static struct controller        c;

static void fabric(uint32_t nics, uint32_t switches)
{
    controller_config_init(&cfg);
    controller_init(&c, &cfg, nics + switches + 2);         /* room for two more */
    for (uint32_t i = 0; i < nics + switches; i++) {
        struct msg hello = { .kind = MSG_HELLO, .incarnation = 1, .may_write = true,
                             .where = i < nics ? KNOB_NIC : KNOB_SWITCH };

        snprintf(hello.name, sizeof hello.name, "d%u", i);
        assert_non_null(roster_on_hello(&c, i, &hello, 1000));
        c.peer[i].reported = true;
    }
    roster_rank(&c);
}

static uint32_t members(uint32_t stage, int group)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < c.peers; i++)
        count += roster_is_in(&c, &c.peer[i], stage, false, group);
    return count;
}

static void rank__stages_grow_and_some_are_held_back(void **unused)
{
    (void)unused;
    fabric(1000, 20);
    assert_int_equal(c.ranked[KNOB_NIC], 950);
    assert_int_equal(c.ranked[KNOB_SWITCH], 19);
    assert_int_equal(members(STAGE_ONE, 0), 2);                  /* one host and one switch */
    assert_int_equal(members(STAGE_FEW, 0), 48 + 1);             /* 5 % of each, rounded up */
    assert_int_equal(members(STAGE_QUARTER, 0), 238 + 5);
    assert_int_equal(members(STAGE_HALVES, 0) + members(STAGE_HALVES, 1), 969);
    assert_int_equal(members(STAGE_HALVES, 1), 475 + 9);
    /* devices of an earlier stage are in the next one, too */
    for (uint32_t i = 0; i < c.peers; i++)
        assert_true(!roster_is_in(&c, &c.peer[i], STAGE_FEW, false, 0) ||
                    roster_is_in(&c, &c.peer[i], STAGE_QUARTER, false, 0));
    controller_fini(&c);
}

static void rank__few_devices_have_no_hold_back(void **unused)
{
    (void)unused;
    fabric(3, 0);
    assert_int_equal(c.ranked[KNOB_NIC], 3);
    c.peer[0].is_frozen = true;
    c.peer[1].may_write = false;
    roster_rank(&c);
    assert_int_equal(c.ranked[KNOB_NIC], 1);
    assert_true(c.peer[0].rank == RANK_NONE && c.peer[1].rank == RANK_NONE && c.peer[2].rank == 0);
    controller_fini(&c);
}

static void report(uint32_t peer, uint64_t stamp_us, double metric, uint64_t now_us)
{
    roster_on_report(&c, &c.peer[peer],
                     &(struct msg){ .stamp_us = stamp_us, .sample = { .metric = metric } }, now_us);
}

static void instant__follows_the_quickest_report(void **unused)
{
    (void)unused;
    fabric(1, 0);
    report(0, 5000000, NAN, 1000800);            /* its clock is 4 s ahead; the message took 800 us */
    report(0, 5100000, NAN, 1100050);            /* 50 us */
    report(0, 5200000, NAN, 1203000);            /* 3 ms */
    assert_in_range(roster_instant(&c.peer[0], 2000000), 6000000 - 100, 6000000);
    controller_fini(&c);
}

static void fresh__has_reported_within_three_intervals(void **unused)
{
    (void)unused;
    fabric(2, 0);
    report(0, 1, NAN, 1000000);
    report(1, 1, NAN, 1000000);
    assert_true(roster_is_fresh(&c, &c.peer[0], 1300000));
    assert_false(roster_is_fresh(&c, &c.peer[0], 1300001));
    roster_cut(&c, 1);
    assert_true(roster_coverage(&c, 1100000) == 0.5);
    controller_fini(&c);
}

static void value__is_group_minus_others(void **unused)
{
    double half[2] = { 0 };

    (void)unused;
    fabric(4, 0);                /* one of them is held back */
    for (uint32_t i = 0; i < 4; i++)
        report(i, 1, 0.1 * (i + 1), 1000);
    for (uint32_t i = 0; i < 4; i++)
        if (c.peer[i].rank != RANK_NONE)
            half[c.peer[i].rank % 2] += 0.1 * (i + 1) / (c.peer[i].rank % 2 ? 1 : 2);
    assert_true(fabs(roster_value(&c, STAGE_HALVES, false) - (half[0] - half[1])) < 1e-12);
    assert_true(fabs(roster_value(&c, STAGE_HALVES, true) - 0.25) < 1e-12);
    assert_true(fabs(roster_metric(&c) - 0.25) < 1e-12);
    roster_clear_metrics(&c);
    assert_true(isnan(roster_metric(&c)));
    controller_fini(&c);
}

static struct msg hello_of(const char *name, uint64_t incarnation)
{
    struct msg m = { .kind = MSG_HELLO, .incarnation = incarnation, .may_write = true, .gap_us = 100000 };

    snprintf(m.name, sizeof m.name, "%s", name);
    return m;
}

/* A device that never reports delays no other, and neither does one that needs years between changes. */
static void rank__excludes_devices_without_reports_or_with_endless_gaps(void **unused)
{
    struct msg invented = hello_of("mallory/nic", 7), slow = hello_of("mallory/slow", 8);

    (void)unused;
    fabric(2, 0);
    slow.gap_us = 10ull * 365 * 86400 * 1000000;
    assert_non_null(roster_on_hello(&c, 10, &invented, 1000));
    assert_non_null(roster_on_hello(&c, 11, &slow, 1000));
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2)
            report(i, 1, 0.5, 1000);
    roster_rank(&c);
    assert_true(c.peer[2].rank == RANK_NONE && c.peer[3].rank == RANK_NONE && c.ranked[KNOB_NIC] == 2);
    assert_true(roster_coverage(&c, 2000) == 1);
    assert_true(trial_block_length(&c) < 100);
    controller_fini(&c);
}

static void hello__does_not_take_over_a_device_that_reports(void **unused)
{
    struct msg other = hello_of("d0", 99);

    (void)unused;
    fabric(1, 0);
    report(0, 1, 0.5, 1000000);
    assert_null(roster_on_hello(&c, 5, &other, 1100000));
    assert_ptr_equal(roster_of_link(&c, 0), &c.peer[0]);
    other.incarnation = 1;                       /* the same agent on another path */
    assert_non_null(roster_on_hello(&c, 5, &other, 1100000));
    other.incarnation = 100;                     /* the old one was silent, so it may have restarted */
    assert_non_null(roster_on_hello(&c, 6, &other, 9000000));
    controller_fini(&c);
}

/* A device that said goodbye but still reports is present: its host does not count as silent. */
static void report__brings_a_device_back(void **unused)
{
    (void)unused;
    fabric(2, 0);
    report(0, 1, 0.5, 1000);
    report(1, 1, 0.5, 1000);
    roster_leave(&c, &c.peer[1]);
    assert_false(roster_is_fresh(&c, &c.peer[1], 1100));
    report(1, 1, 0.5, 1200);
    assert_true(roster_is_fresh(&c, &c.peer[1], 1300));
    assert_true(roster_coverage(&c, 1300) == 1);
    controller_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank__stages_grow_and_some_are_held_back),
        cmocka_unit_test(rank__few_devices_have_no_hold_back),
        cmocka_unit_test(instant__follows_the_quickest_report),
        cmocka_unit_test(fresh__has_reported_within_three_intervals),
        cmocka_unit_test(value__is_group_minus_others),
        cmocka_unit_test(rank__excludes_devices_without_reports_or_with_endless_gaps),
        cmocka_unit_test(hello__does_not_take_over_a_device_that_reports),
        cmocka_unit_test(report__brings_a_device_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
