#include "sim/lb/test_switch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void start(struct test_switch *t, double samples, double memory)
{
    knobs_init(&t->knobs);
    t->knobs.value[KNOB_drill_samples] = samples;
    t->knobs.value[KNOB_drill_memory] = memory;
    test_switch_start(t, "drill", 1);
    for (uint32_t i = 0; i < TEST_PORTS; i++)
        t->port[i].queue_bytes[3] = 1000 + 100 * i;      /* the port number is its rank */
}

static void pick__takes_the_shortest_of_all(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, TEST_PORTS, 0);
    for (uint32_t i = 0; i < 200; i++) {
        t.port[i % TEST_PORTS].queue_bytes[3] = 10;
        assert_int_equal(test_switch_pick(&t, 0), i % TEST_PORTS);
        t.port[i % TEST_PORTS].queue_bytes[3] = 1000;
    }
    test_switch_end(&t);
}

/* Only the queue of the packet's class counts. */
static void pick__compares_queues_of_the_class(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, TEST_PORTS, 0);
    for (uint32_t i = 0; i < TEST_PORTS; i++)
        t.port[i].queue_bytes[5] = 9000 - 100 * i;
    assert_int_equal(test_switch_pick(&t, 0), 0);
    t.packet.prio = 5;
    assert_int_equal(test_switch_pick(&t, 0), TEST_PORTS - 1);
    test_switch_end(&t);
}

/* Two distinct next hops out of n, all pairs equally likely. The r-th shortest queue (from 0) is the shorter
 * one in n - 1 - r of n (n - 1) / 2 pairs. */
static void pick__takes_the_shorter_of_two(void **unused)
{
    enum { DRAWS = 56000 };
    uint32_t hits[TEST_PORTS] = { 0 };
    struct test_switch t;
    double chi = 0;

    (void)unused;
    start(&t, 2, 0);
    for (int i = 0; i < DRAWS; i++)
        hits[test_switch_pick(&t, 0)]++;
    for (uint32_t r = 0; r + 1 < TEST_PORTS; r++) {
        double expected = DRAWS * 2.0 * (TEST_PORTS - 1 - r) / (TEST_PORTS * (TEST_PORTS - 1));

        chi += ((double)hits[r] - expected) * ((double)hits[r] - expected) / expected;
    }
    assert_true(chi < CHI_SQUARE_7_MAX);         /* six degrees of freedom */
    assert_int_equal(hits[TEST_PORTS - 1], 0);
    test_switch_end(&t);
}

/* With one sample and one memory and constant queues, the choice only improves and stays at the best. */
static void pick__remembers_the_best(void **unused)
{
    struct test_switch t;
    uint32_t last = TEST_PORTS;

    (void)unused;
    start(&t, 1, 1);
    for (int i = 0; i < 500; i++) {
        uint32_t way = test_switch_pick(&t, 0);

        assert_true(way <= last);
        last = way;
    }
    assert_int_equal(last, 0);
    test_switch_end(&t);
}

/* Memory is per destination: for a new one, the sample alone decides. */
static void pick__remembers_by_destination(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 };
    struct test_switch t;

    (void)unused;
    for (uint64_t seed = 1; seed <= 800; seed++) {
        start(&t, 1, 1);
        rng_init(&t.rng, seed, 1);
        for (int i = 0; i < 50; i++)
            test_switch_pick(&t, 0);
        t.packet.to = 2;
        hits[test_switch_pick(&t, 0)]++;
        test_switch_end(&t);
    }
    assert_true(test_chi_square(hits, TEST_PORTS, 800) < CHI_SQUARE_7_MAX);
}

static void pick__zero_memory(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 };
    struct test_switch t;

    (void)unused;
    start(&t, 1, 0);
    for (int i = 0; i < 80000; i++)
        hits[test_switch_pick(&t, 0)]++;
    assert_true(test_chi_square(hits, TEST_PORTS, 80000) < CHI_SQUARE_7_MAX);
    test_switch_end(&t);
}

/* With empty queues no next hop is preferred, remembered or not. */
static void pick__is_uniform_when_idle(void **unused)
{
    uint32_t hits[TEST_PORTS] = { 0 };
    struct test_switch t;

    (void)unused;
    start(&t, 2, 1);
    for (uint32_t i = 0; i < TEST_PORTS; i++)
        t.port[i].queue_bytes[3] = 0;
    for (int i = 0; i < 80000; i++)
        hits[test_switch_pick(&t, 0)]++;
    assert_true(test_chi_square(hits, TEST_PORTS, 80000) < CHI_SQUARE_7_MAX);
    test_switch_end(&t);
}

static void pick__uses_remaining_next_hops(void **unused)
{
    struct test_switch t;

    (void)unused;
    start(&t, 16, 8);
    for (uint32_t i = 0; i < 1000; i++) {
        t.packet.ways = 1 + i * 5 % TEST_PORTS;
        assert_true(test_switch_pick(&t, 0) < t.packet.ways);
    }
    test_switch_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pick__takes_the_shortest_of_all),
        cmocka_unit_test(pick__compares_queues_of_the_class),
        cmocka_unit_test(pick__takes_the_shorter_of_two),
        cmocka_unit_test(pick__remembers_the_best),
        cmocka_unit_test(pick__remembers_by_destination),
        cmocka_unit_test(pick__zero_memory),
        cmocka_unit_test(pick__is_uniform_when_idle),
        cmocka_unit_test(pick__uses_remaining_next_hops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
