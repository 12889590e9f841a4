/* src/sim/cc/dcqcn_nic_test.c
 *
 * Two oracles: rows computed by hand, and a reference implementation in this file that runs every timer tick
 * as a separate event and counts byte by byte.
 */
#include "sim/cc/test_dcqcn.h"

/* The initial knobs, but raises every 10 us or 6400 bytes. */
static struct knobs nic_knobs(void)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_rpg_time_reset] = 10;
    k.value[KNOB_rpg_byte_reset] = 100;
    return k;
}

static void start_flow(struct flow *t, const struct knobs *k)
{
    flow_start(t, cc_find("dcqcn"), k, &link_100g);
}

/* ---- rows -------------------------------------------------------------------------------------- */

enum signal { QUERY, CNP, SENT_6400 };

struct nic_row { uint64_t at_ns; enum signal signal; uint64_t rate_bps, due_ns; };

static void check_rows(struct flow *t, const struct nic_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cc_now now = at_ns(rows[i].at_ns);

        if (rows[i].signal == CNP)
            flow_cnp(t, now, 0);
        else if (rows[i].signal == SENT_6400)
            flow_sent(t, now, 6400);
        else
            flow_rate(t, now);
        flow_expect(t, rows[i].rate_bps, rows[i].due_ns);
    }
}

#define CHECK_ROWS(t, rows) check_rows(t, rows, sizeof(rows) / sizeof *(rows))

