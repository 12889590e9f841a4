/* src/core/meter/series_test.c - compares points with the sums of the random reports that they cover. */
#include "core/meter/series.h"
#include "base/err.h"
#include "base/rng.h"
#include "core/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PORTS = 3, ENTRIES = 2 };

#define INTERVAL_PS (10 * PS_PER_US)

struct history {                 /* all reports, one per interval */
    struct report      *report;
    struct report_port (*port)[PORTS];
    uint64_t           (*entry)[ENTRIES];
    uint32_t            count;
};

static void make_report(struct history *h, uint32_t i, struct rng *rng)
{
    struct report *r = &h->report[i];

    memset(r, 0, sizeof *r);
    r->start_ps = i * INTERVAL_PS;
    r->end_ps = (i + 1) * INTERVAL_PS;
    for (int c = 0; c < FIGURE_COUNTS; c++)
        r->count[c] = rng_below(rng, 1000000);
    for (int p = 0; p < PORTS; p++)
        h->port[i][p] = (struct report_port){ .tx_bytes = rng_below(rng, 125000), .rate_bps = 100000000000 };
    for (int e = 0; e < ENTRIES; e++)
        h->entry[i][e] = rng_below(rng, 1000000);
    r->port = h->port[i];
    r->ports = PORTS;
    r->entry_bytes = h->entry[i];
    r->entries = ENTRIES;
}

static void add_random_reports(struct history *h, struct series *s, uint32_t count, uint64_t seed)
{
    struct rng rng;

    *h = (struct history){ xcalloc(count, sizeof *h->report), xcalloc(count, sizeof *h->port),
                           xcalloc(count, sizeof *h->entry), count };
    rng_init(&rng, seed, 0);
    series_init(s, PORTS, ENTRIES);
    for (uint32_t i = 0; i < count; i++) {
        make_report(h, i, &rng);
        series_add(s, &h->report[i], 1);
    }
}

static void free_history(struct history *h, struct series *s)
{
    series_fini(s);
    free(h->report);
    free(h->port);
    free(h->entry);
}

#define PEAK(field) (r->field > peak.field ? r->field : peak.field)

/* All values are sums, except two maxima and two values of the last report. */
static struct series_point sum_of(const struct history *h, uint32_t first, uint32_t end)
{
    struct series_point sum = { .start_ps = h->report[first].start_ps, .end_ps = h->report[end - 1].end_ps };
    struct series_point peak = { 0 };

    for (uint32_t i = first; i < end; i++) {
        const struct report *r = &h->report[i];

        for (int c = 0; c < FIGURE_COUNTS; c++)
            sum.count[c] += r->count[c];
        peak.rtt_ps_peak = PEAK(rtt_ps_peak);
        peak.queue_bytes_max = PEAK(queue_bytes_max);
    }
    sum.rtt_ps_peak = peak.rtt_ps_peak;
    sum.queue_bytes_max = peak.queue_bytes_max;
    sum.flows_active = h->report[end - 1].flows_active;
    sum.queue_bytes = h->report[end - 1].queue_bytes;
    return sum;
}

static void check_points(const struct history *h, const struct series *s)
{
    assert_true(s->points <= SERIES_POINTS);
    assert_int_equal(s->points, (h->count + s->merged - 1) / s->merged);
    for (uint32_t i = 0; i < s->points; i++) {
        uint32_t            first = (uint32_t)(i * s->merged), end = (uint32_t)(first + s->merged);
        struct series_point should_be;

        end = end < h->count ? end : h->count;
        should_be = sum_of(h, first, end);
        assert_memory_equal(&s->point[i], &should_be, sizeof should_be);
        for (int e = 0; e < ENTRIES; e++) {
            uint64_t bytes = 0;

            for (uint32_t k = first; k < end; k++)
                bytes += h->entry[k][e];
            assert_int_equal(s->entry_bytes[i * ENTRIES + e], bytes);
        }
    }
}

