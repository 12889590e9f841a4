/* src/sim/cc/rlcc/rlcc_test.c
 *
 * Oracles: the formulas by hand, in double; tree.h and the exported C against each other; decision queues by
 * hand.
 */
#include "sim/cc/test_flow.h"

#include "sim/cc/rlcc/rlcc.h"
#include "base/rng.h"
#include "base/nets/tree/tree_export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct cc_algo cc_rlcc;

/* ---- a policy with known answers ---- */

/* u = tanh(weight . x): the net's middle layers forward the positive and the negative part of it. */
static void init_linear(struct policy *p, const float weight[4])
{
    struct rng rng;
    float     *w;

    rng_init(&rng, 1, 0);
    policy_init_mlp(p, &rng);
    w = p->mlp.parameter;
    memset(w, 0, p->mlp.parameters * sizeof *w);
    for (int i = 0; i < 4; i++) {
        w[12 * i] = weight[i];
        w[12 * i + 1] = -weight[i];
    }
    w[48] = w[48 + 12 + 1] = 1;
    w[48 + 144] = 1;
    w[48 + 144 + 1] = -1;
}

static double multiplier(double u)
{
    return u >= 0 ? 1 + 0.2 * u : 1 / (1 - 0.2 * u);
}

static void start_flow(struct flow *t, const struct rlcc_model *m, double decision_us)
{
    struct cc_link link = link_100g;
    struct knobs   k;

    knobs_init(&k);
    k.value[KNOB_rlcc_base] = 8.192;
    k.value[KNOB_rlcc_decision] = decision_us;
    link.rlcc = m;
    flow_start(t, &cc_rlcc, &k, &link);
}

static void expect_rate(const struct flow *t, double share)
{
    assert_true(fabs((double)t->out.rate_bps / LINE_BPS - share) < 1e-5 * share);
}

static void start__line_rate_and_a_probe(void **unused)
{
    struct rlcc_model *m;
    struct flow        t;

    (void)unused;
    assert_int_equal(0, rlcc_model_open(&m, "trees", 0, NULL));
    start_flow(&t, m, 0);
    assert_int_equal(t.out.rate_bps, LINE_BPS);
    assert_true(t.out.window_bytes == UINT64_MAX && t.out.due_ps == NEVER);
    assert_int_equal(t.out.probe_ps, 0);
    rlcc_model_close(m);
}

/* 100 Mb/s is a thousandth of the line rate; below 1/16384, that minimum applies. The first decision starts
 * from there: an RTT of half a base is delta -0.8, to which the trees respond with a raise of at most a
 * fifth. */
static void start__at_another_rate(void **unused)
{
    static const char  *const bodies[] = { "trees", "exported", "mlp" };
    static const struct { double mbps, share; } cases[] = { { 100, 1e-3 }, { 1, 0x1p-14 }, { 200000, 1 } };

    (void)unused;
    for (size_t b = 0; b < 3; b++)
        for (size_t c = 0; c < 3; c++) {
            struct rlcc_model *m;
            struct flow        t;
            struct knobs       k;
            struct cc_link     link = link_100g;

            assert_int_equal(0, rlcc_model_open(&m, bodies[b], 0, NULL));
            knobs_init(&k);
            k.value[KNOB_rlcc_base] = 8.192;
            k.value[KNOB_rlcc_start_rate] = cases[c].mbps;
            link.rlcc = m;
            flow_start(&t, &cc_rlcc, &k, &link);
            assert_true(fabs((double)t.out.rate_bps / LINE_BPS / cases[c].share - 1) < 0.02);
            flow_rtt(&t, at_ns(10000), 4096 * PS_PER_NS);
            assert_true((double)t.out.rate_bps / LINE_BPS <= 1.2 * 1.02 * cases[c].share);
            assert_true(cases[c].share >= 1 || (double)t.out.rate_bps / LINE_BPS > cases[c].share);
            rlcc_model_close(m);
        }
}

/* delta alone: RTT 2 base at line rate is 12.5 (0.5 - 0.064) = 5.45; then at another rate. Below 1.5 base it
 * is -0.8. */
