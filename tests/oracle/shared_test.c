/* tests/oracle/shared_test.c - flows that share a bottleneck: shares, completion of the last flow, and the
 * effects of PFC and drops. Closed forms are computed here from bytes and rates. Congestion control is off.
 */
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define FULL_PS  ((1024 + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)

/* 'senders' hosts send 'bytes' each to host 0 of a star, all at once. */
static void start_incast(struct world *w, struct sim_cfg *cfg, uint32_t senders, uint64_t bytes,
                         uint64_t delay_ps)
{
    struct flow_row flow[64];
    struct graph     g;

    graph_star(&g, &(struct graph_star){ senders + 1, 100 * GBPS, delay_ps });
    for (uint32_t i = 0; i < senders; i++)
        flow[i] = (struct flow_row){ .src = i + 1, .dst = 0, .prio = 3, .dport = 100, .bytes = bytes };
    world_of_flows(w, &g, cfg, flow, senders);
}

/* The receiver's link is busy from the time at which the first packet has crossed the first hop until all
 * packets have been sent. Then the last one crosses it and its ACK returns. All packets are full, so none
 * waits for a shorter one. */
static uint64_t last_done_ps(uint32_t senders, uint64_t packets)
{
    return FULL_PS + DELAY_PS + senders * packets * FULL_PS + DELAY_PS + 2 * (ACK_PS + DELAY_PS);
}

static void incast__last_is_done_when_all_bytes_are_sent(void **unused)
{
    (void)unused;
    for (uint32_t senders = 1; senders <= 16; senders++) {
        const uint64_t packets = 50;
        uint64_t       first = NEVER, last = 0;
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        start_incast(&w, &cfg, senders, packets * 1024, DELAY_PS);
        assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
        for (uint32_t i = 0; i < senders; i++) {
            first = w.done[i].fct_ps < first ? w.done[i].fct_ps : first;
            last = w.done[i].fct_ps > last ? w.done[i].fct_ps : last;
        }
        assert_int_equal(w.done_count, senders);
        assert_int_equal(last, last_done_ps(senders, packets));
        /* Equal flows get equal shares: their last packets follow each other. */
        assert_int_equal(last - first, (senders - 1) * FULL_PS);
        world_end(&w);
    }
}

/* ---- PFC ---- */

/* The buffer is so small that senders of an incast are paused repeatedly. Nothing is lost, and the receiver's
 * link is never idle, so the last flow completes exactly as with a large buffer. */
static void pfc__loses_nothing_and_no_time(void **unused)
{
    const uint32_t senders = 8;
    const uint64_t packets = 200;
    uint64_t       last = 0;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.pfc_shift = 0;
    cfg.buffer_bytes = 9 * (25000 + 4 * 1106 + 84 + 4096) + 400000;
    start_incast(&w, &cfg, senders, packets * 1024, DELAY_PS);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    assert_true(sim_counts(w.sim)->pauses > senders);
    assert_int_equal(sim_counts(w.sim)->pauses, sim_counts(w.sim)->resumes);
    assert_int_equal(sim_counts(w.sim)->pfc_sent,
                     sim_counts(w.sim)->pauses + sim_counts(w.sim)->resumes);
    assert_int_equal(sim_counts(w.sim)->dropped_buffer, 0);
    assert_int_equal(sim_counts(w.sim)->payload_received, senders * packets * 1024);
    assert_int_equal(sim_counts(w.sim)->payload_sent, senders * packets * 1024);
    for (uint32_t i = 0; i < w.done_count; i++)
        last = w.done[i].fct_ps > last ? w.done[i].fct_ps : last;
    assert_int_equal(last, last_done_ps(senders, packets));
    world_end(&w);
}

/* Runs in tiny steps: while a host's port is paused, no packet of the class starts on it. */
static void pfc__a_paused_port_is_silent(void **unused)
{
    const uint32_t senders = 4;
    uint64_t       silent = 0, starts = 0, sent[5] = { 0 };
    bool           was_paused[5] = { false };
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.buffer_bytes = 5 * (25000 + 4 * 1106 + 84 + 4096) + 60000;
    start_incast(&w, &cfg, senders, 300 * 1024, DELAY_PS);
    while (!sim_is_done(w.sim)) {
        sim_run_until(w.sim, w.sim->engine.now_ps + 40);        /* shorter than any frame */
        for (uint32_t i = 1; i <= senders; i++) {
            const struct port *p = w.sim->net.host[i].port;
            uint64_t           now = p->counters.tx_packets[CLASS_DATA];

            assert_int_equal(p->node->id, i);
            if (was_paused[i] && p->paused)
                assert_int_equal(now, sent[i]), silent++;
            starts += now - sent[i];
            sent[i] = now;
            was_paused[i] = p->paused;
        }
    }
    assert_true(silent > 1000);
    assert_int_equal(starts, senders * 300);
    world_end(&w);
}

/* The paused time of a port equals the time between the PFC frames that the hook reports. */
static void pfc__paused_time_is_that_between_frames(void **unused)
{
    const uint32_t senders = 4;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.buffer_bytes = 5 * (25000 + 4 * 1106 + 84 + 4096) + 60000;
    start_incast(&w, &cfg, senders, 300 * 1024, DELAY_PS);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    for (uint32_t i = 1; i <= senders; i++) {
        uint64_t paused = 0, since = 0;

        for (uint32_t k = 0; k < w.pfc_count; k++)
            if (w.pfc[k].node == i) {
                assert_int_equal(w.pfc[k].prio, 3);
                assert_int_equal(w.pfc[k].port, 1);
                assert_int_equal(w.pfc[k].is_pause, since == 0);     /* pause and resume alternate */
                paused += w.pfc[k].is_pause ? 0 : w.pfc[k].at_ps - since;
                since = w.pfc[k].is_pause ? w.pfc[k].at_ps : 0;
            }
        assert_true(paused > 0);
        assert_int_equal(port_paused_ps(w.sim->net.host[i].port, w.sim->engine.now_ps), paused);
    }
    world_end(&w);
}

/* ---- shares ---- */

/* Two flows from different hosts into one port, observed halfway: each has half of the link, to a packet. */
static void shares__are_equal(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    uint64_t       got[3] = { 0 };

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_incast(&w, &cfg, 2, 2000 * 1024, DELAY_PS);
    sim_run_until(w.sim, FULL_PS + 2 * DELAY_PS + 1000 * FULL_PS);
    for (uint32_t id = 1; id < w.sim->flows.used; id++)
        got[w.sim->flows.flow[id].src] = w.sim->flows.rx[id].expected / 1024;
    assert_int_equal(got[1] + got[2], 1000);             /* the link is never idle */
    assert_in_range(got[1], 499, 501);
    world_end(&w);
}

/* Two flows of one host to two receivers share its link packet by packet. */
static void shares__of_one_host_are_equal(void **unused)
{
    const struct flow_row flow[] = { { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 500 * 1024 },
                                      { .src = 0, .dst = 2, .prio = 3, .dport = 2, .bytes = 500 * 1024 } };
    struct sim_cfg cfg;
    struct world   w;
    struct graph   g;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    graph_star(&g, &(struct graph_star){ 3, 100 * GBPS, DELAY_PS });
    world_of_flows(&w, &g, &cfg, flow, 2);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    /* The first of the two leaves first each time: its last packet is number 999 of 1000. */
    assert_int_equal(world_result(&w, 0, 1)->fct_ps,
                     999 * FULL_PS + FULL_PS + 2 * DELAY_PS + 2 * (ACK_PS + DELAY_PS));
    assert_int_equal(world_result(&w, 0, 2)->fct_ps,
                     1000 * FULL_PS + FULL_PS + 2 * DELAY_PS + 2 * (ACK_PS + DELAY_PS));
    world_end(&w);
}

/* ---- without PFC ---- */

static void lossy__everything_arrives_in_the_end(void **unused)
{
    (void)unused;
    for (int model = MODEL_NIC; model <= MODEL_HPCC; model++) {
        struct sim_cfg             cfg;
        struct world               w;
        const struct sim_counters *c;
        uint64_t                   resent = 0;

        world_cfg(&cfg, (enum sim_model)model);
        cfg.is_lossless = cfg.ack_droppable = false;
        cfg.buffer_bytes = 100000;
        cfg.rto_ps = 500 * PS_PER_US;
        start_incast(&w, &cfg, 8, 200000, DELAY_PS);
        assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
        c = sim_counts(w.sim);
        assert_int_equal(w.done_count, 8);
        assert_true(c->dropped_buffer > 100 && c->nacks_sent + c->timeouts > 0);
        assert_int_equal(c->dropped_wire + c->dropped_down + c->dropped_no_route + c->pfc_sent + c->pauses,
                         0);
        assert_int_equal(c->payload_received, 8 * 200000);
        for (uint32_t i = 0; i < 8; i++)
            resent += w.done[i].resent_bytes;
        assert_int_equal(c->payload_sent, 8 * 200000 + resent);
        assert_int_equal(c->payload_dropped + c->payload_stale, resent);
        world_end(&w);
    }
}

/* Of n packets on a link with loss p, n p are lost, within five standard deviations; all arrive
 * eventually. */
static void lossy__wire_loses_its_share(void **unused)
{
    const double   loss = 0.02;
    struct sim_cfg cfg;
    struct world   w;
    struct graph   g;
    uint64_t       frames = 0;
    double         mean, sigma_squared;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps = 100 * PS_PER_US;
    cfg.nack_gap_ps = 20 * PS_PER_US;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    g.link[0].loss = g.link[1].loss = loss;
    world_of_flows(&w, &g, &cfg, &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .bytes = 10000 * 1024 },
                   1);
    assert_true(world_finish(&w, 100 * PS_PER_US, 10 * PS_PER_S));
    for (uint32_t i = 0; i < sim_ports(w.sim); i++)
        for (int k = 0; k < PACKET_CLASSES; k++)
            frames += sim_port(w.sim, i).counters.tx_packets[k];
    mean = (double)frames * loss;
    sigma_squared = mean * (1 - loss);
    assert_true(frames > 20000);
    assert_true(((double)sim_counts(w.sim)->dropped_wire - mean) *
                    ((double)sim_counts(w.sim)->dropped_wire - mean) <
                25 * sigma_squared);
    assert_int_equal(sim_counts(w.sim)->payload_received, 10000 * 1024);
    assert_int_equal(sim_counts(w.sim)->dropped_buffer, 0);
    world_end(&w);
}

