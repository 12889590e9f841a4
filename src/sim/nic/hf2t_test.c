#include "sim/nic/hf2t.h"
#include "sim/nic/host.h"
#include "sim/link/pfc.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LONG_BYTES (1ull << 40)  /* does not end during a test */

/* ---- the rule ---- */

/* T = 1000: the smallest gap at which a packet is held, computed by hand from a = 20/x, 1, 80/x, rounded
 * up. */
static void is_near__follows_the_rule(void **unused)
{
    static const struct { uint32_t x; uint64_t from; } row[] = {
        { 1, 20000 }, { 2, 10000 }, { 3, 6667 }, { 7, 2858 }, { 10, 2000 }, { 19, 1053 }, { 20, 1000 },
        { 21, 1000 }, { 50, 1000 }, { 79, 1000 },
        { 80, 1000 }, { 81, 988 }, { 100, 800 }, { 160, 500 }, { 800, 100 }, { 65535, 2 },
    };
    struct hf2t_cfg c = { .min = 20, .max = 80 };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_true(hf2t_is_near(&c, 1000, row[i].from, row[i].x));
        assert_false(hf2t_is_near(&c, 1000, row[i].from - 1, row[i].x));
    }
    c.min = 0;                   /* without 'dynamic' */
    c.max = UINT32_MAX;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_true(hf2t_is_near(&c, 1000, 1000, row[i].x));
        assert_false(hf2t_is_near(&c, 1000, 999, row[i].x));
    }
}

/* The largest values of the knobs do not overflow. */
static void is_near__holds_at_the_limits(void **unused)
{
    struct hf2t_cfg c = { .min = 1000, .max = 1000 };

    (void)unused;
    assert_true(hf2t_is_near(&c, 1ull << 40, 100 * PS_PER_MS, HF2T_PACKETS_MAX));
    assert_false(hf2t_is_near(&c, 1ull << 40, 100 * PS_PER_MS, 100));
}

/* ---- queue pairs in a host ---- */

/* A congestion control with one rate that changes at a given time; records departures. */
static uint64_t first_bps, then_bps, change_ps;

static void two_rates_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = first_bps, .window_bytes = UINT64_MAX, .due_ps = change_ps };
}

static void two_rates_on_due(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state;
    if (now.ps >= change_ps)
        *out = (struct cc_out){ .rate_bps = then_bps, .window_bytes = UINT64_MAX, .due_ps = NEVER };
}

static void two_rates_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static const struct cc_algo two_rates = { .start = two_rates_start,
                                          .on_due = two_rates_on_due,
                                          .configure = two_rates_configure,
                                          .name = "two rates",
                                          .about = "a rate, then another" };

/* Host 0 has 'flows' queue pairs, each to a different host. */
static void start(struct world *w, struct sim_cfg *cfg, uint32_t flows, uint64_t bytes)
{
    struct flow_row flow[4];
    struct graph     g;

    for (uint32_t i = 0; i < flows; i++)
        flow[i] = (struct flow_row){ .src = 0, .dst = 1 + i, .prio = 3, .dport = (uint16_t)i,
                                     .bytes = bytes };
    graph_star(&g, &(struct graph_star){ 1 + flows, 100 * GBPS, PS_PER_US });
    world_of_flows(w, &g, cfg, flow, flows);
}

static void set_up(struct sim_cfg *cfg, enum sim_model model, double threshold_us, double guard)
{
    world_cfg(cfg, model);
    cfg->knobs.value[KNOB_hf2t] = 1;
    cfg->knobs.value[KNOB_hf2t_threshold] = threshold_us;
    cfg->knobs.value[KNOB_hf2t_training] = 1000;
    cfg->knobs.value[KNOB_hf2t_guard] = guard;
    first_bps = then_bps = 100 * GBPS;
    change_ps = NEVER;
}

static uint64_t full_ps(const struct sim *s)
{
    return s->net.host[0].port->tx_ps[s->cfg.mtu_bytes + s->cfg.header_bytes];
}

