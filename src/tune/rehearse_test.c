/* src/tune/rehearse_test.c - the tuner on an imaginary network. A formula yields what hosts see and what
 * the twin predicts; the twin can be wrong. */
#include "tune/rehearse/search/test_predictor.h"
#include "core/units.h"
#include "tune/setting.h"
#include "tune/tuner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

extern const struct tuner_algo tuner_rehearse;

static struct test_network twin;
static double              lie;              /* factor on the twin's slowdowns */
static uint32_t            twins, trials;
static const char         *unaware_of;

static int run_twin(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out,
                    struct err *err)
{
    int rc = test_predict(arg, point, count, out, err);

    trials += count;
    for (uint32_t i = 0; i < count && !rc; i++)
        for (int c = 0; c < PREDICT_CLASSES; c++) {
            out[i].all.slowdowns[c] *= lie;
            out[i].window = out[i].all;
        }
    return rc;
}

static int make(void *arg, const struct world *w, const struct traffic_model *m, struct predictor *p,
                struct err *err)
{
    (void)arg;
    (void)w;
    (void)m;
    (void)err;
    twins++;
    *p = (struct predictor){ .arg = &twin, .run = run_twin, .unaware_of = unaware_of };
    return 0;
}

static void drop(struct predictor *p)
{
    (void)p;
}

static const struct predict_maker maker = { make, drop };

struct bench {
    struct world         world;
    struct tuner         tuner;
    struct option_values values;
    struct knobs         knobs;
    struct tuner_note    note;
    struct report        report;
    bool                 is_empty;           /* messages are as fast as in an empty network */
    double               waiting;            /* unfinished messages per message that ends */
    bool                 follows;            /* messages are posted when others end */
    bool                 has_job;            /* messages belong to a job, */
    bool                 is_job_slower;      /* which is half as fast with any setting but the first */
    /* factor on the network's slowdowns, except at the start */
    double               real;
};

static void open_bench_with(struct bench *b, const char *option, const char *value)
{
    struct err err;

    *b = (struct bench){ .real = 1 };
    b->world = (struct world){ .seed = 1, .interval_ps = PS_PER_MS, .host_bps = 100000000000,
                               .base_rtt_ps = 8 * PS_PER_US, .maker = &maker, .devices = 16,
                               .device = calloc(16, sizeof(struct world_device)) };
    knobs_init(&b->world.start);
    b->knobs = b->world.start;
    twin = (struct test_network){ .steep = 3, .own = 0.01, .common = 0.1 };
    coded_init(&twin.coded, &b->world);
    for (uint32_t i = 0; i < twin.coded.dims; i++)
        twin.best[i] = 0.3;
    lie = 1;
    twins = trials = 0;
    unaware_of = NULL;
    option_values_init(tuner_rehearse.option, &b->values);
    assert_int_equal(option_values_set(tuner_rehearse.option, tuner_rehearse.name, &b->values, "budget",
                                       "1", &err), 0);
    assert_int_equal(option_values_set(tuner_rehearse.option, tuner_rehearse.name, &b->values, "opening",
                                       "none", &err), 0);
    assert_int_equal(option_values_set(tuner_rehearse.option, tuner_rehearse.name, &b->values, option,
                                       value, &err), 0);
    assert_int_equal(tuner_open(&b->tuner, &tuner_rehearse, &b->world, &b->values, &err), 0);
}

static void open_bench(struct bench *b)
{
    open_bench_with(b, "pairs", "0");
}

static void close_bench(struct bench *b)
{
    tuner_close(&b->tuner);
    option_values_fini(&b->values);
    free(b->world.device);
}

/* Runs an interval of 'times' x 1,000 messages of 10 KB and 30 of 2 MB. The formula yields their
 * slowdowns. */
