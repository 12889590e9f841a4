/* src/sim/transport/uet/uet_test.c
 *
 * Oracles: closed forms. A lone flow takes the transmission time of its bytes; NSCC keeps the queue near its
 * target; receiver credit divides a link equally; UET and RoCE share a link by the weights of their classes.
 */
#include "sim/transport/uet/uet.h"
#include "sim/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTE_PS  80              /* at 100 Gb/s */
#define DELAY_PS PS_PER_US
#define FULL     (4096 + 64)
#define FULL_PS  ((FULL + 20) * BYTE_PS)
#define HEAD_PS  ((64 + 20) * BYTE_PS)
#define LONG_PS  (PS_PER_S / 10)

static void start_star(struct world *w, const struct sim_cfg *cfg, uint32_t hosts,
                       const struct flow_row *flow, uint32_t count)
{
    struct graph g;

    graph_star(&g, &(struct graph_star){ hosts, 100 * GBPS, DELAY_PS });
    world_of_flows(w, &g, cfg, flow, count);
}

/* 'senders' hosts send 'bytes' each to the last host at the same time. */
static void start_incast(struct world *w, const struct sim_cfg *cfg, uint32_t senders, uint64_t bytes)
{
    struct flow_row flow[64];

    for (uint32_t i = 0; i < senders; i++)
        flow[i] = (struct flow_row){ .src = i, .dst = senders, .prio = 3, .dport = (uint16_t)(i + 1),
                                     .bytes = bytes };
    start_star(w, cfg, senders + 1, flow, senders);
}

static void finish(struct world *w)
{
    assert_true(world_finish(w, PS_PER_MS, LONG_PS));
}

/* ---- numbers in ACKs ---- */

static void ack_pack__keeps_all_fields(void **unused)
{
    static const struct uet_ack rows[] = {
        { 0, 0, 0, 0 }, { 1000, 0, 999, UET_ACK_AGAIN }, { 7, 4095, 4102, UET_ACK_AGAIN | UET_ACK_AT_LAST },
        { 0xffffffff, 1, 0xffffffffu - 4000, 0 }, { 5, 2, 8191, UET_ACK_PROBE },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t       seq = uet_ack_pack(&rows[i]);
        struct uet_ack a = uet_ack_unpack(seq);

        assert_memory_equal(&a, &rows[i], sizeof a);
    }
}

/* ---- one flow ---- */

/* n packets leave back to back; the last one's second hop, and its ACK, follow. */
static void lone_flow__takes_its_transmission_time(void **unused)
{
    static const uint32_t packets[] = { 1, 2, 5, 64, 1000 };

    (void)unused;
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        struct flow_row flow = { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = packets[i] * 4096ull };
        struct sim_cfg  cfg;
        struct world    w;

        world_cfg(&cfg, MODEL_UET);
        start_star(&w, &cfg, 2, &flow, 1);
        finish(&w);
        assert_int_equal(w.done[0].fct_ps, (packets[i] + 1ull) * FULL_PS + 2 * HEAD_PS + 4 * DELAY_PS);
        assert_int_equal(w.done[0].fct_ps, w.done[0].ideal_ps);
        world_end(&w);
    }
}

/* Sprayed over all paths of a fat-tree, with every balancer. */
static void lone_flow__is_ideal_with_every_balancer(void **unused)
{
    static const char *const names[] = { "mixed", "oblivious", "bitmap", "reps", "reps_legacy",
                                         "spray", "adaptive", "ecmp" };

    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct flow_row flow = { .src = 0, .dst = 15, .prio = 3, .dport = 1, .bytes = 3000000 };
        struct sim_cfg  cfg;
        struct graph    g;
        struct world    w;

        world_cfg(&cfg, MODEL_UET);
        cfg.lb = lb_find(names[i]);
        graph_fat_tree(&g, &(struct graph_fat_tree){ 4, 400 * GBPS, DELAY_PS });
        world_of_flows(&w, &g, &cfg, &flow, 1);
        finish(&w);
        assert_int_equal(w.done[0].fct_ps, w.done[0].ideal_ps);
        assert_int_equal(w.sim->engine.counters.sent_again, 0);
        world_end(&w);
    }
}

/* A NIC of 400 Gb/s has a port of 100 Gb/s in each of four planes: a lone flow uses all of them. Its packets
 * leave at 400 Gb/s, and each takes four times as long on the four links of its plane. */
