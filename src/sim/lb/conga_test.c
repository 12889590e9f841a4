#include "core/units.h"
#include "sim/lb/conga.h"
#include "sim/lb/test_switch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TDRE_PS (50 * PS_PER_US)         /* defaults of the knobs */
#define ALPHA   0.2

static void start(struct test_switch *t, uint64_t seed)
{
    knobs_init(&t->knobs);
    t->knobs.value[KNOB_flowlet_table] = 1024;
    test_switch_start(t, "conga", seed);
}

/* Level that a packet of 'bytes' leaving through 'port' carries. */
static uint32_t forward(struct test_switch *t, uint64_t now_ps, uint32_t port, uint32_t bytes)
{
    struct lb_tag tag = { 0 };

    t->lb->forward(t->cfg, t->state, now_ps, &t->sw, port, bytes, &tag);
    return tag.congestion;
}

/* Sends at 'rate_bps', 1000 bytes at a time, for 'ps'. Returns the level of the last packet. */
static uint32_t send_at_rate(struct test_switch *t, uint32_t port, uint64_t from_ps, uint64_t ps,
                             uint64_t rate_bps)
{
    uint64_t gap_ps = 8000 * PS_PER_S / rate_bps;
    uint32_t level = 0;

    for (uint64_t at = from_ps; at + gap_ps <= from_ps + ps; at += gap_ps)
        level = forward(t, at, port, 1000);
    return level;
}

/* At the end of a period X is rate x Tdre / alpha, so the level is the link's utilization in eighths. */
static void forward__measures_a_steady_rate(void **unused)
{
    struct test_switch t;

    (void)unused;
    for (uint64_t eighths = 1; eighths < 8; eighths++) {
        start(&t, 1);
        /* Slightly above the step to avoid rounding: (e + 0.1) / 8 of 100 Gb/s. */
        assert_int_equal(send_at_rate(&t, 2, 0, 40 * TDRE_PS, 12500000000ull * eighths + 1250000000ull),
                         eighths);
        test_switch_end(&t);
        start(&t, 1);
        assert_int_equal(send_at_rate(&t, 2, 0, 40 * TDRE_PS, 12500000000ull * eighths - 1250000000ull),
                         eighths - 1);
        test_switch_end(&t);
    }
}

/* Starting at zero, after k periods: 1 - (1 - alpha)^k of the steady value. */
static void forward__rises_by_the_closed_form(void **unused)
{
    double left = 1;

    (void)unused;
    for (uint64_t k = 1; k <= 8; k++) {
        struct test_switch t;
        double levels;

        left *= 1 - ALPHA;
        levels = 8 * 0.99 * (1 - left);
        start(&t, 1);
        assert_int_equal(send_at_rate(&t, 0, 0, k * TDRE_PS, 99000000000ull), (uint32_t)levels);
        test_switch_end(&t);
    }
}

/* 50 us at 100 Gb/s are 625000 bytes. Full rate is 5 times that, and a level an eighth of it: 390625. */
static void forward__counts_levels(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, 1);
    assert_int_equal(forward(&t, 0, 1, 390624), 0);
    assert_int_equal(forward(&t, 0, 1, 2), 1);
    assert_int_equal(forward(&t, 0, 1, 390625 * 5), 6);
    assert_int_equal(forward(&t, 0, 1, 390625 * 50), 7);       /* 7 is the highest level */
    assert_int_equal(forward(&t, 0, 0, 1000), 0);              /* another port */
    test_switch_end(&t);
}

/* 7.9 levels, and each period takes a fifth: 7.9, 6.3, 5.06, 4.04, 3.2, ... also without reads in between. */
static void forward__decays_by_the_period(void **unused)
{
    static const uint32_t after[] = { 7, 6, 5, 4, 3, 2, 2, 1, 1, 1, 0 };

    (void)unused;
    for (uint64_t k = 0; k < sizeof after / sizeof *after; k++) {
        struct test_switch t;

        start(&t, 1);
        forward(&t, 0, 1, 3085937);
        assert_int_equal(forward(&t, k * TDRE_PS, 1, 0), after[k]);
        for (uint64_t j = 0; j <= k; j++)
            forward(&t, j * TDRE_PS, 2, j == 0 ? 3085937 : 0);
        assert_int_equal(forward(&t, k * TDRE_PS, 2, 0), after[k]);
        test_switch_end(&t);
    }
}

