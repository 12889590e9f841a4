/* src/sim/cc/dcqcn_hpcc_test.c
 *
 * Two oracles: rows computed by hand in exact fractions, and a reference implementation in this file that
 * runs every timer tick as a separate event, like the HPCC simulator.
 */
#include "sim/cc/test_dcqcn.h"

/* HPCC's parameters for 100 Gb/s, but raises every 10 us. */
static struct knobs hpcc_knobs(void)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_dce_tcp_g] = 1020;
    k.value[KNOB_rpg_ai_rate] = 20;
    k.value[KNOB_rpg_hai_rate] = 200;
    k.value[KNOB_rpg_min_rate] = 1000;
    k.value[KNOB_rpg_time_reset] = 10;
    return k;
}

static void start_flow(struct flow *t, const struct knobs *k)
{
    flow_start(t, cc_find("dcqcn_hpcc"), k, &link_100g);
}

/* ---- rows -------------------------------------------------------------------------------------- */

enum signal { QUERY, CNP };

struct hpcc_row { uint64_t at_ns, since_ns; enum signal signal; uint64_t rate_bps, due_ns; };

static void check_rows(struct flow *t, const struct hpcc_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cc_now now = { rows[i].at_ns * PS_PER_NS, rows[i].since_ns * PS_PER_NS };

        if (rows[i].signal == CNP)
            flow_cnp(t, now, 0);
        else
            flow_rate(t, now);
        flow_expect(t, rows[i].rate_bps, rows[i].due_ns);
    }
}

#define CHECK_ROWS(t, rows) check_rows(t, rows, sizeof(rows) / sizeof *(rows))

