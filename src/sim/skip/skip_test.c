/* src/sim/skip/skip_test.c - worlds with fidelity fast, compared with the same worlds simulated packet by
 * packet. */
#include "sim/skip/skip.h"
#include "sim/nic/host.h"
#include "sim/transport/transport.h"
#include "sim/sim.h"
#include "sim/observe/observe.h"
#include "sim/test_world.h"
#include "work/traffic/kinds/training.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define DELAY_PS PS_PER_US
#define MB       1000000ull
#define LATEST   (10 * PS_PER_S)
#define HOSTS    8u

static void fast_cfg(struct sim_cfg *cfg, bool is_fast)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->is_fast = is_fast;
    cfg->cc = cc_find("dcqcn");
}

/* Two racks of four hosts, two spines. */
static void racks(struct graph *g, uint64_t rate_bps, uint64_t delay_ps)
{
    graph_clos(g, &(struct graph_clos){ .tors = 2, .hosts_per_tor = 4, .spines = 2, .parallel = 1,
                                        .rate_bps = rate_bps, .delay_ps = delay_ps,
                                        .fabric_rate_bps = rate_bps, .fabric_delay_ps = delay_ps });
}

static uint64_t pick(struct rng *rng, uint64_t from, uint64_t to)
{
    return from + (uint64_t)(rng_real(rng) * (double)(to - from));
}

/* Every posted byte was sent once and received once, and every flow is done. */
static void assert_conserved(const struct world *w)
{
    const struct sim_counters *c = &w->sim->engine.counters;

    assert_int_equal(c->bytes_started, c->bytes_done);
    assert_int_equal(c->bytes_started, c->payload_sent);
    assert_int_equal(c->bytes_started, c->payload_received);
    assert_int_equal(c->data_sent, c->data_received);
    assert_int_equal(c->flows_started, c->flows_done);
}

static void assert_same_flows(const struct world *a, const struct world *b)
{
    assert_int_equal(a->done_count, b->done_count);
    for (uint32_t i = 0; i < a->done_count; i++) {
        const struct flow_result *x = &a->done[i], *y = &b->done[i];

        assert_true(x->src == y->src && x->dst == y->dst && x->sport == y->sport && x->bytes == y->bytes);
        assert_int_equal(x->start_ps, y->start_ps);
        assert_int_equal(x->fct_ps, y->fct_ps);
    }
}

/* Counters of hosts and ports are equal. Numbers of events and queue lengths are not compared. Round trips
 * may differ a little: a skipped packet that follows closely on the one before it does not wait. */
static void assert_same_counts(const struct world *a, const struct world *b)
{
    struct sim_counters x = a->sim->engine.counters, y = b->sim->engine.counters;

    x.events = y.events = 0;
    assert_true(fabs((double)x.rtt_ps_sum - (double)y.rtt_ps_sum) <= 1e-3 * (double)x.rtt_ps_sum);
    x.rtt_ps_sum = y.rtt_ps_sum;
    assert_memory_equal(&x, &y, sizeof x);
    for (uint32_t i = 0; i < a->sim->net.ports; i++) {
        struct port_counters *p = &a->sim->net.port[i].counters, *q = &b->sim->net.port[i].counters;

        assert_int_equal(p->tx_bytes, q->tx_bytes);
        assert_memory_equal(p->tx_packets, q->tx_packets, sizeof p->tx_packets);
    }
}

static void flows_world(struct world *w, bool is_fast, const struct flow_row *flow, uint32_t count)
{
    struct sim_cfg cfg;
    struct graph   g;

    fast_cfg(&cfg, is_fast);
    racks(&g, 100 * GBPS, DELAY_PS);
    world_of_flows(w, &g, &cfg, flow, count);
}

static void both_worlds(struct world *packet, struct world *fast, const struct flow_row *flow, uint32_t count)
{
    flows_world(packet, false, flow, count);
    flows_world(fast, true, flow, count);
    assert_true(world_finish(packet, PS_PER_MS, LATEST) && world_finish(fast, PS_PER_MS, LATEST));
    assert_conserved(packet);
    assert_conserved(fast);
}

static void end_both(struct world *packet, struct world *fast)
{
    world_end(packet);
    world_end(fast);
}

