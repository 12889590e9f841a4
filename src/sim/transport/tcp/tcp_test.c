#include "sim/transport/tcp/tcp.h"
#include "core/units.h"
#include "study/scenario/scenario.h"
#include "work/traffic/kinds/patterns.h"
#include "sim/switch/switch.h"
#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define FRAME_BYTES 1518         /* 1448 and headers */
#define WIRE_BYTES  (FRAME_BYTES + 20)

/* Builds the world of a scenario; 'with' replaces the %s in it. */
static void start(struct world *w, const char *text, const char *with)
{
    static char     made[4096];
    struct scenario scenario;
    struct err      err;

    snprintf(made, sizeof made, text, with);
    *w = (struct world){ 0 };
    if (scenario_parse(&scenario, "test", made, strlen(made), NULL, 0, NULL, &err) ||
        scenario_start(&scenario, &w->sim, &err))
        die("%s", err.text);
    w->sim->engine.hooks = (struct sim_hooks){ .arg = w, .flow_done = world_on_done };
    scenario_fini(&scenario);
}

/* Returns the port by which node a sends to node b. */
static struct port *port_to(const struct sim *s, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (s->net.port[i].node->id == a && s->net.port[i].peer->node->id == b)
            return &s->net.port[i];
    die("no such link");
}

static void set_loss(struct port *p, bool is_on)
{
    p->loss = is_on;
    p->is_lossy = is_on;
    p->slow_path = is_on ? SLOW_LINK : 0;
}

/* Loses the data frame that host 0 sends with byte 'seq', the first time. */
static void lose_packet(struct sim *s, uint32_t flow, uint64_t seq)
{
    struct port *p = s->net.host[0].port;
    uint64_t     sent = s->engine.counters.dropped_wire;

    while (s->flows.flow[flow].sent < seq)
        sim_run_until(s, s->engine.now_ps + 100);
    set_loss(p, true);
    while (s->engine.counters.dropped_wire == sent)
        sim_run_until(s, s->engine.now_ps + 100);
    set_loss(p, false);
    assert_int_equal(s->engine.counters.payload_dropped % 1448, 0);
}

/* ---- alone ---- */

/* The first window is sent at line rate: its last packet and the return of its ACK, by hand. */
static void alone__the_first_window_is_ideal(void **unused)
{
    const uint64_t tx = WIRE_BYTES * 80, ack = 90 * 80, us = PS_PER_US;

    (void)unused;
    for (uint64_t packets = 1; packets <= 10; packets++) {
        struct world w;
        char         size[32];

        snprintf(size, sizeof size, "%llu", (unsigned long long)packets * 1448);
        start(&w, "{topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}, traffic: [{kind: tcp, "
                  "senders: [h0], "
                  "size: %s}]}", size);
        assert_true(world_finish(&w, PS_PER_US, PS_PER_MS));
        assert_int_equal(w.done[0].fct_ps, packets * tx + us + tx + us + 2 * (ack + us));
        assert_int_equal(w.done[0].ideal_ps, w.done[0].fct_ps);
        world_end(&w);
    }
}

/* On a long link, windows of 10, 20, 40, 80 packets follow each other one round trip apart. */
static void alone__slow_start_doubles(void **unused)
{
    static const uint32_t sent_by[] = { 10, 30, 70, 150, 310 };
    struct world          w;

    (void)unused;
    start(&w, "{topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 250us}, traffic: [{kind: tcp, "
              "senders: [h0], "
              "size: 10MB, burst: 1448, wake: 0, algorithm: %s}]}", "newreno");
    for (uint32_t i = 0; i < sizeof sent_by / sizeof *sent_by; i++) {
        sim_run_until(w.sim, i * PS_PER_MS + 900 * PS_PER_US);
        assert_int_equal(w.sim->engine.counters.data_sent, sent_by[i]);
    }
    world_end(&w);
}

/* ---- a bottleneck ---- */

#define BOTTLENECK \
    "{topology: {kind: graph, hosts: 2, switches: 1, links: [{a: h0, b: s0, rate: 40Gbps, delay: 25us}, " \
    "{a: s0, b: h1, rate: 10Gbps, delay: 25us}]}, "

