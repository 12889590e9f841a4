#include "tune/setting.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct world at_100g = { .host_bps = 100000000000 }, at_25g = { .host_bps = 25000000000 };

static int parse(const char *text, struct knobs *k, struct err *err)
{
    return setting_parse("k.yaml", text, strlen(text), k, err);
}

struct value { enum knob knob; double is; };

/* Knobs are NVIDIA's defaults, except for those listed. Knobs of HF2T and balancers keep their current
 * value. */
static void assert_setting(const char *name, const struct world *at, const struct value *value, int values)
{
    struct knobs made, expected;
    struct world world = *at;

    knobs_init(&expected);
    for (int i = 0; i < values; i++)
        expected.value[value[i].knob] = value[i].is;
    expected.value[KNOB_hf2t] = 1;
    expected.value[KNOB_flowlet_timeout] = 25;
    knobs_init(&world.start);
    world.start.value[KNOB_rpg_ai_rate] = 77;
    world.start.value[KNOB_kmin] = 7;
    world.start.value[KNOB_hf2t] = 1;
    world.start.value[KNOB_flowlet_timeout] = 25;
    assert_int_equal(0, setting_read(name, &world, &made, NULL));
    for (int i = 0; i < KNOB_COUNT; i++)
        assert_true(made.value[i] == expected.value[i]);
}

static void read__knows_the_published_settings(void **unused)
{
    static const struct value half[] = { { KNOB_rate_to_set_on_first_cnp, 50000 } };
    static const struct value expert[] = {
        { KNOB_rpg_ai_rate, 50 }, { KNOB_rpg_hai_rate, 150 }, { KNOB_rate_reduce_monitor_period, 80 },
        { KNOB_min_time_between_cnps, 96 }, { KNOB_kmin, 1600 }, { KNOB_kmax, 6400 }, { KNOB_pmax, 0.2 },
    };

    (void)unused;
    assert_setting("default", &at_100g, NULL, 0);
    assert_setting("default_artifact", &at_100g, half, 1);
    assert_setting("expert", &at_100g, expert, 7);
    assert_setting("expert", &at_25g, expert, 7);
}

static void read__scales_hpcc_with_the_link(void **unused)
{
    static const struct value slow[] = {
        { KNOB_rpg_ai_rate, 5 }, { KNOB_rpg_hai_rate, 50 }, { KNOB_rpg_min_rate, 1000 },
        { KNOB_dce_tcp_g, 1020 }, { KNOB_rate_to_set_on_first_cnp, 25000 },
        { KNOB_kmin, 100 }, { KNOB_kmax, 400 },
    };
    static const struct value fast[] = {
        { KNOB_rpg_ai_rate, 20 }, { KNOB_rpg_hai_rate, 200 }, { KNOB_rpg_min_rate, 1000 },
        { KNOB_dce_tcp_g, 1020 }, { KNOB_rate_to_set_on_first_cnp, 100000 },
        { KNOB_kmin, 400 }, { KNOB_kmax, 1600 },
    };

    (void)unused;
    assert_setting("hpcc", &at_25g, slow, 7);
    assert_setting("hpcc", &at_100g, fast, 7);
}

/* 100 Gb/s x 40 us are 500 KB: thresholds are a twelfth and a third of it. The timer is 1.25 round trips.
 * Rates are 1/2000, 1/500 and half of the line rate. */
static void read__makes_bdp_in_proportion_to_the_network(void **unused)
{
    static const struct value usual[] = {
        { KNOB_kmin, 42 }, { KNOB_kmax, 167 }, { KNOB_rpg_time_reset, 50 }, { KNOB_rpg_ai_rate, 50 },
        { KNOB_rpg_hai_rate, 200 }, { KNOB_rate_to_set_on_first_cnp, 50000 },
    };
    static const struct value fast[] = {     /* 400 Gb/s for 12 us are 600 KB */
        { KNOB_kmin, 50 }, { KNOB_kmax, 200 }, { KNOB_rpg_time_reset, 15 }, { KNOB_rpg_ai_rate, 200 },
        { KNOB_rpg_hai_rate, 800 }, { KNOB_rate_to_set_on_first_cnp, 200000 },
    };
    struct world world = { .host_bps = 100000000000, .base_rtt_ps = 40 * PS_PER_US };

    (void)unused;
    assert_setting("bdp", &world, usual, 6);
    world = (struct world){ .host_bps = 400000000000, .base_rtt_ps = 12 * PS_PER_US };
    assert_setting("bdp", &world, fast, 6);
}

