/* src/sim/cc/nscc_test.c
 *
 * Oracles: NSCC's formulas by hand. The constants are given for 100 Gb/s and a round trip of 12 us. There, a
 * round trip without marks at a delay d below the target T adds 4 MSS (T - d) / 12 us, one at a delay from T
 * on adds 5 MSS, and both add 0.15 MSS once per round trip.
 */
#include "sim/cc/nscc.h"

#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MTU 4150
#define MSS (MTU - 64)
#define RTT (12 * PS_PER_US)

struct sender {
    struct nscc_cfg cfg;
    struct nscc     f;
    uint64_t        now_ps;
};

static void start(struct sender *s, int64_t cwnd_bytes)
{
    nscc_configure(&s->cfg, 100000000000, MTU, 64, RTT, 9 * PS_PER_US);
    nscc_init(&s->f, &s->cfg, RTT, cwnd_bytes);
    s->now_ps = 2 * RTT;
    s->f.adjusted_ps = s->now_ps;
}

static void ack(struct sender *s, bool is_marked, double delay_us, int64_t bytes)
{
    nscc_count(&s->f, bytes);
    nscc_on_ack(&s->f, &s->cfg, s->now_ps, is_marked, (uint64_t)(delay_us * 1e6), bytes, s->f.cwnd_bytes);
}

/* ACKs of a whole window, one per packet, spread over a round trip. Returns the acknowledged bytes. */
static int64_t round_trip(struct sender *s, bool is_marked, double delay_us)
{
    int64_t packets = s->f.cwnd_bytes / MTU;

    for (int64_t i = 0; i < packets; i++) {
        s->now_ps += RTT / (uint64_t)packets;
        ack(s, is_marked, delay_us, MTU);
    }
    return packets * MTU;
}

static void configure__constants_of_the_reference_network(void **unused)
{
    struct sender s;

    (void)unused;
    start(&s, 0);
    assert_true(s.cfg.fi == 5 * MSS && s.cfg.fi_scale == 0.25 && fabs(s.cfg.eta - 0.15 * MSS) < 1e-9);
    assert_true(fabs(s.cfg.alpha * 12e6 / (4 * MSS) - 1) < 1e-12);
    assert_int_equal(s.f.maxwnd_bytes, 225000);          /* 1.5 BDP */
    assert_int_equal(s.f.cwnd_bytes, 225000);
    /* alpha does not depend on the target */
    nscc_configure(&s.cfg, 100000000000, MTU, 64, RTT, 3 * PS_PER_US);
    assert_true(fabs(s.cfg.alpha * 12e6 / (4 * MSS) - 1) < 1e-12);
    nscc_configure(&s.cfg, 100000000000, MTU, 64, RTT, 0);
    assert_int_equal(s.cfg.target_delay_ps, 9 * PS_PER_US);
}

static void on_ack__grows_by_the_distance_below_target(void **unused)
{
    static const struct { double delay_us, want_mss; } rows[] = { { 3, 2 }, { 6, 1 }, { 8.25, 0.25 },
                                                                  { 9, 5 }, { 20, 5 } };

    (void)unused;
    for (int i = 0; i < 5; i++) {
        struct sender s;
        double        acked = 0, was = 100000, is;

        start(&s, 100000);
        for (int j = 0; j < 4; j++)
            acked += (double)round_trip(&s, false, rows[i].delay_us);
        /* A growth of g per window is g / window per byte, so the square of the window grows by 2 g per byte.
         * Growth that is not applied yet is missing. */
        is = (double)s.f.cwnd_bytes;
        assert_true(fabs((is * is - was * was) / 2 / acked / MSS - (rows[i].want_mss + 0.15)) < 0.25);
    }
}

/* A quarter of the acknowledged bytes, after a window of ACKs below 1 us. */
static void on_ack__fast_increase_after_a_window(void **unused)
{
    struct sender s;
    int64_t       was;

    (void)unused;
    start(&s, 50000);
    round_trip(&s, false, 0.5);
    while (!s.f.is_fast)
        ack(&s, false, 0.5, MTU);
    was = s.f.cwnd_bytes;
    ack(&s, false, 0.5, MTU);
    assert_in_range(s.f.cwnd_bytes - was, MTU / 4, MTU / 4 + 1);
    ack(&s, false, 1.5, MTU);
    assert_false(s.f.is_fast);
}

/* 1 - 0.8 (avg - T) / avg, at least one half, once per round trip; and nothing while the delay is below T. */
static void on_ack__shrinks_with_the_average_delay(void **unused)
{
    static const struct { uint64_t avg_us; double want; } rows[] = { { 9, 1 }, { 12, 0.8 }, { 18, 0.6 },
                                                                     { 90, 0.5 } };

    (void)unused;
    for (int i = 0; i < 4; i++) {
        struct sender s;

        start(&s, 100000);
        s.f.avg_delay_ps = rows[i].avg_us * PS_PER_US;
        ack(&s, true, 10, MTU);
        assert_in_range(s.f.cwnd_bytes, (int64_t)(100000 * rows[i].want) - 1,
                        (int64_t)(100000 * rows[i].want));
        ack(&s, true, 10, MTU);                  /* the same round trip */
        assert_in_range(s.f.cwnd_bytes, (int64_t)(100000 * rows[i].want) - 1,
                        (int64_t)(100000 * rows[i].want));
        start(&s, 100000);
        s.f.avg_delay_ps = rows[i].avg_us * PS_PER_US;
        ack(&s, true, 8, MTU);
        assert_int_equal(s.f.cwnd_bytes, 100000);
    }
}