static void check_heat(const struct history *h, const struct series *s)
{
    assert_true(s->heats <= SERIES_HEAT);
    for (uint32_t c = 0; c < s->heats; c++) {
        uint32_t first = (uint32_t)(c * s->heat_merged), end = (uint32_t)(first + s->heat_merged);

        end = end < h->count ? end : h->count;
        assert_int_equal(s->heat_start_ps[c], first * INTERVAL_PS);
        assert_int_equal(s->heat_end_ps[c], end * INTERVAL_PS);
        for (int p = 0; p < PORTS; p++) {
            double bytes = 0;

            for (uint32_t k = first; k < end; k++)
                bytes += (double)h->port[k][p].tx_bytes;
            /* 100 Gb/s for 10 us are 125,000 bytes */
            assert_true(fabs(series_heat(s, c, p, 100000000000) - bytes / 125000 / (end - first)) < 1e-12);
        }
    }
}

static void add__keeps_sums_and_peaks_for_any_number_of_intervals(void **state)
{
    static const uint32_t counts[] = { 1, 2, 63, 64, 65, 127, 511, 512, 513, 1023, 1024, 1025, 1537, 10000 };

    (void)state;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct history h;
        struct series  s;

        add_random_reports(&h, &s, counts[i], i);
        check_points(&h, &s);
        check_heat(&h, &s);
        assert_int_equal(s.intervals, counts[i]);
        /* no coarser than necessary */
        assert_true(s.merged == 1 || counts[i] > SERIES_POINTS / 2 * s.merged);
        assert_true(s.heat_merged == 1 || counts[i] > SERIES_HEAT / 2 * s.heat_merged);
        free_history(&h, &s);
    }
}

/* One idle report for many intervals gives the same points and columns as one report for each. */
static void begin_idle__equals_reporting_every_interval(void **state)
{
    static const uint64_t idle[] = { 0, 1, 511, 512, 513, 1023, 1024, 5000, 16000 };

    (void)state;
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        struct report_port port = { .rate_bps = 1000 };
        struct report      r = { .port = &port };
        struct series      a, b;

        series_init(&a, 1, 0);
        series_init(&b, 1, 0);
        series_begin_idle(&b, idle[i]);
        for (uint64_t n = 0; n < idle[i] + 700; n++) {
            r.start_ps = 10 * n;
            r.end_ps = 10 * (n + 1);
            r.payload_bytes = port.tx_bytes = n < idle[i] ? 0 : n;
            series_add(&a, &r, 1);
        }
        for (uint64_t n = 0; n < idle[i] + 700; ) {
            uint64_t step = n < idle[i] && n + b.merged <= idle[i] ? b.merged : 1;

            r.start_ps = 10 * n;
            r.end_ps = 10 * (n + step);
            r.payload_bytes = port.tx_bytes = n < idle[i] ? 0 : n;
            series_add(&b, &r, step);
            n += step;
        }
        assert_int_equal(a.points, b.points);
        assert_int_equal(a.heats, b.heats);
        assert_memory_equal(a.point, b.point, a.points * sizeof *a.point);
        assert_memory_equal(a.heat_bytes, b.heat_bytes, a.heats * sizeof *a.heat_bytes);
        assert_memory_equal(a.heat_start_ps, b.heat_start_ps, a.heats * sizeof *a.heat_start_ps);
        series_fini(&a);
        series_fini(&b);
    }
}

/* A first flow after a million seconds, with points of 64 ns. */
static void begin_idle__takes_a_silence_of_any_length(void **state)
{
    struct series s;

    (void)state;
    series_init(&s, 1, 0);
    series_begin_idle(&s, 1000000ull * 1000000000000ull / 64000);
    assert_int_equal(1ull << 35, s.merged);      /* 15,625,000,000,000 intervals are fewer than 512 x 2^35 */
    series_fini(&s);
}

static void add__remembers_the_busiest_interval_of_a_port(void **state)
{
    struct history h;
    struct series  s;

    (void)state;
    add_random_reports(&h, &s, 3000, 9);
    for (int p = 0; p < PORTS; p++) {
        uint64_t most = 0;

        for (uint32_t i = 0; i < h.count; i++)
            most = h.port[i][p].tx_bytes > most ? h.port[i][p].tx_bytes : most;
        assert_true(fabs(s.util_max[p] - (double)most / 125000) < 1e-12);
    }
    free_history(&h, &s);
}

static void sum__of_points_is_that_of_their_intervals(void **state)
{
    struct series_point is, should_be;
    struct history      h;
    struct series       s;

    (void)state;
    add_random_reports(&h, &s, 1000, 4);           /* two intervals per point */
    is = series_sum(&s, 10, 25);
    should_be = sum_of(&h, 20, 50);
    assert_memory_equal(&is, &should_be, sizeof is);
    is = series_sum(&s, 499, 500);
    should_be = sum_of(&h, 998, 1000);
    assert_memory_equal(&is, &should_be, sizeof is);
    free_history(&h, &s);
}

