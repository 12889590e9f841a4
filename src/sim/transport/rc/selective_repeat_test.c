#include "sim/transport/rc/selective_repeat.h"
#include "sim/link/path.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FULL_PS ((1024 + 62 + 20) * 80)      /* at 100 Gb/s */
#define ACK_PS  ((66 + 20) * 80)

/* ---- receiver ---- */

static void take__keeps_early_packets(void **unused)
{
    static const struct { uint32_t n; enum selective_fate fate; uint32_t expected; } row[] = {
        { 0, SELECTIVE_TAKEN, 1 }, { 0, SELECTIVE_OLD, 1 },    { 3, SELECTIVE_KEPT, 1 },
        { 2, SELECTIVE_KEPT, 1 },
        { 3, SELECTIVE_OLD, 1 },   { 1, SELECTIVE_TAKEN, 4 },  { 4, SELECTIVE_TAKEN, 5 },
        { 5 + 4096, SELECTIVE_BEYOND, 5 },
        { 4 + 4096, SELECTIVE_KEPT, 5 }, { 6, SELECTIVE_KEPT, 5 }, { 5, SELECTIVE_TAKEN, 7 },
        { 4 + 4096, SELECTIVE_OLD, 7 },
    };
    static struct selective_rx x;

    (void)unused;
    selective_open(&x);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_int_equal(selective_take(&x, row[i].n), row[i].fate);
        assert_int_equal(x.expected, row[i].expected);
    }
}

/* Packets that arrive in any order, at most a window apart, are all delivered once. */
static void take__accepts_any_order(void **unused)
{
    static struct selective_rx x;
    static uint32_t         order[20000];
    struct rng              r;
    uint32_t                taken = 0;

    (void)unused;
    rng_init(&r, 3, 0);
    for (uint32_t i = 0; i < 20000; i++)
        order[i] = i;
    for (uint32_t i = 0; i + 1 < 20000; i++) {       /* within blocks of 2000 */
        uint32_t end = i / 2000 * 2000 + 2000, j = i + (uint32_t)rng_below(&r, end - i), was = order[i];

        order[i] = order[j];
        order[j] = was;
    }
    selective_open(&x);
    for (uint32_t i = 0; i < 20000; i++) {
        enum selective_fate fate = selective_take(&x, order[i]);

        taken += fate == SELECTIVE_TAKEN || fate == SELECTIVE_KEPT;
        assert_int_equal(selective_take(&x, order[i]), SELECTIVE_OLD);
        assert_int_equal(selective_arrived(&x), i + 1);
    }
    assert_int_equal(taken, 20000);
    assert_int_equal(x.expected, 20000);
    for (uint32_t i = 0; i < SELECTIVE_WINDOW / 64; i++)
        assert_int_equal(x.has[i], 0);
}

/* Arrivals and the hole named at each, with reorder_ps 10 and repetition after 100. -1: nothing. */
static void name__waits_and_repeats(void **unused)
{
    static const struct { uint64_t at; uint32_t n; int from, to; } row[] = {
        { 0, 0, -1, 0 },
        { 1, 3, -1, 0 },         /* 1 and 2 are missing */
        { 5, 5, -1, 0 },         /* and 4 */
        { 10, 6, -1, 0 },
        { 11, 7, 1, 3 },         /* holes seen at 1 are overdue; 4 was seen later */
        { 20, 8, -1, 0 },
        { 21, 9, 4, 5 },
        { 22, 1, -1, 0 },        /* a retransmission; 2 is now the first */
        { 100, 10, -1, 0 },
        { 121, 11, -1, 0 },
        { 122, 12, 2, 3 },       /* 100 after it became the first */
        { 130, 2, -1, 0 },       /* 4 is now the first */
        { 229, 13, -1, 0 },
        { 230, 14, 4, 5 },
        { 240, 4, -1, 0 },
        { 241, 15, -1, 0 },
    };
    static struct selective_rx x;

    (void)unused;
    selective_open(&x);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct selective_hole hole = { 0 };
        bool               is_named;

        selective_take(&x, row[i].n);
        is_named = selective_must_name(&x, row[i].at, 10, 100, &hole);
        assert_true(is_named == (row[i].from >= 0));
        if (is_named) {
            assert_int_equal(hole.from, row[i].from);
            assert_int_equal(hole.to, row[i].to);
        }
    }
    assert_int_equal(x.expected, 16);
}