static const struct flow_result *result_of(const struct world *w, uint16_t dport)
{
    for (uint32_t i = 0; i < w->done_count; i++)
        if (w->done[i].dport == dport)
            return &w->done[i];
    fail();
    return NULL;
}

static double relative_error(const struct world *packet, const struct world *fast, uint16_t dport)
{
    return (double)result_of(fast, dport)->fct_ps / (double)result_of(packet, dport)->fct_ps - 1;
}

/* ---- alone ---- */

/* Two flows, one after the other, get the same flow number. They have the same ports and destination, but
 * different sources. */
static void skip__a_flow_takes_the_path_of_its_own_source(void **unused)
{
    static const struct flow_row flow[] = {
        { .start_ps = 0, .src = 0, .dst = 6, .prio = 3, .bytes = MB, .dport = 7 },
        { .start_ps = 1000000000, .src = 5, .dst = 6, .prio = 3, .bytes = MB, .dport = 7 },
    };
    struct world packet, fast;

    (void)unused;
    both_worlds(&packet, &fast, flow, 2);
    assert_same_flows(&packet, &fast);
    assert_same_counts(&packet, &fast);
    end_both(&packet, &fast);
}

/* Six flows, one after the other, with random rates, delays, sizes, MTUs and ACK rules. */
static void lone_world(struct world *w, bool is_fast, uint64_t seed)
{
    struct flow_row flow[6];
    struct sim_cfg  cfg;
    struct graph    g;
    struct rng      rng;

    rng_init(&rng, seed, 0);
    fast_cfg(&cfg, is_fast);
    cfg.seed = seed;
    cfg.mtu_bytes = (uint32_t)pick(&rng, 256, 4097);
    cfg.ack_every = (uint32_t)pick(&rng, 1, 20);
    cfg.cc = cc_find(seed % 2 ? "dcqcn" : "none");
    racks(&g, pick(&rng, 1000, 800000) * 1000000, pick(&rng, 30 * PS_PER_NS, 20 * PS_PER_US));
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t src = (uint32_t)pick(&rng, 0, HOSTS), to = (uint32_t)pick(&rng, 0, HOSTS - 1);

        flow[i] = (struct flow_row){ .start_ps = i * 100 * PS_PER_MS, .src = src, .dst = to + (to >= src),
                                     .prio = 3,
                                     .bytes = pick(&rng, 1, i % 2 ? MB : 20000), .dport = (uint16_t)i };
    }
    world_of_flows(w, &g, &cfg, flow, 6);
}

static void skip__a_lone_flow_takes_the_same_picoseconds(void **unused)
{
    uint64_t skipped = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct world packet, fast;

        lone_world(&packet, false, seed);
        lone_world(&fast, true, seed);
        assert_true(world_finish(&packet, 50 * PS_PER_MS, LATEST) &&
                    world_finish(&fast, 50 * PS_PER_MS, LATEST));
        assert_same_flows(&packet, &fast);
        assert_conserved(&fast);
        if (packet.sim->cfg.ack_every == 1)
            assert_same_counts(&packet, &fast);
        skipped += skip_stats(fast.sim)->packets;
        end_both(&packet, &fast);
    }
    assert_true(skipped > 10000);
}

/* The same on paths whose links have different rates and delays: the slowest may be any of them, also the
 * NIC's. With dcqcn, marks reduce the rate of a NIC that is faster than a later link. */
static void unlike_world(struct world *w, bool is_fast, uint64_t seed)
{
    struct flow_row flow[4];
    struct sim_cfg  cfg;
    struct graph    g;
    struct rng      rng;

    rng_init(&rng, seed, 3);
    fast_cfg(&cfg, is_fast);
    cfg.seed = seed;
    cfg.mtu_bytes = (uint32_t)pick(&rng, 256, 4097);
    cfg.cc = cc_find(seed % 2 ? "dcqcn" : "none");
    racks(&g, 100 * GBPS, DELAY_PS);
    for (uint32_t i = 0; i < g.links; i++) {
        g.link[i].rate_bps = pick(&rng, 1, 9) * 50 * GBPS / (seed % 3 + 1);
        g.link[i].delay_ps = pick(&rng, 30 * PS_PER_NS, 20 * PS_PER_US);
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t src = (uint32_t)pick(&rng, 0, HOSTS), to = (uint32_t)pick(&rng, 0, HOSTS - 1);

        flow[i] = (struct flow_row){ .start_ps = i * 100000000000ull, .src = src, .dst = to + (to >= src),
                                     .prio = 3,
                                     .bytes = pick(&rng, 1, i % 2 ? 4 * MB : 20000), .dport = (uint16_t)i };
    }
    world_of_flows(w, &g, &cfg, flow, 4);
}