static void forward__keeps_the_worst(void **unused)
{
    struct test_switch t;
    struct lb_tag tag = { .congestion = 3 };

    (void)unused;
    start(&t, 1);
    t.lb->forward(t.cfg, t.state, 0, &t.sw, 1, 390625 * 2, &tag);
    assert_int_equal(tag.congestion, 3);
    t.lb->forward(t.cfg, t.state, 0, &t.sw, 1, 390625 * 3, &tag);
    assert_int_equal(tag.congestion, 5);
    test_switch_end(&t);
}

/* A packet from switch 'from' arrives at its last switch on path 'name' with 'level'. */
static void arrive(struct test_switch *t, uint32_t from, uint16_t name, uint8_t level)
{
    struct lb_tag tag = { .name = name, .congestion = level };

    t->lb->leave(t->cfg, t->state, 0, from, true, &tag);
}

/* Feedback that a packet to switch 'to' carries: name << 8 | level, or -1. */
static int read_feedback(struct test_switch *t, uint32_t to)
{
    struct lb_tag tag = { 0 };

    t->lb->enter(t->cfg, t->state, to, &tag);
    return tag.feedback_name ? (tag.feedback_name - 1) << 8 | tag.feedback_congestion : -1;
}

static void enter__sends_changes_first_then_round_robin(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, 1);
    assert_int_equal(read_feedback(&t, 1), -1);
    arrive(&t, 1, 5, 0);                 /* unchanged: heard only */
    arrive(&t, 1, 200, 4);
    arrive(&t, 1, 70, 2);
    arrive(&t, 1, 70, 3);
    arrive(&t, 1, 9, 0);
    assert_int_equal(read_feedback(&t, 2), -1);  /* feedback is per switch */
    assert_int_equal(read_feedback(&t, 1), 70 << 8 | 3);
    assert_int_equal(read_feedback(&t, 1), 200 << 8 | 4);
    assert_int_equal(read_feedback(&t, 1), 5 << 8);
    assert_int_equal(read_feedback(&t, 1), 9 << 8);
    assert_int_equal(read_feedback(&t, 1), -1);
    arrive(&t, 1, 5, 1);
    arrive(&t, 1, 70, 3);
    assert_int_equal(read_feedback(&t, 1), 5 << 8 | 1);
    assert_int_equal(read_feedback(&t, 1), 70 << 8 | 3);
    assert_int_equal(read_feedback(&t, 1), -1);
    test_switch_end(&t);
}

/* A packet from switch 1 arrives with feedback about path 'name' to it. */
static void receive_feedback(struct test_switch *t, uint64_t now_ps, uint16_t name, uint8_t level)
{
    struct lb_tag tag = { .feedback_name = (uint16_t)(name + 1), .feedback_congestion = level };

    t->lb->leave(t->cfg, t->state, now_ps, 1, false, &tag);
}

static void pick__takes_the_least_congested_path(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, 1);
    for (uint16_t i = 0; i < TEST_PORTS; i++)
        receive_feedback(&t, 0, i, i == 6 ? 1 : 2);
    for (uint32_t flow = 0; flow < 50; flow++) {
        t.packet.ports = 100 + flow;
        assert_int_equal(test_switch_pick(&t, 1), 6);
        assert_int_equal(t.tag.name, 6);
    }
    t.packet.to = 2;             /* no feedback about paths to another switch: all are equal */
    t.packet.bytes = 0;
    for (uint32_t flow = 0, others = 0; flow < 50; flow++) {
        t.packet.ports = 200 + flow;
        others += test_switch_pick(&t, 1) != 6;
        if (flow == 49)
            assert_true(others > 20);
    }
    test_switch_end(&t);
}

/* The higher of the local level and the feedback counts. */
static void pick__includes_local_load(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, 1);
    t.packet.choices = t.packet.ways = 2;
    forward(&t, 0, 0, 390625 * 4);
    receive_feedback(&t, 0, 1, 3);
    assert_int_equal(test_switch_pick(&t, 1), 1);
    receive_feedback(&t, 0, 1, 5);
    t.packet.ports = 77;
    assert_int_equal(test_switch_pick(&t, 1), 0);
    test_switch_end(&t);
}

static void pick__is_uniform_among_equals(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 };
    struct test_switch t;

    (void)unused;
    for (uint64_t seed = 1; seed <= 8000; seed++) {
        start(&t, seed);
        hits[test_switch_pick(&t, 1)]++;
        test_switch_end(&t);
    }
    assert_true(test_chi_square(hits, TEST_PORTS, 8000) < CHI_SQUARE_7_MAX);
}

