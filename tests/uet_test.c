/* tests/uet_test.c - model uet in random worlds: every flow ends, every byte arrives once, nothing is left behind, and
 * any number of threads gives the same results.
 *
 * Topology, rates, control, balancer, trimming, SLEEK, thresholds, losses, failing links and persistent connections are
 * drawn. ANOLE_SEED=n runs world n alone and says what it is; ANOLE_WORLDS=n runs n worlds.
 */
#include "digest.h"
#include "random_world.h"
#include "sim/partition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WORLDS   120
#define DIVIDED  20              /* worlds that several threads share */
#define STEP_PS  (50 * PS_PER_US)
#define LIMIT_PS (10 * PS_PER_S)         /* time-outs of networks with slow links are long, and double */

static const char *const controls[] = { "nscc", "rccc", "nscc_rccc", "nscc_dctcp" };
static const char *const balancers[] = { "mixed", "oblivious", "bitmap", "reps", "reps_legacy", "ecmp", "spray",
                                         "adaptive" };

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
        cfg->knobs.value[KNOB_trim] = pick(r, 1, 60);        /* few packets, or not one: headers are lost, too */
    if (one_in(r, 3))
        cfg->rto_ps = pick(r, 5, 200) * PS_PER_US;           /* perhaps shorter than the round trip */
    cfg->buffer_bytes = one_in(r, 3) ? 20ull * (cfg->mtu_bytes + cfg->header_bytes) : 32000000;
}

static void make(struct random_world *w, uint64_t seed, uint32_t threads)
{
    struct rng      r;
    struct graph    g;
    struct sim_cfg  cfg;
    struct traffic *t;
    struct err      err;

    *w = (struct random_world){ 0 };
    rng_init(&r, seed, 79);
    random_uet(&cfg, &r, seed);
    cfg.threads = cfg.parts = threads;
    random_topology(w, &g, &r, true);
    if (one_in(&r, 2))
        make_hosts_unlike(&g, &r);
    w->has_loss = one_in(&r, 4);
    for (uint32_t i = 0; w->has_loss && i < g.links; i++)
        g.link[i].loss = 0.01 * rng_real(&r);
    if (one_in(&r, 3))
        random_changes(w, &cfg, &g, &r);
    t = random_traffic(w, &g, &r, seed, true);
    cfg.head_prio = traffic_prios(t) >> 7 & 1 ? 0 : 7;
    if (world_start(&w->world, &g, &cfg, t, &err))
        die("seed %llu: %s", (unsigned long long)seed, err.text);
}

/* Somebody turns the knobs while it runs. */
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
    const struct sim_counters *c = &w->world.sim->engine.counters;
    uint64_t                   bytes = 0, resent = 0;

    assert_int_equal(w->world.done_count, w->flows);
    for (uint32_t i = 0; i < w->world.done_count; i++) {
        bytes += w->world.done[i].bytes;
        resent += w->world.done[i].resent_bytes;
    }
    assert_int_equal(c->payload_received, bytes);            /* every byte once */
    assert_int_equal(c->payload_sent, bytes + resent);
    assert_int_equal(c->payload_sent, c->payload_received + c->payload_stale + c->payload_dropped);
}

static void run_world(uint64_t seed, bool is_told)
{
    struct random_world w;
    struct sim         *s;
    struct rng          r;
    bool                is_done;

    make(&w, seed, 1);
    s = w.world.sim;
    rng_init(&r, seed, 80);
    while (seed % 3 == 0 && !s->is_done && s->now_ps < PS_PER_S / 20) {
        sim_run_until(s, s->now_ps + STEP_PS);
        turn_knobs(s, &r);
    }
    is_done = world_finish(&w.world, STEP_PS, LIMIT_PS);
    if (is_told || !is_done) {
        random_world_print(&w, seed);
        fprintf(stderr, "lb %s, trim %d, sleek %d, rto %.1f us, mtu %u, trimmed %llu, again %llu, headers lost %llu\n",
                s->cfg.lb->name, s->cfg.has_trim, s->cfg.is_sleek, (double)s->cfg.rto_ps / 1e6, s->cfg.mtu_bytes,
                (unsigned long long)s->engine.counters.trimmed, (unsigned long long)s->engine.counters.sent_again,
                (unsigned long long)s->engine.counters.dropped_headers);
    }
    assert_true(is_done);
    check_results(&w);
    assert_int_equal(s->engine.packets.live, 0);
    assert_int_equal(evq_pending(&s->engine.evq), 0);
    world_end(&w.world);
}

static uint64_t digest_of(uint64_t seed, uint32_t threads)
{
    struct random_world w;
    uint64_t            d = DIGEST_EMPTY;

    make(&w, seed, threads);
    assert_true(world_finish(&w.world, STEP_PS, LIMIT_PS));
    for (uint32_t i = 0; i < w.world.done_count; i++)
        d = digest_add_flow(d, &w.world.done[i]);
    d = digest_add_counters(d, &w.world.sim->engine.counters);
    d = digest_add(d, w.world.sim->engine.counters.trimmed);
    d = digest_add(d, w.world.sim->engine.counters.pulls_sent);
    for (uint32_t i = 0; i < w.world.sim->net.ports; i++)
        d = digest_add(d, w.world.sim->net.port[i].counters.tx_bytes);
    world_end(&w.world);
    return d;
}

static void flows__never_get_stuck(void **unused)
{
    const char *one = getenv("ANOLE_SEED"), *many = getenv("ANOLE_WORLDS");
    uint64_t    count = many ? strtoull(many, NULL, 10) : WORLDS;

    (void)unused;
    if (one)
        run_world(strtoull(one, NULL, 10), true);
    for (uint64_t seed = 1; !one && seed <= count; seed++)
        run_world(seed, false);
}

static void threads__give_the_same_bytes(void **unused)
{
    static const uint32_t threads[] = { 2, 3, 8 };

    (void)unused;
    for (uint64_t seed = 1; seed <= DIVIDED; seed++) {
        uint64_t one = digest_of(seed, 1);

        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
            if (digest_of(seed, threads[i]) != one)
                fail_msg("world %llu differs on %u threads", (unsigned long long)seed, threads[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows__never_get_stuck),
        cmocka_unit_test(threads__give_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