/* Returns the utilisation of the bottleneck between two times. */
static double utilisation(struct world *w, uint64_t from_ps, uint64_t to_ps)
{
    const struct port *p = port_to(w->sim, 2, 1);
    uint64_t           before;

    sim_run_until(w->sim, from_ps);
    before = p->counters.tx_packets[CLASS_DATA];
    sim_run_until(w->sim, to_ps);
    sim_check(w->sim);
    return (double)(p->counters.tx_packets[CLASS_DATA] - before) * WIRE_BYTES * 800 /
           (double)(to_ps - from_ps);
}

static double utilisation_of(const char *algorithm, uint32_t queue_bytes)
{
    struct world w;
    char         with[128];
    uint64_t     timeouts, drops;
    double       made;

    snprintf(with, sizeof with, "%s}], switch: {lossy_queue: %u}", algorithm, queue_bytes);
    start(&w, BOTTLENECK "traffic: [{kind: tcp, senders: [h0], size: 10GB, algorithm: %s}", with);
    sim_run_until(w.sim, 20 * PS_PER_MS);        /* slow start and its consequences */
    timeouts = w.sim->engine.counters.timeouts;
    drops = w.sim->engine.counters.dropped_buffer;
    made = utilisation(&w, 20 * PS_PER_MS, 120 * PS_PER_MS);
    assert_true(w.sim->engine.counters.dropped_buffer > drops);
    assert_int_equal(w.sim->engine.counters.timeouts, timeouts);
    world_end(&w);
    return made;
}

/* 10 Gb/s x 102 us: 127 KB. With a buffer of this size, half of a full window still fills the link; without
 * it, NewReno moves between half and all of it, 3/4 on average. */
static void bottleneck__a_bdp_of_buffer_keeps_it_busy(void **unused)
{
    (void)unused;
    assert_true(utilisation_of("newreno", 127000) >= 0.95);
    assert_true(utilisation_of("cubic", 127000) >= 0.95);
    assert_true(utilisation_of("newreno", 6000) < 0.85);
}

/* ---- DCTCP ---- */

#define DCTCP_STAR \
    "{topology: {kind: star, hosts: 9, rate: 10Gbps, delay: 12500ns}, switch: {ecn_at: enqueue, " \
    "ecn_by_class: [{class: 1, kmin: 60KB, kmax: 60KB, pmax: 1}]}, " \
    "traffic: [{kind: tcp, algorithm: dctcp, burst: 1448, size: 10GB, receiver: h8, senders: %s}]}"

struct queue_seen { double least, most, mean; };         /* in packets, including the one on the wire */

static struct queue_seen watch_queue(struct world *w, const struct port *p, uint64_t from_ps, uint64_t to_ps)
{
    struct queue_seen q = { 1e9, 0, 0 };
    uint32_t          samples = 0;

    sim_run_until(w->sim, from_ps);
    for (; w->sim->engine.now_ps < to_ps; samples++) {
        double packets = p->queue[1].bytes / (double)FRAME_BYTES + 1;

        q.least = packets < q.least ? packets : q.least;
        q.most = packets > q.most ? packets : q.most;
        q.mean += packets;
        sim_run_until(w->sim, w->sim->engine.now_ps + 500 * PS_PER_NS);
    }
    sim_check(w->sim);
    q.mean /= samples;
    return q;
}

/* The closed form of the DCTCP paper (3.3): n synchronised flows, C x RTT packets per round trip, a threshold
 * of K packets: the queue moves between K + n - A and K + n, A = sqrt(2 n (C RTT + K)) / 2. */
static void dctcp__the_queue_stays_near_k(void **unused)
{
    static const uint32_t flows[] = { 2, 4, 8 };
    const double          k = 60000.0 / FRAME_BYTES + 1, pipe = 10e9 * 54e-6 / 8 / WIRE_BYTES;

    (void)unused;
    for (uint32_t i = 0; i < 3; i++) {
        struct world      w;
        char              senders[8];
        struct queue_seen q;
        double            n = flows[i], top = k + n, amplitude = sqrt(2 * n * (pipe + k)) / 2;

        snprintf(senders, sizeof senders, "%u", flows[i]);
        start(&w, DCTCP_STAR, senders);
        q = watch_queue(&w, port_to(w.sim, 9, 8), 30 * PS_PER_MS, 60 * PS_PER_MS);
        assert_true(q.most < 1.2 * top && q.most > 0.8 * top);
        assert_true(q.mean < 1.2 * (top - amplitude / 2) && q.mean > 0.8 * (top - amplitude / 2));
        assert_int_equal(w.sim->engine.counters.dropped_buffer, 0);
        assert_true(q.least > 0);
        world_end(&w);
    }
}

