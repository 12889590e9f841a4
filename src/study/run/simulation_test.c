/* src/study/run/simulation_test.c - one run from text to results: intervals, changes of knobs, the end. */
#include "study/run/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void open_text(struct simulation *s, const char *text)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text) };
    struct err err;

    if (simulation_open(s, &input, &err))
        fail_msg("%s", err.text);
}

struct looks {
    uint64_t count, last_ps, payload_bytes, longest_ps;
    double   kmin_first, kmin_last;
};

static void on_report(void *arg, const struct report *r)
{
    struct looks *l = arg;

    assert_int_equal(r->start_ps, l->last_ps);
    if (l->count++ == 0)
        l->kmin_first = r->knobs.value[KNOB_kmin];
    l->kmin_last = r->knobs.value[KNOB_kmin];
    l->last_ps = r->end_ps;
    l->payload_bytes += r->payload_bytes;
    if (r->end_ps - r->start_ps > l->longest_ps)
        l->longest_ps = r->end_ps - r->start_ps;
}

static struct looks run(struct simulation *s)
{
    struct looks looks = { 0 };
    struct simulation_hooks hooks = { .arg = &looks, .report = on_report };

    simulation_run(s, &hooks, NULL);
    return looks;
}

static void run__reports_every_interval_up_to_the_end(void **state)
{
    struct simulation s;
    struct looks looks;

    (void)state;
    open_text(&s, "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
                  "traffic: [{kind: poisson, load: 0.3, sizes: FB_Hadoop}]\n"
                  "interval: 30us\nrun: 1ms\n");
    looks = run(&s);
    assert_int_equal(s.end_ps, PS_PER_MS);
    assert_int_equal(looks.count, 34);           /* 33 complete ones, and 10 us */
    assert_int_equal(looks.last_ps, PS_PER_MS);
    assert_int_equal(looks.longest_ps, 30 * PS_PER_US);
    assert_int_equal(looks.payload_bytes, sim_counts(s.sim)->payload_received);
    assert_int_equal(s.series.intervals, 34);
    simulation_close(&s);
}

/* Nothing happens after a few microseconds: intervals are still reported to the end. */
static void run__reports_an_idle_network(void **state)
{
    struct simulation s;
    struct looks looks;

    (void)state;
    open_text(&s, "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, loss: 0.2}\n"
                  "host: {rto: 0}\n"
                  "traffic: [{kind: incast, senders: 2, size: 20KB}]\n"
                  "interval: 10us\nrun: 200ms\n");
    looks = run(&s);
    assert_true(sim_counts(s.sim)->flows_done < sim_counts(s.sim)->flows_started);
    assert_int_equal(looks.count, 20000);
    assert_int_equal(looks.last_ps, 200 * PS_PER_MS);
    assert_int_equal(looks.payload_bytes, sim_counts(s.sim)->payload_received);
    simulation_close(&s);
}

static void run__ends_with_the_last_flow(void **state)
{
    struct simulation s;
    struct looks looks;

    (void)state;
    open_text(&s, "topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us}\n"
                  "traffic: [{kind: incast, senders: 1, size: 1MB}]\ninterval: 20us\n");
    looks = run(&s);
    assert_int_equal(s.fct.all.count, 1);
    assert_true((double)s.end_ps == fct_us_stats(&s.fct.all).max * 1e6);
    assert_int_equal(looks.last_ps, s.end_ps);
    assert_int_equal(looks.payload_bytes, 1000000);
    simulation_close(&s);
}

/* In the middle of an interval, and of the first one. */
/* The last flow is done at 161 us, and the job at 163. Packets that were sent twice arrive later. Intervals
 * have them all, but none lasts beyond the end of the run. */
