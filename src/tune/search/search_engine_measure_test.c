#include "tune/search/test_script.h"

static void weights__are_as_given(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "weights", "fixed" }, { "weight_throughput", "0.6" },
                                   { "weight_rtt", "0.3" }, { "weight_pfc", "0.1" }));
    step_all(&b, 0.5, 0.4, 0.2, 0.9);
    assert_true(test_is_near(b.note.utility, 0.3 + 0.12 + 0.02, 1e-6));
    tuner_close(&b.tuner);
}

/* Weights go from 0.2, 0.5, 0.3 for mice to 0.8, 0, 0.2 for elephants: 0.74, 0.05, 0.21 at nine tenths.
 * While the share is unknown, they are those for mice. */
static void weights__follow_the_share_of_elephants(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 9, TEST_OPTIONS({ "weights", "share" }));
    step_all(&b, 0.5, 0.4, 0.2, -1);
    assert_true(test_is_near(b.note.utility, 0.2 * 0.5 + 0.5 * 0.4 + 0.3 * 0.2, 1e-6));
    step_all(&b, 0.5, 0.4, 0.2, 0.9);
    assert_true(test_is_near(b.note.utility, 0.74 * 0.5 + 0.05 * 0.4 + 0.21 * 0.2, 1e-6));
    step_all(&b, 0.5, 0.4, 0.2, 0);
    assert_true(test_is_near(b.note.utility, 0.2 * 0.5 + 0.5 * 0.4 + 0.3 * 0.2, 1e-6));
    assert_true(test_is_near(script->measured.weights.rtt, 0.5, 1e-9));
    tuner_close(&b.tuner);
}

/* First elephants dominate, then mice. The current utility and the choice of the best setting use the new
 * weights. */
static void reread__uses_current_weights(void **unused)
{
    static const char *const answer[] = { "yes", "no" };
    struct test_search b;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        open_bench(&b, 3, TEST_OPTIONS({ "reread", answer[i] }, { "confirm", "0" }));
        step_all(&b, 0.2, 0.2, 1, 0.9);
        step_all(&b, 0.9, 0.3, 1, 0.9);      /* 100: best for throughput */
        step_all(&b, 0.3, 0.9, 1, 0.9);      /* 101: best for delay */
        assert_true(script->measured.weights.throughput == 0.5);
        assert_true(best_time_reset(&b) == 100);
        step_all(&b, 0.1, 0.1, 1, 0.1);
        assert_true(script->measured.weights.throughput == (i == 0 ? 0.2 : 0.5));
        assert_true(test_is_near(script->measured.elephants, i == 0 ? 0.1 : 0.9, 1e-9));
        assert_true(test_is_near(b.note.utility, 0.1 * 0.7 + 0.3, 1e-6));
        assert_true(test_is_near(script->measured.utility, 100 * (0.1 * 0.7 + 0.3), 1e-4));
        assert_true(time_reset(&b) == (i == 0 ? 101 : 100));
        tuner_close(&b.tuner);
    }
}

/* Of 100 packets, 10 cause CNPs and 25 are marked. The queue is as long as the bandwidth-delay product of
 * 512.5 KB. If nothing is sent, the value is 0. */
static void metric__is_one_figure(void **unused)
{
    static const struct { const char *metric; double value; } row[] = {
        { "throughput", 0.6 }, { "rtt", 0.4 }, { "pfc", 0.2 }, { "cnps", 0.9 }, { "marks", 0.75 },
        { "queue", 0.5 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct test_search b;

        open_bench(&b, 9, TEST_OPTIONS({ "metric", row[i].metric }));
        for (int busy = 1; busy >= 0; busy--) {
            test_report(&b.net, 0.6 * busy, 0.4, 0.2, 0.9);
            b.net.report.received_packets = 100;
            b.net.report.cnps_received = 10;
            b.net.report.marked_packets = 25;
            b.net.report.queue_bytes_max = 512500;
            tuner_step(&b.tuner, &b.net.report, &b.knobs, &b.note);
            assert_true(test_is_near(b.note.utility, busy * row[i].value, 1e-5));
        }
        tuner_close(&b.tuner);
    }
}

/* In pauses of training the network is empty and looks good under any setting. */
static void step__skips_silent_intervals(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 2, TEST_OPTIONS({ "confirm", "1" }));
    step(&b, 0.5, 0.9);
    for (int i = 0; i < 5; i++) {
        step_all(&b, 0, 1, 1, -1);
        assert_true(time_reset(&b) == 100);
        assert_string_equal("no uplink was active: the same setting is measured in the next interval",
                            b.note.why);
    }
    assert_int_equal(0, script->tells);
    step(&b, 0.6, 0.9);
    step(&b, 0.7, 0.9);
    assert_int_equal(2, script->tells);
    step_all(&b, 0.01, 1, 1, 0.9);           /* below 5 % an uplink is not active */
    assert_int_equal(TUNER_CONFIRM, b.note.phase);
    assert_true(time_reset(&b) == 101);
    tuner_close(&b.tuner);
}

