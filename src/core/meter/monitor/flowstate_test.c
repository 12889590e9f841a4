#include "core/meter/monitor/flowstate.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define KB 1000u
#define M  FLOW_MOUSE
#define PE FLOW_POTENTIAL
#define E  FLOW_ELEPHANT
#define S  FLOW_SILENT
#define INTERVALS 8

static struct flowstate_cfg initial(void)
{
    return flowstate_configure((struct flowstate_cfg){ 0 });
}

/* PARALEON, figure 4. For f1, and for the fourth interval of f2 and f3, where the figure says "slide", the
 * states are those of the text. In the text, f3 sends in the seventh interval and is finished in the
 * eighth. */
static const struct { uint32_t bytes[INTERVALS]; enum flow_class state[INTERVALS]; } figure4[] = {
    { { 1200 * KB, 2500 * KB, 1100 * KB, 0, 0, 0, 0, 0 }, { E, E, E, S, S, S, S, S } },
    { { 25 * KB, 28 * KB, 33 * KB, 100 * KB, 216 * KB, 221 * KB, 423 * KB, 530 * KB },
      { M, M, PE, PE, PE, PE, E, E } },
    { { 27 * KB, 19 * KB, 13 * KB, 12 * KB, 12 * KB, 6 * KB, 4 * KB, 0 }, { M, M, PE, PE, PE, PE, PE, S } },
};

static void step__is_figure_4_cell_by_cell(void **unused)
{
    struct flowstate_cfg cfg = initial();

    (void)unused;
    for (size_t flow = 0; flow < sizeof(figure4) / sizeof(figure4[0]); flow++) {
        struct flowstate s = { 0, 0 };

        for (int i = 0; i < INTERVALS; i++)
            assert_int_equal(flowstate_step(&cfg, &s, figure4[flow].bytes[i]), figure4[flow].state[i]);
    }
}

static void step__ends_a_row_with_a_silent_interval(void **unused)
{
    static const struct { uint32_t bytes; enum flow_class state; } rows[] = {
        { 10, M }, { 10, M }, { 10, PE }, { 0, S }, { 10, M }, { 10, M }, { 10, PE }, { 0, S },
        { 999939, M },           /* 999,999 in total */
        { 0, S }, { 1, E },
    };
    struct flowstate_cfg cfg = initial();
    struct flowstate s = { 0, 0 };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(flowstate_step(&cfg, &s, rows[i].bytes), rows[i].state);
}

static void step__saturates(void **unused)
{
    struct flowstate_cfg cfg = initial();
    struct flowstate s = { UINT32_MAX - 5, FLOWSTATE_RUN_MAX };

    (void)unused;
    assert_int_equal(flowstate_step(&cfg, &s, 1ull << 40), E);
    assert_int_equal(s.bytes, UINT32_MAX);
    assert_int_equal(s.run, FLOWSTATE_RUN_MAX);
}

/* The three flows of figure 4 after an interval, as a distribution. */
static struct fsd figure4_at(int interval, enum flow_share share)
{
    struct flowstate_cfg cfg = flowstate_configure((struct flowstate_cfg){ .share = share, .with_bins = 1 });
    struct flowstate s[3] = { { 0, 0 } };
    struct flow_tally tally;
    struct fsd fsd;

    for (int i = 0; i < interval; i++) {
        tally = (struct flow_tally){ 0 };
        for (int flow = 0; flow < 3; flow++) {
            enum flow_class class = flowstate_step(&cfg, &s[flow], figure4[flow].bytes[i]);

            flow_tally_add(&cfg, &tally, class, s[flow]);
        }
    }
    flow_tally_write(&cfg, &tally, &fsd);
    return fsd;
}

/* Third interval: f1 is an elephant, f2 has sent 86 KB and f3 59 KB of 1 MB: 0.145 of a flow. */
static void tally__divides_potential_elephants_by_size(void **unused)
{
    struct fsd f = figure4_at(3, FLOW_SHARE_SIZE);

    (void)unused;
    assert_int_equal(f.elephants, FSD_ONE + 145 * FSD_ONE / 1000);
    assert_int_equal(f.mice, 3 * FSD_ONE - f.elephants);
    assert_int_equal(f.bin[fsd_bin(4800 * KB)], 1);
    assert_int_equal(f.bin[fsd_bin(86 * KB)], 1);
    assert_int_equal(f.bin[fsd_bin(59 * KB)], 1);
}

