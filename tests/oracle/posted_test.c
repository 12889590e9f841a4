/* tests/oracle/posted_test.c - queue pairs with messages always posted, against closed forms. */
#include "sim/test_world.h"
#include "work/traffic/kinds/posted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define MTU      1024
#define FULL_PS  ((MTU + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define ALONE_PS(packets) \
    (((packets) - 1) * FULL_PS + 2ull * (FULL_PS + DELAY_PS) + 2ull * (ACK_PS + DELAY_PS))

static void start_star(struct world *w, const struct sim_cfg *cfg, uint32_t senders,
                       const struct posted_traffic *c, uint64_t stop_ps)
{
    const struct traffic_common common = { .stop_ps = stop_ps, .prio = 3 };
    struct posted_traffic       mine = *c;
    uint32_t                    hosts[64];
    struct traffic             *t;
    struct graph                g;
    struct err                  err;

    for (uint32_t i = 0; i < senders; i++)
        hosts[i] = i;
    mine.hosts = hosts;
    mine.count = senders;
    mine.receiver = senders;
    graph_star(&g, &(struct graph_star){ senders + 1, 100 * GBPS, DELAY_PS });
    t = traffic_new(&g, cfg->seed);
    traffic_add_posted(t, &common, &mine, NULL);
    assert_int_equal(world_start(w, &g, cfg, t, &err), 0);
}

/* One sender with N messages of M packets posted. If they fill the pipe, the line is always busy and a
 * message waits for the N - 1 before it: N M t. Otherwise every message takes as long as alone. To the
 * picosecond. */
static void one_pair__is_limited_by_the_line_or_the_round_trip(void **unused)
{
    static const uint32_t outstanding[] = { 1, 2, 10, 40, 48, 200 }, packets[] = { 1, 16 };
    struct sim_cfg        cfg;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t k = 0; k < 2; k++) {
            struct posted_traffic c = { .qps = 1, .outstanding = outstanding[i], .bytes = packets[k] * MTU };
            uint64_t full = (uint64_t)outstanding[i] * packets[k] * FULL_PS, alone = ALONE_PS(packets[k]);
            struct world          w;

            start_star(&w, &cfg, 1, &c, PS_PER_MS);
            assert_true(world_finish(&w, 100 * PS_PER_US, 2 * PS_PER_MS));
            assert_true(w.done_count > 2 * outstanding[i]);
            for (uint32_t n = outstanding[i]; n < w.done_count; n++)
                assert_int_equal(w.done[n].fct_ps, full > alone ? full : alone);
            assert_int_equal(w.sim->flows.pairs.count, 1);
            world_end(&w);
        }
}

/* Queue pairs of one host alternate packet by packet: all have completed the same number of messages, and at
 * line rate a message takes Q N M t. */
static void one_host__shares_its_line_evenly(void **unused)
{
    const struct posted_traffic c = { .qps = 7, .outstanding = 5, .bytes = 8 * MTU };
    uint64_t                    fct = 7ull * 5 * 8 * FULL_PS;
    uint32_t                    count[7] = { 0 }, first = 0;
    struct sim_cfg              cfg;
    struct world                w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_star(&w, &cfg, 1, &c, PS_PER_MS);
    assert_true(world_finish(&w, 100 * PS_PER_US, 2 * PS_PER_MS));
    first = w.done[0].sport;
    for (uint32_t i = 0; i < w.done_count; i++)
        first = w.done[i].sport < first ? w.done[i].sport : first;
    for (uint32_t i = 0; i < w.done_count; i++) {
        assert_true(w.done[i].sport - first < 7);
        if (count[w.done[i].sport - first]++ >= 5 && w.done[i].start_ps + fct < PS_PER_MS)
            assert_true(w.done[i].fct_ps + 7 * FULL_PS >= fct && w.done[i].fct_ps <= fct + 7 * FULL_PS);
    }
    for (uint32_t i = 1; i < 7; i++)
        assert_true(count[i] + 1 >= count[0] && count[i] <= count[0] + 1);
    world_end(&w);
}

/* Many hosts to one: the receiver's line is full of whole packets, and each host has its share of it. Only
 * PFC slows hosts down, which is as fair as the switches' arbitration: within a few percent here. */