/* A Kmin above NVIDIA's is for throughput, one below it for low delay. */
static void all__declare_their_purpose(void **unused)
{
    struct world world = { .host_bps = 400000000000, .base_rtt_ps = 12 * PS_PER_US };
    struct knobs usual, made;

    (void)unused;
    knobs_init(&usual);
    for (const struct setting *s = setting_all; s->name; s++) {
        double longer;

        knobs_init(&world.start);
        s->make(&made, &world);
        longer = made.value[KNOB_kmin] - usual.value[KNOB_kmin];
        assert_int_equal(s->toward, longer > 0 ? 1 : longer < 0 ? -1 : 0);
    }
}

static void all__is_named_and_in_range(void **unused)
{
    static const uint64_t rate[] = { 1000000000, 25000000000, 100000000000, 400000000000, 1600000000000 };
    int i = 0;

    (void)unused;
    for (; setting_all[i].name; i++) {
        assert_string_equal(setting_names[i], setting_all[i].name);
        for (size_t n = 0; n < sizeof(rate) / sizeof(rate[0]); n++) {
            for (uint64_t rtt_us = 0; rtt_us < 20000; rtt_us = 3 * rtt_us + 1) {
                struct world world = { .host_bps = rate[n], .base_rtt_ps = rtt_us * PS_PER_US };
                struct knobs made, clamped;

                knobs_init(&world.start);
                setting_all[i].make(&made, &world);
                clamped = made;
                knobs_clamp(&clamped);
                assert_memory_equal(&made, &clamped, sizeof made);
                assert_int_equal(0, knobs_check(&made, NULL));
            }
        }
    }
    for (int n = 0; setting_thresholds[n].name; n++, i++) {
        assert_string_equal(setting_names[i], setting_thresholds[n].name);
        assert_ptr_equal(setting_find(setting_names[i]), &setting_thresholds[n]);
    }
    assert_null(setting_names[i]);
}

/* ACC, section 5.1: secn2 has 100 and 400 KB at 25 Gb/s and four times as much at 100 Gb/s. The others do
 * not depend on the speed. */
