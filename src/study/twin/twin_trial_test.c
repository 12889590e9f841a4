#include "study/twin/twin_trial.h"
#include "core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define STAR "topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"

static struct twin twin_of(const char *text, uint32_t jobs)
{
    return (struct twin){ .input = { .name = "test.yaml", .text = text, .text_bytes = strlen(text) },
                          .jobs = jobs };
}

static struct predicted run_one(const char *text, uint64_t until_ps, double load)
{
    struct twin          t = twin_of(text, 1);
    struct predictor     p = twin_predictor(&t);
    struct knobs         k;
    struct predict_point point = { &k, 1, load, 1 };
    struct predicted     found;
    struct err           err;

    knobs_init(&k);
    t.input.until_ps = until_ps;
    assert_int_equal(p.run(p.arg, &point, 1, &found, &err), 0);
    return found;
}

static const char lone[] = STAR "traffic:\n  - {kind: incast, senders: 1, size: 10MB}\nrun: 10ms\n";

static void run__a_message_alone_has_a_slowdown_of_1(void **state)
{
    struct predicted p = run_one(lone, 10 * PS_PER_MS, 1);

    (void)state;
    assert_true(p.all.messages[PREDICT_ELEPHANTS] == 1 && p.all.messages[PREDICT_MICE] == 0);
    assert_true(p.all.slowdowns[PREDICT_ELEPHANTS] >= 1 && p.all.slowdowns[PREDICT_ELEPHANTS] < 1.001);
    assert_int_equal(p.all.unfinished, 0);
}

/* The run ends in the middle of the message, which counts with the slowdown that it will have at least. */
static void run__an_unfinished_message_counts_with_its_least_slowdown(void **state)
{
    struct predicted p = run_one(lone, PS_PER_MS / 2, 1);

    (void)state;
    assert_int_equal(p.all.unfinished, 1);
    assert_true(p.all.messages[PREDICT_ELEPHANTS] == 1);
    assert_true(p.all.slowdowns[PREDICT_ELEPHANTS] >= 1 && p.all.slowdowns[PREDICT_ELEPHANTS] < 1.02);
}

/* Three messages share a receiver's link and need at least 24 ms. After 12 ms, 1.5 times the time of a
 * single one has passed, and half of each is left. */
static void run__counts_starving_messages(void **state)
{
    static const char three[] = STAR "traffic:\n  - {kind: incast, senders: 3, size: 100MB}\nrun: 100ms\n";
    struct predicted  p = run_one(three, 12 * PS_PER_MS, 1);

    (void)state;
    assert_int_equal(p.all.unfinished, 3);
    assert_true(p.all.slowdowns[PREDICT_ELEPHANTS] / 3 > 1.45 &&
                p.all.slowdowns[PREDICT_ELEPHANTS] / 3 < 2.5);
}

/* Two workers send 1 MB to each other and compute for 100 us. The link needs 80 us for the bytes and about
 * 6 % more for headers. A round trip and the barrier add at most 10 us. */
static void run__a_job_has_iterations_with_compute(void **state)
{
    static const char job[] =
        STAR "traffic:\n  - {kind: training, workers: 2, collective: all_to_all, size: 1MB, "
             "compute: 100us}\nrun: 2ms\n";
    struct predicted  p = run_one(job, 2 * PS_PER_MS, 1);
    double            us = 1e6 * p.all.job[0].seconds / p.all.job[0].iterations;

    (void)state;
    assert_int_equal(p.all.job[0].id, 1);
    assert_int_equal(p.all.job[1].id, 0);
    assert_true(p.all.job[0].iterations > 10 && p.all.job[0].iterations < 11.2);
    assert_true(us > 180 && us < 200);
    assert_true(p.all.job_messages[PREDICT_ELEPHANTS] == p.all.messages[PREDICT_ELEPHANTS]);
    p = run_one(job, PS_PER_MS / 20, 1);         /* in the middle of the first iteration */
    assert_true(p.all.job[0].iterations > 0.4 && p.all.job[0].iterations < 0.6);
    us = 1e6 * p.all.job[0].seconds / p.all.job[0].iterations;
    assert_true(us > 180 && us < 220);
}

