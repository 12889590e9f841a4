/* src/tune/raise_test.c - rates are raised before an earlier setting returns: when, and how fast. */
#include "tune/raise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct world world_of_dcqcn(void)
{
    struct world w = { .host_bps = 100000000000 };

    knobs_init(&w.start);
    return w;
}

/* Goes from a trial to 'to'. Returns true if rates are raised first. */
static bool rises(const struct world *w, const struct knobs *trial, const struct knobs *to, struct knobs *now)
{
    struct raise r = { 0 };

    *now = *to;
    raise_begin(&r, w, trial, &w->start, now);
    return r.is_on;
}

/* Rates can rise from 0 to 100 Gb/s within an interval of 1 ms. Then the start is set. */
static void raise__reaches_the_line_rate(void **unused)
{
    struct world      w = world_of_dcqcn();
    struct knobs      trial = w.start, now = w.start;
    struct raise      r = { 0 };
    struct tuner_note note = { 0 };
    double            raises;

    (void)unused;
    trial.value[KNOB_kmin] = 10;
    raise_begin(&r, &w, &trial, &w.start, &now);
    raises = 1000 / now.value[KNOB_rpg_time_reset];
    assert_true(raises * now.value[KNOB_rpg_ai_rate] >= 100000);
    assert_true(now.value[KNOB_kmin] == w.start.value[KNOB_kmin]);
    assert_true(raise_end(&r, &now, &note));
    assert_true(knobs_equal(&now, &w.start));
    assert_false(raise_end(&r, &now, &note));
}

/* Rates are raised only if a trial returns to the start, with DCQCN, on a network that the tuner has run
 * from the beginning. */
static void raise__only_for_returns(void **unused)
{
    struct world           w = world_of_dcqcn();
    struct knobs           trial = w.start, now;

    (void)unused;
    trial.value[KNOB_kmin] = 10;
    assert_true(rises(&w, &trial, &w.start, &now));
    assert_false(rises(&w, &w.start, &w.start, &now));
    assert_false(rises(&w, &w.start, &trial, &now) || !knobs_equal(&now, &trial));
    w.is_in_use = true;
    assert_false(rises(&w, &trial, &w.start, &now) || !knobs_equal(&now, &w.start));
    w.is_in_use = false;
    w.control = "hpcc";
    assert_false(rises(&w, &trial, &w.start, &now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raise__reaches_the_line_rate),
        cmocka_unit_test(raise__only_for_returns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
