/* src/sim/cc/hpcc_test.c
 *
 * Oracles: acknowledgements and rates of a flow under the rules of the HPCC ns-3 fork (16 flows into one port
 * of 100 Gb/s), and closed forms: the steady state of a single flow, and the rate that follows from a known
 * utilization.
 */
#include "sim/cc/test_flow.h"

#include <math.h>

extern const struct cc_algo cc_hpcc;

/* ---- model hpcc ---- */

static const struct cc_link fork_100g = {
    .line_bps = LINE_BPS, .base_rtt_ps = 4160 * PS_PER_NS, .mtu_bytes = 1000, .bdp_bytes = 52000,
    .is_fork = true,
};

static struct knobs fork_knobs(void)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_hpcc_max_stage] = 0;
    k.value[KNOB_rpg_min_rate] = 1000;
    return k;
}

static void on_ack__same_rates_as_the_fork(void **unused)
{
    static const struct { uint64_t seq, sent_seq, at_ns, sent_bytes, queue_bytes, rate_bps; } row[] = {
        {    1000,   52000,   1348,     3270,   65400, 100000000000 },
        {    2000,   53000,   2740,    20710,  327000,  66930816522 },
        {    3000,   53000,   4132,    38150,  588600,  28128399346 },
        {    4000,   53000,   5524,    55590,  850200,  14948893000 },
        {    5000,   53000,   6916,    73030,  850200,   9498586913 },
        {    6000,   53000,   8308,    90470,  832760,   7716325516 },
        {    7000,   53000,   9700,   107910,  815320,   6917037315 },
        {    8000,   53000,  11092,   125350,  797880,   6520233405 },
        {    9000,   53000,  12484,   142790,  780440,   6327416214 },
        {   10000,   53000,  13876,   160230,  763000,   6250167781 },
        {   11000,   53000,  15268,   177670,  745560,   6241391402 },
        {   12000,   53000,  16660,   195110,  728120,   6284861749 },
        {   13000,   53000,  18052,   212550,  710680,   6361407799 },
        {   14000,   53000,  19444,   229990,  693240,   6461290815 },
        {   15000,   53000,  20836,   247430,  675800,   6580116450 },
        {   16000,   53000,  22228,   264870,  658360,   6713370025 },
        {   17000,   53000,  23620,   282310,  640920,   6860088898 },
        {   18000,   53000,  25012,   299750,  623480,   7017870527 },
        {   19000,   53000,  26404,   317190,  606040,   7187350249 },
        {   20000,   53000,  27796,   334630,  588600,   7367059435 },
        {   21000,   53000,  29188,   352070,  571160,   7558518868 },
        {   22000,   53000,  30580,   369510,  553720,   7760701302 },
        {   23000,   53000,  31972,   386950,  536280,   7975738214 },
        {   24000,   53000,  33364,   404390,  518840,   8202835498 },
        {   25000,   53000,  34756,   421830,  501400,   8444660043 },
        {   26000,   53000,  36148,   439270,  483960,   8700575907 },
        {   27000,   53000,  37540,   456710,  466520,   8965554118 },
        {   28000,   53000,  38932,   474150,  449080,   9258045252 },
        {   29000,   53000,  40324,   491590,  431640,   9570591654 },
        {   30000,   53000,  41716,   509030,  414200,   9903135329 },
        {   31000,   53000,  43108,   526470,  396760,  10260602060 },
        {   32000,   53000,  44500,   543910,  379320,  10643145686 },
        {   33000,   53000,  45892,   561350,  361880,  11056770645 },
        {   34000,   53000,  47284,   578790,  344440,  11502087523 },
        {   35000,   53000,  48676,   596230,  327000,  11986650159 },
        {   36000,   53000,  50068,   613670,  309560,  12511872842 },
        {   37000,   53000,  51460,   631110,  292120,  13087548230 },
        {   38000,   53000,  52852,   648550,  274680,  13716454536 },
        {   39000,   53000,  54244,   665990,  257240,  14411710300 },
        {   40000,   53000,  55636,   683430,  239800,  15178429646 },
        {   41000,   53000,  57028,   700870,  222360,  16034876092 },
        {   42000,   53000,  58420,   718310,  204920,  16990284149 },
        {   43000,   53000,  59812,   735750,  187480,  18037664845 },
        {   44000,   53000,  61204,   753190,  170040,  19269223390 },
        {   45000,   55000,  62596,   770630,  152600,  20682305304 },
        {   46000,   56000,  63988,   788070,  135160,  22309249883 },
        {   47000,   58000,  65380,   805510,  120990,  24080600745 },
        {   48000,   60000,  66772,   822950,  132980,  25424087260 },
        {   49000,   62000,  68164,   840390,  146060,  25858523514 },
        {   50000,   63000,  69556,   857830,  160230,  25563546282 },
        {   51000,   64000,  70948,   875270,  173310,  24773451230 },
        {   52000,   64000,  72340,   892710,  190750,  23763361855 },
        {   53000,   65000,  73732,   910150,  190750,  22516894563 },
        {   54000,   65000,  75124,   927590,  187480,   4955590739 },
        {   55000,   65000,  75646,   934130,  180940,   4935078079 },
        {   56000,   65000,  77560,   958110,  166770,   5017858525 },
        {   57000,   65000,  79909,   987540,  142790,   5412259798 },
        {   58000,   65000,  80692,   997350,  132980,   5524781303 },
        {   59000,   65000,  82432,  1019150,  111180,   6006249186 },
        {   60000,   65000,  83215,  1028960,  101370,   6215957977 },
    };
    struct knobs k = fork_knobs();
    struct flow  t;

    (void)unused;
    flow_start(&t, &cc_hpcc, &k, &fork_100g);
    assert_int_equal(t.out.window_bytes, 52000);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct cc_hop hop = { LINE_BPS, (2000000000 + row[i].at_ns) * PS_PER_NS, row[i].sent_bytes,
                              row[i].queue_bytes };
        struct cc_ack a = { .seq = row[i].seq, .sent_seq = row[i].sent_seq, .hops = 1, .records = 1,
                            .hop = &hop };

        flow_ack(&t, at_ns(0), &a);
        assert_int_equal(t.out.rate_bps, row[i].rate_bps);
        assert_int_equal(t.out.window_bytes, 52000 * row[i].rate_bps / LINE_BPS);
    }
}