static void lone_flow__uses_all_planes(void **unused)
{
    static const uint32_t packets[] = { 1, 3, 4, 5, 400 };

    (void)unused;
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        struct flow_row flow = { .src = 0, .dst = 7, .prio = 3, .dport = 1, .bytes = packets[i] * 4096ull };
        uint64_t way_ps = 4 * (FULL_PS + HEAD_PS + 2 * DELAY_PS) + (FULL_PS + 2 * HEAD_PS) / 4, inside_ps;
        struct sim_cfg  cfg;
        struct graph    g;
        struct world    w;

        world_cfg(&cfg, MODEL_UET);
        cfg.lb = lb_find("spray");
        cfg.knobs.value[KNOB_spray_mode] = 1;        /* round robin */
        graph_planes(&g, &(struct graph_planes){ .planes = 4, .tors = 2, .hosts = 4, .spines = 2,
                                                 .parallel = 1, .gpus = 1,
                                                 .rate_bps = 100 * GBPS, .delay_ps = DELAY_PS,
                                                 .fabric_rate_bps = 100 * GBPS,
                                                 .fabric_delay_ps = DELAY_PS });
        world_of_flows(&w, &g, &cfg, &flow, 1);
        /* Inside both NICs, in both directions. */
        inside_ps = 4ull * w.sim->net.port[w.sim->net.node[0].first_port].delay_ps;
        finish(&w);
        assert_int_equal(w.done[0].fct_ps, packets[i] * FULL_PS / 4 + way_ps + inside_ps);
        assert_int_equal(w.done[0].ideal_ps, w.done[0].fct_ps);
        world_end(&w);
    }
}

/* Credit is granted at 99 % of the link rate. */
static void lone_flow__keeps_the_pace_of_credit(void **unused)
{
    struct flow_row flow = { .src = 0, .dst = 1, .prio = 3, .dport = 1, .bytes = 4096 * 5000ull };
    struct sim_cfg  cfg;
    struct world    w;

    (void)unused;
    world_cfg(&cfg, MODEL_UET);
    cfg.cc = cc_find("rccc");
    start_star(&w, &cfg, 2, &flow, 1);
    finish(&w);
    assert_in_range(w.done[0].fct_ps, w.done[0].ideal_ps, w.done[0].ideal_ps * 102 / 100);
    assert_int_equal(w.sim->engine.counters.sent_again, 0);
    world_end(&w);
}

/* ---- several flows ---- */

/* NSCC aims for a queueing delay of 0.75 empty round trips. */
static void nscc__holds_the_delay_near_its_target(void **unused)
{
    static const uint32_t flows[] = { 2, 4, 8 };

    (void)unused;
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        const struct sim_counters *c;
        struct sim_cfg             cfg;
        struct world               w;
        double                     target_ps, delay_ps;
        uint64_t                   sum, samples;

        world_cfg(&cfg, MODEL_UET);
        start_incast(&w, &cfg, flows[i], 8000000);
        c = &w.sim->engine.counters;
        sim_run_until(w.sim, 400 * PS_PER_US);
        sum = c->rtt_ps_sum;
        samples = c->rtt_samples;
        sim_run_until(w.sim, 1200 * PS_PER_US);
        delay_ps = (double)(c->rtt_ps_sum - sum) / (double)(c->rtt_samples - samples) -
                   (double)w.sim->net.base_rtt_ps;
        target_ps = 0.75 * (double)w.sim->net.base_rtt_ps;
        assert_true(delay_ps > 0.8 * target_ps && delay_ps < 1.3 * target_ps);
        world_end(&w);
    }
}

/* All flows get the same share, to one grant, whatever they lost at the start; together they fill the
 * link. */
static void credit__divides_an_incast_equally(void **unused)
{
    static const char *const controls[] = { "rccc", "nscc_rccc" };

    (void)unused;
    for (size_t c = 0; c < 2; c++) {
        struct sim_cfg cfg;
        struct world   w;
        uint64_t       first = UINT64_MAX, last = 0;

        world_cfg(&cfg, MODEL_UET);
        cfg.cc = cc_find(controls[c]);
        start_incast(&w, &cfg, 10, 4000000);
        finish(&w);
        for (uint32_t i = 0; i < w.done_count; i++) {
            first = w.done[i].fct_ps < first ? w.done[i].fct_ps : first;
            last = w.done[i].fct_ps > last ? w.done[i].fct_ps : last;
        }
        /* 16 KB per flow and turn */
        assert_true(last - first < 10 * 16384 * BYTE_PS * 2);
        assert_true(last < 10 * 4000000ull * BYTE_PS * (FULL + 20) / 4096 * 103 / 100);
        world_end(&w);
    }
}

/* Eight hosts send to eight others over one link that is ten times slower than theirs. Credit at the rate of
 * the hosts would fill it with headers: 8 x 10 x 84 / 584 of its bytes. */