static void skip__a_lone_flow_is_as_fast_as_its_slowest_link(void **unused)
{
    uint64_t skipped = 0, marked = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct world packet, fast;

        unlike_world(&packet, false, seed);
        unlike_world(&fast, true, seed);
        assert_true(world_finish(&packet, 50 * PS_PER_MS, LATEST) &&
                    world_finish(&fast, 50 * PS_PER_MS, LATEST));
        assert_same_flows(&packet, &fast);
        assert_same_counts(&packet, &fast);
        skipped += skip_stats(fast.sim)->packets;
        marked += fast.sim->engine.counters.cnps_received;
        end_both(&packet, &fast);
    }
    assert_true(skipped > 10000 && marked > 1000);
}

/* CNPs at random times reduce a flow's rate below the line rate; then its congestion control raises it by
 * time and by bytes. */
static void cut_world(struct world *w, bool is_fast, uint64_t seed)
{
    const struct flow_row flow = { .src = 0, .dst = 5, .prio = 3, .bytes = 20 * MB, .dport = 1 };
    struct rng            rng;

    rng_init(&rng, seed, 2);
    flows_world(w, is_fast, &flow, 1);
    for (uint64_t i = 0, at = 0; i < 3; i++) {
        struct sim *s = w->sim;

        at += pick(&rng, 10, 300) * PS_PER_US + pick(&rng, 0, PS_PER_US);
        sim_run_until(s, at);
        rc_on_cnp(s, &s->net.host[0],
                  &(struct packet){ .flow = 1, .generation = s->flows.flow[1].generation, .kind = CNP });
        host_kick(s, &s->net.host[0]);
    }
    assert_true(world_finish(w, PS_PER_MS, LATEST));
}

static void skip__a_flow_below_its_line_takes_the_same_picoseconds(void **unused)
{
    uint64_t skipped = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world packet, fast;

        cut_world(&packet, false, seed);
        cut_world(&fast, true, seed);
        assert_true(packet.done[0].fct_ps > packet.done[0].ideal_ps / 100 * 105);
        skipped += skip_stats(fast.sim)->packets;
        assert_int_equal(fast.done[0].fct_ps, packet.done[0].fct_ps);
        assert_same_counts(&packet, &fast);
        end_both(&packet, &fast);
    }
    assert_true(skipped > 15 * 15000);
}

/* Two flows meet. Both are simulated until there is room for both, or only one is left. */
static void skip__the_last_flow_of_an_incast_is_skipped(void **unused)
{
    const struct flow_row flow[] = { { .src = 0, .dst = 5, .prio = 3, .bytes = 4 * MB, .dport = 1 },
                                     { .src = 1, .dst = 5, .prio = 3, .bytes = 12 * MB, .dport = 2 } };
    struct world          packet, fast;

    (void)unused;
    both_worlds(&packet, &fast, flow, 2);
    assert_true(packet.sim->engine.counters.cnps_received > 0);
    assert_true(skip_stats(fast.sim)->packets > 1000);
    for (uint32_t i = 0; i < 2; i++)
        assert_in_range(fast.done[i].fct_ps, packet.done[i].fct_ps / 100 * 98,
                        packet.done[i].fct_ps / 100 * 102);
    end_both(&packet, &fast);
}

/* Three flows fill only the last port of their paths, so frames wait only there. No frame overtakes another,
 * every port counts all frames that pass it, and there are fewer events. */
