#include "core/catalog.h"

#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#define GBPS 1000000000ull

static struct knobs knobs_of(const char *name, uint64_t host_bps)
{
    struct knobs k;

    knobs_init(&k);
    nic_profile_put(nic_profile_find(name), host_bps, &k);
    return k;
}

/* Returns how many knobs differ from NVIDIA's. */
static int count_changed(const struct knobs *k)
{
    int changed = 0;

    for (int i = 0; i < KNOB_COUNT; i++)
        changed += k->value[i] != knob_info[i].initial;
    return changed;
}

static void find__finds_every_name_of_the_table(void **unused)
{
    int count = 0;

    (void)unused;
    for (; nic_profile_all[count].name; count++) {
        assert_string_equal(nic_profile_names[count], nic_profile_all[count].name);
        assert_ptr_equal(nic_profile_find(nic_profile_names[count]), &nic_profile_all[count]);
    }
    assert_null(nic_profile_names[count]);
    assert_null(nic_profile_find("nvidia2"));
    assert_null(nic_profile_find(""));
}

static void all__values_are_nic_knobs_in_range(void **unused)
{
    (void)unused;
    for (const struct nic_profile *p = nic_profile_all; p->name; p++)
        for (const struct nic_value *v = p->value; v->knob != KNOB_COUNT; v++) {
            assert_int_equal(knob_info[v->knob].where, KNOB_NIC);
            assert_true(v->value >= knob_info[v->knob].min && v->value <= knob_info[v->knob].max);
        }
}

/* Zhu et al., SIGCOMM 2015: CNPs 50 us apart, alpha and rate timers of 55 us, g = 1/256, F = 5, R_AI = 40
 * Mb/s. */
static void put__the_dcqcn_paper(void **unused)
{
    struct knobs k = knobs_of("dcqcn_paper", 40 * GBPS);

    (void)unused;
    assert_true(k.value[KNOB_min_time_between_cnps] == 50 && k.value[KNOB_rate_reduce_monitor_period] == 50);
    assert_true(k.value[KNOB_dce_tcp_rtt] == 55 && k.value[KNOB_rpg_time_reset] == 55);
    assert_true((1024 - k.value[KNOB_dce_tcp_g]) / 1024 == 1.0 / 256);
    assert_true(k.value[KNOB_rpg_threshold] == 5 && k.value[KNOB_rpg_ai_rate] == 40);
    assert_true(k.value[KNOB_rate_to_set_on_first_cnp] >= 40000);        /* line rate */
    assert_int_equal(count_changed(&k), 10);
}

/* run.py of its simulator: AI 5 and HAI 50 Mb/s times bandwidth / 25, at least 1 Gb/s, g = 1/256, the full
 * rate at the first CNP. */
static void put__hpcc_scales_with_the_speed(void **unused)
{
    struct knobs k = knobs_of("hpcc", 100 * GBPS);

    (void)unused;
    assert_true(k.value[KNOB_rpg_ai_rate] == 20 && k.value[KNOB_rpg_hai_rate] == 200);
    assert_true(k.value[KNOB_rpg_min_rate] == 1000 && k.value[KNOB_dce_tcp_g] == 1020);
    assert_true(k.value[KNOB_rate_to_set_on_first_cnp] == 100000);
    assert_int_equal(count_changed(&k), 5);
}

static void put__variants_of_nvidia_differ_in_one(void **unused)
{
    struct knobs as_it_comes = knobs_of("nvidia", 25 * GBPS), strong = knobs_of("strong_alpha", 25 * GBPS);
    struct knobs cut = knobs_of("truncated_alpha", 25 * GBPS);

    (void)unused;
    assert_int_equal(count_changed(&as_it_comes), 0);
    assert_int_equal(count_changed(&strong), 1);
    assert_true(strong.value[KNOB_dce_tcp_rtt] == 16);
    assert_int_equal(count_changed(&cut), 1);
    assert_true(cut.value[KNOB_alpha_fraction_bits] == 0);
}

static void put__replaces_nic_knobs_and_keeps_the_others(void **unused)
{
    struct knobs k = knobs_of("dcqcn_paper", 25 * GBPS);

    (void)unused;
    k.value[KNOB_kmin] = 7;
    k.value[KNOB_flowlet_timeout] = 9;
    k.value[KNOB_hf2t] = 1;
    nic_profile_put(nic_profile_find("strong_alpha"), 25 * GBPS, &k);
    assert_true(k.value[KNOB_kmin] == 7 && k.value[KNOB_flowlet_timeout] == 9 && k.value[KNOB_hf2t] == 1);
    assert_int_equal(count_changed(&k), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find__finds_every_name_of_the_table),
        cmocka_unit_test(all__values_are_nic_knobs_in_range),
        cmocka_unit_test(put__the_dcqcn_paper),
        cmocka_unit_test(put__hpcc_scales_with_the_speed),
        cmocka_unit_test(put__variants_of_nvidia_differ_in_one),
        cmocka_unit_test(put__replaces_nic_knobs_and_keeps_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
