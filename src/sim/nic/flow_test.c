#include "sim/nic/flow.h"
#include "sim/nic/hf2t.h"
#include "sim/nic/host.h"
#include "sim/test_world.h"
#include "work/traffic/kinds/patterns.h"
#include "work/traffic/test_training.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define FULL_PS  ((1024 + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define BACK_PS  (2 * (ACK_PS + DELAY_PS))           /* return of an ACK over two hops */
#define THERE_PS (2 * (FULL_PS + DELAY_PS))          /* a full packet over two hops */

/* A star in which the flows of a list share this many queue pairs per pair of hosts. */
static void start_star(struct world *w, const struct sim_cfg *cfg, uint32_t hosts,
                       const struct flow_row *flow,
                       uint32_t count, uint32_t qps)
{
    struct flow_list list = { xcalloc(count + 1ul, sizeof *list.flow), count };
    struct traffic  *t;
    struct graph     g;
    struct err       err;

    graph_star(&g, &(struct graph_star){ hosts, 100 * GBPS, DELAY_PS });
    t = traffic_new(&g, cfg->seed);
    memcpy(list.flow, flow, count * sizeof *flow);
    traffic_add_list(t, &list);
    traffic_use_qps(t, qps);
    assert_int_equal(world_start(w, &g, cfg, t, &err), 0);
}

static struct flow_row row(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ns)
{
    return (struct flow_row){ .src = src, .dst = dst, .prio = 3, .dport = 4791, .bytes = bytes,
                              .start_ps = start_ns * PS_PER_NS };
}

/* Everything posted has arrived once, in order, and every pair is idle. */
static void check_all_over(const struct world *w)
{
    const struct sim_counters *c = &w->sim->engine.counters;

    assert_int_equal(c->flows_started, c->flows_done);
    assert_int_equal(c->bytes_started, c->bytes_done);
    assert_int_equal(c->payload_received, c->bytes_done);
    assert_int_equal(sim_next_active(w->sim, 0), 0);
}

/* ---- order of messages ---- */

/* Two messages posted together: the second starts when the first is sent, and its FCT counts from posting.
 * The last packet of the first is short, and so is its transmission. */
static void post__messages_of_a_pair_go_in_order(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 10 * 1024 + 100, 0), row(0, 1, 5 * 1024, 0) };
    uint64_t              first_ps = 10 * FULL_PS + (100 + 62 + 20) * BYTE_PS;
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_star(&w, &cfg, 2, flow, 2, 1);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_MS));
    assert_int_equal(w.done_count, 2);
    assert_int_equal(w.done[0].bytes, 10 * 1024 + 100);
    assert_int_equal(w.done[1].bytes, 5 * 1024);
    assert_int_equal(w.done[0].sport, w.done[1].sport);
    /* The switch stores and forwards; packets ahead leave the switch first. */
    assert_int_equal(w.done[1].fct_ps, first_ps + 4 * FULL_PS + THERE_PS + BACK_PS);
    assert_int_equal(w.sim->flows.pairs.count, 1);
    check_all_over(&w);
    world_end(&w);
}

/* One message after another on the same pair: each is as fast as alone. */
static void post__idle_pair_takes_the_next_message(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 8 * 1024, 0), row(0, 1, 8 * 1024, 50000),
                                     row(0, 1, 8 * 1024, 5000000) };
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_star(&w, &cfg, 2, flow, 3, 1);
    assert_true(world_finish(&w, 10 * PS_PER_US, 10 * PS_PER_MS));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(w.done[i].fct_ps, 7 * FULL_PS + THERE_PS + BACK_PS);
    assert_int_equal(w.done[2].start_ps, 5 * PS_PER_MS);
    assert_int_equal(w.sim->flows.pairs.count, 1);
    check_all_over(&w);
    world_end(&w);
}