static void step__counts_silent_intervals_as_the_artifact_does(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 2, TEST_OPTIONS({ "metrics", "artifact" }));
    step(&b, 0.5, 0.9);
    assert_true(test_is_near(b.note.rtt, 1.025, 0.001));   /* 41 us over 40 us */
    step_all(&b, 0, 1, 1, -1);
    assert_int_equal(1, script->tells);
    tuner_close(&b.tuner);
}

/* Hosts report messages, so counters of the network do not count. One mouse at 2 and one elephant at 4: J
 * is the square root of 3 x 4. */
static void objective__is_how_fast_messages_are(void **unused)
{
    struct test_search b;
    struct report      r;

    (void)unused;
    open_bench(&b, 2, TEST_OPTIONS({ "objective", "balanced" }, { "confirm", "0" }));
    assert_true(b.tuner.algo->wants_messages(b.tuner.state));
    r = *test_report(&b.net, 0.5, 0.5, 1, 0.9);
    r.has_seen = true;
    r.seen.done[0] = (struct seen_class){ 1, 2 };
    r.seen.waiting[PREDICT_ELEPHANTS] = (struct seen_class){ 1, 4 };
    tuner_step(&b.tuner, &r, &b.knobs, &b.note);
    assert_true(test_is_near(b.note.utility, 1 / sqrt(12), 1e-9));
    assert_true(isnan(b.note.throughput) && isnan(b.note.rtt) && isnan(b.note.pfc));
    tuner_close(&b.tuner);
}

static void objective__is_utility_without_message_reports(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 2, TEST_OPTIONS({ "objective", "latency" }, { "confirm", "0" }));
    step_all(&b, 0.5, 0.4, 0.9, 0.9);
    assert_true(test_is_near(b.note.utility, 0.5 * 0.5 + 0.2 * 0.4 + 0.3 * 0.9, 1e-6));
    assert_true(test_is_near(b.note.throughput, 0.5, 1e-6));
    tuner_close(&b.tuner);
}

/* An interval without messages is not a measurement. */
static void objective__skips_intervals_without_messages(void **unused)
{
    struct test_search b;
    struct report      r;

    (void)unused;
    open_bench(&b, 2, TEST_OPTIONS({ "objective", "balanced" }, { "confirm", "0" }));
    r = *test_report(&b.net, 0.5, 0.5, 1, 0.9);
    r.has_seen = true;
    r.seen.done[0] = (struct seen_class){ 1, 2 };
    tuner_step(&b.tuner, &r, &b.knobs, &b.note);
    r.seen.done[0] = (struct seen_class){ 0, 0 };
    tuner_step(&b.tuner, &r, &b.knobs, &b.note);
    assert_int_equal(0, script->tells);
    tuner_close(&b.tuner);
}

/* The first two intervals still show the old setting. */
static void settle__skips_the_first_intervals(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 9, TEST_OPTIONS({ "settle", "2" }));
    step(&b, 0.5, 0.9);
    for (int n = 0; n < 3; n++) {
        for (int i = 0; i < 2; i++) {
            step(&b, 0.9, 0.9);
            assert_true(time_reset(&b) == 100 + n);
            assert_string_equal("the setting is new: what is seen is still the old one's", b.note.why);
        }
        assert_int_equal(n, script->tells);
        step(&b, 0.6, 0.9);
        assert_true(test_is_near(script->measured.terms.throughput, 0.6, 1e-6));
    }
    tuner_close(&b.tuner);
}

/* The first setting of the search is already set. */
static void settle__is_not_needed_without_a_change(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 9, TEST_OPTIONS({ "settle", "2" }));
    b.knobs.value[KNOB_rpg_time_reset] = 100;
    b.knobs.value[KNOB_rate_to_set_on_first_cnp] = 85000;
    step(&b, 0.5, 0.9);
    step(&b, 0.6, 0.9);
    assert_int_equal(1, script->tells);
    step(&b, 0.6, 0.9);
    assert_int_equal(1, script->tells);
    tuner_close(&b.tuner);
}

/* The mean terms are 0.6, 0.5 and 0.8. A silent interval does not count as one of the three. */
static void measure__takes_the_mean(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "measure", "3" }, { "confirm", "1" }));
    step(&b, 0.5, 0.9);
    step_all(&b, 0.3, 0.4, 0.9, 0.9);
    assert_string_equal("interval 1 of 3 in which the setting is measured", b.note.why);
    step_all(&b, 0.6, 0.5, 0.8, 0.9);
    step_all(&b, 0, 1, 1, -1);
    assert_int_equal(0, script->tells);
    step_all(&b, 0.9, 0.6, 0.7, 0.9);
    assert_int_equal(1, script->tells);
    assert_true(test_is_near(script->measured.terms.throughput, 0.6, 1e-6));
    assert_true(test_is_near(script->measured.terms.rtt, 0.5, 1e-6));
    assert_true(test_is_near(script->measured.terms.pfc, 0.8, 1e-6));
    assert_true(test_is_near(script->measured.utility, 100 * (0.5 * 0.6 + 0.2 * 0.5 + 0.3 * 0.8), 1e-4));
    tuner_close(&b.tuner);
}

