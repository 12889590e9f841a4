#include "tune/search/test_script.h"
#include "tune/search/test_search.h"

/* Two even intervals, a change of flows, three settings of which the second is best, two rounds of
 * confirmation, and another change. */
static void step__goes_through_all_phases(void **unused)
{
    static const struct {
        double throughput, elephants;
        enum tuner_phase phase;
        double time_reset;           /* for the next interval */
        enum tuner_verdict verdict;
    } row[] = {
        { 0.5, 0.5, TUNER_WATCH, 300, TUNER_NO_VERDICT },
        { 0.5, 0.5, TUNER_WATCH, 300, TUNER_NO_VERDICT },
        { 0.5, 0.9, TUNER_WATCH, 100, TUNER_NO_VERDICT },
        { 0.6, 0.5, TUNER_SEARCH, 101, TUNER_BEST },
        { 0.8, 0.9, TUNER_SEARCH, 102, TUNER_BEST },
        { 0.7, 0.5, TUNER_SEARCH, 101, TUNER_NO_VERDICT },
        { 0.7, 0.5, TUNER_CONFIRM, 300, TUNER_NO_VERDICT },
        { 0.5, 0.5, TUNER_CONFIRM, 101, TUNER_NO_VERDICT },
        { 0.4, 0.5, TUNER_CONFIRM, 300, TUNER_NO_VERDICT },
        { 0.5, 0.5, TUNER_CONFIRM, 101, TUNER_ACCEPTED },        /* 0.55 against 0.5 */
        { 0.5, 0.5, TUNER_HOLD, 101, TUNER_NO_VERDICT },
        { 0.5, 0.9, TUNER_HOLD, 100, TUNER_NO_VERDICT },
    };
    struct test_search b;

    (void)unused;
    open_bench(&b, 3, TEST_OPTIONS({ "confirm", "2" }));
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_true(is_idle(&b) == (row[i].phase == TUNER_HOLD));
        step(&b, row[i].throughput, row[i].elephants);
        assert_int_equal(row[i].phase, b.note.phase);
        assert_true(time_reset(&b) == row[i].time_reset);
        assert_int_equal(row[i].verdict, b.note.verdict);
        assert_true(test_is_near(b.note.throughput, row[i].throughput, 1e-6));
        assert_true(test_is_near(b.note.elephants, row[i].elephants, 1e-6));
    }
    assert_int_equal(2, script->begins);
    tuner_close(&b.tuner);
}

/* 0.9 ln(0.9 / 0.5) + 0.1 ln(0.1 / 0.5) = 0.368, a little less with epsilon. */
static void note__says_why_in_plain_words(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "epsilon", "0" }, { "confirm", "0" }));
    step_all(&b, 0.5, 0.4, 0.9, 0.9);
    assert_string_equal("flow sizes changed (divergence 0.368 > 0.01; elephants 90 % of flows); "
                        "search begins at the running setting", b.note.why);
    assert_true(test_is_near(b.note.divergence, 0.3680642, 1e-6));
    assert_true(test_is_near(b.note.utility, 0.5 * 0.5 + 0.2 * 0.4 + 0.3 * 0.9, 1e-6));
    assert_true(test_is_near(b.note.rtt, 0.4, 1e-6) && test_is_near(b.note.pfc, 0.9, 1e-6));
    step(&b, 0.6, 0.9);
    assert_string_equal("the search is over after 1 settings; the best was measured at 0.7000 and is kept",
                        b.note.why);
    step(&b, 0.5, -1);
    assert_string_equal("flow sizes have not changed", b.note.why);
    assert_true(isnan(b.note.divergence) && isnan(b.note.elephants));
    tuner_close(&b.tuner);
}

