/* src/sim/cc/rttcc_test.c
 *
 * Oracles: rows computed by hand, in 2^-20 of the line rate, and the balance of cuts and raises.
 */
#include "sim/cc/test_flow.h"

extern const struct cc_algo cc_rttcc;

#define ONE (1u << 20)

/* 100 Gb/s, 8 us: the target is 12 us, a raise 100 Mb/s, 1048 of 2^20. */
static void start(struct flow *t)
{
    struct knobs k;

    knobs_init(&k);
    flow_start(t, &cc_rttcc, &k, &link_100g);
}

static void probe(struct flow *t, uint64_t at_us, uint64_t rtt_us)
{
    flow_rtt(t, at_ns(1000 * at_us), rtt_us * PS_PER_US);
}

static void expect_share(const struct flow *t, uint64_t share)
{
    assert_int_equal(t->out.rate_bps, LINE_BPS * share >> 20);
}

static void start__line_rate_and_a_probe(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t);
    assert_int_equal(t.out.rate_bps, LINE_BPS);
    assert_true(t.out.window_bytes == UINT64_MAX && t.out.due_ps == NEVER);
    assert_int_equal(t.out.probe_ps, 0);
}

/* 24 us: (24 - 12) / 48 less; factors have 16 bits. 160 us: a half. 12 us is no cut. */
static void on_rtt__cuts_by_the_distance_above_target(void **unused)
{
    static const struct { uint64_t rtt_us, share; } row[] = {
        { 24, ONE / 4 * 3 }, { 16, ONE / 8 * 7 }, { 160, ONE / 2 }, { 151, ONE / 2 }, { 12, ONE },
        { 120, 576720 },                     /* 65536 - 108 * 32768 / 120 = 36045; << 4 */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct flow t;

        start(&t);
        probe(&t, 100, row[i].rtt_us);
        expect_share(&t, row[i].share);
    }
}

static void on_rtt__five_raises_then_larger_ones(void **unused)
{
    struct flow t;
    uint64_t    share = ONE / 2;

    (void)unused;
    start(&t);
    probe(&t, 200, 200);
    for (uint64_t i = 0; i < 8; i++) {
        probe(&t, 210 + 10 * i, 9);
        share += i < 5 ? 1048 : 5 * 1048;
        expect_share(&t, share);
    }
    probe(&t, 300, 200);
    probe(&t, 310, 9);                       /* a cut ends the sequence */
    expect_share(&t, share / 2 + 1048);
}

/* Not before a probe would return in an empty network, nor before the last one has returned. */
static void on_rtt__requests_the_next_probe(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t);
    probe(&t, 5, 5);
    assert_int_equal(t.out.probe_ps, 8 * PS_PER_US);
    probe(&t, 40, 32);
    assert_int_equal(t.out.probe_ps, 40 * PS_PER_US);
}

static void on_cnp__once_between_probes(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t);
    flow_cnp(&t, at_ns(1), 0);
    expect_share(&t, ONE / 8 * 7);
    flow_cnp(&t, at_ns(2), 0);
    t.cc->on_loss(t.cfg, t.state, at_ns(3), CC_NACK, &t.out);
    expect_share(&t, ONE / 8 * 7);
    probe(&t, 20, 12);
    t.cc->on_loss(t.cfg, t.state, at_ns(20001), CC_NACK, &t.out);
    expect_share(&t, (ONE / 8 * 7 + 1048) / 2);
    t.cc->on_loss(t.cfg, t.state, at_ns(30000), CC_TIMEOUT, &t.out);
    expect_share(&t, (ONE / 8 * 7 + 1048) / 4);
    assert_int_equal(t.out.probe_ps, 30 * PS_PER_US);
}

static void cut__not_below_the_least_rate(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t);
    for (uint64_t i = 0; i < 40; i++)
        probe(&t, 200 * (i + 1), 200);
    expect_share(&t, 64);                    /* 2^6 of 2^20: 6.1 Mb/s, above rpg_min_rate */
}

/* N flows with the same delay raise by AI below the target and cut above it; their sum stays near the line
 * rate. The queueing delay changes by their excess in a round trip. */
static void on_rtt__many_flows_keep_the_link_full(void **unused)
{
    enum { FLOWS = 16 };
    struct flow t[FLOWS];
    double      queue_us = 0, used = 0;

    (void)unused;
    for (int i = 0; i < FLOWS; i++)
        start(&t[i]);
    for (uint64_t n = 1; n <= 4000; n++) {
        double sum = 0;

        for (int i = 0; i < FLOWS; i++)
            sum += (double)t[i].out.rate_bps / (double)LINE_BPS;
        used += n > 2000 ? (sum + queue_us / 8 < 1 ? sum : 1) / 2000 : 0;
        queue_us += (sum - 1) * 8;
        queue_us = queue_us < 0 ? 0 : queue_us;
        for (int i = 0; i < FLOWS; i++)
            probe(&t[i], 10 * n, (uint64_t)(8 + queue_us));
    }
    assert_true(used > 0.9);
    assert_true(queue_us < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start__line_rate_and_a_probe),
        cmocka_unit_test(on_rtt__cuts_by_the_distance_above_target),
        cmocka_unit_test(on_rtt__five_raises_then_larger_ones),
        cmocka_unit_test(on_rtt__requests_the_next_probe),
        cmocka_unit_test(on_cnp__once_between_probes),
        cmocka_unit_test(cut__not_below_the_least_rate),
        cmocka_unit_test(on_rtt__many_flows_keep_the_link_full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
