/* src/tune/acc/acc_state_test.c - the inputs of the net, and the reward, against values computed by hand. */
#include "tune/acc/acc_state.h"
#include "core/units.h"
#include "tune/setting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Figure 4: D falls by 0.1 above each of 20, 40, 80 KB .. 10.24 MB. */
static void delay__steps_of_figure_4(void **state)
{
    static const struct { uint64_t bytes; double d; } rows[] = {
        { 0, 1.0 },       { 1, 1.0 },       { 20000, 1.0 },     { 20001, 0.9 },    { 40000, 0.9 },
        { 40001, 0.8 }, { 80000, 0.8 },   { 160000, 0.7 },  { 160001, 0.6 },    { 320000, 0.6 },
        { 640000, 0.5 },    { 1280000, 0.4 }, { 1280001, 0.3 }, { 2560000, 0.3 }, { 5120000, 0.2 },
        { 10240000, 0.1 }, { 10240001, 0.0 },  { 1u << 31, 0.0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(acc_delay(ACC_STEP, rows[i].bytes) - rows[i].d) < 1e-12);
}

/* Appendix, design 1: D falls linearly to 0 at 10 MB. */
static void delay__linear_to_10_mb(void **state)
{
    static const struct { uint64_t bytes; double d; } rows[] = {
        { 0, 1 }, { 20000, 0.998 }, { 1000000, 0.9 }, { 5000000, 0.5 }, { 10000000, 0 }, { 20000000, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(acc_delay(ACC_LINEAR, rows[i].bytes) - rows[i].d) < 1e-12);
}

/* In 100 us, 25 Gb/s carry 312,500 bytes and 100 Gb/s carry 1,250,000. log2(1 + KB) is 1 for 1 KB and 10
 * for 1023 KB. */
static void see__four_numbers_by_hand(void **state)
{
    static const struct {
        uint64_t rate_bps, queue, sent, marked;
        uint32_t action;
        double   want[ACC_FEATURES];
    } rows[] = {
        { 25000000000, 0, 0, 0, 0, { 0, 0, 0, 0 } },
        { 25000000000, 1000, 156250, 31250, 19, { 1.0 / 14, 0.5, 0.1, 1 } },
        { 100000000000, 1023000, 1250000, 625000, 6, { 10.0 / 14, 1, 0.5, 6.0 / 19 } },
        { 100000000000, 7000, 312500, 0, 12, { 3.0 / 14, 0.25, 0, 12.0 / 19 } },
        { 25000000000, 1u << 31, 400000, 400000, 1, { 1, 1, 1, 1.0 / 19 } },     /* never above 1 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct queue_facts facts = { .rate_bps = rows[i].rate_bps };
        struct queue_slot  slot = { .queue_bytes_mean = rows[i].queue, .tx_bytes = rows[i].sent,
                                    .marked_bytes = rows[i].marked };
        struct acc_seen    seen;

        acc_see(&seen, &slot, &facts, 100 * PS_PER_US, rows[i].action, 20, ACC_STEP);
        for (int f = 0; f < ACC_FEATURES; f++)
            assert_true(fabs(seen.feature[f] - rows[i].want[f]) < 1e-12);
        assert_true(seen.throughput == seen.feature[1]);
        assert_true(seen.delay == acc_delay(ACC_STEP, rows[i].queue));
    }
}

#define SLOT_BYTES 312500        /* what 25 Gb/s carry in 100 us */

static uint32_t cell_of(uint64_t queue_bytes, double sent)
{
    struct queue_facts facts = { .rate_bps = 25000000000 };
    struct queue_slot  slot = { .queue_bytes_mean = queue_bytes, .tx_bytes = (uint64_t)(sent * SLOT_BYTES) };
    struct acc_seen    seen;
    float              feature[ACC_FEATURES];

    acc_see(&seen, &slot, &facts, 100 * PS_PER_US, 0, 20, ACC_STEP);
    for (int i = 0; i < ACC_FEATURES; i++)
        feature[i] = (float)seen.feature[i];
    return acc_rule_cell(feature);
}

static void cell__by_length_and_rate(void **state)
{
    static const struct { uint64_t bytes; double sent; uint32_t cell; } rows[] = {
        { 0, 0, 0 },         { 4990, 0.79, 0 },    { 5010, 0.79, 1 },    { 19900, 0, 1 },     { 20100, 0, 2 },
        { 79500, 0, 2 },     { 80500, 0, 3 },      { 319000, 0, 3 },     { 321000, 0, 4 },
        { 100000000, 0, 4 }, { 0, 0.81, 5 },      { 79500, 0.94, 7 },   { 321000, 0.81, 9 },  { 0, 0.96, 10 },
        { 0, 2, 10 }, { 5010, 0.96, 11 },  { 80500, 1, 13 },     { 100000000, 1, 14 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(cell_of(rows[i].bytes, rows[i].sent), rows[i].cell);
}

/* At the same rate, a longer queue is never in an earlier cell, and no cell is skipped. At the same length, a
 * higher rate is never in an earlier cell. Every cell can be reached. */
static void cell__all_in_order(void **state)
{
    bool reached[ACC_RULE_CELLS] = { 0 };

    (void)state;
    for (double sent = 0; sent <= 1; sent += 0.01) {
        uint32_t last = 0;

        for (uint64_t bytes = 0; bytes < 1000000; bytes += 500) {
            uint32_t cell = cell_of(bytes, sent);

            assert_true(cell < ACC_RULE_CELLS && (bytes == 0 || cell == last || cell == last + 1));
            reached[cell] = true;
            last = cell;
        }
    }
    for (int i = 0; i < ACC_RULE_CELLS; i++)
        assert_true(reached[i]);
    for (uint64_t bytes = 0; bytes < 1000000; bytes += 500)
        for (double sent = 0; sent < 1; sent += 0.01)
            assert_true(cell_of(bytes, sent + 0.01) >= cell_of(bytes, sent));
}

static struct ecn list[ACC_ACTIONS_MAX];

/* Figure 4: level n is 20 * 2^n KB. */
static void level_bytes__are_figure_4(void **state)
{
    static const uint64_t kb[ACC_LEVELS] = { 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240 };

    (void)state;
    for (uint32_t n = 0; n < ACC_LEVELS; n++)
        assert_int_equal(acc_level_bytes(n), kb[n] * 1000);
}

/* text: Kmax is 1, 2, 5 or 10 MB, with 6, 7, 8 or 9 levels of Kmin up to that (the tenth is 10.24 MB). That
 * makes 30 pairs, with 21 probabilities each. pairs: 10 + 9 + .. + 1 pairs, with 20 probabilities each. */
static void list__has_as_many_actions_as_the_paper(void **state)
{
    (void)state;
    assert_int_equal(acc_actions_list(ACC_TEMPLATE, NULL), 20);
    assert_int_equal(acc_actions_list(ACC_TEXT, NULL), 30 * 21);
    assert_int_equal(acc_actions_list(ACC_PAIRS, NULL), 55 * 20);
}

static void list__has_valid_settings_without_duplicates(void **state)
{
    (void)state;
    for (int kind = ACC_TEMPLATE; kind <= ACC_PAIRS; kind++) {
        uint32_t n = acc_actions_list((enum acc_actions)kind, list);

        for (uint32_t i = 0; i < n; i++) {
            assert_true(list[i].kmin_bytes > 0 && list[i].kmin_bytes <= list[i].kmax_bytes);
            assert_true(list[i].pmax > 0 && list[i].pmax <= 1);
            for (uint32_t j = 0; j < i; j++)
                assert_false(list[i].kmin_bytes == list[j].kmin_bytes &&
                             list[i].kmax_bytes == list[j].kmax_bytes && list[i].pmax == list[j].pmax);
        }
    }
}

/* The action list contains the static settings that ACC is compared with, at 25 and 100 Gb/s. Its
 * thresholds are per 25 Gb/s of port speed. */
static void list__template_has_the_static_settings(void **state)
{
    static const uint64_t rate[] = { 25000000000, 100000000000 };
    uint32_t              n = acc_actions_list(ACC_TEMPLATE, list);

    (void)state;
    for (const struct setting *s = setting_thresholds; s->name; s++)
        for (int r = 0; r < 2; r++) {
            struct world       world = { .host_bps = rate[0] };
            struct queue_facts queue = { .rate_bps = rate[r] };
            struct knobs       knobs;
            struct ecn         ecn;
            uint32_t           i;

            s->make(&knobs, &world);
            setting_ecn(s, &knobs, &world, &queue, &ecn);
            ecn.kmin_bytes /= (uint32_t)(rate[r] / rate[0]);
            ecn.kmax_bytes /= (uint32_t)(rate[r] / rate[0]);
            i = acc_actions_nearest(list, n, &ecn);
            assert_int_equal(list[i].kmin_bytes, ecn.kmin_bytes);
            assert_int_equal(list[i].kmax_bytes, ecn.kmax_bytes);
            assert_true(list[i].pmax == ecn.pmax);
        }
}

/* Distances are ratios: 25 KB lies halfway between 10 and 40 KB, but 40 KB is nearer by ratio. */
static void nearest__compares_ratios(void **state)
{
    static const struct ecn choice[] = { { 10000, 10000, 0.1 }, { 40000, 40000, 0.1 },
                                         { 300000, 300000, 0.9 } };
    static const struct { struct ecn ecn; uint32_t nearest; } rows[] = {
        { { 10000, 10000, 0.1 }, 0 }, { { 15000, 15000, 0.1 }, 0 }, { { 25000, 25000, 0.1 }, 1 },
        { { 200000, 200000, 0.5 }, 2 }, { { 0, 0, 0 }, 0 }, { { UINT32_MAX, UINT32_MAX, 1 }, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(acc_actions_nearest(choice, 3, &rows[i].ecn), rows[i].nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delay__steps_of_figure_4),
        cmocka_unit_test(delay__linear_to_10_mb),
        cmocka_unit_test(see__four_numbers_by_hand),
        cmocka_unit_test(cell__by_length_and_rate),
        cmocka_unit_test(cell__all_in_order),
        cmocka_unit_test(level_bytes__are_figure_4),
        cmocka_unit_test(list__has_as_many_actions_as_the_paper),
        cmocka_unit_test(list__has_valid_settings_without_duplicates),
        cmocka_unit_test(list__template_has_the_static_settings),
        cmocka_unit_test(nearest__compares_ratios),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