static void skip__frames_skip_ports_that_are_not_full(void **unused)
{
    const struct flow_row flow[] = { { .src = 0, .dst = 5, .prio = 3, .bytes = 3 * MB, .dport = 1 },
                                     { .src = 1, .dst = 5, .prio = 3, .bytes = 3 * MB + 1, .dport = 2 },
                                     { .src = 4, .dst = 5, .prio = 3, .bytes = 3 * MB + 700, .dport = 3 } };
    struct world          packet, fast;
    uint64_t              simulated;

    (void)unused;
    both_worlds(&packet, &fast, flow, 3);
    simulated = sim_hops(fast.sim) - skip_stats(fast.sim)->hops;
    assert_true(packet.sim->engine.counters.cnps_received > 0 && fast.sim->engine.counters.cnps_received > 0);
    assert_true(simulated < sim_hops(packet.sim) * 6 / 10);
    assert_true(fast.sim->engine.counters.events < packet.sim->engine.counters.events * 7 / 10);
    assert_int_equal(fast.sim->engine.counters.nacks_sent, 0);
    for (uint32_t i = 0; i < packet.sim->net.ports; i++)
        assert_int_equal(packet.sim->net.port[i].counters.tx_packets[CLASS_DATA],
                         fast.sim->net.port[i].counters.tx_packets[CLASS_DATA]);
    for (uint16_t i = 1; i <= 3; i++)
        assert_true(fabs(relative_error(&packet, &fast, i)) < 0.05);
    end_both(&packet, &fast);
}

/* Two flows share ports between their racks if they take the same spine. Each ends with a short packet, which
 * leaves the last shared port after a packet of the other flow. By then its own previous packet has left the
 * port of its host, so the short one does not wait there. */
static void skip__a_short_frame_does_not_wait_for_departed_frames(void **unused)
{
    uint32_t met = 0;

    (void)unused;
    for (uint16_t dport = 2; dport < 10; dport++) {
        const struct flow_row flow[] = { { .src = 0, .dst = 5, .prio = 3, .bytes = 8001, .dport = 1 },
                                         { .src = 1, .dst = 6, .prio = 3, .bytes = 8001, .dport = dport } };
        struct world          packet, fast;

        both_worlds(&packet, &fast, flow, 2);
        for (uint32_t i = 0; i < 2; i++)     /* either may be first; a short frame takes 7 ns */
            assert_true(fabs((double)packet.done[i].fct_ps - (double)fast.done[i].fct_ps) < 10 * PS_PER_NS);
        met += packet.done[1].fct_ps > packet.done[1].ideal_ps;
        end_both(&packet, &fast);
    }
    assert_in_range(met, 1, 7);
}

/* ---- disturbances ---- */

/* Another flow to the same host starts after 200 us: from then on packets are simulated. */
static void skip__stops_when_another_flow_starts(void **unused)
{
    const struct flow_row flow[] = { { .src = 0, .dst = 5, .prio = 3, .bytes = 8 * MB, .dport = 1 },
                                     { .start_ps = 200000000, .src = 1, .dst = 5, .prio = 3,
                                       .bytes = 2 * MB, .dport = 2 } };
    struct world          packet, fast;

    (void)unused;
    both_worlds(&packet, &fast, flow, 2);
    assert_in_range(skip_stats(fast.sim)->breaks, 1, 2);   /* .. and if both again need too much */
    for (uint32_t i = 0; i < 2; i++)
        assert_in_range(fast.done[i].fct_ps, packet.done[i].fct_ps / 100 * 98,
                        packet.done[i].fct_ps / 100 * 102);
    end_both(&packet, &fast);
}

/* Data in both directions: ACKs take 66 of 1106 bytes, and the gaps between frames, from the data. */
static void skip__acks_slow_data_down(void **unused)
{
    const struct flow_row flow[] = { { .src = 0, .dst = 5, .prio = 3, .bytes = 4 * MB, .dport = 1 },
                                     { .src = 5, .dst = 0, .prio = 3, .bytes = 4 * MB, .dport = 2 } };
    struct world          packet, fast;

    (void)unused;
    both_worlds(&packet, &fast, flow, 2);
    assert_true(packet.done[0].fct_ps > packet.done[0].ideal_ps / 100 * 105);
    for (uint32_t i = 0; i < 2; i++)
        assert_in_range(fast.done[i].fct_ps, packet.done[i].fct_ps / 1000 * 997,
                        packet.done[i].fct_ps / 1000 * 1003);
    assert_true(skip_stats(fast.sim)->packets > 7000);
    end_both(&packet, &fast);
}