static void name__immediately_without_reorder_time(void **unused)
{
    static struct selective_rx x;
    struct selective_hole      hole;

    (void)unused;
    selective_open(&x);
    selective_take(&x, 7);
    assert_true(selective_must_name(&x, 3, 0, 100, &hole));
    assert_true(hole.from == 0 && hole.to == 7);
    selective_take(&x, 9);
    assert_true(selective_must_name(&x, 3, 0, 100, &hole));
    assert_true(hole.from == 8 && hole.to == 9);
    selective_take(&x, 10);
    assert_false(selective_must_name(&x, 4, 0, 100, &hole));
}

/* ---- sender ---- */

static void next__sends_holes_in_order(void **unused)
{
    struct selective_tx t = { 0 };

    (void)unused;
    assert_int_equal(selective_next(&t, 50, 0, 50), 50);
    selective_add(&t, (struct selective_hole){ 10, 12 });
    selective_add(&t, (struct selective_hole){ 10, 12 });          /* named twice */
    selective_add(&t, (struct selective_hole){ 20, 23 });
    selective_add(&t, (struct selective_hole){ 11, 14 });          /* half of it is new */
    assert_int_equal(selective_next(&t, 50, 5, 50), 10);
    assert_int_equal(selective_next(&t, 11, 5, 50), 11);
    assert_int_equal(selective_next(&t, 12, 5, 50), 20);
    assert_int_equal(selective_next(&t, 21, 22, 50), 22);       /* acknowledged meanwhile */
    assert_int_equal(selective_next(&t, 23, 12, 50), 12);
    assert_int_equal(selective_next(&t, 13, 40, 50), 50);       /* acknowledged meanwhile, all of it */
    assert_int_equal(t.count, 0);
    selective_add(&t, (struct selective_hole){ 40, 50 });          /* up to the new packets: a timeout */
    assert_int_equal(selective_next(&t, 50, 40, 50), 40);
    for (uint32_t i = 0; i < 2 * SELECTIVE_HOLES; i++)
        selective_add(&t, (struct selective_hole){ 100 + 2 * i, 101 + 2 * i });
    assert_int_equal(t.count, SELECTIVE_HOLES);
}

/* 30 has arrived, because a hole up to it was named; 10 is the first unacknowledged packet. */
static void all__excludes_known_packets(void **unused)
{
    struct selective_tx t = { 0 };

    (void)unused;
    selective_add(&t, (struct selective_hole){ 28, 30 });
    selective_all(&t, 10, 50);
    assert_int_equal(selective_next(&t, 50, 10, 50), 10);
    assert_int_equal(selective_next(&t, 11, 10, 50), 31);
    assert_int_equal(selective_next(&t, 32, 10, 50), 32);
    assert_int_equal(selective_next(&t, 50, 10, 50), 50);
    t = (struct selective_tx){ 0 };
    selective_all(&t, 10, 50);
    for (uint32_t n = 10; n < 50; n++)
        assert_int_equal(selective_next(&t, n > 10 ? n : 50, 10, 50), n);
}

/* ---- whole flows ---- */

static void start_one(struct world *w, struct sim_cfg *cfg, uint64_t bytes, uint64_t reorder_ps)
{
    struct flow_row flow = { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = bytes };
    struct graph     g;

    cfg->is_selective = true;
    cfg->reorder_ps = reorder_ps;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(w, &g, cfg, &flow, 1);
}

