#include "core/knobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void info__every_row_is_consistent(void **unused)
{
    (void)unused;
    for (int i = 0; i < KNOB_COUNT; i++) {
        const struct knob_info *k = &knob_info[i];

        assert_true(k->min < k->max && k->initial >= k->min && k->initial <= k->max);
        assert_true(k->step > 0 && k->step <= k->max - k->min);
        assert_true(k->toward >= -1 && k->toward <= 1);
        assert_true(strlen(k->about) > 10);
        assert_string_equal(k->name, knob_names[i]);
        assert_int_equal(i, knob_find(k->name));
    }
    assert_null(knob_names[KNOB_COUNT]);
}

static void find__takes_the_exact_name_only(void **unused)
{
    (void)unused;
    assert_int_equal(KNOB_kmin, knob_find("kmin"));
    assert_int_equal(KNOB_COUNT, knob_find("Kmin"));
    assert_int_equal(KNOB_COUNT, knob_find("kmi"));
    assert_int_equal(KNOB_COUNT, knob_find(""));
}

static void init__sets_the_initial_values(void **unused)
{
    struct knobs k;

    (void)unused;
    knobs_init(&k);
    assert_true(k.value[KNOB_rpg_time_reset] == 300);
    assert_true(k.value[KNOB_dce_tcp_g] == 1019);
    assert_true(k.value[KNOB_pmax] == 0.2);
    assert_int_equal(0, knobs_check(&k, NULL));
}

static void clamp__brings_into_range(void **unused)
{
    struct knobs k;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_kmin] = -5;
    k.value[KNOB_kmax] = 1e9;
    k.value[KNOB_rpg_ai_rate] = 77.5;
    knobs_clamp(&k);
    assert_true(k.value[KNOB_kmin] == 0);
    assert_true(k.value[KNOB_kmax] == 131071);
    assert_true(k.value[KNOB_rpg_ai_rate] == 77.5);
    assert_true(k.value[KNOB_pmax] == 0.2);
}

static void equal__sees_any_knob(void **unused)
{
    struct knobs a, b;

    (void)unused;
    knobs_init(&a);
    for (int i = 0; i < KNOB_COUNT; i++) {
        b = a;
        assert_true(knobs_equal(&a, &b));
        b.value[i] += 1;
        assert_false(knobs_equal(&a, &b));
    }
}

