#include "tune/search/test_script.h"
#include "tune/setting.h"

static void assert_runs(const struct test_search *b, const char *name)
{
    struct knobs expected;

    assert_int_equal(0, setting_read(name, &b->world, &expected, NULL));
    assert_memory_equal(&expected, &b->knobs, sizeof expected);
}

/* Begins a search and goes through the names. All have the same throughput, except that the last is
 * better. */
static void try_known(struct test_search *b, const char *const *name, double elephants)
{
    step(b, 0.5, elephants);
    for (; *name; name++) {
        assert_runs(b, *name);
        assert_int_equal(0, script->begins);
        step(b, name[1] ? 0.5 : 0.9, elephants);
    }
    assert_int_equal(1, script->begins);
}

/* Expert is best, but marks later than is safe. The search starts at the nearest safe point, which was not
 * measured. */
static void known__are_tried_first(void **unused)
{
    static const char *const name[] = { "expert", "hpcc", "default", "default_artifact" };
    static const double throughput[] = { 0.9, 0.6, 0.5, 0.4 };
    struct test_search b;

    (void)unused;
    open_bench(&b, 2, TEST_OPTIONS({ "known", "yes" }, { "confirm", "0" }, { "space", "safe" }));
    step(&b, 0.5, 0.9);
    for (int i = 0; i < 4; i++) {
        assert_runs(&b, name[i]);
        assert_int_equal(0, script->begins);
        step(&b, throughput[i], 0.9);
    }
    assert_string_equal("of the known settings, default_artifact was tried; "
                        "the search goes on at the best, expert", b.note.why);
    assert_int_equal(1, script->begins);
    assert_false(script->was_measured);
    assert_true(b.knobs.value[KNOB_kmin] == 776 && b.knobs.value[KNOB_rpg_hai_rate] == 150);
    step(&b, 0.3, 0.9);
    step(&b, 0.3, 0.9);
    assert_true(is_idle(&b) && b.knobs.value[KNOB_kmin] == 1600);    /* expert itself was best */
    tuner_close(&b.tuner);
}

/* Order: presets for the dominant flows, the running setting, presets for neither, each once. The running
 * setting is skipped if it is made for the other kind of flow. */
static void known__come_in_the_order_of_dominant_flows(void **unused)
{
    static const struct { const char *running; double elephants; const char *name[6]; } row[] = {
        { "default", 0.9, { "expert", "hpcc", "default", "default_artifact" } },
        { "default", 0.1, { "bdp", "gentle", "default", "default_artifact" } },
        { "default", 0.4, { "bdp", "gentle", "default", "default_artifact" } },
        { "default", 0.77, { "default", "default_artifact" } },       /* both kinds matter */
        { "default_artifact", 0.1, { "bdp", "gentle", "default_artifact", "default" } },
        { "bdp", 0.1, { "bdp", "gentle", "default", "default_artifact" } },
        { "bdp", 0.9, { "expert", "hpcc", "default", "default_artifact" } },
        { "expert", 0.1, { "bdp", "gentle", "default", "default_artifact" } },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct test_search b;

        open_bench(&b, 2, TEST_OPTIONS({ "known", "yes" }));
        assert_int_equal(0, setting_read(row[i].running, &b.world, &b.knobs, NULL));
        try_known(&b, row[i].name, row[i].elephants);
        tuner_close(&b.tuner);
    }
}

/* Without a monitor the dominant class is unknown: all are tried, the running one first. */
static void known__are_all_tried_if_flows_are_unknown(void **unused)
{
    static const char *const name[] = { "expert", "default", "default_artifact", "hpcc", "bdp",
                                        "gentle", NULL };
    struct test_search b;

    (void)unused;
    open_bench(&b, 2, TEST_OPTIONS({ "known", "yes" }, { "trigger", "once" }));
    assert_int_equal(0, setting_read("expert", &b.world, &b.knobs, NULL));
    try_known(&b, name, -1);
    tuner_close(&b.tuner);
}

/* With mice, throughput has a weight of 0.2. 0.65 instead of 0.5 is better by 0.03, which may be chance;
 * 0.75 by 0.05, which is clear. */
static void known__are_preferred_in_their_order_unless_clearly_worse(void **unused)
{
    static const struct { double throughput, kmin; } row[] = { { 0.65, 43 }, { 0.75, 400 } };

    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct test_search b;

        open_bench(&b, 2, TEST_OPTIONS({ "known", "yes" }, { "confirm", "0" }));
        step(&b, 0.5, 0.1);
        assert_runs(&b, "bdp");
        step(&b, 0.5, 0.1);
        step(&b, 0.2, 0.1);                  /* gentle */
        step(&b, row[i].throughput, 0.1);    /* default, 400 KB */
        step(&b, 0.2, 0.1);
        assert_int_equal(1, script->begins);
        assert_true(b.knobs.value[KNOB_kmin] == row[i].kmin);
        tuner_close(&b.tuner);
    }
}

/* The known settings take four of the budget of five. One is left for the search, which begins at the best
 * of them. */
static void known__count_in_the_budget(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 9, TEST_OPTIONS({ "known", "yes" }, { "budget", "5" }));
    step(&b, 0.5, 0.9);
    for (int i = 0; i < 5; i++)
        step(&b, i == 2 ? 0.5 : 0.1, 0.9);
    assert_int_equal(1, script->tells);
    assert_true(is_idle(&b) && script->was_measured);
    assert_true(test_is_near(script->begun.terms.throughput, 0.5, 1e-6));
    assert_runs(&b, "default");
    tuner_close(&b.tuner);
}

/* A new setting must beat the best known setting, not the one before the search. Otherwise the search ends
 * with that one. */
static void confirm__compares_with_where_the_search_began(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "known", "yes" }, { "confirm", "1" }));
    step(&b, 0.5, 0.9);
    for (int i = 0; i < 4; i++)
        step(&b, i == 0 ? 0.8 : 0.5, 0.9);   /* expert first */
    step(&b, 0.9, 0.9);
    assert_true(time_reset(&b) == 100);
    step(&b, 0.7, 0.9);
    assert_runs(&b, "expert");
    step(&b, 0.8, 0.9);
    assert_int_equal(TUNER_REJECTED, b.note.verdict);
    assert_string_equal("measured again, the new setting has 0.7500, the setting at which it began 0.8000: the "
                        "latter is kept", b.note.why);
    assert_runs(&b, "expert");
    tuner_close(&b.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known__are_tried_first),
        cmocka_unit_test(known__come_in_the_order_of_dominant_flows),
        cmocka_unit_test(known__are_all_tried_if_flows_are_unknown),
        cmocka_unit_test(known__are_preferred_in_their_order_unless_clearly_worse),
        cmocka_unit_test(known__count_in_the_budget),
        cmocka_unit_test(confirm__compares_with_where_the_search_began),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