/* Messages use the pairs of a destination in rotation. */
static void post__uses_pairs_in_rotation(void **unused)
{
    struct flow_row flow[12];
    struct sim_cfg  cfg;
    struct world    w;

    (void)unused;
    for (uint32_t i = 0; i < 12; i++)
        flow[i] = row(0, 1 + i % 2, 1024, 20000ull * i);
    world_cfg(&cfg, MODEL_NIC);
    start_star(&w, &cfg, 3, flow, 12, 3);
    assert_true(world_finish(&w, 10 * PS_PER_US, PS_PER_MS));
    assert_int_equal(w.sim->flows.pairs.count, 6);
    for (uint32_t i = 6; i < 12; i++) {
        assert_int_equal(w.done[i].sport, w.done[i - 6].sport);
        for (uint32_t k = i - 5; k < i; k++)
            assert_int_not_equal(w.done[i].sport, w.done[k].sport);
    }
    check_all_over(&w);
    world_end(&w);
}

/* ---- persistent state ---- */

/* DCQCN with one CNP: the limiter starts at 50 Gb/s and no timer raises it soon. */
static void slow_cfg(struct sim_cfg *cfg)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->cc = cc_find("dcqcn");
    cfg->knobs.value[KNOB_rate_to_set_on_first_cnp] = 50000;
    cfg->knobs.value[KNOB_rpg_time_reset] = knob_info[KNOB_rpg_time_reset].max;
    cfg->knobs.value[KNOB_rpg_byte_reset] = 0;
}

/* A CNP for flow 1 arrives at host 0. */
static void deliver_cnp(struct world *w)
{
    struct sim    *s = w->sim;
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *k = &s->engine.packets.packet[id];

    k->flow = 1;
    k->generation = s->flows.flow[1].generation;
    k->kind = CNP;
    k->flags = 0;
    k->seq = 0;
    host_on_packet(s, &s->net.host[0], k);
}

/* The second message starts at the final rate of the first: its packets are spaced by that rate. */
static void idle__rate_stays(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 20 * 1024, 0), row(0, 1, 20 * 1024, 100000) };
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    slow_cfg(&cfg);
    start_star(&w, &cfg, 2, flow, 2, 1);
    sim_run_until(w.sim, PS_PER_NS);
    deliver_cnp(&w);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_MS));
    assert_int_equal(w.sim->flows.flow[1].out.rate_bps, 50 * GBPS);
    assert_int_equal(w.done[1].fct_ps, 19 * 2 * FULL_PS + THERE_PS + BACK_PS);
    check_all_over(&w);
    world_end(&w);
}

/* With idle_reset it starts at line rate, if it was idle for that long. */
static void idle__reset_restarts_at_line_rate(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 20 * 1024, 0), row(0, 1, 20 * 1024, 30000),
                                     row(0, 1, 20 * 1024, 200000) };
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    slow_cfg(&cfg);
    cfg.idle_reset_ps = 100 * PS_PER_US;
    start_star(&w, &cfg, 2, flow, 3, 1);
    sim_run_until(w.sim, PS_PER_NS);
    deliver_cnp(&w);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_MS));
    assert_int_equal(w.done[1].fct_ps, 19 * 2 * FULL_PS + THERE_PS + BACK_PS);
    assert_int_equal(w.done[2].fct_ps, 19 * FULL_PS + THERE_PS + BACK_PS);
    world_end(&w);
}

/* An idle pair receives CNPs as well: its next message starts at the resulting rate. */
static void idle__cnp_counts(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 20 * 1024, 0), row(0, 1, 20 * 1024, 100000) };
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    slow_cfg(&cfg);
    start_star(&w, &cfg, 2, flow, 2, 1);
    sim_run_until(w.sim, 90 * PS_PER_US);
    assert_int_equal(w.sim->flows.flow[1].phase, FLOW_IDLE);
    deliver_cnp(&w);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_MS));
    assert_int_equal(w.done[0].fct_ps, 19 * FULL_PS + THERE_PS + BACK_PS);
    assert_int_equal(w.done[1].fct_ps, 19 * 2 * FULL_PS + THERE_PS + BACK_PS);
    world_end(&w);
}

