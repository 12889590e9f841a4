/* tests/invariant_test.c - what must hold in every world, in a few hundred random ones.
 *
 * ANOLE_SEED=n runs world n alone and says what it is and how it ended.
 */
#include "random_world.h"
#include "sim/switch/buffer.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WORLDS   1000
#define STEP_PS  (20 * PS_PER_US)
#define LIMIT_PS (PS_PER_S / 2)

/* What is in a switch fits into it. Not so in model hpcc with several classes: each may use the headroom
 * set aside for one. */
static void check_buffers(const struct sim *s)
{
    if (s->cfg.model == MODEL_HPCC)
        return;
    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (s->net.node[i].is_switch)
            assert_in_range(buffer_used_bytes(s, &s->net.node[i]), 0, s->cfg.buffer_bytes);
}

static void check_results(const struct random_world *w)
{
    const struct sim_counters *c = &w->world.sim->engine.counters;
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

/* Everything has come to rest: no packet, no timer of a flow that is over, empty accounts. */
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
        assert_true(!s->net.port[i].pausing || s->cfg.model == MODEL_CONWEAVE);      /* there nobody looks when it ends */
    }
}

/* Somebody turns the knobs while it runs. */
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

static volatile uint64_t seed_at_hand;

/* sim_check() aborts: say in which world. */
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
    random_world_make(&w, seed);
    s = w.world.sim;
    if (is_told)
        random_world_print(&w, seed);
    sim_check(s);
    rng_init(&rng, seed, 78);
    while (!s->is_done && s->engine.now_ps < LIMIT_PS) {
        sim_run_until(s, s->engine.now_ps + STEP_PS);
        sim_check(s);
        check_buffers(s);
        if (seed % 3 == 0 && one_in(&rng, 5))
            turn_knobs(s, &rng);
    }
    is_done = world_finish(&w.world, STEP_PS, LIMIT_PS);
    if (is_told || !is_done)
        random_world_print(&w, seed);
    assert_true(is_done);
    check_results(&w);
    check_rest(s);
    /* The ConWeave fork's buffers drop what would make a queue too long, PFC or not. */
    if (s->cfg.is_lossless && s->cfg.model != MODEL_CONWEAVE && !w.has_loss && !w.has_changes)
        assert_int_equal(s->engine.counters.dropped_buffer + s->engine.counters.dropped_wire + s->engine.counters.dropped_down +
                             s->engine.counters.dropped_no_route + s->engine.counters.nacks_sent,
                         0);
    world_end(&w.world);
}

static void sim_check__holds_in_random_worlds(void **unused)
{
    const char *one = getenv("ANOLE_SEED");

    (void)unused;
    signal(SIGABRT, on_abort);
    if (one)
        run_world(strtoull(one, NULL, 10), true);
    for (uint64_t seed = 1; !one && seed <= WORLDS; seed++)
        run_world(seed, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sim_check__holds_in_random_worlds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
