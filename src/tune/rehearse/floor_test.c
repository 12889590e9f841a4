/* src/tune/rehearse/floor_test.c - the formula that applies before anything was seen. */
#include "tune/rehearse/floor.h"
#include "core/units.h"
#include "tune/setting.h"

#include <math.h>
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

/* Returns false if the initial setting stays. */
static bool formula_of(enum floor_formula formula, const struct world *w, struct knobs *k)
{
    struct floor f;

    floor_make(&f, formula, w);
    *k = f.knobs;
    assert_true(f.has_formula == floor_is(&f, k));
    return f.has_formula;
}

static void floor_make__bdp_is_the_setting_of_that_name(void **state)
{
    struct world w = world_of(100, 8);
    struct knobs k, bdp;

    (void)state;
    setting_find("bdp")->make(&bdp, &w);
    assert_true(formula_of(FLOOR_BDP, &w, &k));
    assert_true(knobs_equal(&k, &bdp));
}

/* Marks from a third of what is under way on, and rates whose rise and cuts are in proportion to the line;
 * they rise half as fast where there is room for some packets. The additive rise is an eighth of that.
 * Where a third is less than four packets of 4 KB, marks from six on, and the first of them cuts less. */
static void floor_make__gentle_goes_with_the_network(void **state)
{
    struct world w;
    struct knobs k;
    struct err   err;

    (void)state;
    for (uint64_t gbps = 25; gbps <= 400; gbps *= 2)
        for (uint64_t rtt = 4; rtt <= 32; rtt *= 2) {
            double bdp_kb = (double)(gbps * rtt) / 8, rise;

            w = world_of(gbps, rtt);
            assert_true(formula_of(FLOOR_GENTLE, &w, &k));
            assert_int_equal(knobs_check(&k, &err), 0);
            rise = k.value[KNOB_rpg_hai_rate] / 3.64 / (double)gbps;
            assert_true(fabs(k.value[KNOB_rpg_ai_rate] - fmax(1, rise * (double)gbps / 8)) <= 1);
            assert_true(k.value[KNOB_kmin] >= 16 && k.value[KNOB_kmax] >= 2.5 * k.value[KNOB_kmin]);
            assert_true(bdp_kb < 50 || fabs(k.value[KNOB_kmin] - 0.33 * bdp_kb) <= 2 + 0.03 * bdp_kb);
            assert_true(bdp_kb < 50 || fabs(k.value[KNOB_kmax] - 0.98 * bdp_kb) <= 2 + 0.06 * bdp_kb);
            assert_true(bdp_kb > 45 || k.value[KNOB_kmin] == 24);
            assert_true(bdp_kb < 100 ? rise > 3.5 && rise < 8.5 : gbps < 50 || fabs(rise - 3.535) < 0.1);
            assert_true(bdp_kb > 40 || gbps < 50 || fabs(rise - 7.07) < 0.1);
            assert_true(fabs(k.value[KNOB_rate_to_set_on_first_cnp] / (double)gbps -
                             (bdp_kb < 45 ? 800 : 703)) < 2);
        }
}

/* 25 Gb/s and 4 us: a third of what is under way are four packets of 1 KB, but one of 4 KB. */
static void floor_make__gentle_minds_the_size_of_packets(void **state)
{
    struct world w = world_of(25, 4);
    struct knobs k, unknown;

    (void)state;
    assert_true(formula_of(FLOOR_GENTLE, &w, &unknown));
    w.mtu_bytes = 4096;
    assert_true(formula_of(FLOOR_GENTLE, &w, &k));
    assert_true(knobs_equal(&k, &unknown));
    w.mtu_bytes = 1024;
    assert_true(formula_of(FLOOR_GENTLE, &w, &k));
    assert_true(k.value[KNOB_kmin] >= 4 && k.value[KNOB_kmin] <= 0.4 * 25 * 4);
    assert_true(k.value[KNOB_kmax] < unknown.value[KNOB_kmax]);
    assert_true(k.value[KNOB_rate_to_set_on_first_cnp] < unknown.value[KNOB_rate_to_set_on_first_cnp]);
}

