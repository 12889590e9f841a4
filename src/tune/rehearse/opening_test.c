/* src/tune/rehearse/opening_test.c - what is set before anything was seen. */
#include "tune/rehearse/opening.h"
#include "core/units.h"
#include "tune/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct world world_of(uint64_t gbps, uint64_t rtt_us)
{
    struct world w = { .seed = 1, .host_bps = gbps * 1000000000, .base_rtt_ps = rtt_us * PS_PER_US };

    knobs_init(&w.start);
    return w;
}

static void opening_make__bdp_is_the_setting_of_that_name(void **state)
{
    struct world w = world_of(100, 8);
    struct knobs k, bdp;

    (void)state;
    setting_find("bdp")->make(&bdp, &w);
    assert_true(opening_make(OPENING_BDP, &w, &k));
    assert_true(knobs_equal(&k, &bdp));
}

/* From 25 Gb/s and 4 us to 400 and 32: a whole setting, whose thresholds are the same share of what is under way, to within
 * what they are rounded by. */
static void opening_make__fabric_goes_with_the_network(void **state)
{
    struct world w = world_of(100, 8);
    struct knobs k;
    struct err   err;
    double       share;

    (void)state;
    assert_true(opening_make(OPENING_FABRIC, &w, &k));
    share = k.value[KNOB_kmax] / (100 * 8);
    for (uint64_t gbps = 25; gbps <= 400; gbps *= 2)
        for (uint64_t rtt = 4; rtt <= 32; rtt *= 2) {
            w = world_of(gbps, rtt);
            assert_true(opening_make(OPENING_FABRIC, &w, &k));
            assert_int_equal(knobs_check(&k, &err), 0);
            assert_true(k.value[KNOB_kmax] >= share * (double)(gbps * rtt) - 1 - share * 100 && k.value[KNOB_kmax] <= share * (double)(gbps * rtt) + 1 + share * 100);
            assert_true(k.value[KNOB_rate_to_set_on_first_cnp] <= (double)gbps * 1000);
        }
}

static void opening_make__none_where_it_is_not_wanted_or_somebody_has_chosen(void **state)
{
    static const enum knob others[] = { KNOB_COUNT };
    struct world           w = world_of(100, 8);
    struct knobs           k;

    (void)state;
    assert_false(opening_make(OPENING_NONE, &w, &k));
    w.is_in_use = true;
    assert_false(opening_make(OPENING_BDP, &w, &k));
    w.is_in_use = false;
    w.start.value[KNOB_kmin] = 100;
    assert_false(opening_make(OPENING_BDP, &w, &k));
    assert_false(opening_make(OPENING_FABRIC, &w, &k));
    knobs_init(&w.start);
    w.knobs = others;
    assert_false(opening_make(OPENING_BDP, &w, &k));
    assert_false(opening_make(OPENING_FABRIC, &w, &k));
}

/* What is no knob of DCQCN's or ECN's stays as it was. */
static void opening_make__leaves_other_knobs_alone(void **state)
{
    struct world w = world_of(100, 8);
    struct knobs k;

    (void)state;
    for (int i = KNOB_pmax + 1; i < KNOB_COUNT; i++)
        if (i != KNOB_by_speed)
            w.start.value[i] = knob_info[i].max;
    for (enum opening o = OPENING_BDP; o <= OPENING_FABRIC; o++) {
        assert_true(opening_make(o, &w, &k));
        for (int i = KNOB_pmax + 1; i < KNOB_COUNT; i++)
            assert_true(k.value[i] == w.start.value[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_make__bdp_is_the_setting_of_that_name),
        cmocka_unit_test(opening_make__fabric_goes_with_the_network),
        cmocka_unit_test(opening_make__none_where_it_is_not_wanted_or_somebody_has_chosen),
        cmocka_unit_test(opening_make__leaves_other_knobs_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
