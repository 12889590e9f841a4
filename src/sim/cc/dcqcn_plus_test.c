/* src/sim/cc/dcqcn_plus_test.c
 *
 * Oracles: rows computed by hand, the bound on the sum of all flows' raises, and a reference implementation
 * in this file that runs every tick as a separate event.
 */
#include "base/rng.h"
#include "sim/cc/test_flow.h"

static void start_flow(struct flow *t, const char *name, const struct knobs *k)
{
    flow_start(t, cc_find(name), k, &link_100g);
}

static uint64_t query_rate(struct flow *t, uint64_t ns)
{
    return flow_rate(t, at_ns(ns));
}

static void cnp(struct flow *t, uint64_t ns, uint64_t announced_us)
{
    flow_cnp(t, at_ns(ns), announced_us * PS_PER_US);
}

/* ---- rows ---- */

enum signal { QUERY, CNP };

struct plus_row { uint64_t at_ns; enum signal signal; uint64_t announced_us, rate_bps, due_ns; };

static void check_rows(struct flow *t, const struct plus_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].signal == CNP)
            cnp(t, rows[i].at_ns, rows[i].announced_us);
        else
            query_rate(t, rows[i].at_ns);
        flow_expect(t, rows[i].rate_bps, rows[i].due_ns);
    }
}

#define CHECK_ROWS(t, rows) check_rows(t, rows, sizeof(rows) / sizeof *(rows))

static void all__life_of_a_flow(void **unused)
{
    /*      0   alpha 255/256 + 1/256 = 1; T = 100G, R = 50G; alpha ticks every 50 us, raises every 100
     *  60000   alpha 255/256 since 50000; now 255/256 * 255/256 + 1/256 = 65281/65536
     *          T = 50G; R = 50G * (1 - 65281/131072) = 25097274780.27
     * 160000   stage 0: R = (R + T) / 2
     * 260000   stage 1 = F, alpha > 0.1: R / 5 = 7.5G, C / 50 = 2G: T = 52G
     * 360000   stage 2: i = max(1, 2 - 4 + 1): T += 1G;  stage 3, i = 1: 54G;  stage 4, i = 1: 55G
     * 660000   stage 5: i = 2: T = 57G;  stage 6, i = 3: T = 60G */
    static const struct plus_row rows[] = {
        {      0, CNP,  0, 50000000000, 100000 },
        {  60000, CNP,  0, 25097274780, 160000 },
        { 159999, QUERY, 0, 25097274780, 160000 },
        { 160001, QUERY, 0, 37548637390, 260000 },
        { 260001, QUERY, 0, 44774318695, 360000 },
        { 360001, QUERY, 0, 48887159348, 460000 },
        { 460001, QUERY, 0, 51443579674, 560000 },
        { 560001, QUERY, 0, 53221789837, 660000 },
        { 660001, QUERY, 0, 55110894919, 760000 },
        { 760001, QUERY, 0, 57555447460, 860000 },
    };
    struct knobs k;
    struct flow  t;

    (void)unused;
    knobs_init(&k);
    start_flow(&t, "dcqcn_plus", &k);
    CHECK_ROWS(&t, rows);
}

/* A flow with rate and target 'rate_mbps' right after a CNP at 0. It was at its line rate when the line
 * became 100 Gb/s, and may not go below. */
static void start_at(struct flow *t, const char *name, struct knobs *k, uint64_t rate_mbps)
{
    struct cc_link slow = link_100g;

    slow.line_bps = rate_mbps * 1000000;
    k->value[KNOB_rpg_min_rate] = (double)rate_mbps;
    flow_start(t, cc_find(name), k, &slow);
    t->cc->configure(t->cfg, k, &link_100g);
    cnp(t, 0, 0);
}

/* Returns what raise number 'n', at from + n period, adds to the target of a flow whose target was its rate.
 * From R' = (R + T') / 2 follows T' = 2 R' - R; rounding costs a few bit/s. */