/* Two flows fill the port to host 0. The last ACK of a third flow waits in its queue. */
static void skip__the_last_ack_waits_in_queues(void **unused)
{
    const struct flow_row flow[] = { { .src = 2, .dst = 0, .prio = 3, .bytes = 8 * MB, .dport = 1 },
                                     { .src = 3, .dst = 0, .prio = 3, .bytes = 8 * MB, .dport = 2 },
                                     { .start_ps = 20000000, .src = 0, .dst = 5, .prio = 3,
                                       .bytes = MB / 4, .dport = 3 } };
    struct world          packet, fast;

    (void)unused;
    both_worlds(&packet, &fast, flow, 3);
    assert_true(skip_stats(fast.sim)->packets > 200);
    assert_int_equal(packet.done[0].dport, 3);
    assert_int_equal(fast.done[0].dport, 3);
    assert_true(packet.done[0].fct_ps > packet.done[0].ideal_ps + 10 * PS_PER_US);
    assert_in_range(fast.done[0].fct_ps, packet.done[0].fct_ps / 100 * 95, packet.done[0].fct_ps / 100 * 105);
    end_both(&packet, &fast);
}

/* Messages of one queue pair, posted while the previous one is sent: a short message does not overtake a full
 * packet. */
static void skip__messages_of_a_queue_pair_keep_their_order(void **unused)
{
    const struct flow_row flow[] = { { .src = 0, .dst = 5, .prio = 3, .bytes = 512000, .dport = 1 },
                                     { .start_ps = 1000000, .src = 0, .dst = 5, .prio = 3,
                                       .bytes = 100, .dport = 1 },
                                     { .start_ps = 2000000, .src = 0, .dst = 5, .prio = 3,
                                       .bytes = 300, .dport = 1 } };
    struct world          w[2];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct flow_list list = { xcalloc(3, sizeof *list.flow), 3 };
        struct sim_cfg   cfg;
        struct graph     g;
        struct traffic  *t;
        struct err       err;

        fast_cfg(&cfg, i);
        racks(&g, 100 * GBPS, DELAY_PS);
        t = traffic_new(&g, 1);
        memcpy(list.flow, flow, sizeof flow);
        traffic_add_list(t, &list);
        traffic_use_qps(t, 1);
        assert_int_equal(world_start(&w[i], &g, &cfg, t, &err), 0);
        assert_true(world_finish(&w[i], PS_PER_MS, LATEST));
        assert_int_equal(w[i].sim->engine.counters.nacks_sent, 0);
    }
    assert_true(skip_stats(w[1].sim)->packets > 400);
    assert_same_flows(&w[0], &w[1]);
    end_both(&w[0], &w[1]);
}

/* Knobs change while the flow is held. The new values do not affect it, and skipping continues. */
static void skip_on_change__continues_after_new_knobs(void **unused)
{
    const struct flow_row flow = { .src = 0, .dst = 5, .prio = 3, .bytes = 8 * MB, .dport = 1 };
    struct world          packet, fast, *both[] = { &packet, &fast };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct knobs knobs;

        flows_world(both[i], i, &flow, 1);
        sim_run_until(both[i]->sim, 100 * PS_PER_US);
        knobs = both[i]->sim->cfg.knobs;
        knobs.value[KNOB_kmin] /= 2;
        sim_apply(both[i]->sim, &knobs);
        sim_check(both[i]->sim);
        assert_true(world_finish(both[i], PS_PER_MS, LATEST));
    }
    assert_same_flows(&packet, &fast);
    assert_same_counts(&packet, &fast);
    end_both(&packet, &fast);
}

/* Settings of a difficult world: buffers, losses, link changes. hard_worlds() returns the number of skipped
 * packets. */
struct hard { uint64_t buffer_bytes; bool is_lossy; struct link_change change[2]; uint32_t changes; };

