/* src/sim/rto_default_test.c - the default timeout of networks, computed by hand. */
#include "sim/rto_default.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ACK_TIMEOUT_PS(n) (4096000ull << (n))        /* 4.096 us x 2^n */

static const struct flow_row one = { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 1000 };

static void begin(struct sim_cfg *cfg)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->rto_ps = RTO_AUTO;
}

static void start_star(struct world *w, const struct sim_cfg *cfg, uint64_t gbps, uint64_t delay_ps)
{
    struct graph g;

    graph_star(&g, &(struct graph_star){ 4, gbps * GBPS, delay_ps });
    world_of_flows(w, &g, cfg, &one, 1);
}

/* 67.1 ms exceed what 32 MB take at 10 Gb/s, 25.6 ms; but not 256 ms at 1 Gb/s, nor 76.8 ms of three full
 * buffers in a row at 10 Gb/s. */
static void lossless__is_above_full_buffers(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    struct graph   g;

    (void)unused;
    begin(&cfg);
    start_star(&w, &cfg, 10, PS_PER_US);
    assert_int_equal(w.sim->cfg.rto_ps, ACK_TIMEOUT_PS(14));
    assert_int_equal(w.sim->cfg.rto_ps_max, 0);
    assert_int_equal(rto_default_full_ps(w.sim), w.sim->net.base_rtt_ps + 25600 * PS_PER_US);
    assert_int_equal(rto_default_longest_ps(w.sim), ACK_TIMEOUT_PS(14));
    world_end(&w);

    start_star(&w, &cfg, 1, PS_PER_US);
    assert_int_equal(w.sim->cfg.rto_ps, ACK_TIMEOUT_PS(16));
    world_end(&w);

    graph_clos(&g, &(struct graph_clos){ .tors = 2, .hosts_per_tor = 2, .spines = 1, .parallel = 1,
                                         .rate_bps = 10 * GBPS,
                                         .delay_ps = PS_PER_US, .fabric_rate_bps = 10 * GBPS,
                                         .fabric_delay_ps = PS_PER_US });
    world_of_flows(&w, &g, &cfg, &one, 1);
    assert_int_equal(rto_default_full_ps(w.sim), w.sim->net.base_rtt_ps + 3 * 25600 * PS_PER_US);
    assert_int_equal(rto_default_queue_ps(w.sim), w.sim->net.base_rtt_ps + 25600 * PS_PER_US);
    assert_int_equal(w.sim->cfg.rto_ps, ACK_TIMEOUT_PS(15));
    world_end(&w);
}

/* Where timeouts repair losses they start at 4 ms, if a queue of half the buffer drains faster: 1.3 ms at 100
 * Gb/s, 12.8 ms at 10. */
static void lossy__starts_small(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    begin(&cfg);
    cfg.is_lossless = false;
    start_star(&w, &cfg, 100, PS_PER_US);
    assert_int_equal(w.sim->cfg.rto_ps, 4 * PS_PER_MS);
    assert_int_equal(w.sim->cfg.rto_ps_max, ACK_TIMEOUT_PS(14));
    assert_int_equal(rto_default_longest_ps(w.sim), ACK_TIMEOUT_PS(14));
    world_end(&w);

    start_star(&w, &cfg, 10, PS_PER_US);
    assert_int_equal(w.sim->cfg.rto_ps, ACK_TIMEOUT_PS(12));         /* 16.8 ms */
    world_end(&w);

    cfg.lossy_queue_bytes = 1000000;                                 /* 0.8 ms */
    start_star(&w, &cfg, 10, PS_PER_US);
    assert_int_equal(w.sim->cfg.rto_ps, 4 * PS_PER_MS);
    world_end(&w);

    start_star(&w, &cfg, 10, 2 * PS_PER_MS);                         /* a round trip of 8 ms */
    assert_int_equal(w.sim->cfg.rto_ps, ACK_TIMEOUT_PS(12));
    world_end(&w);
}

/* Each of these allows losses or reordering in a lossless network. */
static void lossless__with_possible_losses_is_adaptive(void **unused)
{
    for (int i = 0; i < 5; i++) {
        struct graph   g;
        struct sim_cfg cfg;
        struct world   w;

        (void)unused;
        begin(&cfg);
        graph_star(&g, &(struct graph_star){ 4, 100 * GBPS, PS_PER_US });
        g.link[2].loss = i == 0 ? 1e-9 : 0;
        g.link[2].ber = i == 1 ? 1e-15 : 0;
        cfg.lossy_prios = i == 2 ? 1 << 3 : 1 << 1;
        cfg.lb = lb_find(i == 3 ? "spray" : "ecmp");
        cfg.headroom_bytes = i == 4 ? 100000 : 0;
        world_of_flows(&w, &g, &cfg, &one, 1);
        assert_int_equal(w.sim->cfg.rto_ps, 4 * PS_PER_MS);
        assert_int_equal(w.sim->cfg.rto_ps_max, ACK_TIMEOUT_PS(14));
        world_end(&w);
    }
}

static void configured__is_kept(void **unused)
{
    static const uint64_t given[] = { 0, 1, PS_PER_S };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct sim_cfg cfg;
        struct world   w;

        begin(&cfg);
        cfg.rto_ps = given[i];
        start_star(&w, &cfg, 100, PS_PER_US);
        assert_int_equal(w.sim->cfg.rto_ps, given[i]);
        assert_int_equal(w.sim->cfg.rto_ps_max, 0);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless__is_above_full_buffers),
        cmocka_unit_test(lossy__starts_small),
        cmocka_unit_test(lossless__with_possible_losses_is_adaptive),
        cmocka_unit_test(configured__is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
