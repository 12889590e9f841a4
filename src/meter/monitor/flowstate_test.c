#include "meter/monitor/flowstate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