static void on_cnp__one_cut_then_recovery(void **unused)
{
    /* k = 255/256. First CNP at 1000: alpha 1, R = T = 100G, first cut at 1000 + 4000 + 1.
     * Ticks of alpha at 2000 .. 5000, the first CNP does not count: alpha = k^4 = 4228250625/2^32.
     * Cut: R = 1e11 (1 - alpha/2) = 50776684272.57; no raise before, so T stays 1e11.
     * Raises at 5001 + 10000 n; T is at line rate, so AI and HAI add nothing:
     *   R = 25388342136 + 5e10 = 75388342136
     *   R = 37694171068 + 5e10 = 87694171068
     *   R = 43847085534 + 5e10 = 93847085534
     * Decrease ticks at 9001, 13001 ... find no CNP. */
    static const struct hpcc_row rows[] = {
        {   500,   500, QUERY, 100000000000, NOTHING_DUE },
        {  1000,     0, CNP,  100000000000, 5001 },
        {  5000,  4000, QUERY, 100000000000, 5001 },
        {  5001,  1000, QUERY, 100000000000, 5001 },     /* caused at the same time as the timer */
        {  5001,  1001, QUERY, 50776684272, 15001 },
        { 15000, 15000, QUERY, 50776684272, 15001 },
        { 15002, 15000, QUERY, 75388342136, 25001 },
        { 30000, 15000, QUERY, 87694171068, 35001 },
        { 35001, 30000, QUERY, 93847085534, 45001 },
    };
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

static void on_cnp__cut_after_a_raise_lowers_the_target(void **unused)
{
    /* As above up to R = 93847085534. CNP at 36000, put on the wire at 34000: before the alpha period
     * that ends at 36000 began, so it comes before that tick. alpha = k^4 k^30 at 35000, then
     * k (k alpha + 1/256) = 0.87246682998 at 37000. Decrease ticks are at 5001 + 4000 n: 37001.
     * Raised since the last cut, so T = R; R (1 - alpha/2) = 52907850924.68.
     * Raise at 47001: 26453925462 + 46923542767 = 73377468229. */
    static const struct hpcc_row rows[] = {
        {  1000,     0, CNP,  100000000000, 5001 },
        { 36000, 34000, CNP,   93847085534, 37001 },
        { 37002, 34000, QUERY, 52907850924, 47001 },
        { 47002, 34000, QUERY, 73377468229, 57001 },
    };
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

static void on_cnp__younger_than_the_alpha_period_comes_after_its_tick(void **unused)
{
    /* As above, but the CNP set out at 35001: the tick at 36000 has run without it, the one at 37000
     * counts it. alpha = k k alpha + 1/256 = 0.87248208877; R (1 - alpha/2) = 52907134928.24. */
    static const struct hpcc_row rows[] = {
        {  1000,     0, CNP,  100000000000, 5001 },
        { 36000, 35001, CNP,   93847085534, 37001 },
        { 37002, 34000, QUERY, 52907134928, 47001 },
        { 47002, 34000, QUERY, 73377110231, 57001 },     /* 26453567464 + 46923542767 */
    };
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

/* Cuts at 5001 and, with a CNP at 5500, at 9001: alpha = (k k^4 + 1/256) k^3 = 0.97303457669,
 * R = 50776684272 (1 - alpha/2) = 26072949528.71. */
static const struct hpcc_row two_cuts[] = {
    {  1000,     0, CNP,  100000000000, 5001 },
    {  5500,  5100, CNP,   50776684272, 9001 },
    {  9002,  9000, QUERY, 26072949528, 19001 },
};

static void on_cnp__second_cut_in_a_row_keeps_the_target(void **unused)
{
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    start_flow(&t, &k);
    CHECK_ROWS(&t, two_cuts);
    /* T is still 1e11: 13036474764 + 5e10. */
    assert_int_equal(flow_rate(&t, (struct cc_now){ 19002 * PS_PER_NS, 0 }), 63036474764);
}

static void on_cnp__clamp_lowers_the_target_at_every_cut(void **unused)
{
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_clamp_tgt_rate] = 1;
    start_flow(&t, &k);
    CHECK_ROWS(&t, two_cuts);
    /* T is the rate before the second cut: 13036474764 + 25388342136. */
    assert_int_equal(flow_rate(&t, (struct cc_now){ 19002 * PS_PER_NS, 0 }), 38424816900);
}

static void raise_rate__stages_add_nothing_then_ai_then_hai(void **unused)
{
    /* The first CNP sets R = T = 40G; initial alpha (511 + 1)/1024, g = 1: alpha is 0 after one tick,
     * so the cut changes nothing and T alone moves R. F = 2, raises at 5001 + 10000 n.
     *   stage 0, 1  T 40000M            R 40000M
     *   stage 2     T 40020M            R 20000M + 20010M = 40010M
     *   stage 3     T 40220M            R 20005M + 20110M = 40115M
     *   stage 4     T 40420M            R 20057.5M + 20210M = 40267.5M */
    static const struct hpcc_row rows[] = {
        {  1000,     0, CNP,  40000000000, 5001 },
        {  5002,     0, QUERY, 40000000000, 15001 },
        { 15002,     0, QUERY, 40000000000, 25001 },
        { 25002,     0, QUERY, 40000000000, 35001 },
        { 35002,     0, QUERY, 40010000000, 45001 },
        { 45002,     0, QUERY, 40115000000, 55001 },
        { 55002,     0, QUERY, 40267500000, 65001 },
    };
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rate_to_set_on_first_cnp] = 40000;
    k.value[KNOB_initial_alpha_value] = 511;
    k.value[KNOB_dce_tcp_g] = 0;
    k.value[KNOB_rpg_threshold] = 2;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

/* Rate after one cut of 100 Gb/s with alpha (511 + 1)/1024 = 1/2, before alpha has ticked. */
static uint64_t rate_after_cut(double gd, double min_dec_fac, double min_rate)
{
    struct knobs k = hpcc_knobs();
    struct flow  t;

    k.value[KNOB_initial_alpha_value] = 511;
    k.value[KNOB_dce_tcp_rtt] = 5;
    k.value[KNOB_rpg_gd] = gd;
    k.value[KNOB_rpg_min_dec_fac] = min_dec_fac;
    k.value[KNOB_rpg_min_rate] = min_rate;
    start_flow(&t, &k);
    flow_cnp(&t, (struct cc_now){ 0, 0 }, 0);
    return flow_rate(&t, (struct cc_now){ 4002 * PS_PER_NS, 0 });
}

static void cut_rate__gd_floor_and_minimum(void **unused)
{
    (void)unused;
    assert_int_equal(rate_after_cut(11, 50, 1), 75000000000);    /* 1 - 1/4 */
    assert_int_equal(rate_after_cut(10, 50, 1), 50000000000);    /* 1 - 1/2 */
    assert_int_equal(rate_after_cut(13, 50, 1), 93750000000);    /* 1 - 1/16 */
    assert_int_equal(rate_after_cut(9, 25, 1), 25000000000);     /* 1 - 1, at least 1/4 */
    assert_int_equal(rate_after_cut(11, 90, 1), 90000000000);
    assert_int_equal(rate_after_cut(11, 100, 1), 100000000000);
    assert_int_equal(rate_after_cut(10, 50, 60000), 60000000000);
    assert_int_equal(rate_after_cut(10, 50, 131071), 100000000000);  /* never above line rate */
}

static void raise_rate__stops_at_rpg_max_rate(void **unused)
{
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rpg_max_rate] = 80000;
    start_flow(&t, &k);
    assert_int_equal(t.out.rate_bps, LINE_BPS);
    flow_cnp(&t, (struct cc_now){ 0, 0 }, 0);
    assert_int_equal(t.out.rate_bps, 80000000000);
    /* Truncating both halves leaves the last bit/s missing forever. */
    assert_in_range(flow_rate(&t, (struct cc_now){ PS_PER_S, 0 }), 79999999999, 80000000000);
}

/* Matches the original's product, tick by tick, to the last bit: at 800 Gb/s one unit in the last place of
 * alpha is visible in the rate of some of these cuts. The cut comes n us and 1 ns after the first CNP. */
static void on_due__decay_of_alpha_rounds_as_tick_by_tick(void **unused)
{
    static const struct cc_link link_800g = { .line_bps = 8 * LINE_BPS, .mtu_bytes = 1000 };
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_dce_tcp_g] = 1023;
    k.value[KNOB_rpg_time_reset] = 131071;
    for (int initial = 600; initial < 1000; initial += 100) {
        double alpha = (initial + 1) / 1024.0;

        k.value[KNOB_initial_alpha_value] = initial;
        for (uint64_t n = 1; n <= 4096; n++) {
            k.value[KNOB_rate_reduce_monitor_period] = (double)n;
            flow_start(&t, cc_find("dcqcn_hpcc"), &k, &link_800g);
            flow_cnp(&t, (struct cc_now){ 0, 0 }, 0);
            alpha = (1 - 1.0 / 1024) * alpha;
            assert_int_equal(flow_rate(&t, (struct cc_now){ n * PS_PER_US + 2 * PS_PER_NS, 0 }),
                             (uint64_t)((double)(8 * LINE_BPS) * (1 - alpha / 2)));
        }
    }
}

