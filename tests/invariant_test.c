/* tests/invariant_test.c - invariants of every world, in a few hundred random ones.
 *
 * ANOLE_SEED=n runs world n alone and prints its description and result. ANOLE_WORLDS=n runs n worlds of each
 * test.
 */
#include "digest.h"
#include "random_world.h"
#include "sim/partition.h"
#include "sim/switch/switch.h"
#include "sim/stall.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WORLDS   300             /* check-gcc has more */
#define LONE     150             /* worlds with one flow */
#define DIVIDED  60              /* worlds that several threads share */
#define STEP_PS  (20 * PS_PER_US)
#define LIMIT_PS (PS_PER_S / 2)

/* Packets in a switch fit its buffer. Except in model hpcc with several classes: each may use the headroom
 * set aside for one. */
static void check_buffers(const struct sim *s)
{
    if (s->cfg.model == MODEL_HPCC)
        return;
    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (s->net.node[i].is_switch)
            assert_in_range(buffer_used_bytes(s, &s->net.node[i]), 0, s->cfg.buffer_bytes);
}

/* Every unfinished flow waits for exactly one reason. If nothing can be lost, it is not the timer: the flow
 * may send, or its packets are in flight. */
static void check_waits(const struct random_world *w)
{
    const struct sim_counters *c = sim_counts(w->world.sim);
    struct waits              *waits = waits_new(w->world.sim);
    uint64_t                   count[WAITS], sum = 0;

    waits_count(waits, count);
    waits_free(waits);
    for (uint32_t i = 0; i < WAITS; i++)
        sum += count[i];
    assert_int_equal(sum, c->flows_started - c->flows_done);
    assert_int_equal(count[WAIT_DELIVERY], 0);
    if (w->is_tight)
        assert_int_equal(count[WAIT_TIMEOUT] + count[WAIT_FOREVER], 0);
}

static void check_results(const struct random_world *w)
{
    const struct sim_counters *c = sim_counts(w->world.sim);
    uint64_t                   bytes = 0, resent = 0, reordered = 0, nacks = 0;

    assert_int_equal(w->world.done_count, w->flows);
    assert_int_equal(c->flows_started, w->flows);
    for (uint32_t i = 0; i < w->world.done_count; i++) {
        bytes += w->world.done[i].bytes;
        resent += w->world.done[i].resent_bytes;
    }
    assert_int_equal(c->bytes_done, bytes);
    assert_int_equal(c->payload_received, bytes);            /* in order, so every byte once */
    assert_int_equal(c->payload_sent, bytes + resent);
    assert_int_equal(c->payload_sent, c->payload_received + c->payload_stale + c->payload_dropped);
    for (uint32_t i = 0; i < FCT_BUCKETS; i++) {
        reordered += c->reordered_by_size[i];
        nacks += c->nacks_by_size[i];
    }
    assert_int_equal(reordered, c->reordered);
    assert_int_equal(nacks, c->nacks_sent);
}

/* Everything is idle: no packets, no timers of finished flows, empty accounts. */
static void check_rest(const struct sim *s)
{
    assert_int_equal(s->engine.packets.live, 0);
    assert_int_equal(evq_pending(&s->engine.evq), 0);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (s->net.node[i].is_switch) {
            assert_int_equal(buffer_used_bytes(s, &s->net.node[i]), 0);
            assert_int_equal(s->net.node[i].shared_bytes_left, s->net.node[i].shared_bytes_max);
        }
    for (uint32_t i = 0; i < s->net.ports; i++) {
        assert_int_equal(s->net.port[i].paused, 0);
        /* Model conweave clears it lazily. */
        assert_true(!s->net.port[i].pausing || s->cfg.model == MODEL_CONWEAVE);
    }
}

