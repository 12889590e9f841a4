/* src/sim/cc/nscc_pair_test.c
 *
 * Oracles: NSCC's steady state, in which any number of flows that share a marked queue keep its delay near
 * the target; and bounds that hold for any input.
 */
#include "sim/cc/test_flow.h"

#include "sim/cc/nscc.h"

#include <math.h>

extern const struct cc_algo cc_nscc;

#define FLOWS_MAX 32
#define PACKET    1000

/* A link of 100 Gb/s. Its queue is the excess of the windows over its capacity; it marks from a delay of
 * 'mark_us' on. */
struct queue { struct flow flow[FLOWS_MAX]; int flows; double base_us, mark_us, now_us; };

static double window_sum(const struct queue *q)
{
    double sum = 0;

    for (int i = 0; i < q->flows; i++)
        sum += (double)q->flow[i].out.window_bytes;
    return sum;
}

/* One round trip: every flow gets an ACK for each packet of its window. Returns the delay. */
static double round_trip(struct queue *q)
{
    double   capacity = q->base_us * 12500, sum = window_sum(q);
    double   delay_us = sum > capacity ? (sum - capacity) / 12500 : 0, rtt_us = q->base_us + delay_us;
    uint64_t packets[FLOWS_MAX], most = 0;

    for (int i = 0; i < q->flows; i++) {
        packets[i] = q->flow[i].out.window_bytes / PACKET;
        most = packets[i] > most ? packets[i] : most;
    }
    for (uint64_t p = 0; p < most; p++) {
        q->now_us += rtt_us / (double)most;
        for (int i = 0; i < q->flows; i++)
            if (p < packets[i]) {
                struct cc_ack a = { .rtt_ps = (uint64_t)(rtt_us * 1e6),
                                    .acked_bytes = PACKET,
                                    .inflight_bytes = q->flow[i].out.window_bytes,
                                    .is_marked = delay_us > q->mark_us };
                struct cc_now now = { (uint64_t)(q->now_us * 1e6), (uint64_t)(q->now_us * 1e6) };

                cc_nscc.on_ack(q->flow[i].cfg, q->flow[i].state, now, &a, &q->flow[i].out);
            }
    }
    return delay_us;
}

static void start(struct queue *q, int flows, double target_us)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_nscc_target_delay] = target_us;
    *q = (struct queue){ .flows = flows, .base_us = (double)link_100g.base_rtt_ps / 1e6,
                         .mark_us = target_us };
    for (int i = 0; i < flows; i++)
        flow_start(&q->flow[i], &cc_nscc, &k, &link_100g);
}

static void on_ack__keeps_the_delay_near_its_target(void **unused)
{
    static const int flows[] = { 2, 4, 8 };

    (void)unused;
    for (int i = 0; i < 3; i++)
        for (double target_us = 4; target_us <= 16; target_us *= 2) {
            static struct queue q;
            double              mean_us = 0;

            start(&q, flows[i], target_us);
            for (int j = 0; j < 2000; j++)
                round_trip(&q);
            for (int j = 0; j < 2000; j++)
                mean_us += round_trip(&q) / 2000;
            assert_true(fabs(mean_us / target_us - 1) < 0.35);
        }
}

/* A lone flow keeps the link busy: its window is never below the capacity. */
static void on_ack__alone_fills_the_link(void **unused)
{
    static struct queue q;

    (void)unused;
    start(&q, 1, 6);
    for (int j = 0; j < 500; j++) {
        round_trip(&q);
        assert_true(window_sum(&q) >= 0.99 * q.base_us * 12500);
        assert_int_equal(q.flow[0].out.rate_bps, LINE_BPS);
    }
}

/* A packet may be sent in any state. */
static void window__never_below_a_packet(void **unused)
{
    static struct queue q;
    struct flow        *f = &q.flow[0];

    (void)unused;
    start(&q, 1, 6);
    for (uint64_t i = 1; i < 2000; i++) {
        struct cc_now now = { i * PS_PER_US, i * PS_PER_US };
        struct cc_ack a = { .rtt_ps = 1 + i % 7 * 100000, .is_marked = true, .acked_bytes = i % 3 * 500 };

        cc_nscc.on_loss(f->cfg, f->state, now, i % 2 ? CC_NACK : CC_TIMEOUT, &f->out);
        assert_true(f->out.window_bytes >= PACKET);
        cc_nscc.on_ack(f->cfg, f->state, now, &a, &f->out);
        assert_true(f->out.window_bytes >= PACKET);
    }
}

/* max_cwnd limits the window, and quick adapt can be switched off. */
static void configure__takes_the_profile(void **unused)
{
    static struct queue q;
    struct knobs        k;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_nscc_max_cwnd] = 60;
    k.value[KNOB_nscc_target_delay] = 50;
    q = (struct queue){ .flows = 1, .base_us = (double)link_100g.base_rtt_ps / 1e6, .mark_us = 1e9 };
    flow_start(&q.flow[0], &cc_nscc, &k, &link_100g);
    for (int j = 0; j < 100; j++)
        round_trip(&q);
    assert_int_equal(q.flow[0].out.window_bytes, 60000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_ack__keeps_the_delay_near_its_target),
        cmocka_unit_test(on_ack__alone_fills_the_link),
        cmocka_unit_test(window__never_below_a_packet),
        cmocka_unit_test(configure__takes_the_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
