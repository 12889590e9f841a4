/* src/tune/acc/acc_rule_test.c - cells by hand, from lengths and rates through the numbers a net sees. */
#include "tune/acc/acc_rule.h"
#include "core/units.h"
#include "tune/acc/acc_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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
        { 79500, 0, 2 },     { 80500, 0, 3 },      { 319000, 0, 3 },     { 321000, 0, 4 },    { 100000000, 0, 4 },
        { 0, 0.81, 5 },      { 79500, 0.94, 7 },   { 321000, 0.81, 9 },  { 0, 0.96, 10 },     { 0, 2, 10 },
        { 5010, 0.96, 11 },  { 80500, 1, 13 },     { 100000000, 1, 14 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(cell_of(rows[i].bytes, rows[i].sent), rows[i].cell);
}

/* Longer queues and fuller links are never in an earlier row or column; every cell can be reached. */
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cell__by_length_and_rate),
        cmocka_unit_test(cell__all_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