static void many_hosts__share_the_receivers_line(void **unused)
{
    const struct posted_traffic c = { .qps = 2, .outstanding = 10, .bytes = 16 * MTU,
                                      .spread_ps = 10 * PS_PER_US };
    uint64_t                    before, after, each[8] = { 0 }, sum = 0;
    struct sim_cfg              cfg;
    struct world                w;

    (void)unused;
    world_cfg(&cfg, MODEL_NIC);
    start_star(&w, &cfg, 8, &c, 20 * PS_PER_MS);
    sim_run_until(w.sim, PS_PER_MS);
    before = sim_counts(w.sim)->payload_received;
    sim_run_until(w.sim, 11 * PS_PER_MS);
    after = sim_counts(w.sim)->payload_received;
    assert_true(after - before >= (10 * PS_PER_MS / FULL_PS - 1) * MTU &&
                after - before <= (10 * PS_PER_MS / FULL_PS + 1) * MTU);
    for (uint32_t i = 0; i < w.done_count; i++) {
        each[w.done[i].src] += w.done[i].bytes;
        sum += w.done[i].bytes;
    }
    for (uint32_t i = 0; i < 8; i++)
        assert_true(each[i] * 8 > sum / 100 * 95 && each[i] * 8 < sum / 100 * 105);
    world_end(&w);
}

/* The number of messages in flight is always as configured. */
static void outstanding__is_always_the_same(void **unused)
{
    const struct posted_traffic c = { .qps = 3, .outstanding = 6, .bytes = 5000,
                                      .spread_ps = 50 * PS_PER_US };
    static const char *const    controls[] = { "none", "dcqcn", "swift" };

    (void)unused;
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_NIC);
        cfg.cc = cc_find(controls[i]);
        start_star(&w, &cfg, 4, &c, 2 * PS_PER_MS);
        sim_run_until(w.sim, 50 * PS_PER_US);
        for (uint64_t at = 50 * PS_PER_US; at < 1900 * PS_PER_US; at += 777777) {
            const struct sim_counters *n = sim_counts(w.sim);

            sim_run_until(w.sim, at);
            assert_int_equal(n->flows_started - n->flows_done, 4 * 3 * 6);
        }
        assert_int_equal(w.sim->flows.pairs.count, 4 * 3);
        assert_true(world_finish(&w, 100 * PS_PER_US, PS_PER_S));
        assert_int_equal(sim_counts(w.sim)->flows_started, sim_counts(w.sim)->flows_done);
        world_end(&w);
    }
}

/* ---- the same on any number of threads ---- */

static uint64_t digest_of(uint32_t threads, enum posted_pattern pattern, const char *cc)
{
    uint32_t              hosts[16];
    struct posted_traffic c = { .pattern = pattern, .hosts = hosts, .count = 12, .receiver = 13, .qps = 3,
                                .outstanding = 4,
                                .bytes = 9000, .spread_ps = 20 * PS_PER_US, .redraw_ps = 100 * PS_PER_US };
    struct traffic_common common = { .stop_ps = 400 * PS_PER_US, .prio = 3 };
    uint64_t              digest = 1;
    struct sim_cfg        cfg;
    struct traffic       *t;
    struct graph          g;
    struct world          w;
    struct err            err;

    for (uint32_t i = 0; i < 12; i++)
        hosts[i] = (i * 5) % 16 == 13 ? 15 : (i * 5) % 16;
    hosts[3] = 12;
    world_cfg(&cfg, MODEL_NIC);
    cfg.cc = cc_find(cc);
    cfg.threads = threads;
    graph_clos(&g, &(struct graph_clos){ .tors = 4, .hosts_per_tor = 4, .spines = 2, .parallel = 1,
                                         .rate_bps = 100 * GBPS, .delay_ps = PS_PER_US,
                                         .fabric_rate_bps = 100 * GBPS, .fabric_delay_ps = PS_PER_US });
    t = traffic_new(&g, 1);
    traffic_add_posted(t, &common, &c, NULL);
    assert_int_equal(world_start(&w, &g, &cfg, t, &err), 0);
    assert_true(world_finish(&w, 50 * PS_PER_US, PS_PER_S));
    assert_true(w.done_count > 500);
    for (uint32_t i = 0; i < w.done_count; i++) {
        const struct flow_result *r = &w.done[i];
        uint64_t                  rows[] = { r->src, r->dst, r->sport, r->start_ps, r->fct_ps, r->bytes };

        for (uint32_t k = 0; k < 6; k++)
            digest = (digest ^ rows[k]) * 0x9e3779b97f4a7c15ull + (digest >> 29);
    }
    digest += sim_counts(w.sim)->events;
    world_end(&w);
    return digest;
}

static void threads__same_results(void **unused)
{
    static const char *const controls[] = { "dcqcn", "swift", "none" };

    (void)unused;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t one = digest_of(1, (enum posted_pattern)i, controls[i]);

        assert_int_equal(digest_of(2, (enum posted_pattern)i, controls[i]), one);
        assert_int_equal(digest_of(3, (enum posted_pattern)i, controls[i]), one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pair__is_limited_by_the_line_or_the_round_trip),
        cmocka_unit_test(one_host__shares_its_line_evenly),
        cmocka_unit_test(many_hosts__share_the_receivers_line),
        cmocka_unit_test(outstanding__is_always_the_same),
        cmocka_unit_test(threads__same_results),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
