/* src/sim/stall_test.c - a slow world is not stalled. Whole runs: see study/run/stuck_test.c. */
#include "sim/stall.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* 100 kb/s: a packet every 88 ms, longer than the time between two checks. */
static void crawl_start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state, (void)now;
    *out = (struct cc_out){ .rate_bps = 100000, .window_bytes = UINT64_MAX, .due_ps = NEVER };
}

static void crawl_configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static void stall__waits_for_slow_flows(void **unused)
{
    static const struct cc_algo crawl = { .start = crawl_start, .configure = crawl_configure, .name = "crawl",
                                          .about = "" };
    struct graph   g;
    struct sim_cfg cfg;
    struct world   w;
    struct stall   stall;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = &crawl;
    cfg.rto_ps = 100 * PS_PER_US;
    graph_star(&g, &(struct graph_star){ 2, 100 * GBPS, PS_PER_US });
    world_of_flows(&w, &g, &cfg,
                   &(struct flow_row){ .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 20 * 1024 }, 1);
    stall_init(&stall, w.sim);
    assert_true(stall.every_ps < 80 * PS_PER_MS);
    while (!w.sim->is_done) {
        sim_run_until(w.sim, stall.next_ps);
        assert_false(stall_look(&stall, w.sim));
        assert_true(w.sim->engine.now_ps < 3 * PS_PER_S);
    }
    assert_int_equal(w.sim->engine.counters.flows_done, 1);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall__waits_for_slow_flows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