static void run__has_late_packets_in_intervals(void **state)
{
    static const uint64_t until_ns[] = { 162800, 163100, 163300, 0 };

    (void)state;
    for (int i = 0; i < 4; i++) {
        static const char text[] =
            "topology: {kind: clos, rate: 100Gbps, delay: 430ns, tors: 4, hosts_per_tor: 1, spines: 1, links: 2, "
            "fabric_rate: 40Gbps, fabric_delay: 28ns}\nlb: spray\nknobs: {roce_cc_prio_mask: 101, kmin: 136}\n"
            "traffic: [{kind: training, iterations: 2, size: 23183}]\n";
        struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text),
                                          .until_ps = until_ns[i] * PS_PER_NS };
        struct simulation s;
        struct err err;
        uint64_t received = 0;

        if (simulation_open(&s, &input, &err))
            fail_msg("%s", err.text);
        simulation_run(&s, NULL, NULL);
        for (uint32_t k = 0; k < s.series.points; k++)
            received += s.series.point[k].received_packets;
        assert_int_equal(received, sim_counts(s.sim)->data_received);
        assert_true(s.series.point[s.series.points - 1].end_ps <= s.scenario.run_ps);
        assert_true(s.series.point[s.series.points - 1].end_ps > 162500 * PS_PER_NS);
        simulation_close(&s);
    }
}

static void run__records_when_a_knob_changed(void **state)
{
    struct simulation s;
    struct looks looks;
    uint32_t found = 0;

    (void)state;
    open_text(&s, "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n"
                  "traffic: [{kind: poisson, load: 0.3, sizes: FB_Hadoop}]\n"
                  "interval: 100us\nrun: 1ms\nknobs: {kmin: 100KB, kmax: 400KB}\n"
                  "changes: [{at: 30us, knobs: {kmin: 50KB}}, {at: 555us, knobs: {kmin: 20KB}}]\n");
    looks = run(&s);
    for (uint32_t i = 0; i < s.series.knobs; i++) {
        static const struct { uint64_t at_ps; double value; } rows[] = {
            { 0, 100 }, { 30 * PS_PER_US, 50 }, { 555 * PS_PER_US, 20 },
        };

        if (s.series.knob[i].knob != KNOB_kmin)
            continue;
        assert_true(found < 3);
        assert_int_equal(s.series.knob[i].at_ps, rows[found].at_ps);
        assert_true(s.series.knob[i].value == rows[found].value);
        found++;
    }
    assert_int_equal(found, 3);
    assert_true(looks.kmin_first == 50 && looks.kmin_last == 20);        /* setting at the end of each */
    simulation_close(&s);
}

struct enough { uint32_t asked, limit; };

static bool is_enough(void *arg)
{
    struct enough *e = arg;

    return ++e->asked == e->limit;
}

static void run__ends_when_a_hook_requests_it(void **state)
{
    struct enough           enough = { .limit = 3 };
    struct simulation_hooks hooks = { .arg = &enough, .is_enough = is_enough };
    struct simulation       s;

    (void)state;
    open_text(&s, "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
                  "traffic: [{kind: poisson, load: 0.3, sizes: FB_Hadoop}]\n"
                  "interval: 30us\nrun: 1ms\n");
    simulation_run(&s, &hooks, NULL);
    assert_int_equal(enough.asked, 3);
    assert_int_equal(s.end_ps, 90 * PS_PER_US);
    assert_int_equal(s.series.intervals, 3);
    simulation_close(&s);
}

/* Without an interval: points from start to end, 100 to SERIES_POINTS of them, for any length of the run. */
static void run__without_an_interval_has_enough_points(void **state)
{
    static const char *const length[] = { "30us", "70us", "400us", "3ms", "40ms", "700ms" };

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct simulation s;
        struct looks looks;
        uint64_t payload = 0, at_ps = 0;
        char text[300];

        snprintf(text, sizeof(text), "topology: {kind: star, hosts: 4, rate: 1Gbps, delay: 1us}\n"
                 "traffic: [{kind: incast, senders: 3, size: 1GB}]\nrun: %s\n", length[i]);
        open_text(&s, text);
        looks = run(&s);
        assert_false(simulation_has_intervals(&s));
        assert_int_equal(looks.count, 0);
        assert_in_range(s.series.points, 100, SERIES_POINTS);
        for (uint32_t p = 0; p < s.series.points; p++) {
            assert_int_equal(s.series.point[p].start_ps, at_ps);
            at_ps = s.series.point[p].end_ps;
            payload += s.series.point[p].payload_bytes;
            if (p + 1 < s.series.points)
                assert_int_equal(at_ps - s.series.point[p].start_ps, s.series.merged * s.series.interval_ps);
        }
        assert_int_equal(at_ps, s.end_ps);
        assert_int_equal(payload, sim_counts(s.sim)->payload_received);
        simulation_close(&s);
    }
}