/* TCP without ECN is not marked and fills the same buffer. */
static void dctcp__others_are_not_marked(void **unused)
{
    struct world w;

    (void)unused;
    start(&w, "{topology: {kind: star, hosts: 3, rate: 10Gbps, delay: 12500ns}, switch: {lossy_queue: 300KB, "
              "ecn_by_class: [{class: 1, kmin: 60KB, kmax: 60KB, pmax: 1}]}, traffic: [{kind: tcp, "
              "algorithm: newreno, "
              "size: 10GB, receiver: h2, senders: 2, ecn: %s}]}", "no");
    sim_run_until(w.sim, 20 * PS_PER_MS);
    assert_int_equal(port_to(w.sim, 3, 2)->counters.marked_packets, 0);
    assert_true(port_to(w.sim, 3, 2)->counters.queue_bytes_max > 290000);
    world_end(&w);
}

static void newreno__with_ecn_loses_nothing(void **unused)
{
    struct world w;

    (void)unused;
    start(&w, "{topology: {kind: star, hosts: 3, rate: 10Gbps, delay: 12500ns}, switch: {lossy_queue: 900KB, "
              "ecn_by_class: [{class: 1, kmin: 60KB, kmax: 60KB, pmax: 1}]}, traffic: [{kind: tcp, "
              "algorithm: newreno, "
              "size: 10GB, receiver: h2, senders: 2, ecn: %s}]}", "yes");
    sim_run_until(w.sim, 20 * PS_PER_MS);
    assert_true(port_to(w.sim, 3, 2)->counters.marked_packets > 0);
    assert_int_equal(w.sim->engine.counters.dropped_buffer, 0);
    world_end(&w);
}

/* ---- loss ---- */

#define ONE_FLOW \
    "{topology: {kind: star, hosts: 2, rate: 10Gbps, delay: 5us}, traffic: [{kind: tcp, senders: [h0], " \
    "size: 1448000, algorithm: newreno, min_rto: %s}]}"

/* Every byte arrives once, in order; only lost packets are retransmitted. */
static void check_repaired(struct world *w, uint32_t lost, uint64_t timeouts)
{
    const struct sim_counters *c;

    assert_true(world_finish(w, 10 * PS_PER_US, PS_PER_S));
    c = &w->sim->engine.counters;
    assert_int_equal(c->payload_received, 1448000);
    assert_int_equal(c->payload_stale, 0);
    assert_int_equal(w->done[0].resent_bytes, lost * 1448);
    assert_int_equal(c->payload_sent, 1448000 + lost * 1448);
    assert_int_equal(c->timeouts, timeouts);
}

static void loss__one_packet_is_repaired_in_a_round_trip(void **unused)
{
    static const uint32_t which[] = { 0, 3, 57, 500, 990 };
    uint64_t              fct_ps;
    struct world          w;

    (void)unused;
    start(&w, ONE_FLOW, "1ms");
    check_repaired(&w, 0, 0);
    fct_ps = w.done[0].fct_ps;
    world_end(&w);
    for (uint32_t i = 0; i < sizeof which / sizeof *which; i++) {
        start(&w, ONE_FLOW, "1ms");
        lose_packet(w.sim, 1, which[i] * 1448ull);
        check_repaired(&w, 1, 0);
        assert_true(w.done[0].fct_ps < fct_ps + 200 * PS_PER_US);
        world_end(&w);
    }
}

static void loss__the_last_packet_needs_the_timer(void **unused)
{
    struct world w;
    uint64_t     lost_ps;

    (void)unused;
    start(&w, ONE_FLOW, "1ms");
    lose_packet(w.sim, 1, 999 * 1448);
    lost_ps = w.sim->engine.now_ps;
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_S));
    assert_int_equal(w.sim->engine.counters.timeouts, 1);
    assert_int_equal(w.sim->engine.counters.payload_received, 1448000);
    /* the packet before it, if its ACK was delayed */
    assert_in_range(w.sim->engine.counters.payload_stale, 0, 1448);
    assert_int_equal(w.done[0].resent_bytes, 1448 + w.sim->engine.counters.payload_stale);
    assert_in_range(w.done[0].fct_ps - lost_ps, PS_PER_MS, PS_PER_MS + 100 * PS_PER_US);
    world_end(&w);
}

