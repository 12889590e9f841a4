/* tests/uet_test.c - model uet in random worlds: every flow ends, every byte arrives once, nothing is left
 * over, and any number of threads gives the same results.
 *
 * Topology (also with several planes), rates and delays of links, congestion control, balancer, trimming,
 * SLEEK, thresholds, losses, failing links and switches, jobs and persistent connections are random. Each
 * world exists a second time with RoCE queue pairs in a separate class, with PFC or without: switches with
 * PFC drop none of its packets. ANOLE_SEED=n runs world n alone and describes it; ANOLE_WORLDS=n runs n
 * worlds.
 */
#include "digest.h"
#include "random_world.h"
#include "sim/partition.h"
#include "work/traffic/test_training.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WORLDS   60              /* of each kind; check-gcc has more */
#define DIVIDED  30              /* worlds that several threads share */
#define STEP_PS  (50 * PS_PER_US)
#define LIMIT_PS (10 * PS_PER_S)         /* timeouts of networks with slow links are long, and double */

static const char *const controls[] = { "nscc", "rccc", "nscc_rccc", "nscc_dctcp" };
static const char *const balancers[] = { "mixed", "oblivious", "bitmap", "reps", "reps_legacy",
                                         "ecmp", "spray", "adaptive" };

static void random_uet(struct sim_cfg *cfg, struct rng *r, uint64_t seed)
{
    world_cfg(cfg, MODEL_UET);
    cfg->seed = seed;
    cfg->cc = cc_find(controls[pick(r, 0, 3)]);
    cfg->lb = lb_find(balancers[pick(r, 0, 7)]);
    cfg->has_trim = !one_in(r, 3);
    cfg->is_sleek = !cfg->has_trim && !cfg->cc->has_credit && one_in(r, 2);
    if (one_in(r, 3))
        cfg->mtu_bytes = pick(r, 64, 9000);
    cfg->ack_every = pick(r, 1, 8);
    cfg->ecn_on = !one_in(r, 5);
    cfg->knobs.value[KNOB_paths] = pick(r, 1, 256);
    if (one_in(r, 2))
        /* A few packets, or less than one: headers are lost, too. */
        cfg->knobs.value[KNOB_trim] = pick(r, 1, 60);
    if (one_in(r, 3))
        cfg->rto_ps = pick(r, 5, 200) * PS_PER_US;           /* may be shorter than the round trip */
    cfg->buffer_bytes = one_in(r, 3) ? 20ull * (cfg->mtu_bytes + cfg->header_bytes) : 32000000;
}

/* ---- RoCE queue pairs alongside UET ---- */

static const struct cc_algo *random_control(struct rng *r)
{
    const struct cc_algo *cc = random_cc(r);

    while (cc->telemetry == CC_HOPS || cc->telemetry == CC_DIGEST)
        cc = random_cc(r);
    return cc;
}

static void add_roce(struct sim_cfg *cfg, uint64_t seed)
{
    struct rng r;

    rng_init(&r, seed, 81);
    cfg->cc_other[0] = (struct cc_other){ .cc = random_control(&r),
                                          .prios = (uint8_t)(1u << pick(&r, 1, 6)) };
    cfg->cc_others = 1;
    cfg->is_lossless = !one_in(&r, 3);
    cfg->is_selective = one_in(&r, 3);
    cfg->reorder_ps = 20 * PS_PER_US;
    cfg->nack_gap_ps = pick(&r, 10, 50) * PS_PER_US;
    cfg->nack_is_cnp = one_in(&r, 2);
    cfg->reserve_bytes = one_in(&r, 4) ? 0 : pick(&r, 0, 8000);
    cfg->resume_bytes = pick(&r, 0, 4000);
    cfg->pfc_shift = pick(&r, 0, 7);
    cfg->knobs.value[KNOB_rpg_min_rate] = 1000;
    if (one_in(&r, 5))
        cfg->window_bytes = pick(&r, 20000, 200000);
    for (int i = 0; i < PRIOS; i++)
        cfg->weight[i] = (uint8_t)pick(&r, 1, 5);
}

