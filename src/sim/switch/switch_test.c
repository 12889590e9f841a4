#include "sim/switch/switch.h"
#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS 80               /* at 100 Gb/s */
#define FULL    (1024 + 62)
#define FULL_PS ((FULL + 20) * BYTE_PS)

/* A star in which hosts 1.. send to host 0; the class and size of each flow are given. */
static void start_star(struct world *w, const struct sim_cfg *cfg, const uint8_t *prio, uint32_t senders,
                       uint64_t bytes)
{
    struct flow_row flow[16];
    struct graph     g;

    graph_star(&g, &(struct graph_star){ senders + 1, 100 * GBPS, PS_PER_US });
    for (uint32_t i = 0; i < senders; i++)
        flow[i] = (struct flow_row){ .src = i + 1, .dst = 0, .prio = prio[i], .dport = 100, .bytes = bytes };
    world_of_flows(w, &g, cfg, flow, senders);
}

/* The switch's port to host 0. */
static struct port *port_down(const struct world *w)
{
    return w->sim->net.host[0].port->peer;
}

static uint64_t received(const struct world *w, uint32_t src)
{
    for (uint32_t id = 1; id < w->sim->flows.used; id++)
        if (w->sim->flows.flow[id].src == src)
            return w->sim->flows.rx[id].expected;
    return 0;
}

/* ---- scheduling ---- */

/* Deficit round robin: while both classes are backlogged, their bytes are proportional to their weights, to
 * one round. */
static void choose__shares_by_weight(void **unused)
{
    const uint8_t  prio[] = { 1, 2 };
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.weight[1] = 7;
    cfg.weight[2] = 3;
    start_star(&w, &cfg, prio, 2, 3000 * 1024);
    for (uint64_t n = 100; n <= 2000; n += 100) {
        uint64_t one, two;

        sim_run_until(w.sim, 2 * PS_PER_US + (n + 1) * FULL_PS);
        one = received(&w, 1) / 1024, two = received(&w, 2) / 1024;
        assert_int_equal(one + two, n);
        assert_in_range(one, 7 * n / 10 - 7, 7 * n / 10 + 7);
    }
    world_end(&w);
}

/* Packet by packet: with weights 7 and 3 the order repeats every ten packets. */
static void choose__order_is_periodic(void **unused)
{
    const uint8_t  prio[] = { 1, 2 };
    uint64_t       at[3] = { 0 };
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.weight[1] = 7;
    cfg.weight[2] = 3;
    start_star(&w, &cfg, prio, 2, 3000 * 1024);
    for (uint64_t n = 0; n < 3; n++) {
        sim_run_until(w.sim, 2 * PS_PER_US + (500 + 10 * n + 1) * FULL_PS);
        at[n] = received(&w, 1) / 1024;
    }
    assert_int_equal(at[1] - at[0], 7);
    assert_int_equal(at[2] - at[1], 7);
    world_end(&w);
}

/* A strict class is served as if it were alone; the highest of them first. */
static void choose__strict_goes_first(void **unused)
{
    const uint8_t  prio[] = { 6, 3, 7, 3 };
    uint64_t       packets = 500, others;
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.strict_prios = 1 << 6 | 1 << 7;
    start_star(&w, &cfg, prio, 4, packets * 1024);
    sim_run_until(w.sim, 2 * PS_PER_US + (packets + 20) * FULL_PS);
    assert_int_equal(received(&w, 3), packets * 1024);           /* class 7 is done */
    others = received(&w, 1) + received(&w, 2) + received(&w, 4);
    assert_in_range(others / 1024, 15, 25);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    assert_true(world_result(&w, 3, 100)->fct_ps < world_result(&w, 1, 100)->fct_ps);
    assert_true(world_result(&w, 1, 100)->fct_ps < world_result(&w, 2, 100)->fct_ps);
    world_end(&w);
}

static void choose__hpcc_takes_turns(void **unused)
{
    const uint8_t  prio[] = { 1, 2, 3 };
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_HPCC);
    cfg.weight[1] = 7;           /* the fork ignores weights */
    start_star(&w, &cfg, prio, 3, 3000 * 1000);
    sim_run_until(w.sim, 2 * PS_PER_US + 901 * 83 * PS_PER_NS);
    for (uint32_t i = 1; i <= 3; i++)
        assert_in_range(received(&w, i) / 1000, 299, 301);
    world_end(&w);
}

