/* src/core/figures_test.c - sums and figures against numbers computed by hand, and rules that all rows
 * keep. */
#include "core/figures.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void add__sums_keeps_peaks_and_the_last_state(void **state)
{
    uint64_t sum[FIGURE_COUNTS] = { [FIGURE_nacks] = 3, [FIGURE_rtt_ps_peak] = 9, [FIGURE_flows_active] = 8,
                                    [FIGURE_queue_bytes_max] = 1 };
    uint64_t next[FIGURE_COUNTS] = { [FIGURE_nacks] = 4, [FIGURE_rtt_ps_peak] = 5, [FIGURE_flows_active] = 2,
                                     [FIGURE_queue_bytes_max] = 6 };
    uint64_t port[PORT_COUNTS] = { [PORT_tx_bytes] = 1, [PORT_queue_bytes_max] = 7 };
    uint64_t more[PORT_COUNTS] = { [PORT_tx_bytes] = 2, [PORT_queue_bytes_max] = 5 };

    (void)state;
    figure_add(sum, next);
    assert_int_equal(sum[FIGURE_nacks], 7);
    assert_int_equal(sum[FIGURE_rtt_ps_peak], 9);
    assert_int_equal(sum[FIGURE_flows_active], 2);
    assert_int_equal(sum[FIGURE_queue_bytes_max], 6);
    figure_add_port(port, more);
    assert_true(port[PORT_tx_bytes] == 3 && port[PORT_queue_bytes_max] == 7);
}

/* 10 us of a network of 4 ports. */
static double value_of(enum figure_id figure, const uint64_t count[FIGURE_COUNTS])
{
    struct figure_span s = figure_span(count, 10 * PS_PER_US, 4);

    return figure_value(figure, &s);
}

static void value__is_computed_from_sums(void **state)
{
    uint64_t count[FIGURE_COUNTS] = {
        [FIGURE_payload_bytes] = 125000, [FIGURE_rtt_ps_sum] = 9 * PS_PER_US, [FIGURE_rtt_samples] = 2,
        [FIGURE_rtt_ps_peak] = 6 * PS_PER_US, [FIGURE_paused_ps] = 20 * PS_PER_US, [FIGURE_queue_bytes] = 77,
    };

    (void)state;
    assert_true(fabs(value_of(FIGURE_goodput_bps, count) - 100e9) < 1);      /* 125,000 bytes in 10 us */
    assert_true(value_of(FIGURE_rtt_us_mean, count) == 4.5);
    assert_true(value_of(FIGURE_rtt_us_max, count) == 6);
    assert_true(value_of(FIGURE_paused_us, count) == 20);
    assert_true(value_of(FIGURE_paused_share, count) == 0.5);
    assert_true(value_of(FIGURE_queue_bytes, count) == 77);
    count[FIGURE_rtt_samples] = 0;
    assert_true(isnan(value_of(FIGURE_rtt_us_mean, count)) && isnan(value_of(FIGURE_rtt_us_max, count)));
}

static double marked_share(uint64_t marked, uint64_t received)
{
    uint64_t count[FIGURE_COUNTS] = { [FIGURE_marked_packets] = marked,
                                      [FIGURE_received_packets] = received };

    return value_of(FIGURE_marked_share, count);
}

/* A switch counts a mark before the packet arrives: an interval may have more marks than arrivals. */
static void value__of_marked_share_is_at_most_one(void **state)
{
    (void)state;
    assert_true(isnan(marked_share(0, 0)) && isnan(marked_share(5, 0)));
    assert_true(marked_share(0, 8) == 0 && marked_share(2, 8) == 0.25 && marked_share(9, 8) == 1);
}

static void list__is_sorted_and_has_every_row_of_the_output(void **state)
{
    (void)state;
    for (int output = 0; output < FIGURE_OUTPUTS; output++) {
        enum figure_id list[FIGURE_COUNT];
        uint32_t       count = figure_list((enum figure_output)output, list), rows = 0;

        for (int i = 0; i < FIGURE_COUNT; i++)
            rows += figure_info[i].place[output] > 0;
        assert_int_equal(count, rows);
        assert_true(count > 0);
        for (uint32_t i = 1; i < count; i++) {
            const struct figure_info *a = &figure_info[list[i - 1]], *b = &figure_info[list[i]];

            assert_true(a->place[output] < b->place[output] ||
                        (a->place[output] == b->place[output] && a < b));
        }
    }
}

/* Rules that code relies on: outputs over time show figures of a report, names contain their unit, and keys
 * are unique. */
static void rows__keep_the_rules(void **state)
{
    (void)state;
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const struct figure_info *f = &figure_info[i];

        assert_true(f->name && *f->name && *f->label && *f->help && f->help[strlen(f->help) - 1] != '.');
        if (f->place[FIGURE_INTERVALS] || f->place[FIGURE_CHART])
            assert_true(f->how < FIGURE_ONCE);
        assert_true(!f->place[FIGURE_CHART] == !f->group);
        assert_true(!(f->place[FIGURE_PACKETS] || f->place[FIGURE_PFC]) == !f->key);
        assert_true((f->unit == UNIT_BPS || f->unit == UNIT_BUS) == (strstr(f->name, "_bps") != NULL));
        assert_true((f->unit == UNIT_SHARE) == (strstr(f->name, "_share") ||
                                                strcmp(f->name, "accuracy") == 0));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(f->name, figure_info[k].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__sums_keeps_peaks_and_the_last_state),
        cmocka_unit_test(value__is_computed_from_sums),
        cmocka_unit_test(value__of_marked_share_is_at_most_one),
        cmocka_unit_test(list__is_sorted_and_has_every_row_of_the_output),
        cmocka_unit_test(rows__keep_the_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