static void next(struct bench *b, uint32_t times)
{
    struct predict_point point = { &b->knobs, b->report.number, 1, 1 };
    struct predicted     p = { 0 };
    struct err           err;
    struct seen         *s = &b->report.seen;
    double               more = knobs_equal(&b->knobs, &b->world.start) ? 1 : b->real;
    uint32_t             of_job = 1000 * times;

    test_predict(&twin, &point, 1, &p, &err);
    *s = (struct seen){ .posted = 1030ull * times, .posted_bytes = 70000000ull * times };
    s->bin[seen_bin(10000)] = 1000 * times;
    s->bin_bytes[seen_bin(10000)] = 10000000ull * times;
    s->bin[seen_bin(2000000)] = 30 * times;
    s->bin_bytes[seen_bin(2000000)] = 60000000ull * times;
    if (b->follows) {
        memcpy(s->chain_bin, s->bin, sizeof(s->bin));
        memcpy(s->chain_bytes, s->bin_bytes, sizeof(s->bin_bytes));
        memset(s->bin, 0, sizeof(s->bin));
        memset(s->bin_bytes, 0, sizeof(s->bin_bytes));
        s->chain_senders = 16;
        s->chain_s = 1030e-5 * times;
    }
    if (b->is_job_slower && !knobs_equal(&b->knobs, &b->world.start))
        of_job = 500 * times;
    if (b->has_job) {
        memset(s->bin, 0, sizeof(s->bin));
        memset(s->bin_bytes, 0, sizeof(s->bin_bytes));
        s->job[0] = (struct seen_job){ .bytes = 70000, .messages = of_job, .firsts = 100 * times,
                                       .senders = 16, .pairs = 16 };
        s->posted_bytes = 70000ull * of_job;
    }
    for (int c = 0; c < PREDICT_CLASSES; c++) {
        s->done[c] = (struct seen_class){ p.all.messages[c],
                                          b->is_empty ? p.all.messages[c] : p.all.slowdowns[c] * more };
        s->waiting[c] = (struct seen_class){ b->waiting * p.all.messages[c],
                                             b->waiting * p.all.slowdowns[c] };
    }
    b->report.number++;
    b->report.start_ps = b->report.end_ps;
    b->report.end_ps += PS_PER_MS;
    b->note = (struct tuner_note){ 0 };
    tuner_step(&b->tuner, &b->report, &b->knobs, &b->note);
}

/* True if the initial setting is set now or, after an interval in which rates rise, next. */
static bool is_start_next(struct bench *b)
{
    if (!knobs_equal(&b->knobs, &b->world.start))
        next(b, 1);
    return knobs_equal(&b->knobs, &b->world.start);
}

/* Runs until the tuner explains something, for at most 'intervals'. Returns false if it has not. */
static bool next_explanation(struct bench *b, uint32_t intervals)
{
    for (uint32_t i = 0; i < intervals; i++) {
        next(b, 1);
        if (b->note.why[0])
            return true;
    }
    return false;
}

/* The current setting ran in the race and was predicted to be better. No setting in the race was clearly
 * better. */
static void check_tried(const struct bench *b)
{
    const struct tuner_tried *set = NULL, *now = NULL;

    assert_in_range(b->note.tries, 2, 16);
    for (uint32_t i = 0; i < b->note.tries; i++) {
        const struct tuner_tried *t = &b->note.tried[i];

        assert_true(t->low <= t->gain && t->gain <= t->high);
        assert_true(i == 0 || t->is_out || t->gain >= t[-1].gain);
        set = knobs_equal(&t->knobs, &b->knobs) ? t : set;
        now = t->is_now ? t : now;
    }
    assert_non_null(set);
    assert_non_null(now);
    assert_true(set->gain < 0 && set->high < 0 && !set->is_out);
    assert_true(now->gain == 0);
    assert_true(knobs_equal(&now->knobs, &b->world.start));
}

