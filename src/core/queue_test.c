/* src/core/queue_test.c - thresholds of one queue. */
#include "core/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void of_knobs__are_bytes(void **state)
{
    struct knobs k;
    struct ecn   e;

    (void)state;
    knobs_init(&k);
    e = ecn_of_knobs(&k);
    assert_true(e.kmin_bytes == 400000 && e.kmax_bytes == 1600000 && e.pmax == 0.2);
}

/* On a queue with 10, 40 KB and 0.5: named values are set, and the other threshold is adjusted if
 * necessary. */
static void put__sets_named_values_and_adjusts_the_other_threshold(void **state)
{
    static const struct { enum knob knob; double value; struct ecn want; } rows[] = {
        { KNOB_pmax, 0.1, { 10000, 40000, 0.1 } },
        { KNOB_kmin, 20, { 20000, 40000, 0.5 } },
        { KNOB_kmin, 50, { 50000, 50000, 0.5 } },
        { KNOB_kmax, 30, { 10000, 30000, 0.5 } },
        { KNOB_kmax, 5, { 5000, 5000, 0.5 } },
        { KNOB_rpg_gd, 5, { 10000, 40000, 0.5 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ecn      e = { 10000, 40000, 0.5 };
        struct knob_set set = { 0 };

        knob_set_add(&set, rows[i].knob, rows[i].value);
        ecn_put(&set, &e);
        assert_true(ecn_equal(&e, &rows[i].want));
    }
}

static void equal__compares_all_three(void **state)
{
    struct ecn a = { 1, 2, 0.5 }, b[] = { { 0, 2, 0.5 }, { 1, 3, 0.5 }, { 1, 2, 0.6 } };

    (void)state;
    assert_true(ecn_equal(&a, &a));
    for (int i = 0; i < 3; i++)
        assert_false(ecn_equal(&a, &b[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_knobs__are_bytes),
        cmocka_unit_test(put__sets_named_values_and_adjusts_the_other_threshold),
        cmocka_unit_test(equal__compares_all_three),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
