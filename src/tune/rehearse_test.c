/* src/tune/rehearse_test.c - the tuner on a network of which all is known: what hosts see follows from a
 * formula, and so does what the twin says; the twin may be wrong. */
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
static double              lie;              /* the twin's slowdowns, times */
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
    double               waiting;            /* messages that wait for each one that ends */
    bool                 follows;            /* messages are posted when others have ended */
    bool                 has_job;            /* messages are those of a job, */
    bool                 is_job_slower;      /* which goes on half as fast with any setting but the first */
    /* slowdowns of the network are those of the twin, times, away from the start */
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

/* An interval: so many times 1,000 messages of 10 KB and 30 of 2 MB, which take what the formula says. */
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

/* Before the initial setting returns, rates rise for an interval. */
static bool is_start_next(struct bench *b)
{
    if (!knobs_equal(&b->knobs, &b->world.start))
        next(b, 1);
    return knobs_equal(&b->knobs, &b->world.start);
}

/* Until it says something, at most so long. */
static bool next_word(struct bench *b, uint32_t intervals)
{
    for (uint32_t i = 0; i < intervals; i++) {
        next(b, 1);
        if (b->note.why[0])
            return true;
    }
    return false;
}

/* The setting that is set ran, was predicted to be better, and no other setting in the race more so by
 * more than chance. */
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

static void step__two_windows_that_agree_a_search_and_a_proof(void **state)
{
    struct bench b;

    (void)state;
    open_bench(&b);
    assert_true(next_word(&b, 10));
    assert_non_null(strstr(b.note.why, "is it so in the next window"));
    assert_int_equal(twins, 0);
    assert_true(next_word(&b, 10));
    assert_int_equal(twins, 1);
    assert_non_null(strstr(b.note.why, "is predicted to be"));
    assert_string_equal(b.note.phase, "search");
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    check_tried(&b);
    assert_true(next_word(&b, 10));
    assert_int_equal(b.note.tries, 0);
    assert_non_null(strstr(b.note.why, "the setting stays"));
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* The network is half as fast with the new setting as the twin says: it is there for a window, and then no
 * more. */
static void step__what_is_slower_than_before_does_not_stay(void **state)
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

/* The actuator has withdrawn it: nothing is left to prove, and the twin is not asked again at
 * once. */
static void step__what_a_guard_takes_back_needs_no_proof(void **state)
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
    assert_string_equal(b.note.phase, "hold");
    for (uint32_t i = 0; i < 12; i++) {
        next(&b, 1);
        assert_true(knobs_equal(&b.knobs, &b.world.start));
    }
    assert_int_equal(twins, 1);
    close_bench(&b);
}

/* It was proved, and later messages are three times as slow as before with it: two windows, and it goes. */
static void step__what_turns_out_to_be_worse_goes(void **state)
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

/* The same after a long good time: it takes four intervals, where two windows are six. It does not come
 * again, however often the twin is asked. */
static void step__what_turns_bad_goes_within_intervals(void **state)
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

/* Five times the traffic: what was chosen for less goes with the first window; and comes back when that
 * does. */
static void step__another_traffic_has_the_setting_from_the_beginning(void **state)
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
    lie = 10;                    /* so that nothing is found for it */
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

static void step__a_twin_that_is_wrong_changes_nothing(void **state)
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

/* Half as much traffic again in every second window: no two agree. */
static void step__traffic_that_changes_all_the_time_is_only_watched(void **state)
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

/* With bdp from the beginning on; the best setting is there, or where 'best' says. */
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

/* It is told with the first interval; the twin finds nothing better, and it stays. */
static void first__an_opening_that_the_twin_confirms_stays(void **state)
{
    struct bench b;
    struct knobs opening;

    (void)state;
    open_with_bdp(&b, NULL);
    opening = b.knobs;
    next(&b, 1);
    assert_non_null(strstr(b.note.why, "since the beginning"));
    assert_non_null(strstr(b.note.why, "bdp"));
    assert_string_equal(b.note.phase, "watch");
    while (twins == 0) {
        assert_true(knobs_equal(&b.knobs, &opening));
        next(&b, 1);
    }
    assert_non_null(strstr(b.note.why, "it stays"));
    assert_true(knobs_equal(&b.knobs, &opening));
    close_bench(&b);
}