/* The link is down for 20 ms: timeouts occur after 1, 2, 4, 8, 16 ms, the last of them when it works
 * again. */
static void loss__timeouts_back_off(void **unused)
{
    struct world w;
    struct port *p;

    (void)unused;
    start(&w, ONE_FLOW, "1ms");
    p = w.sim->net.host[0].port;
    sim_run_until(w.sim, 500 * PS_PER_US);
    set_loss(p, true);
    sim_run_until(w.sim, 20 * PS_PER_MS);
    assert_int_equal(w.sim->engine.counters.timeouts, 4);
    set_loss(p, false);
    assert_true(world_finish(&w, 100 * PS_PER_US, PS_PER_S));
    assert_int_equal(w.sim->engine.counters.timeouts, 5);
    assert_int_equal(w.sim->engine.counters.payload_received, 1448000);
    assert_in_range(w.done[0].fct_ps, 31 * PS_PER_MS, 35 * PS_PER_MS);
    world_end(&w);
}

/* Half of the packets are lost, in both directions, for a while. */
static void loss__survives_a_bad_link(void **unused)
{
    (void)unused;
    for (int percent = 1; percent <= 30; percent = 2 * percent + 1) {
        struct world w;

        start(&w, ONE_FLOW, "100us");
        for (uint32_t i = 0; i < w.sim->net.ports; i++) {
            set_loss(&w.sim->net.port[i], true);
            w.sim->net.port[i].loss = percent / 100.0;
        }
        assert_true(world_finish(&w, 100 * PS_PER_US, 1000 * PS_PER_S));
        assert_int_equal(w.sim->engine.counters.payload_received, 1448000);
        assert_int_equal(w.sim->engine.counters.payload_sent, 1448000 + w.done[0].resent_bytes);
        world_end(&w);
    }
}

/* ---- many ---- */

static void many__share_fairly(void **unused)
{
    double       sum = 0, squares = 0;
    struct world w;
    uint64_t     before[5];

    (void)unused;
    start(&w, "{topology: {kind: star, hosts: 5, rate: 10Gbps, delay: 5us}, switch: {lossy_queue: 150KB}, "
              "traffic: [{kind: tcp, senders: 4, size: 10GB, algorithm: %s}]}", "newreno");
    sim_run_until(w.sim, 20 * PS_PER_MS);
    for (uint32_t i = 1; i <= 4; i++)
        before[i] = w.sim->flows.flow[i].acked;
    sim_run_until(w.sim, 220 * PS_PER_MS);
    sim_check(w.sim);
    for (uint32_t i = 1; i <= 4; i++) {
        double got = (double)(w.sim->flows.flow[i].acked - before[i]);

        sum += got;
        squares += got * got;
    }
    assert_true(sum * sum / (4 * squares) >= 0.95);
    assert_true(sum * 8 / 0.2 / 10e9 * WIRE_BYTES / 1448 >= 0.95);
    world_end(&w);
}

/* ---- alongside RDMA ---- */

/* Returns RDMA's share of a link's frame bytes over 'ms' milliseconds. RDMA uses class 3, TCP class 1. */
static double share_of_rdma(struct world *w, uint32_t from, uint32_t to, uint64_t ms)
{
    const struct port *p = port_to(w->sim, from, to);
    uint64_t           bytes[2], rdma[2];

    for (int i = 0; i < 2; i++) {
        sim_run_until(w->sim, (2 + (uint64_t)i * ms) * PS_PER_MS);
        bytes[i] = p->counters.tx_bytes;
        rdma[i] = w->sim->flows.rx[1].expected / 1024 * 1086;
    }
    sim_check(w->sim);
    assert_true((double)(bytes[1] - bytes[0]) > 0.95 * 1.25e6 * (double)ms);     /* of 10 Gb/s */
    return (double)(rdma[1] - rdma[0]) / (double)(bytes[1] - bytes[0]);
}

#define WEIGHTS "switch: {weights: [1, 3, 1, 7, 1, 1, 1, 1], lossy_queue: 300KB}, cc: none, traffic: [" \
                "{kind: incast, senders: [h0], receiver: h2, size: 10GB}, {kind: tcp, receiver: h2, " \
                "size: 10GB, %s}]}"