/* All-to-all in a Clos network, a flow with three hops. */
static void on_ack__same_rates_as_the_fork_over_three_hops(void **unused)
{
    static const struct { uint64_t seq, sent_seq; uint64_t hop[3][3]; uint64_t rate_bps; } row[] = {
        {  1000, 25000, { { 6392, 0, 0 }, { 11479, 0, 0 }, { 16658, 22890, 7718 } }, 100000000000 },
        {  2000, 27000, { { 8219, 22890, 13080 }, { 13306, 22890, 0 }, { 19129, 53850, 6628 } },
          94901336399 },
        {  3000, 28000, { { 10046, 45780, 21800 }, { 15133, 45780, 0 }, { 20897, 76002, 5450 } },
          94760754289 },
        {  4000, 29000, { { 11873, 68670, 21800 }, { 16960, 68670, 0 }, { 22571, 96976, 5450 } },
          94551127616 },
        {  5000, 30000, { { 13700, 91560, 21800 }, { 18787, 91560, 0 }, { 24245, 117950, 4360 } },
          94447074468 },
        {  6000, 31000, { { 15527, 114450, 21800 }, { 20614, 114450, 0 }, { 25919, 138924, 2180 } },
          94252938611 },
        {  7000, 32000, { { 17789, 142790, 16350 }, { 22876, 142790, 0 }, { 28028, 165348, 0 } },
          94148432600 },
        {  8000, 33000, { { 19616, 165680, 16350 }, { 24703, 165680, 0 }, { 29790, 186322, 0 } },
          94014401369 },
        {  9000, 34000, { { 21443, 188570, 16350 }, { 26530, 188570, 0 }, { 31617, 207296, 0 } },
          93886799167 },
        { 10000, 36000, { { 23270, 211460, 16350 }, { 28357, 211460, 0 }, { 33451, 228358, 0 } },
          93765301851 },
        { 11000, 37000, { { 25010, 233260, 17440 }, { 30097, 233260, 0 }, { 35198, 248330, 88 } },
          93735501902 },
        { 12000, 38000, { { 26924, 257240, 17968 }, { 32011, 257240, 0 }, { 37227, 272012, 8896 } },
          93620830908 },
        { 13000, 39000, { { 28793, 280658, 24386 }, { 33880, 280658, 0 }, { 39517, 299580, 7718 } },
          93499199837 },
        { 14000, 41000, { { 30739, 305044, 30100 }, { 35826, 305044, 0 }, { 41877, 327412, 2708 } },
          93405936243 },
        { 15000, 42000, { { 32678, 329342, 41440 }, { 37765, 329342, 0 }, { 43990, 352150, 1144 } },
          93158829514 },
        { 16000, 43000, { { 34652, 354080, 41176 }, { 39739, 354080, 0 }, { 45842, 374884, 1056 } },
          92904562063 },
        { 17000, 44000, { { 36598, 378466, 41440 }, { 41685, 378466, 0 }, { 47642, 397442, 1056 } },
          92605006780 },
        { 18000, 45000, { { 38537, 402764, 41616 }, { 43624, 402764, 0 }, { 49435, 419912, 1056 } },
          92395377069 },
        { 19000, 46000, { { 40490, 427238, 41440 }, { 45577, 427238, 0 }, { 51228, 442382, 1056 } },
          92135319692 },
        { 20000, 48000, { { 42429, 451536, 41440 }, { 47516, 451536, 0 }, { 53028, 464940, 704 } },
          91950186638 },
        { 21000, 49000, { { 44368, 475834, 41616 }, { 49455, 475834, 0 }, { 54835, 487586, 528 } },
          91684747455 },
        { 22000, 50000, { { 46307, 500132, 41880 }, { 51394, 500132, 0 }, { 56649, 510320, 264 } },
          91520210873 },
        { 23000, 51000, { { 48239, 524342, 42056 }, { 53326, 524342, 0 }, { 58476, 532878, 0 } },
          91260498767 },
        { 24000, 52000, { { 50192, 548816, 45238 }, { 55279, 548816, 0 }, { 60749, 559620, 9898 } },
          91144114963 },
        { 25000, 54000, { { 52124, 573026, 53044 }, { 57211, 573026, 0 }, { 63196, 588630, 3534 } },
          90875305017 },
        { 26000, 55000, { { 54063, 597324, 61852 }, { 59150, 597324, 0 }, { 65368, 614282, 792 } },
          90659649445 },
        { 27000, 56000, { { 56002, 621622, 65122 }, { 61089, 621622, 0 }, { 67236, 636664, 704 } },
          81864515999 },
        { 28000, 57000, { { 57941, 645920, 65122 }, { 63028, 645920, 0 }, { 69050, 658870, 792 } },
          81606808985 },
        { 29000, 58000, { { 59866, 670042, 65298 }, { 64953, 670042, 0 }, { 70815, 680988, 880 } },
          81338289973 },
        { 30000, 59000, { { 61791, 694164, 65386 }, { 66878, 694164, 0 }, { 72601, 703370, 968 } },
          81081917426 },
    };
    struct cc_link clos = fork_100g;
    struct knobs   k = fork_knobs();
    struct flow    t;

    (void)unused;
    clos.base_rtt_ps = 40320 * PS_PER_NS;
    clos.bdp_bytes = 504000;
    flow_start(&t, &cc_hpcc, &k, &clos);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct cc_hop hop[3];
        struct cc_ack a = { .seq = row[i].seq, .sent_seq = row[i].sent_seq, .hops = 3, .records = 3,
                            .hop = hop };

        for (int j = 0; j < 3; j++)
            hop[j] = (struct cc_hop){ LINE_BPS, (2000000000 + row[i].hop[j][0]) * PS_PER_NS, row[i].hop[j][1],
                                      row[i].hop[j][2] };
        flow_ack(&t, at_ns(0), &a);
        assert_int_equal(t.out.rate_bps, row[i].rate_bps);
    }
}

