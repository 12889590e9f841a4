/* src/sim/lb/adaptive_test.c - adaptive routing: the shortest queue, round robin among equal ones, and stable
 * flowlets. */
#include "sim/lb/test_switch.h"

#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void start(struct test_switch *t, double step_kb, bool by_flowlet)
{
    knobs_init(&t->knobs);
    t->knobs.value[KNOB_adaptive_step] = step_kb;
    t->knobs.value[KNOB_adaptive_flowlet] = by_flowlet;
    test_switch_start(t, "adaptive", 1);
}

/* All queues are empty: round robin. */
static void pick__round_robin_among_equal_queues(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, 2, false);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(test_switch_pick(&t, i), i % TEST_PORTS);
    test_switch_end(&t);
}

/* 30 KB at 400 Gb/s take less time than 20 KB at 100. Differences below a step do not count. */
static void pick__takes_the_shortest_drain_time(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, 2, false);
    for (uint32_t i = 0; i < TEST_PORTS; i++)
        t.port[i].queue_bytes[3] = 20000;
    t.port[5].queue_bytes[3] = 30000;
    t.port[5].rate_bps = 400000000000ull;
    assert_int_equal(test_switch_pick(&t, 1), 5);
    t.port[2].queue_bytes[3] = 1999;
    assert_int_equal(test_switch_pick(&t, 2), 2);
    t.port[6].queue_bytes[3] = 1000;
    assert_int_equal(test_switch_pick(&t, 3), 6);    /* the same step as port 2, and next in the round
                                                      * robin */
    test_switch_end(&t);
}

static void pick__keeps_a_flowlet(void **unused)
{
    struct test_switch t;
    uint32_t           way;

    (void)unused;
    start(&t, 2, true);
    way = test_switch_pick(&t, PS_PER_US);
    t.port[way].queue_bytes[3] = 100000;
    assert_int_equal(test_switch_pick(&t, 50 * PS_PER_US), way);
    assert_int_not_equal(test_switch_pick(&t, 500 * PS_PER_US), way);
    assert_true(t.packet.is_flowlet && t.packet.is_reroute);
    test_switch_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pick__round_robin_among_equal_queues),
        cmocka_unit_test(pick__takes_the_shortest_drain_time),
        cmocka_unit_test(pick__keeps_a_flowlet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