static void on_due__a_long_decay_of_alpha_is_a_power(void **unused)
{
    /* g = 1/1024: k^5000 = 0.00755762540 (k = 1023/1024) for ticks at 1 .. 5000 us after the CNP,
     * then a CNP that counts at 5001; the cut comes 1 ns after tick 5004.
     * alpha = (k (k^5000) + 1/1024) k^3; the cut takes half of that. */
    struct knobs k = hpcc_knobs();
    struct flow  t;
    double       keep = 1023.0 / 1024, alpha = 1, want;

    (void)unused;
    k.value[KNOB_dce_tcp_g] = 1023;
    k.value[KNOB_rpg_time_reset] = 131071;
    start_flow(&t, &k);
    flow_cnp(&t, (struct cc_now){ 0, 0 }, 0);
    want = (double)flow_rate(&t, (struct cc_now){ 4002 * PS_PER_NS, 0 });     /* alpha ticked four times */
    flow_cnp(&t, (struct cc_now){ 5000500 * PS_PER_NS, 5000400 * PS_PER_NS }, 0);
    for (int i = 0; i < 5000; i++)
        alpha *= keep;
    assert_int_equal((uint64_t)(alpha * 1e8), 755762);
    alpha = (keep * alpha + 1.0 / 1024) * keep * keep * keep;
    want *= 1 - alpha / 2;
    assert_in_range(flow_rate(&t, (struct cc_now){ 5004002 * PS_PER_NS, 0 }), (uint64_t)want - 1,
                    (uint64_t)want + 1);
}