/* A bit error rate b loses a frame of n bytes with probability 1 - (1 - b)^(8 n). */
static void lossy__bit_errors_hit_long_frames(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    struct graph   g;
    double         survive = 1, lost, sent;

    (void)unused;
    for (int bit = 0; bit < 8 * (1024 + 62); bit++)
        survive *= 1 - 5e-6;
    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps = 100 * PS_PER_US;
    cfg.nack_gap_ps = 20 * PS_PER_US;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    g.link[1].ber = 5e-6;
    world_of_flows(&w, &g, &cfg, &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .bytes = 10000 * 1024 },
                   1);
    assert_true(world_finish(&w, 100 * PS_PER_US, 10 * PS_PER_S));
    lost = (double)sim_counts(w.sim)->payload_dropped / 1024;
    sent = (double)sim_counts(w.sim)->data_sent;
    assert_true((lost - sent * (1 - survive)) * (lost - sent * (1 - survive)) <
                25 * sent * survive * (1 - survive));
    assert_true(lost > 100);
    world_end(&w);
}

/* ---- a link fails ---- */

static void start_clos_with_failure(struct world *w, uint64_t down_ps, uint64_t up_ps)
{
    struct flow_row flow[32];
    struct sim_cfg   cfg;
    struct graph     g;

    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps = 200 * PS_PER_US;
    cfg.change = xcalloc(2, sizeof *cfg.change);
    graph_clos(&g, &(struct graph_clos){ 2, 4, 2, 1, 100 * GBPS, DELAY_PS, 100 * GBPS, DELAY_PS });
    cfg.change[cfg.changes++] = (struct link_change){ down_ps, 8, false };       /* tor0 - spine0 */
    if (up_ps)
        cfg.change[cfg.changes++] = (struct link_change){ up_ps, 8, true };
    for (uint32_t i = 0; i < 32; i++)
        flow[i] = (struct flow_row){
            .src = i % 8, .dst = (i + 4) % 8, .prio = 3, .dport = (uint16_t)i, .bytes = 200000
        };
    world_of_flows(w, &g, &cfg, flow, 32);
}