/* A flowlet keeps its path despite feedback. The next one moves only to a better path. */
static void pick__moves_flowlets_for_a_better_path(void **unused)
{
    uint64_t timeout_ps = 100 * PS_PER_US + 1;   /* longer than the timeout */
    struct test_switch t;
    uint32_t path, next;

    (void)unused;
    start(&t, 1);
    t.packet.bytes = 0;
    path = test_switch_pick(&t, 0);
    receive_feedback(&t, 0, (uint16_t)path, 7);
    assert_int_equal(test_switch_pick(&t, timeout_ps - 1), path);
    assert_false(t.packet.is_flowlet);
    receive_feedback(&t, timeout_ps, (uint16_t)path, 7);
    next = test_switch_pick(&t, 2 * timeout_ps);
    assert_true(t.packet.is_flowlet && t.packet.is_reroute && next != path);
    for (uint64_t i = 3; i < 20; i++) {          /* equal paths do not cause a move */
        assert_int_equal(test_switch_pick(&t, i * timeout_ps), next);
        assert_true(t.packet.is_flowlet && !t.packet.is_reroute);
    }
    test_switch_end(&t);
}

static void pick__expires_feedback(void **unused)
{
    uint64_t ageing_ps = 500 * PS_PER_US;
    struct test_switch t;

    (void)unused;
    start(&t, 1);
    t.packet.choices = t.packet.ways = 2;
    t.packet.bytes = 0;
    receive_feedback(&t, 1000, 0, 1);
    receive_feedback(&t, 1000 + PS_PER_US, 1, 4);
    assert_int_equal(test_switch_pick(&t, 1000 + ageing_ps - 1), 0);
    t.packet.ports = 4;
    receive_feedback(&t, 1000 + ageing_ps, 0, 1);
    assert_int_equal(test_switch_pick(&t, 1000 + ageing_ps + PS_PER_US), 1);
    test_switch_end(&t);
}

/* Two switches: the level of a path between them returns to the first with an ACK. */
static void feedback__returns_to_the_first_switch(void **unused)
{
    struct test_switch a, b;
    struct lb_tag data = { 0 }, ack = { 0 };
    uint32_t path;

    (void)unused;
    start(&a, 1);
    start(&b, 2);
    a.packet.tag = &data;
    path = test_switch_pick(&a, 1);                              /* at a = switch 0, to b = switch 1 */
    b.lb->forward(b.cfg, b.state, 1, &b.sw, 4, 390625 * 6, &data);       /* a congested switch in between */
    b.lb->leave(b.cfg, b.state, 1, 0, true, &data);
    b.lb->enter(b.cfg, b.state, 0, &ack);
    assert_int_equal(ack.feedback_name, path + 1);
    assert_int_equal(ack.feedback_congestion, 6);
    a.lb->leave(a.cfg, a.state, 2, 1, false, &ack);
    for (uint32_t flow = 0; flow < 100; flow++) {
        a.packet.ports = 50 + flow;
        assert_int_not_equal(test_switch_pick(&a, 3), path);
    }
    test_switch_end(&a);
    test_switch_end(&b);
}

/* The number of paths changes with links, and may exceed the names and the compared paths. */
static void pick__uses_remaining_paths(void **unused)
{
    static const uint32_t paths[] = { 8, 65536, 1, 300, 16, 17, 3 };
    struct test_switch t;

    (void)unused;
    start(&t, 1);
    for (uint32_t i = 0; i < 7000; i++) {
        t.packet.choices = paths[i % 7];
        t.packet.ways = t.packet.choices < TEST_PORTS ? t.packet.choices : TEST_PORTS;
        t.packet.ports = i % 3;
        assert_true(test_switch_pick(&t, i * 30 * PS_PER_US) < t.packet.choices);
        assert_true(t.tag.name < CONGA_NAMES);
    }
    test_switch_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward__measures_a_steady_rate),
        cmocka_unit_test(forward__rises_by_the_closed_form),
        cmocka_unit_test(forward__counts_levels),
        cmocka_unit_test(forward__decays_by_the_period),
        cmocka_unit_test(forward__keeps_the_worst),
        cmocka_unit_test(enter__sends_changes_first_then_round_robin),
        cmocka_unit_test(pick__takes_the_least_congested_path),
        cmocka_unit_test(pick__includes_local_load),
        cmocka_unit_test(pick__is_uniform_among_equals),
        cmocka_unit_test(pick__moves_flowlets_for_a_better_path),
        cmocka_unit_test(pick__expires_feedback),
        cmocka_unit_test(feedback__returns_to_the_first_switch),
        cmocka_unit_test(pick__uses_remaining_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
