/* src/sim/nic/rto_test.c - when the retransmission timer fires, and spurious retransmissions. */
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define FULL_PS  ((1024 + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define BACK_PS  (2 * (ACK_PS + DELAY_PS))
#define THERE_PS (2 * (FULL_PS + DELAY_PS))
#define RTO_PS   (4 * PS_PER_MS)

/* One flow of 'packets' full packets from host 0 to host 1. */
static void start_one(struct world *w, const struct sim_cfg *cfg, uint64_t packets)
{
    struct graph g;

    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    world_of_flows(w, &g, cfg,
                   &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 1,
                                       .bytes = packets * 1024 }, 1);
}

static void set_loss(struct world *w, uint32_t host, bool is_on)
{
    struct port *p = w->sim->net.host[host].port;

    p->loss = is_on;
    p->is_lossy = is_on;
    p->slow_path = is_on ? SLOW_LINK : 0;
}

/* The host loses its frames from 'from_ps' to 'to_ps'. */
static void lose(struct world *w, uint32_t host, uint64_t from_ps, uint64_t to_ps)
{
    if (from_ps)
        sim_run_until(w->sim, from_ps - 1);
    set_loss(w, host, true);
    sim_run_until(w->sim, to_ps);
    set_loss(w, host, false);
}

/* ---- spurious retransmissions ---- */

/* Lost packets are retransmitted for a reason, regardless of the packets behind them: the receiver has
 * discarded those. */
static void spurious__excludes_lost_packets(void **unused)
{
    static const bool selective[] = { false, true };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        cfg.is_selective = selective[i];
        start_one(&w, &cfg, 5);
        lose(&w, 0, 3 * FULL_PS, 5 * FULL_PS);           /* the last two packets */
        assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
        assert_int_equal(w.sim->engine.counters.timeouts, 1);
        assert_int_equal(w.done[0].resent_bytes, 2 * 1024);
        assert_int_equal(w.sim->engine.counters.payload_spurious, 0);
        world_end(&w);
    }
}

/* The receiver has everything, but its last ACKs are lost: those packets are retransmitted spuriously. */
static void spurious__includes_packets_whose_ack_was_lost(void **unused)
{
    static const bool selective[] = { false, true };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        cfg.is_selective = selective[i];
        start_one(&w, &cfg, 5);
        lose(&w, 1, 3 * FULL_PS + THERE_PS, 4 * FULL_PS + THERE_PS);
        assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
        assert_int_equal(w.sim->engine.counters.timeouts, 1);
        assert_int_equal(w.done[0].resent_bytes, 2 * 1024);
        assert_int_equal(w.sim->engine.counters.payload_spurious, 2 * 1024);
        world_end(&w);
    }
}

/* Messages of one packet are never NACKed: a duplicate at the receiver was retransmitted by a timeout. */
static void spurious__equals_duplicates_of_short_messages(void **unused)
{
    struct flow_row      flow[200];
    struct graph         g;
    struct sim_cfg       cfg;
    struct world         w;
    struct sim_counters *c;

    (void)unused;
    for (uint32_t i = 0; i < 200; i++)
        flow[i] = (struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = (uint16_t)(i + 1),
                                     .bytes = 1000 };
    world_cfg(&cfg, MODEL_NIC);
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    for (uint32_t i = 0; i < g.links; i++)
        g.link[i].loss = 0.2;
    world_of_flows(&w, &g, &cfg, flow, 200);
    assert_true(world_finish(&w, PS_PER_MS, 10 * PS_PER_S));
    c = &w.sim->engine.counters;
    assert_true(c->payload_spurious > 10 * 1000);
    assert_int_equal(c->payload_spurious, c->data_received * 1000 - 200 * 1000);
    world_end(&w);
}