static void on_rtt__delta_by_hand(void **unused)
{
    struct policy     p;
    struct rlcc_model m = { .policy = &p };
    struct flow       t;
    double            rate = 1;

    (void)unused;
    init_linear(&p, (const float[]){ 0, 0, 0, -0.1f });
    start_flow(&t, &m, 0);
    for (int i = 0; i < 6; i++) {
        static const double inflation[] = { 2, 2, 1.2, 0.7, 1.6, 4 };
        double excess = inflation[i] > 1.5 ? inflation[i] - 1.5 : 0;
        double delta = 12.5 * (excess * sqrt(rate) - 0.064);

        flow_rtt(&t, at_ns(10000 * (i + 1)), (uint64_t)(inflation[i] * 8192 * PS_PER_NS));
        rate *= multiplier(tanh(-0.1 * delta));
        rate = rate > 1 ? 1 : rate;
        expect_rate(&t, rate);
        assert_int_equal(t.out.probe_ps, 10000 * (i + 1) * PS_PER_NS);
        assert_true(t.out.due_ps == NEVER);
    }
    policy_fini(&p);
}

/* Two steps, oldest first: a net that uses a single feature shows which one it is. */
static void on_rtt__features_oldest_first(void **unused)
{
    for (int which = 0; which < 4; which++) {
        float             weight[4] = { 0 };
        struct policy     p;
        struct rlcc_model m = { .policy = &p };
        struct flow       t;
        double            rate = 1, older = 1, action = 1, before = 0;

        weight[which] = -0.2f;
        init_linear(&p, weight);
        start_flow(&t, &m, 0);
        for (int i = 0; i < 4; i++) {
            double inflation = 1.6 + 0.2 * i, delta = 12.5 * ((inflation - 1.5) * sqrt(rate) - 0.064);
            double x[4] = { older, i ? before : delta, action, delta };

            flow_rtt(&t, at_ns(10000 * (i + 1)), (uint64_t)(inflation * 8192 * PS_PER_NS));
            older = action;
            action = multiplier(tanh((double)weight[which] * x[which]));
            before = delta;
            rate = rate * action > 1 ? 1 : rate * action;
            expect_rate(&t, rate);
        }
        policy_fini(&p);
    }
    (void)unused;
}

/* Minimum and maximum are enforced outside: a policy that always cuts or raises as much as it can. */
static void on_rtt__floor_and_ceiling(void **unused)
{
    for (int up = 0; up < 2; up++) {
        struct policy     p;
        struct rlcc_model m = { .policy = &p };
        struct flow       t;

        init_linear(&p, (const float[]){ up ? 100 : -100, 0, 0, 0 });
        start_flow(&t, &m, 0);
        flow_rtt(&t, at_ns(1000), 10 * PS_PER_US);
        expect_rate(&t, up ? 1 : 1 / 1.2);
        for (int i = 0; i < 100; i++)
            flow_rtt(&t, at_ns(2000), 10 * PS_PER_US);
        expect_rate(&t, up ? 1 : 0x1p-14);
        policy_fini(&p);
    }
    (void)unused;
}

static void on_rtt__beyond_the_longest_halves(void **unused)
{
    static const char *const names[] = { "mlp", "int8", "trees", "exported" };

    (void)unused;
    for (int i = 0; i < 4; i++) {
        struct rlcc_model *m;
        struct flow        t;

        assert_int_equal(0, rlcc_model_open(&m, names[i], 0, NULL));
        start_flow(&t, m, 0);
        flow_rtt(&t, at_ns(1000), 151 * PS_PER_US);
        expect_rate(&t, 0.5);
        rlcc_model_close(m);
    }
}

/* ---- decisions that take time ---- */

/* A NIC with two flows, 17 us per decision: the second waits for the first, and each probe for its
 * decision. */
static void on_rtt__decisions_queue_at_the_nic(void **unused)
{
    struct policy     p;
    struct rlcc_model m = { .policy = &p };
    struct flow       a, b;

    (void)unused;
    init_linear(&p, (const float[]){ -100, 0, 0, 0 });
    start_flow(&a, &m, 17);
    start_flow(&b, &m, 17);
    flow_rtt(&a, at_ns(10000), 10 * PS_PER_US);
    b.busy_ps = a.busy_ps;
    assert_int_equal(b.busy_ps, 27 * PS_PER_US);
    flow_rtt(&b, at_ns(12000), 10 * PS_PER_US);
    assert_true(a.out.rate_bps == LINE_BPS && b.out.rate_bps == LINE_BPS);
    assert_int_equal(a.out.due_ps, 27 * PS_PER_US);
    assert_int_equal(a.out.probe_ps, 27 * PS_PER_US);
    assert_int_equal(b.out.due_ps, 44 * PS_PER_US);
    assert_int_equal(b.busy_ps, 44 * PS_PER_US);
    assert_int_equal(flow_rate(&a, at_ns(26999)), LINE_BPS);
    flow_rate(&a, at_ns(27000));
    expect_rate(&a, 1 / 1.2);
    assert_true(a.out.due_ps == NEVER);
    assert_int_equal(flow_rate(&b, at_ns(43999)), LINE_BPS);
    flow_rate(&b, at_ns(44000));
    expect_rate(&b, 1 / 1.2);
    policy_fini(&p);
}