static uint64_t hard_worlds(struct world *packet, struct world *fast, const struct hard *is,
                            const struct flow_row *flow, uint32_t count)
{
    struct world *both[] = { packet, fast };

    for (int i = 0; i < 2; i++) {
        struct sim_cfg cfg;
        struct graph   g;

        fast_cfg(&cfg, i);
        cfg.buffer_bytes = is->buffer_bytes;
        cfg.is_lossless = !is->is_lossy;
        cfg.change = xcalloc(2, sizeof *cfg.change);
        memcpy(cfg.change, is->change, sizeof is->change);
        cfg.changes = is->changes;
        racks(&g, 100 * GBPS, DELAY_PS);
        world_of_flows(both[i], &g, &cfg, flow, count);
        assert_true(world_finish(both[i], PS_PER_MS, LATEST));
        assert_int_equal(both[i]->sim->engine.counters.bytes_started,
                         both[i]->sim->engine.counters.bytes_done);
        assert_int_equal(both[i]->done_count, count);
    }
    assert_null(skip_stats(fast->sim)->why_not);
    return skip_stats(fast->sim)->packets;
}

/* Each of four fabric links fails in the middle of a flow and comes up again. Two of them are on the flow's
 * path. */
static void skip__continues_when_links_change(void **unused)
{
    const struct flow_row flow = { .src = 0, .dst = 5, .prio = 3, .bytes = 20 * MB, .dport = 1 };
    uint64_t              skipped = 0;
    uint32_t              hit = 0;

    (void)unused;
    for (uint32_t link = HOSTS; link < HOSTS + 4; link++) {
        const struct hard is = { 32 * MB, false, { { 400 * PS_PER_US, link, false },
                                                   { 900 * PS_PER_US, link, true } },
                                 2 };
        struct world      packet, fast;

        skipped += hard_worlds(&packet, &fast, &is, &flow, 1);
        hit += packet.sim->engine.counters.payload_dropped > 0;
        assert_int_equal(packet.sim->engine.counters.payload_dropped > 0,
                         fast.sim->engine.counters.payload_dropped > 0);
        assert_true(fabs(relative_error(&packet, &fast, 1)) < 0.001);
        end_both(&packet, &fast);
    }
    assert_int_equal(hit, 2);
    assert_true(skipped > 2 * 17000 + 4 * 3000); /* all four from the start to the failure; the two unaffected
                                                  * flows to their end */
}

/* Hosts of two racks overload host 4. Its switch pauses the spines, and the pauses spread to the hosts of the
 * other rack. Flow 1 has another destination, but waits with them. Flow 9 starts when the jam is over. */
static const struct flow_row jam[] = {
    { .src = 0, .dst = 6, .prio = 3, .bytes = 20 * MB, .dport = 1 },
    { .start_ps = 200000000, .src = 1, .dst = 4, .prio = 3, .bytes = 2 * MB, .dport = 2 },
    { .start_ps = 200000000, .src = 2, .dst = 4, .prio = 3, .bytes = 2 * MB, .dport = 3 },
    { .start_ps = 200000000, .src = 3, .dst = 4, .prio = 3, .bytes = 2 * MB, .dport = 4 },
    { .start_ps = 200000000, .src = 5, .dst = 4, .prio = 3, .bytes = 2 * MB, .dport = 5 },
    { .start_ps = 40000000000, .src = 3, .dst = 7, .prio = 3, .bytes = 20 * MB, .dport = 9 },
};

static void skip__continues_after_pauses(void **unused)
{
    const struct hard is = { .buffer_bytes = 500000 };
    struct world      packet, fast;

    (void)unused;
    assert_true(hard_worlds(&packet, &fast, &is, jam, 6) > 20000);
    assert_true(packet.sim->engine.counters.pauses > 10 && fast.sim->engine.counters.pauses > 10);
    assert_int_equal(fast.sim->engine.counters.payload_dropped, 0);  /* no skipped packet enters a full
                                                                      * buffer */
    assert_true(fabs(relative_error(&packet, &fast, 1)) < 0.03);
    assert_int_equal(result_of(&fast, 9)->fct_ps, result_of(&packet, 9)->fct_ps);
    end_both(&packet, &fast);
}

