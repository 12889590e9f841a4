/* src/sim/skip/skip_test.c - worlds that are skipped through, held against closed forms and against the same
 * worlds packet by packet. */
#include "sim/skip/skip.h"
#include "sim/sim.h"
#include "sim/test_world.h"
#include "traffic/kinds/training.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define DELAY_PS PS_PER_US
#define MB       1000000ull
#define FRAME_PS (1106ull * 80)  /* at 100 Gb/s: 1024 bytes, 62 of headers, 20 between frames */
#define LATEST   (10 * PS_PER_S)

static void star(struct graph *g, uint32_t hosts)
{
    graph_star(g, &(struct graph_star){ hosts, 100 * GBPS, DELAY_PS });
}

/* Two racks of two hosts, two spines: links 0 to 3 lead to hosts, 4 to 7 to spines. */
static void racks(struct graph *g)
{
    graph_clos(g, &(struct graph_clos){ .tors = 2, .hosts_per_tor = 2, .spines = 2, .parallel = 1,
                                        .rate_bps = 100 * GBPS, .delay_ps = DELAY_PS,
                                        .fabric_rate_bps = 400 * GBPS, .fabric_delay_ps = DELAY_PS });
}

static void fast_cfg(struct sim_cfg *cfg, bool is_fast)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->is_fast = is_fast;
    cfg->fast_error = 0.01;
}

/* Nobody asks for PFC frames, and nobody will turn knobs. */
static void leave_alone(struct world *w)
{
    w->sim->engine.hooks.pfc = NULL;
    skip_set_horizon(w->sim, NEVER);
}

static uint64_t events_of(const struct world *w)
{
    return w->sim->engine.counters.events;
}

/* All that was posted has been sent once, has come, and is over. */
static void assert_conserved(const struct world *w, uint64_t bytes)
{
    const struct sim_counters *c = &w->sim->engine.counters;

    assert_int_equal(bytes, c->bytes_started);
    assert_int_equal(bytes, c->bytes_done);
    assert_int_equal(bytes, c->payload_sent);
    assert_int_equal(bytes, c->payload_received);
    assert_int_equal(c->data_sent, c->data_received);
    assert_int_equal(c->flows_started, c->flows_done);
}

static void assert_near(double wanted, double is, double share)
{
    if (is < wanted * (1 - share) || is > wanted * (1 + share))
        fail_msg("%.6f, not %.6f", is, wanted);
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
    assert_memory_equal(&a->sim->engine.counters, &b->sim->engine.counters, sizeof(struct sim_counters));
}

/* ---- steady phases ---- */

static void flows_world(struct world *w, bool is_fast, const struct flow_row *flows, uint32_t count,
                        uint32_t hosts)
{
    struct sim_cfg cfg;
    struct graph   g;

    fast_cfg(&cfg, is_fast);
    star(&g, hosts);
    world_of_flows(w, &g, &cfg, flows, count);
    leave_alone(w);
}

/* The time of a flow alone has a closed form, which is exact. */
static void steady_fly__a_flow_alone_takes_its_ideal_time(void **unused)
{
    const struct flow_row flow = { .src = 0, .dst = 1, .bytes = 100 * MB, .prio = 3, .dport = 1 };
    struct world          w;

    (void)unused;
    flows_world(&w, true, &flow, 1, 2);
    assert_true(world_finish(&w, PS_PER_MS, LATEST));
    assert_int_equal(w.done[0].ideal_ps, w.done[0].fct_ps);
    assert_conserved(&w, 100 * MB);
    assert_true(skip_told(w.sim)->steady_ps > w.done[0].fct_ps * 9 / 10);
    world_end(&w);
}

/* Two share a link: it is busy all the time, with 1106 bytes on the wire for 1024 of payload. */
static void steady_fly__two_flows_share_a_link(void **unused)
{
    const struct flow_row flows[] = { { .src = 0, .dst = 2, .bytes = 100 * MB, .prio = 3, .dport = 1 },
                                      { .src = 1, .dst = 2, .bytes = 100 * MB, .prio = 3, .dport = 2 } };
    const double          ideal_ps = 2 * 100e6 * (1024 + 62 + 20) / 1024 * 80;
    struct world          packet, fast;

    (void)unused;
    flows_world(&packet, false, flows, 2, 3);
    flows_world(&fast, true, flows, 2, 3);
    assert_true(world_finish(&packet, PS_PER_MS, LATEST) && world_finish(&fast, PS_PER_MS, LATEST));
    assert_near(ideal_ps, (double)fast.sim->done_ps, 0.001);
    for (uint16_t i = 1; i <= 2; i++)
        assert_near((double)world_result(&packet, i - 1u, i)->fct_ps,
                    (double)world_result(&fast, i - 1u, i)->fct_ps,
                    1e-4);
    assert_conserved(&fast, 200 * MB);
    assert_int_equal(packet.sim->engine.counters.data_sent, fast.sim->engine.counters.data_sent);
    assert_true(events_of(&fast) < events_of(&packet) / 3);
    assert_near((double)events_of(&packet), (double)(events_of(&fast) + skip_told(fast.sim)->events_saved),
                0.02);
    world_end(&packet);
    world_end(&fast);
}

