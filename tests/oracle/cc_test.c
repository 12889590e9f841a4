/* tests/oracle/cc_test.c - where congestion controls converge, in whole worlds of model nic: n long flows
 * into one port of 100 Gb/s. Expected values are derived here from the rules that their authors give.
 */
#include "sim/test_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LINE_BPS  (100 * GBPS)
#define WARM_PS   (3 * PS_PER_MS)
#define LOOK_PS   (2 * PS_PER_MS)
#define SAMPLE_PS (PS_PER_US / 2)

struct settled {
    double use;                  /* share of the time that the port was busy */
    double queue_mean, queue_min, queue_max;     /* bytes */
    double rtt_us;               /* mean */
    double base_us;              /* empty round trip, as the congestion controls know it */
    double share_min, share_max; /* of single flows, relative to an equal share */
};

static uint64_t queue_bytes(const struct port *p)
{
    uint64_t bytes = 0;

    for (uint32_t c = 0; c < PRIOS; c++)
        bytes += p->queue[c].bytes;
    return bytes;
}

static double sent_bytes(const struct sim *s, const struct port *p)
{
    uint64_t packets = 0;

    for (int class = 0; class < PACKET_CLASSES; class++)
        packets += p->counters.tx_packets[class];
    return (double)(p->counters.tx_bytes + packets * s->cfg.spacing_bytes);
}

static void look(struct world *w, uint32_t senders, struct settled *out)
{
    struct sim        *s = w->sim;
    const struct port *p = s->net.host[0].port->peer;
    double             sum = 0, sent, from[65], all = 0;
    uint64_t           samples = 0, rtts, rtt_sum;

    *out = (struct settled){ .queue_min = INFINITY, .share_min = INFINITY,
                             .base_us = (double)s->net.base_rtt_ps / PS_PER_US };
    sim_run_until(s, WARM_PS);
    sent = sent_bytes(s, p);
    rtts = s->engine.counters.rtt_samples;
    rtt_sum = s->engine.counters.rtt_ps_sum;
    for (uint32_t i = 1; i <= senders; i++)
        from[i] = sent_bytes(s, s->net.host[i].port);
    for (uint64_t at = WARM_PS; at < WARM_PS + LOOK_PS; samples++) {
        double queue;

        sim_run_until(s, at += SAMPLE_PS);
        queue = (double)queue_bytes(p);
        sum += queue;
        out->queue_min = queue < out->queue_min ? queue : out->queue_min;
        out->queue_max = queue > out->queue_max ? queue : out->queue_max;
    }
    sim_check(s);
    assert_int_equal(w->done_count, 0);
    out->use = (sent_bytes(s, p) - sent) * 8e12 / (double)LOOK_PS / (double)LINE_BPS;
    out->queue_mean = sum / (double)samples;
    out->rtt_us = (double)(s->engine.counters.rtt_ps_sum - rtt_sum) /
                  (double)(s->engine.counters.rtt_samples - rtts) / PS_PER_US;
    for (uint32_t i = 1; i <= senders; i++)
        all += from[i] = sent_bytes(s, s->net.host[i].port) - from[i];
    for (uint32_t i = 1; i <= senders; i++) {
        double share = from[i] * senders / all;

        out->share_min = share < out->share_min ? share : out->share_min;
        out->share_max = share > out->share_max ? share : out->share_max;
    }
}

/* Runs n flows that do not end during the measurement. */
static void settle(struct sim_cfg *cfg, uint32_t senders, struct settled *out)
{
    struct flow_row flow[64];
    struct world    w;
    struct graph    g;

    graph_star(&g, &(struct graph_star){ senders + 1, LINE_BPS, PS_PER_US });
    for (uint32_t i = 0; i < senders; i++)
        flow[i] = (struct flow_row){ .src = i + 1, .dst = 0, .prio = 3, .dport = 100, .bytes = 80000000 };
    world_of_flows(&w, &g, cfg, flow, senders);
    look(&w, senders, out);
    world_end(&w);
}

static void use_control(struct sim_cfg *cfg, const char *name)
{
    world_cfg(cfg, MODEL_NIC);
    cfg->cc = cc_find(name);
    assert_non_null(cfg->cc);
}

static void show(const char *name, uint32_t n, const struct settled *s)
{
    print_message(
        "%-10s %2u flows: use %.4f, queue %.0f .. %.0f .. %.0f bytes, round trip %.2f us (empty %.2f), "
        "shares %.2f .. %.2f\n",
        name, n, s->use, s->queue_min, s->queue_mean, s->queue_max, s->rtt_us, s->base_us, s->share_min,
        s->share_max);
}