/* 0.3, 0.3, 0.3, 0.9 and 0.4: the mean is 0.44. The median is 0.3, as are most of the values, so a filter
 * removes the others. */
static void summary__judges_a_setting(void **unused)
{
    static const struct { const char *filter; double want; } row[] = { { "0", 0.44 }, { "3", 0.3 } };
    static const double throughput[] = { 0.3, 0.3, 0.3, 0.9, 0.4 };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct test_search b;

        open_bench(&b, 2, TEST_OPTIONS({ "measure", "5" }, { "filter", row[i].filter }));
        step(&b, 0.5, 0.9);
        for (int n = 0; n < 5; n++)
            step(&b, throughput[n], 0.9);
        assert_int_equal(1, script->tells);
        assert_true(test_is_near(script->measured.terms.throughput, row[i].want, 1e-6));
        tuner_close(&b.tuner);
    }
}

static void measure__holds_for_confirm(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "measure", "2" }, { "confirm", "1" }));
    step(&b, 0.5, 0.9);
    step(&b, 0.9, 0.9);
    step(&b, 0.9, 0.9);
    for (int i = 0; i < 4; i++) {
        assert_true(time_reset(&b) == (i < 2 ? 100 : 300));
        step(&b, i < 2 ? 0.6 + 0.1 * i : 0.6, 0.9);
        assert_int_equal(TUNER_CONFIRM, b.note.phase);
    }
    assert_true(is_idle(&b) && time_reset(&b) == 100);   /* 0.65 instead of 0.6 */
    tuner_close(&b.tuner);
}

/* Throughput has a weight of 0.5, and the start has 0.5. So 0.42 is behind by 0.04 of utility and 0.38 by
 * 0.06. */
static void abandon__ends_hopeless_measurements(void **unused)
{
    static const struct { const char *abandon; double throughput[3]; int intervals; double want; } row[] = {
        { "0.05", { 0.38, 0, 0 }, 1, 0.38 },
        { "0.05", { 0.42, 0.30, 0 }, 2, 0.36 },          /* behind by 0.07 on average */
        { "0.05", { 0.42, 0.42, 0.06 }, 3, 0.3 },
        { "0.05", { 0.90, 0.12, 0.3 }, 3, 0.44 },
        { "0", { 0.06, 0.06, 0.06 }, 3, 0.06 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct test_search b;

        open_bench(&b, 2, TEST_OPTIONS({ "measure", "3" }, { "abandon", row[i].abandon }));
        step(&b, 0.5, 0.9);
        for (int n = 0; n < row[i].intervals; n++) {
            assert_int_equal(0, script->tells);
            step(&b, row[i].throughput[n], 0.9);
        }
        assert_int_equal(1, script->tells);
        assert_true(test_is_near(script->measured.terms.throughput, row[i].want, 1e-6));
        tuner_close(&b.tuner);
    }
}

/* When the best setting is measured again, it is measured to the end, even if it begins badly. */
static void abandon__does_not_hold_for_confirm(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "measure", "2" }, { "abandon", "0.05" }, { "confirm", "1" }));
    step(&b, 0.5, 0.9);
    step(&b, 0.9, 0.9);
    step(&b, 0.9, 0.9);
    step(&b, 0.1, 0.9);
    assert_int_equal(TUNER_CONFIRM, b.note.phase);
    assert_true(time_reset(&b) == 100);
    step(&b, 0.1, 0.9);
    assert_true(time_reset(&b) == 300);
    tuner_close(&b.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metric__is_one_figure),
        cmocka_unit_test(weights__are_as_given),
        cmocka_unit_test(weights__follow_the_share_of_elephants),
        cmocka_unit_test(reread__uses_current_weights),
        cmocka_unit_test(step__skips_silent_intervals),
        cmocka_unit_test(step__counts_silent_intervals_as_the_artifact_does),
        cmocka_unit_test(objective__is_how_fast_messages_are),
        cmocka_unit_test(objective__is_utility_without_message_reports),
        cmocka_unit_test(objective__skips_intervals_without_messages),
        cmocka_unit_test(settle__skips_the_first_intervals),
        cmocka_unit_test(settle__is_not_needed_without_a_change),
        cmocka_unit_test(measure__takes_the_mean),
        cmocka_unit_test(measure__holds_for_confirm),
        cmocka_unit_test(summary__judges_a_setting),
        cmocka_unit_test(abandon__ends_hopeless_measurements),
        cmocka_unit_test(abandon__does_not_hold_for_confirm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
