/* src/live/controller/trial_test.c - the values before a trial, and the metric that it is compared with.
 * Whole trials run in tests/chaos/. */
#include "live/controller/controller.h"
#include "live/controller/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

/* A trial of three knobs on two NICs. Their settings differ in one of the knobs. */
static void begin__stores_the_values_before_it_if_devices_agree(void **unused)
{
    struct actions           out = { 0 };
    struct controller_config cfg;
    struct controller        c;
    struct knob_set          wanted = { 0 }, held;

    (void)unused;
    controller_config_init(&cfg);
    controller_init(&c, &cfg, 2);
    c.out = &out;
    for (uint32_t i = 0; i < 2; i++) {
        struct msg hello = { .kind = MSG_HELLO, .incarnation = 1, .may_write = true, .where = KNOB_NIC };

        snprintf(hello.name, sizeof hello.name, "d%u", i);
        knob_set_add(&hello.set, KNOB_rpg_ai_rate, 5);
        knob_set_add(&hello.set, KNOB_rpg_hai_rate, 50 + i);
        hello.confirmed = hello.baseline = hello.set;
        knob_set_add(&hello.confirmed, KNOB_rpg_ai_rate, 7);
        assert_non_null(roster_on_hello(&c, i, &hello, 1000));
        c.peer[i].reported = true;
    }
    knob_set_add(&wanted, KNOB_rpg_ai_rate, 10);
    knob_set_add(&wanted, KNOB_rpg_hai_rate, 60);
    knob_set_add(&wanted, KNOB_kmin, 100);               /* no device has this knob */
    held = roster_held(&c, &wanted, true);               /* no device has a rank yet */
    assert_true(held.is_named[KNOB_rpg_ai_rate] && held.knobs.value[KNOB_rpg_ai_rate] == 5);
    roster_rank(&c);
    trial_begin(&c, &wanted, "a test", true, 1000);
    assert_true(c.trial.was.is_named[KNOB_rpg_ai_rate] && c.trial.was.knobs.value[KNOB_rpg_ai_rate] == 7);
    assert_false(c.trial.was.is_named[KNOB_rpg_hai_rate]);
    assert_false(c.trial.was.is_named[KNOB_kmin]);
    controller_fini(&c);
    actions_fini(&out);
}

static void begin__waits_for_a_late_metric(void **unused)
{
    struct actions           out = { 0 };
    struct controller_config cfg;
    struct controller        c;
    struct knob_set          wanted = { 0 };

    (void)unused;
    controller_config_init(&cfg);
    controller_init(&c, &cfg, 2);
    c.out = &out;
    for (uint32_t i = 0; i < 2; i++) {
        struct msg hello = { .kind = MSG_HELLO, .incarnation = 1, .may_write = true, .where = KNOB_NIC };

        snprintf(hello.name, sizeof hello.name, "d%u", i);
        knob_set_add(&hello.set, KNOB_rpg_ai_rate, 5);
        hello.confirmed = hello.baseline = hello.set;
        assert_non_null(roster_on_hello(&c, i, &hello, 1000));
        c.peer[i].reported = true;
    }
    roster_rank(&c);
    knob_set_add(&wanted, KNOB_rpg_ai_rate, 10);
    trial_begin(&c, &wanted, "a test", true, 1000);
    assert_int_equal(c.trial.phase, TRIAL_WAITING);
    assert_true(isnan(c.trial.metric));          /* no reports in the interval in which the trial began */
    trial_on_tick(&c, 2000);
    assert_true(isnan(c.trial.metric));
    for (uint32_t i = 0; i < 2; i++) {
        struct msg report = { .kind = MSG_REPORT, .incarnation = 1,
                              .sample = { .interval_us = 1000, .metric = 0.25 + 0.5 * i } };

        roster_on_report(&c, &c.peer[i], &report, 2500);
    }
    trial_on_tick(&c, 3000);
    assert_true(c.trial.metric == 0.5);
    roster_clear_metrics(&c);
    trial_on_tick(&c, 4000);
    assert_true(c.trial.metric == 0.5);          /* and stays */
    controller_fini(&c);
    actions_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin__stores_the_values_before_it_if_devices_agree),
        cmocka_unit_test(begin__waits_for_a_late_metric),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