static void parse__reads_plain_numbers_and_units(void **unused)
{
    static const struct { enum knob knob; const char *text; double want; } row[] = {
        { KNOB_rpg_time_reset, "300", 300 }, { KNOB_rpg_time_reset, "300us", 300 },
        { KNOB_rpg_time_reset, "300 us", 300 }, { KNOB_rpg_time_reset, "0.3ms", 300 },
        { KNOB_rpg_time_reset, "1500ns", 1.5 }, { KNOB_rpg_time_reset, "1.5", 1.5 },
        { KNOB_rpg_time_reset, "1e3", 1000 }, { KNOB_min_time_between_cnps, "0", 0 },
        { KNOB_rpg_ai_rate, "5", 5 }, { KNOB_rpg_ai_rate, "5Mbps", 5 }, { KNOB_rpg_ai_rate, "1.5Gbps", 1500 },
        { KNOB_rpg_ai_rate, "40G", 40000 }, { KNOB_rpg_ai_rate, "1500Kb/s", 1.5 },
        { KNOB_rpg_max_rate, "0", 0 }, { KNOB_rpg_max_rate, "400Gbps", 400000 },
        { KNOB_kmin, "100", 100 }, { KNOB_kmin, "100KB", 100 }, { KNOB_kmin, "1.6MB", 1600 },
        { KNOB_kmin, "1KiB", 1.024 }, { KNOB_kmin, "500B", 0.5 }, { KNOB_kmin, "131071", 131071 },
        { KNOB_rpg_byte_reset, "32767", 32767 }, { KNOB_rpg_byte_reset, "64B", 1 },
        { KNOB_rpg_byte_reset, "64KiB", 1024 }, { KNOB_rpg_byte_reset, "128KB", 2000 },
        { KNOB_rpg_byte_reset, "7blocks", 7 }, { KNOB_rpg_byte_reset, "7 blocks", 7 },
        { KNOB_pmax, "0.2", 0.2 }, { KNOB_pmax, "20%", 0.2 }, { KNOB_pmax, "1", 1 }, { KNOB_pmax, "0", 0 },
        { KNOB_rpg_min_dec_fac, "50", 50 }, { KNOB_rpg_min_dec_fac, "7%", 7 },
        { KNOB_rpg_min_dec_fac, "7 %", 7 },
        { KNOB_dce_tcp_g, "1019", 1019 }, { KNOB_dce_tcp_g, "1019/1024", 1019 }, { KNOB_rpg_gd, "11", 11 },
        { KNOB_rpg_threshold, "5", 5 }, { KNOB_rpg_threshold, "5.0", 5 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct err err = { "" };
        double got = -1;

        if (knob_parse(row[i].knob, row[i].text, &got, &err) || fabs(got - row[i].want) > row[i].want * 1e-15)
            fail_msg("'%s': %g, %s", row[i].text, got, err.text);
    }
}

static void parse__refuses_with_name_and_range(void **unused)
{
    static const struct { enum knob knob; const char *text; int rc; const char *why; } row[] = {
        { KNOB_kmin, "200000KB", -ERANGE, "'kmin' must be 0 .. 131071 KB, not 200000KB" },
        { KNOB_kmin, "1GB", -ERANGE, "'kmin' must be 0 .. 131071 KB, not 1GB" },
        { KNOB_kmin, "-1", -ERANGE, "'kmin' must be 0 .. 131071 KB, not -1" },
        { KNOB_kmin, "-1MB", -ERANGE, "'kmin' must be 0 .. 131071 KB, not -1MB" },
        { KNOB_kmin, "5us", -EINVAL, "'kmin' is a size, not '5us'; write 400KB" },
        { KNOB_kmin, "5%", -EINVAL, "'kmin' is a size, not '5%'; write 400KB" },
        { KNOB_kmin, "KB", -EINVAL, "'kmin' is a size, not 'KB'; write 400KB" },
        { KNOB_kmin, "", -EINVAL, "'kmin' is a size, not ''; write 400KB" },
        { KNOB_kmin, "nan", -EINVAL, "'kmin' is a size, not 'nan'; write 400KB" },
        { KNOB_rpg_time_reset, "0", -ERANGE, "'rpg_time_reset' must be 1 .. 131071 us, not 0" },
        { KNOB_rpg_time_reset, "1s", -ERANGE, "'rpg_time_reset' must be 1 .. 131071 us, not 1s" },
        { KNOB_rpg_time_reset, "999999999s", -ERANGE,
          "'rpg_time_reset' must be 1 .. 131071 us, not 999999999s" },
        { KNOB_rpg_ai_rate, "5us", -EINVAL, "'rpg_ai_rate' is a rate, not '5us'; write 40Mbps" },
        { KNOB_rpg_max_rate, "1Tbps", -ERANGE, "'rpg_max_rate' must be 0 .. 800000 Mbps, not 1Tbps" },
        { KNOB_pmax, "120%", -ERANGE, "'pmax' must be 0 .. 1, not 120%" },
        { KNOB_pmax, "0.2KB", -EINVAL, "'pmax' must be 0 .. 1, not 0.2KB" },
        { KNOB_rpg_min_dec_fac, "0.5", -ERANGE,
          "'rpg_min_dec_fac' must be a whole number 1 .. 100%, not 0.5" },
        { KNOB_rpg_min_dec_fac, "50.5%", -EINVAL,
          "'rpg_min_dec_fac' must be a whole number 1 .. 100%, not 50.5%" },
        { KNOB_rpg_min_dec_fac, "50%%", -EINVAL,
          "'rpg_min_dec_fac' must be a whole number 1 .. 100%, not 50%%" },
        { KNOB_rpg_threshold, "1.5", -EINVAL, "'rpg_threshold' must be a whole number 0 .. 31, not 1.5" },
        { KNOB_rpg_threshold, "32", -ERANGE, "'rpg_threshold' must be a whole number 0 .. 31, not 32" },
        { KNOB_rpg_threshold, "100%", -EINVAL, "'rpg_threshold' must be a whole number 0 .. 31, not 100%" },
        { KNOB_dce_tcp_g, "0.5", -EINVAL, "'dce_tcp_g' must be a whole number 0 .. 1023/1024, not 0.5" },
        { KNOB_rpg_gd, "2.5", -EINVAL, "'rpg_gd' must be a whole number 0 .. 15, not 2.5" },
        { KNOB_rpg_byte_reset, "100B", -EINVAL,
          "'rpg_byte_reset' must be a whole number 0 .. 32767 blocks of 64 bytes, not 100B" },
        { KNOB_rpg_byte_reset, "10MB", -ERANGE,
          "'rpg_byte_reset' must be a whole number 0 .. 32767 blocks of 64 bytes, not 10MB" },
        { KNOB_rpg_byte_reset, "1.5", -EINVAL,
          "'rpg_byte_reset' must be a whole number 0 .. 32767 blocks of 64 bytes, not 1.5" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct err err = { "" };
        double got = 0.125;

        assert_int_equal(row[i].rc, knob_parse(row[i].knob, row[i].text, &got, &err));
        assert_string_equal(row[i].why, err.text);
        assert_true(got == 0.125);
    }
}

/* Values can be typed as they are displayed. */
static void parse__reads_every_bound_with_its_unit(void **unused)
{
    (void)unused;
    for (int i = 0; i < KNOB_COUNT; i++) {
        double bound[] = { knob_info[i].min, knob_info[i].initial, knob_info[i].max };

        for (int b = 0; b < 3; b++) {
            char text[64];
            double got = -1;

            snprintf(text, sizeof(text), "%.10g%s", bound[b], knob_unit_name(knob_info[i].unit));
            assert_int_equal(0, knob_parse((enum knob)i, text, &got, NULL));
            assert_true(got == bound[b]);
        }
    }
}

/* Every thousandth of a microsecond up to 200 us, as text: the same picoseconds as its digits. */
static void whole__of_a_decimal_is_exact(void **unused)
{
    char text[40];
    double value;

    (void)unused;
    for (uint64_t ns = 0; ns < 200000; ns++) {
        snprintf(text, sizeof text, "%llu.%03llu", (unsigned long long)(ns / 1000),
                 (unsigned long long)(ns % 1000));
        assert_int_equal(knob_parse(KNOB_min_time_between_cnps, text, &value, NULL), 0);
        assert_int_equal(knob_whole(value, 1000000), 1000 * ns);
        assert_int_equal(knob_whole(value, 1000), ns);
    }
    assert_int_equal(knob_whole(131071, 1000000), 131071000000);
    assert_int_equal(knob_whole(1.9999999, 1), 1);           /* real fractions are dropped */
}

static void check__refuses_kmin_above_kmax(void **unused)
{
    struct knobs k;
    struct err err;

    (void)unused;
    knobs_init(&k);
    k.value[KNOB_kmin] = k.value[KNOB_kmax] = 400;
    assert_int_equal(0, knobs_check(&k, &err));
    k.value[KNOB_kmin] = 500;
    assert_int_equal(-EINVAL, knobs_check(&k, &err));
    assert_string_equal("'kmin' (500 KB) must not be above 'kmax' (400 KB)", err.text);
    k.value[KNOB_kmin] = 400;
    k.value[KNOB_hf2t_min] = 81;
    assert_int_equal(-EINVAL, knobs_check(&k, &err));
    assert_string_equal("'hf2t_min' (81) must not be above 'hf2t_max' (80)", err.text);
}

static void names__of_units_and_locations(void **unused)
{
    (void)unused;
    assert_string_equal("us", knob_unit_name(KNOB_US));
    assert_string_equal("Mbps", knob_unit_name(KNOB_MBPS));
    assert_string_equal("KB", knob_unit_name(KNOB_KB));
    assert_string_equal("%", knob_unit_name(KNOB_PERCENT));
    assert_string_equal("", knob_unit_name(KNOB_NUMBER));
    assert_string_equal("", knob_unit_name(KNOB_RATIO));
    assert_string_equal("", knob_unit_name(KNOB_LOG2));
    assert_string_equal("NIC", knob_where_name(KNOB_NIC));
    assert_string_equal("switch", knob_where_name(KNOB_SWITCH));
    assert_string_equal("host", knob_where_name(KNOB_HOST));
}

/* Starts from the initial setting: kmin 400, kmax 1600, hf2t_min 20, hf2t_max 80. */
static void set_put__sets_named_knobs_and_adjusts_the_other_bound(void **unused)
{
    static const struct { enum knob knob; double value; double kmin, kmax, min, max; } rows[] = {
        { KNOB_kmin, 100, 100, 1600, 20, 80 }, { KNOB_kmin, 2000, 2000, 2000, 20, 80 },
        { KNOB_kmax, 300, 300, 300, 20, 80 }, { KNOB_hf2t_max, 10, 400, 1600, 10, 10 },
        { KNOB_pmax, 0.7, 400, 1600, 20, 80 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct knob_set set = { 0 };
        struct knobs    k, was;

        knobs_init(&k);
        was = k;
        knob_set_add(&set, rows[i].knob, rows[i].value);
        knobs_apply(&k, &set);
        assert_true(k.value[rows[i].knob] == rows[i].value && knobs_check(&k, NULL) == 0);
        assert_true(k.value[KNOB_kmin] == rows[i].kmin && k.value[KNOB_kmax] == rows[i].kmax);
        assert_true(k.value[KNOB_hf2t_min] == rows[i].min && k.value[KNOB_hf2t_max] == rows[i].max);
        for (int n = 0; n < KNOB_COUNT; n++)
            if (n != (int)rows[i].knob && n != KNOB_kmin && n != KNOB_kmax && n != KNOB_hf2t_min &&
                n != KNOB_hf2t_max)
                assert_true(k.value[n] == was.value[n]);
    }
}

static void at_speed__scales_thresholds_and_rates(void **state)
{
    struct knobs k, slow;

    (void)state;
    knobs_init(&k);
    k.value[KNOB_rate_to_set_on_first_cnp] = 80000;
    slow = knobs_at_speed(&k, 0.25);
    assert_true(knobs_equal(&slow, &k));             /* not requested */
    k.value[KNOB_by_speed] = 1;
    slow = knobs_at_speed(&k, 0.25);
    assert_true(slow.value[KNOB_kmin] == 100 && slow.value[KNOB_kmax] == 400 && slow.value[KNOB_pmax] == 0.2);
    assert_true(slow.value[KNOB_rate_to_set_on_first_cnp] == 20000 && slow.value[KNOB_rpg_ai_rate] == 1.25);
    assert_true(slow.value[KNOB_rpg_min_rate] == 1 &&
                slow.value[KNOB_rpg_time_reset] == k.value[KNOB_rpg_time_reset]);
    slow = knobs_at_speed(&k, 1);
    assert_true(knobs_equal(&slow, &k));
}

/* Whatever scales with the line rate or the bandwidth-delay product, of any control; nothing else. */
static void at_speed__follows_the_law_of_each_row(void **state)
{
    struct knobs k, slow;

    (void)state;
    for (int i = 0; i < KNOB_COUNT; i++)
        k.value[i] = knob_info[i].max;
    k.value[KNOB_by_speed] = 1;
    slow = knobs_at_speed(&k, 0.5);
    for (int i = 0; i < KNOB_COUNT; i++) {
        bool scales = knob_info[i].law == KNOB_BY_RATE || knob_info[i].law == KNOB_BY_BDP;

        assert_true(slow.value[i] == (scales ? knob_info[i].max / 2 : k.value[i]));
        assert_true(!scales || knob_info[i].unit == KNOB_MBPS || knob_info[i].unit == KNOB_KB);
    }
    assert_true(slow.value[KNOB_dctcp_ai] == k.value[KNOB_dctcp_ai] / 2 &&
                slow.value[KNOB_nscc_max_cwnd] == k.value[KNOB_nscc_max_cwnd] / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info__every_row_is_consistent),
        cmocka_unit_test(find__takes_the_exact_name_only),
        cmocka_unit_test(init__sets_the_initial_values),
        cmocka_unit_test(clamp__brings_into_range),
        cmocka_unit_test(equal__sees_any_knob),
        cmocka_unit_test(parse__reads_plain_numbers_and_units),
        cmocka_unit_test(parse__refuses_with_name_and_range),
        cmocka_unit_test(parse__reads_every_bound_with_its_unit),
        cmocka_unit_test(whole__of_a_decimal_is_exact),
        cmocka_unit_test(check__refuses_kmin_above_kmax),
        cmocka_unit_test(names__of_units_and_locations),
        cmocka_unit_test(at_speed__scales_thresholds_and_rates),
        cmocka_unit_test(at_speed__follows_the_law_of_each_row),
        cmocka_unit_test(set_put__sets_named_knobs_and_adjusts_the_other_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
