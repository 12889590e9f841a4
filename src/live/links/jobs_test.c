/* src/live/links/jobs_test.c - whether the network slows a job down, according to its NICs. */
#include "live/links/jobs.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NOW_US 100000000u

static struct controller_config cfg = { .interval_us = 100000, .stale_intervals = 10 };
static struct controller        c;
static struct jobs              s;
static struct job_list          list;

static int read_jobs(const char *text, struct err *err)
{
    struct yaml_doc doc;
    struct reader   r = { .name = "c", .what = "a configuration", .err = err };

    assert_int_equal(yaml_parse(&doc, "c", text, strlen(text), err), 0);
    jobs_read(&r, yaml_get(doc.root, "jobs"), &list);
    yaml_fini(&doc);
    return r.rc;
}

static struct peer *add_nic(const char *name)
{
    struct peer *p = &c.peer[c.peers++];

    *p = (struct peer){ .heard_us = NOW_US, .interval_us = 100000, .where = KNOB_NIC,
                        .sample = { .interval_us = 100000, .tx_bytes = 625000000,
                                    .rate_bps = 100000000000 } };
    snprintf(p->name, sizeof p->name, "%s", name);
    return p;
}

static int begin(void **state)
{
    struct err err = { "" };

    (void)state;
    c = (struct controller){ .cfg = &cfg, .peer = calloc(10, sizeof(struct peer)), .peers_max = 10 };
    assert_int_equal(read_jobs("jobs: {llm: ['rack1-*'], 'rec sys': [rack2-h1/mlx5_0, rack2-h2/mlx5_0]}\n",
                               &err), 0);
    jobs_init(&s, &list);
    return 0;
}

static int end(void **state)
{
    (void)state;
    jobs_fini(&s);
    jobs_list_fini(&list);
    free(c.peer);
    return 0;
}

static double number(const json_t *all, size_t i, const char *key)
{
    return json_number_value(json_object_get(json_array_get(all, i), key));
}

static size_t signs(const json_t *all, size_t i)
{
    return json_array_size(json_object_get(json_array_get(all, i), "signs"));
}

static void look__distinguishes_a_paused_job(void **unused)
{
    struct peer *bad;
    json_t      *all;

    (void)unused;
    bad = add_nic("rack1-h1/mlx5_0");
    add_nic("rack1-h2/mlx5_0");
    add_nic("rack2-h1/mlx5_0");
    add_nic("rack3-h1/mlx5_0");
    for (int i = 0; i < 100; i++) {              /* the first forty looks are forgotten */
        bad->sample.paused = i < 40 ? 1 : i % 2 ? 0.1 : 0.3;
        bad->sample.cnps = i % 2 ? 5 : 0;
        jobs_look(&s, &c, NOW_US);
    }
    all = jobs_json(&s, &c);
    assert_int_equal(json_array_size(all), 3);
    assert_true(number(all, 0, "nics") == 2 && number(all, 0, "looks") == 120 &&
                number(all, 0, "seconds") == 60);
    assert_float_equal(number(all, 0, "paused"), 0.1, 1e-9);
    assert_float_equal(number(all, 0, "paused_most"), 0.3, 1e-9);
    assert_string_equal(json_string_value(json_object_get(json_array_get(all, 0), "paused_most_at")),
                        "rack1-h1/mlx5_0");
    assert_float_equal(number(all, 0, "with_cnps"), 0.25, 1e-9);
    assert_float_equal(number(all, 0, "utilisation"), 0.5, 1e-9);
    assert_true(json_is_null(json_object_get(json_array_get(all, 0), "rtt_stretch")));
    assert_int_equal(signs(all, 0), 2);
    assert_true(signs(all, 1) == 0 && number(all, 1, "nics") == 1);
    assert_true(signs(all, 2) == 0 && number(all, 2, "nics") == 1);              /* the NICs of no job */
    json_decref(all);
}

static void look__uses_known_round_trips_and_skips_silent_nics(void **unused)
{
    /* stretched 3 times and 1 time */
    static struct msg_detail detail = { .pairs = 2,
                                        .pair = { { 1, 10, 300, 10, 0 }, { 2, 10, 100, 10, 0 } } };
    struct peer *p;
    json_t      *all;

    (void)unused;
    p = add_nic("rack1-h1/mlx5_0");
    p->has_detail = true;
    p->detail = &detail;
    add_nic("rack2-h1/mlx5_0")->heard_us = 1;
    jobs_look(&s, &c, NOW_US);
    all = jobs_json(&s, &c);
    assert_float_equal(number(all, 0, "rtt_stretch"), 2, 1e-9);
    assert_int_equal(signs(all, 0), 1);
    assert_true(number(all, 1, "silent") == 1 && number(all, 1, "looks") == 0);
    assert_true(json_is_null(json_object_get(json_array_get(all, 1), "paused")));
    json_decref(all);
}

static void read__says_what_is_wrong(void **unused)
{
    static const struct { const char *text, *why; } wrong[] = {
        { "jobs: [a]\n", "c:1:7: jobs is a map of at most 64 names" },
        { "jobs: {a: b}\n", "c:1:11: a: a list of 1 to 64 names" },
        { "jobs: {a: []}\n", "c:1:11: a: a list of 1 to 64 names" },
        { "jobs: {a: [[b]]}\n", "c:1:12: a name of a device is wanted" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err err = { "" };

        assert_true(read_jobs(wrong[i].text, &err) < 0);
        if (strncmp(err.text, wrong[i].why, strlen(wrong[i].why)) != 0)
            fail_msg("'%s' instead of '%s'", err.text, wrong[i].why);
        jobs_list_fini(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(look__distinguishes_a_paused_job, begin, end),
        cmocka_unit_test_setup_teardown(
            look__uses_known_round_trips_and_skips_silent_nics, begin, end),
        cmocka_unit_test(read__says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