/* ---- marks ---- */

/* A test bench: host 0's port with a constant queue of q bytes; packets are passed through the switch one by
 * one. */
struct bench { struct world w; struct port *in, *out; };

static void bench_init(struct bench *b, const struct sim_cfg *cfg)
{
    const uint8_t prio[] = { 3 };

    start_star(&b->w, cfg, prio, 1, 1);
    assert_true(world_finish(&b->w, PS_PER_US, PS_PER_MS));
    b->out = port_down(&b->w);
    b->in = b->w.sim->net.host[1].port->peer;
}

static void bench_put(struct bench *b)
{
    uint32_t       id = engine_new_packet(&b->w.sim->engine);
    struct packet *k = &b->w.sim->engine.packets.packet[id];

    *k = (struct packet){ .flow = 1,
                          .generation = 1,
                          .src = 1,
                          .dst = 0,
                          .bytes = FULL,
                          .kind = RC_DATA,
                          .prio = 3 };
    switch_on_packet(b->w.sim, b->in, id, k);
}

/* Fills the queue to 'count' packets while the port is paused. */
static void bench_fill(struct bench *b, uint32_t count)
{
    b->out->paused = 1 << 3;
    while (b->out->queue[3].bytes < count * FULL)
        bench_put(b);
}

/* Shares of marked packets at every queue length, both at enqueue and at dequeue: of n packets that find q
 * bytes (before them, or left behind them), n p(q) are marked, within five standard deviations; p is 0 up to
 * kmin, 1 above kmax. */
static void mark__follows_the_ramp(void **unused)
{
    static const uint32_t lengths[] = { 0, 5, 18, 19, 30, 50, 75, 92, 93, 120 };
    const double          kmin = 20000, kmax = 100000, pmax = 0.4;
    const uint32_t        tries = 2000;

    (void)unused;
    for (int is_enqueue = 0; is_enqueue < 2; is_enqueue++)
        for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            double         q = lengths[i] * (double)FULL, p, marked;
            struct sim_cfg cfg;
            struct bench   b;

            world_cfg(&cfg, MODEL_NIC);
            cfg.ecn_at_enqueue = is_enqueue;
            cfg.knobs.value[KNOB_kmin] = kmin / 1000;
            cfg.knobs.value[KNOB_kmax] = kmax / 1000;
            cfg.knobs.value[KNOB_pmax] = pmax;
            cfg.reserve_bytes = 0;
            bench_init(&b, &cfg);
            bench_fill(&b, lengths[i]);
            b.out->counters.marked_packets = 0;
            for (uint32_t n = 0; n < tries; n++) {
                bench_fill(&b, lengths[i] + 1);
                b.out->paused = 0;
                b.w.sim->engine.now_ps += PS_PER_US;    /* the port is idle again */
                switch_kick(b.w.sim, b.out);
            }
            p = q <= kmin ? 0 : q > kmax ? 1 : pmax * (q - kmin) / (kmax - kmin);
            marked = (double)b.out->counters.marked_packets;
            assert_true(fabs(marked - tries * p) <= 5 * sqrt(tries * p * (1 - p)));
            world_end(&b.w);
        }
}

/* Returns how many of 'count' packets that waited behind a pause are marked as they leave, with thresholds
 * without a ramp. Only the first ones may be marked. */
static uint32_t marked_first(uint32_t count, uint32_t kmin, uint32_t cell, uint64_t lag_ps)
{
    struct sim_cfg cfg;
    struct bench   b;
    uint32_t       first = 0;

    world_cfg(&cfg, MODEL_NIC);
    cfg.knobs.value[KNOB_kmin] = cfg.knobs.value[KNOB_kmax] = kmin / 1000.0;
    cfg.ecn_cell_bytes = cell;
    cfg.ecn_lag_ps = lag_ps;
    cfg.reserve_bytes = 0;
    bench_init(&b, &cfg);
    bench_fill(&b, count);
    assert_int_equal(b.out->counters.marked_packets, 0);
    b.w.sim->engine.now_ps += PS_PER_MS;
    b.out->paused = 0;
    for (uint32_t n = 0; n < count; n++, b.w.sim->engine.now_ps += FULL_PS) {
        uint64_t before = b.out->counters.marked_packets;

        switch_kick(b.w.sim, b.out);
        if (b.out->counters.marked_packets > before) {
            assert_int_equal(n, first);
            first++;
        }
    }
    world_end(&b.w);
    return first;
}

