/* src/run/simulation_test.c - one run from text to results: intervals, knobs on the way, the end. */
#include "run/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
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
    assert_int_equal(looks.count, 34);           /* 33 whole ones, and 10 us */
    assert_int_equal(looks.last_ps, PS_PER_MS);
    assert_int_equal(looks.longest_ps, 30 * PS_PER_US);
    assert_int_equal(looks.payload_bytes, s.sim->engine.counters.payload_received);
    assert_int_equal(s.series.intervals, 34);
    simulation_close(&s);
}

/* Nothing happens after a few microseconds: the rest is told in intervals all the same. */
static void run__reports_a_network_in_which_nothing_moves(void **state)
{
    struct simulation s;
    struct looks looks;

    (void)state;
    open_text(&s, "topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, loss: 0.2}\n"
                  "host: {rto: 0}\n"
                  "traffic: [{kind: incast, senders: 2, size: 20KB}]\n"
                  "interval: 10us\nrun: 200ms\n");
    looks = run(&s);
    assert_true(s.sim->engine.counters.flows_done < s.sim->engine.counters.flows_started);
    assert_int_equal(looks.count, 20000);
    assert_int_equal(looks.last_ps, 200 * PS_PER_MS);
    assert_int_equal(looks.payload_bytes, s.sim->engine.counters.payload_received);
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

/* In the middle of an interval, and of the first. */
static void run__keeps_when_a_knob_was_turned(void **state)
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
    assert_true(looks.kmin_first == 50 && looks.kmin_last == 20);        /* in force at the end of each */
    simulation_close(&s);
}

struct enough { uint32_t asked, limit; };

static bool is_enough(void *arg)
{
    struct enough *e = arg;

    return ++e->asked == e->limit;
}

static void run__ends_when_it_is_enough(void **state)
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

/* Runs of 4 intervals and half a one: a search goes on from one to the next, with the setting that was left. */
static void lend__a_search_goes_on_in_the_next_run(void **state)
{
    static const char text[] = "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
                               "traffic: [{kind: poisson, load: 0.6, sizes: FB_Hadoop}]\n"
                               "tuner: {kind: random, trigger: once, budget: 6, confirm: 0}\n"
                               "interval: 100us\nrun: 450us\n";
    struct simulation_input input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text) };
    struct tuner            tuner = { 0 };
    struct tuning           tuning = { 0 };
    struct knobs            knobs;
    struct err              err;
    bool                    is_over = false;
    uint32_t                runs = 0;

    (void)state;
    for (; !is_over && runs < 20; runs++) {
        struct simulation s;

        assert_int_equal(simulation_open(&s, &input, &err), 0);
        if (runs > 0) {
            assert_null(s.tuner.algo);
            assert_memory_equal(&s.sim->cfg.knobs, &knobs, sizeof(knobs));
            simulation_lend(&s, &tuner, &tuning);
        }
        simulation_run(&s, NULL, NULL);
        assert_int_equal(s.tuning.steps, 4 * (runs + 1));
        knobs = s.sim->cfg.knobs;
        is_over = s.tuner.algo->is_idle(s.tuner.state);
        simulation_take_back(&s, &tuner, &tuning);
        simulation_close(&s);
        input.is_untuned = true;
        input.knobs = &knobs;
    }
    assert_true(is_over && runs > 1);
    for (uint32_t i = 1; i < tuning.steps; i++)
        assert_memory_equal(&tuning.step[i].was, &tuning.step[i - 1].is, sizeof(knobs));
    assert_string_equal(tuning.step[4].note.phase, "search");        /* the first of the second run */
    tuner_close(&tuner);
    tuning_fini(&tuning);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__reports_every_interval_up_to_the_end),
        cmocka_unit_test(run__reports_a_network_in_which_nothing_moves),
        cmocka_unit_test(run__ends_with_the_last_flow),
        cmocka_unit_test(run__keeps_when_a_knob_was_turned),
        cmocka_unit_test(run__ends_when_it_is_enough),
        cmocka_unit_test(lend__a_search_goes_on_in_the_next_run),
        cmocka_unit_test(open__refuses_a_wrong_scenario),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