static void ecn__secn2_scales_with_port_speed(void **unused)
{
    static const struct { const char *name; uint64_t rate_bps; uint32_t kmin, kmax; double pmax; } rows[] = {
        { "secn0", 25000000000, 18000, 18000, 1 },       { "secn0", 100000000000, 18000, 18000, 1 },
        { "secn1", 25000000000, 5000, 200000, 0.01 },    { "secn1", 100000000000, 5000, 200000, 0.01 },
        { "secn2", 25000000000, 100000, 400000, 0.2 },   { "secn2", 100000000000, 400000, 1600000, 0.2 },
        { "vendor", 25000000000, 30000, 270000, 0.1 },   { "vendor", 100000000000, 30000, 270000, 0.1 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world       world = { .host_bps = 25000000000 };
        struct queue_facts queue = { .rate_bps = rows[i].rate_bps };
        struct knobs       knobs;
        struct ecn         ecn;

        knobs_init(&world.start);
        world.start.value[KNOB_rpg_ai_rate] = 77;
        assert_int_equal(0, setting_read(rows[i].name, &world, &knobs, NULL));
        assert_true(knobs.value[KNOB_rpg_ai_rate] == 77);
        setting_ecn(setting_find(rows[i].name), &knobs, &world, &queue, &ecn);
        assert_int_equal(ecn.kmin_bytes, rows[i].kmin);
        assert_int_equal(ecn.kmax_bytes, rows[i].kmax);
        assert_true(ecn.pmax == rows[i].pmax);
    }
}

static void parse__reads_knobs_with_units_onto_default(void **unused)
{
    struct knobs k, expected;

    (void)unused;
    knobs_init(&expected);
    expected.value[KNOB_kmin] = 100;
    expected.value[KNOB_rpg_time_reset] = 55;
    expected.value[KNOB_rate_to_set_on_first_cnp] = 70000;
    assert_int_equal(0, parse("# found by a search\nkmin: 100KB   # was 400\nrpg_time_reset: 0.055ms\n"
                              "rate_to_set_on_first_cnp: 70Gbps\n", &k, NULL));
    assert_memory_equal(&expected, &k, sizeof k);
}

static void parse__refuses_with_the_place(void **unused)
{
    static const struct { const char *text, *why; } row[] = {
        { "kmax: 2MB\nkmim: 3\n", "k.yaml:2:1: 'kmim' is not a knob; did you mean 'kmin'?" },
        { "weather: 3\n", "k.yaml:1:1: 'weather' is not a knob" },
        { "pmax: 0.1\nkmin: 5us\n", "k.yaml:2:7: 'kmin' is a size, not '5us'; write 400KB" },
        { "rpg_gd: 16\n", "k.yaml:1:9: 'rpg_gd' must be a whole number 0 .. 15, not 16" },
        { "kmax: 300\n", "k.yaml:1:7: 'kmin' (400 KB) must not be above 'kmax' (300 KB)" },
        { "kmax: 300\nkmin: 500KB\n", "k.yaml:2:7: 'kmin' (500 KB) must not be above 'kmax' (300 KB)" },
        { "kmin: [1, 2]\n", "k.yaml:1:7: 'kmin' must be a single value" },
        { "- kmin\n", "k.yaml:1:1: this is not a map of knobs; write lines such as 'kmin: 400KB'" },
        { "# nothing\n", "k.yaml:1:1: there are no knobs in it; write lines such as 'kmin: 400KB'" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct knobs k, untouched;
        struct err err = { "" };

        memset(&k, 7, sizeof k);
        untouched = k;
        assert_true(parse(row[i].text, &k, &err) < 0);
        assert_string_equal(row[i].why, err.text);
        assert_memory_equal(&untouched, &k, sizeof k);
    }
}

static void read__takes_a_file_or_suggests_a_setting(void **unused)
{
    char path[] = "/tmp/setting-XXXXXX", expected[100];
    int fd = mkstemp(path);
    struct knobs k;
    struct err err;

    (void)unused;
    assert_true(fd >= 0);
    assert_int_equal(10, write(fd, "kmin: 123\n", 10));
    close(fd);
    assert_int_equal(0, setting_read(path, &at_100g, &k, &err));
    assert_true(k.value[KNOB_kmin] == 123);
    unlink(path);
    assert_true(setting_read(path, &at_100g, &k, &err) < 0);
    snprintf(expected, sizeof expected, "%s: ", path);
    assert_memory_equal(expected, err.text, strlen(expected));
    assert_true(setting_read("exprt", &at_100g, &k, &err) < 0);
    assert_string_equal("'exprt' is neither a setting nor a file; did you mean 'expert'?", err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__knows_the_published_settings),
        cmocka_unit_test(read__scales_hpcc_with_the_link),
        cmocka_unit_test(read__makes_bdp_in_proportion_to_the_network),
        cmocka_unit_test(all__declare_their_purpose),
        cmocka_unit_test(all__is_named_and_in_range),
        cmocka_unit_test(ecn__secn2_scales_with_port_speed),
        cmocka_unit_test(parse__reads_knobs_with_units_onto_default),
        cmocka_unit_test(parse__refuses_with_the_place),
        cmocka_unit_test(read__takes_a_file_or_suggests_a_setting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