static void change_knobs__running_periods_keep_their_length(void **unused)
{
    /* First CNP at 0: ticks of alpha would be at 1000 ..., decrease at 4001. At 500 the periods become
     * 3, 6 and 20 us: alpha at 1000, 4000, ..., decrease at 4001 as planned, then 10001, 16001.
     * With g = 1/2 and initial alpha 1: alpha 1/2 at 1000, 1/4 at 4000; R = 1e11 * 7/8.
     * CNP at 4500: alpha = 1/8 + 1/2 at 7000, 5/16 at 10000; R = 87.5G * 27/32 = 73828125000 at 10001,
     * T stays 1e11. Raise at 30001. At 12000 raises become 5 us apart: 30001 stays, then 35001. */
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_dce_tcp_g] = 512;
    start_flow(&t, &k);
    flow_cnp(&t, (struct cc_now){ 0, 0 }, 0);
    k.value[KNOB_dce_tcp_rtt] = 3;
    k.value[KNOB_rate_reduce_monitor_period] = 6;
    k.value[KNOB_rpg_time_reset] = 20;
    flow_change_knobs(&t, (struct cc_now){ 500 * PS_PER_NS, 500 * PS_PER_NS }, &k);
    assert_int_equal(flow_rate(&t, (struct cc_now){ 4001 * PS_PER_NS, 4000 * PS_PER_NS }), 87500000000);
    assert_int_equal(t.out.due_ps, 24001 * PS_PER_NS);
    flow_cnp(&t, (struct cc_now){ 4500 * PS_PER_NS, 4500 * PS_PER_NS }, 0);
    assert_int_equal(t.out.due_ps, 10001 * PS_PER_NS);
    assert_int_equal(flow_rate(&t, (struct cc_now){ 10002 * PS_PER_NS, 0 }), 73828125000);
    k.value[KNOB_rpg_time_reset] = 5;
    flow_change_knobs(&t, (struct cc_now){ 12000 * PS_PER_NS, 12000 * PS_PER_NS }, &k);
    assert_int_equal(t.out.due_ps, 30001 * PS_PER_NS);
    assert_int_equal(flow_rate(&t, (struct cc_now){ 30002 * PS_PER_NS, 0 }), 86914062500);
    assert_int_equal(t.out.due_ps, 35001 * PS_PER_NS);
}

static void change_knobs__idle_decrease_ticks_keep_their_phase(void **unused)
{
    /* Decrease ticks at 4001, 8001, 12001 ns. At 9000 their period becomes 7 us: 12001, 19001, 26001.
     * A CNP at 13000 waits for 19001. */
    struct knobs k = hpcc_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rpg_time_reset] = 1000;
    start_flow(&t, &k);
    flow_cnp(&t, (struct cc_now){ 0, 0 }, 0);
    k.value[KNOB_rate_reduce_monitor_period] = 7;
    flow_change_knobs(&t, (struct cc_now){ 9000 * PS_PER_NS, 9000 * PS_PER_NS }, &k);
    flow_cnp(&t, (struct cc_now){ 13000 * PS_PER_NS, 13000 * PS_PER_NS }, 0);
    assert_int_equal(t.out.due_ps, 19001 * PS_PER_NS);
}

/* ---- reference implementation: one event per tick ---------------------------------------------- */

struct hpcc_reference {
    struct knobs       k;
    uint64_t           rate, target;
    double             alpha;
    uint64_t           stage;
    bool               first, alpha_flag, decrease_flag;
    struct timer_event ev[EVENTS];
};

static uint64_t us(const struct hpcc_reference *e, enum knob knob)
{
    return (uint64_t)e->k.value[knob] * PS_PER_US;
}

static uint64_t mbps(const struct hpcc_reference *e, enum knob knob)
{
    return (uint64_t)e->k.value[knob] * 1000000;
}

static uint64_t max_rate(const struct hpcc_reference *e)
{
    uint64_t max = mbps(e, KNOB_rpg_max_rate);

    return max == 0 || max > LINE_BPS ? LINE_BPS : max;
}