/* Third interval: two flows have just become potential elephants, 0.5 each; fifth: the same two after two
 * more, 0.8808 each. */
static void tally__divides_potential_elephants_by_sigmoid(void **unused)
{
    struct fsd third = figure4_at(3, FLOW_SHARE_SIGMOID), fifth = figure4_at(5, FLOW_SHARE_SIGMOID);

    (void)unused;
    assert_int_equal(third.elephants, 2 * FSD_ONE);
    assert_int_equal(third.mice, FSD_ONE);
    assert_in_range(fifth.elephants, (uint64_t)(2 * 0.8807 * FSD_ONE), (uint64_t)(2 * 0.8809 * FSD_ONE));
    assert_int_equal(fifth.mice, 2 * FSD_ONE - fifth.elephants);
}

static void tally__as_in_the_artifact_counts_them_twice(void **unused)
{
    struct fsd f = figure4_at(3, FLOW_SHARE_ARTIFACT);

    (void)unused;
    assert_int_equal(f.elephants, 2 * FSD_ONE);
    assert_int_equal(f.mice, 2 * FSD_ONE);
}

/* 1 / (1 + e^-n) for n = 0 .. 13, to five digits. */
static void tally__knows_the_sigmoid(void **unused)
{
    static const uint32_t sigmoid[] = { 50000, 73106, 88080, 95257, 98201, 99331, 99753,
                                        99909, 99966, 99988, 99995, 99998, 99999, 100000 };
    struct flowstate_cfg cfg = flowstate_configure((struct flowstate_cfg){ .share = FLOW_SHARE_SIGMOID });

    (void)unused;
    for (uint16_t n = 0; n < 14; n++) {
        struct flow_tally tally = { 0 };
        struct flowstate s = { 1, (uint16_t)(3 + n) };

        flow_tally_add(&cfg, &tally, FLOW_POTENTIAL, s);
        assert_in_range(tally.potential_sigmoid * 100000 / FSD_ONE, sigmoid[n] - 2, sigmoid[n] + 2);
    }
}

/* ---- flowstate_table ---- */

static struct flow_key key_of(uint32_t flow)
{
    return flow_key_qp(0x0a000001, 0x0a000002, flow);
}

static void insert(struct elastic *e, uint32_t flow, uint32_t bytes)
{
    struct flow_key key = key_of(flow);

    elastic_insert(e, &key, bytes);
}

struct pair { struct elastic sketch; struct flowstate_table entries; };

static void pair_init(struct pair *p, uint32_t buckets, uint32_t places, struct flowstate_cfg cfg)
{
    elastic_init(&p->sketch, &(struct elastic_cfg){ .heavy_bytes = buckets * 64, .light_bytes = 1000 });
    flowstate_table_init(&p->entries, cfg, buckets, places);
}

static void pair_fini(struct pair *p)
{
    elastic_fini(&p->sketch);
    flowstate_table_fini(&p->entries);
}

static struct flow_tally read(struct pair *p)
{
    struct flow_tally t = { 0 };

    flowstate_table_read(&p->entries, &p->sketch, &t);
    return t;
}

/* With a position for every flow, the sums equal those of flowstate_step() per flow. */
static void check_equals_single_flows(struct flowstate_cfg cfg)
{
    enum { FLOWS = 500 };
    struct flowstate state[FLOWS] = { { 0, 0 } };
    struct flow_tally expected, actual;
    uint64_t elephants = 0, potentials = 0;
    struct pair p;
    struct rng r;

    rng_init(&r, 1, 2);
    cfg = flowstate_configure(cfg);
    pair_init(&p, 1000, 16, cfg);
    for (int interval = 0; interval < 40; interval++) {
        expected = (struct flow_tally){ 0 };
        for (uint32_t flow = 0; flow < FLOWS; flow++) {
            uint32_t bytes = rng_next(&r) % (2 + flow % 5) ? (uint32_t)rng_below(&r, 100000) : 0;
            enum flow_class class = flowstate_step(&cfg, &state[flow], bytes);

            if (bytes)
                insert(&p.sketch, flow, bytes);
            flow_tally_add(&cfg, &expected, class, state[flow]);
        }
        assert_int_equal(p.sketch.lights_used, 0);
        actual = read(&p);
        assert_memory_equal(&actual, &expected, sizeof(actual));
        elephants += expected.elephants;
        potentials += expected.potentials;
    }
    assert_true(elephants > 100 && potentials > 100);
    pair_fini(&p);
}

