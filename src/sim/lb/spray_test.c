#include "sim/lb/test_switch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void start(struct test_switch *t, double mode, uint64_t seed)
{
    knobs_init(&t->knobs);
    t->knobs.value[KNOB_spray_mode] = mode;
    test_switch_start(t, "spray", seed);
}

static void pick__is_uniform_at_random(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 };
    struct test_switch t;

    (void)unused;
    start(&t, 0, 1);
    for (int i = 0; i < 80000; i++)
        hits[test_switch_pick(&t, 0)]++;
    assert_true(test_chi_square(hits, TEST_PORTS, 80000) < CHI_SQUARE_7_MAX);
    test_switch_end(&t);
}

static void pick__round_robin(void **unused)
{
    struct test_switch t;
    uint32_t first;

    (void)unused;
    start(&t, 1, 1);
    first = test_switch_pick(&t, 0);
    for (uint32_t i = 1; i < 40; i++)
        assert_int_equal(test_switch_pick(&t, 0), (first + i) % TEST_PORTS);
    test_switch_end(&t);
}

/* Each destination has its own round robin. */
static void pick__round_robin_per_destination(void **unused)
{
    struct test_switch t;
    uint32_t one, two;

    (void)unused;
    start(&t, 1, 1);
    one = test_switch_pick(&t, 0);
    t.packet.to = 2;
    two = test_switch_pick(&t, 0);
    for (uint32_t i = 1; i < 20; i++) {
        t.packet.to = 1;
        assert_int_equal(test_switch_pick(&t, 0), (one + i) % TEST_PORTS);
        t.packet.to = 2;
        assert_int_equal(test_switch_pick(&t, 0), (two + i) % TEST_PORTS);
    }
    test_switch_end(&t);
}

static void pick__starts_at_random(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 };

    (void)unused;
    for (uint64_t seed = 1; seed <= 8000; seed++) {
        struct test_switch t;

        start(&t, 1, seed);
        hits[test_switch_pick(&t, 0)]++;
        test_switch_end(&t);
    }
    assert_true(test_chi_square(hits, TEST_PORTS, 8000) < CHI_SQUARE_7_MAX);
}

/* Links fail and return: the number of next hops varies. */
static void pick__uses_remaining_next_hops(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 }, last = 0;
    struct test_switch t;

    (void)unused;
    start(&t, 0, 3);
    t.packet.ways = 3;
    for (uint32_t i = 0; i < 3000; i++)
        hits[test_switch_pick(&t, 0)]++;
    assert_true(hits[0] + hits[1] + hits[2] == 3000);
    assert_true(test_chi_square(hits, 3, 3000) < CHI_SQUARE_2_MAX);
    test_switch_end(&t);
    start(&t, 1, 3);
    for (uint32_t i = 0; i < 1000; i++) {
        t.packet.ways = 1 + i * 5 % TEST_PORTS;
        uint32_t way = test_switch_pick(&t, 0);
        assert_int_equal(way, i > 0 && last + 1 < t.packet.ways ? last + 1 : 0);
        last = way;
    }
    test_switch_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pick__is_uniform_at_random),
        cmocka_unit_test(pick__round_robin),
        cmocka_unit_test(pick__round_robin_per_destination),
        cmocka_unit_test(pick__starts_at_random),
        cmocka_unit_test(pick__uses_remaining_next_hops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
