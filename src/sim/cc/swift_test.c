/* src/sim/cc/swift_test.c
 *
 * Oracles: Swift's formulas evaluated by hand, and their steady state: flows that share a queue have a delay
 * that equals the target of the window which that delay allows.
 */
#include "sim/cc/test_flow.h"

#include <math.h>

extern const struct cc_algo cc_swift;

/* 100 Gb/s, 8 us: 100 packets of 1000 bytes. Target 10 us, + 1 us per hop, + up to 20 us for small
 * windows. */
static void start(struct flow *t)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_swift_base] = 10;
    k.value[KNOB_swift_hop] = 1;
    k.value[KNOB_swift_fs_range] = 20;
    flow_start(t, &cc_swift, &k, &link_100g);
    assert_int_equal(t->out.rate_bps, LINE_BPS);
    assert_int_equal(t->out.window_bytes, 100000);
}

static void ack(struct flow *t, double at_us, double rtt_us, uint64_t bytes, uint8_t hops)
{
    struct cc_ack a = { .rtt_ps = (uint64_t)(rtt_us * 1e6 + 0.5), .acked_bytes = bytes, .hops = hops };

    flow_ack(t, at_ns((uint64_t)(at_us * 1000)), &a);
}

/* Returns the window in packets, from rate and RTT. */
static double window(const struct flow *t, double rtt_us)
{
    return (double)t->out.rate_bps * rtt_us * 1e-6 / 8000;
}

/* Reduces a window of 100 by cuts of one half, with unbounded delays, a round trip apart. */
static double halve(struct flow *t, int times, double at_us)
{
    for (int i = 0; i < times; i++)
        ack(t, at_us += 1e6, 1e6, 1000, 0);
    return at_us;
}

static void on_ack__cuts_by_the_distance_above_target(void **unused)
{
    /* w = 100 has no window term: target 10 us, with 3 hops 13. 15 us: 1 - 0.8 * 5 / 15 = 0.7333; 1 - 0.8 * 2
     * / 15 = 0.8933. 100 us: 1 - 0.8 * 0.9 = 0.28, but at most a half. */
    static const struct { double rtt_us; uint8_t hops; double want; } row[] = {
        { 15, 0, 73.3333 }, { 15, 3, 89.3333 }, { 100, 0, 50 },
    };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct flow t;

        start(&t);
        ack(&t, 200, row[i].rtt_us, 1000, row[i].hops);
        assert_true(fabs(window(&t, row[i].rtt_us) - row[i].want) < 0.001);
    }
}

static void on_ack__one_cut_per_round_trip(void **unused)
{
    struct flow t;
    uint64_t    rate_bps;

    (void)unused;
    start(&t);
    ack(&t, 19, 20, 1000, 0);                /* 19 us after the start, which counts as a cut */
    assert_int_equal(t.out.rate_bps, 40000000000);       /* 100 packets in 20 us */
    ack(&t, 21, 20, 1000, 0);                /* 1 - 0.8 * 10 / 20 = 0.6 */
    rate_bps = t.out.rate_bps;
    assert_in_range(rate_bps, 23999999999, 24000000000);
    ack(&t, 40, 20, 1000, 0);
    assert_int_equal(t.out.rate_bps, rate_bps);
    ack(&t, 41, 20, 1000, 0);
    assert_true(t.out.rate_bps < rate_bps);
}

static void on_ack__grows_by_a_packet_per_round_trip(void **unused)
{
    struct flow t;
    double      at_us, w = 100.0 / 4;

    (void)unused;
    start(&t);
    at_us = halve(&t, 2, 0);
    for (int i = 0; i < 25; i++) {           /* w += 1 / w, 25 times */
        ack(&t, at_us + i, 9, 1000, 0);
        w += 1 / w;
    }
    assert_true(fabs(window(&t, 9) - w) < 0.001);
    assert_true(fabs(w - 26) < 0.03);
}

/* a = 20 / (1 / sqrt(0.1) - 0.1), b = -a / 10. At w = 100 / 8 the target is 10 + a / sqrt(12.5) + b = 11.19
 * us, at 100 / 64 14.51. Just below a raise, just above a cut. */
static void target__is_higher_for_small_windows(void **unused)
{
    double a = 20 / (1 / sqrt(0.1) - 0.1), b = -a / 10;

    (void)unused;
    for (int halvings = 3; halvings <= 6; halvings++) {
        double target_us = 10 + a / sqrt(ldexp(100, -halvings)) + b;

        for (int sign = -1; sign <= 1; sign += 2) {
            double      rtt_us = target_us + sign * 0.001, at_us;
            struct flow t;

            start(&t);
            at_us = halve(&t, halvings, 0);
            ack(&t, at_us + 1e6, rtt_us, 1000, 0);
            assert_true(sign * (window(&t, rtt_us) - ldexp(100, -halvings)) < 0);
        }
    }
}