/* A hop that is busy for every second packet time: 24 bits of time and 20 bits of bytes wrap around. */
static void on_ack__clocks_and_counters_wrap(void **unused)
{
    struct knobs k = fork_knobs();
    struct flow  t[2];

    (void)unused;
    for (int i = 0; i < 2; i++) {
        uint64_t from_ns = i ? (1u << 24) - 1000 : 0, from_bytes = i ? (512ull << 20) - 51200 : 0;

        flow_start(&t[i], &cc_hpcc, &k, &fork_100g);
        for (uint64_t n = 0; n < 100; n++) {
            struct cc_hop hop = { LINE_BPS, (from_ns + 400 * n) * PS_PER_NS, from_bytes + 2560 * n, 0 };
            struct cc_ack a = { .seq = 1000 * (n + 1), .sent_seq = 1000 * (n + 11), .records = 1,
                                .hop = &hop };

            flow_ack(&t[i], at_ns(0), &a);
        }
    }
    assert_int_equal(t[0].out.rate_bps, t[1].out.rate_bps);
}

/* ---- model nic ---- */

static struct cc_ack ack_of(uint64_t n, uint8_t records, const struct cc_hop *hop)
{
    return (struct cc_ack){ .seq = 1000 * (n + 1), .sent_seq = 1000 * (n + 11), .records = records,
                            .hop = hop };
}

/* A single flow on links of 100 Gb/s. R settles where U = eta, apart from AI: R = R eta / U + AI with U = R /
 * line gives R = eta line + AI. */