static void step__needs_two_windows_then_searches_and_proves(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    assert_true(next_explanation(&b, 10));
    assert_non_null(strstr(b.note.why, "is it so in the next window"));
    assert_int_equal(twins, 0);
    assert_true(next_explanation(&b, 10));
    assert_int_equal(twins, 1);
    assert_non_null(strstr(b.note.why, "is predicted to be"));
    assert_int_equal(b.note.phase, TUNER_SEARCH);
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    check_tried(&b);
    assert_true(next_explanation(&b, 10));
    assert_int_equal(b.note.tries, 0);
    assert_non_null(strstr(b.note.why, "the setting stays"));
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* The network is slower with the new setting than the twin predicted: the setting is withdrawn after one
 * window. */
static void step__withdraws_a_slower_setting(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    b.real = 2.5;
    while (knobs_equal(&b.knobs, &b.world.start))
        next(&b, 1);
    for (uint32_t i = 0; i < 4; i++)         /* one interval to settle, three of a window */
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "comes back"));
    assert_true(is_start_next(&b));
    close_bench(&b);
}

/* The actuator has withdrawn the setting: there is nothing to prove, and the twin is not asked again soon. */
static void step__a_withdrawn_setting_needs_no_proof(void **state)
{
    struct outcome o = { .number = 1, .kind = OUTCOME_REFUSED, .why = "harm: e-value 25" };
    struct bench   b;

    (void)state;
    open_bench(&b);
    while (knobs_equal(&b.knobs, &b.world.start))
        next(&b, 1);
    assert_int_equal(twins, 1);
    b.knobs = b.world.start;
    b.report.outcome = &o;
    next(&b, 1);
    assert_non_null(strstr(b.note.why, "was not kept: harm: e-value 25"));
    assert_int_equal(b.note.phase, TUNER_HOLD);
    for (uint32_t i = 0; i < 12; i++) {
        next(&b, 1);
        assert_true(knobs_equal(&b.knobs, &b.world.start));
    }
    assert_int_equal(twins, 1);
    close_bench(&b);
}

/* The setting was proved, and later messages become five times as slow with it. It is withdrawn within two
 * windows. */
static void step__withdraws_a_setting_that_gets_worse(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    while (!strstr(b.note.why, "the setting stays"))
        next(&b, 1);
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    b.real = 5;
    for (uint32_t i = 0; i < 6; i++)
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "comes back"));
    assert_true(is_start_next(&b));
    close_bench(&b);
}

/* The same after many good intervals: withdrawal takes four intervals, where two windows are six. The twin
 * never brings the setting back. */
static void step__withdraws_a_bad_setting_within_four_intervals(void **state)
{
    struct bench b;
    struct knobs bad;

    (void)state;
    open_bench(&b);
    while (!strstr(b.note.why, "the setting stays"))
        next(&b, 1);
    bad = b.knobs;
    for (uint32_t i = 0; i < 10; i++)
        next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &bad));
    b.real = 5;
    for (uint32_t i = 0; i < 4 && !strstr(b.note.why, "comes back"); i++)
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "in the last intervals"));
    assert_true(is_start_next(&b));
    b.real = 1;
    for (uint32_t i = 0; i < 200; i++) {
        next(&b, 1);
        assert_false(knobs_equal(&b.knobs, &bad));
    }
    close_bench(&b);
}

/* With five times the traffic, the setting that was chosen for less is withdrawn after one window. It comes
 * back with the old traffic. */
static void step__other_traffic_gets_the_initial_setting(void **state)
{
    struct bench b;
    struct knobs chosen;

    (void)state;
    open_bench(&b);
    while (!strstr(b.note.why, "the setting stays"))
        next(&b, 1);
    chosen = b.knobs;
    for (uint32_t i = 0; i < 3; i++)
        next(&b, 5);
    assert_non_null(strstr(b.note.why, "the initial setting comes back"));
    assert_true(is_start_next(&b));
    lie = 10;                    /* so that nothing better is found for it */
    for (uint32_t i = 0; i < 6; i++)
        next(&b, 5);
    for (uint32_t i = 0; i < 3; i++)
        next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &b.world.start) || knobs_equal(&b.knobs, &chosen));
    for (uint32_t i = 0; i < 3; i++)
        next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &chosen));
    close_bench(&b);
}