#define KEPT 8

struct kept { struct report report[KEPT]; uint32_t count; };

static void keep_report(void *arg, const struct report *r)
{
    struct kept *k = arg;

    assert_true(k->count < KEPT);
    report_copy(&k->report[k->count++], r);
}

static void run_and_keep(const char *interval, struct kept *k, uint32_t *points)
{
    struct simulation_hooks hooks = { .arg = k, .report = keep_report };
    struct simulation s;
    char text[400];

    snprintf(text, sizeof(text), "topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 1, rate: "
        "10Gbps, delay: 1us}\n"
             "switch: {buffer: 400KB}\nknobs: {kmin: 20KB, kmax: 80KB}\nmonitor: [exact, paraleon]\n"
             "traffic: [{kind: poisson, load: 0.5, sizes: WebSearch}, {kind: incast, senders: 7, size: "
             "900KB}]\n"
             "%srun: 4500us\n", interval);
    open_text(&s, text);
    simulation_run(&s, &hooks, NULL);
    *points = s.series.points;
    simulation_close(&s);
}

/* Monitors and tuners get the same data however often the page's data is sampled. */
static void run__intervals_are_the_same_with_points_between(void **state)
{
    struct kept given = { 0 }, chosen = { 0 };
    uint64_t pauses = 0, marks = 0;
    uint32_t few, many;

    (void)state;
    run_and_keep("interval: 1ms\n", &given, &few);
    run_and_keep("", &chosen, &many);
    assert_true(few == 5 && many >= 100);
    assert_true(given.count == 5 && chosen.count == 5);
    for (uint32_t i = 0; i < given.count; i++) {
        struct report *a = &given.report[i], *b = &chosen.report[i];

        assert_true(a->number == b->number && a->start_ps == b->start_ps && a->end_ps == b->end_ps);
        for (int c = 0; c < FIGURE_COUNTS; c++)
            if (c != FIGURE_events && c != FIGURE_queue_bytes_max)       /* below, port by port */
                assert_int_equal(a->count[c], b->count[c]);
        pauses += a->pauses;
        marks += a->marked_packets;
        assert_true(a->ports == b->ports && a->pairs == b->pairs && a->monitors == 2 && b->monitors == 2);
        assert_memory_equal(a->monitor, b->monitor, 2 * sizeof(*a->monitor));
        assert_memory_equal(a->pair, b->pair, a->pairs * sizeof(*a->pair));
        assert_memory_equal(a->entry_bytes, b->entry_bytes, a->entries * sizeof(*a->entry_bytes));
        for (uint32_t p = 0; p < a->ports; p++) {
            /* The peak may be one that no packet saw: the rest of a queue when it is sampled. */
            assert_true(b->port[p].queue_bytes_max >= a->port[p].queue_bytes_max);
            b->port[p].queue_bytes_max = a->port[p].queue_bytes_max;
            assert_memory_equal(&a->port[p], &b->port[p], sizeof(a->port[p]));
        }
        report_fini(a);
        report_fini(b);
    }
    assert_true(pauses > 0 && marks > 0);
}

