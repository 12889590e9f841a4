/* src/tune/rehearse/rehearse_state_test.c - the formula that applies before any traffic was seen. */
#include "tune/rehearse/rehearse_state.h"
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

/* Marking starts at half of the bandwidth-delay product, but not below six packets of 4 KB. Rates scale
 * with the line and timers with the round trip. One cut takes at most a fifth. */
static void floor_make__gentle_scales_with_the_network(void **state)
{
    struct world w;
    struct knobs k;
    struct err   err;

    (void)state;
    for (uint64_t gbps = 25; gbps <= 400; gbps *= 2)
        for (uint64_t rtt = 4; rtt <= 32; rtt *= 2) {
            double bdp_kb = (double)(gbps * rtt) / 8;

            w = world_of(gbps, rtt);
            assert_true(formula_of(FLOOR_GENTLE, &w, &k));
            assert_int_equal(knobs_check(&k, &err), 0);
            assert_true(fabs(k.value[KNOB_kmin] - fmax(24, bdp_kb / 2)) <= 1);
            assert_true(fabs(k.value[KNOB_kmax] - 3 * fmax(24, bdp_kb / 2)) <= 1);
            assert_true(fabs(k.value[KNOB_rpg_ai_rate] - (double)gbps / 1.4) <= 0.5);
            assert_true(fabs(k.value[KNOB_rpg_hai_rate] - 2 * (double)gbps) <= 0.5);
            assert_true(k.value[KNOB_rate_to_set_on_first_cnp] == 700 * (double)gbps);
            assert_true(fabs(k.value[KNOB_rpg_time_reset] - 0.85 * (double)rtt) <= 0.5);
            assert_true(k.value[KNOB_dce_tcp_rtt] == (double)rtt / 4 && k.value[KNOB_rpg_min_dec_fac] == 80);
        }
}

/* 25 Gb/s and 4 us: half of the bandwidth-delay product is six packets of 1 KB, but less than two of 4 KB. */
static void floor_make__gentle_respects_packet_size(void **state)
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
    assert_true(k.value[KNOB_kmin] == 7 && k.value[KNOB_kmax] == 19);        /* BDP: 12.5 KB */
    assert_true(unknown.value[KNOB_kmin] == 24 && unknown.value[KNOB_kmax] == 72);
}

/* One of two hosts has a quarter of the speed. The first cut goes to 1.25 times that speed, rates rise by a
 * quarter of bdp's step, marking starts earlier, and all else about cuts and rises is bdp's. */
static void floor_make__gentle_respects_slow_hosts(void **state)
{
    struct world_device device[] = { { .tier = WORLD_HOSTS }, { .tier = WORLD_HOSTS },
                                     { .tier = WORLD_TORS } };
    struct world_port   port[] = { { .device = 0, .rate_bps = 100000000000 },
                                   { .device = 1, .rate_bps = 25000000000 },
                                   { .device = 2, .rate_bps = 10000000000 } };
    struct world        w = world_of(100, 8);
    struct knobs        even, k, bdp;

    (void)state;
    assert_true(formula_of(FLOOR_GENTLE, &w, &even));
    assert_true(formula_of(FLOOR_BDP, &w, &bdp));
    w.device = device;
    w.port = port;
    w.devices = w.ports = 3;
    assert_true(formula_of(FLOOR_GENTLE, &w, &k));
    assert_true(k.value[KNOB_rate_to_set_on_first_cnp] == 1.25 * 25000);
    assert_true(fabs(k.value[KNOB_rpg_ai_rate] - bdp.value[KNOB_rpg_ai_rate] / 4) <= 0.5);
    assert_true(k.value[KNOB_kmin] == 23 && even.value[KNOB_kmin] == 50);    /* BDP: 100 KB */
    for (enum knob i = KNOB_rpg_gd; i <= KNOB_min_time_between_cnps; i++)
        if (i != KNOB_rate_to_set_on_first_cnp)
            assert_true(k.value[i] == bdp.value[i]);
}

static void floor_make__none_where_it_is_off_or_the_user_has_chosen(void **state)
{
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
    w.control = "hpcc";
    assert_false(formula_of(FLOOR_BDP, &w, &k));
    assert_false(formula_of(FLOOR_GENTLE, &w, &k));
}

/* Only knobs of DCQCN and ECN change. */
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

/* The initial setting can take over only once: a formula that has beaten it stays. */
static void floor_withdraw__the_initial_setting_takes_its_place(void **state)
{
    struct world w = world_of(100, 8);
    struct floor f;
    struct knobs gentle;

    (void)state;
    setting_find("gentle")->make(&gentle, &w);
    floor_make(&f, FLOOR_NONE, &w);
    assert_false(floor_withdraw(&f, &w.start));
    floor_make(&f, FLOOR_GENTLE, &w);
    assert_true(floor_withdraw(&f, &w.start));
    assert_true(floor_is(&f, &w.start) && knobs_equal(&f.other, &gentle));
    floor_swap(&f);
    assert_false(floor_withdraw(&f, &w.start));
    assert_true(floor_is(&f, &gentle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floor_make__bdp_is_the_setting_of_that_name),
        cmocka_unit_test(floor_make__gentle_scales_with_the_network),
        cmocka_unit_test(floor_make__gentle_respects_packet_size),
        cmocka_unit_test(floor_make__gentle_respects_slow_hosts),
        cmocka_unit_test(floor_make__none_where_it_is_off_or_the_user_has_chosen),
        cmocka_unit_test(floor_make__leaves_other_knobs_alone),
        cmocka_unit_test(floor_swap__the_other_formula_takes_its_place),
        cmocka_unit_test(floor_withdraw__the_initial_setting_takes_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