/* Returns the packets that host 0 sends in this time. */
static uint64_t sent_in(struct sim *s, uint64_t ps)
{
    uint64_t was = s->engine.counters.data_sent;

    sim_run_until(s, s->engine.now_ps + ps);
    return s->engine.counters.data_sent - was;
}

static const enum sim_model models[] = { MODEL_NIC, MODEL_HPCC };

/* A lone flow at line rate: one packet every g; once x g >= 80 T a packet is held for 25 us and a frame. Here
 * T is ten times g; without a guard the flow loses 26 %. */
static void hold__costs_a_lone_flow_the_expected_share(void **unused)
{
    (void)unused;
    for (int m = 0; m < 2; m++) {
        struct sim_cfg cfg;
        struct world   w;
        double         g_ns, hold_ns, share;
        uint64_t       sent;

        set_up(&cfg, models[m], 25, 1);
        start(&w, &cfg, 1, LONG_BYTES);
        g_ns = (double)full_ps(w.sim) / 1e3;
        assert_true(m ? g_ns == 83 : g_ns == 88.48);
        sim_run_until(w.sim, 100 * PS_PER_US);
        assert_int_equal(w.sim->engine.counters.delayed, 0);        /* it learns */
        w.sim->hosts.hf2t->host[0].near_ps = 10 * full_ps(w.sim);
        sent = sent_in(w.sim, 20 * PS_PER_MS);
        hold_ns = 25000 + g_ns + 1;
        share = (double)sent * g_ns / 20e6;
        assert_true(share > 0.999 * 800 * g_ns / (799 * g_ns + hold_ns) &&
                    share < 1.001 * 800 * g_ns / (799 * g_ns + hold_ns));
        assert_true(share > 0.72 && share < 0.75);
        assert_in_range(w.sim->engine.counters.delayed, sent / 800 - 1, sent / 800 + 1);
        sim_check(w.sim);
        world_end(&w);
    }
}

/* What a host learns from a lone flow: all gaps are g, T is at 0.99 of g's bin. Nothing is held before 1000
 * us, nor with the guard. */
static void learn__lasts_for_the_training_time(void **unused)
{
    (void)unused;
    for (int m = 0; m < 2; m++) {
        uint64_t       edge_ps = m ? 81920 : 86016;          /* 20 and 21 times 4096 */
        struct sim_cfg cfg;
        struct world   w;

        set_up(&cfg, models[m], 25, 0.9);
        start(&w, &cfg, 1, LONG_BYTES);
        sim_run_until(w.sim, 999 * PS_PER_US);
        assert_int_equal(w.sim->hosts.hf2t->host[0].near_ps, 0);
        sim_run_until(w.sim, 1001 * PS_PER_US);
        assert_int_equal(w.sim->hosts.hf2t->host[0].near_ps, edge_ps + (uint64_t)(4096 * 0.99));
        assert_in_range(sent_in(w.sim, 10 * PS_PER_MS), 10 * PS_PER_MS / full_ps(w.sim),
                        10 * PS_PER_MS / full_ps(w.sim) + 1);
        assert_int_equal(w.sim->engine.counters.delayed, 0);
        world_end(&w);
    }
}

/* A thousand gaps at 1 Gb/s take 8.8 ms. */
static void learn__waits_for_enough_gaps(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    set_up(&cfg, MODEL_NIC, 25, 1);
    cfg.cc = &two_rates;
    first_bps = GBPS;
    start(&w, &cfg, 1, LONG_BYTES);
    sim_run_until(w.sim, 999 * 8848 * PS_PER_NS);
    assert_int_equal(w.sim->hosts.hf2t->host[0].near_ps, 0);
    sim_run_until(w.sim, 1000 * 8848 * PS_PER_NS);
    assert_true(w.sim->hosts.hf2t->host[0].near_ps > 0);
    world_end(&w);
}

