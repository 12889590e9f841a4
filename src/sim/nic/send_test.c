/* src/sim/nic/send_test.c - the FIFO between queue pair arbitration and the wire; cut-through switches. */
#include "sim/nic/host.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define FRAME    (1024 + 62)
#define FULL_PS  ((FRAME + 20) * BYTE_PS)
#define BACK_PS  (2 * ((66 + 20) * BYTE_PS + DELAY_PS))      /* return of an ACK over two hops */
#define PACKETS  1000u
#define START_NS 8892ull         /* while the 101st packet is on the wire */
#define REST_PS  (101 * FULL_PS - START_NS * PS_PER_NS)

static void start(struct world *w, const struct sim_cfg *cfg, const struct flow_row *flow, uint32_t count)
{
    struct graph g;

    graph_star(&g, &(struct graph_star){ 3, 100 * GBPS, DELAY_PS });
    world_of_flows(w, &g, cfg, flow, count);
}

static uint64_t fct_of(const struct world *w, uint64_t bytes)
{
    for (uint32_t i = 0; i < w->done_count; i++)
        if (w->done[i].bytes == bytes)
            return w->done[i].fct_ps;
    fail();
    return 0;
}

/* A small message is posted while the FIFO of ten packets is full: it waits for the rest of the packet on the
 * wire and for nine others. Without a FIFO it only waits for the packet on the wire. */
static void fill_fifo__a_message_waits_behind_chosen_packets(void **unused)
{
    static const uint32_t fifos[] = { 0, 10 * FRAME };
    const struct flow_row flow[] = {
        { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = PACKETS * 1024 },
        { .src = 0, .dst = 2, .prio = 3, .dport = 2, .bytes = 64, .start_ps = START_NS * PS_PER_NS },
    };

    (void)unused;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t       alone_ps = 2 * ((64 + 62 + 20) * BYTE_PS + DELAY_PS) + BACK_PS;
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        cfg.tx_fifo_bytes = fifos[i];
        start(&w, &cfg, flow, 2);
        assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
        assert_int_equal(fct_of(&w, 64), REST_PS + (i ? 9 * FULL_PS : 0) + alone_ps);
        /* The long message takes as long as without a FIFO: it costs nothing for a lone sender. */
        assert_int_equal(fct_of(&w, PACKETS * 1024),
                         PACKETS * FULL_PS + (64 + 62 + 20) * BYTE_PS + FULL_PS + 2 * DELAY_PS + BACK_PS);
        world_end(&w);
    }
}

/* A paused class does not block another class: each has a separate FIFO. */
static void fill_fifo__a_paused_class_blocks_no_other(void **unused)
{
    const struct flow_row flow[] = {
        { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = PACKETS * 1024 },
        { .src = 0, .dst = 2, .prio = 4, .dport = 2, .bytes = 100 * 1024 },
    };
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.tx_fifo_bytes = 10 * FRAME;
    start(&w, &cfg, flow, 2);
    w.sim->net.host[0].port->paused = 1 << 3;
    sim_run_until(w.sim, 200 * FULL_PS);
    assert_int_equal(w.done_count, 1);
    assert_int_equal(w.done[0].bytes, 100 * 1024);
    world_end(&w);
}

/* Two queue pairs with four packets per turn: neither is ever ahead by more, and one is ahead by that
 * much. */
static void next_in_turn__a_turn_has_the_configured_length(void **unused)
{
    const struct flow_row flow[] = {
        { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = PACKETS * 1024 },
        { .src = 0, .dst = 2, .prio = 3, .dport = 2, .bytes = PACKETS * 1024 },
    };
    uint64_t       ahead_most = 0;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.tx_fifo_bytes = FRAME;
    cfg.turn_bytes = 4 * 1024;
    start(&w, &cfg, flow, 2);
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t a, b;

        sim_run_until(w.sim, w.sim->engine.now_ps + FULL_PS);
        a = w.sim->flows.flow[1].sent, b = w.sim->flows.flow[2].sent;
        ahead_most = (a > b ? a - b : b - a) > ahead_most ? (a > b ? a - b : b - a) : ahead_most;
    }
    assert_int_equal(ahead_most, 4 * 1024);
    world_end(&w);
}

/* Memory delivers at twice the link rate: after the transmission time of n packets, 2 n are fetched. */
static void fill_fifo__is_filled_at_the_rate_of_pcie(void **unused)
{
    const struct flow_row flow = { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = PACKETS * 1024 };
    uint64_t       fetched = 200 * (FRAME + 20) / (1024 + 20);
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.tx_fifo_bytes = PACKETS * FRAME;
    cfg.pcie_bps = 200 * GBPS;
    start(&w, &cfg, &flow, 1);
    sim_run_until(w.sim, 100 * FULL_PS);
    /* Payload and 20 bytes cross PCIe, without the headers that the NIC adds. */
    assert_in_range(w.sim->flows.flow[1].sent / 1024, fetched - 3, fetched + 3);
    world_end(&w);
}

/* Memory is four times slower than the link: packets leave as they are fetched, from any number of queue
 * pairs, and the clock never goes back. */
static void fill_fifo__memory_may_be_slower_than_the_link(void **unused)
{
    const struct flow_row flow[] = {
        { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = PACKETS * 1024 },
        { .src = 0, .dst = 1, .prio = 3, .dport = 2, .bytes = PACKETS * 1024 },
    };
    uint64_t       fetched = 100 * (FRAME + 20) / (1024 + 20);
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.tx_fifo_bytes = 2 * FRAME;
    cfg.pcie_bps = 25 * GBPS;
    start(&w, &cfg, flow, 2);
    for (uint64_t i = 1, before_ps = 0; i <= 400; i++) {
        sim_run_until(w.sim, i * FULL_PS);
        assert_true(w.sim->engine.now_ps >= before_ps);
        before_ps = w.sim->engine.now_ps;
    }
    assert_in_range((w.sim->flows.flow[1].sent + w.sim->flows.flow[2].sent) / 1024, fetched - 3, fetched + 3);
    world_end(&w);
}

/* A lone message through a cut-through switch: the second hop begins 64 bytes and the chip's latency after
 * the first. If the egress link is faster, the switch stores the frame. */
static void path_age__a_cut_through_switch_adds_its_header_time(void **unused)
{
    uint64_t chip_ps = 300000, head_ps = (64 + 20) * BYTE_PS, ack_ps = (66 + 20) * BYTE_PS;
    struct sim_cfg cfg;

    (void)unused;
    for (uint32_t packets = 1; packets <= 100; packets += 99) {
        struct world w;

        world_cfg(&cfg, MODEL_NIC);
        cfg.is_cut_through = true;
        cfg.chip_ps = chip_ps;
        start(&w, &cfg, &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 1,
                                            .bytes = packets * 1024 },
              1);
        assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
        assert_int_equal(w.done[0].fct_ps, head_ps + chip_ps + packets * FULL_PS + 2 * DELAY_PS +
                                               head_ps + chip_ps + ack_ps + 2 * DELAY_PS);
        assert_int_equal(w.done[0].ideal_ps, w.done[0].fct_ps);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fill_fifo__a_message_waits_behind_chosen_packets),
        cmocka_unit_test(fill_fifo__a_paused_class_blocks_no_other),
        cmocka_unit_test(next_in_turn__a_turn_has_the_configured_length),
        cmocka_unit_test(fill_fifo__is_filled_at_the_rate_of_pcie),
        cmocka_unit_test(fill_fifo__memory_may_be_slower_than_the_link),
        cmocka_unit_test(path_age__a_cut_through_switch_adds_its_header_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