/* Loses exactly the frame that host 0 starts at 'at_ps'. */
static void lose_at(struct world *w, uint64_t at_ps)
{
    struct port *p = w->sim->net.host[0].port;
    uint64_t     was = w->sim->engine.counters.dropped_wire;

    sim_run_until(w->sim, at_ps - 1);
    p->loss = 1, p->is_lossy = true, p->slow_path = SLOW_LINK;
    sim_run_until(w->sim, at_ps);
    p->loss = 0, p->is_lossy = false, p->slow_path = 0;
    assert_int_equal(w->sim->engine.counters.dropped_wire, was + 1);
}

/* Without a loss, a flow takes its ideal time. (In model hpcc a flow does not take the fork's ideal.) */
static void flow__alone_takes_its_ideal_time(void **unused)
{
    static const struct { uint64_t bytes, hpcc_ps; } row[] = {
        { 1, 4 * PS_PER_US + 2 * 3 * PS_PER_NS + 2 * 4 * PS_PER_NS }, { 1024, 0 }, { 1025, 0 },
        { 1000000, 0 },
    };

    (void)unused;
    for (int m = 0; m < 2; m++)
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            struct sim_cfg cfg;
            struct world   w;

            world_cfg(&cfg, m ? MODEL_HPCC : MODEL_NIC);
            start_one(&w, &cfg, row[i].bytes, 0);
            assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_MS));
            if (!m || row[i].hpcc_ps)
                assert_int_equal(w.done[0].fct_ps, m ? row[i].hpcc_ps : w.done[0].ideal_ps);
            assert_int_equal(w.sim->engine.counters.payload_received, row[i].bytes);
            assert_int_equal(w.sim->engine.counters.nacks_sent, 0);
            world_end(&w);
        }
}

/* Of 1000 packets number 100 is lost: it is retransmitted, which costs its transmission time. The NACK
 * follows an ACK. */
static void flow__retransmits_only_missing_packets(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_one(&w, &cfg, 1000 * 1024, 0);
    lose_at(&w, 100 * FULL_PS);
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_MS));
    assert_int_equal(w.done[0].fct_ps, w.done[0].ideal_ps + FULL_PS);
    assert_int_equal(w.done[0].resent_bytes, 1024);
    assert_int_equal(w.sim->engine.counters.data_sent, 1001);
    assert_int_equal(w.sim->engine.counters.nacks_sent, 1);
    assert_int_equal(w.sim->engine.counters.payload_stale, 0);
    assert_int_equal(w.sim->engine.counters.timeouts, 0);
    /* Expected count: the packets of one round trip, plus one for the ACK that was sent before the NACK. */
    assert_int_equal(w.sim->engine.counters.reordered,
                     1 + (2 * FULL_PS + 2 * ACK_PS + ACK_PS + 4 * PS_PER_US - 1) / FULL_PS);
    world_end(&w);
}

/* The last packet is lost: no packet follows it, so only the timer recovers it. */
static void flow__ends_by_the_timer(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_one(&w, &cfg, 100 * 1024 + 5, 0);
    lose_at(&w, 100 * FULL_PS);
    assert_true(world_finish(&w, 100 * PS_PER_US, 100 * PS_PER_MS));
    assert_int_equal(w.done[0].resent_bytes, 5);
    assert_int_equal(w.sim->engine.counters.timeouts, 1);
    assert_int_equal(w.sim->engine.counters.nacks_sent, 0);
    world_end(&w);
}

/* Numbers 90 and 95 of 100 are lost, and no packet arrives late enough for a hole to be named. When the timer
 * has expired, the first is retransmitted. After such a silence, its arrival makes the receiver name the
 * second. Nothing else is retransmitted. */
static void flow__retransmits_little_near_the_end(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_one(&w, &cfg, 100 * 1024, 10 * PS_PER_US);
    lose_at(&w, 90 * FULL_PS);
    lose_at(&w, 95 * FULL_PS);
    assert_true(world_finish(&w, 100 * PS_PER_US, 100 * PS_PER_MS));
    assert_int_equal(w.done[0].resent_bytes, 2 * 1024);
    assert_int_equal(w.sim->engine.counters.timeouts, 1);
    assert_int_equal(w.sim->engine.counters.nacks_sent, 1);
    /* The silence: the timer is checked when it could first have expired, and counts from the last
     * progress. */
    assert_in_range(w.done[0].fct_ps, cfg.rto_ps, 2 * cfg.rto_ps + 20 * PS_PER_US);
    world_end(&w);
}

