/* src/tune/rehearse/traffic/traffic_memory_test.c */
#include "tune/rehearse/traffic/traffic_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct traffic_model at(double gbps)
{
    return (struct traffic_model){ .bps_per_host = gbps * 1e9 };
}

static struct knobs setting(double kmin)
{
    struct knobs k;

    knobs_init(&k);
    k.value[KNOB_kmin] = kmin;
    return k;
}

static void recall__what_is_alike_and_nothing_else(void **state)
{
    struct memories      m = { 0 };
    struct traffic_model ten = at(10), eleven = at(11), thirty = at(30);
    struct knobs         k = setting(100);

    (void)state;
    assert_null(memory_recall(&m, &ten));
    memory_add(&m, &ten, &k, false);
    assert_non_null(memory_recall(&m, &eleven));
    assert_true(memory_recall(&m, &eleven)->knobs.value[KNOB_kmin] == 100);
    assert_null(memory_recall(&m, &thirty));
}

static void add__the_same_traffic_takes_the_same_place(void **state)
{
    struct memories      m = { 0 };
    struct traffic_model ten = at(10);
    struct knobs         k = setting(100), other = setting(50), good[MEMORIES];

    (void)state;
    memory_add(&m, &ten, &k, false);
    assert_int_equal(memory_good(&m, good), 1);
    memory_add(&m, &ten, &other, true);
    assert_int_equal(m.made, 1);
    assert_true(memory_recall(&m, &ten)->is_bad);
    assert_int_equal(memory_good(&m, good), 0);
}

/* Loads that are twice as high each are all different: the ninth takes the place of the first. */
static void add__the_oldest_goes(void **state)
{
    struct memories      m = { 0 };
    struct traffic_model first = at(0.1), last = at(0.1 * 256);
    struct knobs         k = setting(100), good[MEMORIES];

    (void)state;
    for (uint32_t i = 0; i <= MEMORIES; i++) {
        struct traffic_model model = at(0.1 * (double)(1u << i));

        memory_add(&m, &model, &k, false);
    }
    assert_null(memory_recall(&m, &first));
    assert_non_null(memory_recall(&m, &last));
    assert_int_equal(memory_good(&m, good), MEMORIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recall__what_is_alike_and_nothing_else),
        cmocka_unit_test(add__the_same_traffic_takes_the_same_place),
        cmocka_unit_test(add__the_oldest_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