/* A third comes upon them and goes: nobody ends early, and all is as it was. */
static void steady_fly__ends_before_a_flow_starts(void **unused)
{
    const struct flow_row flows[] = {
        { .src = 0, .dst = 2, .bytes = 100 * MB, .prio = 3, .dport = 1 },
        { .src = 1, .dst = 3, .bytes = 100 * MB, .prio = 3, .dport = 2 },
        { .start_ns = 3012345, .src = 1, .dst = 2, .bytes = MB, .prio = 3, .dport = 3 },
    };
    struct world packet, fast;

    (void)unused;
    flows_world(&packet, false, flows, 3, 4);
    flows_world(&fast, true, flows, 3, 4);
    assert_true(world_finish(&packet, PS_PER_MS, LATEST) && world_finish(&fast, PS_PER_MS, LATEST));
    for (uint16_t i = 1; i <= 3; i++) {
        const struct flow_result *is = world_result(&fast, flows[i - 1].src, i);
        const struct flow_result *was = world_result(&packet, flows[i - 1].src, i);

        assert_int_equal(flows[i - 1].start_ns * PS_PER_NS, is->start_ps);
        assert_near((double)was->fct_ps, (double)is->fct_ps, 1e-3);
    }
    assert_conserved(&fast, 201 * MB);
    assert_true(skip_told(fast.sim)->flights >= 2);
    world_end(&packet);
    world_end(&fast);
}

static void failing_world(struct world *w, bool is_fast)
{
    const struct flow_row flows[] = { { .src = 0, .dst = 2, .bytes = 50 * MB, .prio = 3, .dport = 1 } };
    struct link_change   *change = xcalloc(2, sizeof *change);
    struct sim_cfg        cfg;
    struct graph          g;

    fast_cfg(&cfg, is_fast);
    racks(&g);
    for (uint32_t i = 0; i < 2; i++)     /* both ways of the first rack are down for 100 us */
        change[i] = (struct link_change){ 2 * PS_PER_MS + 777, 4 + i, false };
    cfg.change = change;
    cfg.changes = 2;
    world_of_flows(w, &g, &cfg, flows, 1);
    leave_alone(w);
}

/* The links fail when they should, and what was on them is lost. The flow never ends: there is no way any
 * more. */
static void steady_fly__ends_before_a_link_fails(void **unused)
{
    const struct sim_counters *c;
    struct world               packet, fast;

    (void)unused;
    failing_world(&packet, false);
    failing_world(&fast, true);
    for (uint64_t at = PS_PER_MS / 2; at <= 3 * PS_PER_MS; at += PS_PER_MS / 2) {
        sim_run_until(packet.sim, at);
        sim_run_until(fast.sim, at);
        sim_check(fast.sim);
        assert_int_equal(at, fast.sim->now_ps);
        /* A few packets under way, more or less. */
        assert_in_range(fast.sim->flows.flow[1].acked + 8192, packet.sim->flows.flow[1].acked,
                        packet.sim->flows.flow[1].acked + 16384);
    }
    c = &fast.sim->engine.counters;
    assert_true(c->dropped_down > 0 && skip_told(fast.sim)->steady_ps > PS_PER_MS);
    assert_near((double)packet.sim->engine.counters.payload_received, (double)c->payload_received, 1e-3);
    world_end(&packet);
    world_end(&fast);
}

