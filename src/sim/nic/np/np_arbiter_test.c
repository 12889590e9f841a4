#include "sim/nic/np/np.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TURN_PS PS_PER_US
#define IDLE_PS (200 * PS_PER_US)

/* ---- a congestion control with a fixed rate that checks its CNPs ---- */

struct received { uint64_t at_ps; uint32_t count; };

static uint64_t fixed_bps, want_gap_ps, want_announced_ps;
static uint32_t right, wrong;

static void fixed_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)now;
    *(struct received *)state = (struct received){ 0, 0 };
    *out = (struct cc_out){ .rate_bps = fixed_bps, .window_bytes = UINT64_MAX, .due_ps = NEVER };
}

static void fixed_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

/* The first two arrive while the table fills. A CNP waits for an ACK to leave, at the receiver and at the
 * switch: some nanoseconds. */
static void fixed_on_cnp(const void *cfg, void *state, struct cc_now now, uint64_t announced_ps,
                         struct cc_out *out)
{
    struct received *t = state;
    uint64_t     gap_ps = now.ps - t->at_ps;

    (void)cfg, (void)out;
    if (++t->count > 2) {
        bool is_right = announced_ps == want_announced_ps && gap_ps + 20 * PS_PER_NS > want_gap_ps &&
                        gap_ps < want_gap_ps + 20 * PS_PER_NS;

        right += is_right;
        wrong += !is_right;
    }
    t->at_ps = now.ps;
}

static const struct cc_algo fixed = { .on_cnp = fixed_on_cnp,
                                      .start = fixed_start,
                                      .configure = fixed_configure,
                                      .name = "fixed",
                                      .about = "a rate that stays",
                                      .state_size = sizeof(struct received),
                                      .takes_turns = true };

/* ---- worlds ---- */

/* Every packet that has waited in a queue is marked. */
static void mark_all(struct sim_cfg *cfg)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->cc = &fixed;
    cfg->knobs.value[KNOB_kmin] = cfg->knobs.value[KNOB_kmax] = 0;
}

static void start_star(struct world *w, const struct sim_cfg *cfg, uint32_t hosts,
                       const struct flow_row *flow, uint32_t count)
{
    struct graph g;

    graph_star(&g, &(struct graph_star){ hosts, 100 * GBPS, PS_PER_US });
    world_of_flows(w, &g, cfg, flow, count);
}

static struct flow_row flow_to_0(uint32_t src, uint32_t number, uint64_t bytes, uint64_t start_ns)
{
    return (struct flow_row){
        .src = src, .dst = 0, .prio = 3, .dport = (uint16_t)number, .bytes = bytes,
        .start_ps = start_ns * PS_PER_NS
    };
}

/* Hosts 1 to n send 'bytes' each to host 0 from 0 on, in total 5 % more than its link carries. */
static void start_incast(struct world *w, uint32_t n, uint64_t bytes)
{
    struct flow_row *flow = xcalloc(n, sizeof *flow);
    struct sim_cfg    cfg;

    for (uint32_t i = 0; i < n; i++)
        flow[i] = flow_to_0(i + 1, i, bytes, 0);
    fixed_bps = 105 * GBPS / n;
    mark_all(&cfg);
    start_star(w, &cfg, n + 1, flow, n);
    free(flow);
}

/* ---- turns ---- */

/* With n flows a round takes n us. CNPs of a flow are spaced by the smallest whole number of rounds above 45
 * us. */