/* The same without PFC: packets are lost and retransmitted. */
static void skip__continues_after_losses(void **unused)
{
    const struct hard is = { .buffer_bytes = 200000, .is_lossy = true };
    struct world      packet, fast;

    (void)unused;
    assert_true(hard_worlds(&packet, &fast, &is, jam, 6) > 20000);
    assert_true(packet.sim->engine.counters.payload_dropped > 0 &&
                fast.sim->engine.counters.payload_dropped > 0);
    assert_int_equal(result_of(&fast, 9)->fct_ps, result_of(&packet, 9)->fct_ps);
    end_both(&packet, &fast);
}

/* Reports contain what was sent up to then, and reading them changes nothing. */
static void skip_settle__reports_sum_to_the_total(void **unused)
{
    const struct flow_row flow = { .src = 0, .dst = 5, .prio = 3, .bytes = 8 * MB, .dport = 1 };
    struct observer      *o;
    struct world          packet, fast;
    struct report         r;
    uint64_t              sum = 0, most = 0;

    (void)unused;
    flows_world(&packet, false, &flow, 1);
    assert_true(world_finish(&packet, PS_PER_MS, LATEST));
    flows_world(&fast, true, &flow, 1);
    o = observer_new(fast.sim);
    observer_init_report(o, &r);
    for (uint64_t at = 37 * PS_PER_US; at < 2 * PS_PER_MS; at += 37 * PS_PER_US) {
        sim_run_until(fast.sim, at);
        observer_look(o, at, &r);
        sim_check(fast.sim);
        sum += r.payload_bytes;
        most = r.payload_bytes > most ? r.payload_bytes : most;
    }
    assert_int_equal(sum, 8 * MB);
    assert_in_range(most, 37000 * 25 / 2 * 90 / 100, 37000 * 25 / 2);    /* 12.5 bytes per ns, minus
                                                                          * headers */
    report_fini(&r);
    observer_free(o);
    assert_same_flows(&packet, &fast);
    end_both(&packet, &fast);
}

/* ---- features that need every packet ---- */

static void skip__simulates_all_packets_if_a_feature_needs_them(void **unused)
{
    const struct flow_row flow[] = { { .src = 0, .dst = 5, .prio = 3, .bytes = 2 * MB, .dport = 1 },
                                     { .start_ps = 50000000, .src = 1, .dst = 6, .prio = 3,
                                       .bytes = 2 * MB, .dport = 2 } };

    (void)unused;
    for (int which = 0; which < 4; which++) {
        struct world packet, fast, *both[] = { &packet, &fast };

        for (int i = 0; i < 2; i++) {
            struct sim_cfg cfg;
            struct graph   g;

            fast_cfg(&cfg, i);
            switch (which) {
            case 0: cfg.lb = lb_find("letflow");  break;
            case 1: cfg.is_selective = true;      break;
            case 2: cfg.window_bytes = 100000;    break;
            case 3: cfg.cc = cc_find("timely");   break;
            }
            racks(&g, 100 * GBPS, DELAY_PS);
            world_of_flows(both[i], &g, &cfg, flow, 2);
            assert_true(world_finish(both[i], PS_PER_MS, LATEST));
        }
        assert_non_null(skip_stats(fast.sim)->why_not);
        assert_int_equal(skip_stats(fast.sim)->packets, 0);
        assert_same_flows(&packet, &fast);
        assert_int_equal(packet.sim->engine.counters.events, fast.sim->engine.counters.events);
        end_both(&packet, &fast);
    }
}

/* ---- training ---- */

struct gym { struct world w; uint64_t took_ps[8]; uint32_t ops; };

static void on_op(void *arg, const struct op_result *r)
{
    struct gym *gym = arg;

    gym->took_ps[gym->ops++] = r->took_ps;
}

/* 16 GPUs in servers of two, with random sizes: pipelines of two stages, and gradients that are reduced while
 * others are computed. */
