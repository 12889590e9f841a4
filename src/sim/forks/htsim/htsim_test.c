/* src/sim/forks/htsim/htsim_test.c
 *
 * Oracles: completion times of lone flows by arithmetic, and invariants of any run. tests/fidelity/htsim.sh
 * compares with uet-htsim itself.
 */
#include "sim/forks/htsim/htsim.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define GBPS 1000000000ull

static const struct htsim_cfg defaults = {
    .seed = 13, .end_ps = 100 * PS_PER_MS, .linkspeed_bps = 100 * GBPS, .mtu_bytes = 4150,
    .paths = 64, .qa_gate = 3,
    .sack_threshold_bytes = 16384, .base_rtt_on_nack = true, .trim = true, .trim_bytes = 64,
    .oversubscribed_auto = true, .over_ai = 0.01, .over_md = 0.5, .over_alpha = 0.5,
};

static struct htsim *start(const struct htsim_cfg *cfg, const struct fat_tree *t, struct matrix_conn *conn,
                           uint32_t conns)
{
    struct flow_matrix m = { .conn = conn, .conns = conns, .nodes = t->hosts };
    struct htsim      *w;
    struct err         err;

    for (uint32_t i = 0; i < conns; i++)
        conn[i].trigger = conn[i].send_done = conn[i].recv_done = MATRIX_NO_TRIGGER;
    if (htsim_new(&w, cfg, t, &m, &err))
        fail_msg("%s", err.text);
    return w;
}

static struct fat_tree tree(uint32_t tiers, uint32_t hosts)
{
    struct fat_tree t;
    struct err      err;

    if (fat_tree_make(&t, tiers, hosts, 100 * GBPS, PS_PER_US, 0, &err))
        fail_msg("%s", err.text);
    return t;
}

/* Runs one flow alone. Returns when its sender knows that everything has arrived. */
static uint64_t alone(const struct htsim_cfg *cfg, uint32_t dst, uint64_t bytes)
{
    struct fat_tree    t = tree(3, 16);
    struct matrix_conn c = { .dst = dst, .id = 1, .bytes = bytes };
    struct htsim      *w = start(cfg, &t, &c, 1);
    struct htsim_flow  f;

    assert_false(htsim_run_until(w, UINT64_MAX));
    htsim_flow(w, 0, &f);
    assert_int_equal(f.start_ps, 0);
    assert_int_equal(htsim_ideal_ps(w, &f), f.finish_ps);
    assert_int_equal(f.in_flight_bytes, 0);
    htsim_free(w);
    return (uint64_t)f.finish_ps;
}

/* At 100 Gb/s a byte takes 80 ps. A packet crosses 2, 4 or 6 links of 1 us, and an ACK of 64 bytes
 * returns. */
static void run__one_flow_takes_line_rate(void **unused)
{
    const uint64_t full = 4150 * 80, ack = 64 * 80, us = PS_PER_US;

    (void)unused;
    assert_int_equal(alone(&defaults, 15, 4086), 6 * (full + us) + 6 * (ack + us));
    assert_int_equal(alone(&defaults, 2, 4086), 4 * (full + us) + 4 * (ack + us));
    assert_int_equal(alone(&defaults, 1, 100), 2 * (164 * 80 + us) + 2 * (ack + us));
    /* 244 full packets, and one of 3080 bytes that waits for the one before it at five switches */
    assert_int_equal(alone(&defaults, 15, 1000000),
                     244 * full + 3080 * 80 + 5 * full + 6 * us + 6 * (ack + us));
}

/* Every congestion control and balancer fills an empty network. */
static void run__one_flow_with_every_control(void **unused)
{
    uint64_t want = alone(&defaults, 15, 500000);

    (void)unused;
    for (int control = HTSIM_NSCC; control <= HTSIM_BOTH; control++)
        for (int balancer = 0; entropy_names[balancer]; balancer++) {
            struct htsim_cfg cfg = defaults;

            cfg.control = (enum htsim_control)control;
            cfg.balancer = (enum entropy_kind)balancer;
            assert_int_equal(alone(&cfg, 15, 500000), want);
        }
}

static struct htsim_counters counted(const struct htsim *w)
{
    struct htsim_counters n;

    htsim_count(w, &n);
    return n;
}

/* 15 flows to one host: every trimmed packet is retransmitted. */
static struct htsim *incast(const struct htsim_cfg *cfg)
{
    static struct matrix_conn c[15];
    struct fat_tree           t = tree(3, 16);
    struct htsim             *w;

    for (uint32_t i = 0; i < 15; i++)
        c[i] = (struct matrix_conn){ .src = i + 1, .dst = 0, .id = i + 1, .bytes = 400000 };
    w = start(cfg, &t, c, 15);
    return w;
}