static void step__a_wrong_twin_changes_nothing(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    lie = 2;
    for (uint32_t i = 0; i < 12; i++) {
        next(&b, 1);
        assert_true(knobs_equal(&b.knobs, &b.world.start));
    }
    assert_true(twins > 0);
    assert_non_null(strstr(b.note.why, "the twin is wrong"));
    close_bench(&b);
}

/* Every second window has twice the traffic, so no two agree. */
static void step__only_watches_changing_traffic(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    for (uint32_t i = 0; i < 24; i++)
        next(&b, i / 3 % 2 ? 2 : 1);
    assert_int_equal(twins, 0);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* ---- formulas ---- */

/* Opens a tuner that starts with bdp. The best setting is bdp or, if given, 'best'. */
static void open_with_bdp(struct bench *b, const double *best)
{
    open_bench_with(b, "opening", "bdp");
    tuner_first(&b->tuner, &b->knobs);
    assert_false(knobs_equal(&b->knobs, &b->world.start));
    if (best)
        memcpy(twin.best, best, sizeof(twin.best));
    else
        coded_from_knobs(&twin.coded, &b->knobs, twin.best);
}

/* The first interval reports the opening. The twin finds nothing better, and it stays. */
static void first__a_confirmed_opening_stays(void **state)
{
    struct bench b;
    struct knobs opening;

    (void)state;
    open_with_bdp(&b, NULL);
    opening = b.knobs;
    next(&b, 1);
    assert_non_null(strstr(b.note.why, "since the beginning"));
    assert_non_null(strstr(b.note.why, "bdp"));
    assert_int_equal(b.note.phase, TUNER_WATCH);
    while (twins == 0) {
        assert_true(knobs_equal(&b.knobs, &opening));
        next(&b, 1);
    }
    assert_non_null(strstr(b.note.why, "it stays"));
    assert_true(knobs_equal(&b.knobs, &opening));
    close_bench(&b);
}

/* No setting is better than the initial one on this network. */
static void first__a_refuted_opening_is_withdrawn(void **state)
{
    struct bench b;

    (void)state;
    open_with_bdp(&b, NULL);
    coded_from_knobs(&twin.coded, &b.world.start, twin.best);
    while (twins == 0)
        next(&b, 1);
    assert_true(is_start_next(&b));
    close_bench(&b);
}

/* A better setting is found and set, but the network does not confirm it. The opening comes back, not the
 * setting before it. */
static void first__the_opening_replaces_an_unproved_setting(void **state)
{
    struct bench b;
    struct knobs opening;

    (void)state;
    open_bench_with(&b, "opening", "bdp");
    tuner_first(&b.tuner, &b.knobs);
    opening = b.knobs;
    while (knobs_equal(&b.knobs, &opening))
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "is predicted to be"));
    b.real = 5;
    while (!strstr(b.note.why, "comes back"))
        next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &opening));
    close_bench(&b);
}

/* The twin is wrong, and the other formula is no better. Both alternate for a while, and the floor stays. */
static void doubt__returns_to_the_formula(void **state)
{
    struct bench b;
    struct knobs floor;
    uint32_t     changes = 0;

    (void)state;
    open_with_bdp(&b, NULL);
    floor = b.knobs;
    lie = 5;
    while (!strstr(b.note.why, "pairs of blocks")) {
        struct knobs was = b.knobs;

        next(&b, 1);
        changes += !knobs_equal(&was, &b.knobs);
        assert_false(knobs_equal(&b.knobs, &b.world.start));
    }
    assert_true(changes >= 4);
    assert_non_null(strstr(b.note.why, "nothing is changed"));
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(knobs_equal(&b.knobs, &floor));
        next(&b, 1);
    }
    close_bench(&b);
}

