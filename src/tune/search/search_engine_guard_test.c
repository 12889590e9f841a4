/* src/tune/search/search_engine_guard_test.c - limits on the cost of a search. The throughput depends on
 * the setting. */
#include "base/rng.h"
#include "tune/contest.h"
#include "tune/search/test_script.h"

/* Presets for mice starve a network of elephants to a tenth. Utility does not notice, because round trips
 * are short. */
static double sent_with(const struct knobs *knobs, const struct world *world, double starved)
{
    return knobs_equal(knobs, &world->start) ? 0.9 : starved;
}

/* Runs a search with this guard. Returns how many intervals of traffic were lost, or -1 if the initial
 * setting was not kept. */
static double lost_in(const char *guard, double starved, int intervals)
{
    struct test_search b;
    double             lost = 0;
    bool               is_same;

    open_bench(&b, 40,
               TEST_OPTIONS({ "guard", guard }, { "settle", "1" }, { "measure", "3" }, { "trigger", "once" },
                                    { "weights", "fixed" }));
    for (int i = 0; i < intervals; i++) {
        double sent = i < 4 ? 0.9 : sent_with(&b.knobs, &b.world, starved);

        lost += 1 - sent / 0.9;
        step_all(&b, sent, sent < 0.9 ? 1 : 0.2, 1, 0.1);
    }
    is_same = knobs_equal(&b.knobs, &b.world.start);
    tuner_close(&b.tuner);
    return is_same ? lost : -1;
}

/* Without a guard the starving setting is kept for its short round trips. With one the search ends. It may
 * cost the allowance plus the interval in which that is noticed. Per interval 0.05 is noise and does not
 * count: of 0.889 lost in a trial and in the interval of recovery after it, 0.789 counts. So 6 intervals of
 * debt are at most 6.8 lost. */
static void guard__bounds_the_cost_of_a_search(void **unused)
{
    static const struct { const char *guard; double starved, most; } row[] = {
        { "1", 0.1, 2 }, { "2", 0.1, 3 }, { "5", 0.1, 6.8 }, { "2", 0.5, 3 }, { "2", 0.7, 3 },
    };

    (void)unused;
    assert_true(lost_in("0", 0.1, 300) == -1);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        double lost = lost_in(row[i].guard, row[i].starved, 300);

        assert_true(lost > 0 && lost <= row[i].most);
    }
}

/* A setting that sends a little less, within chance, may be kept: throughput that varies by a tenth ends no
 * search. */
static void guard__leaves_noise_alone(void **unused)
{
    struct test_search b;
    struct rng         rng;

    (void)unused;
    rng_init(&rng, 1, 1);
    open_bench(&b, 40, TEST_OPTIONS({ "guard", "2" }, { "trigger", "once" }));
    for (int i = 0; i < 60; i++) {
        step(&b, 0.5 * (0.9 + 0.2 * rng_real(&rng)), 0.5);
        assert_null(strstr(b.note.why, "intervals of traffic"));
        assert_null(strstr(b.note.why, "is dropped"));
    }
    assert_int_equal(40, script->tells);
    tuner_close(&b.tuner);
}

/* After a setting is dropped, the one before it returns until throughput has recovered. Then the next is
 * tried. */
static void guard__recovers_before_the_next_setting(void **unused)
{
    struct test_search b;
    double             before;

    (void)unused;
    open_bench(&b, 40, TEST_OPTIONS({ "guard", "9" }, { "trigger", "once" }));
    before = time_reset(&b);
    for (int i = 0; i < 2; i++)
        step(&b, 0.9, 0.5);
    assert_true(time_reset(&b) == 101);          /* 100 was measured at 0.9 */
    step(&b, 0.05, 0.5);
    assert_non_null(strstr(b.note.why, "is dropped"));
    assert_true(time_reset(&b) == before && script->tells == 2);
    assert_true(script->measured.terms.throughput < 0.01);
    step(&b, 0.3, 0.5);
    step(&b, 0.6, 0.5);
    assert_true(time_reset(&b) == before);
    step(&b, 0.88, 0.5);
    assert_true(time_reset(&b) == 102);
    tuner_close(&b.tuner);
}

/* A search has cost 2 intervals. The next one begins when half of that is made up for: 50 intervals at 2
 * %. */
static void guard__makes_up_for_losses(void **unused)
{
    struct test_search b;
    int                waited = 0;

    (void)unused;
    open_bench(&b, 40, TEST_OPTIONS({ "guard", "2" }, { "trigger", "always" }));
    while (!is_idle(&b))
        step(&b, time_reset(&b) == 300 ? 0.9 : 0.02, 0.5);
    assert_non_null(strstr(b.note.why, "it ends, and the setting from before stays"));
    for (; is_idle(&b) && waited < 200; waited++)
        step(&b, 0.9, 0.5);
    assert_in_range(waited, 50, 100);
    tuner_close(&b.tuner);
}

/* ---- with messages ---- */

/* One interval. Utility prefers any setting to the start. Messages have a slowdown of 2 at the start and
 * 'slowdown' elsewhere; 'done' of them end and 'waiting' are unfinished. */
static void step_waiting(struct test_search *b, double slowdown, double done, double waiting)
{
    bool           is_start = knobs_equal(&b->knobs, &b->world.start);
    struct report *r = &b->net.report;

    test_report(&b->net, is_start ? 0.5 : 0.55, 0.5, 1, 0.5);
    r->has_seen = true;
    r->seen.done[PREDICT_MICE] = (struct seen_class){ done, done * (is_start ? 2 : slowdown) };
    r->seen.waiting[PREDICT_MICE] = (struct seen_class){ waiting, waiting * (is_start ? 2 : slowdown) };
    tuner_step(&b->tuner, r, &b->knobs, &b->note);
}