static void on_cnp__first_sets_the_rate_and_is_not_cut(void **unused)
{
    static const struct nic_row rows[] = {
        {     0, SENT_6400, 100000000000, NOTHING_DUE },
        {   100, CNP,        85000000000, 10100 },
        {  9000, QUERY,      85000000000, 10100 },
        { 10101, QUERY,      85000000000, 20100 },       /* stage 0: R = (R + T) / 2 with R = T */
        { 20101, QUERY,      85002500000, 30100 },       /* stage 1: T = 85005M */
    };
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

/* Alpha is truncated to whole 1/1024, which can be followed by hand. */
static void all__life_of_a_flow(void **unused)
{
    /* CNP at 0: R = T = 85G, alpha 1023. CNP at 1500: counts for the alpha tick at 2000.
     *   alpha  1000: 1019 * 1023 / 1024 = 1018;  2000: 1019 * 1018 / 1024 + 5 = 1013 + 5 = 1018
     *          3000: 1013;  4000: 1019 * 1013 / 1024 = 1008
     *   4001   cut: 85e9 * 1008 / 2048 = 41835937500 (at most 42.5e9); R = 43164062500; T stays
     *  14001   raise by time, stages (time, bytes) (0, 0): R = (43164062500 + 85e9) / 2
     *  15000   raise by bytes, (1, 0), additive: T = 85005M; R = (64082031250 + T) / 2
     *  24001   by time, (1, 1), additive: T = 85010M; R = (74543515625 + T + 1) / 2
     *  25000   by bytes, (2, 1), additive: T = 85015M; R = (79776757813 + T + 1) / 2
     *  34001   by time, (2, 2), hyper: T = 85065M; R = (82395878907 + T + 1) / 2
     *  35000   CNP, after the alpha tick of 35000. 31 ticks since 4000 have taken 5 each: 1008 - 155 =
     *          853; at 36000: 1019 * 853 / 1024 + 5 = 848 + 5 = 853
     *  36001   cut: raised before, T = R; R -= 83730439454 * 853 / 2048 = 34874055104
     *  46001   raise, (0, 0): R = (48856384350 + 83730439454) / 2 */
    static const struct nic_row rows[] = {
        {     0, CNP,       85000000000, 10000 },
        {  1500, CNP,       85000000000,  4001 },
        {  4002, QUERY,     43164062500, 14001 },
        { 14002, QUERY,     64082031250, 24001 },
        { 15000, SENT_6400, 74543515625, 24001 },
        { 24002, QUERY,     79776757813, 34001 },
        { 25000, SENT_6400, 82395878907, 34001 },
        { 34002, QUERY,     83730439454, 44001 },
        { 35000, CNP,       83730439454, 36001 },
        { 36002, QUERY,     48856384350, 46001 },
        { 46002, QUERY,     66293411902, 56001 },
    };
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_alpha_fraction_bits] = 0;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

static void all__life_of_a_flow_with_the_fraction_of_alpha(void **unused)
{
    /* The same signals. g = 1019/1024; exact are
     *   alpha  4000: ((1023 g) g + 5) g g = 1008.11669; 35000: that x g^31 = 866.18738;
     *          36000: x g, + 5 = 866.95795
     * which is kept in 2^-16, rounded down at each tick:
     *   4001   cut: 85e9 * 66067934 / 2^16 / 2^11 = 41840779706
     * 36001   cut: 83730288135 * 56816938 / 2^16 / 2^11 = 35444636566
     */
    static const struct nic_row rows[] = {
        {     0, CNP,       85000000000, 10000 },
        {  1500, CNP,       85000000000,  4001 },
        {  4002, QUERY,     43159220294, 14001 },
        { 14002, QUERY,     64079610147, 24001 },
        { 15000, SENT_6400, 74542305074, 24001 },
        { 24002, QUERY,     79776152537, 34001 },
        { 25000, SENT_6400, 82395576269, 34001 },
        { 34002, QUERY,     83730288135, 44001 },
        { 35000, CNP,       83730288135, 36001 },
        { 36002, QUERY,     48285651569, 46001 },
        { 46002, QUERY,     66007969852, 56001 },
    };
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

/* Cuts at 4001 and, after a raise by time or by bytes, once more. Returns the rate after one further raise,
 * which reveals the target. Initial alpha 512 and an alpha period of 100 us: 512 at both cuts, which take a
 * quarter. First rate 80G; R 60G after the first cut, T 80G; 70G after the raise at 14001 or at 9000; 52.5G
 * after the second cut. */
static uint64_t rate_after_two_cuts(double clamp, double clamp_after_time, bool raise_by_time)
{
    struct knobs k = nic_knobs();
    struct flow  t;

    k.value[KNOB_rate_to_set_on_first_cnp] = 80000;
    k.value[KNOB_initial_alpha_value] = 512;
    k.value[KNOB_dce_tcp_rtt] = 100;
    k.value[KNOB_clamp_tgt_rate] = clamp;
    k.value[KNOB_clamp_tgt_rate_after_time_inc] = clamp_after_time;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    flow_cnp(&t, at_ns(1000), 0);
    assert_int_equal(flow_rate(&t, at_ns(4002)), 60000000000);
    if (!raise_by_time)
        flow_sent(&t, at_ns(9000), 6400);
    flow_cnp(&t, at_ns(raise_by_time ? 14500 : 9500), 0);
    assert_int_equal(t.out.rate_bps, 70000000000);
    assert_int_equal(flow_rate(&t, at_ns(16002)), 52500000000);
    return flow_rate(&t, at_ns(26002));
}

static void cut_rate__when_the_target_is_lowered(void **unused)
{
    (void)unused;
    assert_int_equal(rate_after_two_cuts(0, 1, true), 61250000000);      /* T = 70G */
    assert_int_equal(rate_after_two_cuts(0, 0, true), 66250000000);      /* T = 80G */
    assert_int_equal(rate_after_two_cuts(1, 0, true), 61250000000);
    assert_int_equal(rate_after_two_cuts(0, 0, false), 61250000000);
}

/* Rate after one cut of 80 Gb/s with alpha 512. */
static uint64_t rate_after_cut(double gd, double min_dec_fac, double min_rate)
{
    struct knobs k = nic_knobs();
    struct flow  t;

    k.value[KNOB_rate_to_set_on_first_cnp] = 80000;
    k.value[KNOB_initial_alpha_value] = 512;
    k.value[KNOB_dce_tcp_rtt] = 100;
    k.value[KNOB_rpg_gd] = gd;
    k.value[KNOB_rpg_min_dec_fac] = min_dec_fac;
    k.value[KNOB_rpg_min_rate] = min_rate;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    flow_cnp(&t, at_ns(1), 0);
    return flow_rate(&t, at_ns(4002));
}

static void cut_rate__gd_floor_and_minimum(void **unused)
{
    (void)unused;
    assert_int_equal(rate_after_cut(11, 50, 1), 60000000000);    /* 512 / 2^11 = 1/4 less */
    assert_int_equal(rate_after_cut(10, 50, 1), 40000000000);
    assert_int_equal(rate_after_cut(14, 50, 1), 77500000000);    /* 1/32 less */
    assert_int_equal(rate_after_cut(0, 30, 1), 24000000000);     /* 70 % less at most */
    assert_int_equal(rate_after_cut(11, 90, 1), 72000000000);
    assert_int_equal(rate_after_cut(11, 100, 1), 80000000000);
    assert_int_equal(rate_after_cut(11, 50, 65000), 65000000000);
    assert_int_equal(rate_after_cut(11, 50, 131071), 100000000000);  /* never above line rate */
}

static void raise_rate__released_near_the_maximum(void **unused)
{
    /* R 60G, T 80G after a cut at 4001; maximum 80G. Raises halve the distance of 20G: 2^15 > 20000, so 15 of
     * them bring it below 1 Mb/s, at 4001 + 15 * 10000. Then line rate and no more timers; the next CNP is a
     * first one again. */
    static const struct nic_row rows[] = {
        { 144002, QUERY, 79998779297, 154001 },          /* 14: 80G - 20G / 2^14, rounded up */
        { 154000, QUERY, 79998779297, 154001 },
        { 154002, QUERY, 100000000000, NOTHING_DUE },
        { 160000, QUERY, 100000000000, NOTHING_DUE },
        { 160000, CNP,   80000000000, 170000 },
    };
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rate_to_set_on_first_cnp] = 80000;
    k.value[KNOB_rpg_max_rate] = 80000;
    k.value[KNOB_initial_alpha_value] = 512;
    k.value[KNOB_dce_tcp_rtt] = 100;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    flow_cnp(&t, at_ns(1), 0);
    assert_int_equal(flow_rate(&t, at_ns(4002)), 60000000000);
    CHECK_ROWS(&t, rows);
}

static void raise_rate__not_released_while_a_cnp_waits(void **unused)
{
    /* R = T = maximum = 80G. A CNP at 9500 waits for 12001; the raise at 10000 would release. The cut leaves
     * 3/4: the signal was not lost. */
    static const struct nic_row rows[] = {
        {     0, CNP,  80000000000, 10000 },
        {  9500, CNP,  80000000000, 10000 },
        { 10001, QUERY, 80000000000, 12001 },
        { 12002, QUERY, 60000000000, 22001 },
    };
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rpg_max_rate] = 80000;
    k.value[KNOB_initial_alpha_value] = 512;
    k.value[KNOB_dce_tcp_rtt] = 100;
    start_flow(&t, &k);
    CHECK_ROWS(&t, rows);
}