static void reference_start(struct hpcc_reference *e, const struct knobs *k)
{
    *e = (struct hpcc_reference){ .k = *k, .rate = LINE_BPS, .target = LINE_BPS, .first = true };
}

static void reference_alpha(struct hpcc_reference *e, uint64_t now_ps)
{
    double g = (1024 - e->k.value[KNOB_dce_tcp_g]) / 1024;

    e->alpha = e->alpha_flag ? (1 - g) * e->alpha + g : (1 - g) * e->alpha;
    e->alpha_flag = false;
    event_schedule(&e->ev[ALPHA], now_ps, us(e, KNOB_dce_tcp_rtt));
}

static void reference_decrease(struct hpcc_reference *e, uint64_t now_ps)
{
    uint64_t min = mbps(e, KNOB_rpg_min_rate), max = max_rate(e);

    event_schedule(&e->ev[DECREASE], now_ps, us(e, KNOB_rate_reduce_monitor_period));
    if (!e->decrease_flag)
        return;
    if (e->k.value[KNOB_clamp_tgt_rate] != 0 || e->stage != 0)
        e->target = e->rate;
    e->rate = (uint64_t)((double)e->rate * (1 - e->alpha / 2));
    if (e->rate < (min < max ? min : max))
        e->rate = min < max ? min : max;
    e->stage = 0;
    e->decrease_flag = false;
    event_schedule(&e->ev[INCREASE], now_ps, us(e, KNOB_rpg_time_reset));
}

static void reference_increase(struct hpcc_reference *e, uint64_t now_ps)
{
    uint64_t f = (uint64_t)e->k.value[KNOB_rpg_threshold];

    event_schedule(&e->ev[INCREASE], now_ps, us(e, KNOB_rpg_time_reset));
    if (e->stage >= f)
        e->target += mbps(e, e->stage == f ? KNOB_rpg_ai_rate : KNOB_rpg_hai_rate);
    if (e->target > max_rate(e))
        e->target = max_rate(e);
    e->rate = (uint64_t)((double)e->rate / 2.0) + (uint64_t)((double)e->target / 2.0);
    e->stage++;
}

static void reference_run(struct hpcc_reference *e, struct cc_now now)
{
    for (int i = event_due(e->ev, now); i >= 0; i = event_due(e->ev, now)) {
        if (i == ALPHA)
            reference_alpha(e, e->ev[i].at_ps);
        else if (i == DECREASE)
            reference_decrease(e, e->ev[i].at_ps);
        else
            reference_increase(e, e->ev[i].at_ps);
    }
}

static void reference_cnp(struct hpcc_reference *e, uint64_t now_ps)
{
    e->alpha_flag = e->decrease_flag = true;
    if (!e->first)
        return;
    e->first = e->alpha_flag = false;
    e->alpha = (e->k.value[KNOB_initial_alpha_value] + 1) / 1024;
    if (e->rate > max_rate(e))
        e->rate = max_rate(e);
    e->target = e->rate;
    event_schedule(&e->ev[ALPHA], now_ps, us(e, KNOB_dce_tcp_rtt));
    event_schedule(&e->ev[DECREASE], now_ps, us(e, KNOB_rate_reduce_monitor_period) + PS_PER_NS);
}

/* ---- both with the same random signals --------------------------------------------------------- */

static struct knobs random_knobs(struct rng *r)
{
    struct knobs k = hpcc_knobs();

    draw_knobs(r, &k);
    return k;
}

static void run_both(struct rng *r, int signals)
{
    struct knobs          k = random_knobs(r);
    struct cc_now         now = { 0, 0 };
    struct flow           t;
    struct hpcc_reference e;
    uint64_t              cnp_share = 1 + rng_below(r, 50);

    start_flow(&t, &k);
    reference_start(&e, &k);
    for (int i = 0; i < signals; i++) {
        uint64_t roll = rng_below(r, 100);

        now = random_instant(r, now, e.ev, 400 * PS_PER_US);
        reference_run(&e, now);
        if (roll < cnp_share) {
            flow_cnp(&t, now, 0);
            reference_cnp(&e, now.ps);
        } else if (roll == 99) {
            e.k = k = random_knobs(r);
            flow_change_knobs(&t, now, &k);
        }
        assert_int_equal(flow_rate(&t, now), e.rate);
    }
}