/* A probe that was considered lost and returns during a pending decision changes nothing. */
static void on_rtt__one_decision_ahead(void **unused)
{
    struct policy     p;
    struct rlcc_model m = { .policy = &p };
    struct flow       t;

    (void)unused;
    init_linear(&p, (const float[]){ -100, 0, 0, 0 });
    start_flow(&t, &m, 450);
    flow_rtt(&t, at_ns(10000), 10 * PS_PER_US);
    flow_rtt(&t, at_ns(11000), 10 * PS_PER_US);
    assert_int_equal(t.out.due_ps, 460 * PS_PER_US);
    assert_int_equal(t.busy_ps, 460 * PS_PER_US);
    flow_rate(&t, at_ns(460000));
    expect_rate(&t, 1 / 1.2);
    policy_fini(&p);
}

/* ---- bodies ---- */

static uint64_t rtt_at(struct rng *rng)
{
    return (8192 + rng_below(rng, 24000)) * PS_PER_NS;
}

/* The exported C code makes the same decisions as the trees, bit for bit. */
static void exported__makes_the_decisions_of_the_trees(void **unused)
{
    struct rlcc_model *trees, *exported;
    struct flow        t, x;
    struct rng         rng;

    (void)unused;
    rng_init(&rng, 5, 0);
    assert_int_equal(0, rlcc_model_open(&trees, "trees", 0, NULL));
    assert_int_equal(0, rlcc_model_open(&exported, "exported", 0, NULL));
    start_flow(&t, trees, 0);
    start_flow(&x, exported, 0);
    for (uint64_t i = 1; i < 200000; i++) {
        uint64_t rtt_ps = i % 1000 == 0 ? 200 * PS_PER_US : rtt_at(&rng);

        flow_rtt(&t, at_ns(1000 * i), rtt_ps);
        flow_rtt(&x, at_ns(1000 * i), rtt_ps);
        assert_int_equal(t.out.rate_bps, x.out.rate_bps);
    }
    rlcc_model_close(trees);
    rlcc_model_close(exported);
}

/* rlcc_exported.c equals a new export of the shipped trees. */
static void exported__equals_a_new_export(void **unused)
{
    const char        *title = "RL-CC in integers, made by anole export rlcc of rlcc_trees.model";
    struct rule_params params;
    struct rlcc_model *m;
    char              *made = NULL, kept[65536];
    size_t             length, bytes;
    FILE              *f = open_memstream(&made, &length);

    (void)unused;
    assert_int_equal(0, rlcc_model_open(&m, "trees", 0, NULL));
    assert_int_equal(0, rule_params_make(&params, &(struct rule_cfg){ 0 }, NULL));
    assert_int_equal(0, tree_export(f, TREE_EXPORT_C, &m->policy->trees, &params, title, NULL));
    fclose(f);
    f = fopen("data/models/rlcc_exported.c", "r");
    assert_non_null(f);
    bytes = fread(kept, 1, sizeof kept, f);
    fclose(f);
    assert_int_equal(bytes, length);
    assert_memory_equal(kept, made, length);
    free(made);
    rlcc_model_close(m);
}

/* Approximates a link with a queue for a single flow: the queue grows with the excess above 'share'. */
static uint64_t settle(struct flow *t, double share)
{
    double queue = 0, sum = 0;

    for (uint64_t j = 1; j <= 2000; j++) {
        queue += ((double)t->out.rate_bps / LINE_BPS - share) / share;
        queue = queue > 0 ? queue : 0;
        flow_rtt(t, at_ns(20000 * j), (uint64_t)((1 + queue) * 8192 * PS_PER_NS));
        sum += j > 1000 ? (double)t->out.rate_bps : 0;
    }
    return (uint64_t)(sum / 1000);
}