static void run_alpha__decays_to_zero_and_saturates(void **unused)
{
    /* With G = 1023 and whole 1/1024, alpha loses one per tick: 1023 at 0, 0 from 1023 us on. A CNP at 3000.5
     * us only adds 1: 1, then 0 again (1023 / 1024) at 3002. A cut at 3004.001 takes nothing. */
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_alpha_fraction_bits] = 0;
    k.value[KNOB_dce_tcp_g] = 1023;
    k.value[KNOB_rpg_time_reset] = 131071;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    flow_cnp(&t, at_ns(3000500), 0);
    assert_int_equal(flow_rate(&t, at_ns(3004002)), 85000000000);

    /* A CNP in every period with G = 0: 0 * alpha + 1024, capped at 1023: cuts of 1023/2048. */
    k.value[KNOB_dce_tcp_g] = 0;
    k.value[KNOB_initial_alpha_value] = 1;
    start_flow(&t, &k);
    for (uint64_t ns = 500; ns < 4500; ns += 1000)
        flow_cnp(&t, at_ns(ns), 0);
    assert_int_equal(flow_rate(&t, at_ns(4502)), 42541503907);        /* 85e9 - 85e9 * 1023 / 2048 */

    /* capped 2^-26 below 1: 85e9 / 2^27 is 633.3 */
    k.value[KNOB_alpha_fraction_bits] = 16;
    start_flow(&t, &k);
    for (uint64_t ns = 500; ns < 4500; ns += 1000)
        flow_cnp(&t, at_ns(ns), 0);
    assert_int_equal(flow_rate(&t, at_ns(4502)), 42500000634);
}