static void on_ack__stays_within_bounds(void **unused)
{
    struct sender s;

    (void)unused;
    start(&s, 224000);
    for (int i = 0; i < 5; i++)
        round_trip(&s, false, 3);
    assert_int_equal(s.f.cwnd_bytes, 225000);
    start(&s, 2 * MTU);
    for (int i = 0; i < 20; i++)
        nscc_on_trim(&s.f, &s.cfg, s.now_ps, MTU, false, 0);
    assert_int_equal(s.f.cwnd_bytes, MTU);
}

static void on_trim__costs_its_size_without_credit(void **unused)
{
    struct sender s;

    (void)unused;
    start(&s, 100000);
    nscc_on_trim(&s.f, &s.cfg, s.now_ps, MTU, false, 100000);
    assert_int_equal(s.f.cwnd_bytes, 100000 - MTU);
    nscc_on_trim(&s.f, &s.cfg, s.now_ps, MTU, true, 100000);
    assert_int_equal(s.f.cwnd_bytes, 100000 - MTU);
}

/* Less than 1/8 of the largest window in a round trip: the window is set to that, and marks of packets in
 * flight are ignored. */
static void on_ack__quick_adapt(void **unused)
{
    struct sender s;

    (void)unused;
    start(&s, 200000);
    ack(&s, false, 3, MTU);                      /* starts a round trip */
    nscc_on_trim(&s.f, &s.cfg, s.now_ps, MTU, false, 200000);
    nscc_count(&s.f, 3 * MTU);
    s.now_ps += RTT + 9 * PS_PER_US + 1;
    nscc_on_ack(&s.f, &s.cfg, s.now_ps, true, 10 * PS_PER_US, 0, 60000);
    assert_int_equal(s.f.cwnd_bytes, 3 * MTU);
    assert_int_equal(s.f.to_ignore_bytes, 60000);
    s.f.avg_delay_ps = 50 * PS_PER_US;
    ack(&s, true, 40, MTU);
    assert_int_equal(s.f.cwnd_bytes, 3 * MTU);
    s.cfg.disable_qa = true;
    s.f.adjusted_ps = s.now_ps;
    ack(&s, true, 40, MTU);
    assert_int_equal(s.f.cwnd_bytes, 3 * MTU / 2);
}

/* The accumulated increase has 32 bits; in uet-htsim it wraps. */
static void on_ack__increase_wraps(void **unused)
{
    struct sender s;

    (void)unused;
    start(&s, 200000);
    s.f.increase = UINT32_MAX;
    s.f.received_bytes = -1000000;               /* nothing is applied yet */
    ack(&s, false, 10, 1);
    assert_int_equal(s.f.increase, UINT32_MAX);
    s.cfg.wraps = true;
    ack(&s, false, 10, 1);
    assert_int_equal(s.f.increase, 5 * MSS - 1);
}

static void on_rtt__the_smallest_sets_the_largest_window(void **unused)
{
    struct sender s;

    (void)unused;
    start(&s, 0);
    assert_true(nscc_on_rtt(&s.f, &s.cfg, 8 * PS_PER_US));
    assert_int_equal(s.f.maxwnd_bytes, 150000);
    assert_true(nscc_on_rtt(&s.f, &s.cfg, 9 * PS_PER_US));
    assert_int_equal(s.f.base_rtt_ps, 8 * PS_PER_US);
    assert_false(nscc_on_rtt(&s.f, &s.cfg, 70));         /* less than a byte */
}

/* A mark-free window of ACKs adds one MTU; a marked byte costs a third. */
static void dctcp__one_mtu_per_window(void **unused)
{
    struct sender s;

    (void)unused;
    start(&s, 20 * MTU);
    for (int i = 0; i < 20; i++)
        nscc_dctcp_on_ack(&s.f, &s.cfg, false, MTU);
    assert_in_range(s.f.cwnd_bytes, 21 * MTU - 150, 21 * MTU);
    s.f.cwnd_bytes = 20 * MTU;
    nscc_dctcp_on_ack(&s.f, &s.cfg, true, 3 * MTU);
    assert_int_equal(s.f.cwnd_bytes, 19 * MTU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configure__constants_of_the_reference_network),
        cmocka_unit_test(on_ack__grows_by_the_distance_below_target),
        cmocka_unit_test(on_ack__fast_increase_after_a_window),
        cmocka_unit_test(on_ack__shrinks_with_the_average_delay),
        cmocka_unit_test(on_ack__stays_within_bounds),
        cmocka_unit_test(on_trim__costs_its_size_without_credit),
        cmocka_unit_test(on_ack__quick_adapt),
        cmocka_unit_test(on_ack__increase_wraps),
        cmocka_unit_test(on_rtt__the_smallest_sets_the_largest_window),
        cmocka_unit_test(dctcp__one_mtu_per_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