/* 100 bytes and one sample of 7 ps per interval of 10 us; windows at 25-45 us and 70-75 us of 100 us. */
static void add__divides_an_interval_between_phases(void **state)
{
    static const double tens[PHASES] = { 2.5, 2.5, 5 };      /* of 10 us: 25, 20 + 5, 25 + 25 */
    uint64_t            entry[ENTRIES] = { 100, 40 };
    struct report_port  port[PORTS] = { { 0 } };
    struct report       r = { .payload_bytes = 100, .rtt_samples = 1, .rtt_ps_sum = 7, .paused_ps = 50,
                              .received_packets = 8, .marked_packets = 4, .port = port, .ports = PORTS,
                                  .entry_bytes = entry,
                              .entries = ENTRIES };
    struct series       s;

    (void)state;
    series_init(&s, PORTS, ENTRIES);
    phases_add(&s.phases, 25 * PS_PER_US, 45 * PS_PER_US);
    phases_add(&s.phases, 70 * PS_PER_US, 75 * PS_PER_US);
    for (uint32_t i = 0; i < 10; i++) {
        r.start_ps = i * INTERVAL_PS;
        r.end_ps = (i + 1) * INTERVAL_PS;
        series_add(&s, &r, 1);
    }
    for (uint32_t i = 0; i < PHASES; i++) {
        assert_int_equal(s.phase[i].ps, (uint64_t)(tens[i] * (double)INTERVAL_PS));
        assert_true(fabs(s.phase[i].count[FIGURE_payload_bytes] - 100 * tens[i]) < 1e-9);
        assert_true(fabs(s.phase[i].count[FIGURE_rtt_ps_sum] - 7 * s.phase[i].count[FIGURE_rtt_samples]) <
                    1e-9);
        assert_true(fabs(s.phase[i].count[FIGURE_paused_ps] - 50 * tens[i]) < 1e-9);
        assert_true(fabs(s.phase[i].count[FIGURE_marked_packets] - 4 * tens[i]) < 1e-9);
        assert_true(fabs(s.phase[i].count[FIGURE_received_packets] - 8 * tens[i]) < 1e-9);
        assert_true(fabs(s.phase_entry_bytes[1 * PHASES + i] - 40 * tens[i]) < 1e-9);
    }
    series_fini(&s);
}

static void set_knobs__keeps_the_start_and_changes(void **state)
{
    struct knobs  knobs;
    struct series s;

    (void)state;
    series_init(&s, 0, 0);
    knobs_init(&knobs);
    series_set_knobs(&s, 0, &knobs);
    assert_int_equal(s.knobs, KNOB_COUNT);
    series_set_knobs(&s, 5, &knobs);         /* no change */
    assert_int_equal(s.knobs, KNOB_COUNT);
    for (uint64_t i = 1; i <= 1000; i++) {
        knobs.value[KNOB_kmin] = (double)i;
        knobs.value[KNOB_kmax] = 5000;
        series_set_knobs(&s, 100 * i, &knobs);
    }
    assert_int_equal(s.knobs, KNOB_COUNT + 1000 + 1);
    for (uint32_t i = 0; i < KNOB_COUNT; i++)
        assert_true(s.knob[i].at_ps == 0 && s.knob[i].knob == i && s.knob[i].value == knob_info[i].initial);
    assert_true(s.knob[s.knobs - 1].at_ps == 100000 && s.knob[s.knobs - 1].knob == KNOB_kmin
                && s.knob[s.knobs - 1].value == 1000);
    series_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__keeps_sums_and_peaks_for_any_number_of_intervals),
        cmocka_unit_test(begin_idle__equals_reporting_every_interval),
        cmocka_unit_test(begin_idle__takes_a_silence_of_any_length),
        cmocka_unit_test(add__remembers_the_busiest_interval_of_a_port),
        cmocka_unit_test(sum__of_points_is_that_of_their_intervals),
        cmocka_unit_test(add__divides_an_interval_between_phases),
        cmocka_unit_test(set_knobs__keeps_the_start_and_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
