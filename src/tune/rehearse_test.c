/* src/tune/rehearse_test.c - the tuner on a network of which all is known: what hosts see follows from a
 * formula, and so does what the twin says; the twin may be wrong. */
#include "tune/rehearse/search/test_predictor.h"
#include "learn/model.h"
#include "tune/rehearse/search/test_surrogate.h"
#include "core/units.h"
#include "tune/tuner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

extern const struct tuner_algo tuner_rehearse;

static struct test_network twin;
static double              lie;              /* the twin's slowdowns, times */
static uint32_t            twins;

static int run_twin(void *arg, const struct predict_point *point, uint32_t count, struct predicted *out,
                    struct err *err)
{
    int rc = test_predict(arg, point, count, out, err);

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
    *p = (struct predictor){ .arg = &twin, .run = run_twin };
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
    bool                 is_little;          /* ten messages of 10 KB, and no more */
    bool                 follows;            /* messages are posted when others have ended */
    uint32_t             followers;          /* so many of the 30 elephants are */
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
    twins = 0;
    tuner_values_init(&tuner_rehearse, &b->values);
    assert_int_equal(tuner_values_set(&tuner_rehearse, &b->values, "budget", "1", &err), 0);
    assert_int_equal(tuner_values_set(&tuner_rehearse, &b->values, "model", "none", &err), 0);
    assert_int_equal(tuner_values_set(&tuner_rehearse, &b->values, "guess", "yes", &err), 0);
    assert_int_equal(tuner_values_set(&tuner_rehearse, &b->values, "opening", "none", &err), 0);
    assert_int_equal(tuner_values_set(&tuner_rehearse, &b->values, option, value, &err), 0);
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

    test_predict(&twin, &point, 1, &p, &err);
    *s = (struct seen){ .posted = 1030ull * times, .posted_bytes = 70000000ull * times };
    s->bin[seen_bin(10000)] = 1000 * times;
    s->bin_bytes[seen_bin(10000)] = 10000000ull * times;
    s->bin[seen_bin(2000000)] = 30 * times;
    s->bin_bytes[seen_bin(2000000)] = 60000000ull * times;
    if (b->is_little) {
        *s = (struct seen){ .posted = 10, .posted_bytes = 100000 };
        s->bin[seen_bin(10000)] = 10;
        s->bin_bytes[seen_bin(10000)] = 100000;
    }
    if (b->follows) {
        memcpy(s->chain_bin, s->bin, sizeof(s->bin));
        memcpy(s->chain_bytes, s->bin_bytes, sizeof(s->bin_bytes));
        memset(s->bin, 0, sizeof(s->bin));
        memset(s->bin_bytes, 0, sizeof(s->bin_bytes));
        s->chain_senders = 16;
        s->chain_s = 1030e-5 * times;
    }
    if (b->followers) {
        s->bin[seen_bin(2000000)] -= b->followers;
        s->bin_bytes[seen_bin(2000000)] -= 2000000ull * b->followers;
        s->chain_bin[seen_bin(2000000)] = b->followers;
        s->chain_bytes[seen_bin(2000000)] = 2000000ull * b->followers;
        s->chain_senders = 16;
        s->chain_s = 1e-5 * b->followers;
    }
    for (int c = 0; c < PREDICT_CLASSES; c++)
        s->done[c] = (struct seen_class){ p.all.messages[c], p.all.slowdowns[c] * more };
    b->report.number++;
    b->report.start_ps = b->report.end_ps;
    b->report.end_ps += PS_PER_MS;
    b->note = (struct tuner_note){ 0 };
    tuner_step(&b->tuner, &b->report, &b->knobs, &b->note);
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

/* The setting that is set ran, was predicted to be better, and nobody who is still in the race more so by
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
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* Whoever applies settings has taken it back: nothing is left to prove, and the twin is not asked again at
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
    assert_true(knobs_equal(&b.knobs, &b.world.start));
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
    assert_true(knobs_equal(&b.knobs, &b.world.start));
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
    assert_non_null(strstr(b.note.why, "the setting from the beginning comes back"));
    assert_true(knobs_equal(&b.knobs, &b.world.start));
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

/* A little faster, where much was predicted: blocks of both take turns, and the better one stays. */
static void step__where_a_window_does_not_tell_blocks_take_turns(void **state)
{
    struct bench b;
    uint32_t     changes = 0;

    (void)state;
    open_bench_with(&b, "pairs", "2");
    twin.common = 0;
    while (knobs_equal(&b.knobs, &b.world.start)) {
        next(&b, 1);
        b.real = 1.58;           /* the gain is about 40 % on the twin */
    }
    for (uint32_t i = 0; i < 40 && !strstr(b.note.why, "in pairs of blocks"); i++) {
        struct knobs was = b.knobs;

        next(&b, 1);
        changes += !knobs_equal(&was, &b.knobs);
    }
    assert_non_null(strstr(b.note.why, "in pairs of blocks"));
    assert_true(changes >= 2);
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

static char model_file[] = "/tmp/rehearse_test.XXXXXX";

/* A surrogate that likes low thresholds. */
static int make_model(void **state)
{
    struct surrogate s;
    struct model     m;
    struct err       err;
    int              fd = mkstemp(model_file), rc;

    (void)state;
    if (fd < 0 || close(fd))
        return -1;
    test_surrogate(&s, 0.4f, 0);
    model_init(&m, SURROGATE_KIND, &s.net);
    model_put(&m, "error", "0.02");
    rc = model_save(&m, model_file, &err);
    model_fini(&m);
    surrogate_close(&s);
    return rc;
}

static int drop_model(void **state)
{
    (void)state;
    return unlink(model_file);
}

/* With the surrogate: an interval, and a setting is there. */
static bool next_guess(struct bench *b)
{
    next(b, 1);
    return strstr(b->note.why, "No twin yet") != NULL;
}

static void step__a_guess_is_there_before_the_twin_which_finds_better(void **state)
{
    struct bench b;
    struct knobs guess;

    (void)state;
    open_bench_with(&b, "model", model_file);
    assert_true(next_guess(&b));
    assert_int_equal(twins, 0);
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    guess = b.knobs;
    while (twins == 0)
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "is predicted to be"));
    assert_false(knobs_equal(&b.knobs, &guess));
    close_bench(&b);
}