static void credit__does_not_fill_a_slow_link_with_headers(void **unused)
{
    struct sim_cfg  cfg;
    struct world    w;
    struct graph    g;
    struct flow_row flow[8];
    uint64_t        last = 0, least_ps = 8 * 1000000ull * (500 + 64 + 20) / 500 * BYTE_PS * 10;

    (void)unused;
    world_cfg(&cfg, MODEL_UET);
    cfg.cc = cc_find("rccc");
    cfg.mtu_bytes = 500;
    graph_init(&g);
    for (uint32_t i = 0; i < 18; i++)
        graph_add_node(&g, i >= 16, NULL);
    for (uint32_t i = 0; i < 16; i++)
        graph_add_link(&g, &(struct graph_link){ i, 16 + i / 8, 100 * GBPS, DELAY_PS, 0, 0 });
    graph_add_link(&g, &(struct graph_link){ 16, 17, 10 * GBPS, DELAY_PS, 0, 0 });
    for (uint32_t i = 0; i < 8; i++)
        flow[i] = (struct flow_row){ .src = i, .dst = 8 + i, .prio = 3, .dport = (uint16_t)(i + 1),
                                     .bytes = 1000000 };
    world_of_flows(&w, &g, &cfg, flow, 8);
    finish(&w);
    for (uint32_t i = 0; i < w.done_count; i++)
        last = w.done[i].fct_ps > last ? w.done[i].fct_ps : last;
    assert_in_range(last, least_ps, 2 * least_ps);
    world_end(&w);
}

/* Senders of an incast that start with a full window each lose payload, but no header: NACKs name everything,
 * and nothing waits for a timeout. */
static void trimming__needs_no_timeout(void **unused)
{
    struct sim_cfg cfg;
    struct world   w;

    (void)unused;
    world_cfg(&cfg, MODEL_UET);
    start_incast(&w, &cfg, 32, 100000);
    finish(&w);
    assert_true(w.sim->engine.counters.trimmed > 100);
    assert_int_equal(w.sim->engine.counters.dropped_headers, 0);
    assert_int_equal(w.sim->engine.counters.timeouts, 0);
    assert_int_equal(w.sim->engine.counters.nacks_sent, w.sim->engine.counters.trimmed);
    assert_int_equal(w.sim->engine.counters.sent_again, w.sim->engine.counters.trimmed);
    world_end(&w);
}

/* Without trimming the same packets are dropped, and timeouts or SLEEK recover them; SLEEK is faster. */
static void sleek__is_faster_than_timeouts(void **unused)
{
    uint64_t done_ps[2];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct sim_cfg cfg;
        struct world   w;

        world_cfg(&cfg, MODEL_UET);
        cfg.has_trim = false;
        cfg.is_sleek = i == 1;
        cfg.rto_ps = 2 * PS_PER_MS;
        cfg.knobs.value[KNOB_trim] = 60;
        start_incast(&w, &cfg, 8, 1000000);
        finish(&w);
        assert_true(w.sim->engine.counters.dropped_lossy > 0);
        done_ps[i] = w.sim->done_ps;
        world_end(&w);
    }
    assert_true(done_ps[1] < done_ps[0]);
}

/* ---- RoCE in another class ---- */

#define ROCE 4u                  /* class of queue pairs */

static void roce_cfg(struct sim_cfg *cfg, const char *cc)
{
    world_cfg(cfg, MODEL_UET);
    cfg->cc_other[0] = (struct cc_other){ .cc = cc_find(cc), .prios = 1u << ROCE };
    cfg->cc_others = 1;
    cfg->is_lossless = true;
}

static void roce__alone_is_ideal(void **unused)
{
    static const char *const controls[] = { "none", "dcqcn", "timely", "swift", "nscc" };

    (void)unused;
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        struct flow_row flow = { .src = 0, .dst = 1, .prio = ROCE, .dport = 1, .bytes = 3000000 };
        struct sim_cfg  cfg;
        struct world    w;

        roce_cfg(&cfg, controls[i]);
        cfg.ack_every = 1;
        start_star(&w, &cfg, 2, &flow, 1);
        finish(&w);
        assert_int_equal(w.done[0].fct_ps, w.done[0].ideal_ps);
        assert_int_equal(w.sim->engine.counters.sent_again + w.sim->engine.counters.trimmed, 0);
        world_end(&w);
    }
}

/* Returns when the last flow of a class ended. */
static uint64_t last_ps(const struct world *w, uint8_t prio)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < w->done_count; i++)
        if (w->done[i].prio == prio && w->done[i].fct_ps > last)
            last = w->done[i].fct_ps;
    return last;
}

/* Two hosts send by UET and two by RoCE to one receiver, as fast as they can. The bytes of each transport are
 * proportional to its weight, so both end when the link has carried everything. */