/* ---- alpha against exact arithmetic ------------------------------------------------------------- */

#define LONG_TICKS 1000000u
#define CUT_US     997u

/* Cuts every 997 us reveal alpha; a raise in between moves the rate halfway back to a constant target. */
static struct knobs long_life_knobs(void)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_rate_to_set_on_first_cnp] = 50000;
    k.value[KNOB_clamp_tgt_rate_after_time_inc] = 0;
    k.value[KNOB_rpg_byte_reset] = 0;
    k.value[KNOB_rpg_threshold] = 31;
    k.value[KNOB_rpg_time_reset] = 500;
    k.value[KNOB_rate_reduce_monitor_period] = CUT_US;
    return k;
}

/* Alpha, in 1/1024, as revealed by the cut 1 ns after a microsecond. */
static double alpha_at_cut(struct flow *t, uint64_t us)
{
    uint64_t before_bps = flow_rate(t, at_ns(1000 * us));
    uint64_t after_bps = flow_rate(t, at_ns(1000 * us + 2));

    return (double)(before_bps - after_bps) * 2048 / (double)before_bps;
}

/* CNPs every 'spacing' us, in the middle of a tick, for a second. The reference is a real number, updated
 * tick by tick. The rounding error of a tick, at most 2^-16, shrinks with alpha: in total it is at most 2^-16
 * / (1 - 1019/1024). */
static void follow_alpha(uint32_t spacing_us)
{
    const double lost_max = 1024.0 / 5 / 65536;
    struct knobs k = long_life_knobs();
    long double  truth = 1023;
    uint32_t     cuts = 0;
    struct flow  t;

    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    for (uint32_t us = 1; us <= LONG_TICKS; us++) {
        bool has_cnp = us % spacing_us == 0;

        if (has_cnp)
            flow_cnp(&t, at_ns(1000ull * us - 500), 0);
        truth = truth * 1019 / 1024 + (has_cnp ? 5 : 0);
        if (us % CUT_US == 0) {
            double lost = (double)truth - alpha_at_cut(&t, us);

            assert_true(lost > -1e-5 && lost < lost_max + 1e-5);
            cuts++;
        }
    }
    assert_int_equal(cuts, LONG_TICKS / CUT_US);
}

static void run_alpha__as_exact_arithmetic_for_a_second(void **unused)
{
    (void)unused;
    for (uint32_t spacing_us = 1; spacing_us <= 100; spacing_us++)
        follow_alpha(spacing_us);
}

/* Steady-state alpha just after a CNP, with a CNP every 'spacing' us. The first cut is at 997 us: a CNP in
 * the tick before it. */
static double steady_alpha(uint32_t spacing_us, double bits)
{
    struct knobs k = long_life_knobs();
    uint32_t     from_us = CUT_US % spacing_us ? CUT_US % spacing_us : spacing_us;
    struct flow  t;

    k.value[KNOB_alpha_fraction_bits] = bits;
    k.value[KNOB_initial_alpha_value] = 1;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    for (uint32_t us = from_us; us <= CUT_US; us += spacing_us)
        flow_cnp(&t, at_ns(1000ull * us - 500), 0);
    return alpha_at_cut(&t, CUT_US);
}