/* A NACK names the missing packet immediately: its retransmissions do not count. */
static void spurious__excludes_retransmissions_after_a_nack(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_one(&w, &cfg, 400);
    lose(&w, 0, 100 * FULL_PS, 101 * FULL_PS - 1);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    assert_int_equal(w.sim->engine.counters.timeouts, 0);
    assert_true(w.done[0].resent_bytes > 0);
    assert_int_equal(w.sim->engine.counters.payload_spurious, 0);
    world_end(&w);
}

/* The round trip is longer than the timer, and nothing is lost: each retransmitted byte is spurious. */
static void spurious__includes_all_in_a_lossless_network(void **unused)
{
    struct graph   g;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    graph_star(&g, &(struct graph_star){ 2, 10 * GBPS, 2 * PS_PER_MS });
    world_of_flows(&w, &g, &cfg,
                   &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 10000000 }, 1);
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    assert_true(w.sim->engine.counters.timeouts > 1);
    assert_int_equal(w.sim->engine.counters.payload_spurious,
                     w.sim->engine.counters.payload_sent - w.sim->engine.counters.payload_received);
    assert_int_equal(w.sim->engine.counters.payload_spurious, w.done[0].resent_bytes);
    world_end(&w);
}

/* ---- expiry ---- */

static void expect_timeouts(struct world *w, const uint64_t *at_ps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sim_run_until(w->sim, at_ps[i] - 1);
        assert_int_equal(w->sim->engine.counters.timeouts, i);
        sim_run_until(w->sim, at_ps[i]);
        assert_int_equal(w->sim->engine.counters.timeouts, i + 1);
    }
}

/* Twice as long each time, up to the limit. */
static void timeout__doubles_up_to_its_limit(void **unused)
{
    static const uint64_t at_ps[] = { RTO_PS, 3 * RTO_PS, 7 * RTO_PS, 12 * RTO_PS, 17 * RTO_PS };
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps_max = 5 * RTO_PS;
    start_one(&w, &cfg, 1);
    set_loss(&w, 0, true);
    expect_timeouts(&w, at_ps, 5);
    world_end(&w);
}

static void timeout__without_backoff_is_constant(void **unused)
{
    static const uint64_t at_ps[] = { RTO_PS, 2 * RTO_PS, 3 * RTO_PS, 4 * RTO_PS, 5 * RTO_PS };
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_one(&w, &cfg, 1);
    set_loss(&w, 0, true);
    expect_timeouts(&w, at_ps, 5);
    world_end(&w);
}

/* An acknowledged byte resets the timeout to its initial value. One packet at a time: the second is sent when
 * the first is acknowledged. */
static void timeout__resets_with_progress(void **unused)
{
    const uint64_t got_ps = 7 * RTO_PS + THERE_PS + BACK_PS;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps_max = 100 * RTO_PS;
    cfg.window_bytes = 1;
    start_one(&w, &cfg, 2);
    lose(&w, 0, 0, 7 * RTO_PS - 1);
    sim_run_until(w.sim, got_ps - 1);
    assert_int_equal(w.sim->flows.flow[1].acked, 0);
    set_loss(&w, 0, true);
    sim_run_until(w.sim, got_ps + RTO_PS - 1);
    assert_int_equal(w.sim->flows.flow[1].acked, 1024);
    assert_int_equal(w.sim->engine.counters.timeouts, 3);
    sim_run_until(w.sim, got_ps + RTO_PS);
    assert_int_equal(w.sim->engine.counters.timeouts, 4);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spurious__excludes_lost_packets),
        cmocka_unit_test(spurious__includes_packets_whose_ack_was_lost),
        cmocka_unit_test(spurious__equals_duplicates_of_short_messages),
        cmocka_unit_test(spurious__excludes_retransmissions_after_a_nack),
        cmocka_unit_test(spurious__includes_all_in_a_lossless_network),
        cmocka_unit_test(timeout__doubles_up_to_its_limit),
        cmocka_unit_test(timeout__without_backoff_is_constant),
        cmocka_unit_test(timeout__resets_with_progress),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