static const char mix[] = STAR "traffic:\n  - {kind: poisson, sizes: FB_Hadoop, load: 40%}\n"
                               "  - {kind: incast, senders: 3, size: 64KB, period: 100us}\nrun: 1ms\n";

/* Twice the time completes twice as much. Loops are only counted on request, because that takes a walk over
 * all flows. */
static void run__counts_what_loops_complete(void **state)
{
    static const char    text[] = STAR "traffic:\n  - {kind: incast, senders: 1, size: 1KB}\n"
                                       "  - {kind: storage, depth: 2, storage: 2, compute: 2, replicas: 1}\nrun: 4ms\n";
    struct twin          t = twin_of(text, 1);
    struct predictor     p = twin_predictor(&t);
    struct knobs         k;
    struct predict_point point = { &k, 1, 1, 1 };
    struct predicted     found[3];
    struct err           err;

    (void)state;
    knobs_init(&k);
    for (int i = 0; i < 3; i++) {
        t.input.until_ps = (i == 1 ? 4 : 2) * PS_PER_MS;
        t.counts_loops = i < 2;
        if (p.run(p.arg, &point, 1, &found[i], &err))
            fail_msg("%s", err.text);
    }
    assert_true(found[0].all.loop[0].id == 2 && found[0].all.loop[1].id == 0 && found[2].all.loop[0].id == 0);
    assert_true(found[0].all.loop[0].seconds == 0.002 && found[1].all.loop[0].seconds == 0.004);
    assert_true(found[0].all.loop[0].bytes > 1e6);
    assert_true(found[1].all.loop[0].bytes > 1.8 * found[0].all.loop[0].bytes &&
                found[1].all.loop[0].bytes < 2.2 * found[0].all.loop[0].bytes);
}

static void run__finds_the_same_with_any_number_of_workers(void **state)
{
    struct twin          one = twin_of(mix, 1), three = twin_of(mix, 3);
    struct predictor     p = twin_predictor(&one), q = twin_predictor(&three);
    struct knobs         k[2];
    struct predict_point point[8];
    struct predicted     a[8], b[8];
    struct err           err;

    (void)state;
    knobs_init(&k[0]);
    knobs_init(&k[1]);
    k[1].value[KNOB_kmin] = 20;
    k[1].value[KNOB_kmax] = 40;
    one.input.until_ps = three.input.until_ps = PS_PER_MS;
    for (uint32_t i = 0; i < 8; i++)
        point[i] = (struct predict_point){ &k[i % 2], 1 + i / 4, 1, i % 4 < 2 ? 1 : 0.5 };
    assert_int_equal(p.run(p.arg, point, 8, a, &err), 0);
    assert_int_equal(q.run(q.arg, point, 8, b, &err), 0);
    for (int i = 0; i < 8; i++) {
        assert_true(a[i].cost == b[i].cost && a[i].cost > 0);
        for (int c = 0; c < PREDICT_CLASSES; c++)
            assert_true(a[i].all.slowdowns[c] == b[i].all.slowdowns[c] &&
                        a[i].all.messages[c] == b[i].all.messages[c]);
    }
    /* All settings get the same messages. Another seed has others. */
    assert_true(a[0].all.messages[PREDICT_MICE] == a[1].all.messages[PREDICT_MICE]);
    assert_true(a[0].all.messages[PREDICT_MICE] != a[4].all.messages[PREDICT_MICE]);
    assert_true(a[0].all.slowdowns[PREDICT_MICE] != a[1].all.slowdowns[PREDICT_MICE]);
}