static void run_alpha__where_it_settles(void **unused)
{
    /* Exact: 5 / (1 - (1019/1024)^s), except for the rest after 997 us: (1019/1024)^997 is 0.0076. With six
     * bits, at most 1024/5/64 = 3.2 are missing. Truncated to whole 1/1024, it is 5 more than alpha before,
     * and a value below 1024/5 has lost 1 in each tick between: nothing is left if CNPs come every 6 us or
     * more rarely. */
    static const struct { uint32_t spacing_us; double exact; } rows[] = {
        { 6, 172.77 }, { 8, 130.21 }, { 10, 104.67 }, { 16, 66.38 }, { 33, 33.53 }, { 65, 18.35 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double kept = steady_alpha(rows[i].spacing_us, 16), six = steady_alpha(rows[i].spacing_us, 6);

        assert_true(kept > 0.985 * rows[i].exact && kept < rows[i].exact);
        assert_true(six > kept - 3.2 && six < kept);
        assert_true(steady_alpha(rows[i].spacing_us, 0) < 5.0001);
    }
}

static void on_sent__counts_from_the_limit_on_and_carries_over(void **unused)
{
    /* First rate 80G. F = 0 and no raise by time, so each raise by bytes adds 5 Mb/s to T. */
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rate_to_set_on_first_cnp] = 80000;
    k.value[KNOB_rpg_threshold] = 0;
    k.value[KNOB_rpg_time_reset] = 131071;
    start_flow(&t, &k);
    flow_sent(&t, at_ns(0), 6399);
    flow_cnp(&t, at_ns(1), 0);
    flow_sent(&t, at_ns(2), 6399);
    assert_int_equal(t.out.rate_bps, 80000000000);
    flow_sent(&t, at_ns(3), 1001);                            /* 7400: one raise, 1000 in the next period */
    assert_int_equal(t.out.rate_bps, 80002500000);       /* T 80005M */
    flow_sent(&t, at_ns(4), 5399);
    assert_int_equal(t.out.rate_bps, 80002500000);
    flow_sent(&t, at_ns(5), 1 + 6400);                        /* two raises */
    assert_int_equal(t.out.rate_bps, 80010625000);       /* T 80010M: 80006.25M, T 80015M: 80010.625M */
    assert_int_equal(t.out.due_ps, PS_PER_NS + 131071 * PS_PER_US);
}

static void on_sent__byte_counter_off(void **unused)
{
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rpg_byte_reset] = 0;
    k.value[KNOB_rpg_threshold] = 0;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    for (uint64_t ns = 1; ns < 1000; ns++)
        flow_sent(&t, at_ns(ns), 1000000);
    assert_int_equal(t.out.rate_bps, 85000000000);
}

static void on_sent__a_cut_resets_the_byte_count(void **unused)
{
    struct knobs k = nic_knobs();
    struct flow  t;
    uint64_t     rate_bps;

    (void)unused;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    flow_sent(&t, at_ns(500), 6399);
    flow_cnp(&t, at_ns(1000), 0);
    rate_bps = flow_rate(&t, at_ns(4002));
    flow_sent(&t, at_ns(4100), 6399);
    assert_int_equal(t.out.rate_bps, rate_bps);
    flow_sent(&t, at_ns(4200), 1);
    assert_int_equal(t.out.rate_bps, (rate_bps + 85000000000 + 1) / 2);
}