/* Two packets on the wire to host 1 swap places repeatedly: with a long reorder time nothing is sent
 * twice. */
static void flow__tolerates_reordering(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    uint32_t       swapped = 0;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_one(&w, &cfg, 3000 * 1024, 10 * PS_PER_US);
    while (!w.sim->is_done) {
        struct world_wire wire = world_wire(&w, w.sim->net.host[1].port->peer);
        struct packet    *a = wire.packet[0];
        struct packet    *b = wire.packet[wire.count > 7 ? 7 : wire.count ? wire.count - 1 : 0];

        if (wire.count > 1 && !(b->flags & PACKET_LAST) && a->seq < b->seq) {
            uint64_t seq = a->seq;

            a->seq = b->seq;
            b->seq = seq;
            swapped++;
        }
        sim_run_until(w.sim, w.sim->engine.now_ps + 3 * PS_PER_US);
        sim_check(w.sim);
    }
    assert_true(swapped > 50);
    assert_true(w.sim->engine.counters.reordered >= 7 * swapped);
    assert_int_equal(w.done[0].resent_bytes, 0);
    assert_int_equal(w.done[0].fct_ps, w.done[0].ideal_ps);
    world_end(&w);
}

/* A network that loses one packet in a hundred, in both models: everything arrives, and little more is sent
 * than was lost. */
static void flow__survives_losses(void **unused)
{
    (void)unused;
    for (int m = 0; m < 2; m++) {
        struct flow_row flow[8];
        struct sim_cfg   cfg;
        struct world     w;
        struct graph     g;
        uint64_t         resent = 0;

        world_cfg(&cfg, m ? MODEL_HPCC : MODEL_NIC);
        cfg.is_selective = true;
        cfg.rto_ps = 300 * PS_PER_US;
        cfg.reorder_ps = 5 * PS_PER_US;
        cfg.nack_gap_ps = 100 * PS_PER_US;
        for (uint32_t i = 0; i < 8; i++)
            flow[i] = (struct flow_row){ .src = i, .dst = (i + 3) % 8, .prio = 3, .dport = 1,
                                         .bytes = 2000000 + i };
        graph_star(&g, &(struct graph_star){ 8, 100 * GBPS, PS_PER_US });
        for (uint32_t i = 0; i < g.links; i++)
            g.link[i].loss = 0.005;
        world_of_flows(&w, &g, &cfg, flow, 8);
        assert_true(world_finish(&w, 20 * PS_PER_US, 100 * PS_PER_MS));
        for (uint32_t i = 0; i < w.done_count; i++)
            resent += w.done[i].resent_bytes;
        assert_true(w.sim->engine.counters.payload_dropped > 100000);
        assert_true(resent >= w.sim->engine.counters.payload_dropped);
        assert_true(10 * resent < 11 * w.sim->engine.counters.payload_dropped);
        assert_true(w.sim->engine.counters.payload_received == 8 * 2000000 + 28);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take__keeps_early_packets),
        cmocka_unit_test(take__accepts_any_order),
        cmocka_unit_test(name__waits_and_repeats),
        cmocka_unit_test(name__immediately_without_reorder_time),
        cmocka_unit_test(next__sends_holes_in_order),
        cmocka_unit_test(all__excludes_known_packets),
        cmocka_unit_test(flow__alone_takes_its_ideal_time),
        cmocka_unit_test(flow__retransmits_only_missing_packets),
        cmocka_unit_test(flow__ends_by_the_timer),
        cmocka_unit_test(flow__retransmits_little_near_the_end),
        cmocka_unit_test(flow__tolerates_reordering),
        cmocka_unit_test(flow__survives_losses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
