#include "meter/monitor_utility.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GBPS 1000000000ull

/* A millisecond of five ports of 100 Gb/s, which carry 12.5 MB at most: full, half, a tenth, 5 %, nothing. */
static const struct report_port ports[] = {
    { .tx_bytes = 12500000, .rate_bps = 100 * GBPS, .paused_ps = 0 },
    { .tx_bytes = 6250000, .rate_bps = 100 * GBPS, .paused_ps = PS_PER_MS / 2 },
    { .tx_bytes = 1250000, .rate_bps = 100 * GBPS, .paused_ps = 0 },
    { .tx_bytes = 625000, .rate_bps = 100 * GBPS, .paused_ps = PS_PER_MS / 10 },
    { .tx_bytes = 0, .rate_bps = 100 * GBPS, .paused_ps = 0 },
};

static const struct report report = {
    .start_ps = 7 * PS_PER_MS, .end_ps = 8 * PS_PER_MS, .port = ports, .ports = 5,
    .rtt_samples = 4, .rtt_ps_sum = 4 * 80 * PS_PER_US,
};

static bool is_near(double a, double b)
{
    return a > b - 1e-12 && a < b + 1e-12;
}

static void throughput__is_the_mean_of_active_links(void **unused)
{
    static const uint32_t all[] = { 0, 1, 2, 3, 4 }, last[] = { 3, 4 };

    (void)unused;
    assert_true(is_near(utility_throughput(&report, all, 5, UTILITY_ACTIVE_SHARE), 1.6 / 3));
    assert_true(is_near(utility_throughput(&report, all, 5, 0), 1.65 / 4));
    assert_true(is_near(utility_throughput(&report, all, 1, UTILITY_ACTIVE_SHARE), 1));
    assert_true(utility_throughput(&report, last, 2, UTILITY_ACTIVE_SHARE) == 0);
    assert_true(utility_throughput(&report, last, 0, UTILITY_ACTIVE_SHARE) == 0);
}

static void rtt__compares_with_an_empty_network(void **unused)
{
    struct report quiet = { .rtt_samples = 0 };

    (void)unused;
    assert_true(is_near(utility_rtt(&report, 40 * PS_PER_US), 0.5));
    assert_true(utility_rtt(&report, 90 * PS_PER_US) == 1);
    assert_true(utility_rtt(&quiet, 40 * PS_PER_US) == 1);
}

/* 20 of 40 us twice, 40 of 40 us, and one that has no samples: mean of 0.5 and 1. */
static void rtt_of_pairs__is_the_mean_of_ratios(void **unused)
{
    static const struct utility_pair pairs[] = {
        { 20 * PS_PER_US, 2 * 40 * PS_PER_US, 2 }, { 40 * PS_PER_US, 40 * PS_PER_US, 1 },
        { 40 * PS_PER_US, 0, 0 },
    };

    (void)unused;
    assert_true(is_near(utility_rtt_of_pairs(pairs, 3), 0.75));
    assert_true(utility_rtt_of_pairs(pairs + 2, 1) == 1);
}

static void pfc__is_the_share_of_time_that_is_not_paused(void **unused)
{
    struct report none = { .start_ps = 0, .end_ps = 1, .ports = 0 };

    (void)unused;
    assert_true(is_near(utility_pfc(&report, false), 1 - 0.6 / 5));
    assert_true(is_near(utility_pfc(&report, true), 1 - 0.6 / 2));
    assert_true(utility_pfc(&none, true) == 1);
}

static void weights_for__follow_the_flows_that_prevail(void **unused)
{
    struct fsd mice = { .elephants = 4, .mice = 5 }, even = { .elephants = 5, .mice = 5 };

    (void)unused;
    assert_true(is_near(utility(utility_weights_for(&mice), 1, 0.5, 0), 0.2 + 0.25));
    assert_true(is_near(utility(utility_weights_for(&even), 1, 0.5, 0), 0.5 + 0.1));
    assert_true(is_near(utility(utility_weights_for(&even), 1, 1, 1), 1));
    assert_true(is_near(utility(utility_weights_for(&mice), 1, 1, 1), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throughput__is_the_mean_of_active_links),
        cmocka_unit_test(rtt__compares_with_an_empty_network),
        cmocka_unit_test(rtt_of_pairs__is_the_mean_of_ratios),
        cmocka_unit_test(pfc__is_the_share_of_time_that_is_not_paused),
        cmocka_unit_test(weights_for__follow_the_flows_that_prevail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