/* Of two queue pairs at 40 Gb/s, one has all its packets held; the other sends as if alone. */
static void hold__does_not_block_others(void **unused)
{
    (void)unused;
    for (int m = 0; m < 2; m++) {
        struct sim_cfg cfg;
        struct world   w;
        uint64_t       gap_ps = m ? 209000 : 221200, was, held;      /* 1048 B and 1106 B at 40 Gb/s */

        set_up(&cfg, models[m], 50, 1);
        cfg.cc = &two_rates;
        cfg.knobs.value[KNOB_hf2t_scope] = HF2T_QUEUE_PAIR;
        cfg.knobs.value[KNOB_hf2t_dynamic] = 0;
        first_bps = then_bps = 40 * GBPS;
        start(&w, &cfg, 2, LONG_BYTES);
        sim_run_until(w.sim, 10 * PS_PER_US);
        w.sim->hosts.hf2t->qp[1].near_ps = 1;
        w.sim->hosts.hf2t->qp[2].near_ps = 1ull << 40;
        sim_run_until(w.sim, w.sim->engine.now_ps + 100 * PS_PER_US);
        was = w.sim->flows.flow[2].sent;
        held = w.sim->flows.flow[1].sent;
        sim_run_until(w.sim, w.sim->engine.now_ps + 10 * PS_PER_MS);
        /* At most it waits for each packet that the first queue pair has on the wire. */
        assert_in_range((w.sim->flows.flow[2].sent - was) / cfg.mtu_bytes,
                        (10 * PS_PER_MS - 200 * full_ps(w.sim)) / gap_ps - 1, 10 * PS_PER_MS / gap_ps + 1);
        /* one in 50.1 us */
        assert_in_range((w.sim->flows.flow[1].sent - held) / cfg.mtu_bytes, 199, 200);
        sim_check(w.sim);
        world_end(&w);
    }
}

/* Every packet is held once, for the required time, even if the rate rises or falls meanwhile. */
static void hold__outlasts_a_change_of_rate(void **unused)
{
    static const uint64_t then[] = { GBPS, 100 * GBPS };

    (void)unused;
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2; i++) {
            struct sim_cfg cfg;
            struct world   w;
            uint64_t       hold_ps, last_ps;

            set_up(&cfg, models[m], 20, 1);
            cfg.cc = &two_rates;
            cfg.knobs.value[KNOB_hf2t_dynamic] = 0;
            first_bps = 10 * GBPS;
            then_bps = then[i];
            change_ps = 47 * PS_PER_US;
            start(&w, &cfg, 1, LONG_BYTES);
            sim_run_until(w.sim, PS_PER_NS);
            w.sim->hosts.hf2t->host[0].near_ps = 1;
            hold_ps = 20 * PS_PER_US + full_ps(w.sim) + PS_PER_NS;
            for (uint32_t n = 1; n < 10; n++) {
                last_ps = w.sim->hosts.hf2t->qp[1].sent_ps;
                sim_run_until(w.sim, n * hold_ps - 1);
                assert_int_equal(w.sim->engine.counters.data_sent, n);
                sim_run_until(w.sim, n * hold_ps);
                assert_int_equal(w.sim->engine.counters.data_sent, n + 1);
                assert_int_equal(w.sim->hosts.hf2t->qp[1].sent_ps - last_ps, hold_ps);
                assert_int_equal(w.sim->engine.counters.delayed, n);
            }
            world_end(&w);
        }
}

/* A longer threshold while a packet is held does not hold it again; a shorter one does not release it. */
static void hold__outlasts_a_change_of_knobs(void **unused)
{
    static const double then_us[] = { 10, 90 };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct sim_cfg cfg;
        struct world   w;
        struct knobs   k;
        uint64_t       hold_ps;

        set_up(&cfg, MODEL_NIC, 20, 1);
        cfg.knobs.value[KNOB_hf2t_dynamic] = 0;
        start(&w, &cfg, 1, LONG_BYTES);
        sim_run_until(w.sim, PS_PER_NS);
        w.sim->hosts.hf2t->host[0].near_ps = 1;
        hold_ps = 20 * PS_PER_US + full_ps(w.sim) + PS_PER_NS;
        sim_run_until(w.sim, 10 * PS_PER_US);
        k = cfg.knobs;
        k.value[KNOB_hf2t_threshold] = then_us[i];
        sim_apply(w.sim, &k);
        sim_run_until(w.sim, hold_ps - 1);
        assert_int_equal(w.sim->engine.counters.data_sent, 1);
        sim_run_until(w.sim, hold_ps);
        assert_int_equal(w.sim->engine.counters.data_sent, 2);
        world_end(&w);
    }
}