/* On this network nothing is better than where it began. */
static void first__an_opening_that_the_twin_refutes_goes(void **state)
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

/* Better is found, set, and does not prove true: what comes back is the opening, not what was before it. */
static void first__what_is_not_proved_gives_way_to_the_opening(void **state)
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

/* The twin is wrong, and the other formula is no better: both take turns for a while, and the floor stays. */
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

/* The same where the other formula is the best setting: the network finds out, and it stays. */
static void doubt__sets_the_other_formula_if_the_network_proves_it(void **state)
{
    struct bench b;
    struct knobs floor, gentle;

    (void)state;
    open_with_bdp(&b, NULL);
    floor = b.knobs;
    setting_find("gentle")->make(&gentle, &b.world);
    coded_from_knobs(&twin.coded, &gentle, twin.best);
    twin.steep = 12;             /* both formulas are near each other */
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

/* The twin lacks TCP: it is right about the setting in force, and knows a better one, but has no say. */
static void doubt__asks_no_twin_that_lacks_something(void **state)
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

/* The twin lies about jobs, so it has no say: the network must show that the formula makes them no slower.
 * In the first interval rates rise. */
static void floor__is_the_initial_setting_where_there_are_jobs(void **state)
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

/* The formula is the best setting by messages. A job makes half the progress with it: the initial setting
 * stays, and at any time the job has lost at most 1 % of the time so far, and half of the interval in
 * which that is noticed. The first interval, which precedes all reports, does not count. */
static void floor__stays_where_a_job_is_slower(void **state)
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

/* Messages of which a thousand wait for each that ends: blocks would mix up both settings. */
static void doubt__compares_nothing_where_messages_last_long(void **state)
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

/* Messages are as fast as in an empty network: no twin is made, and the formula stays. */
static void step__no_twin_where_there_is_nothing_to_gain(void **state)
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

/* Messages that each follow from the end of another, of which the twin knows nothing better: the formula
 * stays for them, too. */
static void first__a_formula_is_for_messages_that_follow_from_others(void **state)
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

/* The twin has confirmed the opening; five times the traffic comes, of which nothing is known: the opening
 * stays in force. */
static void first__an_opening_is_for_other_traffic_too(void **state)
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

static void first__no_opening_where_none_is_wanted(void **state)
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

static void create__without_a_maker_of_twins_there_is_no_tuner(void **state)
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
        cmocka_unit_test(step__two_windows_that_agree_a_search_and_a_proof),
        cmocka_unit_test(step__what_is_slower_than_before_does_not_stay),
        cmocka_unit_test(step__what_a_guard_takes_back_needs_no_proof),
        cmocka_unit_test(step__what_turns_out_to_be_worse_goes),
        cmocka_unit_test(step__what_turns_bad_goes_within_intervals),
        cmocka_unit_test(step__another_traffic_has_the_setting_from_the_beginning),
        cmocka_unit_test(step__a_twin_that_is_wrong_changes_nothing),
        cmocka_unit_test(step__traffic_that_changes_all_the_time_is_only_watched),
        cmocka_unit_test(first__an_opening_that_the_twin_confirms_stays),
        cmocka_unit_test(first__an_opening_that_the_twin_refutes_goes),
        cmocka_unit_test(first__what_is_not_proved_gives_way_to_the_opening),
        cmocka_unit_test(doubt__returns_to_the_formula),
        cmocka_unit_test(doubt__asks_no_twin_that_lacks_something),
        cmocka_unit_test(floor__is_the_initial_setting_where_there_are_jobs),
        cmocka_unit_test(floor__stays_where_a_job_is_slower),
        cmocka_unit_test(doubt__sets_the_other_formula_if_the_network_proves_it),
        cmocka_unit_test(doubt__compares_nothing_where_messages_last_long),
        cmocka_unit_test(step__no_twin_where_there_is_nothing_to_gain),
        cmocka_unit_test(first__a_formula_is_for_messages_that_follow_from_others),
        cmocka_unit_test(first__an_opening_is_for_other_traffic_too),
        cmocka_unit_test(first__no_opening_where_none_is_wanted),
        cmocka_unit_test(create__without_a_maker_of_twins_there_is_no_tuner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