/* On this network nothing is better than where it began. */
static void step__a_guess_that_the_twin_refutes_goes(void **state)
{
    struct bench b;

    (void)state;
    open_bench_with(&b, "model", model_file);
    coded_from_knobs(&twin.coded, &b.world.start, twin.best);
    assert_true(next_guess(&b));
    assert_false(knobs_equal(&b.knobs, &b.world.start));
    while (twins == 0)
        next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* The twin is not believed, twice: what was guessed is not kept for a traffic that nobody understands. */
static void step__a_guess_does_not_stay_where_the_twin_is_wrong(void **state)
{
    struct bench b;

    (void)state;
    open_bench_with(&b, "model", model_file);
    lie = 5;
    assert_true(next_guess(&b));
    while (twins < 2)
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "the twin is wrong"));
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* No two windows are alike, so that no twin is asked: a guess is there for some of them, and then no more. */
static void step__a_guess_that_nobody_confirms_does_not_stay(void **state)
{
    struct bench b;

    (void)state;
    open_bench_with(&b, "model", model_file);
    assert_true(next_guess(&b));
    for (uint32_t i = 0; i < 60; i++)
        next(&b, i / 3 % 2 ? 8 : 1);
    assert_int_equal(twins, 0);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* ---- openings ---- */

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

/* The twin has confirmed it, and later the network is five times as slow with it: it goes within a few
 * intervals, and does not come again. */
static void first__an_opening_that_turns_bad_goes(void **state)
{
    struct bench b;
    struct knobs opening;

    (void)state;
    open_with_bdp(&b, NULL);
    opening = b.knobs;
    while (!strstr(b.note.why, "it stays"))
        next(&b, 1);
    for (uint32_t i = 0; i < 10; i++) {
        next(&b, 1);
        assert_true(knobs_equal(&b.knobs, &opening));
    }
    b.real = 5;
    for (uint32_t i = 0; i < 5 && !strstr(b.note.why, "comes back"); i++)
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "in the last intervals"));
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    b.real = 1;
    for (uint32_t i = 0; i < 100; i++) {
        next(&b, i < 50 ? 1 : 5);
        assert_false(knobs_equal(&b.knobs, &opening));
    }
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
    assert_true(knobs_equal(&b.knobs, &b.world.start));
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