static void on_turn__spaces_cnps_by_whole_rounds(void **unused)
{
    static const struct { uint32_t flows; uint64_t gap_us; } rows[] = {
        { 2, 46 }, { 10, 50 }, { 44, 88 }, { 45, 90 }, { 46, 46 }, { 100, 100 }, { 250, 250 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t     n = rows[i].flows;
        struct world w;

        want_gap_ps = rows[i].gap_us * PS_PER_US;
        want_announced_ps = n * PS_PER_US;
        right = wrong = 0;
        start_incast(&w, n, 100000000 / n);
        sim_run_until(w.sim, 8 * want_gap_ps);
        sim_check(w.sim);
        assert_int_equal(w.sim->net.host[0].cnp_count, n);
        assert_int_equal(wrong, 0);
        assert_in_range(right, 4 * n, 7 * n);
        world_end(&w);
    }
}

/* The first CNP is sent at the first turn, 1 us after the first mark. */
static void on_turn__first_cnp_is_immediate(void **unused)
{
    const struct sim_counters *c;
    uint64_t                   marked_ps;
    struct world               w;

    (void)unused;
    start_incast(&w, 2, 100000);
    c = &w.sim->engine.counters;
    while (!w.sim->net.host[0].cnp_last)
        sim_run_until(w.sim, w.sim->engine.now_ps + PS_PER_NS);
    marked_ps = w.sim->net.host[0].cnp_last->marked_ps;
    sim_run_until(w.sim, marked_ps + TURN_PS - 1);
    assert_int_equal(c->cnps_sent, 0);
    sim_run_until(w.sim, marked_ps + TURN_PS);
    assert_int_equal(c->cnps_sent, 1);
    world_end(&w);
}

/* Returns the oldest mark in the table among those that have been answered, or NEVER. */
static uint64_t oldest_ps(const struct host *h)
{
    const struct cnp_entry *e = h->cnp_last;
    uint64_t                oldest = NEVER;

    for (uint32_t i = 0; i < h->cnp_count; i++, e = e->next)
        if (!e->is_marked && e->marked_ps < oldest)
            oldest = e->marked_ps;
    return oldest;
}

/* Flows end. Their entries are removed 200 us later, or within a round after that, and then there is nothing
 * left to do. */
static void on_turn__drops_idle_flows(void **unused)
{
    const uint32_t     n = 50;
    const struct host *h;
    struct world       w;

    (void)unused;
    start_incast(&w, n, 300000);
    h = &w.sim->net.host[0];
    while (!w.sim->is_done) {
        sim_run_until(w.sim, w.sim->engine.now_ps + TURN_PS);
        sim_check(w.sim);
    }
    assert_int_equal(h->cnp_count, n);
    while (h->cnp_last) {
        uint32_t was = h->cnp_count;
        uint64_t oldest = oldest_ps(h);

        sim_run_until(w.sim, w.sim->engine.now_ps + TURN_PS);
        sim_check(w.sim);
        if (h->cnp_count < was)
            assert_true(oldest + IDLE_PS <= w.sim->engine.now_ps);
        if (oldest_ps(h) != NEVER)
            assert_true(w.sim->engine.now_ps <= oldest_ps(h) + IDLE_PS + n * TURN_PS);
    }
    assert_int_equal(h->cnp_count, 0);
    assert_false(sim_run_until(w.sim, NEVER));
    assert_int_equal(evq_pending(&w.sim->engine.evq), 0);
    world_end(&w);
}

/* A burst of 'senders' flows of 'bytes' each every 'every_ns', 'bursts' times. */
static void start_bursts(struct world *w, uint32_t senders, uint32_t bursts, uint64_t bytes,
                         uint64_t every_ns)
{
    struct flow_row *flow = xcalloc((size_t)senders * bursts, sizeof *flow);
    struct sim_cfg    cfg;

    for (uint32_t i = 0; i < senders * bursts; i++)
        flow[i] = flow_to_0(i % senders + 1, i, bytes, i / senders * every_ns);
    mark_all(&cfg);
    start_star(w, &cfg, senders + 1, flow, senders * bursts);
    free(flow);
}

/* 5 new flows every microsecond, of two packets each: more than there are turns. Their entries stay for
 * slightly more than 200 us. */
static void on_turn__keeps_up_with_many_short_flows(void **unused)
{
    uint32_t     early = 0, late = 0;
    struct world w;

    (void)unused;
    fixed_bps = 100 * GBPS;
    start_bursts(&w, 40, 300, 2000, 8000);
    while (!w.sim->is_done) {
        uint32_t *most = w.sim->engine.now_ps < PS_PER_MS ? &early : &late;

        sim_run_until(w.sim, w.sim->engine.now_ps + 10 * PS_PER_US);
        if (w.sim->net.host[0].cnp_count > *most)
            *most = w.sim->net.host[0].cnp_count;
    }
    assert_in_range(early, 5 * 150, 5 * 450);
    assert_in_range(late, 5 * 150, early + early / 10);
    sim_check(w.sim);
    world_end(&w);
}

static void on_mark__ignores_the_last_packet(void **unused)
{
    struct world w;

    (void)unused;
    fixed_bps = 100 * GBPS;
    start_bursts(&w, 40, 2, 1000, 10000);
    while (!w.sim->is_done) {
        sim_run_until(w.sim, w.sim->engine.now_ps + PS_PER_US);
        assert_int_equal(w.sim->net.host[0].cnp_count, 0);
    }
    assert_true(w.sim->net.host[0].port->peer->counters.marked_packets > 40);
    assert_int_equal(w.sim->engine.counters.cnps_sent, 0);
    world_end(&w);
}

/* 20000 flows at once with widely spaced packets: each is marked at the first. */
static void on_mark__does_not_exceed_the_table(void **unused)
{
    uint32_t     most = 0;
    struct world w;

    (void)unused;
    fixed_bps = GBPS / 1000;
    start_bursts(&w, 40, 500, 5000, 10);
    while (w.sim->engine.now_ps < 2 * PS_PER_MS) {
        sim_run_until(w.sim, w.sim->engine.now_ps + PS_PER_US);
        most = w.sim->net.host[0].cnp_count > most ? w.sim->net.host[0].cnp_count : most;
    }
    assert_int_equal(most, CNP_ARBITER_MAX);
    sim_check(w.sim);
    world_end(&w);
}

/* ---- benefit ---- */

struct seen { uint64_t pauses, paused_ps, rtt_ps_mean, end_ps; };

/* 256 hosts send 500 KB each to one, at 100 Gb/s; no rate below 100 Mb/s. */
static struct seen run_incast(const char *cc)
{
    const uint32_t    n = 256;
    struct flow_row *flow = xcalloc(n, sizeof *flow);
    struct seen       seen = { 0 };
    struct sim_cfg    cfg;
    struct world      w;

    for (uint32_t i = 0; i < n; i++)
        flow[i] = flow_to_0(i + 1, i, 500000, 0);
    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = cc_find(cc);
    cfg.knobs.value[KNOB_rpg_min_rate] = 100;
    start_star(&w, &cfg, n + 1, flow, n);
    free(flow);
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    for (uint32_t i = 0; i < w.sim->net.ports; i++)
        seen.paused_ps += w.sim->net.port[i].counters.paused_ps;
    seen.pauses = w.sim->engine.counters.pauses;
    seen.rtt_ps_mean = w.sim->engine.counters.rtt_ps_sum / w.sim->engine.counters.rtt_samples;
    seen.end_ps = w.sim->done_ps;
    world_end(&w);
    return seen;
}

/* DCQCN relies on PFC for much of a large incast. DCQCN+ ends the pauses sooner: half the paused time and
 * half the round trip, though not fewer pauses. In return it cuts too deep: the link is idle for a part of
 * the time. */
static void incast__has_less_queue_and_time_in_pause_than_dcqcn(void **unused)
{
    struct seen dcqcn = run_incast("dcqcn"), plus = run_incast("dcqcn_plus");

    (void)unused;
    assert_true(plus.pauses > 0);                        /* all start at line rate */
    assert_true(plus.paused_ps < dcqcn.paused_ps / 2);
    assert_true(plus.rtt_ps_mean < dcqcn.rtt_ps_mean / 2);
    assert_true(plus.end_ps < dcqcn.end_ps * 3 / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_turn__spaces_cnps_by_whole_rounds),
        cmocka_unit_test(on_turn__first_cnp_is_immediate),
        cmocka_unit_test(on_turn__drops_idle_flows),
        cmocka_unit_test(on_turn__keeps_up_with_many_short_flows),
        cmocka_unit_test(on_mark__ignores_the_last_packet),
        cmocka_unit_test(on_mark__does_not_exceed_the_table),
        cmocka_unit_test(incast__has_less_queue_and_time_in_pause_than_dcqcn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