/* R = Rc / (U / eta) + AI is stationary where U = eta + n AI / line; AI is 1/2500 of the line. U is the
 * utilization of the link plus the queue, in bytes per round trip. Packets of n flows may arrive at once, and
 * nothing else waits. */
static void hpcc__settles_at_its_target_with_an_empty_queue(void **unused)
{
    static const uint32_t flows[] = { 1, 2, 4, 8 };

    (void)unused;
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        uint32_t       n = flows[i];
        double         target;
        struct sim_cfg cfg;
        struct settled s;

        use_control(&cfg, "hpcc");
        cfg.knobs.value[KNOB_hpcc_max_stage] = 0;
        settle(&cfg, n, &s);
        show("hpcc", n, &s);
        target = 0.95 + n / 2500.0;
        assert_true(s.use < target + 0.002);
        assert_true(s.use > target - s.queue_mean * 8 / (double)LINE_BPS * 1e6 / s.base_us - 0.002);
        assert_true(s.queue_max <= n * 1106);
        assert_true(s.rtt_us < s.base_us + n * 0.09);
    }
}

/* With another target it converges there. */
static void hpcc__follows_eta(void **unused)
{
    struct sim_cfg cfg;
    struct settled s;

    (void)unused;
    use_control(&cfg, "hpcc");
    cfg.knobs.value[KNOB_hpcc_max_stage] = 0;
    cfg.knobs.value[KNOB_hpcc_eta] = 0.8;
    settle(&cfg, 4, &s);
    assert_true(fabs(s.use - (0.8 + 4 / 2500.0)) < 0.005);
}

/* The digest is unbiased, to a hundredth. */
static void hpcc_pint__settles_where_hpcc_does(void **unused)
{
    struct sim_cfg cfg;
    struct settled s;

    (void)unused;
    use_control(&cfg, "hpcc_pint");
    cfg.knobs.value[KNOB_hpcc_max_stage] = 0;
    settle(&cfg, 4, &s);
    show("hpcc_pint", 4, &s);
    assert_true(fabs(s.use - 0.95) < 0.02);
    assert_true(s.queue_mean < 4 * 1106);
}

/* DCTCP's analysis (SIGCOMM 2010, 3.3) with a step of 'a' bytes of window per round trip instead of a packet:
 * the queue rises to K + n a and oscillates by sqrt(2 n (C RTT + K) a) / 2. Frames arrive whole. */
static void dctcp__keeps_its_queue_near_k(void **unused)
{
    static const uint32_t flows[] = { 3, 4, 8 };

    (void)unused;
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        uint32_t       n = flows[i];
        double         k = 60000, step, swing;
        struct sim_cfg cfg;
        struct settled s;

        use_control(&cfg, "dctcp");
        cfg.knobs.value[KNOB_kmin] = cfg.knobs.value[KNOB_kmax] = k / 1000;
        cfg.knobs.value[KNOB_pmax] = 1;
        settle(&cfg, n, &s);
        show("dctcp", n, &s);
        step = cfg.knobs.value[KNOB_dctcp_ai] * 1e6 / 8 * s.base_us / 1e6;
        swing = sqrt(2 * n * ((double)LINE_BPS / 8e6 * s.base_us + k) * step) / 2;
        assert_true(s.use > 0.999);
        assert_true(s.queue_max < k + n * step + (n + 1) * 1106);
        assert_true(s.queue_mean > k - 2 * swing && s.queue_mean < k + n * 1106);
    }
}

/* Below tlow every round trip raises, above thigh every one cuts: the mean is in between, and the link is
 * busy. */
static void timely__stays_within_its_bounds(void **unused)
{
    struct sim_cfg cfg;
    struct settled s;

    (void)unused;
    use_control(&cfg, "timely");
    cfg.knobs.value[KNOB_timely_tlow] = 20;
    cfg.knobs.value[KNOB_timely_thigh] = 60;
    settle(&cfg, 4, &s);
    show("timely", 4, &s);
    assert_true(s.rtt_us < 60);
    assert_true(s.queue_max < 60e-6 * (double)LINE_BPS / 8 * 1.2);
    assert_true(s.use > 0.8);
}

/* A window that is not a whole number of packets also admits the next one, so there may be one more packet
 * per flow. */