static void change_knobs__running_periods_keep_their_length(void **unused)
{
    /* First CNP at 0: decrease at 4001, raise at 10000, byte period of 6400. At 500: periods of 6 and 20 us,
     * 12800 bytes, F = 0. Running periods end as planned, the next are longer; each raise adds 5 Mb/s to T.
     * Initial alpha 512, alpha does not tick. */
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rate_to_set_on_first_cnp] = 80000;
    k.value[KNOB_initial_alpha_value] = 512;
    k.value[KNOB_dce_tcp_rtt] = 1000;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    flow_sent(&t, at_ns(100), 400);
    k.value[KNOB_rate_reduce_monitor_period] = 6;
    k.value[KNOB_rpg_time_reset] = 20;
    k.value[KNOB_rpg_byte_reset] = 200;
    k.value[KNOB_rpg_threshold] = 0;
    flow_change_knobs(&t, at_ns(500), &k);
    assert_int_equal(t.out.due_ps, 10000 * PS_PER_NS);
    flow_sent(&t, at_ns(600), 6000);
    assert_int_equal(t.out.rate_bps, 80002500000);       /* T 80005M */
    flow_sent(&t, at_ns(700), 12799);
    assert_int_equal(t.out.rate_bps, 80002500000);
    flow_sent(&t, at_ns(800), 1);
    assert_int_equal(t.out.rate_bps, 80006250000);       /* T 80010M */
    assert_int_equal(flow_rate(&t, at_ns(10001)), 80010625000);       /* T 80015M */
    assert_int_equal(t.out.due_ps, 30000 * PS_PER_NS);
    flow_cnp(&t, at_ns(10500), 0);                               /* decrease ticks: 4001, 10001, 16001 */
    assert_int_equal(t.out.due_ps, 16001 * PS_PER_NS);
    assert_int_equal(flow_rate(&t, at_ns(16002)), 60007968750);       /* 80010625000 * 3 / 4 */
    assert_int_equal(t.out.due_ps, 36001 * PS_PER_NS);
}

static void change_knobs__byte_counter_on_and_off(void **unused)
{
    struct knobs k = nic_knobs();
    struct flow  t;

    (void)unused;
    k.value[KNOB_rate_to_set_on_first_cnp] = 80000;
    k.value[KNOB_rpg_threshold] = 0;
    k.value[KNOB_rpg_byte_reset] = 0;
    start_flow(&t, &k);
    flow_cnp(&t, at_ns(0), 0);
    flow_sent(&t, at_ns(100), 9000);
    k.value[KNOB_rpg_byte_reset] = 100;
    flow_change_knobs(&t, at_ns(200), &k);
    flow_sent(&t, at_ns(300), 6399);
    assert_int_equal(t.out.rate_bps, 80000000000);
    k.value[KNOB_rpg_byte_reset] = 0;                    /* the running period is the last */
    flow_change_knobs(&t, at_ns(400), &k);
    flow_sent(&t, at_ns(500), 64000);
    assert_int_equal(t.out.rate_bps, 80002500000);
}

/* ---- reference implementation: one event per tick ---------------------------------------------- */

struct nic_reference {
    struct knobs       k;
    uint64_t           rate, target, alpha, time_stage, byte_stage;  /* alpha in 2^-16 of 1/1024 */
    uint64_t           byte_count, byte_goal;                        /* goal 0: not set yet */
    bool               limiter, alpha_flag, decrease_flag;
    struct timer_event ev[EVENTS];
};

static uint64_t number(const struct nic_reference *e, enum knob knob) { return (uint64_t)e->k.value[knob]; }
static uint64_t us(const struct nic_reference *e, enum knob knob) { return number(e, knob) * PS_PER_US; }
static uint64_t mbps(const struct nic_reference *e, enum knob knob) { return number(e, knob) * 1000000; }
static uint64_t least(uint64_t a, uint64_t b)                 { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b)                  { return a < b ? b : a; }

static uint64_t max_rate(const struct nic_reference *e)
{
    uint64_t max = mbps(e, KNOB_rpg_max_rate);

    return max == 0 ? LINE_BPS : least(max, LINE_BPS);
}

static uint64_t min_rate(const struct nic_reference *e)
{
    return least(mbps(e, KNOB_rpg_min_rate), max_rate(e));
}

static uint64_t reference_rate(const struct nic_reference *e)
{
    return e->limiter ? e->rate : LINE_BPS;
}