/* Small bodies behave about as the net does: all find the rate that keeps the queue at its target. */
static void bodies__stay_near_the_net(void **unused)
{
    static const struct { const char *name; double most;
                          } row[] = { { "mlp", 0.02 }, { "int8", 0.02 }, { "trees", 0.05 } };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct rlcc_model *m;
        struct flow        t;
        double             share = 0.05;

        assert_int_equal(0, rlcc_model_open(&m, row[i].name, 0, NULL));
        start_flow(&t, m, 0);
        assert_true(fabs((double)settle(&t, share) / LINE_BPS / share - 1) < row[i].most);
        rlcc_model_close(m);
    }
}

static void flow_bytes__are_few(void **unused)
{
    (void)unused;
    assert_int_equal(32, rlcc_flow_bytes(POLICY_TREES));
    assert_int_equal(40, rlcc_flow_bytes(POLICY_MLP));
    assert_int_equal(40, rlcc_flow_bytes(POLICY_INT8));
    assert_int_equal(168, rlcc_flow_bytes(POLICY_LSTM));
    assert_int_equal(104, rlcc_flow_bytes(POLICY_INT8_LSTM));
}

/* Paths of 2 to 100 us with RTTs in proportion to the empty one: all get the rates of a path of 8.192 us. A
 * flow whose path is shorter than the longest detects that. */
static void on_rtt__by_the_empty_round_trip(void **unused)
{
    static const double empty_us[] = { 8.192, 2, 20, 100, 100 };
    static const double inflation[] = { 1, 1.2, 2, 2, 1.7, 4, 1.6 };
    uint64_t rate[2][7];

    (void)unused;
    for (size_t n = 0; n < sizeof empty_us / sizeof *empty_us; n++)
        for (int body = 0; body < 2; body++) {
            struct cc_link     link = link_100g;
            struct rlcc_model *m;
            struct flow        t;
            struct knobs       k;

            assert_int_equal(0, rlcc_model_open(&m, body ? "mlp" : "trees", 0, NULL));
            knobs_init(&k);
            link.rlcc = m;
            link.base_rtt_ps = (uint64_t)(empty_us[n] * PS_PER_US) * (n == 4 ? 3 : 1);
            flow_start(&t, &cc_rlcc, &k, &link);
            for (int i = 0; i < 7; i++) {
                flow_rtt(&t, at_ns(500000 * (i + 1)), (uint64_t)(inflation[i] * empty_us[n] * PS_PER_US));
                if (n == 0)
                    rate[body][i] = t.out.rate_bps;
                assert_true(fabs((double)t.out.rate_bps / (double)rate[body][i] - 1) < 0.01);
            }
            rlcc_model_close(m);
        }
    assert_true(rate[0][6] < rate[0][0]);
}

/* ---- start, silence, recovery ---- */

/* A flow whose base is the 8 us of the link. */
static void start_guarded(struct flow *t, const struct rlcc_model *m, double start_mbps)
{
    struct cc_link link = link_100g;
    struct knobs   k;

    knobs_init(&k);
    k.value[KNOB_rlcc_start_rate] = start_mbps;
    link.rlcc = m;
    flow_start(t, &cc_rlcc, &k, &link);
}

static void start__a_burst_of_one_base_then_a_quarter(void **unused)
{
    struct rlcc_model *m;
    struct flow        t;

    (void)unused;
    assert_int_equal(0, rlcc_model_open(&m, "trees", 0, NULL));
    start_guarded(&t, m, 0);
    assert_int_equal(LINE_BPS, flow_rate(&t, at_ns(7999)));
    assert_int_equal(LINE_BPS / 4, flow_rate(&t, at_ns(8000)));
    start_guarded(&t, m, 50000);
    assert_int_equal(LINE_BPS / 2, flow_rate(&t, at_ns(0)));
    rlcc_model_close(m);
}

/* At a quarter of the line a probe is late from 1.5 + sqrt(2) = 2.91 bases on, at an eighth from 3.5 on. */
static void on_due__a_late_probe_halves(void **unused)
{
    static const char *const bodies[] = { "trees", "mlp" };

    (void)unused;
    for (int b = 0; b < 2; b++) {
        struct rlcc_model *m;
        struct flow        t;

        assert_int_equal(0, rlcc_model_open(&m, bodies[b], 0, NULL));
        start_guarded(&t, m, 25000);
        t.out.is_probing = true;             /* sent at 0 */
        t.out.due_ps = 0;
        assert_int_equal(LINE_BPS / 4, flow_rate(&t, at_ns(23000)));         /* 2.875 bases */
        t.out.due_ps = 0;
        assert_int_equal(LINE_BPS / 8, flow_rate(&t, at_ns(23600)));         /* 2.95 */
        assert_int_equal(LINE_BPS / 8, flow_rate(&t, at_ns(31000)));         /* not yet due */
        assert_int_equal(LINE_BPS / 16, flow_rate(&t, at_ns(31700)));
        for (int i = 0; i < 30; i++)
            flow_rate(&t, at_ns(1000000 * (i + 1)));
        expect_rate(&t, 0x1p-10);
        flow_rtt(&t, at_ns(40000000), 8 * PS_PER_US);
        assert_true(t.out.rate_bps >= LINE_BPS / 1024);
        rlcc_model_close(m);
    }
}