static void roce__shares_a_link_by_weight(void **unused)
{
    static const uint8_t rows[][2] = { { 1, 1 }, { 1, 3 }, { 4, 1 } };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t        all_ps = 2ull * 500 * (rows[i][0] + rows[i][1]) * FULL_PS;
        struct flow_row flow[4];
        struct sim_cfg  cfg;
        struct world    w;

        roce_cfg(&cfg, "none");
        for (uint32_t f = 0; f < 4; f++)
            flow[f] = (struct flow_row){ .src = f, .dst = 4, .prio = (uint8_t)(f % 2 ? ROCE : 3),
                                         .dport = (uint16_t)(f + 1),
                                         .bytes = 500ull * 4096 * rows[i][f % 2] };
        cfg.weight[3] = rows[i][0];
        cfg.weight[ROCE] = rows[i][1];
        cfg.buffer_bytes = 1000000;
        start_star(&w, &cfg, 5, flow, 4);
        finish(&w);
        assert_in_range(last_ps(&w, 3), all_ps * 95 / 100, all_ps * 105 / 100);
        assert_in_range(last_ps(&w, ROCE), all_ps * 95 / 100, all_ps * 105 / 100);
        assert_int_equal(w.sim->engine.counters.dropped_buffer, 0);
        assert_true(w.pfc_count > 0);
        for (uint32_t p = 0; p < w.pfc_count; p++)
            assert_int_equal(w.pfc[p].prio, ROCE);
        world_end(&w);
    }
}

/* A strict class uses the link until it is done. */
static void roce__goes_first_if_its_class_is_strict(void **unused)
{
    struct flow_row flow[2] = { { .src = 0, .dst = 2, .prio = 3, .dport = 1, .bytes = 1000 * 4096 },
                                { .src = 1, .dst = 2, .prio = ROCE, .dport = 2, .bytes = 1000 * 4096 } };
    struct sim_cfg  cfg;
    struct world    w;

    (void)unused;
    roce_cfg(&cfg, "none");
    cfg.strict_prios |= 1u << ROCE;
    start_star(&w, &cfg, 3, flow, 2);
    finish(&w);
    assert_in_range(world_result(&w, 1, 2)->fct_ps, 1000ull * FULL_PS, 1020ull * FULL_PS + 4 * DELAY_PS);
    /* Its window grows again. */
    assert_in_range(world_result(&w, 0, 1)->fct_ps, 1990ull * FULL_PS, 2300ull * FULL_PS);
    world_end(&w);
}

/* The knobs change the thresholds of UET; a class of RoCE keeps the initial ones, or its own. */
static void roce__is_marked_by_its_own_thresholds(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < 2; i++) {
        struct flow_row    flow[4];
        struct sim_cfg     cfg;
        struct world       w;
        struct knobs       knobs;
        const struct port *out;

        roce_cfg(&cfg, "dcqcn");
        for (uint32_t f = 0; f < 4; f++)
            flow[f] = (struct flow_row){ .src = f, .dst = 4, .prio = (uint8_t)(f % 2 ? ROCE : 3),
                                         .dport = (uint16_t)(f + 1),
                                         .bytes = 4000000 };
        if (i)
            cfg.ecn_class[ROCE] = (struct ecn_class){ true, 20, 80, 1 };
        start_star(&w, &cfg, 5, flow, 4);
        out = w.sim->net.host[4].port->peer;
        knobs = w.sim->cfg.knobs;
        knobs.value[KNOB_kmin] = 30;
        sim_apply(w.sim, &knobs);
        assert_int_equal(out->ecn.kmin_bytes, 30000);
        assert_int_equal(w.sim->sw.ecn_class[ROCE].kmin_bytes,
                         i ? 20000 : knob_info[KNOB_kmin].initial * 1000);
        assert_int_equal(out->mark_from_bytes, i ? 20001 : 30001);
        finish(&w);
        assert_true(w.sim->engine.counters.cnps_received > 0);
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ack_pack__keeps_all_fields),
        cmocka_unit_test(lone_flow__takes_its_transmission_time),
        cmocka_unit_test(lone_flow__is_ideal_with_every_balancer),
        cmocka_unit_test(lone_flow__uses_all_planes),
        cmocka_unit_test(lone_flow__keeps_the_pace_of_credit),
        cmocka_unit_test(nscc__holds_the_delay_near_its_target),
        cmocka_unit_test(credit__divides_an_incast_equally),
        cmocka_unit_test(credit__does_not_fill_a_slow_link_with_headers),
        cmocka_unit_test(trimming__needs_no_timeout),
        cmocka_unit_test(sleek__is_faster_than_timeouts),
        cmocka_unit_test(roce__alone_is_ideal),
        cmocka_unit_test(roce__shares_a_link_by_weight),
        cmocka_unit_test(roce__goes_first_if_its_class_is_strict),
        cmocka_unit_test(roce__is_marked_by_its_own_thresholds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