static void create__refuses_weights_that_do_not_sum_to_1(void **unused)
{
    static const struct { struct test_option option[4]; const char *why; } row[] = {
        { { { "weights", "fixed" }, { "weight_rtt", "0.6" } },
          "weight_rtt: the weights 0.2, 0.6 and 0.3 sum to 1.1; they must sum to 1" },
        { { { "weights", "fixed" }, { "weight_throughput", "0" }, { "weight_pfc", "0.4" } },
          "weight_throughput: the weights 0, 0.5 and 0.4 sum to 0.9; they must sum to 1" },
        { { { "weight_pfc", "0.3" } }, "weight_pfc: is without effect unless 'weights' is fixed" },
        { { { "theta", "0" } }, "theta must be 1e-09 .. 1000000000, not 0" },
        { { { "budget", "0" } }, "budget must be 1 .. 1000000, not 0" },
    };
    struct world world = test_world(1);

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct tuner tuner;
        struct err err = { "" };

        assert_true(open_plain(&tuner, &world, row[i].option, &err) < 0);
        assert_string_equal(row[i].why, err.text);
    }
}

static void budget__ends_a_search(void **unused)
{
    struct test_search b;
    int intervals = 0;

    (void)unused;
    open_bench(&b, 1000, TEST_OPTIONS({ "budget", "17" }, { "confirm", "0" }));
    for (step(&b, 0.5, 0.9); !is_idle(&b); intervals++)
        step(&b, 0.5 + 0.01 * intervals, 0.9);
    assert_int_equal(17, intervals);
    assert_true(time_reset(&b) == 116);      /* the last one */
    tuner_close(&b.tuner);
}

/* Settings until a search gives up if only the 2nd is better than the start, and the 4th better still. */
static int settings_until_given_up(const char *give_up)
{
    struct test_search b;
    int settings = 0;

    open_bench(&b, 20, TEST_OPTIONS({ "give_up", give_up }, { "confirm", "0" }));
    for (step(&b, 0.5, 0.9); !is_idle(&b); settings++)
        step(&b, settings == 1 ? 0.6 : settings == 3 ? 0.7 : 0.5, 0.9);
    tuner_close(&b.tuner);
    return settings;
}

static void give_up__after_settings_without_gain(void **unused)
{
    (void)unused;
    assert_int_equal(1, settings_until_given_up("1"));
    assert_int_equal(6, settings_until_given_up("2"));
    assert_int_equal(7, settings_until_given_up("3"));
    assert_int_equal(20, settings_until_given_up("0"));
}

/* The search starts at the artifact's default, whatever setting is running. */
static void start_from__default_is_not_measured(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "start_from", "default" }, { "space", "artifact" }, { "confirm", "0" }));
    b.knobs.value[KNOB_kmin] = 10;
    b.knobs.value[KNOB_pmax] = 0.7;
    step(&b, 0.5, 0.9);
    assert_false(script->was_measured);
    assert_true(b.knobs.value[KNOB_kmin] == 400 && b.knobs.value[KNOB_rate_to_set_on_first_cnp] == 50000);
    assert_true(b.knobs.value[KNOB_pmax] == 0.7);        /* not part of this space */
    step(&b, 0.1, 0.9);
    assert_true(b.knobs.value[KNOB_kmin] == 400);        /* the setting before the search does not count */
    tuner_close(&b.tuner);
}

/* The second search begins at the best setting so far, 100. Earlier measurements no longer count. */
static void restart__begins_another_search(void **unused)
{
    static const char *const answer[] = { "yes", "no" };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct test_search b;

        open_bench(&b, 9, TEST_OPTIONS({ "restart", answer[i] }, { "measure", "2" }));
        step(&b, 0.5, 0.9);
        step(&b, 0.8, 0.9);
        step(&b, 0.8, 0.9);
        step(&b, 0.6, 0.9);
        assert_true(time_reset(&b) == 101);
        step(&b, 0.2, 0.1);      /* the second interval of the setting, but other flows */
        assert_int_equal(i == 0 ? 2 : 1, script->begins);
        assert_int_equal(i == 0 ? 1 : 2, script->tells);
        if (i == 0) {
            assert_string_equal("flow sizes changed (divergence 1.75 > 0.01; elephants 10 % of flows); "
                                "search begins at the running setting", b.note.why);
            assert_true(script->from[0] == 100 && !script->was_measured);
            step(&b, 0.4, 0.1);
            step(&b, 0.4, 0.1);
            assert_true(test_is_near(script->measured.terms.throughput, 0.4, 1e-6));
            assert_true(best_time_reset(&b) == 100);     /* the only setting for these flows so far */
        }
        tuner_close(&b.tuner);
    }
}