/* The next probe waits for the next packet of a slow flow: this does not count as silence. With a constant
 * base these rules are off. */
static void on_due__a_probe_that_was_not_sent_is_not_late(void **unused)
{
    struct rlcc_model *m;
    struct flow        t;

    (void)unused;
    assert_int_equal(0, rlcc_model_open(&m, "trees", 0, NULL));
    start_guarded(&t, m, 25000);
    t.out.due_ps = 0;
    assert_int_equal(LINE_BPS / 4, flow_rate(&t, at_ns(1000000)));
    start_flow(&t, m, 0);
    t.out.is_probing = true;
    assert_int_equal(LINE_BPS, flow_rate(&t, at_ns(1000000)));
    assert_true(t.out.due_ps == NEVER);
    rlcc_model_close(m);
}

/* Below 1/1024 an empty path doubles the rate. On a loaded path, or at a higher rate, the policy decides. */
static void on_rtt__recovers_from_the_lowest_rates(void **unused)
{
    struct rlcc_model *m;
    struct flow        t;

    (void)unused;
    assert_int_equal(0, rlcc_model_open(&m, "trees", 0, NULL));
    start_guarded(&t, m, 50);
    flow_rtt(&t, at_ns(8000), 8 * PS_PER_US);
    assert_true(fabs((double)t.out.rate_bps / 100e6 - 1) < 0.02);
    flow_rtt(&t, at_ns(20000), 8 * PS_PER_US);
    assert_in_range(t.out.rate_bps, 101000000, 122000000);
    start_guarded(&t, m, 50);
    flow_rtt(&t, at_ns(8000), 10 * PS_PER_US);
    assert_in_range(t.out.rate_bps, 50000000, 61000000);
    rlcc_model_close(m);
}

/* ---- models ---- */

static void open__refuses(void **unused)
{
    static const struct { const char *name; double range; const char *why; } row[] = {
        { "trees", 0.3, "trees: trees have their range of actions in them" },
        { "mlp", 2, "a range of actions of 2 is not within 0 .. 1" },
        { "no such file", 0, "no such file: " },
        { "src/sim/cc/rlcc/rlcc.c", 0, "src/sim/cc/rlcc/rlcc.c: " },
        { "data/models/acc.model", 0, "data/models/acc.model: " },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct rlcc_model *m = NULL;
        struct err         err;

        assert_int_not_equal(0, rlcc_model_open(&m, row[i].name, row[i].range, &err));
        assert_null(m);
        if (strncmp(err.text, row[i].why, strlen(row[i].why)) != 0)
            fail_msg("%s: %s", row[i].name, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start__line_rate_and_a_probe),
        cmocka_unit_test(start__at_another_rate),
        cmocka_unit_test(on_rtt__delta_by_hand),
        cmocka_unit_test(on_rtt__by_the_empty_round_trip),
        cmocka_unit_test(on_rtt__features_oldest_first),
        cmocka_unit_test(on_rtt__floor_and_ceiling),
        cmocka_unit_test(on_rtt__beyond_the_longest_halves),
        cmocka_unit_test(on_rtt__decisions_queue_at_the_nic),
        cmocka_unit_test(on_rtt__one_decision_ahead),
        cmocka_unit_test(exported__makes_the_decisions_of_the_trees),
        cmocka_unit_test(exported__equals_a_new_export),
        cmocka_unit_test(bodies__stay_near_the_net),
        cmocka_unit_test(flow_bytes__are_few),
        cmocka_unit_test(start__a_burst_of_one_base_then_a_quarter),
        cmocka_unit_test(on_due__a_late_probe_halves),
        cmocka_unit_test(on_due__a_probe_that_was_not_sent_is_not_late),
        cmocka_unit_test(on_rtt__recovers_from_the_lowest_rates),
        cmocka_unit_test(open__refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