/* One host of four has a quarter of the speed: the first cut is to a quarter of the line and a little, and
 * rates rise by a quarter of 0.7 % of the line at a time. */
static void floor_make__gentle_minds_slow_hosts(void **state)
{
    struct world_device device[] = { { .tier = WORLD_HOSTS }, { .tier = WORLD_HOSTS },
                                     { .tier = WORLD_TORS } };
    struct world_port   port[] = { { .device = 0, .rate_bps = 100000000000 },
                                   { .device = 1, .rate_bps = 25000000000 },
                                   { .device = 2, .rate_bps = 10000000000 } };
    struct world        w = world_of(100, 8);
    struct knobs        even, k;

    (void)state;
    assert_true(formula_of(FLOOR_GENTLE, &w, &even));
    w.device = device;
    w.port = port;
    w.devices = w.ports = 3;
    assert_true(formula_of(FLOOR_GENTLE, &w, &k));
    assert_true(fabs(k.value[KNOB_rate_to_set_on_first_cnp] - 1.25 * 25000) <= 1);
    /* which is half of 0.7 % of the line itself */
    assert_true(fabs(k.value[KNOB_rpg_hai_rate] - even.value[KNOB_rpg_hai_rate] / 2) <= 3);
    assert_true(fabs(k.value[KNOB_rpg_time_reset] - 2 * even.value[KNOB_rpg_time_reset]) <= 1);
    assert_true(k.value[KNOB_kmin] < even.value[KNOB_kmin]);
}

static void floor_make__none_where_it_is_off_or_the_user_has_chosen(void **state)
{
    static const enum knob others[] = { KNOB_COUNT };
    struct world           w = world_of(100, 8);
    struct knobs           k;

    (void)state;
    assert_false(formula_of(FLOOR_NONE, &w, &k));
    w.is_in_use = true;
    assert_false(formula_of(FLOOR_BDP, &w, &k));
    w.is_in_use = false;
    w.start.value[KNOB_kmin] = 100;
    assert_false(formula_of(FLOOR_BDP, &w, &k));
    knobs_init(&w.start);
    w.knobs = others;
    assert_false(formula_of(FLOOR_BDP, &w, &k));
    assert_false(formula_of(FLOOR_GENTLE, &w, &k));
}

/* What is no knob of DCQCN's or ECN's stays as it was. */
static void floor_make__leaves_other_knobs_alone(void **state)
{
    struct world w = world_of(100, 8);
    struct knobs k;

    (void)state;
    for (int i = KNOB_pmax + 1; i < KNOB_COUNT; i++)
        if (i != KNOB_by_speed)
            w.start.value[i] = knob_info[i].max;
    for (enum floor_formula o = FLOOR_BDP; o <= FLOOR_GENTLE; o++) {
        assert_true(formula_of(o, &w, &k));
        for (int i = KNOB_pmax + 1; i < KNOB_COUNT; i++)
            assert_true(k.value[i] == w.start.value[i]);
    }
}

static void floor_swap__the_other_formula_takes_its_place(void **state)
{
    struct world w = world_of(100, 8);
    struct floor f;
    struct knobs bdp, gentle;

    (void)state;
    setting_find("bdp")->make(&bdp, &w);
    setting_find("gentle")->make(&gentle, &w);
    floor_make(&f, FLOOR_GENTLE, &w);
    assert_true(floor_is(&f, &gentle) && knobs_equal(&f.other, &bdp));
    floor_swap(&f);
    assert_true(floor_is(&f, &bdp) && knobs_equal(&f.other, &gentle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floor_make__bdp_is_the_setting_of_that_name),
        cmocka_unit_test(floor_make__gentle_goes_with_the_network),
        cmocka_unit_test(floor_make__gentle_minds_the_size_of_packets),
        cmocka_unit_test(floor_make__gentle_minds_slow_hosts),
        cmocka_unit_test(floor_make__none_where_it_is_off_or_the_user_has_chosen),
        cmocka_unit_test(floor_make__leaves_other_knobs_alone),
        cmocka_unit_test(floor_swap__the_other_formula_takes_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