/* Flows also restart a search during confirmation, and under any trigger. */
static void restart__holds_while_confirming(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "restart", "yes" }, { "trigger", "once" }, { "confirm", "3" }));
    step(&b, 0.5, 0.5);
    step(&b, 0.8, 0.5);
    step(&b, 0.8, 0.5);
    assert_int_equal(TUNER_CONFIRM, b.note.phase);
    step(&b, 0.8, 0.1);
    assert_int_equal(2, script->begins);
    assert_non_null(strstr(b.note.why, "flow sizes changed"));
    step(&b, 0.8, 0.1);
    assert_int_equal(TUNER_SEARCH, b.note.phase);
    tuner_close(&b.tuner);
}

/* A run starts with a burst. If a setting is measured over several intervals, the first interval of the run
 * does not count as a measurement, unlike the interval of a change of flows. */
static void once__the_first_interval_is_no_round(void **unused)
{
    struct test_search b;

    (void)unused;
    for (int i = 0; i < 3; i++) {
        open_bench(&b, 9, i == 0 ? TEST_OPTIONS({ "trigger", "once" }, { "measure", "2" })
                        : i == 1 ? TEST_OPTIONS({ "trigger", "once" })
                        : TEST_OPTIONS({ "trigger", "change" }, { "measure", "2" }));
        step(&b, 0.9, 0.9);
        step(&b, 0.5, 0.1);
        assert_int_equal(1, script->begins);
        assert_int_equal(i != 0, script->was_measured);
        tuner_close(&b.tuner);
    }
}

/* A restarted search looks up the dominant flows when it begins, like any other. */
static void restart__looks_at_flows_without_reread(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 9, TEST_OPTIONS({ "restart", "yes" }, { "reread", "no" }));
    step(&b, 0.5, 0.9);
    step(&b, 0.5, 0.9);
    assert_true(script->measured.weights.throughput == 0.5);
    step(&b, 0.5, 0.1);
    step(&b, 0.5, 0.1);
    assert_true(script->measured.weights.throughput == 0.2);
    tuner_close(&b.tuner);
}

extern const struct search_algo chameleon_search, cmaes_search, random_search;

/* The engine may have said before that a setting was dropped, and why. */
static void tell__adds_to_what_the_engine_says(void **unused)
{
    static const struct search_algo *const algos[] = { &chameleon_search, &cmaes_search, &random_search };
    const struct search_now now = test_now(0.5);
    const struct space      space = test_space(2);

    (void)unused;
    for (size_t i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
        double               from[SPACE_DIMS_MAX] = { 0 }, point[SPACE_DIMS_MAX];
        struct tuner_note    note = { 0 };
        struct option_values values;
        void                *state;

        option_values_init(algos[i]->option, &values);
        state = algos[i]->create(&space, values.value, 1);
        algos[i]->begin(state, from, NULL);
        assert_true(algos[i]->ask(state, NULL, point));
        tuner_say(&note, "the setting is dropped");
        algos[i]->tell(state, &now, &note);
        assert_memory_equal("the setting is dropped; ", note.why, 24);
        algos[i]->destroy(state);
        option_values_fini(&values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__goes_through_all_phases),
        cmocka_unit_test(note__says_why_in_plain_words),
        cmocka_unit_test(create__refuses_weights_that_do_not_sum_to_1),
        cmocka_unit_test(budget__ends_a_search),
        cmocka_unit_test(give_up__after_settings_without_gain),
        cmocka_unit_test(start_from__default_is_not_measured),
        cmocka_unit_test(restart__begins_another_search),
        cmocka_unit_test(restart__holds_while_confirming),
        cmocka_unit_test(restart__looks_at_flows_without_reread),
        cmocka_unit_test(once__the_first_interval_is_no_round),
        cmocka_unit_test(tell__adds_to_what_the_engine_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