static void failure__flows_find_another_path(void **unused)
{
    (void)unused;
    for (int is_back = 0; is_back < 2; is_back++) {
        struct world               w;
        const struct sim_counters *c;
        const struct port         *p;
        uint64_t                   before;

        start_clos_with_failure(&w, 20 * PS_PER_US, is_back ? 60 * PS_PER_US : 0);
        c = sim_counts(w.sim);
        sim_run_until(w.sim, 20 * PS_PER_US);
        p = &w.sim->net.port[w.sim->net.node[8].first_port + 4];     /* tor0's to spine0 */
        assert_int_equal(p->link, 8);
        before = p->counters.tx_packets[CLASS_DATA];
        assert_true(before > 0);
        sim_run_until(w.sim, 60 * PS_PER_US - 1);
        assert_int_equal(p->counters.tx_packets[CLASS_DATA],
                         before); /* nothing leaves by a link that is down */
        assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
        assert_int_equal(w.done_count, 32);
        assert_true(c->dropped_down > 0);
        assert_int_equal(c->dropped_buffer + c->dropped_wire, 0);
        assert_int_equal(c->payload_received, 32 * 200000);
        assert_int_equal(p->counters.tx_packets[CLASS_DATA] > before, is_back);
        world_end(&w);
    }
}