/* Runs of four and a half intervals: a search continues from one to the next, with the last setting. */
static void lend__a_search_continues_in_the_next_run(void **state)
{
    static const char text[] = "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
                               "traffic: [{kind: poisson, load: 0.6, sizes: FB_Hadoop}]\n"
                               "tuner: {kind: random, trigger: once, budget: 6, confirm: 0}\n"
                               "interval: 100us\nrun: 450us\n";
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text) };
    struct loop             loop = { 0 };
    struct knobs            knobs;
    struct err              err;
    bool                    is_over = false;
    uint32_t                runs = 0;

    (void)state;
    for (; !is_over && runs < 20; runs++) {
        struct simulation s;

        assert_int_equal(simulation_open(&s, &input, &err), 0);
        if (runs > 0) {
            assert_null(s.loop.tuner.algo);
            assert_memory_equal(&sim_settings(s.sim)->knobs, &knobs, sizeof(knobs));
            simulation_lend(&s, &loop);
        }
        simulation_run(&s, NULL, NULL);
        assert_int_equal(s.loop.tuning.steps, 4 * (runs + 1));
        knobs = sim_settings(s.sim)->knobs;
        is_over = s.loop.tuner.algo->is_idle(s.loop.tuner.state);
        simulation_take_back(&s, &loop);
        simulation_close(&s);
        input.is_untuned = true;
        input.knobs = &knobs;
    }
    assert_true(is_over && runs > 1);
    for (uint32_t i = 1; i < loop.tuning.steps; i++)
        assert_memory_equal(&loop.tuning.step[i].was, &loop.tuning.step[i - 1].is, sizeof(knobs));
    assert_int_equal(loop.tuning.step[4].note.phase, TUNER_SEARCH);        /* the first of the second run */
    loop_close(&loop);
}

/* ---- changes alongside a tuner ---- */

#define STAR_100US "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us}\n" \
                   "traffic: [{kind: poisson, load: 0.3, sizes: FB_Hadoop}]\n" \
                   "knobs: {rpg_hai_rate: 70}\ninterval: 100us\nrun: 500us\n"

/* Expert's settings: rpg_ai_rate 50, kmin 1600, kmax 6400, pmax 0.2. A change of pmax affects nothing else,
 * and persists. */
static void change__affects_only_named_knobs_and_persists(void **state)
{
    static const struct { enum knob knob; double value; } rows[] = {
        { KNOB_rpg_ai_rate, 50 }, { KNOB_kmin, 1600 }, { KNOB_kmax, 6400 }, { KNOB_rpg_hai_rate, 150 },
    };
    struct simulation s;
    uint32_t          turned[KNOB_COUNT] = { 0 };

    (void)state;
    open_text(&s, STAR_100US "tuner: expert\nchanges: [{at: 150us, knobs: {pmax: 0.5}}]\n");
    run(&s);
    assert_true(sim_settings(s.sim)->knobs.value[KNOB_pmax] == 0.5);
    for (uint32_t i = 0; i < s.series.knobs; i++)
        turned[s.series.knob[i].knob] += s.series.knob[i].at_ps > 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(sim_settings(s.sim)->knobs.value[rows[i].knob] == rows[i].value);
        assert_int_equal(turned[rows[i].knob], 0);               /* not even temporarily */
    }
    assert_int_equal(turned[KNOB_pmax], 1);
    simulation_close(&s);
}

/* At 200 us the second interval ends, which had the old pmax; the third has the new one. */
static void change__at_the_end_of_an_interval_belongs_to_the_next(void **state)
{
    struct simulation s;

    (void)state;
    open_text(&s, STAR_100US "tuner: expert\nchanges: [{at: 200us, knobs: {pmax: 0.5}}]\n");
    run(&s);
    assert_int_equal(s.loop.tuning.steps, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(s.loop.tuning.step[i].was.value[KNOB_pmax] == (i < 2 ? 0.2 : 0.5));
        assert_true(s.loop.tuning.step[i].was.value[KNOB_kmin] == 1600);
    }
    assert_true(sim_settings(s.sim)->knobs.value[KNOB_pmax] == 0.5);
    simulation_close(&s);
}

