#include "core/meter/monitor/monitor_utility.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define GBPS 1000000000ull

/* A millisecond of five ports of 100 Gb/s, at most 12.5 MB each: full, half, a tenth, 5 %, empty. */
static struct report_port ports[] = {
    { .tx_bytes = 12500000, .rate_bps = 100 * GBPS, .is_uplink = true, .paused_ps = 0 },
    { .tx_bytes = 6250000, .rate_bps = 100 * GBPS, .is_uplink = true, .paused_ps = PS_PER_MS / 2 },
    { .tx_bytes = 1250000, .rate_bps = 100 * GBPS, .is_uplink = true, .paused_ps = 0 },
    { .tx_bytes = 625000, .rate_bps = 100 * GBPS, .is_uplink = true, .paused_ps = PS_PER_MS / 10 },
    { .tx_bytes = 0, .rate_bps = 100 * GBPS, .is_uplink = true, .paused_ps = 0 },
};

static const struct report report = {
    .start_ps = 7 * PS_PER_MS, .end_ps = 8 * PS_PER_MS, .port = ports, .ports = 5,
};

static bool is_near(double a, double b)
{
    return a > b - 1e-12 && a < b + 1e-12;
}

static void throughput__is_the_mean_of_active_links(void **unused)
{
    struct report_port others[] = { ports[0], ports[1] };
    struct report first = report, last = report;

    (void)unused;
    first.ports = 1;
    last.port = ports + 3;
    last.ports = 2;
    assert_true(is_near(utility_throughput(&report, UTILITY_ACTIVE_SHARE), 1.6 / 3));
    assert_true(is_near(utility_throughput(&report, 0), 1.65 / 4));
    assert_true(is_near(utility_throughput(&first, UTILITY_ACTIVE_SHARE), 1));
    assert_true(utility_throughput(&last, UTILITY_ACTIVE_SHARE) == 0);
    others[0].is_uplink = false;
    first.port = others;
    first.ports = 2;
    assert_true(is_near(utility_throughput(&first, UTILITY_ACTIVE_SHARE), 0.5));
}

/* 20 of 40 us twice, 40 of 30 us (an empty path is never slower), and one pair without samples: the mean of
 * 0.5 and 1; of the last samples, 30 and 50 us, against 40. */
static void rtt__compares_with_empty_paths(void **unused)
{
    static struct report_pair pairs[] = {
        { 0, 1, 20 * PS_PER_US, 2 * 40 * PS_PER_US, 2, 50 * PS_PER_US },
        { 0, 2, 40 * PS_PER_US, 30 * PS_PER_US, 1, 30 * PS_PER_US },
        { 1, 2, 40 * PS_PER_US, 0, 0, 0 },
    };
    struct report some = { .pair = pairs, .pairs = 3 }, none = { .pair = pairs + 2, .pairs = 1 };

    (void)unused;
    assert_true(is_near(utility_rtt(&some), 0.75));
    assert_true(utility_rtt(&none) == 1);
    assert_true(is_near(utility_rtt_of_last(&some, 40 * PS_PER_US), 1));
    assert_true(is_near(utility_rtt_of_last(&some, 80 * PS_PER_US), 2));
    assert_true(utility_rtt_of_last(&none, 40 * PS_PER_US) == 1);
}

/* 10 and 30 frames of 5 us in a millisecond. */
static void pfc_of_frames__counts_frames(void **unused)
{
    static struct report_port paused[] = { { .pauses = 10 }, { .pauses = 0 }, { .pauses = 30 } };
    struct report some = { .end_ps = PS_PER_MS, .port = paused, .ports = 3 }, none = { .end_ps = PS_PER_MS };

    (void)unused;
    assert_true(is_near(utility_pfc_of_frames(&some), 0.9));
    assert_true(utility_pfc_of_frames(&none) == 1);
}

static void pfc__is_the_share_of_time_that_is_not_paused(void **unused)
{
    struct report none = { .start_ps = 0, .end_ps = 1, .ports = 0 };

    (void)unused;
    assert_true(is_near(utility_pfc(&report, false), 1 - 0.6 / 5));
    assert_true(is_near(utility_pfc(&report, true), 1 - 0.6 / 2));
    assert_true(utility_pfc(&none, true) == 1);
}

/* The second port, paused half of the time, belongs to a device that did not report: 0.1 of four ports
 * remain. */
static void pfc__excludes_missing_devices(void **unused)
{
    struct report_device devices[] = { { 0 }, { .is_missing = true } };
    struct report_port   own[5];
    struct report        r = report;

    (void)unused;
    memcpy(own, ports, sizeof own);
    own[1].device = 1;
    r.port = own;
    r.device = devices;
    r.devices = 2;
    assert_true(is_near(utility_pfc(&r, false), 1 - 0.1 / 4));
    devices[1] = (struct report_device){ .counts_no_pauses = true };
    assert_true(is_near(utility_pfc(&r, false), 1 - 0.1 / 4));
}

static void weights_for__follow_the_flows_that_prevail(void **unused)
{
    struct fsd mice = { .elephants = 4, .mice = 5 }, even = { .elephants = 5, .mice = 5 };

    (void)unused;
    assert_true(is_near(utility(utility_weights_for(&mice), (struct utility_terms){ 1, 0.5, 0 }),
                        0.2 + 0.25));
    assert_true(is_near(utility(utility_weights_for(&even), (struct utility_terms){ 1, 0.5, 0 }), 0.5 + 0.1));
    assert_true(is_near(utility(utility_weights_for(&even), (struct utility_terms){ 1, 1, 1 }), 1));
    assert_true(is_near(utility(utility_weights_for(&mice), (struct utility_terms){ 1, 1, 1 }), 1));
}

static void weights_at__go_from_mice_to_elephants(void **unused)
{
    struct utility_terms t = { 0.5, 0.25, 1 };

    (void)unused;
    assert_true(is_near(utility(utility_weights_at(0), t), utility(utility_for_delay, t)));
    assert_true(is_near(utility(utility_weights_at(1), t), 0.4 + 0.2));
    assert_true(is_near(utility(utility_weights_at(0.5), t), 0.25 + 0.0625 + 0.25));
    assert_true(is_near(utility(utility_weights_at(0.3), (struct utility_terms){ 1, 1, 1 }), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throughput__is_the_mean_of_active_links),
        cmocka_unit_test(rtt__compares_with_empty_paths),
        cmocka_unit_test(pfc_of_frames__counts_frames),
        cmocka_unit_test(pfc__is_the_share_of_time_that_is_not_paused),
        cmocka_unit_test(pfc__excludes_missing_devices),
        cmocka_unit_test(weights_at__go_from_mice_to_elephants),
        cmocka_unit_test(weights_for__follow_the_flows_that_prevail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