static void catch_up__same_rate_as_running_every_tick(void **unused)
{
    struct rng r;

    (void)unused;
    rng_init(&r, 1, 0);
    for (int i = 0; i < 2000; i++)
        run_both(&r, 500);
}

/* Long idle times: raises reach a steady state and are skipped; a later CNP finds them in phase. */
static void catch_up__in_phase_after_idling_at_line_rate(void **unused)
{
    struct knobs          k = hpcc_knobs();
    struct flow           t;
    struct hpcc_reference e;
    struct rng            r;
    uint64_t              ps = 0;

    (void)unused;
    rng_init(&r, 2, 0);
    k.value[KNOB_rpg_hai_rate] = 40000;
    start_flow(&t, &k);
    reference_start(&e, &k);
    for (int i = 0; i < 300; i++) {
        struct cc_now now = { ps += rng_below(&r, 4000 * PS_PER_US), 0 };

        now.since_ps = now.ps;
        reference_run(&e, now);
        flow_cnp(&t, now, 0);
        reference_cnp(&e, now.ps);
        for (int j = 0; j < 8; j++) {
            now.ps = ps += rng_below(&r, 9 * PS_PER_US);
            now.since_ps = now.ps;
            reference_run(&e, now);
            assert_int_equal(flow_rate(&t, now), e.rate);
        }
    }
}

/* ---- PARALEON's artifact ---- */

/* Three knobs are reset, at the first CNP only; the initial alpha never counts. */
static void forget__at_the_first_cnp_of_a_queue_pair(void **unused)
{
    const struct cc_algo *cc = cc_find("dcqcn_paraleon");
    struct knobs k = hpcc_knobs(), at_first = k;
    struct flow  t;

    (void)unused;
    k.value[KNOB_rpg_gd] = 13;
    k.value[KNOB_rpg_min_dec_fac] = 90;
    k.value[KNOB_initial_alpha_value] = 1;
    flow_start(&t, cc, &k, &link_100g);
    assert_false(t.out.forgets);
    flow_cnp(&t, (struct cc_now){ 1000 * PS_PER_NS, 0 }, 0);
    assert_true(t.out.forgets);
    t.out.forgets = false;
    flow_cnp(&t, (struct cc_now){ 1500 * PS_PER_NS, 1500 * PS_PER_NS }, 0);
    assert_false(t.out.forgets);
    cc->forget(&k);
    at_first.value[KNOB_dce_tcp_g] = 1019;
    at_first.value[KNOB_initial_alpha_value] = 1;
    assert_memory_equal(&at_first, &k, sizeof k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forget__at_the_first_cnp_of_a_queue_pair),
        cmocka_unit_test(on_cnp__one_cut_then_recovery),
        cmocka_unit_test(on_cnp__cut_after_a_raise_lowers_the_target),
        cmocka_unit_test(on_cnp__younger_than_the_alpha_period_comes_after_its_tick),
        cmocka_unit_test(on_cnp__second_cut_in_a_row_keeps_the_target),
        cmocka_unit_test(on_cnp__clamp_lowers_the_target_at_every_cut),
        cmocka_unit_test(raise_rate__stages_add_nothing_then_ai_then_hai),
        cmocka_unit_test(cut_rate__gd_floor_and_minimum),
        cmocka_unit_test(raise_rate__stops_at_rpg_max_rate),
        cmocka_unit_test(on_due__decay_of_alpha_rounds_as_tick_by_tick),
        cmocka_unit_test(on_due__a_long_decay_of_alpha_is_a_power),
        cmocka_unit_test(change_knobs__running_periods_keep_their_length),
        cmocka_unit_test(change_knobs__idle_decrease_ticks_keep_their_phase),
        cmocka_unit_test(catch_up__same_rate_as_running_every_tick),
        cmocka_unit_test(catch_up__in_phase_after_idling_at_line_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