static void reference_alpha(struct nic_reference *e, uint64_t now_ps)
{
    uint64_t g = number(e, KNOB_dce_tcp_g);

    uint64_t step = 65536 >> number(e, KNOB_alpha_fraction_bits);

    e->alpha = g * e->alpha / 1024 / step * step;
    if (e->alpha_flag)
        e->alpha = least(e->alpha + (1024 - g) * 65536, 1024 * 65536 - step);
    e->alpha_flag = false;
    event_schedule(&e->ev[ALPHA], now_ps, us(e, KNOB_dce_tcp_rtt));
}

static void reference_decrease(struct nic_reference *e, uint64_t now_ps)
{
    uint64_t by_alpha = e->rate * e->alpha / 65536 / (1ull << number(e, KNOB_rpg_gd));
    uint64_t at_most = e->rate * (100 - number(e, KNOB_rpg_min_dec_fac)) / 100;

    event_schedule(&e->ev[DECREASE], now_ps, us(e, KNOB_rate_reduce_monitor_period));
    if (!e->decrease_flag)
        return;
    if (number(e, KNOB_clamp_tgt_rate) || e->byte_stage > 0 ||
        (number(e, KNOB_clamp_tgt_rate_after_time_inc) && e->time_stage > 0))
        e->target = e->rate;
    e->rate = most(e->rate - least(by_alpha, at_most), min_rate(e));
    e->time_stage = e->byte_stage = e->byte_count = e->byte_goal = 0;
    e->decrease_flag = false;
    event_schedule(&e->ev[INCREASE], now_ps, us(e, KNOB_rpg_time_reset));
}

static void reference_increase(struct nic_reference *e, uint64_t *stage)
{
    uint64_t f = number(e, KNOB_rpg_threshold);

    if (least(e->time_stage, e->byte_stage) > f)
        e->target += mbps(e, KNOB_rpg_hai_rate);
    else if (most(e->time_stage, e->byte_stage) >= f)
        e->target += mbps(e, KNOB_rpg_ai_rate);
    e->target = least(e->target, max_rate(e));
    e->rate += e->target;
    e->rate = e->rate / 2 + e->rate % 2;
    *stage += 1;
    if (!e->decrease_flag && e->rate + 1000000 > max_rate(e)) {
        e->limiter = false;
        memset(e->ev, 0, sizeof e->ev);
    }
}

static void reference_run(struct nic_reference *e, struct cc_now now)
{
    for (int i = event_due(e->ev, now); i >= 0; i = event_due(e->ev, now)) {
        uint64_t at_ps = e->ev[i].at_ps;

        if (i == ALPHA) {
            reference_alpha(e, at_ps);
        } else if (i == DECREASE) {
            reference_decrease(e, at_ps);
        } else {
            event_schedule(&e->ev[INCREASE], at_ps, us(e, KNOB_rpg_time_reset));
            reference_increase(e, &e->time_stage);
        }
    }
}

static void reference_cnp(struct nic_reference *e, uint64_t now_ps)
{
    uint64_t first = mbps(e, KNOB_rate_to_set_on_first_cnp);

    if (e->limiter) {
        e->alpha_flag = e->decrease_flag = true;
        return;
    }
    *e = (struct nic_reference){ .k = e->k, .limiter = true };
    e->alpha = number(e, KNOB_initial_alpha_value) * 65536;
    e->rate = first == 0 ? 85 * (LINE_BPS / 100) : first;
    e->target = e->rate = most(min_rate(e), least(e->rate, max_rate(e)));
    event_schedule(&e->ev[ALPHA], now_ps, us(e, KNOB_dce_tcp_rtt));
    event_schedule(&e->ev[DECREASE], now_ps, us(e, KNOB_rate_reduce_monitor_period) + PS_PER_NS);
    event_schedule(&e->ev[INCREASE], now_ps, us(e, KNOB_rpg_time_reset));
}