/* The same, but the other formula is the best setting. The contest shows it, and it stays. */
static void doubt__sets_the_other_formula_if_the_network_proves_it(void **state)
{
    struct bench b;
    struct knobs floor, gentle;

    (void)state;
    open_with_bdp(&b, NULL);
    floor = b.knobs;
    setting_find("gentle")->make(&gentle, &b.world);
    coded_from_knobs(&twin.coded, &gentle, twin.best);
    twin.steep = 12;             /* both formulas are close to each other */
    lie = 5;
    for (uint32_t i = 0; i < 100 && !strstr(b.note.why, "pairs of blocks"); i++)
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "it is set"));
    assert_true(knobs_equal(&b.knobs, &gentle));
    for (uint32_t i = 0; i < 100; i++) {
        next(&b, i < 50 ? 1 : 5);
        assert_false(knobs_equal(&b.knobs, &floor) || knobs_equal(&b.knobs, &b.world.start));
    }
    close_bench(&b);
}

/* The twin does not model TCP. It predicts the current setting correctly and knows a better one, but it is
 * not asked. */
static void doubt__asks_no_twin_that_lacks_a_protocol(void **state)
{
    struct bench b;
    struct knobs start;

    (void)state;
    open_bench(&b);
    start = b.knobs;
    unaware_of = "TCP";
    for (uint32_t i = 0; i < 30; i++)
        next(&b, 1);
    assert_true(twins > 0 && trials == 0);
    assert_true(knobs_equal(&b.knobs, &start));
    unaware_of = NULL;
    for (uint32_t i = 0; i < 100 && knobs_equal(&b.knobs, &start); i++)
        next(&b, 1);
    assert_false(knobs_equal(&b.knobs, &start));
    close_bench(&b);
}

/* The twin is wrong about jobs, so it is not asked: the network must show that the formula does not slow
 * jobs down. Rates rise in the first interval. */
static void floor__is_the_initial_setting_with_jobs(void **state)
{
    struct bench b;
    struct knobs start, rising;

    (void)state;
    open_with_bdp(&b, NULL);
    start = b.world.start;
    next(&b, 1);
    assert_false(knobs_equal(&b.knobs, &start));
    b.has_job = true;
    next(&b, 1);
    assert_non_null(strstr(b.note.why, "jobs post most of the bytes"));
    rising = start;
    rising.value[KNOB_rpg_time_reset] = b.knobs.value[KNOB_rpg_time_reset];
    rising.value[KNOB_rpg_ai_rate] = b.knobs.value[KNOB_rpg_ai_rate];
    rising.value[KNOB_rpg_hai_rate] = b.knobs.value[KNOB_rpg_hai_rate];
    assert_true(knobs_equal(&b.knobs, &rising));
    assert_true(rising.value[KNOB_rpg_ai_rate] > start.value[KNOB_rpg_ai_rate]);
    next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &start));
    close_bench(&b);
}

/* The formula is the best setting by messages, but a job makes half the progress with it. The initial
 * setting stays. At any time the job has lost at most 1 % of the time so far, plus half of the interval in
 * which that is noticed. The first interval, before any report, does not count. */
