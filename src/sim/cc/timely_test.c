/* src/sim/cc/timely_test.c
 *
 * Oracles: acknowledgements and rates of a flow under the rules of the HPCC ns-3 fork (two flows into one
 * port of 100 Gb/s), and rows computed by hand.
 */
#include "sim/cc/test_flow.h"

extern const struct cc_algo cc_timely;

static void start(struct flow *t, bool is_fork)
{
    struct cc_link link = link_100g;
    struct knobs   k;

    link.is_fork = is_fork;
    knobs_init(&k);
    k.value[KNOB_rpg_min_rate] = 1000;
    flow_start(t, &cc_timely, &k, &link);
    assert_true(t->out.window_bytes == UINT64_MAX);
}

static void ack(struct flow *t, uint64_t seq, uint64_t sent_seq, uint64_t rtt_ns)
{
    struct cc_ack a = { .seq = seq, .sent_seq = sent_seq, .rtt_ps = rtt_ns * PS_PER_NS };

    flow_ack(t, at_ns(0), &a);
}

static void on_ack__same_rates_as_the_fork(void **unused)
{
    static const struct { uint64_t seq, sent_seq, rtt_ns, rate_bps; } row[] = {
        {    1000,   50000,   4176, 100000000000 },
        {   51000,  150000,   8376, 100000000000 },
        {  151000,  350000,  16776, 100000000000 },
        {  351000,  750000,  33576, 100000000000 },
        {  751000, 1550000,  67176,   1000000000 },
        { 1551000, 1566000, 134376,   1000000000 },
        { 1567000, 1567000,   4516,   1100000000 },
        { 1568000, 1568000,   4176,   1200000000 },
        { 1569000, 1569000,   4176,   1300000000 },
        { 1570000, 1570000,   4176,   1400000000 },
        { 1571000, 1571000,   4176,   1500000000 },
        { 1572000, 1572000,   4176,   2000000000 },
        { 1573000, 1573000,   4176,   2500000000 },
        { 1574000, 1575000,   4176,   3000000000 },
        { 1576000, 1577000,   4176,   3500000000 },
        { 1578000, 1579000,   4176,   4000000000 },
    };
    struct flow t;

    (void)unused;
    start(&t, true);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        ack(&t, row[i].seq, row[i].sent_seq, row[i].rtt_ns);
        assert_int_equal(t.out.rate_bps, row[i].rate_bps);
        ack(&t, row[i].seq, row[i].sent_seq, 1);     /* within the round trip: no effect */
        assert_int_equal(t.out.rate_bps, row[i].rate_bps);
    }
}

/* B is 20 us in the fork and the network's 8 us in model nic. With RTTs around 100 us, d is 7/8 of a step of
 * 800 ns, 700; g = 0.035 and 0.0875; R = 100G (1 - 0.8 g). */
static void on_ack__gradient_is_of_the_empty_round_trip(void **unused)
{
    struct flow t;

    (void)unused;
    for (int is_fork = 0; is_fork < 2; is_fork++) {
        start(&t, is_fork);
        ack(&t, 1000, 10000, 100000);
        ack(&t, 11000, 20000, 100800);
        assert_in_range(t.out.rate_bps, is_fork ? 97199999999 : 92999999999,
                        is_fork ? 97200000001 : 93000000001);
        ack(&t, 21000, 30000, 100500);               /* d = 700/8 - 300 * 7/8 < 0: a raise of 100 Mb/s */
        assert_in_range(t.out.rate_bps, is_fork ? 97299999999 : 93099999999,
                        is_fork ? 97300000001 : 93100000001);
    }
}

/* At 1 ms: 1 - 0.8 (1 - 1/2) = 0.6 of the rate each time, for any gradient. */
static void on_ack__above_thigh_cuts_by_the_excess(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t, false);
    ack(&t, 1000, 10000, 1000000);
    ack(&t, 11000, 20000, 1000000);
    assert_in_range(t.out.rate_bps, 59999999999, 60000000000);
    ack(&t, 21000, 30000, 1000000);
    assert_in_range(t.out.rate_bps, 35999999998, 36000000000);
}

static void on_ack__five_raises_then_larger_ones(void **unused)
{
    static const uint64_t want_mbps[] = { 600, 700, 800, 900, 1000, 1500, 2000 };
    struct cc_link slow = link_100g;
    struct knobs   k;
    struct flow    t;

    (void)unused;
    knobs_init(&k);
    slow.line_bps = 500000000;
    flow_start(&t, &cc_timely, &k, &slow);
    t.cc->configure(t.cfg, &k, &link_100g);
    ack(&t, 1000, 10000, 9000);
    for (uint64_t i = 0; i < 7; i++) {
        ack(&t, 10000 * (i + 1) + 1000, 10000 * (i + 2), 49999);
        assert_int_equal(t.out.rate_bps, want_mbps[i] * 1000000);
    }
}

/* Nothing was sent since, so no further round trip can end. */
static void on_ack__the_last_round_trip_has_no_next(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t, false);
    ack(&t, 1000, 2000, 1000000);
    ack(&t, 2000, 2000, 1000000);
    assert_int_equal(t.out.rate_bps, LINE_BPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_ack__same_rates_as_the_fork),
        cmocka_unit_test(on_ack__gradient_is_of_the_empty_round_trip),
        cmocka_unit_test(on_ack__above_thigh_cuts_by_the_excess),
        cmocka_unit_test(on_ack__five_raises_then_larger_ones),
        cmocka_unit_test(on_ack__the_last_round_trip_has_no_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