static void add_roce_flows(struct random_world *w, const struct graph *g, struct traffic *t, uint8_t prios,
                           uint64_t seed)
{
    struct flow_list list = { xcalloc(32, sizeof *list.flow), 0 };
    uint32_t         hosts[64], n = 0, qps = seed % 3 ? 1 : 0;
    struct rng       r;

    rng_init(&r, seed, 82);
    for (uint32_t i = 0; i < g->nodes && n < 64; i++)
        if (!g->node[i].is_switch)
            hosts[n++] = i;
    list.count = pick(&r, 1, 30);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t src = pick(&r, 0, n - 1), dst = pick(&r, 0, n - 2);

        list.flow[i] = (struct flow_row){ .src = hosts[src], .dst = hosts[dst + (dst >= src)],
                                          .prio = (uint8_t)__builtin_ctz(prios),
                                          .dport = (uint16_t)(qps ? i % 2 : i),
                                          .bytes = pick(&r, 1, 100000), .start_ps = 200 * i * PS_PER_NS };
    }
    w->flows += list.count;
    traffic_add_list(t, &list);
    traffic_use_qps(t, qps);
}

/* ---- worlds ---- */

/* A NIC with ports in several planes, or groups of routers. Both may be oversubscribed. */
static void random_planes(struct random_world *w, struct graph *g, struct rng *r, bool may_have_cycles)
{
    uint64_t rate = random_rate(r), delay = random_delay(r), fabric = random_rate(r), far = random_delay(r);
    struct graph_planes    planes = { pick(r, 2, 4), pick(r, 1, 3), pick(r, 2, 4), pick(r, 1, 3),
                                      pick(r, 1, 2), 1, rate,
                                      delay, fabric, far, 0, 0 };
    struct graph_dragonfly groups = { pick(r, 2, 4), pick(r, 1, 2), pick(r, 1, 2), 3, rate, delay, fabric,
                                      far, fabric, far };

    if (may_have_cycles && one_in(r, 3)) {
        w->graph_kind = "dragonfly";
        graph_dragonfly(g, &groups);
    } else {
        w->graph_kind = "multi_plane";
        graph_planes(g, &planes);
    }
}

static void make_links_unlike(struct graph *g, struct rng *r)
{
    for (uint32_t i = 0; i < g->links; i++) {
        g->link[i].rate_bps = random_rate(r);
        g->link[i].delay_ps = random_delay(r);
    }
}

/* All links of a switch fail and recover together: a spine, a plane that has one, or a rack. */
static void fail_switch(struct random_world *w, struct sim_cfg *cfg, const struct graph *g, struct rng *r)
{
    uint64_t down = pick(r, 1, 100) * PS_PER_US, up = down + pick(r, 1, 300) * PS_PER_US;
    uint32_t node = g->nodes - 1 - pick(r, 0, (g->nodes - g->hosts - 1) / 2);

    cfg->change = xcalloc(2ul * g->links, sizeof *cfg->change);
    for (uint32_t i = 0; i < g->links; i++)
        if (g->link[i].a == node || g->link[i].b == node)
            cfg->change[cfg->changes++] = (struct link_change){ down, i, false };
    for (uint32_t i = 0, count = cfg->changes; i < count; i++)
        cfg->change[cfg->changes++] = (struct link_change){ up, cfg->change[i].link, true };
    w->has_changes = true;
}

/* A job of a few iterations: each worker waits for the others. */
static void add_job(struct random_world *w, struct traffic *t, const struct graph *g, struct rng *r)
{
    struct traffic_training job = { .compute_ps = pick(r, 0, 50) * PS_PER_US, .delay_ps = 50 * PS_PER_US,
                                    .iterations = pick(r, 1, 3) };
    struct traffic_common   common = { pick(r, 0, 50) * PS_PER_US, LIMIT_PS, 3 };
    uint32_t                hosts[8], n = 0;

    for (uint32_t i = 0; i < g->nodes && n < 8; i++)
        if (!g->node[i].is_switch)
            hosts[n++] = i;
    job.collective = (struct collective_cfg){ .kind = (enum collective_kind)pick(r, 0, COLLECTIVE_SEND_NEXT),
                                              .workers = n,
                                              .bytes = one_in(r, 2) ? pick(r, n, 5000) : pick(r, n, 100000),
                                              .chunk_bytes = 10000 };
    traffic_add_training(t, &common, &job, hosts);
    w->flows += job.iterations * (uint32_t)collective_messages(&job.collective);
}

