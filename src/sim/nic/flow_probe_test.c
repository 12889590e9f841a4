/* src/sim/nic/flow_probe_test.c - RTT probes of persistent queue pairs: while they are idle, and afterwards.
 *
 * Oracles: times of frames over known links, a congestion control that only records what it receives, rttcc,
 * and Swift, which measures by its ACKs: their rates must not change while nothing arrives.
 */
#include "sim/nic/flow.h"
#include "sim/nic/probe.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define PROBE_PS ((78 + 20) * BYTE_PS)
#define FULL_PS  ((1024 + 62 + 20) * BYTE_PS)
#define ACK_PS   ((66 + 20) * BYTE_PS)
#define BACK_PS  (2 * (ACK_PS + DELAY_PS))
#define THERE_PS (2 * (FULL_PS + DELAY_PS))

static void start_star(struct world *w, const struct sim_cfg *cfg, uint32_t hosts, double loss,
                       const struct flow_row *flow,
                       uint32_t count)
{
    struct flow_list list = { xcalloc(count + 1ul, sizeof *list.flow), count };
    struct traffic  *t;
    struct graph     g;
    struct err       err;

    graph_star(&g, &(struct graph_star){ hosts, 100 * GBPS, DELAY_PS });
    g.link[0].loss = loss;
    t = traffic_new(&g, cfg->seed);
    memcpy(list.flow, flow, count * sizeof *flow);
    traffic_add_list(t, &list);
    traffic_use_qps(t, 1);
    assert_int_equal(world_start(w, &g, cfg, t, &err), 0);
}

static struct flow_row row(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_us)
{
    return (struct flow_row){ .src = src, .dst = dst, .prio = 3, .dport = 4791, .bytes = bytes,
                              .start_ps = start_us * PS_PER_US };
}

/* ---- a congestion control that records what it receives ---- */

#define SEEN_MAX 1000u

static struct { uint64_t at_ps, rtt_ps; } seen[SEEN_MAX];
static uint32_t seen_count, starts;

static void on_rtt(const void *cfg, void *state, struct cc_now now, const struct cc_probe *probe,
                   struct cc_out *out)
{
    (void)cfg, (void)state;
    assert_true(seen_count < SEEN_MAX);
    seen[seen_count].at_ps = now.ps;
    seen[seen_count++].rtt_ps = probe->rtt_ps;
    out->probe_ps = now.ps;                      /* immediately, if there is something to send */
}

static void start(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)state;
    starts++;
    *out = (struct cc_out){ .rate_bps = 100 * GBPS, .window_bytes = UINT64_MAX,
                            .due_ps = NEVER, .probe_ps = now.ps };
}

static void configure(void *cfg, const struct knobs *k, const struct cc_link *link)
{
    (void)cfg, (void)k, (void)link;
}

static const struct cc_algo prober = { .on_rtt = on_rtt, .start = start, .configure = configure,
                                       .name = "prober" };

static void use_prober(struct sim_cfg *cfg)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->cc = &prober;
    seen_count = starts = 0;
}

/* A probe follows the first packet of each message and returns behind the ACK, to a pair that is idle by
 * then. It counts and requests another one, which is not sent before there is a message. So an idle pair does
 * nothing. */
static void idle__a_returning_probe_counts(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 1024, 0), row(0, 1, 1024, 100), row(0, 1, 1024, 20000) };
    struct sim_cfg        cfg;
    struct world          w;
    uint64_t              events;

    (void)unused;
    use_prober(&cfg);
    start_star(&w, &cfg, 2, 0, flow, 3);
    sim_run_until(w.sim, THERE_PS + BACK_PS);
    assert_int_equal(w.sim->flows.flow[1].phase, FLOW_IDLE);
    assert_int_equal(seen_count, 0);
    assert_int_not_equal(w.sim->flows.probe[1].asked_ps, 0);
    sim_run_until(w.sim, 20 * PS_PER_US);
    assert_int_equal(seen_count, 1);
    assert_int_equal(w.sim->flows.probe[1].asked_ps, 0);
    /* The packet precedes it at both hops, and its ACK does on the return path. */
    assert_int_equal(seen[0].rtt_ps, 4 * (PROBE_PS + DELAY_PS) + FULL_PS - PROBE_PS);
    sim_run_until(w.sim, 200 * PS_PER_US);
    assert_int_equal(seen_count, 2);
    events = w.sim->engine.counters.events;
    sim_run_until(w.sim, 20000 * PS_PER_US - 1);
    assert_int_equal(w.sim->engine.counters.events, events);
    assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
    assert_int_equal(seen_count, 3);
    assert_int_equal(starts, 1);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(seen[i].rtt_ps, seen[0].rtt_ps);
        assert_int_equal(w.done[i].fct_ps, THERE_PS + BACK_PS);
    }
    world_end(&w);
}

/* With idle_reset the congestion control restarts and requests a probe. */
static void idle__reset_requests_a_probe(void **unused)
{
    const struct flow_row flow[] = { row(0, 1, 1024, 0), row(0, 1, 1024, 50), row(0, 1, 1024, 300) };
    struct sim_cfg        cfg;
    struct world          w;

    (void)unused;
    use_prober(&cfg);
    cfg.idle_reset_ps = 100 * PS_PER_US;
    start_star(&w, &cfg, 2, 0, flow, 3);
    assert_true(world_finish(&w, PS_PER_US, PS_PER_S));
    assert_int_equal(starts, 2);
    assert_int_equal(seen_count, 3);
    world_end(&w);
}