/* Changes the knobs during a run. */
static void turn_knobs(struct sim *s, struct rng *r)
{
    struct knobs k = s->cfg.knobs;

    k.value[KNOB_kmin] = pick(r, 0, 50);
    k.value[KNOB_kmax] = k.value[KNOB_kmin] + pick(r, 0, 50);
    k.value[KNOB_pmax] = rng_real(r);
    k.value[KNOB_rpg_time_reset] = pick(r, 1, 300);
    k.value[KNOB_rpg_byte_reset] = pick(r, 0, 1000);
    k.value[KNOB_rpg_ai_rate] = pick(r, 1, 5000);
    k.value[KNOB_rpg_min_rate] = pick(r, 500, 2000);
    k.value[KNOB_dce_tcp_rtt] = pick(r, 1, 50);
    k.value[KNOB_rate_reduce_monitor_period] = pick(r, 1, 50);
    k.value[KNOB_min_time_between_cnps] = pick(r, 0, 50);
    sim_apply(s, &k);
}

/* A world that may hang is checked for as long as its flows normally take. */
static uint64_t limit_ps(const struct random_world *w)
{
    return w->may_hang ? 20 * PS_PER_MS : LIMIT_PS;
}

static volatile uint64_t seed_at_hand;

/* sim_check() aborts: print in which world. */
static void on_abort(int signal_number)
{
    (void)signal_number;
    fprintf(stderr, "in world %llu: run again with ANOLE_SEED=%llu\n", (unsigned long long)seed_at_hand,
            (unsigned long long)seed_at_hand);
}

static void run_world(uint64_t seed, bool is_told)
{
    struct rng          rng;
    struct random_world w;
    struct sim         *s;
    bool                is_done;

    seed_at_hand = seed;
    random_world_make(&w, seed, 1);
    s = w.world.sim;
    if (is_told)
        random_world_print(&w, seed);
    sim_check(s);
    rng_init(&rng, seed, 78);
    while (!s->is_done && s->engine.now_ps < limit_ps(&w)) {
        sim_run_until(s, s->engine.now_ps + STEP_PS);
        sim_check(s);
        check_buffers(s);
        check_waits(&w);
        if (seed % 3 == 0 && one_in(&rng, 5))
            turn_knobs(s, &rng);
    }
    is_done = world_finish(&w.world, STEP_PS, limit_ps(&w));
    if (w.may_hang) {            /* the fork also sends for finished flows: totals need not add up */
        world_end(&w.world);
        return;
    }
    if (is_told || !is_done)
        random_world_print(&w, seed);
    assert_true(is_done);
    check_results(&w);
    check_rest(s);
    /* Buffers of the ConWeave fork drop packets that would make a queue too long, even with PFC. */
    if (s->cfg.is_lossless && s->cfg.model != MODEL_CONWEAVE && !w.has_loss && !w.has_changes)
        assert_int_equal(s->engine.counters.dropped_buffer + s->engine.counters.dropped_wire +
                             s->engine.counters.dropped_down + s->engine.counters.dropped_no_route +
                             s->engine.counters.nacks_sent,
                         0);
    world_end(&w.world);
}

/* Runs worlds 1 to 'count', as many as the environment sets, or the one it names. */
static void run_worlds(void (*run)(uint64_t seed, bool is_told), uint64_t count)
{
    const char *one = getenv("ANOLE_SEED"), *many = getenv("ANOLE_WORLDS");

    signal(SIGABRT, on_abort);
    if (one) {
        run(strtoull(one, NULL, 10), true);
        return;
    }
    count = many ? strtoull(many, NULL, 10) : count;
    for (uint64_t seed = 1; seed <= count; seed++)
        run(seed, false);
}

static void sim_check__holds_in_random_worlds(void **unused)
{
    (void)unused;
    run_worlds(run_world, WORLDS);
}

/* ---- one flow alone ---- */

/* Any network without cycles, no congestion control, large buffers: for any rates, delays and sizes, the flow
 * takes its closed form. */
