/* src/sim/nic/drain_test.c - slow receivers, against closed forms. */
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LINE_BPS (100 * GBPS)
#define BYTE_PS  80              /* at LINE_BPS */
#define DELAY_PS PS_PER_US
#define FULL_PS  ((1024 + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define BUFFER   50000u

struct test { struct world world; const struct port *to_slow, *to_sender; };

/* 'senders' hosts send 'bytes' each to the last host, which drains at drain_bps. */
static void start(struct test *t, uint32_t senders, uint64_t bytes, uint64_t drain_bps, bool is_lossless)
{
    struct flow_row flow[4] = { { 0 } };
    uint8_t         drains[8] = { 0 };
    struct sim_cfg  cfg;
    struct graph    g;

    world_cfg(&cfg, MODEL_NIC);
    cfg.drain_bps = drain_bps;
    cfg.drains = drains;
    drains[senders] = 1;
    cfg.rx_buffer_bytes = BUFFER;
    cfg.is_lossless = is_lossless;
    cfg.ecn_on = false;
    graph_star(&g, &(struct graph_star){ senders + 1, LINE_BPS, DELAY_PS });
    for (uint32_t i = 0; i < senders; i++)
        flow[i] = (struct flow_row){ .src = i, .dst = senders, .prio = 3, .dport = (uint16_t)(100 + i),
                                     .bytes = bytes };
    world_of_flows(&t->world, &g, &cfg, flow, senders);
    t->to_slow = t->world.sim->net.host[senders].port->peer;
    t->to_sender = t->world.sim->net.host[0].port;
}

/* A packet is received when it is in memory. The data of a lone flow takes longer on the wire than its
 * ACK. */
static void drain__a_lone_packet_waits_for_memory(void **unused)
{
    struct test t;

    (void)unused;
    start(&t, 1, 1024, 25 * GBPS, true);
    assert_true(world_finish(&t.world, 10 * PS_PER_US, PS_PER_S));
    assert_int_equal(t.world.done[0].fct_ps,
                     2 * (FULL_PS + DELAY_PS) + 4 * FULL_PS + 2 * (ACK_PS + DELAY_PS));
    assert_int_equal(t.world.pfc_count, 0);
    world_end(&t.world);
}

/* Memory that is faster than the line only adds latency. */
static void drain__a_fast_host_sends_no_pause(void **unused)
{
    struct test t;

    (void)unused;
    start(&t, 1, 1000 * 1024, LINE_BPS, true);
    assert_true(world_finish(&t.world, 10 * PS_PER_US, PS_PER_S));
    assert_int_equal(t.world.done[0].fct_ps,
                     1000 * FULL_PS + FULL_PS + 2 * DELAY_PS + FULL_PS + 2 * (ACK_PS + DELAY_PS));
    assert_int_equal(t.world.pfc_count, 0);
    world_end(&t.world);
}

/* A lone flow: the host pauses what it cannot drain. The FCT is determined by its memory. */
static void drain__pauses_when_it_cannot_keep_up(void **unused)
{
    static const uint64_t gbps[] = { 80, 50, 20, 5 };

    (void)unused;
    for (uint32_t i = 0; i < sizeof gbps / sizeof *gbps; i++) {
        uint64_t    packets = 20000, drain_ps = packets * FULL_PS * 100 / gbps[i], paused_ps;
        struct test t;

        start(&t, 1, packets * 1024, gbps[i] * GBPS, true);
        assert_true(world_finish(&t.world, 100 * PS_PER_US, PS_PER_S));
        paused_ps = t.to_slow->counters.paused_ps;
        assert_in_range(t.world.done[0].fct_ps, drain_ps, drain_ps + 10 * PS_PER_US);
        /* share 1 - drain / line, except at the beginning, when the buffer fills, and at the end */
        assert_in_range(paused_ps * 1000 / t.world.done[0].fct_ps, (100 - gbps[i]) * 10 - 10,
                        (100 - gbps[i]) * 10 + 1);
        assert_true(t.world.sim->engine.counters.pauses > 0);
        assert_int_equal(t.world.sim->engine.counters.dropped_host, 0);
        assert_int_equal(t.world.sim->engine.counters.dropped_buffer, 0);
        world_end(&t.world);
    }
}

/* Two flows to a slow host share its memory; the pauses spread to both senders. */
static void drain__pauses_spread(void **unused)
{
    uint64_t    packets = 20000, drain_ps = 2 * packets * FULL_PS * 2;
    struct test t;

    (void)unused;
    start(&t, 2, packets * 1024, 50 * GBPS, true);
    assert_true(world_finish(&t.world, 100 * PS_PER_US, PS_PER_S));
    for (uint32_t i = 0; i < 2; i++)
        assert_in_range(t.world.done[i].fct_ps, drain_ps * 9 / 10, drain_ps + 10 * PS_PER_US);
    assert_true(t.to_sender->counters.paused_ps > drain_ps / 4);
    world_end(&t.world);
}

/* Without PFC, packets that find no room are lost, counted, and retransmitted. */
static void drain__drops_lossy_packets(void **unused)
{
    struct test t;

    (void)unused;
    start(&t, 1, 1000 * 1024, 50 * GBPS, false);
    assert_true(world_finish(&t.world, 100 * PS_PER_US, PS_PER_S));
    assert_int_equal(t.world.pfc_count, 0);
    assert_true(t.world.sim->engine.counters.dropped_host > 100);
    assert_true(t.world.done[0].resent_bytes > 0);
    world_end(&t.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drain__a_lone_packet_waits_for_memory),
        cmocka_unit_test(drain__a_fast_host_sends_no_pause),
        cmocka_unit_test(drain__pauses_when_it_cannot_keep_up),
        cmocka_unit_test(drain__pauses_spread),
        cmocka_unit_test(drain__drops_lossy_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
