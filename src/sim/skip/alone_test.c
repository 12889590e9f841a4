/* src/sim/skip/alone_test.c - departures of a lone sender, computed by hand. */
#include "sim/skip/alone.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FRAME    980u            /* with 20 bytes of spacing, 8,000 bits: 80 ns at 100 Gb/s */
#define TX_PS    80000u
#define LINE_BPS 100000000000ull

static const struct model model = { .spacing_bytes = 20 };

/* Doubles the rate when due, and then never again. With counts_bytes the rate also doubles after each
 * packet. */
static void double_rate(const void *cfg, void *state, struct cc_now now, struct cc_out *out)
{
    (void)cfg, (void)now;
    ++*(uint32_t *)state;
    out->rate_bps *= 2;
    out->due_ps = NEVER;
}

static void on_sent(const void *cfg, void *state, struct cc_now now, uint32_t bytes, struct cc_out *out)
{
    assert_int_equal(bytes, FRAME);
    double_rate(cfg, state, now, out);
}

static const struct cc_algo doubling = { .on_due = double_rate, .on_sent = on_sent };

static struct alone_host host_with(uint64_t other_bps)
{
    return (struct alone_host){ &model, &doubling, NULL, FRAME, LINE_BPS, other_bps, UINT64_MAX };
}

static struct alone sender(uint64_t rate_bps, uint64_t due_ps)
{
    return (struct alone){ { .rate_bps = rate_bps, .due_ps = due_ps }, .gap_rate_bps = rate_bps };
}

/* Packet i leaves after i gaps. The number of packets that leave before a given time is the time in gaps,
 * rounded up. */
static void alone_send__evenly(void **unused)
{
    static const struct { uint64_t rate_bps, other_bps, gap_ps; } row[] = {
        { LINE_BPS, 0, TX_PS },
        { LINE_BPS / 4, 0, 4 * TX_PS },
        { LINE_BPS, LINE_BPS / 5, TX_PS * 5 / 4 },           /* other flows use a fifth of the port */
        { LINE_BPS / 4, LINE_BPS / 5, 4 * TX_PS },           /* a slow sender is not affected by them */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct alone_host h = host_with(row[i].other_bps);
        struct alone      a = sender(row[i].rate_bps, NEVER);

        assert_int_equal(alone_send(&h, &a, NULL, 1000000, UINT64_MAX, 10 * row[i].gap_ps), 10);
        assert_int_equal(a.at_ps, 10 * row[i].gap_ps);
        assert_int_equal(a.free_ps, 9 * row[i].gap_ps + TX_PS);
        assert_int_equal(alone_send(&h, &a, NULL, 1000000, UINT64_MAX, 10 * row[i].gap_ps + 1), 1);
        assert_int_equal(alone_send(&h, &a, NULL, 3, UINT64_MAX, NEVER), 3);
        assert_int_equal(a.at_ps, 14 * row[i].gap_ps);
    }
}

/* A gap of 800 ns at 10 Gb/s. If the rate doubles after 200 ns, the other 600 take half as long. During the
 * first 80 ns the port is sending; the pacer sees a change of rate at their end. */
static void alone_send__rest_of_a_gap(void **unused)
{
    static const struct { uint64_t due_ps, next_ps; } row[] = {
        { 200000, 200000 + 300000 }, { 30000, 80000 + 360000 }, { 80000, 80000 + 360000 }, { 799999, 800000 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct alone_host h = host_with(0);
        struct alone      a = sender(LINE_BPS / 10, row[i].due_ps);
        uint32_t          calls = 0;

        assert_int_equal(alone_send(&h, &a, &calls, 1, UINT64_MAX, NEVER), 1);
        assert_int_equal(calls, 1);
        assert_int_equal(a.at_ps, row[i].next_ps);
        assert_int_equal(alone_send(&h, &a, &calls, 5, UINT64_MAX, NEVER), 5);
        assert_int_equal(a.at_ps, row[i].next_ps + 5 * 400000);
    }
}

/* Events after the requested time have not happened yet. */
static void alone_send__stops_in_time(void **unused)
{
    struct alone_host h = host_with(0);
    struct alone      a = sender(LINE_BPS / 10, 200000);
    uint32_t          calls = 0;

    (void)unused;
    assert_int_equal(alone_send(&h, &a, &calls, 9, UINT64_MAX, 150000), 1);
    assert_int_equal(calls, 0);
    assert_int_equal(a.at_ps, 800000);
    assert_int_equal(alone_send(&h, &a, &calls, 9, UINT64_MAX, 250000), 0);
    assert_int_equal(calls, 1);
    assert_int_equal(a.at_ps, 500000);
}

/* A rate that doubles with each packet: the gaps are 800, 400, 200 and 100 ns. It stops above most_bps. */
static void alone_send__by_bytes(void **unused)
{
    struct alone_host h = host_with(0);
    struct alone      a = sender(LINE_BPS / 10, NEVER);
    uint32_t          calls = 0;

    (void)unused;
    a.out.counts_bytes = true;
    h.most_bps = LINE_BPS * 8 / 10;
    assert_int_equal(alone_send(&h, &a, &calls, 9, UINT64_MAX, NEVER), 4);
    assert_int_equal(calls, 4);
    assert_int_equal(a.at_ps, 800000 + 400000 + 200000 + 100000);
    assert_int_equal(a.out.rate_bps, LINE_BPS * 16 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_send__evenly),
        cmocka_unit_test(alone_send__rest_of_a_gap),
        cmocka_unit_test(alone_send__stops_in_time),
        cmocka_unit_test(alone_send__by_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