static int try_to_make(struct random_world *w, uint64_t seed, uint32_t threads, bool has_roce,
                       uint64_t buffer, struct err *err)
{
    struct rng      r;
    struct graph    g;
    struct sim_cfg  cfg;
    struct traffic *t;

    *w = (struct random_world){ 0 };
    rng_init(&r, seed, 79);
    random_uet(&cfg, &r, seed);
    if (has_roce)
        add_roce(&cfg, seed);
    cfg.buffer_bytes = buffer ? buffer : cfg.buffer_bytes;
    cfg.threads = cfg.parts = threads;
    if (one_in(&r, 3))
        random_planes(w, &g, &r, !cfg.is_lossless);
    else
        random_topology(w, &g, &r, !cfg.is_lossless);
    if (one_in(&r, 2))
        make_hosts_unlike(&g, &r);
    else if (one_in(&r, 3))
        make_links_unlike(&g, &r);
    for (uint32_t i = 0; has_roce && !cfg.is_lossless && i < g.links; i++)
        g.link[i].rate_bps = g.link[0].rate_bps;             /* go-back-N: see random_world.h */
    w->has_loss = one_in(&r, 4);
    for (uint32_t i = 0; w->has_loss && i < g.links; i++)
        g.link[i].loss = 0.01 * rng_real(&r);
    if (one_in(&r, 3))
        random_changes(w, &cfg, &g, &r);
    else if (one_in(&r, 6))
        fail_switch(w, &cfg, &g, &r);
    t = random_traffic(w, &g, &r, seed, true);
    if (has_roce)
        add_roce_flows(w, &g, t, cfg.cc_other[0].prios, seed);
    if (one_in(&r, 4))
        add_job(w, t, &g, &r);
    cfg.head_prio = traffic_prios(t) >> 7 & 1 ? 0 : 7;
    return world_start(&w->world, &g, &cfg, t, err);
}

/* Scenarios whose buffer has no room for UET packets after the headroom are refused: see
 * study/scenario/scenario_fit.c. */
static bool has_room(const struct sim *s)
{
    for (uint32_t i = 0; s->cfg.is_lossless && i < s->net.nodes; i++)
        if (s->net.node[i].is_switch &&
            s->net.node[i].shared_bytes_max < 4 * (int64_t)sim_largest_frame(&s->cfg))
            return false;
    return true;
}

/* PFC needs a buffer that holds its headroom: within a factor of two of the smallest such buffer. */
static void make(struct random_world *w, uint64_t seed, uint32_t threads, bool has_roce)
{
    struct err err;
    uint64_t   buffer = 0;

    for (;;) {
        int rc = try_to_make(w, seed, threads, has_roce, buffer, &err);

        if (!rc && has_room(w->world.sim))
            return;
        if (!has_roce || buffer > 1ull << 30)
            die("seed %llu: %s", (unsigned long long)seed, err.text);
        if (!rc)
            world_end(&w->world);
        buffer = buffer ? 2 * buffer : 40000;
    }
}

/* Changes the knobs during a run. */
static void turn_knobs(struct sim *s, struct rng *r)
{
    struct knobs k = s->cfg.knobs;

    k.value[KNOB_trim] = pick(r, 0, 100);
    k.value[KNOB_paths] = pick(r, 1, 256);
    k.value[KNOB_kmin] = pick(r, 0, 50);
    k.value[KNOB_kmax] = k.value[KNOB_kmin] + pick(r, 0, 50);
    k.value[KNOB_nscc_target_delay] = pick(r, 0, 20);
    k.value[KNOB_nscc_max_cwnd] = pick(r, 0, 100);
    sim_apply(s, &k);
}

