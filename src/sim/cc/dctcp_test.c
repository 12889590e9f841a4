/* src/sim/cc/dctcp_test.c
 *
 * Oracles: acknowledgements and rates of a flow under the rules of the HPCC ns-3 fork (16 flows into one port
 * of 100 Gb/s), and rows computed by hand.
 */
#include "sim/cc/test_flow.h"

extern const struct cc_algo cc_dctcp;

static const struct cc_link fork_100g = {
    .line_bps = LINE_BPS, .base_rtt_ps = 4160 * PS_PER_NS, .mtu_bytes = 1000, .bdp_bytes = 52000,
    .is_fork = true,
};

static void start(struct flow *t)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_rpg_min_rate] = 1000;
    flow_start(t, &cc_dctcp, &k, &fork_100g);
}

static void on_ack__same_rates_as_the_fork(void **unused)
{
    /* 'count' acknowledgements of 1000 bytes each; sent_seq grows by 'step' with each. */
    static const struct { uint64_t seq, count, sent_seq, step; bool is_marked; uint64_t rate_bps; } row[] = {
        {   1000,  1,  52000,    0, 0, 100000000000 },
        {   2000, 27,  53000,    0, 1,  50000000000 },
        {  29000, 25,  54000, 1000, 1,  50000000000 },
        {  54000,  9,  79000,    0, 1,  25029481132 },
        {  63000,  4,  79000,    0, 0,  25029481132 },
        {  67000, 26,  80000, 1000, 0,  25029481132 },
        {  93000, 14, 106000, 1000, 0,  25644481132 },
        { 107000, 14, 120000, 1000, 0,  26259481132 },
        { 121000, 14, 134000, 1000, 0,  26874481132 },
        { 135000,  1, 148000,    0, 0,  27489481132 },
        { 136000, 13, 150000, 1000, 0,  27489481132 },
        { 149000, 15, 163000, 1000, 0,  28104481132 },
        { 164000, 15, 178000, 1000, 0,  28719481132 },
        { 179000,  1, 193000,    0, 0,  29334481132 },
        { 180000, 14, 195000, 1000, 0,  29334481132 },
        { 194000, 16, 209000, 1000, 0,  29949481132 },
        { 210000, 16, 225000, 1000, 0,  30564481132 },
        { 226000,  1, 241000,    0, 0,  31179481132 },
        { 227000, 15, 243000, 1000, 0,  31179481132 },
        { 242000, 17, 258000, 1000, 0,  31794481132 },
        { 259000, 17, 275000, 1000, 0,  32409481132 },
        { 276000,  1, 292000,    0, 0,  33024481132 },
        { 277000, 16, 294000, 1000, 0,  33024481132 },
        { 293000, 18, 310000, 1000, 0,  33639481132 },
        { 311000, 18, 328000, 1000, 0,  34254481132 },
        { 329000,  1, 346000,    0, 0,  34869481132 },
        { 330000, 17, 348000, 1000, 0,  34869481132 },
        { 347000, 19, 365000, 1000, 0,  35484481132 },
        { 366000, 19, 384000, 1000, 0,  36099481132 },
        { 385000,  1, 403000,    0, 0,  36714481132 },
        { 386000, 18, 405000, 1000, 0,  36714481132 },
        { 404000, 20, 423000, 1000, 0,  37329481132 },
        { 424000, 20, 443000, 1000, 0,  37944481132 },
        { 444000,  1, 463000,    0, 0,  38559481132 },
        { 445000, 19, 465000, 1000, 0,  38559481132 },
        { 464000, 21, 484000, 1000, 0,  39174481132 },
        { 485000, 21, 505000, 1000, 0,  39789481132 },
        { 506000,  1, 526000,    0, 0,  40404481132 },
        { 507000, 20, 528000, 1000, 0,  40404481132 },
        { 527000, 22, 548000, 1000, 0,  41019481132 },
    };
    struct flow t;

    (void)unused;
    start(&t);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (uint64_t n = 0; n < row[i].count; n++) {
            struct cc_ack a = { .seq = row[i].seq + 1000 * n, .sent_seq = row[i].sent_seq + row[i].step * n,
                                .is_marked = row[i].is_marked };

            flow_ack(&t, at_ns(0), &a);
            assert_int_equal(t.out.rate_bps, row[i].rate_bps);
            assert_int_equal(t.out.window_bytes, 52000 * row[i].rate_bps / LINE_BPS);
        }
}

/* All packets of round trips of eleven are marked: alpha stays 1, and each round trip halves, down to the
 * minimum. */
static void on_ack__permanent_marks_halve_per_round_trip(void **unused)
{
    struct flow t;
    uint64_t    rate = LINE_BPS;

    (void)unused;
    start(&t);
    for (uint64_t n = 0; n < 200; n++) {
        struct cc_ack a = { .seq = 1000 * (n + 1), .sent_seq = 1000 * (n + 11), .is_marked = true };

        flow_ack(&t, at_ns(0), &a);
        if (n % 11 == 0)
            rate = rate / 2 > 1000000000 ? rate / 2 : 1000000000;
        assert_int_equal(t.out.rate_bps, rate);
    }
    assert_int_equal(rate, 1000000000);
}

/* Half of the packets are marked: alpha converges to a half, so cuts take a quarter. */
static void on_ack__alpha_converges_to_the_share_of_marks(void **unused)
{
    struct knobs k;
    struct flow  t;
    uint64_t     per_mille = 0;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_dctcp_g] = 0.5;
    flow_start(&t, &cc_dctcp, &k, &fork_100g);
    for (uint64_t n = 0; n < 20 * 21; n++) {
        struct cc_ack a = { .seq = 1000 * (n + 1), .sent_seq = 1000 * (n + 21), .is_marked = n % 2 };
        uint64_t      before = t.out.rate_bps;

        flow_ack(&t, at_ns(0), &a);
        if (t.out.rate_bps < before)
            per_mille = (before - t.out.rate_bps) * 1000 / before;
    }
    assert_in_range(per_mille, 235, 265);
}

static void on_ack__no_marks_add_a_step_per_round_trip(void **unused)
{
    struct flow t;

    (void)unused;
    start(&t);
    for (uint64_t n = 0; n < 100; n++) {
        struct cc_ack a = { .seq = 1000 * (n + 1), .sent_seq = 1000 * (n + 11), .is_marked = n == 0 };

        /* the wait ends at the 12th, which also ends a round trip */
        flow_ack(&t, at_ns(0), &a);
        assert_int_equal(t.out.rate_bps, 50000000000 + 615000000 * (n / 11));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_ack__same_rates_as_the_fork),
        cmocka_unit_test(on_ack__permanent_marks_halve_per_round_trip),
        cmocka_unit_test(on_ack__alpha_converges_to_the_share_of_marks),
        cmocka_unit_test(on_ack__no_marks_add_a_step_per_round_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