/* Two frames in ten are lost at the sender. A lost probe is not awaited longer than PROBE_LOST_PS: a later
 * message has a probe again. With 200 messages, one every 2 ms, there are at most as many probes as messages,
 * and at least as many as round trips without a loss (0.64, minus four standard deviations). */
static void idle__lost_probe_is_forgotten(void **unused)
{
    struct flow_row flow[200];
    struct sim_cfg  cfg;
    struct world    w;

    (void)unused;
    use_prober(&cfg);
    cfg.rto_ps = 100 * PS_PER_US;
    for (uint32_t i = 0; i < 200; i++)
        flow[i] = row(0, 1, 1024, 2000ull * i);
    start_star(&w, &cfg, 2, 0.2, flow, 200);
    assert_true(world_finish(&w, PS_PER_MS, 10 * PS_PER_S));
    assert_int_equal(w.done_count, 200);
    assert_in_range(seen_count, 200 * 0.64 - 4 * 6.8, 200 * 0.64 + 4 * 6.8 + 20);
    assert_true(w.sim->net.host[0].port->counters.tx_packets[CLASS_CNP] >= 200);
    world_end(&w);
}

/* ---- Swift and rttcc ---- */

/* Seven hosts send to one until their rates are below the line rate, then nothing for 50 ms; late answers
 * have arrived by then. Nothing changes in between, and no event runs. Then the second message continues at
 * the previous rate. */
static void rates__stay_while_idle(void **unused)
{
    static const char *const controls[] = { "swift", "rttcc" };

    (void)unused;
    for (uint32_t c = 0; c < 2; c++) {
        struct flow_row flow[14];
        struct cc_out   out[8];
        struct sim_cfg  cfg;
        struct world    w;
        uint64_t        events;
        uint32_t        slow = 0;

        world_cfg(&cfg, MODEL_NIC);
        cfg.cc = cc_find(controls[c]);
        for (uint32_t i = 0; i < 7; i++) {
            flow[i] = row(i, 7, 300000, 0);
            flow[7 + i] = row(i, 7, 300000, 60000);
        }
        start_star(&w, &cfg, 8, 0, flow, 14);
        sim_run_until(w.sim, 10 * PS_PER_MS);
        assert_int_equal(w.done_count, 7);
        for (uint32_t i = 1; i <= 7; i++) {
            assert_int_equal(w.sim->flows.flow[i].phase, FLOW_IDLE);
            /* Swift needs no probes */
            assert_true(!w.sim->flows.probe || w.sim->flows.probe[i].asked_ps == 0);
            out[i] = w.sim->flows.flow[i].out;
            slow += out[i].rate_bps < 90 * GBPS;
        }
        assert_int_equal(slow, 7);
        events = w.sim->engine.counters.events;
        sim_run_until(w.sim, 60 * PS_PER_MS - 1);
        assert_int_equal(w.sim->engine.counters.events, events);
        for (uint32_t i = 1; i <= 7; i++) {
            assert_int_equal(w.sim->flows.flow[i].out.rate_bps, out[i].rate_bps);
            assert_int_equal(w.sim->flows.flow[i].out.window_bytes, out[i].window_bytes);
        }
        sim_run_until(w.sim, 60 * PS_PER_MS + PS_PER_US);    /* before any answer can have arrived */
        for (uint32_t i = 1; i <= 7; i++) {
            uint64_t gap_ps = (1024 + 62 + 20) * 8ull * PS_PER_S / out[i].rate_bps;
            uint64_t sent = w.sim->flows.flow[i].sent - 300000;

            assert_int_equal(w.sim->flows.flow[i].out.rate_bps, out[i].rate_bps);
            assert_in_range(sent / 1024, PS_PER_US / gap_ps, PS_PER_US / gap_ps + 1);
        }
        assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
        assert_int_equal(w.sim->flows.pairs.count, 7);
        world_end(&w);
    }
}

/* A lone pair: nothing slows it down, however often it is idle. Every message takes as long as alone plus at
 * most the transmission of a probe, which is sent after its first packet and before its last. */
static void alone__every_message_at_line_rate(void **unused)
{
    static const char *const controls[] = { "swift", "rttcc" };

    (void)unused;
    for (uint32_t c = 0; c < 2; c++) {
        struct flow_row flow[50];
        struct sim_cfg  cfg;
        struct world    w;

        for (uint32_t i = 0; i < 50; i++)
            flow[i] = row(0, 1, 16 * 1024, 37ull * i);
        world_cfg(&cfg, MODEL_NIC);
        cfg.cc = cc_find(controls[c]);
        start_star(&w, &cfg, 2, 0, flow, 50);
        assert_true(world_finish(&w, PS_PER_MS, PS_PER_S));
        for (uint32_t i = 0; i < 50; i++)
            assert_in_range(w.done[i].fct_ps, 15 * FULL_PS + THERE_PS + BACK_PS,
                            15 * FULL_PS + THERE_PS + BACK_PS + PROBE_PS);
        assert_true(w.sim->net.host[0].port->counters.tx_packets[CLASS_CNP] >= (c ? 50 : 0));
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle__a_returning_probe_counts),
        cmocka_unit_test(idle__reset_requests_a_probe),
        cmocka_unit_test(idle__lost_probe_is_forgotten),
        cmocka_unit_test(rates__stay_while_idle),
        cmocka_unit_test(alone__every_message_at_line_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
