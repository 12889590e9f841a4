#include "core/units.h"
#include "sim/lb/test_switch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TIMEOUT_PS (100 * PS_PER_US)     /* default of the knob */

static void start(struct test_switch *t, double per_hop)
{
    knobs_init(&t->knobs);
    t->knobs.value[KNOB_flowlet_per_hop] = per_hop;
    test_switch_start(t, "letflow", 1);
}

static void pick__is_uniform_over_paths(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 };
    struct test_switch t;

    (void)unused;
    start(&t, 0);
    for (uint64_t i = 0; i < 80000; i++)
        hits[test_switch_pick(&t, i * (TIMEOUT_PS + 1))]++;
    assert_true(test_chi_square(hits, TEST_PORTS, 80000) < CHI_SQUARE_7_MAX);
    test_switch_end(&t);
}

static void pick__keeps_a_flowlet_together(void **unused)
{
    struct test_switch t;
    uint32_t path;

    (void)unused;
    start(&t, 0);
    path = test_switch_pick(&t, 0);
    for (uint64_t i = 1; i < 100; i++) {
        assert_int_equal(test_switch_pick(&t, i * (TIMEOUT_PS - 1)), path);
        assert_false(t.packet.is_flowlet || t.packet.is_reroute);
    }
    test_switch_end(&t);
}

/* Seven of eight flowlets change paths: Binomial(8000, 7/8), standard deviation 30. The first packet of a
 * flow does not count as a flowlet, because it follows no gap. */
static void pick__reports_flowlets_and_reroutes(void **unused)
{
    uint32_t flowlets = 0, reroutes = 0, last, path;
    struct test_switch t;

    (void)unused;
    start(&t, 0);
    last = test_switch_pick(&t, 0);
    assert_false(t.packet.is_flowlet || t.packet.is_reroute);
    for (uint64_t i = 1; i <= 8000; i++) {
        path = test_switch_pick(&t, i * (TIMEOUT_PS + 1));
        assert_int_equal(t.packet.is_reroute, path != last);
        flowlets += t.packet.is_flowlet;
        reroutes += t.packet.is_reroute;
        last = path;
    }
    assert_int_equal(flowlets, 8000);
    assert_in_range(reroutes, 7000 - 150, 7000 + 150);
    test_switch_end(&t);
}

/* Every other packet continues a flowlet after links have failed. */
static void pick__uses_remaining_paths(void **unused)
{
    struct test_switch t;

    (void)unused;
    for (int per_hop = 0; per_hop < 2; per_hop++) {
        start(&t, per_hop);
        assert_int_equal(t.lb->scope(t.cfg), per_hop ? LB_HOP : LB_PATH);
        for (uint32_t i = 0; i < 1000; i++) {
            t.packet.ways = i % 2 ? 1 + i * 5 % TEST_PORTS : TEST_PORTS;
            t.packet.choices = per_hop ? t.packet.ways : 3 * t.packet.ways;
            assert_true(test_switch_pick(&t, i / 2 * (TIMEOUT_PS + 2) + i % 2) < t.packet.choices);
        }
        test_switch_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pick__is_uniform_over_paths),
        cmocka_unit_test(pick__keeps_a_flowlet_together),
        cmocka_unit_test(pick__reports_flowlets_and_reroutes),
        cmocka_unit_test(pick__uses_remaining_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