static uint64_t step_of_raise(struct flow *t, uint64_t from_ns, uint64_t period_ns, uint64_t n)
{
    uint64_t rate = query_rate(t, from_ns + 1), target = rate, was = target;

    for (uint64_t i = 1; i <= n; i++) {
        uint64_t raised = query_rate(t, from_ns + i * period_ns + 1);

        was = target;
        target = 2 * raised - rate;
        rate = raised;
    }
    return target > was ? target - was : 0;
}

#define NEAR(bps, want_bps) assert_in_range((bps) + 8, want_bps, (want_bps) + 16)

static void raise_rate__additive_step_by_rate_and_alpha(void **unused)
{
    /* Alpha at the CNP is initial * 255/256 + 1/256; the raise at stage 1 comes after three ticks. 98: 0.1002
     * at the CNP, 0.0990 by then. */
    static const struct { uint64_t rate_mbps; double alpha_initial; uint64_t step_mbps; } rows[] = {
        { 50000, 1023, 2000 },           /* C / 50 */
        {  5000, 1023, 1000 },           /* R / 5 */
        { 50000,  103, 2000 },
        { 50000,   98, 1000 },           /* C / 100 */
        {  5000,   98,  500 },           /* R / 10 */
        {  5000,    1,  500 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct knobs k;
        struct flow  t;

        knobs_init(&k);
        k.value[KNOB_initial_alpha_value] = rows[i].alpha_initial;
        start_at(&t, "dcqcn_plus", &k, rows[i].rate_mbps);
        assert_int_equal(query_rate(&t, 199999), rows[i].rate_mbps * 1000000);
        assert_int_equal(query_rate(&t, 200001), rows[i].rate_mbps * 1000000 + rows[i].step_mbps * 500000);
    }
}

static void raise_rate__step_by_stage(void **unused)
{
    /* F = 3: nothing to recover at stages 0 to 2, additive at 3, then hyper; i = max(1, stage - 11). */
    static const uint64_t want_mbps[] = { 0,    0,    0,    2000, 1000, 1000, 1000, 1000,
                                          1000, 1000, 1000, 1000, 1000, 2000, 3000 };
    struct knobs k;
    struct flow  t;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_rpg_threshold] = 3;
    for (uint64_t stage = 0; stage < sizeof want_mbps / sizeof *want_mbps; stage++) {
        start_at(&t, "dcqcn_plus", &k, 40000);
        NEAR(step_of_raise(&t, 0, 100000, stage + 1), want_mbps[stage] * 1000000);
    }
}

/* N flows share the link. The sum of their target increases in one period is at most C / 5 in additive
 * increase, and at most the sum of their rates in hyper increase, for any N. DCQCN adds N times its fixed
 * step. */
static void raise_rate__sum_is_bounded_for_any_number(void **unused)
{
    static const uint64_t numbers[] = { 10, 100, 2000 };

    (void)unused;
    for (int i = 0; i < 3; i++) {
        uint64_t     n = numbers[i], share_bps = LINE_BPS / n, hyper_bps = share_bps + share_bps / 10;
        uint64_t     period_ns = n < 2000 ? 50000 : 160000;      /* a packet at 50 Mb/s takes 160 us */
        struct knobs k;
        struct flow  t;

        knobs_init(&k);
        start_at(&t, "dcqcn_plus", &k, share_bps / 1000000);
        NEAR(step_of_raise(&t, 0, 2 * period_ns, 2), LINE_BPS / 5 / n);
        start_at(&t, "dcqcn_plus", &k, share_bps / 1000000);     /* R has grown by half of the step above */
        NEAR(step_of_raise(&t, 0, 2 * period_ns, 3), hyper_bps < LINE_BPS / 100 ? hyper_bps : LINE_BPS / 100);

        k.value[KNOB_rpg_hai_rate] = 40;                 /* 0.4, 4 and 80 Gb/s in total */
        start_at(&t, "dcqcn_hpcc", &k, share_bps / 1000000);
        NEAR(step_of_raise(&t, 4001, 300000, 3), 40000000ull);
    }
}

