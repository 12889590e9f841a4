/* src/sim/nic/pacer_test.c - the gap after the last packet is recomputed as in the HPCC ns-3 fork: next_ps
 * and the wake-up, by hand; and a full heap of waiting flows whose rates change.
 */
#include "base/rng.h"
#include "sim/nic/host.h"
#include "sim/nic/pacer.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = 10 * GBPS, .window_bytes = UINT64_MAX,
                            .due_ps = NEVER, .probe_ps = NEVER };
}

static void configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static const struct cc_algo slow = { .start = start, .configure = configure, .name = "slow" };

/* 1048 bytes: 838 ns at 10 Gb/s, 1676 at 5, 419 at 20, 209 at 40, all truncated. The first packet leaves at
 * 0. */
static void repace_last__moves_the_next_packet_and_the_wake_up(void **unused)
{
    static const struct { uint64_t gbps, next_ns, wake_ns; } row[] = {
        { 5, 1676, 838 },        /* later: the wake-up stays, as the fork's does */
        { 20, 419, 419 },        /* earlier: it moves */
        { 20, 419, 419 },        /* the same rate again changes nothing */
        { 40, 209, 300 },        /* in the past: it may go immediately */
    };
    struct flow_row flow = { .src = 0, .dst = 1, .prio = 3, .dport = 100, .bytes = 10000 };
    struct sim_cfg  cfg;
    struct world    w;
    struct graph    g;
    struct flow    *f;
    struct host    *h;

    (void)unused;
    world_cfg(&cfg, MODEL_HPCC);
    cfg.cc = &slow;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(&w, &g, &cfg, &flow, 1);
    sim_run_until(w.sim, 300 * PS_PER_NS);
    f = &w.sim->flows.flow[1];
    h = &w.sim->net.host[0];
    assert_int_equal(f->sent, 1000);
    assert_int_equal(f->next_ps, 838 * PS_PER_NS);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct event *wake = &h->wake;

        f->out.rate_bps = row[i].gbps * GBPS;
        pacer_repace_last(w.sim, h, f);
        assert_int_equal(f->next_ps, row[i].next_ns * PS_PER_NS);
        assert_int_equal(wake->at_ps, row[i].wake_ns * PS_PER_NS);
        assert_int_equal(bit_is_set(h->ready, f->position), row[i].next_ns <= 300);
    }
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    world_end(&w);
}

#define WAITING 64u              /* capacity of a host's tables before they grow */

/* Returns the earliest time of all waiting flows, by a linear search. */
static uint64_t soonest_ps(const struct sim *s, const struct host *h)
{
    uint64_t soonest = NEVER;

    for (uint32_t i = 0; i < h->count; i++) {
        const struct flow *f = &s->flows.flow[h->list[i]];

        soonest = f->heap_at != NOT_IN_HEAP && f->next_ps < soonest ? f->next_ps : soonest;
    }
    return soonest;
}

/* Opens a world in which many flows of a host wait for their pacers. */
static struct host *begin_waiting(struct world *w)
{
    struct flow_row flow[WAITING];
    struct sim_cfg  cfg;
    struct graph    g;

    for (uint32_t i = 0; i < WAITING; i++)
        flow[i] = (struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = (uint16_t)(100 + i),
                                     .bytes = 3000 };
    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = &slow;
    graph_star(&g, &(struct graph_star){ 2, 1000 * GBPS, PS_PER_US });
    world_of_flows(w, &g, &cfg, flow, WAITING);
    sim_run_until(w->sim, 800 * PS_PER_NS);
    assert_int_equal(w->sim->net.host[0].heap_count, WAITING);
    assert_int_equal(w->sim->net.host[0].capacity, WAITING);
    return &w->sim->net.host[0];
}

static void end_waiting(struct world *w)
{
    assert_true(world_finish(w, PS_PER_MS, PS_PER_S));
    world_end(w);
}

static void assert_soonest_first(const struct world *w, const struct host *h)
{
    if (h->heap_count)
        assert_int_equal(h->heap_ps[0], soonest_ps(w->sim, h));
    host_check(w->sim, h);
}

static void on_decision__keeps_the_soonest_first(void **unused)
{
    struct world w;
    struct host *h = begin_waiting(&w);
    struct rng   rng;

    (void)unused;
    rng_init(&rng, 1, 1);
    for (int i = 0; i < 5000; i++) {
        struct flow *f = &w.sim->flows.flow[h->list[rng_below(&rng, WAITING)]];

        f->out.rate_bps = (1 + rng_below(&rng, 10000)) * (GBPS / 1000);
        pacer_on_decision(w.sim, h, f);
        assert_int_equal(f->gap_rate_bps, f->out.rate_bps);
        assert_soonest_first(&w, h);
    }
    end_waiting(&w);
}

/* Flows leave the heap from anywhere, because they may send now, and come back. */
static void sort_in__keeps_the_soonest_first(void **unused)
{
    struct world w;
    struct host *h = begin_waiting(&w);
    struct rng   rng;

    (void)unused;
    rng_init(&rng, 2, 1);
    for (int i = 0; i < 5000; i++) {
        struct flow *f = &w.sim->flows.flow[h->list[rng_below(&rng, WAITING)]];
        bool         is_waiting = f->heap_at != NOT_IN_HEAP;

        f->next_ps = w.sim->now_ps + (is_waiting ? 0 : 1 + rng_below(&rng, PS_PER_US));
        pacer_sort_in(w.sim, h, f);
        assert_int_equal(f->heap_at != NOT_IN_HEAP, !is_waiting);
        assert_int_equal(bit_is_set(h->ready, f->position), is_waiting);
        assert_soonest_first(&w, h);
    }
    pacer_await(w.sim, h, w.sim->now_ps);
    end_waiting(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repace_last__moves_the_next_packet_and_the_wake_up),
        cmocka_unit_test(on_decision__keeps_the_soonest_first),
        cmocka_unit_test(sort_in__keeps_the_soonest_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