/* A pause that outlasts the hold delays the packet further; it is not held again. */
static void hold__is_extended_by_a_pause(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    struct port   *p;

    (void)unused;
    set_up(&cfg, MODEL_NIC, 20, 1);
    cfg.knobs.value[KNOB_hf2t_dynamic] = 0;
    start(&w, &cfg, 1, LONG_BYTES);
    p = w.sim->net.host[0].port;
    sim_run_until(w.sim, PS_PER_NS);
    w.sim->hosts.hf2t->host[0].near_ps = 1;
    sim_run_until(w.sim, 10 * PS_PER_US);
    pfc_on_frame(&w.sim->engine, &w.sim->pfc, p, 3, true);
    sim_run_until(w.sim, 30 * PS_PER_US);
    assert_int_equal(w.sim->engine.counters.data_sent, 1);
    pfc_on_frame(&w.sim->engine, &w.sim->pfc, p, 3, false);
    host_kick(w.sim, &w.sim->net.host[0]);
    assert_int_equal(w.sim->engine.counters.data_sent, 2);
    assert_int_equal(w.sim->engine.counters.delayed, 1);
    world_end(&w);
}

/* When an index is reused, state of the finished flow is not used: the first packet has no gap. */
static void start__has_no_gap(void **unused)
{
    struct flow_row flow[50];
    struct sim_cfg   cfg;
    struct world     w;
    struct graph     g;

    (void)unused;
    for (uint32_t i = 0; i < 50; i++)
        flow[i] = (struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = (uint16_t)i, .bytes = 100,
                                      .start_ps = i * 15 * PS_PER_US };
    set_up(&cfg, MODEL_NIC, 20, 1);
    cfg.knobs.value[KNOB_hf2t_dynamic] = 0;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(&w, &g, &cfg, flow, 50);
    w.sim->hosts.hf2t->host[0].near_ps = 1;
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_MS));
    assert_int_equal(w.done_count, 50);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(w.done[i].fct_ps, w.done[i].ideal_ps);
    assert_int_equal(w.sim->engine.counters.delayed, 0);
    world_end(&w);
}

/* A queue pair that received no CNP is not held; one that received a CNP is held for a while. */
static void quiet__keeps_others_from_being_held(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    set_up(&cfg, MODEL_NIC, 20, 1);
    cfg.knobs.value[KNOB_hf2t_dynamic] = 0;
    cfg.knobs.value[KNOB_hf2t_quiet] = 100;
    start(&w, &cfg, 1, LONG_BYTES);
    sim_run_until(w.sim, PS_PER_US);
    w.sim->hosts.hf2t->host[0].near_ps = 1;
    sim_run_until(w.sim, 200 * PS_PER_US);
    assert_int_equal(w.sim->engine.counters.delayed, 0);
    w.sim->hosts.hf2t->qp[1].cnp_ps = w.sim->engine.now_ps;
    sim_run_until(w.sim, 600 * PS_PER_US);
    assert_int_equal(w.sim->engine.counters.delayed, 5);    /* at 0, 20, .. 80 us after it; then it is too
                                                             * long ago */
    world_end(&w);
}

/* Natural flowlets: with 'natural' they restart the count of packets, without it they do not. */
static void natural__resets_the_count(void **unused)
{
    (void)unused;
    for (int natural = 0; natural < 2; natural++) {
        struct hf2t t = { .cfg = { .is_natural = natural, .min = 20, .max = 80,
                                   .threshold_ps = 20 * PS_PER_US } };
        struct hf2t_qp   qp = { .sent_ps = PS_PER_US, .packets = 50 };
        struct hf2t_host host = { .near_ps = 5 * PS_PER_US, .guard_bps = 100 * GBPS };

        t.qp = &qp;
        t.host = &host;
        assert_false(hf2t_must_wait(&t, 0, 100 * GBPS, 21 * PS_PER_US));
        assert_int_equal(qp.packets, natural ? 1 : 51);
        /* 6 us: above T, but not 20 T */
        assert_true(hf2t_must_wait(&t, 0, 100 * GBPS, 27 * PS_PER_US) == !natural);
        assert_false(hf2t_must_wait(&t, 0, 100 * GBPS, 28 * PS_PER_US));
    }
}