static void gym_run(struct gym *gym, bool is_fast, uint64_t seed)
{
    const struct traffic_common common = { .stop_ps = NEVER, .prio = 3 };
    struct iteration_step       step[3];
    struct traffic_steps        cfg = { .iteration = { { 16, 2, 0, 2, 1 }, step, 3 },
                                        .compute_ps = 10 * PS_PER_US,
                                        .delay_ps = PS_PER_US, .iterations = 3 };
    uint32_t                    hosts[16];
    struct sim_cfg              sim_cfg;
    struct graph                g;
    struct traffic             *t;
    struct rng                  rng;
    struct err                  err;

    *gym = (struct gym){ 0 };
    rng_init(&rng, seed, 1);
    assert_int_equal(parallel_check(&cfg.iteration.parallel, &err), 0);
    for (uint32_t i = 0; i < 3; i++)
        step[i] = (struct iteration_step){
            .compute_ps = pick(&rng, 50, 300) * PS_PER_US, .times = (uint32_t)pick(&rng, 1, 4),
            .group = i < 2 ? PARALLEL_PIPELINE : PARALLEL_DATA, .is_pipelined = i < 2,
            .is_overlapped = i == 2,
            .collective = { .kind = i == 0 ? COLLECTIVE_SEND_NEXT : i == 1 ? COLLECTIVE_SEND_PREVIOUS
                                                                           : COLLECTIVE_RING_ALL_REDUCE,
                            .workers = i < 2 ? 2 : 4, .bytes = pick(&rng, 100000, 4 * MB) } };
    for (uint32_t i = 0; i < 16; i++)
        hosts[i] = i;
    fast_cfg(&sim_cfg, is_fast);
    sim_cfg.mtu_bytes = 4096;
    sim_cfg.seed = seed;
    graph_rails(&g, &(struct graph_rails){ .servers = 8, .gpus = 2, .unit = 8, .spines = 1, .parallel = 1,
                                           .rate_bps = 400 * GBPS, .delay_ps = PS_PER_US / 2,
                                           .fabric_rate_bps = 400 * GBPS, .fabric_delay_ps = PS_PER_US / 2,
                                           .inside_rate_bps = 3600 * GBPS,
                                           .inside_delay_ps = PS_PER_US / 2 });
    t = traffic_new(&g, seed);
    traffic_add_training_steps(t, &common, &cfg, hosts);
    traffic_use_qps(t, 1);
    traffic_on_op(t, on_op, gym);
    assert_int_equal(world_start(&gym->w, &g, &sim_cfg, t, &err), 0);
    assert_true(world_finish(&gym->w, PS_PER_MS, LATEST));
}

static void skip__training_takes_as_long(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct gym packet, fast;

        gym_run(&packet, false, seed);
        gym_run(&fast, true, seed);
        assert_int_equal(packet.w.sim->engine.counters.bytes_done, fast.w.sim->engine.counters.bytes_done);
        assert_int_equal(packet.ops, 3);
        assert_int_equal(fast.ops, 3);
        for (uint32_t i = 0; i < 3; i++)
            assert_in_range(fast.took_ps[i], packet.took_ps[i] / 1000 * 985, packet.took_ps[i] / 1000 * 1015);
        assert_true(fast.w.sim->engine.counters.events < packet.w.sim->engine.counters.events);
        end_both(&packet.w, &fast.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skip__a_flow_takes_the_path_of_its_own_source),
        cmocka_unit_test(skip__a_lone_flow_takes_the_same_picoseconds),
        cmocka_unit_test(skip__a_lone_flow_is_as_fast_as_its_slowest_link),
        cmocka_unit_test(skip__a_flow_below_its_line_takes_the_same_picoseconds),
        cmocka_unit_test(skip__the_last_flow_of_an_incast_is_skipped),
        cmocka_unit_test(skip__frames_skip_ports_that_are_not_full),
        cmocka_unit_test(skip__a_short_frame_does_not_wait_for_departed_frames),
        cmocka_unit_test(skip__stops_when_another_flow_starts),
        cmocka_unit_test(skip__acks_slow_data_down),
        cmocka_unit_test(skip__the_last_ack_waits_in_queues),
        cmocka_unit_test(skip__messages_of_a_queue_pair_keep_their_order),
        cmocka_unit_test(skip_on_change__continues_after_new_knobs),
        cmocka_unit_test(skip__continues_when_links_change),
        cmocka_unit_test(skip__continues_after_pauses),
        cmocka_unit_test(skip__continues_after_losses),
        cmocka_unit_test(skip_settle__reports_sum_to_the_total),
        cmocka_unit_test(skip__simulates_all_packets_if_a_feature_needs_them),
        cmocka_unit_test(skip__training_takes_as_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
