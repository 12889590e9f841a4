/* src/tune/acc/acc_state_test.c - numbers for the net, and the reward, by hand. */
#include "tune/acc/acc_state.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Figure 4: a step down of 0.1 behind 20, 40, 80 KB .. 10.24 MB. */
static void delay__steps_of_figure_4(void **state)
{
    static const struct { uint64_t bytes; double d; } rows[] = {
        { 0, 1.0 },       { 1, 1.0 },       { 20000, 1.0 },     { 20001, 0.9 },    { 40000, 0.9 },     { 40001, 0.8 },
        { 80000, 0.8 },   { 160000, 0.7 },  { 160001, 0.6 },    { 320000, 0.6 },   { 640000, 0.5 },    { 1280000, 0.4 },
        { 1280001, 0.3 }, { 2560000, 0.3 }, { 5120000, 0.2 },   { 10240000, 0.1 }, { 10240001, 0.0 },  { 1u << 31, 0.0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(acc_delay(ACC_STEP, rows[i].bytes) - rows[i].d) < 1e-12);
}

/* Appendix, design 1: 10 MB are worth nothing. */
static void delay__linear_to_10_mb(void **state)
{
    static const struct { uint64_t bytes; double d; } rows[] = {
        { 0, 1 }, { 20000, 0.998 }, { 1000000, 0.9 }, { 5000000, 0.5 }, { 10000000, 0 }, { 20000000, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(acc_delay(ACC_LINEAR, rows[i].bytes) - rows[i].d) < 1e-12);
}

/* In 100 us 25 Gb/s carry 312,500 bytes and 100 Gb/s 1,250,000; log2(1 + 1 KB) is 1, log2(1 + 1023 KB) is 10. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delay__steps_of_figure_4),
        cmocka_unit_test(delay__linear_to_10_mb),
        cmocka_unit_test(see__four_numbers_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