static void step_messages(struct test_search *b, double slowdown)
{
    step_waiting(b, slowdown, 100, 0);
}

/* Returns true if the setting of the start is set after 'intervals' intervals. */
static bool ends_at_start(const char *floor, double slowdown, int intervals)
{
    struct test_search b;
    bool               is_start;

    open_bench(&b, 3,
               TEST_OPTIONS({ "guard", "9" }, { "floor", floor }, { "confirm", "3" }, { "trigger", "once" }));
    for (int i = 0; i < intervals; i++)
        step_messages(&b, slowdown);
    assert_true(intervals < 100 || is_idle(&b));
    is_start = knobs_equal(&b.knobs, &b.world.start);
    tuner_close(&b.tuner);
    return is_start;
}

/* Utility alone keeps a setting with which messages take 5 % longer. With a floor the start returns, unless
 * messages are faster with the new setting. */
static void floor__returns_unless_messages_are_faster(void **unused)
{
    (void)unused;
    assert_false(ends_at_start("no", 2.1, 120));
    assert_true(ends_at_start("yes", 2.1, 120));
    assert_false(ends_at_start("yes", 1.9, 120));
}

static void floor__watches_before_the_first_search(void **unused)
{
    (void)unused;
    assert_false(ends_at_start("no", 2, 3));
    assert_true(ends_at_start("yes", 2, CONTEST_WATCH - 1));
    assert_false(ends_at_start("yes", 2, CONTEST_WATCH + 1));
}

/* Messages that take three times as long cost two intervals per interval, even at the same throughput. A
 * search may cost 1 % of the 16 intervals before it, so it ends after its first setting. */
static void floor__bounds_harm_to_messages(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 40, TEST_OPTIONS({ "guard", "2" }, { "floor", "yes" }, { "trigger", "once" }));
    for (int i = 0; !is_idle(&b); i++) {
        step_messages(&b, 6);
        assert_true(i <= CONTEST_WATCH);
    }
    assert_non_null(strstr(b.note.why, "the search has cost 2.0 intervals of traffic"));
    step_messages(&b, 6);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    tuner_close(&b.tuner);
}

/* Messages of the interval after a change were posted with the setting before: their slowdowns cost
 * nothing. */
static void floor__does_not_charge_messages_of_the_setting_before(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 40,
               TEST_OPTIONS({ "guard", "2" }, { "floor", "yes" }, { "trigger", "once" }, { "settle", "1" }));
    for (int i = 0; i < CONTEST_WATCH; i++)
        step_messages(&b, 6);
    step_messages(&b, 6);        /* the first interval of a search */
    assert_false(is_idle(&b));
    step_messages(&b, 6);
    assert_true(is_idle(&b));
    tuner_close(&b.tuner);
}

/* If messages take longer than blocks of a contest, the result could not be judged, so no search begins. */
static void floor__needs_messages_that_can_be_compared(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 40, TEST_OPTIONS({ "guard", "9" }, { "floor", "yes" }, { "trigger", "once" }));
    for (int i = 0; i < 3 * CONTEST_WATCH; i++) {
        step_waiting(&b, 1, 100, 1000);
        assert_true(knobs_equal(&b.knobs, &b.world.start));
    }
    assert_non_null(strstr(b.note.why, "messages take too long"));
    step_waiting(&b, 1, 100, 10);
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    tuner_close(&b.tuner);
}

/* Flows that never end are judged by rates and utility, as if hosts did not report messages. */
static void floor__searches_if_no_message_ends(void **unused)
{
    struct test_search b;
    bool               has_tried = false;

    (void)unused;
    open_bench(&b, 40, TEST_OPTIONS({ "guard", "9" }, { "floor", "yes" }, { "trigger", "once" }));
    for (int i = 0; i <= CONTEST_WATCH; i++) {
        step_waiting(&b, 2, 0, 1000);
        has_tried = has_tried || !knobs_equal(&b.knobs, &b.world.start);
    }
    assert_true(has_tried);
    tuner_close(&b.tuner);
}

/* After a trial that has cost too much, rates rise for an interval before the start returns. */
static void floor__raises_rates_before_the_start_returns(void **unused)
{
    struct test_search b;

    (void)unused;
    open_bench(&b, 40, TEST_OPTIONS({ "guard", "2" }, { "floor", "yes" }, { "trigger", "once" }));
    while (!is_idle(&b))
        step_messages(&b, 6);
    assert_true(b.knobs.value[KNOB_rpg_ai_rate] > b.world.start.value[KNOB_rpg_ai_rate]);
    step_messages(&b, 6);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    tuner_close(&b.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guard__bounds_the_cost_of_a_search),
        cmocka_unit_test(guard__leaves_noise_alone),
        cmocka_unit_test(guard__recovers_before_the_next_setting),
        cmocka_unit_test(guard__makes_up_for_losses),
        cmocka_unit_test(floor__returns_unless_messages_are_faster),
        cmocka_unit_test(floor__watches_before_the_first_search),
        cmocka_unit_test(floor__bounds_harm_to_messages),
        cmocka_unit_test(floor__needs_messages_that_can_be_compared),
        cmocka_unit_test(floor__searches_if_no_message_ends),
        cmocka_unit_test(floor__raises_rates_before_the_start_returns),
        cmocka_unit_test(floor__does_not_charge_messages_of_the_setting_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
