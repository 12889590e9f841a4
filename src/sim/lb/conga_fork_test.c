#include "core/units.h"
#include "sim/lb/conga.h"
#include "sim/lb/test_switch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define TDRE_PS   (50 * PS_PER_US)       /* defaults of the knobs */
#define AGEING_PS (500 * PS_PER_US)
#define LEVEL     390625u                /* bytes of one level: an eighth of 50 us x 100 Gb/s / 0.2 */
#define START_PS  (7 * PS_PER_US)        /* periods start at the first packet, not at 0 */

static void start(struct test_switch *t)
{
    knobs_init(&t->knobs);
    t->knobs.value[KNOB_flowlet_table] = 1024;
    test_switch_start_with(t, &lb_conga_fork, 1);
}

static uint32_t forward(struct test_switch *t, uint64_t now_ps, uint32_t port, uint32_t bytes)
{
    struct lb_tag tag = { 0 };

    t->lb->forward(t->cfg, t->state, now_ps, &t->sw, port, bytes, &tag);
    return tag.congestion;
}

static void forward__counts_periods_from_the_first_packet(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t);
    t.lb->stay(t.state, START_PS);
    assert_int_equal(forward(&t, START_PS + 1, 1, 5 * LEVEL), 5);
    assert_int_equal(forward(&t, START_PS + TDRE_PS - 1, 1, 0), 5);
    assert_int_equal(forward(&t, START_PS + TDRE_PS, 1, 0), 4);
    test_switch_end(&t);
}

/* 390629 x 0.8 = 312503.2. Adding 78122 stays just below one level if truncated, and exceeds it otherwise. */
static void forward__truncates_each_period(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t);
    forward(&t, START_PS, 1, 390629);
    assert_int_equal(forward(&t, START_PS + TDRE_PS, 1, 78121), 0);
    assert_int_equal(forward(&t, START_PS + TDRE_PS, 1, 1), 1);
    test_switch_end(&t);
}

static void forward__has_no_highest_level(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t);
    assert_int_equal(forward(&t, START_PS, 1, 20 * LEVEL), 20);
    test_switch_end(&t);
}

/* A packet from switch 1 arrives on path 'name'. It carries feedback: path 'reported' to switch 1 has
 * 'level'. */
static void arrive(struct test_switch *t, uint64_t now_ps, uint16_t name, uint16_t reported, uint8_t level)
{
    struct lb_tag tag = {
        .name = name, .congestion = 1, .feedback_name = (uint16_t)(reported + 1), .feedback_congestion = level
    };

    t->lb->leave(t->cfg, t->state, now_ps, 1, true, &tag);
}

/* Seven of eight paths are reported as loaded. The free one is taken whenever it is among the four compared,
 * which start at one of five positions. Path 0 is among them in one of five cases. */
static void pick__compares_four_consecutive_paths(void **unused)
{
    struct test_switch t;
    uint32_t free = 0, runs = 5000;

    (void)unused;
    start(&t);
    for (uint16_t path = 1; path < 8; path++)
        arrive(&t, START_PS, 0, path, 3);
    for (uint32_t i = 0; i < runs; i++) {
        t.packet.ports = i;
        t.packet.bytes = 0;
        t.tag = (struct lb_tag){ 0 };
        free += test_switch_pick(&t, START_PS) == 0;
    }
    assert_in_range(free, runs / 5 - 4 * 29, runs / 5 + 4 * 29);         /* four standard deviations */
    test_switch_end(&t);
}

/* Expiry checks run every 500 us from the first packet. An entry made just after a check is 1 ps too young
 * for the next one and expires at the one after. */
static void pick__expires_feedback_at_checks(void **unused)
{
    static const struct { uint64_t after_ps; bool has_feedback; } rows[] = {
        { AGEING_PS + 1, true }, { 2 * AGEING_PS - 1, true }, { 2 * AGEING_PS, false },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_switch t;

        start(&t);
        t.lb->stay(t.state, START_PS);
        arrive(&t, START_PS + 1, 5, 0, 0);
        t.tag = (struct lb_tag){ 0 };
        test_switch_pick(&t, START_PS + rows[i].after_ps);
        assert_int_equal(t.tag.feedback_name, rows[i].has_feedback ? 6 : 0);
        test_switch_end(&t);
    }
}

/* Feedback is repeated if there is no other. */
static void pick__repeats_feedback(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t);
    arrive(&t, START_PS, 5, 0, 0);
    for (int i = 0; i < 3; i++) {
        t.tag = (struct lb_tag){ 0 };
        test_switch_pick(&t, START_PS + 1);
        assert_int_equal(t.tag.feedback_name, 6);
        assert_int_equal(t.tag.feedback_congestion, 1);
    }
    test_switch_end(&t);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward__counts_periods_from_the_first_packet),
        cmocka_unit_test(forward__truncates_each_period),
        cmocka_unit_test(forward__has_no_highest_level),
        cmocka_unit_test(pick__compares_four_consecutive_paths),
        cmocka_unit_test(pick__expires_feedback_at_checks),
        cmocka_unit_test(pick__repeats_feedback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