static void read__equals_single_flows(void **unused)
{
    (void)unused;
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000 });
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000, .delta = 1 });
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000, .share = FLOW_SHARE_SIGMOID });
    check_equals_single_flows((struct flowstate_cfg){ .tau_bytes = 800000, .share = FLOW_SHARE_ARTIFACT,
                                                      .with_bins = 1 });
}

static void send(struct pair *p, uint32_t first, uint32_t last, uint32_t packets, uint32_t bytes)
{
    for (uint32_t flow = first; flow <= last; flow++)
        for (uint32_t i = 0; i < packets; i++)
            insert(&p->sketch, flow, bytes);
}

/* One bucket. Flow 1 sends 'packets' of 1 KB and is silent until seven others have all entries. */
static void lose_entry(struct pair *p, uint32_t packets)
{
    pair_init(p, 1, 16, (struct flowstate_cfg){ 0 });
    send(p, 1, 1, packets, 1000);
    assert_int_equal(read(p).mice, 1);
    send(p, 2, 7, 1, 10);
    assert_int_equal(read(p).mice, 6);
    send(p, 2, 8, 1, 10);
    assert_int_equal(p->sketch.bucket[0].fresh, 1);
    assert_int_equal(read(p).mice, 7);
}

/* It returns with 400 KB, of which eight packets, counted as 1008 bytes, are votes for an entry. */
static void read__remembers_a_flow_that_lost_its_entry(void **unused)
{
    struct flow_tally t;
    struct pair p;

    (void)unused;
    lose_entry(&p, 600);
    send(&p, 1, 1, 400, 1000);
    t = read(&p);
    assert_int_equal(t.elephants, 1);
    assert_int_equal(t.mice, 0);
    pair_fini(&p);
}

/* 62 KB are below a sixteenth of 1 MB, so 62 + 939 KB are not recognised as an elephant. */
static void read__forgets_a_small_flow_that_lost_its_entry(void **unused)
{
    struct pair p;

    (void)unused;
    lose_entry(&p, 62);
    send(&p, 1, 1, 939, 1000);
    assert_int_equal(read(&p).elephants, 0);
    pair_fini(&p);
    lose_entry(&p, 63);
    send(&p, 1, 1, 938, 1000);
    assert_int_equal(read(&p).elephants, 1);
    pair_fini(&p);
}

/* One bucket, flows 1 .. 7 in entries 0 .. 6. In the third interval a newcomer wins entry 0 before flow 1
 * sends, which then wins entry 1: it has moved, and its run continues. 100 bytes are 112 in the light part;
 * eight packets go there. */
static void read__follows_a_flow_to_another_entry(void **unused)
{
    struct flow_tally t;
    struct pair p;

    (void)unused;
    pair_init(&p, 1, 16, (struct flowstate_cfg){ 0 });
    for (int interval = 0; interval < 2; interval++) {
        send(&p, 1, 7, 1, 100);
        assert_int_equal(read(&p).mice, 7);
    }
    send(&p, 9, 9, 9, 100);
    send(&p, 1, 1, 9, 100);
    assert_int_equal(p.sketch.bucket[0].fresh, 3);
    t = read(&p);
    assert_int_equal(t.potentials, 1);
    assert_int_equal(t.potential_bytes, 100 + 100 + 100 + 8 * 112);
    assert_int_equal(t.mice, 1);
    pair_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__is_figure_4_cell_by_cell),
        cmocka_unit_test(step__ends_a_row_with_a_silent_interval),
        cmocka_unit_test(step__saturates),
        cmocka_unit_test(tally__divides_potential_elephants_by_size),
        cmocka_unit_test(tally__divides_potential_elephants_by_sigmoid),
        cmocka_unit_test(tally__as_in_the_artifact_counts_them_twice),
        cmocka_unit_test(tally__knows_the_sigmoid),
        cmocka_unit_test(read__equals_single_flows),
        cmocka_unit_test(read__remembers_a_flow_that_lost_its_entry),
        cmocka_unit_test(read__forgets_a_small_flow_that_lost_its_entry),
        cmocka_unit_test(read__follows_a_flow_to_another_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