/* The timers of an idle pair keep running: a raise every 300 us, of 20 Gb/s from the threshold on, releases
 * the limiter within 20 ms. They are processed when it sends again; no events run meanwhile. */
static void idle__timers_keep_running(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 20 * 1024, 0), row(0, 1, 20 * 1024, 20000000) };
    struct sim_cfg        cfg;
    struct world          w;
    uint64_t              events;

    (void)unused;
    slow_cfg(&cfg);
    cfg.knobs.value[KNOB_rpg_time_reset] = 300;
    cfg.knobs.value[KNOB_rpg_ai_rate] = 20000;
    start_star(&w, &cfg, 2, flow, 2, 1);
    sim_run_until(w.sim, PS_PER_NS);
    deliver_cnp(&w);
    sim_run_until(w.sim, PS_PER_MS);
    assert_int_equal(w.sim->flows.flow[1].phase, FLOW_IDLE);
    events = w.sim->engine.counters.events;
    sim_run_until(w.sim, 20 * PS_PER_MS - 1);
    assert_int_equal(w.sim->engine.counters.events, events);
    assert_int_equal(w.sim->flows.flow[1].out.rate_bps, 50 * GBPS);
    assert_true(world_finish(&w, PS_PER_US, 30 * PS_PER_MS));
    assert_int_equal(w.done[1].fct_ps, 19 * FULL_PS + THERE_PS + BACK_PS);
    world_end(&w);
}

/* Returns the rate after two CNPs, 'later_ps' apart. */
static uint64_t rate_after_two(uint64_t later_ps)
{
    const struct flow_row flow[] = { row(0, 1, 20 * 1024, 0), row(0, 1, 2000 * 1024, later_ps / PS_PER_NS) };
    struct sim_cfg        cfg;
    struct world          w;
    uint64_t              rate_bps;

    slow_cfg(&cfg);
    start_star(&w, &cfg, 2, flow, 2, 1);
    sim_run_until(w.sim, PS_PER_NS);
    deliver_cnp(&w);
    sim_run_until(w.sim, later_ps + 1);
    deliver_cnp(&w);
    sim_run_until(w.sim, later_ps + 20 * PS_PER_US);
    rate_bps = w.sim->flows.flow[1].out.rate_bps;
    world_end(&w);
    return rate_bps;
}

/* A cut takes R alpha / 2. Alpha is 1 at the first CNP and loses 5/1024 of itself every microsecond. 10 us
 * later it is 0.95, and the second CNP takes nearly half. 5 ms later it is 0, although no packet was sent in
 * the meantime; only the 5/1024 that the second CNP adds remain. */
static void idle__alpha_decays(void **unused)
{
    (void)unused;
    assert_in_range(rate_after_two(10 * PS_PER_US), 25 * GBPS, 27 * GBPS);
    assert_in_range(rate_after_two(5 * PS_PER_MS), 50 * GBPS * (2048 - 6) / 2048,
                    50 * GBPS * (2048 - 4) / 2048);
}

/* HF2T's state of a queue pair persists as well: its training began with the pair, and its last packet is
 * that of the first message until it sends again. */
static void idle__hf2t_state_persists(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 20 * 1024, 0), row(0, 1, 20 * 1024, 100000) };
    const struct hf2t_qp *q;
    struct sim_cfg        cfg;
    struct world          w;
    uint64_t              last_ps;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.knobs.value[KNOB_hf2t] = 1;
    start_star(&w, &cfg, 2, flow, 2, 1);
    q = &w.sim->hosts.hf2t->qp[1];
    sim_run_until(w.sim, 100 * PS_PER_US - 1);
    assert_int_equal(q->packets, 20);
    last_ps = q->sent_ps;
    assert_int_equal(last_ps, 19 * FULL_PS);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_MS));
    assert_int_equal(q->sent_ps, last_ps + 100 * PS_PER_US);
    assert_int_equal(q->start_ps, 0);
    world_end(&w);
}