/* Packet i (from 1) leaves n - i others behind it. With cells of 256 bytes each packet counts as 1280 bytes,
 * and the threshold is 195 cells. */
static void mark__counts_cells(void **unused)
{
    (void)unused;
    assert_int_equal(marked_first(101, 50000, 0, 0), 101 - 50000 / FULL - 1);
    assert_int_equal(marked_first(101, 50000, 1, 0), 101 - 50000 / FULL - 1);
    assert_int_equal(marked_first(101, 50000, 256, 0), 101 - 195 * 256 / 1280 - 1);
    assert_int_equal(marked_first(101, 50000, FULL, 0), 101 - 50000 / FULL - 1);
    assert_int_equal(marked_first(101, 50000, FULL - 1, 0), 101 - 50000 / (2 * (FULL - 1)) - 1);
}

/* A departing packet sees the queue length of a lag ago: as many more packets are marked as leave in that
 * time. A packet whose departure is younger than the lag still counts. */
static void mark__lags(void **unused)
{
    const uint32_t now = 101 - 50000 / FULL - 1;

    (void)unused;
    assert_int_equal(marked_first(101, 50000, 0, 1), now + 1);
    assert_int_equal(marked_first(101, 50000, 0, FULL_PS), now + 1);
    assert_int_equal(marked_first(101, 50000, 0, FULL_PS + 1), now + 2);
    assert_int_equal(marked_first(101, 50000, 0, 20 * FULL_PS), now + 20);
    assert_int_equal(marked_first(101, 50000, 0, 1000 * FULL_PS), 101);
    assert_int_equal(marked_first(300, 50000, 256, 250 * FULL_PS), 300);
    assert_int_equal(marked_first(1000, 500000, 256, 250 * FULL_PS), 1000 - 1953 * 256 / 1280 - 1 + 250);
}

/* Marks at enqueue lag as well: packet i (from 0) of a growing burst sees the queue of a lag ago. */
static void mark__lags_at_enqueue(void **unused)
{
    struct sim_cfg cfg;
    struct bench   b;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.ecn_at_enqueue = true;
    cfg.knobs.value[KNOB_kmin] = cfg.knobs.value[KNOB_kmax] = 10 * FULL / 1000.0;
    cfg.ecn_lag_ps = 5 * PS_PER_US;
    bench_init(&b, &cfg);
    for (uint32_t i = 0; i < 30; i++, b.w.sim->engine.now_ps += PS_PER_US) {
        bench_fill(&b, i + 1);
        assert_int_equal(b.out->counters.marked_packets, i < 15 ? 0 : i - 14);
    }
    switch_flush(b.w.sim, b.out);                    /* the link goes down */
    b.w.sim->engine.now_ps += PS_PER_MS;
    bench_put(&b);
    assert_int_equal(b.out->counters.marked_packets, 15);
    world_end(&b.w);
}

static void mark__none_when_off(void **unused)
{
    struct sim_cfg cfg;
    struct bench   b;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.ecn_on = false;
    cfg.ecn_at_enqueue = true;
    cfg.knobs.value[KNOB_kmin] = cfg.knobs.value[KNOB_kmax] = 0;
    bench_init(&b, &cfg);
    bench_fill(&b, 100);
    assert_int_equal(b.out->counters.marked_packets, 0);
    world_end(&b.w);
}