#define PACKET_US (1106 * 8 / (double)LINE_BPS * 1e6)

/* n windows of w packets fill a link whose round trip is their target: n w packet = line x (base + hop + a /
 * sqrt(w) + b). The left side grows with w and the right side falls. */
static double swift_target_us(const struct settled *s, uint32_t n, double hop_us, double range_us)
{
    double a = range_us / (1 / sqrt(0.1) - 1 / sqrt(100)), b = -a / sqrt(100), low = 1e-3, high = 1e4;

    for (int i = 0; i < 200; i++) {
        double w = (low + high) / 2, term = a / sqrt(w) + b;

        term = term < 0 ? 0 : term > range_us ? range_us : term;
        if (n * w * PACKET_US < s->base_us + hop_us + term)
            low = w;
        else
            high = w;
    }
    return n * low * PACKET_US;
}

static void swift__settles_at_its_target_delay(void **unused)
{
    static const uint32_t flows[] = { 2, 4, 8, 32 };

    (void)unused;
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        uint32_t       n = flows[i];
        struct sim_cfg cfg;
        struct settled s;
        double         target_us;

        use_control(&cfg, "swift");
        settle(&cfg, n, &s);
        show("swift", n, &s);
        target_us = swift_target_us(&s, n, 0.5, 3 * s.base_us);
        print_message("           target %.2f us\n", target_us);
        assert_true(s.rtt_us > 0.95 * target_us && s.rtt_us < target_us + n * PACKET_US / 2);
        assert_true(s.use > 0.95);
    }
}

/* Each switch on the path raises the target: the same flows, with another term per hop. */
static void swift__counts_hops(void **unused)
{
    struct settled none, four;
    struct sim_cfg cfg;

    (void)unused;
    use_control(&cfg, "swift");
    cfg.knobs.value[KNOB_swift_hop] = 0;
    settle(&cfg, 8, &none);
    cfg.knobs.value[KNOB_swift_hop] = 4;
    settle(&cfg, 8, &four);
    assert_true(fabs(none.rtt_us / swift_target_us(&none, 8, 0, 3 * none.base_us) - 1) < 0.05);
    assert_true(fabs(four.rtt_us / swift_target_us(&four, 8, 4, 3 * four.base_us) - 1) < 0.05);
    assert_true(four.rtt_us > none.rtt_us + 2);
}

/* So many flows that one packet of each exceeds the target: windows below one packet are paced, and the queue
 * stays at the target of the smallest windows. Without pacing it would be at least one packet per flow. */
static void swift__paces_below_one_packet(void **unused)
{
    const uint32_t n = 60;
    double         one_each_us = n * (4096 + 82) * 8 / (double)LINE_BPS * 1e6;
    struct sim_cfg cfg;
    struct settled s;

    (void)unused;
    use_control(&cfg, "swift");
    cfg.mtu_bytes = 4096;
    cfg.knobs.value[KNOB_swift_fs_range] = 1;
    settle(&cfg, n, &s);
    show("swift", n, &s);
    assert_true(s.base_us + 1.5 < one_each_us / 2);
    assert_true(s.rtt_us < one_each_us / 1.5);
}

/* Cuts begin at the target, and only a few raises exceed it. */
static void rttcc__settles_at_its_target(void **unused)
{
    static const uint32_t flows[] = { 1, 2, 4, 4 };
    static const double   takes_us[] = { 0, 0, 0, 0.9 };

    (void)unused;
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        uint32_t       n = flows[i];
        struct sim_cfg cfg;
        struct settled s;

        use_control(&cfg, "rttcc");
        cfg.knobs.value[KNOB_rttcc_decision] = takes_us[i];
        settle(&cfg, n, &s);
        show("rttcc", n, &s);
        assert_true(s.rtt_us < 1.5 * s.base_us);
        assert_true(s.use > (n == 1 ? 0.99 : 0.85));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hpcc__settles_at_its_target_with_an_empty_queue),
        cmocka_unit_test(hpcc__follows_eta),
        cmocka_unit_test(hpcc_pint__settles_where_hpcc_does),
        cmocka_unit_test(dctcp__keeps_its_queue_near_k),
        cmocka_unit_test(timely__stays_within_its_bounds),
        cmocka_unit_test(swift__settles_at_its_target_delay),
        cmocka_unit_test(swift__counts_hops),
        cmocka_unit_test(swift__paces_below_one_packet),
        cmocka_unit_test(rttcc__settles_at_its_target),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