/* Byte by byte. */
static void reference_sent(struct nic_reference *e, uint32_t bytes)
{
    if (e->limiter && e->byte_goal == 0)
        e->byte_goal = number(e, KNOB_rpg_byte_reset) * 64;
    while (bytes-- > 0 && e->limiter && e->byte_goal != 0) {
        if (++e->byte_count < e->byte_goal)
            continue;
        e->byte_count = 0;
        e->byte_goal = number(e, KNOB_rpg_byte_reset) * 64;
        reference_increase(e, &e->byte_stage);
    }
}

/* ---- both with the same random signals --------------------------------------------------------- */

static struct knobs random_knobs(struct rng *r)
{
    struct knobs k = nic_knobs();

    draw_knobs(r, &k);
    k.value[KNOB_rpg_byte_reset] = rng_below(r, 4) ? (double)(1 + rng_below(r, 400)) : 0;
    k.value[KNOB_clamp_tgt_rate_after_time_inc] = (double)rng_below(r, 2);
    k.value[KNOB_alpha_fraction_bits] = rng_below(r, 2) ? 16 : (double)rng_below(r, 17);
    k.value[KNOB_rpg_gd] = (double)(9 + rng_below(r, 7));
    k.value[KNOB_rpg_min_dec_fac] = (double)(1 + rng_below(r, 100));
    k.value[KNOB_rate_to_set_on_first_cnp] = rng_below(r, 2) ? 0 : (double)rng_below(r, 110000);
    return k;
}

static void run_both(struct rng *r, int signals)
{
    struct knobs         k = random_knobs(r);
    struct cc_now        now = { 0, 0 };
    struct nic_reference e = { .k = k };
    struct flow          t;
    uint64_t             cnp_share = 1 + rng_below(r, 50);

    start_flow(&t, &k);
    for (int i = 0; i < signals; i++) {
        uint64_t roll = rng_below(r, 100);

        now = random_instant(r, now, e.ev, 2000 * PS_PER_US);
        reference_run(&e, now);
        if (roll < cnp_share) {
            flow_cnp(&t, now, 0);
            reference_cnp(&e, now.ps);
        } else if (roll == 99) {
            e.k = k = random_knobs(r);
            flow_change_knobs(&t, now, &k);
        } else {
            uint32_t bytes = 1 + (uint32_t)rng_below(r, 4096);

            if (roll % 2)
                assert_int_equal(flow_rate(&t, now), reference_rate(&e));
            flow_sent(&t, now, bytes);
            reference_sent(&e, bytes);
        }
        assert_int_equal(flow_rate(&t, now), reference_rate(&e));
    }
}

static void catch_up__same_rate_as_running_every_tick(void **unused)
{
    struct rng r;

    (void)unused;
    rng_init(&r, 1, 0);
    for (int i = 0; i < 1000; i++)
        run_both(&r, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_cnp__first_sets_the_rate_and_is_not_cut),
        cmocka_unit_test(all__life_of_a_flow),
        cmocka_unit_test(all__life_of_a_flow_with_the_fraction_of_alpha),
        cmocka_unit_test(cut_rate__when_the_target_is_lowered),
        cmocka_unit_test(cut_rate__gd_floor_and_minimum),
        cmocka_unit_test(raise_rate__released_near_the_maximum),
        cmocka_unit_test(raise_rate__not_released_while_a_cnp_waits),
        cmocka_unit_test(run_alpha__decays_to_zero_and_saturates),
        cmocka_unit_test(run_alpha__as_exact_arithmetic_for_a_second),
        cmocka_unit_test(run_alpha__where_it_settles),
        cmocka_unit_test(on_sent__counts_from_the_limit_on_and_carries_over),
        cmocka_unit_test(on_sent__byte_counter_off),
        cmocka_unit_test(on_sent__a_cut_resets_the_byte_count),
        cmocka_unit_test(change_knobs__running_periods_keep_their_length),
        cmocka_unit_test(change_knobs__byte_counter_on_and_off),
        cmocka_unit_test(catch_up__same_rate_as_running_every_tick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