static void run__incast_loses_nothing(void **unused)
{
    struct htsim         *w = incast(&defaults);
    struct htsim_counters n;
    uint64_t              resent = 0, trimmed = 0;

    (void)unused;
    assert_false(htsim_run_until(w, UINT64_MAX));
    assert_null(htsim_failure(w));
    htsim_count(w, &n);
    assert_int_equal(n.unfinished, 0);
    for (uint32_t i = 0; i < counted(w).flows; i++) {
        struct htsim_flow f;

        htsim_flow(w, i, &f);
        assert_int_equal(f.sent, (400000 + 4085) / 4086);
        assert_true(f.finish_ps > (int64_t)(400000ull * 80));
        resent += f.resent;
        trimmed += f.rx_trimmed;
    }
    assert_true(n.trims > 0);
    assert_int_equal(n.drops, 0);
    assert_int_equal(trimmed, n.trims);
    assert_int_equal(resent, n.trims);
    assert_int_equal(n.sim.payload_received, 15 * 400000);
    htsim_free(w);
}

/* With receiver credit alone, the last of 15 equal flows ends when the link has carried all of them. */
static void run__credit_divides_an_incast(void **unused)
{
    struct htsim_cfg cfg = defaults;
    struct htsim    *w;
    uint64_t         last = 0, first = UINT64_MAX, all_ps = 15ull * (400000 + 98 * 64) * 80;

    (void)unused;
    cfg.control = HTSIM_RCCC;
    w = incast(&cfg);
    assert_false(htsim_run_until(w, UINT64_MAX));
    for (uint32_t i = 0; i < counted(w).flows; i++) {
        struct htsim_flow f;

        htsim_flow(w, i, &f);
        assert_true(f.finish_ps > 0 && f.pulls > 0);
        last = (uint64_t)f.finish_ps > last ? (uint64_t)f.finish_ps : last;
        first = (uint64_t)f.finish_ps < first ? (uint64_t)f.finish_ps : first;
    }
    assert_in_range(last, all_ps, all_ps + all_ps / 5);
    assert_true(first > last / 2);
    htsim_free(w);
}

/* Pausing a run does not change the result. */
static void run__in_slices(void **unused)
{
    struct htsim         *whole = incast(&defaults), *cut = incast(&defaults);
    struct htsim_counters a, b;

    (void)unused;
    while (htsim_run_until(whole, UINT64_MAX))
        ;
    for (uint64_t until_ps = 0; htsim_run_until(cut, until_ps); until_ps += 777777)
        assert_true(counted(cut).now_ps <= until_ps);
    htsim_count(whole, &a);
    htsim_count(cut, &b);
    assert_memory_equal(&a, &b, sizeof a);
    for (uint32_t i = 0; i < a.flows; i++) {
        struct htsim_flow f, g;

        memset(&f, 0, sizeof f);
        memset(&g, 0, sizeof g);
        htsim_flow(whole, i, &f);
        htsim_flow(cut, i, &g);
        assert_int_equal(f.finish_ps, g.finish_ps);
        assert_int_equal(f.cwnd_bytes, g.cwnd_bytes);
    }
    htsim_free(whole);
    htsim_free(cut);
}

static void new__refuses(void **unused)
{
    static const struct { uint32_t mtu, paths, low, high; const char *reason; } rows[] = {
        { 64, 64, 0, 0, "an MTU of 64 bytes" },
        { 4150, 48, 0, 0, "48 paths: it must be a power of two" },
        { 4150, 64, 9, 8, "the low ECN threshold, 9 packets, is above the high one, 8" },
    };
    struct fat_tree    t = tree(3, 16);
    struct flow_matrix m = { .nodes = 16 };
    struct htsim      *w;
    struct err         err;

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct htsim_cfg cfg = defaults;

        cfg.mtu_bytes = rows[i].mtu;
        cfg.paths = rows[i].paths;
        cfg.ecn_low_packets = rows[i].low;
        cfg.ecn_high_packets = rows[i].high;
        assert_true(htsim_new(&w, &cfg, &t, &m, &err) < 0);
        assert_memory_equal(err.text, rows[i].reason, strlen(rows[i].reason));
    }
    m.nodes = 8;
    assert_true(htsim_new(&w, &defaults, &t, &m, &err) < 0);
    assert_string_equal(err.text, "the connection matrix is for 8 hosts, the network has 16");
}

/* uet-htsim fails there, too. */
static void run__reps_without_trimming_fails(void **unused)
{
    struct htsim_cfg cfg = defaults;
    struct htsim    *w;

    (void)unused;
    cfg.trim = false;
    cfg.queue_packets = 2;
    cfg.balancer = ENTROPY_REPS;
    w = incast(&cfg);
    assert_false(htsim_run_until(w, UINT64_MAX));
    assert_non_null(htsim_failure(w));
    assert_non_null(strstr(htsim_failure(w)->text, "a time-out with reps and without trimming"));
    htsim_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__one_flow_takes_line_rate),
        cmocka_unit_test(run__one_flow_with_every_control),
        cmocka_unit_test(run__incast_loses_nothing),
        cmocka_unit_test(run__credit_divides_an_incast),
        cmocka_unit_test(run__in_slices),
        cmocka_unit_test(new__refuses),
        cmocka_unit_test(run__reps_without_trimming_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