/* Below one packet: w += n, and a packet every round trip / w. 10 halvings leave 100 / 1024. */
static void on_ack__below_one_packet_paces(void **unused)
{
    struct flow t;
    double      at_us;

    (void)unused;
    start(&t);
    at_us = halve(&t, 10, 0);
    assert_int_equal(t.out.window_bytes, 1000);
    ack(&t, at_us + 1, 20, 0, 0);
    assert_in_range(t.out.rate_bps, 39062499, 39062500);     /* 8000 bits / (20 us * 10.24) */
    ack(&t, at_us + 2, 20, 1000, 0);
    assert_true(fabs(window(&t, 20) - 1.09765625) < 1e-4);
}

/* The endpoint's window has the base as target: 12 us inside the receiver cut it while the fabric is fine. */
static void on_ack__the_smaller_of_two_windows_counts(void **unused)
{
    struct cc_ack a = { .rtt_ps = 20 * PS_PER_US, .acked_bytes = 1000, .endpoint_ps = 12 * PS_PER_US };
    struct flow   t;

    (void)unused;
    start(&t);
    flow_ack(&t, at_ns(50000), &a);          /* 1 - 0.8 * 2 / 12 */
    assert_true(fabs(window(&t, 20) - 100 * (1 - 0.8 * 2 / 12)) < 0.001);
}

static void on_loss__cuts_most_and_resets_after_five_timeouts(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t);
    t.cc->on_loss(t.cfg, t.state, at_ns(5000), CC_NACK, &t.out);
    assert_int_equal(t.out.window_bytes, 100000);            /* too soon after the start */
    t.cc->on_loss(t.cfg, t.state, at_ns(11000), CC_NACK, &t.out);
    assert_int_equal(t.out.window_bytes, 50000);
    for (int i = 0; i < 4; i++)
        t.cc->on_loss(t.cfg, t.state, at_ns(12000), CC_TIMEOUT, &t.out);
    assert_int_equal(t.out.window_bytes, 3125);
    t.cc->on_loss(t.cfg, t.state, at_ns(12000), CC_TIMEOUT, &t.out);
    /* 0.001 packets in 10 us are 0.8 Mb/s: the minimum */
    assert_int_equal(t.out.rate_bps, 1000000);
}

/* N flows in a queue: its delay is the excess of their windows over the link. In the steady state, the delay
 * is the target of the resulting window: T(w) with w = line x T / (8000 N). */
static void on_ack__settles_where_delay_is_the_target(void **unused)
{
    static const int flows[] = { 2, 8, 32, 128 };
    double           a = 20 / (1 / sqrt(0.1) - 0.1), b = -a / 10;

    (void)unused;
    for (int i = 0; i < 4; i++) {
        double      at_us = 0, rtt_us = 8, mean_us = 0, want_us = 10;
        struct flow t;

        start(&t);
        for (int n = 0; n < 40000; n++) {
            double w = window(&t, rtt_us);

            w = w < 0.01 ? 0.01 : w;
            rtt_us = fmax(8, flows[i] * w * 0.08);           /* a packet takes 0.08 us of the link */
            at_us += rtt_us / fmax(w, 1);
            ack(&t, at_us, rtt_us, 1000, 0);
            mean_us += n >= 20000 ? rtt_us / 20000 : 0;
        }
        for (int n = 0; n < 100; n++)
            want_us = 10 + fmin(20, fmax(0, a / sqrt(want_us / 0.08 / flows[i]) + b));
        /* at 128, w is near 1: coarse */
        assert_true(fabs(mean_us / want_us - 1) < (flows[i] < 100 ? 0.01 : 0.08));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_ack__cuts_by_the_distance_above_target),
        cmocka_unit_test(on_ack__one_cut_per_round_trip),
        cmocka_unit_test(on_ack__grows_by_a_packet_per_round_trip),
        cmocka_unit_test(target__is_higher_for_small_windows),
        cmocka_unit_test(on_ack__below_one_packet_paces),
        cmocka_unit_test(on_ack__the_smaller_of_two_windows_counts),
        cmocka_unit_test(on_loss__cuts_most_and_resets_after_five_timeouts),
        cmocka_unit_test(on_ack__settles_where_delay_is_the_target),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
