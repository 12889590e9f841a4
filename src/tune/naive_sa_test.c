#include "tune/test_report.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct tuner_algo tuner_naive_sa;

static int intervals_of_a_search(const struct test_option *option)
{
    struct world world = test_world(3);
    struct knobs knobs = world.start;
    struct test_net net;
    struct tuner tuner;
    struct tuner_note note;
    int searching = 0;

    assert_int_equal(0, test_open(&tuner, &tuner_naive_sa, &world, option, NULL));
    while (!tuner_naive_sa.is_idle(tuner.state)) {
        tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.9), &knobs, &note);
        searching += note.phase == TUNER_SEARCH;
    }
    tuner_close(&tuner);
    return searching;
}

#define AT_ONCE { "settle", "0" }, { "measure", "1" }

/* The last temperature above 1 is 100 * 0.95^89 = 1.04. The start counts as a setting because it is outside
 * the space. */
static void search__takes_900_settings_or_its_budget(void **unused)
{
    (void)unused;
    assert_int_equal(900, intervals_of_a_search(TEST_OPTIONS(AT_ONCE)));
    assert_int_equal(280, intervals_of_a_search(TEST_OPTIONS(AT_ONCE, { "budget", "280" })));
    assert_int_equal(900 * (1 + 3), intervals_of_a_search(TEST_NO_OPTIONS));
}

/* Nearly all flows are elephants, which need a short timer. The search is not guided, so the timer goes
 * both ways: the mean of the first step, 25 to 50 us, is near 0 over all seeds. A step has a standard
 * deviation of 38 us; a guided one would have a mean of -22. */
static void search__is_not_guided(void **unused)
{
    double sum = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct world world = test_world(seed);
        struct knobs knobs = world.start;
        struct test_net net;
        struct tuner tuner;
        struct tuner_note note;

        assert_int_equal(0, test_open(&tuner, &tuner_naive_sa, &world,
                                      TEST_OPTIONS({ "trigger", "once" }, { "measure", "1" },
                                                   { "space", "artifact" }), NULL));
        tuner_step(&tuner, test_report(&net, 0.5, 0.5, 1, 0.95), &knobs, &note);
        sum += knobs.value[KNOB_rpg_time_reset] - 300;
        tuner_close(&tuner);
    }
    assert_true(fabs(sum / 200) < 4 * 38 / sqrt(200));
    assert_true(sum != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search__takes_900_settings_or_its_budget),
        cmocka_unit_test(search__is_not_guided),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