static void raise_rate__rests_at_line_rate(void **unused)
{
    /* 50G after the CNP, T = C: after k raises 50G / 2^k are missing, rounded down: none after 36. */
    struct knobs k;
    struct flow  t;

    (void)unused;
    knobs_init(&k);
    start_flow(&t, "dcqcn_plus", &k);
    cnp(&t, 0, 0);
    assert_int_equal(query_rate(&t, 3500001), LINE_BPS - 1);
    assert_int_equal(query_rate(&t, 3600001), LINE_BPS);
    assert_true(t.out.due_ps == NEVER);
}

/* ---- reaction to a CNP ---- */

/* A cut takes half of alpha. Alpha decays in every period without a CNP, also at line rate. */
static void on_cnp__cuts_by_alpha(void **unused)
{
    static const uint64_t ticks[] = { 0, 1, 2, 100, 1000 };

    (void)unused;
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        long double  alpha = 1;
        uint64_t     rate_bps;
        struct knobs k;
        struct flow  t;

        knobs_init(&k);
        start_flow(&t, "dcqcn_plus", &k);
        cnp(&t, 0, 0);
        assert_int_equal(t.out.rate_bps, LINE_BPS / 2);
        for (uint64_t n = 0; n < ticks[i]; n++)
            alpha -= alpha / 256;
        alpha += (1 - alpha) / 256;
        rate_bps = query_rate(&t, ticks[i] * 50000 + 20000);
        cnp(&t, ticks[i] * 50000 + 20000, 0);
        NEAR(t.out.rate_bps, (uint64_t)((long double)rate_bps * (1 - alpha / 2)));
    }
}

static void on_cnp__not_below_the_minimum(void **unused)
{
    struct knobs k;
    struct flow  t;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_rpg_min_rate] = 70;
    start_flow(&t, "dcqcn_plus", &k);
    for (uint64_t i = 0; i < 20; i++)
        cnp(&t, i, 0);
    assert_int_equal(t.out.rate_bps, 70000000);
    k.value[KNOB_rpg_min_rate] = 131071;                 /* above line rate: nothing to cut */
    start_flow(&t, "dcqcn_plus", &k);
    cnp(&t, 0, 0);
    assert_int_equal(t.out.rate_bps, LINE_BPS);
    assert_true(t.out.due_ps == NEVER);
}

/* The first raise comes after two periods. A period is the longest of 50 us, the time that the receiver
 * announces, and 8000 bits at the rate before the cut. */