static void run_lone(uint64_t seed, bool is_told)
{
    struct random_world w = { 0 };
    struct flow_row     flow = { .prio = 3, .dport = 1 };
    struct sim_cfg      cfg;
    struct graph        g;
    struct rng          r;
    uint32_t            hosts = 0;

    seed_at_hand = seed;
    rng_init(&r, seed, 79);
    world_cfg(&cfg, MODEL_NIC);
    random_topology(&w, &g, &r, false);
    make_hosts_unlike(&g, &r);
    for (uint32_t i = 0; i < g.nodes; i++)
        hosts += !g.node[i].is_switch;
    flow.src = pick(&r, 0, hosts - 1);
    flow.dst = pick(&r, 0, hosts - 2);
    flow.dst += flow.dst >= flow.src;
    flow.bytes = one_in(&r, 2) ? pick(&r, 1, 5000) : pick(&r, 1, 1000000);
    cfg.mtu_bytes = one_in(&r, 2) ? pick(&r, 64, 9000) : 1024;
    cfg.ack_every = random_ack_every(&r);
    cfg.is_selective = one_in(&r, 3);
    cfg.is_lossless = one_in(&r, 2);
    cfg.buffer_bytes = 1ull << 30;
    cfg.ecn_on = false;
    cfg.rto_ps = 0;
    if (cfg.ack_every == 1 && one_in(&r, 2))
        /* The longest round trip at line rate: it limits no flow. */
        cfg.window_bytes = UINT64_MAX;
    world_of_flows(&w.world, &g, &cfg, &flow, 1);
    assert_true(world_finish(&w.world, 100 * PS_PER_US, LIMIT_PS));
    if (is_told || w.world.done[0].fct_ps != w.world.done[0].ideal_ps)
        fprintf(
            stderr,
            "seed %llu: %s, %u hosts, %llu bytes of %u, ack_every %u, window %llu: %llu ps, alone %llu ps\n",
            (unsigned long long)seed, w.graph_kind, hosts, (unsigned long long)flow.bytes, cfg.mtu_bytes,
            cfg.ack_every, (unsigned long long)sim_settings(w.world.sim)->window_bytes,
            (unsigned long long)w.world.done[0].fct_ps, (unsigned long long)w.world.done[0].ideal_ps);
    assert_int_equal(w.world.done[0].fct_ps, w.world.done[0].ideal_ps);
    world_end(&w.world);
}

static void sim_ideal_ps__is_what_a_lone_flow_takes(void **unused)
{
    (void)unused;
    run_worlds(run_lone, LONE);
}

/* ---- several threads ---- */

static uint32_t worlds_divided;

static uint64_t digest_of(uint64_t seed, uint32_t threads)
{
    uint64_t            digest = DIGEST_EMPTY;
    struct random_world w;

    random_world_make(&w, seed, threads);
    if (w.world.sim->parts && partition_count(w.world.sim->parts) > 1)
        worlds_divided++;
    assert_true(world_finish(&w.world, STEP_PS, limit_ps(&w)) || w.may_hang);
    for (uint32_t i = 0; i < w.world.done_count; i++)
        digest = digest_add_flow(digest, &w.world.done[i]);
    digest = digest_add_counters(digest, sim_counts(w.world.sim));
    world_end(&w.world);
    return digest;
}

static void run_divided(uint64_t seed, bool is_told)
{
    uint64_t one = digest_of(seed, 1);
    uint32_t threads = 2 + seed % 2;

    seed_at_hand = seed;
    if (digest_of(seed, threads) != one)
        fail_msg("world %llu differs with %u threads", (unsigned long long)seed, threads);
    if (is_told)
        fprintf(stderr, "seed %llu: digest 0x%016llx\n", (unsigned long long)seed, (unsigned long long)one);
}

static void sim__is_the_same_with_any_number_of_threads(void **unused)
{
    (void)unused;
    run_worlds(run_divided, DIVIDED);
    assert_true(worlds_divided > 0 || getenv("ANOLE_SEED"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_check__holds_in_random_worlds),
        cmocka_unit_test(sim_ideal_ps__is_what_a_lone_flow_takes),
        cmocka_unit_test(sim__is_the_same_with_any_number_of_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