/* Three times the load is about three times the messages. The incast has no load and stays. */
static void run__scales_only_entries_with_a_load(void **state)
{
    struct predicted some = run_one(mix, PS_PER_MS, 0.5), most = run_one(mix, PS_PER_MS, 1.5);
    double           incast = 30;

    (void)state;
    assert_true((most.all.messages[PREDICT_MICE] - incast) / (some.all.messages[PREDICT_MICE] - incast) > 2);
    assert_true((most.all.messages[PREDICT_MICE] - incast) / (some.all.messages[PREDICT_MICE] - incast) < 4);
}

/* Posting ends after 0.5 ms, in the middle of a message that takes 0.8 ms alone. The run waits for it, but
 * the window counts it as unfinished, as hosts would report. */
static void run__waits_for_posted_messages(void **state)
{
    struct twin          t = twin_of(lone, 1);
    struct predictor     p = twin_predictor(&t);
    struct knobs         k;
    struct predict_point point = { &k, 1, 1, 1 };
    struct predicted     found;
    struct err           err;

    (void)state;
    knobs_init(&k);
    t.input.until_ps = PS_PER_MS / 2;
    t.drain = 2;
    assert_int_equal(p.run(p.arg, &point, 1, &found, &err), 0);
    assert_int_equal(found.all.unfinished, 0);
    assert_true(found.all.messages[PREDICT_ELEPHANTS] == 1 && found.all.slowdowns[PREDICT_ELEPHANTS] < 1.001);
    assert_int_equal(found.window.unfinished, 1);
    assert_true(found.window.slowdowns[PREDICT_ELEPHANTS] >= 1 &&
                found.window.slowdowns[PREDICT_ELEPHANTS] < 1.02);
}

/* Bursts every 100 us until 1 ms. The window is the second half, in which five of the ten end. */
static void run__window_has_messages_that_ended_in_it(void **state)
{
    static const char    bursts[] = STAR
                                    "traffic:\n  - {kind: incast, senders: 3, size: 64KB, period: 100us}\n"
                                    "run: 100ms\n";
    struct twin          t = twin_of(bursts, 1);
    struct predictor     p = twin_predictor(&t);
    struct knobs         k;
    struct predict_point point = { &k, 1, 1, 1 };
    struct predicted     found;
    struct err           err;

    (void)state;
    knobs_init(&k);
    t.input.until_ps = PS_PER_MS;
    t.warm_ps = PS_PER_MS / 2;
    t.drain = 2;
    assert_int_equal(p.run(p.arg, &point, 1, &found, &err), 0);
    assert_true(found.all.messages[PREDICT_MICE] == 30);
    assert_true(found.window.messages[PREDICT_MICE] == 15);
    assert_int_equal(found.window.unfinished, 0);
}

static void run__reports_errors_of_the_scenario(void **state)
{
    struct twin          t = twin_of("topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 1us}\n"
                                     "run: 1 parsec\n", 2);
    struct predictor     p = twin_predictor(&t);
    struct knobs         k;
    struct predict_point point = { &k, 1, 1, 1 };
    struct predicted     found;
    struct err           err;

    (void)state;
    knobs_init(&k);
    assert_true(p.run(p.arg, &point, 1, &found, &err) < 0);
    assert_non_null(strstr(err.text, "test.yaml:2:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__a_message_alone_has_a_slowdown_of_1),
        cmocka_unit_test(run__an_unfinished_message_counts_with_its_least_slowdown),
        cmocka_unit_test(run__counts_starving_messages),
        cmocka_unit_test(run__a_job_has_iterations_with_compute),
        cmocka_unit_test(run__counts_what_loops_complete),
        cmocka_unit_test(run__finds_the_same_with_any_number_of_workers),
        cmocka_unit_test(run__scales_only_entries_with_a_load),
        cmocka_unit_test(run__waits_for_posted_messages),
        cmocka_unit_test(run__window_has_messages_that_ended_in_it),
        cmocka_unit_test(run__reports_errors_of_the_scenario),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
