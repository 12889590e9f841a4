#include "tune/search/test_script.h"

/* The share of elephants rises by 2 points per interval. From one interval to the next the divergence is
 * 0.0008. From the 50 % of the first search it is 0.0072 at 56 % and 0.0129 at 58 %. */
static void against__settled_sees_slow_changes(void **unused)
{
    static const struct { const char *against; int searches, begins_at; } row[] = {
        { "settled", 1, 4 }, { "previous", 0, 0 },   /* no setting was chosen before */
    };

    (void)unused;
    for (int n = 0; n < 2; n++) {
        struct test_search b;
        int begins_at = 0;

        open_bench(&b, 1, TEST_OPTIONS({ "against", row[n].against }, { "confirm", "0" }));
        step(&b, 0.5, 0.5);
        step(&b, 0.6, 0.5);
        assert_int_equal(row[n].searches, script->begins);
        for (int i = 1; i <= 6 && !begins_at; i++) {
            step(&b, 0.5, 0.5 + 0.02 * i);
            begins_at = script->begins > row[n].searches ? i : 0;
        }
        assert_int_equal(row[n].begins_at, begins_at);
        tuner_close(&b.tuner);
    }
}

/* After a search, flows are compared with those at its end. */
static void against__settled_follows_the_search(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "against", "settled" }, { "confirm", "0" }));
    step(&b, 0.5, 0.9);
    step(&b, 0.6, 0.8);
    assert_true(is_idle(&b));
    step(&b, 0.6, 0.8);
    assert_true(b.note.divergence == 0);
    assert_int_equal(1, script->begins);
    step(&b, 0.6, 0.9);
    assert_int_equal(2, script->begins);
    tuner_close(&b.tuner);
}

/* The reference is 0.5, and three intervals are averaged. 0.9, 0.5, 0.5 yield 0.633, with a divergence of
 * 0.036; 0.9, 0.9, 0.5 yield 0.767, with 0.150. In the first burst only two intervals are above 0.1. In the
 * second, the fourth interval is the third above it. */
static void persist__waits_for_lasting_changes(void **unused)
{
    static const struct { double elephants, divergence; const char *why; } row[] = {
        { 0.5, 0, "flow sizes have not changed" },
        { 0.5, 0, "flow sizes have not changed" },
        { 0.9, 0.0359, "flow sizes have not changed" },
        { 0.9, 0.1500, "flow sizes have not differed for long enough" },
        { 0.5, 0.1500, "flow sizes have not differed for long enough" },
        { 0.5, 0.0359, "flow sizes have not changed" },
        { 0.5, 0, "flow sizes have not changed" },
        { 0.9, 0.0359, "flow sizes have not changed" },
        { 0.9, 0.1500, "flow sizes have not differed for long enough" },
        { 0.9, 0.3681, "flow sizes have not differed for long enough" },
        { 0.9, 0.3681, "flow sizes changed (divergence 0.368 > 0.1; elephants 90 % of flows); "
                       "search begins at the running setting" },
    };
    struct test_search b;

    (void)unused;
    open_bench(&b, 1, TEST_OPTIONS({ "against", "settled" }, { "persist", "3" }, { "theta", "0.1" },
                                   { "epsilon", "0" }, { "confirm", "0" }));
    for (int i = 0; i < 4; i++)          /* the first search begins with the third interval */
        step(&b, 0.5, 0.5);
    assert_true(is_idle(&b) && script->begins == 1);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        step(&b, 0.5, row[i].elephants);
        assert_true(test_is_near(b.note.divergence, row[i].divergence, 0.0002));
        assert_string_equal(row[i].why, b.note.why);
    }
    tuner_close(&b.tuner);
}

static int searches_begun(const char *trigger)
{
    struct test_search b;
    int begins;

    open_bench(&b, 1, TEST_OPTIONS({ "trigger", trigger }, { "confirm", "0" }));
    step_all(&b, 0, 1, 1, -1);   /* silence triggers no search */
    for (int i = 0; i < 10; i++)
        step(&b, 0.5, i == 5 ? -1 : 0.5);
    begins = script->begins;
    tuner_close(&b.tuner);
    return begins;
}

/* A search takes the interval that triggers it and one more. */
static void trigger__is_as_chosen(void **unused)
{
    (void)unused;
    assert_int_equal(0, searches_begun("change"));
    assert_int_equal(1, searches_begun("once"));
    assert_int_equal(5, searches_begun("always"));
}

/* Elephants, then mice, then another share of elephants. Returns the number of searches and the final
 * setting. */
static int searches_when_flows_return(const char *remember, double elephants, double *ends_at)
{
    struct test_search b;
    int begins;

    open_bench(&b, 2, TEST_OPTIONS({ "remember", remember }, { "confirm", "0" }));
    step(&b, 0.5, 0.9);
    step(&b, 0.6, 0.9);
    step(&b, 0.9, 0.9);          /* 101 is the best for elephants */
    step(&b, 0.5, 0.1);
    step(&b, 0.9, 0.1);          /* 100 for mice */
    step(&b, 0.6, 0.1);
    assert_true(is_idle(&b) && time_reset(&b) == 100);
    step(&b, 0.9, elephants);
    begins = script->begins;
    *ends_at = time_reset(&b);
    if (begins == 2)
        assert_non_null(strstr(b.note.why, "the setting that was found when elephants were 90 % of flows "
                                           "is in force again"));
    assert_true(is_idle(&b) == (begins == 2));
    tuner_close(&b.tuner);
    return begins;
}

/* Shares that differ by less than 20 points count as the same traffic. */
static void remember__needs_no_second_search(void **unused)
{
    double ends_at;

    (void)unused;
    assert_int_equal(2, searches_when_flows_return("yes", 0.9, &ends_at));
    assert_true(ends_at == 101);
    assert_int_equal(2, searches_when_flows_return("yes", 0.75, &ends_at));
    assert_true(ends_at == 101);
    assert_int_equal(3, searches_when_flows_return("yes", 0.5, &ends_at));
    assert_int_equal(3, searches_when_flows_return("no", 0.9, &ends_at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against__settled_sees_slow_changes),
        cmocka_unit_test(against__settled_follows_the_search),
        cmocka_unit_test(persist__waits_for_lasting_changes),
        cmocka_unit_test(trigger__is_as_chosen),
        cmocka_unit_test(remember__needs_no_second_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
