/* src/sim/nic/probe_test.c - RTT probes: when they are sent, what they measure, and what happens when they
 * are lost.
 *
 * Oracles: times of small frames over known links, and a congestion control that only records what it
 * receives.
 */
#include "sim/nic/probe.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS   80             /* at 100 Gb/s */
#define DELAY_PS  PS_PER_US
#define PROBE_PS  ((78 + 20) * BYTE_PS)
#define PACKET_PS ((1024 + 62 + 20) * BYTE_PS)
/* A probe and its answer, two links each. At the switch it waits for the packet before it, which arrived that
 * much earlier. */
#define EMPTY_PS  (4 * (PROBE_PS + DELAY_PS) + PACKET_PS - PROBE_PS)
#define EVERY_PS  (10 * PS_PER_US)
#define PROBES    1000

static struct { uint64_t at_ps, rtt_ps; } seen[PROBES];
static uint32_t seen_count;
static bool     asks_twice;

/* Requests a probe every EVERY_PS, and keeps the rate. */
static void on_rtt(const void *cfg, void *state, struct cc_now now, const struct cc_probe *p,
                   struct cc_out *out)
{
    (void)cfg, (void)state;
    assert_true(seen_count < PROBES);
    seen[seen_count].at_ps = now.ps;
    seen[seen_count++].rtt_ps = p->rtt_ps;
    out->probe_ps = now.ps - p->rtt_ps + EVERY_PS;
}

/* Requests another probe while one is in flight. */
static void on_sent(const void *cfg, void *state, struct cc_now now, uint32_t bytes, struct cc_out *out)
{
    (void)cfg, (void)state, (void)bytes;
    if (asks_twice && now.ps > 0)
        out->probe_ps = now.ps;
}

static void start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state;
    *out = (struct cc_out){ .rate_bps = 10 * GBPS, .window_bytes = UINT64_MAX,
                            .due_ps = NEVER, .probe_ps = now.ps, .counts_bytes = asks_twice };
}

static void configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static const struct cc_algo prober = { .on_rtt = on_rtt, .on_sent = on_sent, .start = start,
                                       .configure = configure,
                                       .name = "prober" };

/* Runs flows of 'bytes' from hosts 1 .. flows to host 0. */
static void run(struct sim_cfg *cfg, uint32_t flows, uint64_t bytes, double loss, struct world *w)
{
    struct flow_row flow[8];
    struct graph    g;

    seen_count = 0;
    graph_star(&g, &(struct graph_star){ flows + 1, 100 * GBPS, DELAY_PS });
    g.link[0].loss = loss;
    for (uint32_t i = 0; i < flows; i++)
        flow[i] = (struct flow_row){ .src = i + 1, .dst = 0, .prio = 3, .dport = 100, .bytes = bytes };
    world_of_flows(w, &g, cfg, flow, flows);
    assert_true(world_finish(w, PS_PER_MS, PS_PER_S));
}

static void use_prober(struct sim_cfg *cfg)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->cc = &prober;
    asks_twice = false;
}

/* 10 Gb/s of 100: packets leave every 884.8 ns, so a probe is at most that much late. */
static void probe__measures_the_empty_network(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    use_prober(&cfg);
    run(&cfg, 1, 1000000, 0, &w);
    assert_in_range(seen_count, 800000 / 10885, 870000 / 10000);
    for (uint32_t i = 0; i < seen_count; i++) {
        assert_int_equal(seen[i].rtt_ps, EMPTY_PS);
        if (i > 0)
            assert_in_range(seen[i].at_ps - seen[i - 1].at_ps, EVERY_PS, EVERY_PS + 885000);
    }
    assert_int_equal(w.sim->net.host[1].port->counters.tx_packets[CLASS_CNP], seen_count);
    assert_int_equal(w.sim->net.host[0].port->counters.tx_packets[CLASS_CNP], seen_count);
    world_end(&w);
}

/* Eight flows of 20 Gb/s in total queue in the class of data, but not in a class with precedence. */
static void probe__measures_the_queues_of_its_class(void **unused)
{
    uint64_t       longest[2] = { 0 };
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    for (int own = 0; own < 2; own++) {
        struct flow_row flow[8];
        struct graph    g;

        use_prober(&cfg);
        if (own)
            cfg.knobs.value[KNOB_rtt_probe_prio] = 6;
        seen_count = 0;
        graph_star(&g, &(struct graph_star){ 8, 100 * GBPS, DELAY_PS });
        g.link[0].rate_bps = 50 * GBPS;          /* link of host 0 */
        for (uint32_t i = 0; i < 7; i++)
            flow[i] = (struct flow_row){ .src = i + 1, .dst = 0, .prio = 3, .dport = 100, .bytes = 300000 };
        world_of_flows(&w, &g, &cfg, flow, 7);
        assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
        for (uint32_t i = 0; i < seen_count; i++)
            longest[own] = seen[i].rtt_ps > longest[own] ? seen[i].rtt_ps : longest[own];
        world_end(&w);
    }
    /* 70 Gb/s into 50: at the end two sevenths of the data wait, 600 KB or 96 us. */
    assert_true(longest[0] > 60 * PS_PER_US);
    assert_true(longest[1] < EMPTY_PS + PS_PER_US);
}

/* A congestion control that requests a probe with every packet still has one in flight at a time. */
static void probe__one_at_a_time(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    use_prober(&cfg);
    asks_twice = true;
    run(&cfg, 1, 1000 * 1024, 0, &w);
    for (uint32_t i = 1; i < seen_count; i++)
        assert_in_range(seen[i].at_ps - seen[i - 1].at_ps, EMPTY_PS, EMPTY_PS + 2 * 885000);
    assert_in_range(seen_count, 884800 / 5882, 884800 / 4112);
    assert_in_range(w.sim->net.host[1].port->counters.tx_packets[CLASS_CNP], seen_count, seen_count + 1);
    world_end(&w);
}

/* Three frames in ten are lost on one link. Some probes are lost too, and each is replaced after a while. */
static void probe__is_replaced_when_lost(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;
    uint64_t       sent, last = 0;
    bool           was_lost = false;

    (void)unused;
    use_prober(&cfg);
    cfg.rto_ps = 100 * PS_PER_US;
    run(&cfg, 1, 2000000, 0.3, &w);
    sent = w.sim->net.host[1].port->counters.tx_packets[CLASS_CNP];
    assert_true(seen_count > 3 && sent > seen_count);
    for (uint32_t i = 0; i < seen_count; i++) {
        assert_in_range(seen[i].rtt_ps, EMPTY_PS - PACKET_PS, EMPTY_PS + PACKET_PS);
        was_lost |= seen[i].at_ps - last >= PROBE_LOST_PS;
        last = seen[i].at_ps;
    }
    assert_true(was_lost);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe__measures_the_empty_network),
        cmocka_unit_test(probe__measures_the_queues_of_its_class),
        cmocka_unit_test(probe__one_at_a_time),
        cmocka_unit_test(probe__is_replaced_when_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