/* The only link of a host fails: packets in flight are lost, the rest waits until the link is up. */
static void failure__of_a_host_link_delays_its_flows(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    struct graph   g;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.rto_ps = 100 * PS_PER_US;
    cfg.change = xcalloc(2, sizeof *cfg.change);
    cfg.change[0] = (struct link_change){ 10 * PS_PER_US, 1, false };
    cfg.change[1] = (struct link_change){ 5 * PS_PER_MS, 1, true };
    cfg.changes = 2;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, DELAY_PS });
    world_of_flows(&w, &g, &cfg, &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .bytes = 1000000 }, 1);
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
    assert_in_range(w.done[0].fct_ps, 5 * PS_PER_MS, 6 * PS_PER_MS);
    assert_true(sim_counts(w.sim)->dropped_down > 0 && sim_counts(w.sim)->timeouts > 0);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incast__last_is_done_when_all_bytes_are_sent),
        cmocka_unit_test(pfc__loses_nothing_and_no_time),
        cmocka_unit_test(pfc__a_paused_port_is_silent),
        cmocka_unit_test(pfc__paused_time_is_that_between_frames),
        cmocka_unit_test(shares__are_equal),
        cmocka_unit_test(shares__of_one_host_are_equal),
        cmocka_unit_test(lossy__everything_arrives_in_the_end),
        cmocka_unit_test(lossy__wire_loses_its_share),
        cmocka_unit_test(lossy__bit_errors_hit_long_frames),
        cmocka_unit_test(failure__flows_find_another_path),
        cmocka_unit_test(failure__of_a_host_link_delays_its_flows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