/* Returns how many of ten packets are marked that leave 'count' packets behind them, in model conweave. */
static uint64_t marked_at(const struct sim_cfg *cfg, const struct ecn *set, uint32_t count)
{
    struct bench b;
    uint64_t     marked;

    bench_init(&b, cfg);
    if (set)
        sim_set_ecn(b.w.sim, b.out->id, set);
    bench_fill(&b, count);
    b.out->counters.marked_packets = 0;
    for (uint32_t n = 0; n < 10; n++) {
        bench_fill(&b, count + 1);
        b.out->paused = 0;
        b.w.sim->engine.now_ps += PS_PER_US;    /* the port is idle again */
        switch_kick(b.w.sim, b.out);
    }
    marked = b.out->counters.marked_packets;
    world_end(&b.w);
    return marked;
}

/* Model conweave: 1049 bytes of a queue do not count. With a threshold of twenty packets minus these bytes,
 * twenty packets do not exceed it and twenty-one do, for the port's threshold and for that of the class. */
static void mark__excludes_the_free_bytes_of_a_queue(void **unused)
{
    const struct ecn edge = { 20 * FULL - 1049, 20 * FULL - 1049, 1 };
    const struct ecn never = { UINT32_MAX, UINT32_MAX, 1 };
    const double         edge_kb = (20 * FULL - 1049 + 0.5) / 1000;
    struct sim_cfg       cfg;

    (void)unused;
    world_cfg(&cfg, MODEL_CONWEAVE);
    assert_int_equal(marked_at(&cfg, &edge, 20), 0);
    assert_int_equal(marked_at(&cfg, &edge, 21), 10);
    assert_int_equal(marked_at(&cfg, &never, 300), 0);
    cfg.ecn_class[3] = (struct ecn_class){ true, edge_kb, edge_kb, 1 };
    assert_int_equal(marked_at(&cfg, &never, 20), 0);
    assert_int_equal(marked_at(&cfg, &never, 21), 10);
}

/* ---- PFC ---- */

/* The pause is requested by the packet that brings the class to (free shared buffer) >> shift, not
 * earlier. */
static void pause__is_sent_at_the_threshold(void **unused)
{
    (void)unused;
    for (uint32_t shift = 0; shift <= 5; shift++) {
        const int64_t headroom =
            2 * 12500 + 4 * (FULL + 20) + 64 + 20; /* wire in both directions, four packets, the PFC frame */
        int64_t        shared, used = 0;
        struct sim_cfg cfg;
        struct bench   b;

        world_cfg(&cfg, MODEL_NIC);
        cfg.pfc_shift = shift;
        cfg.buffer_bytes = 500000;
        cfg.reserve_bytes = 3000;
        bench_init(&b, &cfg);
        shared = 500000 - 2 * (headroom + 3000);
        assert_int_equal(b.in->node->shared_bytes_left, shared);
        bench_fill(&b, 2);                       /* 2172 bytes: within the reserve */
        assert_int_equal(b.in->node->shared_bytes_left, shared);
        for (uint32_t n = 3; !b.in->pausing; n++) {
            int64_t before = used, limit = (shared - before) >> shift;

            bench_fill(&b, n);
            used = n * FULL - 3000;
            if (used > limit) {                  /* does not fit: it is in the headroom */
                assert_int_equal(b.in->in[3].headroom_bytes, FULL);
                assert_int_equal(b.in->pausing, 1 << 3);
                break;
            }
            assert_int_equal(b.in->node->shared_bytes_left, shared - used);
            assert_int_equal(b.in->pausing >> 3 & 1, used >= (shared - used) >> shift);
        }
        assert_true(used > 0);
        world_end(&b.w);
    }
}

/* The resume is sent with the packet that leaves the class 'resume_bytes' below the threshold, with no
 * headroom in use. */