/* ---- losses ---- */

/* Over links that lose one packet in fifty: all messages of a pair arrive once and in order, with any kind of
 * retransmission. */
static void loss__messages_arrive_in_order(void **unused)
{
    (void)unused;
    for (uint32_t selective = 0; selective < 2; selective++) {
        struct flow_row flow[200];
        struct sim_cfg  cfg;
        struct world    w;

        for (uint32_t i = 0; i < 200; i++)
            flow[i] = row(i % 2, 2, 1 + (i * 7919ull) % 30000, i * 300ull);
        world_cfg(&cfg, MODEL_NIC);
        cfg.is_selective = selective;
        cfg.reorder_ps = 10 * PS_PER_US;
        cfg.ack_every = 1 + 3 * selective;
        start_star(&w, &cfg, 3, flow, 200, 2);
        for (uint32_t i = 0; i < w.sim->net.ports; i++) {
            w.sim->net.port[i].loss = 0.02;
            w.sim->net.port[i].is_lossy = true;
            w.sim->net.port[i].slow_path |= SLOW_LINK;
        }
        assert_true(world_finish(&w, 100 * PS_PER_US, PS_PER_S));
        assert_int_equal(w.done_count, 200);
        assert_true(w.sim->engine.counters.dropped_wire > 50);
        assert_true(w.sim->engine.counters.payload_sent > w.sim->engine.counters.bytes_done);
        for (uint32_t i = 0; i < w.done_count; i++)
            for (uint32_t k = 0; k < i; k++)
                if (w.done[i].src == w.done[k].src && w.done[i].sport == w.done[k].sport)
                    assert_true(w.done[k].start_ps < w.done[i].start_ps);
        check_all_over(&w);
        world_end(&w);
    }
}

/* ---- many ---- */

/* 100,000 idle pairs: time passes without an event, and each takes a fixed amount of memory. */
static void idle__many_pairs_only_cost_memory(void **unused)
{
    enum { HOSTS = 100, PAIRS = 1000 };
    struct traffic_common common = { .stop_ps = NEVER, .prio = 3 };
    uint32_t              senders[HOSTS];
    struct sim_cfg        cfg;
    struct traffic       *t;
    struct graph          g;
    struct world          w;
    struct err            err;
    uint64_t              events;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    graph_star(&g, &(struct graph_star){ HOSTS + 1, 100 * GBPS, DELAY_PS });
    t = traffic_new(&g, 1);
    for (uint32_t i = 0; i < HOSTS; i++)
        senders[i] = i;
    traffic_add_incast(t, &common, 64, 0, HOSTS, senders, HOSTS, PAIRS);
    traffic_use_qps(t, PAIRS);
    assert_int_equal(world_start(&w, &g, &cfg, t, &err), 0);
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    assert_int_equal(w.sim->flows.pairs.count, HOSTS * PAIRS);
    assert_int_equal(w.sim->flows.used - w.sim->flows.first, HOSTS * PAIRS);
    assert_int_equal(w.sim->flows.pairs.used - w.sim->flows.pairs.first, HOSTS * PAIRS);
    assert_in_range(w.sim->flows.pairs.mask + 1, 2 * HOSTS * PAIRS, 4 * HOSTS * PAIRS);
    for (uint32_t i = 0; i < HOSTS; i++)
        assert_int_equal(
            w.sim->net.host[i].active + w.sim->net.host[i].ready_count + w.sim->net.host[i].heap_count, 0);
    events = w.sim->engine.counters.events;
    sim_run_until(w.sim, w.sim->engine.now_ps + 10 * PS_PER_S);
    assert_int_equal(w.sim->engine.counters.events, events);
    check_all_over(&w);
    world_end(&w);
}