static void first__an_opening_does_not_stay_where_the_twin_is_wrong(void **state)
{
    struct bench b;

    (void)state;
    open_with_bdp(&b, NULL);
    lie = 5;
    while (twins < 2)
        next(&b, 1);
    assert_non_null(strstr(b.note.why, "the twin is wrong"));
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    close_bench(&b);
}

/* Messages that each follow from the end of another: the opening goes with the first interval that tells of
 * them. */
static void first__an_opening_is_not_for_messages_that_follow_from_others(void **state)
{
    struct bench b;

    (void)state;
    open_with_bdp(&b, NULL);
    b.follows = true;
    next(&b, 1);
    assert_non_null(strstr(b.note.why, "the setting from the beginning comes back"));
    assert_true(b.knobs.value[KNOB_kmin] == b.world.start.value[KNOB_kmin]);
    /* of 100 Gb/s: rates rise within an interval */
    assert_true(b.knobs.value[KNOB_rpg_ai_rate] >= 1000);
    next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &b.world.start));
    assert_int_equal(twins, 0);
    close_bench(&b);
}

/* 20 of 30 elephants, 57 % of the bytes: in one interval that may be chance, in two it is believed. */
static void first__one_interval_with_little_more_than_half_tells_nothing_of_an_opening(void **state)
{
    struct bench b;
    struct knobs opening;

    (void)state;
    open_with_bdp(&b, NULL);
    opening = b.knobs;
    b.followers = 20;
    next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &opening));
    next(&b, 1);
    assert_non_null(strstr(b.note.why, "the setting from the beginning comes back"));
    assert_false(knobs_equal(&b.knobs, &opening));
    close_bench(&b);
}

/* A hundredth of the traffic: whether that follows from others is chance, and the opening stays. */
static void first__next_to_no_traffic_tells_nothing_of_an_opening(void **state)
{
    struct bench b;
    struct knobs opening;

    (void)state;
    open_with_bdp(&b, NULL);
    opening = b.knobs;
    b.follows = true;
    b.is_little = true;
    next(&b, 1);
    assert_true(knobs_equal(&b.knobs, &opening));
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
    assert_non_null(strstr(b.note.why, "the opening comes back"));
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
    tuner_values_init(&tuner_rehearse, &values);
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
        cmocka_unit_test(step__where_a_window_does_not_tell_blocks_take_turns),
        cmocka_unit_test(step__a_twin_that_is_wrong_changes_nothing),
        cmocka_unit_test(step__traffic_that_changes_all_the_time_is_only_watched),
        cmocka_unit_test(step__a_guess_is_there_before_the_twin_which_finds_better),
        cmocka_unit_test(step__a_guess_that_the_twin_refutes_goes),
        cmocka_unit_test(step__a_guess_that_nobody_confirms_does_not_stay),
        cmocka_unit_test(step__a_guess_does_not_stay_where_the_twin_is_wrong),
        cmocka_unit_test(first__an_opening_that_the_twin_confirms_stays),
        cmocka_unit_test(first__an_opening_that_turns_bad_goes),
        cmocka_unit_test(first__an_opening_that_the_twin_refutes_goes),
        cmocka_unit_test(first__what_is_not_proved_gives_way_to_the_opening),
        cmocka_unit_test(first__an_opening_does_not_stay_where_the_twin_is_wrong),
        cmocka_unit_test(first__an_opening_is_not_for_messages_that_follow_from_others),
        cmocka_unit_test(first__one_interval_with_little_more_than_half_tells_nothing_of_an_opening),
        cmocka_unit_test(first__next_to_no_traffic_tells_nothing_of_an_opening),
        cmocka_unit_test(first__an_opening_is_for_other_traffic_too),
        cmocka_unit_test(first__no_opening_where_none_is_wanted),
        cmocka_unit_test(create__without_a_maker_of_twins_there_is_no_tuner),
    };

    return cmocka_run_group_tests(tests, make_model, drop_model);
}