static void resume__is_sent_an_offset_below(void **unused)
{
    (void)unused;
    for (uint32_t offset = 0; offset <= 20000; offset += 5000) {
        struct sim_cfg cfg;
        struct bench   b;
        bool           was_pausing = true;

        world_cfg(&cfg, MODEL_NIC);
        cfg.pfc_shift = 2;
        cfg.buffer_bytes = 500000;
        cfg.reserve_bytes = 3000;
        cfg.resume_bytes = offset;
        bench_init(&b, &cfg);
        for (uint32_t n = 1; !b.in->in[3].headroom_bytes; n++)
            bench_fill(&b, n);
        while (was_pausing) {
            int64_t used;

            b.out->paused = 0;
            b.w.sim->engine.now_ps += PS_PER_US;
            switch_kick(b.w.sim, b.out);
            used = b.in->in[3].bytes > 3000 ? b.in->in[3].bytes - 3000 : 0;
            was_pausing = b.in->pausing;
            assert_int_equal(was_pausing, used > 0 && (b.in->in[3].headroom_bytes > 0 ||
                                                       used + offset > b.in->node->shared_bytes_left >> 2));
            assert_int_equal(b.in->node->shared_bytes_left, b.in->node->shared_bytes_max - used);
        }
        world_end(&b.w);
    }
}

/* A pause persists: the frame is repeated after half of its duration, until the class is below its limit. */
static void pause__is_repeated_while_it_is_needed(void **unused)
{
    struct sim_cfg cfg;
    struct bench   b;
    uint64_t       sent;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.buffer_bytes = 500000;
    cfg.pause_ps = 10 * PS_PER_US;
    bench_init(&b, &cfg);
    for (uint32_t n = 1; !b.in->pausing; n++)
        bench_fill(&b, n);
    assert_int_equal(b.w.sim->engine.counters.pfc_sent, 1);
    sim_run_until(b.w.sim, b.w.sim->engine.now_ps + 52 * PS_PER_US);
    assert_int_equal(b.w.sim->engine.counters.pfc_sent, 1 + 10);        /* every 5 us */
    assert_int_equal(b.in->peer->paused, 1 << 3);                /* paused the whole time */
    assert_int_equal(port_paused_ps(b.in->peer, b.w.sim->engine.now_ps),
                     b.w.sim->engine.now_ps - b.in->peer->paused_since_ps);
    b.out->paused = 0;
    switch_kick(b.w.sim, b.out);
    sim_run_until(b.w.sim, b.w.sim->engine.now_ps + PS_PER_MS);
    assert_int_equal(b.in->pausing, 0);
    assert_int_equal(b.in->peer->paused, 0);
    sent = b.w.sim->engine.counters.pfc_sent;
    sim_run_until(b.w.sim, b.w.sim->engine.now_ps + PS_PER_MS);
    assert_int_equal(b.w.sim->engine.counters.pfc_sent, sent);
    assert_int_equal(b.w.sim->engine.counters.resumes, 1);
    world_end(&b.w);
}

/* Half of a pause must be longer than the transmission of a packet and the PFC frame behind it: 1106 and 84
 * bytes. */
static void pause__too_short_is_refused(void **unused)
{
    const uint64_t least_ps = 2 * (1106 + 84) * 80;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct sim_cfg  cfg;
        struct graph    g;
        struct traffic *t;
        struct world    w;
        struct err      err;

        world_cfg(&cfg, MODEL_NIC);
        cfg.pause_ps = least_ps + 2 * (uint64_t)i;
        graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
        t = traffic_new(&g, 1);
        if (i == 0) {
            assert_true(world_start(&w, &g, &cfg, t, &err) < 0);
            assert_non_null(strstr(err.text, "a pause_time of 190 ns is too short"));
        } else {
            assert_int_equal(world_start(&w, &g, &cfg, t, &err), 0);
            world_end(&w);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choose__shares_by_weight),
        cmocka_unit_test(choose__order_is_periodic),
        cmocka_unit_test(choose__strict_goes_first),
        cmocka_unit_test(choose__hpcc_takes_turns),
        cmocka_unit_test(mark__follows_the_ramp),
        cmocka_unit_test(mark__counts_cells),
        cmocka_unit_test(mark__lags),
        cmocka_unit_test(mark__lags_at_enqueue),
        cmocka_unit_test(mark__none_when_off),
        cmocka_unit_test(mark__excludes_the_free_bytes_of_a_queue),
        cmocka_unit_test(pause__is_sent_at_the_threshold),
        cmocka_unit_test(resume__is_sent_an_offset_below),
        cmocka_unit_test(pause__is_repeated_while_it_is_needed),
        cmocka_unit_test(pause__too_short_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
