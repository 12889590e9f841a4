/* standin/fabric/fabric_test.c - a simulated network through the driver: settings apply where they are
 * written, and reports add up. */
#include "standin/fabric/fabric.h"
#include "live/core/knobset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES 7                /* four hosts, two ToRs, a spine */

static char           path[64];
static struct fabric *fabric;
static struct driver  driver;
static void *device[DEVICES];
static char  name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];

static int set_up(void **unused)
{
    static const char text[] = "topology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 1, rate: 10Gbps, "
                               "delay: 1us}\n"
                               "traffic: [{kind: all_to_all, size: 100GB}]\ninterval: 500us\nrun: 1000s\n"
                               "seed: 7\n"
                               "tuner: {kind: paraleon, monitor_delay: 1ms, theta: 0.1}\n";
    struct err err;
    FILE      *f;

    (void)unused;
    snprintf(path, sizeof path, "/tmp/anole-fabric-XXXXXX");
    f = fdopen(mkstemp(path), "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
    assert_int_equal(fabric_new(&fabric, path, &err), 0);
    driver = fabric_driver(fabric);
    assert_int_equal(driver.find(&driver, path, name, &err), DEVICES);
    for (int i = 0; i < DEVICES; i++)
        assert_int_equal(driver.open(&driver, &device[i], path, name[i], &err), 0);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    for (int i = 0; i < DEVICES; i++)
        driver.close(device[i]);
    fabric_free(fabric);
    unlink(path);
    return 0;
}

/* Totals of an interval: flows of all measurement points, marks of all switches, mean metric of the hosts. */
struct totals { struct fsd flows; uint64_t marked, pairs; double metric; };

static struct totals interval(void)
{
    struct totals t = { .metric = 0 };

    for (int i = 0; i < DEVICES; i++) {
        struct msg_sample s;

        assert_int_equal(driver.sample(device[i], &s), 0);
        assert_int_equal(s.interval_us, 500);
        assert_true(isnan(s.metric) == (i >= 4));
        t.metric += i < 4 ? s.metric / 4 : 0;
        t.marked += s.marked_packets;
        t.pairs += s.detail->pairs;
        fsd_add(&t.flows, &s.detail->fsd);
        assert_int_equal(s.detail->ports, i < 4 ? 1 : i < 6 ? 3 : 2);
    }
    return t;
}

static void find__returns_hosts_and_switches(void **unused)
{
    struct msg_facts f;

    (void)unused;
    for (int i = 0; i < DEVICES; i++) {
        assert_int_equal(driver.facts(device[i], &f), i < 4 ? KNOB_NIC : KNOB_SWITCH);
        assert_int_equal(f.number, i);
        /* eight links of 1 us, there and back */
        assert_true(f.rate_bps == 10000000000 && f.base_rtt_ps > 8000000);
    }
}

/* Each of four hosts sends to the three others: twelve flows, each at one measurement point. */
static void sample__points_add_up_to_all_flows(void **unused)
{
    struct totals t = { .metric = 0 };

    (void)unused;
    for (int i = 0; i < 8; i++)
        t = interval();
    assert_int_equal(t.flows.elephants + t.flows.mice, 12 * FSD_ONE);
    assert_true(fsd_elephant_share(&t.flows) > 0.9);
    assert_true(t.pairs >= 8 && t.metric > 0.3 && t.metric <= 1);
}

static void set(int i, enum knob knob, double value)
{
    struct knob_set s = { 0 }, read;

    knob_set_add(&s, knob, value);
    assert_int_equal(driver.write(device[i], &s), 0);
    assert_int_equal(driver.read(device[i], &read), 0);
    assert_true(knobset_has(&read, &s));
}

/* DCQCN's knobs at hosts but for what belongs to the operator, ECN's at switches. */
static void read__devices_have_what_searches_move(void **unused)
{
    static const enum knob knobs[] = {
        KNOB_rpg_time_reset, KNOB_rpg_byte_reset, KNOB_rpg_threshold, KNOB_rpg_ai_rate, KNOB_rpg_hai_rate,
        KNOB_rpg_gd, KNOB_rpg_min_dec_fac, KNOB_rpg_min_rate, KNOB_rate_to_set_on_first_cnp,
        KNOB_rate_reduce_monitor_period, KNOB_dce_tcp_g, KNOB_dce_tcp_rtt, KNOB_initial_alpha_value,
        KNOB_min_time_between_cnps, KNOB_kmin, KNOB_kmax, KNOB_pmax,
    };
    enum { ALL = sizeof knobs / sizeof *knobs, HOST = ALL - 3 };

    (void)unused;
    for (int i = 0; i < DEVICES; i++) {
        bool            is_switch = i >= 4;
        struct knob_set set, want = { 0 };

        assert_int_equal(driver.read(device[i], &set), 0);
        for (int k = is_switch ? HOST : 0; k < (is_switch ? ALL : HOST); k++)
            knob_set_add(&want, knobs[k], set.knobs.value[knobs[k]]);
        assert_true(knobset_is_same(&set, &want));
    }
}

/* Thresholds that no queue reaches stop marking. The old ones start it again. */
static void write__thresholds_apply_at_the_switch(void **unused)
{
    struct knob_set before;

    (void)unused;
    assert_int_equal(driver.read(device[6], &before), 0);
    assert_true(before.is_named[KNOB_kmin] && !before.is_named[KNOB_rpg_ai_rate]);
    for (int i = 0; i < 6; i++)
        interval();
    assert_true(interval().marked > 0);
    for (int i = 4; i < DEVICES; i++) {
        set(i, KNOB_kmax, 100000);
        set(i, KNOB_kmin, 99999);
    }
    interval();
    assert_int_equal(interval().marked, 0);
    for (int i = 4; i < DEVICES; i++)
        set(i, KNOB_kmin, 1);
    interval();
    assert_true(interval().marked > 0);
    assert_int_equal(driver.write(device[0], &before), -ENOENT);    /* a host has no thresholds */
}

/* The first CNP cuts each flow of the host to 50 Mb/s, and the rate does not recover. */
static void write__slows_only_this_host(void **unused)
{
    struct msg_sample s;
    uint64_t          slow = 0, others = 0;

    (void)unused;
    set(0, KNOB_rpg_ai_rate, 1);
    set(0, KNOB_rpg_hai_rate, 1);
    set(0, KNOB_rpg_time_reset, 100000);
    set(0, KNOB_rpg_byte_reset, 0);
    set(0, KNOB_rate_to_set_on_first_cnp, 50);
    for (int k = 0; k < 30; k++)
        for (int i = 0; i < DEVICES; i++) {
            assert_int_equal(driver.sample(device[i], &s), 0);
            slow += i == 0 ? s.tx_bytes : 0;
            others += i > 0 && i < 4 ? s.tx_bytes / 3 : 0;
        }
    assert_true(slow < others / 2);
}

static void advance__moves_a_held_network(void **unused)
{
    struct msg_sample s;

    (void)unused;
    fabric_hold(fabric);
    assert_int_equal(driver.sample(device[0], &s), -EAGAIN);
    assert_int_equal(fabric_advance(fabric), 500);
    assert_int_equal(driver.sample(device[0], &s), 0);
    assert_int_equal(driver.sample(device[0], &s), -EAGAIN);
    assert_int_equal(fabric_advance(fabric), 1000);
    assert_false(fabric_is_over(fabric));
}

/* On request, hosts report the messages that they post. Switches report none. */
static void sample__hosts_report_messages_on_request(void **unused)
{
    struct msg_sample s;
    uint64_t          posted = 0, active = 0;

    (void)unused;
    fabric_tell_messages(fabric);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < DEVICES; i++) {
            assert_int_equal(driver.sample(device[i], &s), 0);
            assert_true(s.detail->has_seen == (i < 4));
            for (uint32_t r = 0; i < 4 && r < s.detail->seen.rows; r++)
                posted += s.detail->seen.row[r].messages;
            for (int c = 0; i < 4 && c < PREDICT_CLASSES; c++)
                active += s.detail->seen.waiting[c].messages + s.detail->seen.done[c].messages;
        }
    assert_true(posted > 0 && active > 0);
}

static void describe__reads_the_scenario(void **unused)
{
    struct fabric_about a;
    struct err          err;

    (void)unused;
    assert_int_equal(fabric_describe(&a, path, &err), 0);
    assert_true(a.hosts == 4 && a.switches == 3 && a.interval_us == 500 && a.seed == 7 &&
                a.monitor_delay_us == 1000);
    assert_string_equal(a.tuner, "{name: 'paraleon', theta: '0.1'}");
    assert_int_equal(fabric_describe(&a, "/nonexistent.yaml", &err), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(find__returns_hosts_and_switches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample__points_add_up_to_all_flows,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(read__devices_have_what_searches_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write__thresholds_apply_at_the_switch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write__slows_only_this_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(advance__moves_a_held_network, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sample__hosts_report_messages_on_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(describe__reads_the_scenario, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
