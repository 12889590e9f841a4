/* src/study/report/metrics_test.c - the list of metrics follows from the scenario; values are those of
 * made-up flows. */
#include "study/report/metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct figures {
    struct metric list[METRICS_MAX];
    uint32_t      count, headlines;
};

static void run(struct figures *seen, const char *text, uint64_t seed)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text), .seed = &seed };
    struct simulation s;
    struct results r;
    struct err err;

    if (simulation_open(&s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(&s, NULL, NULL);
    results_init(&r, &s);
    seen->count = metrics_of(&r, seen->list);
    seen->headlines = metrics_headlines(&r);
    results_fini(&r);
    simulation_close(&s);
}

static const struct metric *find(const struct figures *seen, const char *name)
{
    for (uint32_t i = 0; i < seen->count; i++)
        if (strcmp(seen->list[i].name, name) == 0)
            return &seen->list[i];
    return NULL;
}

static void assert_unique(const struct figures *seen)
{
    for (uint32_t i = 0; i < seen->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(seen->list[i].name, seen->list[k].name) == 0)
                fail_msg("two metrics are called '%s'", seen->list[i].name);
}

/* An influx, names that are taken, and a name of the maximum length. */
static const char hard[] =
    "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
    "traffic:\n"
    "  - {kind: poisson, name: during, load: 0.2, sizes: FB_Hadoop}\n"
    "  - {kind: incast, name: same, senders: 3, size: 20KB, start: 20us, for: 30us, influx: yes}\n"
    "  - {kind: incast, name: 'same,', senders: 2, size: 5MB, start: 99us}\n"
    "  - {kind: incast, name: 'during#0', senders: 2, size: 1KB}\n"
    "  - {kind: incast, name: aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff123, senders: 2, size: 1KB}\n"
    "run: 100us\n";

static void of__names_are_unique(void **state)
{
    static struct figures seen;

    (void)state;
    run(&seen, hard, 1);
    assert_true(seen.count > 60 && seen.count < METRICS_MAX);
    assert_unique(&seen);
}

static void of__the_list_does_not_depend_on_the_seed(void **state)
{
    static struct figures one, two;

    (void)state;
    run(&one, hard, 1);
    run(&two, hard, 12345);
    assert_int_equal(one.count, two.count);
    for (uint32_t i = 0; i < one.count; i++) {
        assert_string_equal(one.list[i].name, two.list[i].name);
        assert_string_equal(one.list[i].label, two.list[i].label);
        assert_int_equal(one.list[i].unit, two.list[i].unit);
        assert_int_equal(one.list[i].better, two.list[i].better);
    }
}

/* No flow of 1 MB or more can finish within 100 us with the start at 99 us. */
static void of__missing_values_are_nan(void **state)
{
    static struct figures seen;

    (void)state;
    run(&seen, hard, 1);
    assert_true(isnan(find(&seen, "elephants.slowdown_p99")->value));
    assert_true(isnan(find(&seen, "from_1MB.slowdown_mean")->value));
    assert_false(isnan(find(&seen, "mice.slowdown_p99")->value));
    assert_false(isnan(find(&seen, "slowdown_p99")->value));
}

static void of__values_by_hand(void **state)
{
    static struct figures seen;
    const struct metric *m;

    (void)state;
    run(&seen, "topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}\n"
               "traffic: [{kind: incast, name: one, senders: 1, size: 1MB}]\n", 1);
    m = find(&seen, "slowdown_mean");
    assert_true(m->value == 1 && m->unit == UNIT_NONE && m->better == BETTER_LOWER);
    assert_true(find(&seen, "elephants.slowdown_p999")->value == 1);
    assert_true(isnan(find(&seen, "mice.slowdown_mean")->value));
    assert_true(find(&seen, "flows")->value == 1 && find(&seen, "flows_unfinished")->value == 0);
    m = find(&seen, "one.fct_us_p99");
    assert_true(m->unit == UNIT_US && m->value > 86.4 && m->value < 95);
    assert_true(fabs(find(&seen, "one.goodput_bps")->value - 8e6 / (m->value * 1e-6)) < 1);
    assert_true(find(&seen, "goodput_bps")->better == BETTER_HIGHER);
    assert_true(find(&seen, "pauses")->value == 0 && find(&seen, "paused_share")->value == 0);
    assert_null(find(&seen, "during.goodput_bps"));      /* no influx, no phases */
    assert_string_equal(seen.list[0].name, "slowdown_mean");
}

/* Flows that are not over when the run ends count as well. */
static void of__losses_add_up_over_sizes(void **state)
{
    static const char *const whats[] = { "reordered", "nacks", "resent_bytes" };
    static const char *const sizes[] = { "under_10KB", "10KB_100KB", "100KB_1MB", "from_1MB" };
    static struct figures seen;

    (void)state;
    run(&seen, "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, loss: 0.003}\n"
               "lb: letflow\n"
               "knobs: {flowlet_timeout: 2us}\n"
               "traffic: [{kind: poisson, load: 0.5, sizes: WebSearch}]\n"
               "run: 1ms\n", 1);
    assert_true(find(&seen, "flows_unfinished")->value > 0);
    assert_true(find(&seen, "reroutes")->value > 0);
    assert_true(find(&seen, "flowlets")->value >= find(&seen, "reroutes")->value);
    assert_true(find(&seen, "delayed")->value == 0);
    for (unsigned i = 0; i < sizeof(whats) / sizeof(*whats); i++) {
        double sum = 0;

        for (unsigned k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
            char name[64];

            snprintf(name, sizeof(name), "%s.%s", sizes[k], whats[i]);
            sum += find(&seen, name)->value;
        }
        assert_true(sum > 0 && sum == find(&seen, whats[i])->value);
        assert_int_equal(find(&seen, whats[i])->better, BETTER_LOWER);
    }
}

static void of__headlines_are_the_first(void **state)
{
    static struct figures seen;

    (void)state;
    run(&seen, hard, 1);
    assert_true(seen.headlines > 5 && seen.headlines <= 24);
    for (uint32_t i = 0; i < seen.headlines; i++)
        assert_null(strchr(seen.list[i].name, '.'));     /* no metrics of entries: this run has no jobs */
}

/* A collective of 4 workers on an otherwise idle network: 2 x 3 steps of 100 KB each. Bus bandwidth is what
 * a link carries. */
static void of__a_training_job(void **state)
{
    static struct figures seen;
    double algbw, busbw, mean_us;

    (void)state;
    run(&seen, "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
               "cc: none\n"
               "traffic: [{kind: training, name: llm, collective: ring_all_reduce, size: 400KB, compute: 20us, "
               "iterations: 3}]\n", 1);
    algbw = find(&seen, "llm.algbw_bps")->value;
    busbw = find(&seen, "llm.busbw_bps")->value;
    mean_us = find(&seen, "llm.collective_us_mean")->value;
    /* a step takes 8.67 us for 98 packets of 1106 bytes with spacing, and about 4 us of round trip */
    assert_true(mean_us > 6 * 12 && mean_us < 6 * 14);
    assert_true(fabs(algbw - 400000 * 8 / (mean_us * 1e-6)) < 1);
    assert_true(fabs(busbw - 1.5 * algbw) < 1);
    assert_true(fabs(find(&seen, "llm.iteration_us_mean")->value - mean_us - 20) < 1e-9);
    assert_true(fabs(find(&seen, "llm.bound_share")->value - 6 * 8.67 / mean_us) < 0.01);
    /* All iterations have finished. */
    assert_true(fabs(find(&seen, "llm.iteration_started_us_mean")->value - mean_us - 20) < 1e-6);
    assert_int_equal(seen.headlines, 11);
    assert_string_equal(seen.list[9].name, "llm.iteration_us_mean");
}

/* Iterations of equal length, cut off in the fourth. What its age and its share of bytes suggest agrees
 * with the others. Before the end of the first iteration, only this estimate exists. */
static void of__a_job_that_is_cut_off(void **state)
{
    static const char text[] = "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\ncc: none\n"
                               "traffic: [{kind: training, name: llm, collective: ring_all_reduce, "
                               "size: 40MB, compute: 0us}]\nrun: %uus\n";
    static struct figures seen;
    char                  cut[400];
    double                mean_us;

    (void)state;
    snprintf(cut, sizeof(cut), text, 20000);
    run(&seen, cut, 1);
    mean_us = find(&seen, "llm.iteration_us_mean")->value;
    assert_true(mean_us > 5000 && mean_us < 6000);
    assert_true(fabs(find(&seen, "llm.iteration_started_us_mean")->value / mean_us - 1) < 0.01);
    snprintf(cut, sizeof(cut), text, 3000);
    run(&seen, cut, 1);
    assert_true(isnan(find(&seen, "llm.iteration_us_mean")->value));
    assert_true(fabs(find(&seen, "llm.iteration_started_us_mean")->value / mean_us - 1) < 0.01);
}

static void of__a_list_that_is_too_long_is_cut(void **state)
{
    enum { ENTRIES = 120 };
    static char text[ENTRIES * 80 + 200];
    static struct figures seen;
    size_t at = 0;

    (void)state;
    at += (size_t)snprintf(text, sizeof(text), "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"
                           "traffic:\n");
    for (int i = 0; i < ENTRIES; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "  - {kind: incast, senders: 2, size: 1KB, start: %dus}\n", i);
    run(&seen, text, 1);
    assert_int_equal(seen.count, METRICS_MAX);
    assert_unique(&seen);
}

static void text__is_readable(void **state)
{
    static const struct { enum metric_unit unit; double value; const char *text; } rows[] = {
        { UNIT_NONE, 1.534, "1.53" },    { UNIT_US, 12.3, "12.3 us" },       { UNIT_US, 1500, "1.50 ms" },
        { UNIT_BPS, 94.1e9, "94.1 Gb/s" }, { UNIT_BYTES, 1600000, "1.60 MB" }, { UNIT_SHARE, 0.032, "3.20 %" },
        { UNIT_COUNT, 1234567, "1,234,567" }, { UNIT_COUNT, 2.5, "2.50" },   { UNIT_PER_S, 20000.4, "20.0 K/s" },
        { UNIT_COUNT, 0, "0" },          { UNIT_US, -3, "-3.00 us" },        { UNIT_BPS, NAN, "-" },
        { UNIT_NONE, INFINITY, "-" },    { UNIT_PS, 8381000, "8.38 us" },     { UNIT_BUS, 23.5e9, "2.94 GB/s (23.5 Gb/s)" },
    };
    char buf[48];

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_string_equal(metric_text(buf, sizeof(buf), rows[i].unit, rows[i].value), rows[i].text);
}

static void sizes_text__names_both_limits(void **state)
{
    static const char *const wanted[FCT_BUCKETS] = { "<10 KB", "10 KB-100 KB", "100 KB-1 MB", ">=1 MB" };
    char buf[32];

    (void)state;
    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        assert_string_equal(metric_sizes_text(buf, sizeof(buf), i), wanted[i]);
}

static void unit_name__is_that_of_the_page(void **state)
{
    (void)state;
    assert_string_equal(metric_unit_name(UNIT_NONE), "");
    assert_string_equal(metric_unit_name(UNIT_PER_S), "per_s");
    assert_string_equal(metric_unit_name(UNIT_SHARE), "share");
    assert_string_equal(metric_better_name(BETTER_NEITHER), "neither");
}

static void rank__what_users_feel_comes_first(void **state)
{
    (void)state;
    assert_true(metric_rank("slowdown_mean") < metric_rank("goodput_bps"));
    assert_true(metric_rank("training 1.iteration_us_mean") < metric_rank("slowdown_mean"));
    assert_int_equal(metric_rank("iteration_us_mean"), METRIC_RANKS);      /* needs the name of an entry */
    assert_int_equal(metric_rank("background.slowdown_mean"), METRIC_RANKS);
    assert_int_equal(metric_rank("nacks"), METRIC_RANKS);
}

/* Two elephants and two mice to one host, cut off: only the mice finish. */
static void of__started_counts_unfinished_flows(void **state)
{
    static const char text[] =
        "topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us}\n"
        "traffic:\n"
        "  - {kind: incast, name: large, senders: [h0, h1], receiver: h4, size: 10MB}\n"
        "  - {kind: incast, name: small, senders: [h2, h3], receiver: h4, size: 1KB, start: 10us}\n"
        "run: 100us\n";
    static struct figures seen;
    double all, mice, elephants;

    (void)state;
    run(&seen, text, 1);
    assert_true(isnan(find(&seen, "elephants.slowdown_mean")->value));
    assert_true(isnan(find(&seen, "started.middle.slowdown_mean")->value));
    all = find(&seen, "started.slowdown_mean")->value;
    mice = find(&seen, "started.mice.slowdown_mean")->value;
    elephants = find(&seen, "started.elephants.slowdown_mean")->value;
    assert_true(mice == find(&seen, "mice.slowdown_mean")->value);
    assert_true(fabs(all - (mice + elephants) / 2) < 1e-6);
    /* 10 MB take 0.86 ms alone. Each of two has sent about half of what one alone could: 100 us / 860 us +
     * 0.94. */
    assert_true(elephants > 1.02 && elephants < 1.12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of__names_are_unique),
        cmocka_unit_test(of__the_list_does_not_depend_on_the_seed),
        cmocka_unit_test(of__missing_values_are_nan),
        cmocka_unit_test(of__values_by_hand),
        cmocka_unit_test(of__losses_add_up_over_sizes),
        cmocka_unit_test(of__headlines_are_the_first),
        cmocka_unit_test(of__a_training_job),
        cmocka_unit_test(of__a_job_that_is_cut_off),
        cmocka_unit_test(of__a_list_that_is_too_long_is_cut),
        cmocka_unit_test(rank__what_users_feel_comes_first),
        cmocka_unit_test(text__is_readable),
        cmocka_unit_test(sizes_text__names_both_limits),
        cmocka_unit_test(unit_name__is_that_of_the_page),
        cmocka_unit_test(of__started_counts_unfinished_flows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