static void on_ack__a_sole_flow_settles_at_eta_of_the_line(void **unused)
{
    struct knobs k;
    struct flow  t;
    uint64_t     ps = 0, bytes = 0;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_hpcc_max_stage] = 0;
    flow_start(&t, &cc_hpcc, &k, &link_100g);
    for (uint64_t n = 0; n < 20000; n++) {
        struct cc_hop hop[2] = { { LINE_BPS, ps, bytes, 0 }, { 4 * LINE_BPS, ps + 1, bytes, 0 } };
        struct cc_ack a = ack_of(n, 2, hop);

        flow_ack(&t, at_ns(ps / PS_PER_NS), &a);
        ps += 8000 * PS_PER_S / t.out.rate_bps;
        bytes += 1000;
    }
    assert_in_range(t.out.rate_bps, LINE_BPS / 100 * 95 + 38000000, LINE_BPS / 100 * 95 + 42000000);
}

/* A link that is always full, with a queue of one BDP (100 KB): U = 2 from the second record on. Each round
 * trip then divides R by 2 / 0.95. Within a round trip, R does not decrease further. */
static void on_ack__a_standing_queue_halves_per_round_trip(void **unused)
{
    struct knobs k;
    struct flow  t;
    double       rate = 1e11;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_hpcc_ai] = 1;
    flow_start(&t, &cc_hpcc, &k, &link_100g);
    for (uint64_t n = 0; n <= 54; n++) {
        struct cc_hop hop = { LINE_BPS, n * 8 * PS_PER_US, n * 100000, 100000 };
        struct cc_ack a = ack_of(n, 1, &hop);

        flow_ack(&t, at_ns(8000 * n), &a);
        if (n > 0 && (n - 1) % 11 == 10) {           /* records are a round trip apart: U is 2 at once */
            assert_true(fabs((double)t.out.rate_bps - rate / (2 / 0.95)) < 3e6);
            rate = (double)t.out.rate_bps;
        }
    }
}

static void on_ack__stages_add_before_the_rate_follows(void **unused)
{
    /* U = 0.5, below eta: R grows by AI per round trip, five times; then R = Rc eta / U. */
    struct knobs k;
    struct flow  t;
    uint64_t     want[] = { 10000, 10040, 10080, 10120, 10160, 10200, 10200 * 19 / 10 + 40 };
    struct cc_link slow = link_100g;

    (void)unused;
    knobs_init(&k);
    slow.line_bps = 10000000000;
    k.value[KNOB_hpcc_ai] = 40;
    flow_start(&t, &cc_hpcc, &k, &slow);
    t.cc->configure(t.cfg, &k, &link_100g);          /* at 10 Gb/s of a line of 100 */
    for (uint64_t n = 0; n < 7; n++) {
        struct cc_hop hop = { LINE_BPS, n * 100 * PS_PER_US, n * 625000, 0 };
        struct cc_ack a = { .seq = 1000 * (n + 1), .sent_seq = 1000 * (n + 1), .records = 1, .hop = &hop };

        flow_ack(&t, at_ns(100000 * n), &a);
        assert_int_equal((t.out.rate_bps + 500000) / 1000000, want[n]);
    }
}

/* Records of another path are not comparable: the first one after a change is only stored. */
static void on_ack__another_path_is_only_stored(void **unused)
{
    static const struct cc_hop other[] = {
        { LINE_BPS, 500 * PS_PER_US, 90, 900000 },                   /* a counter that went back */
        { LINE_BPS, 100 * PS_PER_US, 900000, 900000 },               /* a clock that went back */
    };
    struct knobs k;

    (void)unused;
    knobs_init(&k);
    for (int i = 0; i < 3; i++) {
        struct cc_hop hop[2] = { { LINE_BPS, 200 * PS_PER_US, 100, 900000 },
                                 { LINE_BPS, 201 * PS_PER_US, 100, 0 } };
        struct cc_ack a = ack_of(0, 1, hop), b = ack_of(1, i < 2 ? 1 : 2, i < 2 ? &other[i] : hop);
        struct flow   t;

        flow_start(&t, &cc_hpcc, &k, &link_100g);
        flow_ack(&t, at_ns(1), &a);
        flow_ack(&t, at_ns(2), &b);
        assert_int_equal(t.out.rate_bps, LINE_BPS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_ack__same_rates_as_the_fork),
        cmocka_unit_test(on_ack__same_rates_as_the_fork_over_three_hops),
        cmocka_unit_test(on_ack__clocks_and_counters_wrap),
        cmocka_unit_test(on_ack__a_sole_flow_settles_at_eta_of_the_line),
        cmocka_unit_test(on_ack__a_standing_queue_halves_per_round_trip),
        cmocka_unit_test(on_ack__stages_add_before_the_rate_follows),
        cmocka_unit_test(on_ack__another_path_is_only_stored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
