#include "live/core/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

static struct knob_set set_of(enum knob knob, double value)
{
    struct knob_set set = { 0 };

    knob_set_add(&set, knob, value);
    return set;
}

static void check__bounds_and_steps(void **unused)
{
    /* kmin of 100 .. 1100 KB: a quarter of the range is 250. */
    static const struct { double from, to; bool is_fine; } row[] = {
        { 400, 800, true },      /* twice */
        { 400, 650, true },      /* a quarter of the range */
        { 200, 450, true },      /* more than twice, but a quarter */
        { 400, 801, false },     /* neither */
        { 900, 449, false }, { 900, 450, true },
        { 400, 99, false }, { 1000, 1101, false }, { 400, NAN, false },
        { 50, 50, true },        /* an existing value may stay, wherever it is */
    };
    struct limits l;
    struct err    err;

    (void)unused;
    limits_init(&l);
    l.min[KNOB_kmin] = 100;
    l.max[KNOB_kmin] = 1100;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct knob_set from = set_of(KNOB_kmin, row[i].from), to = set_of(KNOB_kmin, row[i].to);

        assert_int_equal(limits_check(&l, &from, &to, &err) == 0, row[i].is_fine);
    }
}

static void check__no_knob_crosses_its_range_in_one_step(void **unused)
{
    static const struct { enum knob knob; double from, to; bool is_fine; } row[] = {
        { KNOB_rpg_ai_rate, 5, 32000, false }, { KNOB_rpg_ai_rate, 5, 1005, true },
        { KNOB_rpg_ai_rate, 5, 1006, false },
        { KNOB_rpg_ai_rate, 2000, 4000, true },  /* twice */
        { KNOB_rpg_time_reset, 300, 20000, false }, { KNOB_rpg_time_reset, 300, 15, true },
        { KNOB_min_time_between_cnps, 4, 30000, false }, { KNOB_kmin, 400, 20000, false },
        { KNOB_pmax, 0.2, 0.46, false },
        /* presets, starting at the defaults of NICs and switches: expert, and bdp and hpcc at 400 Gb/s */
        { KNOB_rate_reduce_monitor_period, 4, 80, true }, { KNOB_min_time_between_cnps, 4, 96, true },
        { KNOB_kmin, 400, 1600, true }, { KNOB_kmax, 1600, 6400, true }, { KNOB_rpg_hai_rate, 50, 800, true },
        { KNOB_rate_to_set_on_first_cnp, 0, 200000, true }, { KNOB_rpg_min_rate, 1, 1600, true },
        /* 0 means automatic, in simulations only; but a device may keep a 0 */
        { KNOB_nscc_target_delay, 9, 0, false }, { KNOB_nscc_target_delay, 9, 1, true },
        { KNOB_nscc_target_delay, 0, 0, true }, { KNOB_nscc_max_cwnd, 100, 0, false },
        { KNOB_nscc_fi, 5, 0, true }, { KNOB_nscc_gamma, 0.8, 1, true },
        { KNOB_nscc_disable_qa, 0, 1, false },
    };
    struct limits l;
    struct err    err;

    (void)unused;
    limits_init(&l);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct knob_set from = set_of(row[i].knob, row[i].from), to = set_of(row[i].knob, row[i].to);

        assert_int_equal(limits_check(&l, &from, &to, &err) == 0, row[i].is_fine);
    }
    for (int i = 0; i < KNOB_COUNT; i++)         /* nor from default to far end */
        if (l.may_set[i] && knob_info[i].max > 2 * knob_info[i].initial) {
            struct knob_set from = set_of((enum knob)i, knob_info[i].initial),
                            to = set_of((enum knob)i, knob_info[i].max);

            assert_true(limits_check(&l, &from, &to, &err) != 0);
        }
}

/* Limits are those of the rows; what no agent may set has no other row to say so. */
static void init__follows_the_rows(void **unused)
{
    struct limits l;
    int           allowed = 0;

    (void)unused;
    limits_init(&l);
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];

        assert_int_equal(l.may_set[i], k->live.is_allowed);
        assert_true(l.max[i] == k->max && l.min[i] == (k->live.is_not_0 ? k->step : k->min));
        assert_true(l.step_max[i] == (k->live.step > 0 ? k->live.step : 20 * k->step));
        /* an agent never sets what a simulation makes of 0 */
        assert_false(k->live.is_not_0 && (k->initial != 0 || !k->live.is_allowed));
        allowed += l.may_set[i];
    }
    assert_true(allowed >= 27 && l.step_max[KNOB_rate_to_set_on_first_cnp] == 200000);
    /* documents disagree on its meaning; the operator's; a switch on and off */
    assert_false(l.may_set[KNOB_dce_tcp_g] || l.may_set[KNOB_cnp_802p_prio] || l.may_set[KNOB_cnp_dscp] ||
                 l.may_set[KNOB_clamp_tgt_rate] || l.may_set[KNOB_nscc_disable_qa]);
}

static void check__refuses_missing_and_forbidden_knobs(void **unused)
{
    struct limits   l;
    struct err      err;
    struct knob_set from = set_of(KNOB_kmin, 400), to = set_of(KNOB_kmax, 1600);

    (void)unused;
    limits_init(&l);
    assert_int_equal(limits_check(&l, &from, &to, &err), -ENOENT);
    knob_set_add(&from, KNOB_kmax, 500);
    to = set_of(KNOB_kmin, 600);
    assert_int_equal(limits_check(&l, &from, &to, &err), -EINVAL);
    assert_string_equal(err.text, "kmin would be above kmax");
    from = set_of(KNOB_dce_tcp_g, 1019);
    to = set_of(KNOB_dce_tcp_g, 1018);
    assert_int_equal(limits_check(&l, &from, &to, &err), -EPERM);
}

static void budget__refills_over_a_day(void **unused)
{
    struct budget b = { .per_day = 24, .left = 24 };
    uint64_t      hour_us = 3600000000ull;

    (void)unused;
    for (int i = 0; i < 24; i++) {
        assert_true(budget_has(&b, 0));
        budget_take(&b, 0);
    }
    assert_false(budget_has(&b, 0));
    assert_false(budget_has(&b, hour_us - 1000000));
    assert_true(budget_has(&b, hour_us + 1000000));
    budget_take(&b, hour_us + 1000000);
    assert_false(budget_has(&b, hour_us + 1000000));
    assert_true(budget_has(&b, 1000 * hour_us));
    assert_true(b.left <= 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__bounds_and_steps),
        cmocka_unit_test(check__no_knob_crosses_its_range_in_one_step),
        cmocka_unit_test(init__follows_the_rows),
        cmocka_unit_test(check__refuses_missing_and_forbidden_knobs),
        cmocka_unit_test(budget__refills_over_a_day),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