static void with_rdma__a_switch_keeps_the_weights(void **unused)
{
    struct world w;
    double       share;

    (void)unused;
    start(&w, "{topology: {kind: star, hosts: 3, rate: 10Gbps, delay: 1us}, " WEIGHTS, "senders: [h1]");
    share = share_of_rdma(&w, 3, 2, 20);
    assert_true(share > 0.67 && share < 0.73);
    assert_true(w.sim->engine.counters.dropped_lossy > 0);
    assert_int_equal(w.sim->engine.counters.dropped_buffer, w.sim->engine.counters.dropped_lossy);
    assert_true(w.sim->engine.counters.pauses > 0);
    world_end(&w);
}

/* Both on one host: its link is shared the same way. */
static void with_rdma__a_host_keeps_the_weights(void **unused)
{
    struct world w;
    double       share;

    (void)unused;
    start(&w, "{topology: {kind: star, hosts: 3, rate: 10Gbps, delay: 1us}, " WEIGHTS, "senders: [h0]");
    share = share_of_rdma(&w, 0, 3, 20);
    assert_true(share > 0.67 && share < 0.73);
    world_end(&w);
}

/* Gaps between the starts of a flow's packets at the host: RDMA at 2 Gb/s of 10 has a gap after every packet,
 * TCP sends bursts back to back. */
static void burst__packets_follow_each_other(void **unused)
{
    struct world w;
    struct port *p;
    uint64_t     sent = 0, idle_at = 0, gaps = 0;

    (void)unused;
    start(&w,
          BOTTLENECK
          "switch: {lossy_queue: 127KB}, traffic: [{kind: tcp, senders: [h0], size: 10GB, burst: %s}]}",
          "64KB");
    p = w.sim->net.host[0].port;
    sim_run_until(w.sim, 20 * PS_PER_MS);
    sent = p->counters.tx_packets[CLASS_DATA];
    while (w.sim->engine.now_ps < 40 * PS_PER_MS) {
        bool is_idle = p->free_at_ps < w.sim->engine.now_ps;

        gaps += is_idle && !idle_at;
        idle_at = is_idle;
        sim_run_until(w.sim, w.sim->engine.now_ps + 50 * PS_PER_NS);
    }
    sent = p->counters.tx_packets[CLASS_DATA] - sent;
    assert_true((double)sent / (double)gaps > 8);
    world_end(&w);
}

/* ---- random worlds ---- */

#define WORLDS 75

static uint32_t pick(struct rng *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)rng_below(r, high - low + 1ull);
}

static void random_settings(struct sim_cfg *cfg, struct rng *r)
{

    world_cfg(cfg, MODEL_NIC);
    cfg->cc = cc_find("dcqcn");
    cfg->rto_ps = 300 * PS_PER_US;
    cfg->nack_gap_ps = 20 * PS_PER_US;
    cfg->is_lossless = rng_below(r, 4) > 0;
    cfg->lossy_by_traffic = true;
    cfg->buffer_bytes = cfg->is_lossless ? 3000000 : 300000;
    cfg->lossy_queue_bytes = rng_below(r, 2) ? pick(r, 10000, 200000) : 0;
    cfg->ecn_class[1] = (struct ecn_class){ rng_below(r, 2), 20, 20 + pick(r, 0, 20), 1 };
    cfg->ecn_at_enqueue = rng_below(r, 2);
    for (uint32_t i = 0; i < 3; i++)
        cfg->tcp[cfg->tcps++] = (struct tcp_cfg){
            .algo = tcp_all[i], .mss_bytes = rng_below(r, 2) ? 1448 : pick(r, 64, 9000),
            .burst_bytes = pick(r, 1, 65536), .rto_ps_min = pick(r, 50, 1000) * PS_PER_US,
            .wake_ps_max = rng_below(r, 2) * PS_PER_US, .is_ecn = tcp_all[i]->is_ecn || rng_below(r, 2),
        };
}

static uint32_t random_entries(struct traffic *t, const struct graph *g, struct rng *r)
{
    uint32_t hosts[32], count = 0, flows = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (!g->node[i].is_switch)
            hosts[count++] = i;
    for (uint32_t entry = 0; entry < 4; entry++) {
        uint32_t              each = pick(r, 1, 5), bytes = pick(r, 1, rng_below(r, 2) ? 3000 : 300000);
        struct traffic_common common = { pick(r, 0, 200) * PS_PER_US, NEVER,
                                         entry == 0 ? 3 : (uint8_t)pick(r, 1, 3) };

        traffic_add_incast(t, &common, bytes, 0, hosts[count - 1], hosts, count - 1, each);
        traffic_use_tcp(t, (uint8_t)entry);      /* the first entry is RDMA */
        flows += each * (count - 1);
    }
    return flows;
}