/* A search sets kmin; cnp_dscp, which is not searched, stays as changed. Three hosts send so little in some
 * intervals that the guard would reset kmin: it is off. */
static void change__of_a_knob_outside_the_search_is_kept(void **state)
{
    struct simulation s;

    (void)state;
    open_text(&s, STAR_100US "tuner: {kind: random, trigger: once, budget: 3, confirm: 0, guard: 0}\n"
                             "changes: [{at: 200us, knobs: {cnp_dscp: 13}}]\n");
    run(&s);
    assert_true(s.loop.tuning.step[3].was.value[KNOB_kmin] != s.loop.tuning.step[0].was.value[KNOB_kmin]);
    assert_true(s.loop.tuning.step[1].was.value[KNOB_cnp_dscp] == 48);
    for (uint32_t i = 2; i < 5; i++)
        assert_true(s.loop.tuning.step[i].was.value[KNOB_cnp_dscp] == 13);
    assert_true(sim_settings(s.sim)->knobs.value[KNOB_cnp_dscp] == 13);
    simulation_close(&s);
}

/* ---- the tuner of a scenario ---- */

#define NETWORK "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n" \
                "traffic: [{kind: poisson, load: 0.3, sizes: FB_Hadoop}]\ninterval: 50us\nrun: 300us\n"

static int open_with(struct simulation *s, const char *text, const char *const *set, uint32_t sets,
                     struct err *err)
{
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text),
                                      .set = set, .sets = sets };

    return simulation_open(s, &input, err);
}

static double value_of(const struct tuning *g, const char *option)
{
    for (int i = 0; g->algo->option[i].name; i++)
        if (strcmp(g->algo->option[i].name, option) == 0)
            return g->values.value[i];
    fail_msg("no option %s", option);
    return 0;
}