static void on_cnp__period_follows_the_receiver_and_the_rate(void **unused)
{
    static const struct { uint64_t rate_mbps, announced_us, due_us; } rows[] = {
        { 100000,    0,  100 },
        { 100000,   49,  100 },
        { 100000,   51,  102 },
        { 100000, 2000, 4000 },
        {    161,    0,  100 },          /* 49.7 us */
        {     80,    0,  200 },
        {     80,  100,  200 },
        {     80,  150,  300 },
        {     10,  150, 1600 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct knobs k;
        struct flow  t;

        knobs_init(&k);
        start_at(&t, "dcqcn_plus", &k, rows[i].rate_mbps);
        k.value[KNOB_rpg_min_rate] = 1;
        t.cc->configure(t.cfg, &k, &link_100g);
        cnp(&t, 0, rows[i].announced_us);
        assert_int_equal(t.out.due_ps, rows[i].due_us * PS_PER_US);
    }
}

/* ---- reference implementation, event by event ---- */

struct plus_reference {
    double   alpha;
    /* alpha_ps, raise_ps: time of the next tick */
    uint64_t rate_bps, target_bps, period_ps, alpha_ps, raise_ps;
    uint64_t stage;
};

static void reference_raise(struct plus_reference *m, uint64_t threshold)
{
    uint64_t i = m->stage > 4 * threshold ? m->stage - 4 * threshold + 1 : 1;
    uint64_t share = m->alpha > 0.1 ? 5 : 10, step = 0, most = 0;

    if (m->stage == threshold)
        step = m->rate_bps / share, most = LINE_BPS / share / 10;
    else if (m->stage > threshold)
        step = m->rate_bps, most = i * (LINE_BPS / 100);
    m->target_bps += step < most ? step : most;
    if (m->target_bps > LINE_BPS)
        m->target_bps = LINE_BPS;
    m->rate_bps = m->rate_bps + (m->target_bps - m->rate_bps + 1) / 2;
    m->stage++;
    m->raise_ps += 2 * m->period_ps;
}

static void reference_run(struct plus_reference *m, uint64_t until_ps, uint64_t threshold)
{
    while (m->raise_ps < until_ps || m->alpha_ps < until_ps) {
        if (m->raise_ps <= m->alpha_ps) {
            reference_raise(m, threshold);
        } else {
            if (m->alpha > 1e-6)                         /* below this it stays */
                m->alpha = m->alpha * 255 / 256;
            m->alpha_ps += m->period_ps;
        }
    }
}

static void reference_cnp(struct plus_reference *m, uint64_t now_ps, uint64_t announced_ps, uint64_t min_bps)
{
    uint64_t packet_ps = 8000 * PS_PER_S / m->rate_bps;

    m->alpha = m->alpha * 255 / 256 + 1.0 / 256;
    m->period_ps = announced_ps < 50 * PS_PER_US ? 50 * PS_PER_US : announced_ps;
    m->period_ps = m->period_ps < packet_ps ? packet_ps : m->period_ps;
    m->target_bps = m->rate_bps;
    m->rate_bps = (uint64_t)((double)m->rate_bps * (1 - m->alpha / 2));
    m->rate_bps = m->rate_bps < min_bps ? min_bps : m->rate_bps;
    m->stage = 0;
    m->alpha_ps = now_ps + m->period_ps;
    m->raise_ps = now_ps + 2 * m->period_ps;
}

/* CNPs in bursts with long pauses, with frequent or rare queries; none coincides with a tick. */
static void catch_up__same_rate_as_running_every_tick(void **unused)
{
    static const uint64_t rests_us[] = { 1, 60, 300, 20000 }, announced_us[] = { 0, 40, 90, 2000 };
    struct rng r;

    (void)unused;
    rng_init(&r, 1, 1);
    for (int run = 0; run < 200; run++) {
        uint64_t              threshold = rng_below(&r, 6), min_mbps = 1 + rng_below(&r, 1000), now_ps = 0;
        struct plus_reference m = { 1, LINE_BPS, LINE_BPS, 0, NEVER, NEVER, 0 };
        struct knobs          k;
        struct flow           t;

        knobs_init(&k);
        k.value[KNOB_rpg_threshold] = (double)threshold;
        k.value[KNOB_rpg_min_rate] = (double)min_mbps;
        start_flow(&t, "dcqcn_plus", &k);
        for (int i = 0; i < 200; i++) {
            uint64_t      announced_ps = announced_us[rng_below(&r, 4)] * PS_PER_US;
            struct cc_now now;

            now_ps += 1 + rng_below(&r, rests_us[rng_below(&r, 4)] * PS_PER_US);
            now = (struct cc_now){ now_ps, now_ps };
            reference_run(&m, now_ps, threshold);
            if (rng_below(&r, 3) == 0) {
                reference_cnp(&m, now_ps, announced_ps, min_mbps * 1000000);
                flow_cnp(&t, now, announced_ps);
            } else if (rng_below(&r, 2) == 0 && t.out.due_ps <= now_ps) {
                t.cc->on_due(t.cfg, t.state, now, &t.out);
            }
            if (t.out.due_ps > now_ps)
                assert_int_equal(t.out.rate_bps, m.rate_bps);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all__life_of_a_flow),
        cmocka_unit_test(raise_rate__additive_step_by_rate_and_alpha),
        cmocka_unit_test(raise_rate__step_by_stage),
        cmocka_unit_test(raise_rate__sum_is_bounded_for_any_number),
        cmocka_unit_test(raise_rate__rests_at_line_rate),
        cmocka_unit_test(on_cnp__cuts_by_alpha),
        cmocka_unit_test(on_cnp__not_below_the_minimum),
        cmocka_unit_test(on_cnp__period_follows_the_receiver_and_the_rate),
        cmocka_unit_test(catch_up__same_rate_as_running_every_tick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