/* Somebody turns knobs in the middle of a flight: from then on packets are followed, and looked at anew. */
static void steady_on_change__follows_packets_again(void **unused)
{
    const struct flow_row flow = { .src = 0, .dst = 1, .bytes = 100 * MB, .prio = 3, .dport = 1 };
    struct knobs          knobs;
    struct world          w;
    uint64_t              events = 0, at = 3 * PS_PER_MS;

    (void)unused;
    flows_world(&w, true, &flow, 1, 2);
    for (; events != events_of(&w) || at == 3 * PS_PER_MS; at += 10 * PS_PER_US) {
        events = events_of(&w);
        sim_run_until(w.sim, at);
    }                            /* in flight: time goes on and nothing happens */
    knobs = w.sim->cfg.knobs;
    knobs.value[KNOB_kmin] /= 2;
    sim_apply(w.sim, &knobs);
    sim_check(w.sim);
    sim_run_until(w.sim, at);
    assert_true(events_of(&w) > events);
    assert_true(world_finish(&w, PS_PER_MS, LATEST));
    /* It was interrupted in the middle of a packet: it is off by half a packet's time at most. */
    assert_in_range(w.done[0].fct_ps + FRAME_PS / 2, w.done[0].ideal_ps, w.done[0].ideal_ps + FRAME_PS);
    assert_conserved(&w, 100 * MB);
    world_end(&w);
}

/* ---- nothing to skip ---- */

static void mice_world(struct world *w, bool is_fast)
{
    struct flow_row *flows = xcalloc(400, sizeof *flows);
    struct sim_cfg   cfg;
    struct graph     g;
    struct rng       rng;

    fast_cfg(&cfg, is_fast);
    cfg.cc = cc_find("dcqcn");
    racks(&g);
    rng_init(&rng, 7, 0);
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t src = (uint32_t)(rng_real(&rng) * 4), to = (uint32_t)(rng_real(&rng) * 3);

        flows[i] = (struct flow_row){ .start_ns = i * 5000, .src = src, .dst = to + (to >= src), .prio = 3,
                                      .bytes = 1000 + (uint64_t)(rng_real(&rng) * 200000), .dport = (uint16_t)i };
    }
    world_of_flows(w, &g, &cfg, flows, 400);
    leave_alone(w);
    free(flows);
}

/* Small flows that come and go: the very same, event by event. */
static void skip__mice_are_followed_packet_by_packet(void **unused)
{
    struct world packet, fast;

    (void)unused;
    mice_world(&packet, false);
    mice_world(&fast, true);
    assert_true(world_finish(&packet, PS_PER_MS, LATEST) && world_finish(&fast, PS_PER_MS, LATEST));
    assert_same_flows(&packet, &fast);
    assert_int_equal(0, skip_told(fast.sim)->events_saved);
    world_end(&packet);
    world_end(&fast);
}

/* ---- rounds ---- */

struct gym {                     /* a world of training, and its iterations */
    struct world     w;
    struct op_result op[64];
    uint32_t         ops;
};

static void on_op(void *arg, const struct op_result *r)
{
    struct gym *gym = arg;

    gym->op[gym->ops++] = *r;
}

#define ITERATIONS 40u
#define WORKERS    4u
#define RING_BYTES (4 * MB)

/* A ring all-reduce of 4 workers: 6 steps of 1 MB each, by each of them. */
static void gym_open(struct gym *gym, bool is_fast, struct link_change *change, uint32_t changes)
{
    const struct traffic_common  common = { .stop_ps = NEVER, .prio = 3 };
    const struct traffic_training cfg = {
        { .kind = COLLECTIVE_RING_ALL_REDUCE, .workers = WORKERS, .bytes = RING_BYTES }, 200 * PS_PER_US, DELAY_PS,
        ITERATIONS,
    };
    const uint32_t  hosts[WORKERS] = { 0, 2, 1, 3 };     /* each step goes from rack to rack */
    struct sim_cfg  sim_cfg;
    struct graph    g;
    struct traffic *t;
    struct err      err;

    *gym = (struct gym){ 0 };
    fast_cfg(&sim_cfg, is_fast);
    sim_cfg.cc = cc_find("dcqcn");
    sim_cfg.change = change;
    sim_cfg.changes = changes;
    racks(&g);
    t = traffic_new(&g, 1);
    traffic_add_training(t, &common, &cfg, hosts);
    traffic_on_op(t, on_op, gym);
    assert_int_equal(0, world_start(&gym->w, &g, &sim_cfg, t, &err));
    leave_alone(&gym->w);
}

static double mean_ps(const struct gym *gym)
{
    double sum = 0;

    for (uint32_t i = 0; i < gym->ops; i++)
        sum += (double)gym->op[i].took_ps;
    return sum / gym->ops;
}

static uint64_t longest_ps(const struct gym *gym)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < gym->ops; i++)
        longest = gym->op[i].took_ps > longest ? gym->op[i].took_ps : longest;
    return longest;
}

#define ALL_BYTES (ITERATIONS * WORKERS * 6 * (RING_BYTES / WORKERS))