static void random_links(struct sim_cfg *cfg, struct graph *g, struct rng *r)
{
    bool is_lossy = rng_below(r, 2);

    for (uint32_t i = 0; is_lossy && i < g->links; i++)
        g->link[i].loss = 0.02 * rng_real(r), g->link[i].ber = 1e-7 * (double)rng_below(r, 2);
    if (rng_below(r, 2))
        return;
    cfg->change = xcalloc(2, sizeof *cfg->change);
    cfg->changes = 2;
    cfg->change[0] = (struct link_change){ pick(r, 1, 300) * PS_PER_US, pick(r, 0, g->links - 1), false };
    cfg->change[1] = (struct link_change){ cfg->change[0].at_ps + pick(r, 1, 500) * PS_PER_US,
                                           cfg->change[0].link, true };
}

/* In spite of losses every flow ends, every byte arrives once, and all accounts are empty afterwards. */
static void worlds__end_with_everything_delivered(void **unused)
{
    uint64_t tcp_drops = 0, timeouts = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        struct graph_clos clos = { 2, 2, 2, 1, 25 * GBPS, PS_PER_US, 10 * GBPS, 2 * PS_PER_US };
        uint64_t          bytes = 0, resent = 0;
        uint32_t          flows;
        struct traffic   *t;
        struct graph      g;
        struct sim_cfg    cfg;
        struct world      w;
        struct rng        r;
        struct err        err;

        rng_init(&r, seed, 5);
        random_settings(&cfg, &r);
        cfg.seed = seed;
        if (rng_below(&r, 2))
            graph_clos(&g, &clos);
        else
            graph_star(&g, &(struct graph_star){ pick(&r, 2, 6), 10 * GBPS, pick(&r, 1, 5000) * PS_PER_NS });
        random_links(&cfg, &g, &r);
        t = traffic_new(&g, seed);
        flows = random_entries(t, &g, &r);
        if (world_start(&w, &g, &cfg, t, &err))
            die("%s", err.text);
        if (!world_finish(&w, 20 * PS_PER_US, 20 * PS_PER_S))
            fail_msg("seed %llu: %u of %u flows done", (unsigned long long)seed, w.done_count, flows);
        for (uint32_t i = 0; i < w.done_count; i++)
            bytes += w.done[i].bytes, resent += w.done[i].resent_bytes;
        assert_int_equal(w.done_count, flows);
        assert_int_equal(w.sim->engine.counters.payload_received, bytes);
        assert_int_equal(w.sim->engine.counters.payload_sent, bytes + resent);
        assert_int_equal(w.sim->engine.packets.live, 0);
        assert_int_equal(evq_pending(&w.sim->engine.evq), 0);
        for (uint32_t i = 0; i < w.sim->net.nodes; i++)
            assert_int_equal(buffer_used_bytes(w.sim, &w.sim->net.node[i]), 0);
        tcp_drops += w.sim->engine.counters.dropped_lossy;
        timeouts += w.sim->engine.counters.timeouts;
        world_end(&w);
    }
    assert_true(tcp_drops > WORLDS && timeouts > WORLDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone__the_first_window_is_ideal),
        cmocka_unit_test(alone__slow_start_doubles),
        cmocka_unit_test(bottleneck__a_bdp_of_buffer_keeps_it_busy),
        cmocka_unit_test(dctcp__the_queue_stays_near_k),
        cmocka_unit_test(dctcp__others_are_not_marked),
        cmocka_unit_test(newreno__with_ecn_loses_nothing),
        cmocka_unit_test(loss__one_packet_is_repaired_in_a_round_trip),
        cmocka_unit_test(loss__the_last_packet_needs_the_timer),
        cmocka_unit_test(loss__timeouts_back_off),
        cmocka_unit_test(loss__survives_a_bad_link),
        cmocka_unit_test(many__share_fairly),
        cmocka_unit_test(with_rdma__a_switch_keeps_the_weights),
        cmocka_unit_test(with_rdma__a_host_keeps_the_weights),
        cmocka_unit_test(burst__packets_follow_each_other),
        cmocka_unit_test(worlds__end_with_everything_delivered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