static void tuner__takes_options_of_the_scenario(void **state)
{
    struct simulation s;
    struct err        err;

    (void)state;
    if (open_with(&s, NETWORK "tuner: {kind: paraleon, eta: 0.7, guided: no, start: 100us}\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    assert_string_equal(s.loop.tuning.algo->name, "paraleon");
    assert_true(value_of(&s.loop.tuning, "eta") == 0.7);
    assert_true(value_of(&s.loop.tuning, "guided") == 0);
    assert_true(value_of(&s.loop.tuning, "give_up") == 6);
    simulation_run(&s, NULL, NULL);
    assert_int_equal(s.loop.tuning.steps, 4);         /* 100 to 300 us */
    assert_int_equal(s.loop.tuning.step[0].start_ps, 100 * PS_PER_US);
    simulation_close(&s);
}

static void tuner__an_alias_is_a_tuner_with_an_option(void **state)
{
    struct simulation s;
    struct err        err;

    (void)state;
    if (open_with(&s, NETWORK "tuner: expert\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    assert_string_equal(s.loop.tuning.algo->name, "fixed");
    simulation_run(&s, NULL, NULL);
    assert_true(sim_settings(s.sim)->knobs.value[KNOB_rpg_ai_rate] == 50);
    simulation_close(&s);
}

/* 14 temperatures of 20 settings, utility not in percent: defaults that were not given, but are recorded. */
static void tuner__records_all_option_values(void **state)
{
    struct simulation s;
    struct err        err;
    uint32_t          given = 0;

    (void)state;
    if (open_with(&s, NETWORK "tuner: {kind: paraleon_published, eta: 0.7}\n", NULL, 0, &err))
        fail_msg("%s", err.text);
    assert_true(value_of(&s.loop.tuning, "budget") == 280);
    assert_true(value_of(&s.loop.tuning, "utility_scale") == 1);
    assert_true(value_of(&s.loop.tuning, "eta") == 0.7);
    for (int i = 0; i < OPTIONS_MAX; i++)
        given += s.loop.tuning.values.is_given[i];
    assert_int_equal(given, 2);                  /* preset and eta */
    simulation_close(&s);
}

static void tuner__refuses_with_the_location(void **state)
{
    static const struct { const char *tuner, *set, *message; } rows[] = {
        { "tuner: paralon\n", NULL, "test.yaml:5:8: 'paralon' is not a tuner; did you mean 'paraleon'?" },
        { "tuner: xylophone\n", NULL, "test.yaml:5:8: 'xylophone' is not a tuner; there are fixed, " },
        { "tuner:\n  kind: paraleon\n  thta: 1\n", NULL,
          "test.yaml:7:3: 'thta' is not an option of paraleon; did you mean 'theta'?" },
        { "tuner:\n  kind: paraleon\n  theta: 0\n", NULL, "test.yaml:7:3: theta must be 1e-09" },
        { "tuner:\n  kind: paraleon\n  weights: fixed\n  weight_throughput: 0.5\n  weight_rtt: 0.5\n"
          "  weight_pfc: 0.5\n", NULL,
          "test.yaml:8:3: weight_throughput: the weights 0.5, 0.5 and 0.5 sum to 1.5" },
        { "tuner: {kind: fixed, setting: exprt}\n", NULL, "test.yaml:5:" },
        { "tuner:\n  kind: paraleon\n  record: yes\n", NULL,
          "test.yaml:7:11: record: the tuner paraleon does not set queues slot by slot" },
        { "tuner: {record: yes, kind: secn2}\n", NULL,
          "test.yaml:5:17: record: the tuner secn2 does not set queues slot by slot" },
        { "tuner: vendor\n", "tuner.record=yes",
          "--set tuner.record=yes: record: the tuner vendor does not set queues slot by slot" },
        { "", "tuner=paralon", "--set tuner=paralon: 'paralon' is not a tuner; did you mean 'paraleon'?" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct simulation s;
        struct err        err = { "" };
        char              text[600];

        snprintf(text, sizeof(text), NETWORK "%s", rows[i].tuner);
        assert_true(open_with(&s, text, &rows[i].set, rows[i].set != NULL, &err) < 0);
        if (strncmp(err.text, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("%s: %s", rows[i].message, err.text);
    }
}

/* A file of knobs is looked up next to the scenario, regardless of the current folder. */
static void tuner__a_file_is_relative_to_the_scenario(void **state)
{
    static const char text[] = NETWORK "tuner: {kind: fixed, setting: k.yaml}\n";
    char              folder[] = "/tmp/anole-tuning-XXXXXX", name[64], file[64];
    struct simulation_input input = { .name = name, .text = text, .text_bytes = strlen(text) };
    struct simulation s;
    struct err        err;
    FILE             *out;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof(name), "%s/s.yaml", folder);
    snprintf(file, sizeof(file), "%s/k.yaml", folder);
    out = fopen(file, "w");
    assert_non_null(out);
    fputs("kmin: 77KB\n", out);
    fclose(out);
    if (simulation_open(&s, &input, &err))
        fail_msg("%s", err.text);
    simulation_run(&s, NULL, NULL);
    assert_true(sim_settings(s.sim)->knobs.value[KNOB_kmin] == 77);
    simulation_close(&s);
    unlink(file);
    rmdir(folder);
}

static void open__refuses_a_wrong_scenario(void **state)
{
    struct simulation_input input = { .name = "bad.yaml", .text = "topology: 5\n", .text_bytes = 12 };
    struct simulation s;
    struct err err;

    (void)state;
    assert_true(simulation_open(&s, &input, &err) < 0);
    assert_non_null(strstr(err.text, "bad.yaml:1:"));
}

/* ---- delays ---- */

#define BUSY "topology: {kind: star, hosts: 4, rate: 10Gbps, delay: 1us}\n" \
             "traffic: [{kind: all_to_all, size: 1GB}]\ninterval: 200us\nrun: 10ms\n"

/* A decision takes effect monitor + dispatch delay after the end of its report, and the next report covers
 * the time from then on. */
static void delay__decisions_take_effect_after_the_delay(void **state)
{
    const uint64_t    delay_ps = 450 * PS_PER_US;
    struct simulation s;
    uint32_t          decisions = 0, turned = 0;

    (void)state;
    open_text(&s, BUSY "tuner: {kind: random, monitor_delay: 150us, dispatch_delay: 300us}\n");
    simulation_run(&s, NULL, NULL);
    for (uint32_t i = 1; i < s.loop.tuning.steps; i++) {
        const struct tuning_step *was = &s.loop.tuning.step[i - 1], *is = &s.loop.tuning.step[i];
        bool                      has_decided = !knobs_equal(&was->was, &was->is);

        assert_true(is->start_ps >= was->end_ps + (has_decided ? delay_ps : 0));
        assert_true(is->start_ps < was->end_ps + (has_decided ? delay_ps + 200 * PS_PER_US : 1));
        if (!has_decided)
            continue;
        decisions++;
        assert_true(knobs_equal(&is->was, &was->is));
        for (uint32_t k = 0; k < s.series.knobs; k++)
            if (s.series.knob[k].at_ps == was->end_ps + delay_ps) {      /* several of them at once */
                turned++;
                break;
            }
    }
    assert_true(decisions >= 5);
    assert_int_equal(turned, decisions);
    simulation_close(&s);
}

/* Delays of 0 are the same as no delays. */
static void delay__of_zero_equals_none(void **state)
{
    struct simulation a, b;

    (void)state;
    open_text(&a, BUSY "tuner: random\n");
    open_text(&b, BUSY "tuner: {kind: random, monitor_delay: 0ms, dispatch_delay: 0us}\n");
    simulation_run(&a, NULL, NULL);
    simulation_run(&b, NULL, NULL);
    assert_int_equal(a.loop.tuning.steps, b.loop.tuning.steps);
    assert_true(a.loop.tuning.steps == 50 && knobs_equal(&a.loop.tuning.step[49].is,
                                                         &b.loop.tuning.step[49].is));
    simulation_close(&a);
    simulation_close(&b);
}

static void delay__of_a_tuner_of_slots_is_refused(void **state)
{
    const char *text = BUSY "tuner: {kind: acc, dispatch_delay: 1ms}\n";
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text) };
    struct simulation s;
    struct err        err;

    (void)state;
    assert_true(simulation_open(&s, &input, &err) < 0);
    assert_non_null(strstr(err.text, "slot by slot"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__reports_every_interval_up_to_the_end),
        cmocka_unit_test(run__reports_an_idle_network),
        cmocka_unit_test(run__ends_with_the_last_flow),
        cmocka_unit_test(run__has_late_packets_in_intervals),
        cmocka_unit_test(run__records_when_a_knob_changed),
        cmocka_unit_test(run__ends_when_a_hook_requests_it),
        cmocka_unit_test(run__without_an_interval_has_enough_points),
        cmocka_unit_test(run__intervals_are_the_same_with_points_between),
        cmocka_unit_test(lend__a_search_continues_in_the_next_run),
        cmocka_unit_test(change__affects_only_named_knobs_and_persists),
        cmocka_unit_test(change__at_the_end_of_an_interval_belongs_to_the_next),
        cmocka_unit_test(change__of_a_knob_outside_the_search_is_kept),
        cmocka_unit_test(tuner__takes_options_of_the_scenario),
        cmocka_unit_test(tuner__an_alias_is_a_tuner_with_an_option),
        cmocka_unit_test(tuner__records_all_option_values),
        cmocka_unit_test(tuner__refuses_with_the_location),
        cmocka_unit_test(tuner__a_file_is_relative_to_the_scenario),
        cmocka_unit_test(delay__decisions_take_effect_after_the_delay),
        cmocka_unit_test(delay__of_zero_equals_none),
        cmocka_unit_test(delay__of_a_tuner_of_slots_is_refused),
        cmocka_unit_test(open__refuses_a_wrong_scenario),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