static void floor__stays_if_a_job_is_slower(void **state)
{
    struct bench b;
    bool         has_duelled = false;
    double       lost = 0;

    (void)state;
    open_with_bdp(&b, NULL);
    lie = 5;
    b.has_job = b.is_job_slower = true;
    next(&b, 1);
    for (uint32_t i = 1; i < 300; i++) {
        bool is_formula = b.knobs.value[KNOB_kmin] != b.world.start.value[KNOB_kmin];

        next(&b, 1);
        lost += is_formula ? 0.5 : 0;
        has_duelled = has_duelled || strstr(b.note.why, "a job has lost");
        assert_null(strstr(b.note.why, "it is set"));
        assert_true(lost <= 0.01 * i + 0.5);
    }
    assert_true(has_duelled);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* A thousand messages are unfinished for each that ends: they would span blocks of both settings. */
static void doubt__compares_nothing_if_messages_last_long(void **state)
{
    struct bench b;
    struct knobs floor;

    (void)state;
    open_with_bdp(&b, NULL);
    floor = b.knobs;
    b.waiting = 1000;
    lie = 5;
    for (uint32_t i = 0; i < 40; i++) {
        next(&b, 1);
        assert_true(knobs_equal(&b.knobs, &floor));
    }
    assert_true(twins >= 2);
    close_bench(&b);
}

/* Messages are as fast as in an empty network, so no twin is made, and the formula stays. */
static void step__makes_no_twin_without_a_possible_gain(void **state)
{
    struct bench b;
    struct knobs floor;

    (void)state;
    open_with_bdp(&b, NULL);
    floor = b.knobs;
    b.is_empty = true;
    for (uint32_t i = 0; i < 100; i++) {
        next(&b, 1);
        assert_true(knobs_equal(&b.knobs, &floor));
    }
    assert_int_equal(twins, 0);
    close_bench(&b);
}

/* Each message follows from the end of another, and the twin knows nothing better for them: the formula
 * stays. */
static void first__the_formula_holds_for_chained_messages(void **state)
{
    struct bench b;
    struct knobs floor;

    (void)state;
    open_with_bdp(&b, NULL);
    floor = b.knobs;
    b.follows = true;
    while (twins == 0) {
        assert_true(knobs_equal(&b.knobs, &floor));
        next(&b, 1);
    }
    assert_true(knobs_equal(&b.knobs, &floor));
    close_bench(&b);
}

/* The twin has found a setting for the first traffic. Then five times the traffic comes, which is new: the
 * opening returns. */
static void first__the_opening_returns_with_new_traffic(void **state)
{
    struct bench b;
    struct knobs opening;

    (void)state;
    open_bench_with(&b, "opening", "bdp");
    tuner_first(&b.tuner, &b.knobs);
    opening = b.knobs;
    while (!strstr(b.note.why, "the setting stays"))
        next(&b, 1);
    assert_false(knobs_equal(&b.knobs, &opening));
    for (uint32_t i = 0; i < 3; i++)
        next(&b, 5);
    assert_non_null(strstr(b.note.why, "the formula comes back"));
    assert_true(knobs_equal(&b.knobs, &opening));
    close_bench(&b);
}

static void first__no_opening_if_it_is_off(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    tuner_first(&b.tuner, &b.knobs);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    next(&b, 1);
    assert_string_equal(b.note.why, "");
    close_bench(&b);
}

static void create__needs_a_maker_of_twins(void **state)
{
    struct world         w = { .seed = 1 };
    struct option_values values;
    struct tuner         tuner;
    struct err           err;

    (void)state;
    option_values_init(tuner_rehearse.option, &values);
    assert_true(tuner_open(&tuner, &tuner_rehearse, &w, &values, &err) < 0);
    option_values_fini(&values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step__needs_two_windows_then_searches_and_proves),
        cmocka_unit_test(step__withdraws_a_slower_setting),
        cmocka_unit_test(step__a_withdrawn_setting_needs_no_proof),
        cmocka_unit_test(step__withdraws_a_setting_that_gets_worse),
        cmocka_unit_test(step__withdraws_a_bad_setting_within_four_intervals),
        cmocka_unit_test(step__other_traffic_gets_the_initial_setting),
        cmocka_unit_test(step__a_wrong_twin_changes_nothing),
        cmocka_unit_test(step__only_watches_changing_traffic),
        cmocka_unit_test(first__a_confirmed_opening_stays),
        cmocka_unit_test(first__a_refuted_opening_is_withdrawn),
        cmocka_unit_test(first__the_opening_replaces_an_unproved_setting),
        cmocka_unit_test(doubt__returns_to_the_formula),
        cmocka_unit_test(doubt__asks_no_twin_that_lacks_a_protocol),
        cmocka_unit_test(floor__is_the_initial_setting_with_jobs),
        cmocka_unit_test(floor__stays_if_a_job_is_slower),
        cmocka_unit_test(doubt__sets_the_other_formula_if_the_network_proves_it),
        cmocka_unit_test(doubt__compares_nothing_if_messages_last_long),
        cmocka_unit_test(step__makes_no_twin_without_a_possible_gain),
        cmocka_unit_test(first__the_formula_holds_for_chained_messages),
        cmocka_unit_test(first__the_opening_returns_with_new_traffic),
        cmocka_unit_test(first__no_opening_if_it_is_off),
        cmocka_unit_test(create__needs_a_maker_of_twins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