/* ---- threads ---- */

static uint64_t mix(uint64_t h, uint64_t value)
{
    return (h ^ value) * 0x100000001b3ull;
}

/* Training over racks, with several pairs and dependent messages: a digest of all results. */
static uint64_t train(uint32_t threads, bool is_selective, uint32_t qps, const char *cc)
{
    struct traffic_common   common = { .stop_ps = NEVER, .prio = 3 };
    struct traffic_training job = { .collective = { COLLECTIVE_RING_ALL_REDUCE, 12, 600001, 0, false, 0, 0,
                                                    false },
                                    .delay_ps = PS_PER_US, .iterations = 3 };
    uint64_t                digest = 0xcbf29ce484222325ull;
    uint32_t                hosts[12];
    struct sim_cfg          cfg;
    struct traffic         *t;
    struct graph            g;
    struct world            w;
    struct err              err;

    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = cc_find(cc);
    cfg.threads = cfg.parts = threads;
    cfg.is_selective = is_selective;
    cfg.is_lossless = !is_selective;
    cfg.buffer_bytes = is_selective ? 200000 : cfg.buffer_bytes;
    cfg.reorder_ps = 10 * PS_PER_US;
    graph_clos(&g, &(struct graph_clos){ .tors = 4, .hosts_per_tor = 4, .spines = 2, .parallel = 1,
                                         .rate_bps = 100 * GBPS, .delay_ps = PS_PER_US,
                                         .fabric_rate_bps = 100 * GBPS, .fabric_delay_ps = PS_PER_US });
    t = traffic_new(&g, 1);
    for (uint32_t i = 0; i < 12; i++)
        hosts[i] = (i * 5) % 16;
    traffic_add_training(t, &common, &job, hosts);
    traffic_use_qps(t, qps);
    for (uint32_t i = 0; i < 12; i++)
        hosts[i] = i + (i >= 7);
    common.stop_ps = 300 * PS_PER_US;
    traffic_add_incast(t, &common, 20000, 7 * PS_PER_US, 7, hosts, 12, 3);
    traffic_use_qps(t, qps);
    assert_int_equal(world_start(&w, &g, &cfg, t, &err), 0);
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    for (uint32_t i = 0; i < w.done_count; i++) {
        const struct flow_result *r = &w.done[i];

        digest = mix(mix(mix(mix(mix(digest, r->src), r->dst), r->sport), r->start_ps), r->fct_ps);
        digest = mix(mix(digest, r->bytes), r->resent_bytes);
    }
    digest = mix(mix(digest, w.sim->engine.counters.events), w.sim->engine.counters.payload_sent);
    check_all_over(&w);
    world_end(&w);
    return digest;
}

static void threads__same_results(void **unused)
{
    static const char *const controls[] = { "dcqcn", "dcqcn_plus", "none", "swift", "rttcc" };

    (void)unused;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t selective = 0; selective < 2; selective++) {
            uint32_t threads = 2 + (i + selective) % 2;

            assert_int_equal(train(threads, selective, 1 + i, controls[i]),
                             train(1, selective, 1 + i, controls[i]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post__messages_of_a_pair_go_in_order),
        cmocka_unit_test(post__idle_pair_takes_the_next_message),
        cmocka_unit_test(post__uses_pairs_in_rotation),
        cmocka_unit_test(idle__rate_stays),
        cmocka_unit_test(idle__reset_restarts_at_line_rate),
        cmocka_unit_test(idle__cnp_counts),
        cmocka_unit_test(idle__timers_keep_running),
        cmocka_unit_test(idle__alpha_decays),
        cmocka_unit_test(idle__hf2t_state_persists),
        cmocka_unit_test(loss__messages_arrive_in_order),
        cmocka_unit_test(idle__many_pairs_only_cost_memory),
        cmocka_unit_test(threads__same_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
