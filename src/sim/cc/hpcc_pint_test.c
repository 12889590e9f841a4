/* src/sim/cc/hpcc_pint_test.c
 *
 * Oracles: digests of a port and rates of a flow under the rules of the HPCC ns-3 fork (16 flows into one
 * port of 100 Gb/s), and digests of a known utilization.
 */
#include "sim/cc/pint.h"
#include "sim/cc/test_flow.h"

#include <math.h>

extern const struct cc_algo cc_hpcc_pint;

static const struct cc_link fork_100g = {
    .line_bps = LINE_BPS, .base_rtt_ps = 4160 * PS_PER_NS, .mtu_bytes = 1000, .bdp_bytes = 52000,
    .is_fork = true,
};

/* 1050 bytes leave each time. 'draws' is the number of random numbers drawn elsewhere since the previous
 * row. */
static void digest__same_as_the_fork(void **unused)
{
    static const struct { uint64_t at_ns, queue_bytes; int draws; uint16_t digest; } row[] = {
        {  1083,      0, 0,   0 },
        {  1166,  31500, 0, 285 },
        {  1249,  47250, 0, 360 },
        {  1332,  63000, 0, 408 },
        {  1415,  78750, 0, 444 },
        {  1498,  94500, 0, 473 },
        {  1581, 110250, 0, 497 },
        {  1664, 126000, 0, 517 },
        {  1747, 141750, 0, 536 },
        {  1830, 157500, 0, 552 },
        {  1913, 173250, 0, 568 },
        {  1996, 189000, 0, 581 },
        {  2079, 204750, 0, 594 },
        {  2162, 220500, 0, 606 },
        {  2245, 236250, 0, 617 },
        {  2328, 252000, 0, 627 },
        {  2411, 267750, 0, 638 },
        {  2494, 283500, 0, 647 },
        {  2577, 299250, 0, 656 },
        {  2660, 315000, 0, 664 },
        {  2743, 330750, 0, 672 },
        {  2826, 346500, 0, 679 },
        {  2909, 362250, 0, 686 },
        {  2992, 378000, 0, 694 },
        {  3075, 393750, 0, 700 },
        {  3158, 409500, 0, 707 },
        {  3241, 425250, 0, 712 },
        {  3324, 441000, 0, 719 },
        {  3407, 456750, 0, 724 },
        {  3490, 472500, 0, 729 },
        {  3573, 488250, 0, 735 },
        {  3656, 504000, 0, 741 },
        {  3739, 519750, 0, 745 },
        {  3822, 535500, 0, 750 },
        {  3905, 551250, 0, 755 },
        {  3988, 567000, 0, 759 },
        {  4071, 582750, 0, 764 },
        {  4154, 598500, 0, 768 },
        {  4237, 614250, 1, 772 },
        {  4320, 630000, 1, 776 },
        {  4403, 645750, 1, 780 },
        {  4486, 661500, 1, 785 },
        {  4569, 677250, 1, 788 },
        {  4652, 693000, 1, 792 },
        {  4735, 708750, 1, 795 },
        {  4818, 724500, 1, 799 },
        {  4901, 740250, 1, 802 },
        {  4984, 756000, 1, 806 },
    };
    struct pint_port p = { 0 };
    struct crand     random;

    (void)unused;
    crand_init(&random, 1);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint64_t now_ns = 2000000000 + row[i].at_ns;

        for (int n = 0; n < row[i].draws; n++)
            crand_next(&random);
        assert_int_equal(pint_digest(&(struct pint_cfg){ 1.01, 4160 }, &p, now_ns, LINE_BPS,
                                     row[i].queue_bytes, &random), row[i].digest);
        pint_sent(&p, now_ns, 1050);
    }
}

/* A port that sends 1000 bytes every 160 ns, half of its rate, without a queue. The measured
 * utilization converges to a half, except for the error of the time step: after n packets it is
 * sum (1 - dt/T)^k dt/T / 2, where dt/T is 1/50. */
static void digest__converges_to_the_utilization_of_the_port(void **unused)
{
    struct pint_port p = { 0 };
    struct crand     random;
    double           sum = 0;

    (void)unused;
    crand_init(&random, 1);
    for (uint64_t n = 1; n <= 3000; n++) {
        uint16_t digest = pint_digest(&(struct pint_cfg){ 1.01, 8000 }, &p, 160 * n, LINE_BPS, 0, &random);

        pint_sent(&p, 160 * n, 1000);
        if (n > 1000)
            sum += pint_use(1.01, digest);
    }
    assert_true(fabs(sum / 2000 - 0.5) < 0.01);
    assert_true(fabs(p.use - 0.5) < 0.01);
}

static void on_ack__same_rates_as_the_fork(void **unused)
{
    static const struct { uint64_t seq, sent_seq; uint16_t digest; uint64_t rate_bps; } row[] = {
        {   1000,  52000,  408, 100000000000 },
        {   2000,  53000,  664,  65745447061 },
        {   3000,  53000,  759,  25571178691 },
        {   4000,  53000,  818,  14234163780 },
        {   5000,  53000,  853,  10059861757 },
        {   6000,  53000,  872,   8333839519 },
        {   7000,  53000,  883,   7473965070 },
        {   8000,  53000,  890,   6973793439 },
        {   9000,  53000,  893,   6769871600 },
        {  10000,  53000,  895,   6637266542 },
        {  11000,  53000,  896,   6571947072 },
        {  12000,  53000,  897,   6507274328 },
        {  13000,  53000,  896,   6571947072 },
        {  14000,  53000,  895,   6637266542 },
        {  15000,  53000,  894,   6703239208 },
        {  16000,  53000,  891,   6905142019 },
        {  17000,  53000,  889,   7043131374 },
        {  18000,  53000,  888,   7113162687 },
        {  19000,  53000,  886,   7255333257 },
        {  20000,  53000,  883,   7473965070 },
        {  21000,  53000,  881,   7623387768 },
        {  22000,  53000,  879,   7775813862 },
        {  23000,  53000,  876,   8010216758 },
        {  24000,  53000,  873,   8251722296 },
        {  25000,  53000,  871,   8416777914 },
        {  26000,  53000,  868,   8670602662 },
        {  27000,  53000,  865,   8932118553 },
        {  28000,  53000,  861,   9293174224 },
        {  29000,  53000,  859,   9479163026 },
        {  30000,  53000,  855,   9862430896 },
        {  31000,  53000,  851,  10261260978 },
        {  32000,  53000,  848,  10570975407 },
        {  33000,  53000,  844,  10998575238 },
        {  34000,  53000,  841,  11330631026 },
        {  35000,  53000,  837,  11789075921 },
        {  36000,  53000,  832,  12388396873 },
        {  37000,  53000,  828,  12889791303 },
        {  38000,  53000,  824,  13411544357 },
        {  39000,  53000,  819,  14093627505 },
        {  40000,  53000,  814,  14810503748 },
    };
    struct knobs k;
    struct flow  t;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_hpcc_max_stage] = 0;
    k.value[KNOB_rpg_min_rate] = 1000;
    flow_start(&t, &cc_hpcc_pint, &k, &fork_100g);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct cc_ack a = { .seq = row[i].seq, .sent_seq = row[i].sent_seq, .digest = row[i].digest };

        flow_ack(&t, at_ns(0), &a);
        assert_int_equal(t.out.rate_bps, row[i].rate_bps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digest__same_as_the_fork),
        cmocka_unit_test(digest__converges_to_the_utilization_of_the_port),
        cmocka_unit_test(on_ack__same_rates_as_the_fork),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
