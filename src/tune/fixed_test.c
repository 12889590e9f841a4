#include "tune/test_report.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct tuner_algo tuner_fixed;

static void step__sets_it_once_and_keeps_it(void **unused)
{
    struct world world = test_world(1);
    struct knobs knobs = world.start, best, first = world.start;
    struct test_net net;
    struct tuner tuner;
    struct tuner_note note;

    (void)unused;
    assert_int_equal(0, test_open(&tuner, &tuner_fixed, &world,
                                  TEST_OPTIONS({ "setting", "expert" }), NULL));
    tuner_fixed.best(tuner.state, &best);
    tuner_first(&tuner, &first);
    assert_memory_equal(&best, &first, sizeof first);
    assert_true(best.value[KNOB_rate_reduce_monitor_period] == 80);
    tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.5), &knobs, &note);
    assert_string_equal("the setting 'expert' is set", note.why);
    assert_memory_equal(&best, &knobs, sizeof knobs);
    tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.5), &knobs, &note);
    assert_string_equal("the setting 'expert' stays", note.why);
    assert_int_equal(TUNER_HOLD, note.phase);
    assert_memory_equal(&best, &knobs, sizeof knobs);
    tuner_close(&tuner);
}

static void create__refuses_unknown_settings(void **unused)
{
    struct world world = test_world(1);
    struct tuner tuner;
    struct err err = { "" };

    (void)unused;
    assert_true(test_open(&tuner, &tuner_fixed, &world,
                          TEST_OPTIONS({ "setting", "hpc" }), &err) < 0);
    assert_string_equal("'hpc' is neither a setting nor a file; did you mean 'hpcc'?", err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__sets_it_once_and_keeps_it),
        cmocka_unit_test(create__refuses_unknown_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