static void check_results(const struct random_world *w)
{
    const struct sim_counters *c = sim_counts(w->world.sim);
    uint64_t                   bytes = 0, resent = 0;

    assert_int_equal(w->world.done_count, w->flows);
    for (uint32_t i = 0; i < w->world.done_count; i++) {
        bytes += w->world.done[i].bytes;
        resent += w->world.done[i].resent_bytes;
        /* If the short last packet overtakes others, a flow is faster than the closed form: by a packet, not
         * by a path. */
        assert_true(2 * w->world.done[i].fct_ps >= w->world.done[i].ideal_ps);
    }
    assert_int_equal(c->payload_received, bytes);            /* every byte once */
    assert_int_equal(c->payload_sent, bytes + resent);
    assert_int_equal(c->payload_sent, c->payload_received + c->payload_stale + c->payload_dropped);
    if (sim_settings(w->world.sim)->is_lossless)
        assert_int_equal(c->dropped_buffer, c->dropped_lossy);       /* none in a class with PFC */
}

static void run_world(uint64_t seed, bool has_roce, bool is_told)
{
    struct random_world w;
    struct sim         *s;
    struct rng          r;
    bool                is_done;

    make(&w, seed, 1, has_roce);
    s = w.world.sim;
    rng_init(&r, seed, 80);
    while (seed % 3 == 0 && !s->is_done && s->now_ps < PS_PER_S / 20) {
        sim_run_until(s, s->now_ps + STEP_PS);
        turn_knobs(s, &r);
    }
    is_done = world_finish(&w.world, STEP_PS, LIMIT_PS);
    if (is_told || !is_done || w.world.done_count != w.flows) {
        random_world_print(&w, seed);
        fprintf(stderr, "RoCE %s, selective %d, lb %s, trim %d, sleek %d, rto %.1f us, mtu %u, "
                        "trimmed %llu, again %llu, headers lost %llu\n",
                has_roce ? s->cfg.cc_other[0].cc->name : "none", s->cfg.is_selective, s->cfg.lb->name,
                s->cfg.has_trim, s->cfg.is_sleek, (double)s->cfg.rto_ps / 1e6, s->cfg.mtu_bytes,
                (unsigned long long)s->engine.counters.trimmed,
                (unsigned long long)s->engine.counters.sent_again,
                (unsigned long long)s->engine.counters.dropped_headers);
    }
    assert_true(is_done);
    check_results(&w);
    assert_int_equal(s->engine.packets.live, 0);
    assert_int_equal(evq_pending(&s->engine.evq), 0);
    world_end(&w.world);
}

static uint64_t digest_of(uint64_t seed, uint32_t threads, bool has_roce)
{
    struct random_world w;
    uint64_t            d = DIGEST_EMPTY;

    make(&w, seed, threads, has_roce);
    assert_true(world_finish(&w.world, STEP_PS, LIMIT_PS));
    for (uint32_t i = 0; i < w.world.done_count; i++)
        d = digest_add_flow(d, &w.world.done[i]);
    d = digest_add_counters(d, sim_counts(w.world.sim));
    d = digest_add(d, sim_counts(w.world.sim)->trimmed);
    d = digest_add(d, sim_counts(w.world.sim)->pulls_sent);
    for (uint32_t i = 0; i < sim_ports(w.world.sim); i++)
        d = digest_add(d, sim_port(w.world.sim, i).counters.tx_bytes);
    world_end(&w.world);
    return d;
}

static void flows__never_get_stuck(void **unused)
{
    const char *one = getenv("ANOLE_SEED"), *many = getenv("ANOLE_WORLDS");
    uint64_t    count = many ? strtoull(many, NULL, 10) : WORLDS;

    (void)unused;
    for (int roce = 0; roce < 2; roce++) {
        if (one)
            run_world(strtoull(one, NULL, 10), roce, true);
        for (uint64_t seed = 1; !one && seed <= count; seed++)
            run_world(seed, roce, false);
    }
}

static void threads__do_not_change_the_results(void **unused)
{
    static const uint32_t threads[] = { 2, 3, 8 };

    (void)unused;
    for (uint64_t seed = 1; !getenv("ANOLE_SEED") && seed <= DIVIDED; seed++) {
        uint32_t many = threads[seed / 2 % 3];
        bool     has_roce = seed % 2;

        if (digest_of(seed, many, has_roce) != digest_of(seed, 1, has_roce))
            fail_msg("world %llu differs on %u threads", (unsigned long long)seed, many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows__never_get_stuck),
        cmocka_unit_test(threads__do_not_change_the_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