/* The network's T covers all gaps, here those of a host at 100 Gb/s and of one at 1 Gb/s, and is known to all
 * hosts at the same time. Host 2 sends nothing. */
static void stop__gives_all_hosts_the_same_threshold(void **unused)
{
    struct flow_row flow[2] = {
        { .src = 0, .dst = 2, .prio = 3, .dport = 1, .bytes = LONG_BYTES },
        { .src = 1, .dst = 2, .prio = 3, .dport = 2, .bytes = LONG_BYTES },
    };
    struct sim_cfg cfg;
    struct world   w;
    struct graph   g;

    (void)unused;
    set_up(&cfg, MODEL_NIC, 25, 1);
    cfg.knobs.value[KNOB_hf2t_scope] = HF2T_NETWORK;
    cfg.knobs.value[KNOB_hf2t_training] = 300;
    cfg.cc = &two_rates;
    first_bps = 10 * GBPS;
    graph_star(&g, &(struct graph_star){ 3, 100 * GBPS, PS_PER_US });
    world_of_flows(&w, &g, &cfg, flow, 2);
    sim_run_until(w.sim, 599 * PS_PER_US);       /* 678 gaps after 300 us are not enough */
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(w.sim->hosts.hf2t->host[i].near_ps, 0);
    sim_run_until(w.sim, 700 * PS_PER_US);
    for (uint32_t i = 0; i < 3; i++)             /* The gap is 884.8 ns. Bins: [851968, 884736) and [884736,
                                                  * 917504). T is at 0.99 of the upper one. */
        assert_int_equal(w.sim->hosts.hf2t->host[i].near_ps, 884736 + (uint64_t)(32768 * 0.99));
    world_end(&w);
}

/* HF2T restarts when it is disabled and enabled again. */
static void configure__disables_and_enables(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    struct knobs   off, on;

    (void)unused;
    set_up(&cfg, MODEL_NIC, 25, 1);
    on = off = cfg.knobs;
    off.value[KNOB_hf2t] = 0;
    cfg.knobs = off;
    start(&w, &cfg, 1, LONG_BYTES);
    assert_null(w.sim->hosts.hf2t);
    sim_run_until(w.sim, 100 * PS_PER_US);
    sim_apply(w.sim, &on);
    sim_run_until(w.sim, 2 * PS_PER_MS);
    assert_true(w.sim->engine.counters.delayed > 5);
    sim_apply(w.sim, &off);
    sim_run_until(w.sim, 3 * PS_PER_MS);
    w.sim->engine.counters.delayed = 0;
    assert_true(sent_in(w.sim, PS_PER_MS) >= PS_PER_MS / full_ps(w.sim));
    sim_apply(w.sim, &on);
    sim_run_until(w.sim, 6 * PS_PER_MS);
    assert_true(w.sim->engine.counters.delayed > 5);
    sim_check(w.sim);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_near__follows_the_rule),
        cmocka_unit_test(is_near__holds_at_the_limits),
        cmocka_unit_test(hold__costs_a_lone_flow_the_expected_share),
        cmocka_unit_test(learn__lasts_for_the_training_time),
        cmocka_unit_test(learn__waits_for_enough_gaps),
        cmocka_unit_test(hold__does_not_block_others),
        cmocka_unit_test(hold__outlasts_a_change_of_rate),
        cmocka_unit_test(hold__outlasts_a_change_of_knobs),
        cmocka_unit_test(hold__is_extended_by_a_pause),
        cmocka_unit_test(start__has_no_gap),
        cmocka_unit_test(quiet__keeps_others_from_being_held),
        cmocka_unit_test(natural__resets_the_count),
        cmocka_unit_test(stop__gives_all_hosts_the_same_threshold),
        cmocka_unit_test(configure__disables_and_enables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
