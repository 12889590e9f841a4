/* src/core/meter/monitor/monitor_utility_scores_test.c - a millisecond of two uplinks, scored by hand. */
#include "core/units.h"
#include "core/meter/monitor/monitor_utility.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GBPS 1000000000ull

/* A link of 100 Gb/s carries 12.5 MB in a millisecond: one is 80 % full, one 40 % and paused for a tenth of
 * the time. */
static struct report_port ports[] = {
    { .tx_bytes = 10000000, .rate_bps = 100 * GBPS, .is_uplink = true },
    { .tx_bytes = 5000000, .rate_bps = 100 * GBPS, .is_uplink = true, .paused_ps = PS_PER_MS / 10 },
};

/* Two round trips of 20 us that took 40 us on average. */
static struct report_pair pairs[] = { { .base_rtt_ps = 20 * PS_PER_US, .rtt_ps_sum = 80 * PS_PER_US,
                                        .rtt_samples = 2,
                                        .rtt_ps_last = 30 * PS_PER_US } };

static struct report_port idle[] = { { .rate_bps = 100 * GBPS, .is_uplink = true } };

static struct fsd flows(uint64_t elephants, uint64_t mice)
{
    return (struct fsd){ .elephants = elephants * FSD_ONE, .mice = mice * FSD_ONE };
}

/* Throughput 0.6, round trips 0.5, pauses 0.95. */
static struct report busy(uint64_t elephants, uint64_t mice)
{
    return (struct report){
        .start_ps = PS_PER_MS, .end_ps = 2 * PS_PER_MS, .port = ports, .ports = 2, .pair = pairs, .pairs = 1,
        .fsd = flows(elephants, mice),
    };
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void score__weighs_by_the_prevailing_flows(void **unused)
{
    struct report mice = busy(1, 9), elephants = busy(9, 1);
    struct score for_delay = score_of(&mice), for_throughput = score_of(&elephants);

    (void)unused;
    assert_true(for_delay.is_active && for_throughput.is_active);
    assert_true(is_near(for_delay.terms.throughput, 0.6));
    assert_true(is_near(for_delay.terms.rtt, 0.5));
    assert_true(is_near(for_delay.terms.pfc, 0.95));
    assert_true(is_near(for_delay.utility, 0.2 * 0.6 + 0.5 * 0.5 + 0.3 * 0.95));
    assert_true(is_near(for_throughput.utility, 0.5 * 0.6 + 0.2 * 0.5 + 0.3 * 0.95));
}

static void score__of_silence_is_not_active(void **unused)
{
    struct report silent = { .end_ps = PS_PER_MS, .port = idle, .ports = 1 };

    (void)unused;
    assert_false(score_of(&silent).is_active);
}

/* Of 10 flows 4 are elephants. One monitor sees 3: shares of 0.3 and 0.7 instead of 0.4 and 0.6, an error of
 * 0.2. Another sees nothing. */
static struct report_monitor seen[] = {
    { "paraleon", { .elephants = 3 * FSD_ONE, .mice = 7 * FSD_ONE } },
    { "exact", { .elephants = 4 * FSD_ONE, .mice = 6 * FSD_ONE } },
    { "none", { 0 } },
};

static struct report_monitor nothing[] = { { "paraleon", { .mice = FSD_ONE } }, { "exact", { 0 } } };

static void accuracy__compares_with_the_exact_monitor(void **unused)
{
    struct report r = { .monitor = seen, .monitors = 3 };

    (void)unused;
    assert_true(is_near(score_accuracy(&r, 0), 0.8));
    assert_true(is_near(score_accuracy(&r, 1), 1));
    assert_true(is_near(score_accuracy(&r, 2), 0));
}

static void accuracy__is_nan_without_truth_or_flows(void **unused)
{
    struct report untold = { .monitor = seen, .monitors = 1 }, empty = { .monitor = nothing, .monitors = 2 };

    (void)unused;
    assert_true(isnan(score_accuracy(&untold, 0)));
    assert_true(isnan(score_accuracy(&empty, 0)));
}

/* Busy with mice, busy with elephants, silent; two of them have flows and ground truth, and one of those has
 * no active uplink. */
static void add__sums_meaningful_intervals(void **unused)
{
    struct report mice = busy(1, 9), elephants = busy(9, 1);
    struct report silent = { .end_ps = PS_PER_MS, .port = idle, .ports = 1, .monitor = seen, .monitors = 3 };
    struct scores s = { 0 };

    (void)unused;
    mice.monitor = nothing;
    mice.monitors = 2;
    elephants.monitor = seen;
    elephants.monitors = 3;
    scores_add(&s, &mice);
    scores_add(&s, &elephants);
    scores_add(&s, &silent);
    assert_int_equal(2, s.active);
    assert_int_equal(2, s.compared);
    assert_true(is_near(s.terms_sum.throughput, 1.2));
    assert_true(is_near(s.terms_sum.rtt, 1) && is_near(s.terms_sum.pfc, 1.9));
    assert_true(is_near(s.utility_sum, 0.655 + 0.685));
    assert_true(is_near(s.accuracy_sum[0], 1.6) && is_near(s.accuracy_sum[1], 2));
    assert_true(is_near(s.accuracy_sum[2], 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(score__weighs_by_the_prevailing_flows),
        cmocka_unit_test(score__of_silence_is_not_active),
        cmocka_unit_test(accuracy__compares_with_the_exact_monitor),
        cmocka_unit_test(accuracy__is_nan_without_truth_or_flows),
        cmocka_unit_test(add__sums_meaningful_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