static void replay__iterations_take_what_they_take_in_packets(void **unused)
{
    struct gym packet, fast;

    (void)unused;
    gym_open(&packet, false, NULL, 0);
    gym_open(&fast, true, NULL, 0);
    assert_true(world_finish(&packet.w, PS_PER_MS, LATEST) && world_finish(&fast.w, PS_PER_MS, LATEST));
    assert_int_equal(ITERATIONS, fast.ops);
    assert_near(mean_ps(&packet), mean_ps(&fast), 0.01);
    assert_near((double)longest_ps(&packet), (double)longest_ps(&fast), 0.01);
    assert_near((double)packet.w.sim->done_ps, (double)fast.w.sim->done_ps, 0.01);
    assert_conserved(&fast.w, ALL_BYTES);
    assert_int_equal(packet.w.sim->engine.counters.data_sent, fast.w.sim->engine.counters.data_sent);
    assert_int_equal(packet.w.done_count, fast.w.done_count);
    assert_true(skip_told(fast.w.sim)->replayed > ITERATIONS * 3 / 4);
    assert_true(events_of(&fast.w) < events_of(&packet.w) / 10);
    world_end(&packet.w);
    world_end(&fast.w);
}

/* In which steps somebody looks must not matter: slices of a run are as long as its wall time says. */
static void skip__same_whatever_the_slices(void **unused)
{
    struct gym a, b;

    (void)unused;
    gym_open(&a, true, NULL, 0);
    gym_open(&b, true, NULL, 0);
    assert_true(world_finish(&a.w, PS_PER_MS * 7, LATEST) && world_finish(&b.w, 13 * PS_PER_US + 1, LATEST));
    assert_same_flows(&a.w, &b.w);
    assert_memory_equal(skip_told(a.w.sim), skip_told(b.w.sim), sizeof(struct skip_told));
    world_end(&a.w);
    world_end(&b.w);
}

/* A spine is cut off in iteration 20: that one is simulated, and the ways are others from then on, so what
 * was recorded before does not count any more. */
static void replay__a_link_that_fails_is_simulated(void **unused)
{
    struct gym          packet, fast;
    struct link_change *change[2];

    (void)unused;
    gym_open(&packet, false, NULL, 0);
    assert_true(world_finish(&packet.w, PS_PER_MS, LATEST));
    for (uint32_t i = 0; i < 2; i++) {
        change[i] = xcalloc(1, sizeof *change[i]);
        *change[i] = (struct link_change){ packet.op[20].start_ps + 150 * PS_PER_US, 5, false };
    }
    world_end(&packet.w);
    gym_open(&packet, false, change[0], 1);
    gym_open(&fast, true, change[1], 1);
    assert_true(world_finish(&packet.w, PS_PER_MS, LATEST) && world_finish(&fast.w, PS_PER_MS, LATEST));
    assert_int_equal(ITERATIONS, fast.ops);
    assert_true(packet.w.sim->engine.counters.dropped_down > 0 &&
                fast.w.sim->engine.counters.dropped_down > 0);
    assert_true(skip_told(fast.w.sim)->recorded >= 5 && skip_told(fast.w.sim)->replayed > 20);
    assert_near(mean_ps(&packet), mean_ps(&fast), 0.01);
    assert_near((double)longest_ps(&packet), (double)longest_ps(&fast), 0.01);
    assert_int_equal(ALL_BYTES, fast.w.sim->engine.counters.bytes_done);
    world_end(&packet.w);
    world_end(&fast.w);
}

/* Nobody says that knobs stay: then nothing is replayed. */
static void skip_set_horizon__no_round_goes_beyond_it(void **unused)
{
    struct gym gym;

    (void)unused;
    gym_open(&gym, true, NULL, 0);
    skip_set_horizon(gym.w.sim, 0);
    assert_true(world_finish(&gym.w, PS_PER_MS, LATEST));
    assert_int_equal(0, skip_told(gym.w.sim)->replayed);
    assert_int_equal(ITERATIONS, gym.ops);
    world_end(&gym.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_fly__a_flow_alone_takes_its_ideal_time),
        cmocka_unit_test(steady_fly__two_flows_share_a_link),
        cmocka_unit_test(steady_fly__ends_before_a_flow_starts),
        cmocka_unit_test(steady_fly__ends_before_a_link_fails),
        cmocka_unit_test(steady_on_change__follows_packets_again),
        cmocka_unit_test(skip__mice_are_followed_packet_by_packet),
        cmocka_unit_test(replay__iterations_take_what_they_take_in_packets),
        cmocka_unit_test(skip__same_whatever_the_slices),
        cmocka_unit_test(replay__a_link_that_fails_is_simulated),
        cmocka_unit_test(skip_set_horizon__no_round_goes_beyond_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
