/* src/study/report/page_tuning_test.c - histories written by hand, and the page made from them. */
#include "base/err.h"
#include "study/report/page.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const speeds[] = { "slow", "quick", NULL };
static const struct key_row options[] = {
    { "theta", KEY_REAL, "0.01", "divergence that is a change", .min = 0, .max = 1 },
    { "confirm", KEY_COUNT, "3", "times", .min = 0, .max = 100 },
    { "reread", KEY_YES, "yes", "look again" },
    { "speed", KEY_NAME, "slow", "how fast", .choices = speeds },
    { "setting", KEY_FILE, "default", "a name" },
    { 0 },
};
static const struct tuner_algo by_hand = { .name = "by_hand", .about = "for a test", .option = options };

/* 'steps' intervals of 1 ms without measurements or changes. */
static struct tuning history(uint32_t steps)
{
    struct tuning g = { .algo = &by_hand, .steps = steps, .steps_max = steps,
                        .step = xcalloc(steps + 1, sizeof(struct tuning_step)) };

    for (uint32_t i = 0; i < steps; i++) {
        struct tuning_step *s = &g.step[i];

        s->start_ps = i * 1000ull * PS_PER_US;
        s->end_ps = (i + 1) * 1000ull * PS_PER_US;
        s->note = (struct tuner_note){ .phase = TUNER_WATCH, .utility = NAN, .throughput = NAN, .rtt = NAN,
                                       .pfc = NAN, .divergence = NAN, .elephants = NAN, .temperature = NAN };
        knobs_init(&s->was);
        s->is = s->was;
    }
    return g;
}

static json_t *get(json_t *o, const char *key)
{
    json_t *found = json_object_get(o, key);

    if (!found)
        fail_msg("there is no '%s'", key);
    return found;
}

/* Compares a part of the page with JSON written by hand. */
static void assert_says(json_t *o, const char *key, const char *want)
{
    char *is = json_dumps(get(o, key), JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY);

    assert_string_equal(is, want);
    free(is);
}

static void done(struct tuning *g, json_t *page)
{
    json_decref(page);
    free(g->step);
}

static void tuning__without_a_tuner_is_null(void **state)
{
    struct tuning none = { 0 };
    json_t *page = page_tuning(&none);

    (void)state;
    assert_true(json_is_null(page));
    json_decref(page);
}

static void options__are_shown_as_users_write_them(void **state)
{
    char name[] = "expert \xff";                /* a file's name need not be UTF-8 */
    struct tuning g = history(0);
    json_t *page, *list;

    (void)state;
    g.values = (struct option_values){ .value = { 0.025, 7, 0, 1 }, .text = { [4] = name },
                                      .is_given = { [1] = true } };
    page = page_tuning(&g);
    list = get(page, "options");
    assert_says(page, "tuner", "\"by_hand\"");
    assert_int_equal(json_array_size(list), 5);
    assert_says(json_array_get(list, 0), "value", "0.025");
    assert_says(json_array_get(list, 1), "value", "7.0");
    assert_says(json_array_get(list, 2), "value", "\"no\"");
    assert_says(json_array_get(list, 3), "value", "\"quick\"");
    assert_says(json_array_get(list, 4), "value", "\"expert ?\"");
    assert_says(json_array_get(list, 0), "is_given", "false");
    assert_says(json_array_get(list, 1), "is_given", "true");
    assert_says(json_array_get(list, 1), "about", "\"times\"");
    done(&g, page);
}

static void steps__columns_by_hand(void **state)
{
    struct tuning g = history(3);
    struct tuner_note *n = &g.step[1].note;
    json_t *page, *steps;

    (void)state;
    *n = (struct tuner_note){ .phase = TUNER_SEARCH, .utility = 0.75, .throughput = 0.5, .rtt = 1 / 3.0, .pfc = 1,
                              .divergence = INFINITY, .elephants = 0.125, .temperature = 90,
                              .verdict = TUNER_BEST, .why = "better than \"all\" before" };
    g.step[1].is.value[KNOB_kmin] = 120;         /* from 400 */
    g.step[1].is.value[KNOB_rpg_ai_rate] = 55;   /* from 5 */
    g.step[2].was = g.step[2].is = g.step[1].is;
    g.step[2].is.value[KNOB_kmin] = 400;
    g.step[2].note.verdict = TUNER_REJECTED;
    g.step[2].note.phase = TUNER_NO_PHASE;
    page = page_tuning(&g);
    steps = get(page, "steps");
    assert_says(steps, "start_us", "[0.0,1000.0,2000.0]");
    assert_says(steps, "end_us", "[1000.0,2000.0,3000.0]");
    assert_says(page, "phases", "[\"watch\",\"search\"]");
    assert_says(steps, "phase", "[0,1,null]");
    assert_says(steps, "utility", "[null,0.75,null]");
    assert_says(steps, "utility_throughput", "[null,0.5,null]");
    assert_says(steps, "utility_rtt", "[null,0.333333,null]");
    assert_says(steps, "utility_pfc", "[null,1.0,null]");
    assert_says(steps, "divergence", "[null,null,null]");
    assert_says(steps, "elephants", "[null,0.125,null]");
    assert_says(steps, "temperature", "[null,90.0,null]");
    assert_says(steps, "verdict", "[0,3,2]");
    assert_says(steps, "why", "[\"\",\"better than \\\"all\\\" before\",\"\"]");
    assert_says(page, "knobs", "[{\"name\":\"rpg_ai_rate\",\"unit\":\"Mbps\"},"
                               "{\"name\":\"kmin\",\"unit\":\"KB\"}]");
    assert_says(steps, "set", "[[],[[0,55.0,5.0],[1,120.0,400.0]],[[1,400.0,120.0]]]");
    assert_says(page, "totals", "{\"steps\":3,\"searches\":1,\"accepted\":1,\"rejected\":1}");
    done(&g, page);
}

/* Every list has one element for each step. */
static void assert_all_as_long(json_t *steps, size_t count)
{
    const char *name;
    json_t *column;

    assert_int_equal(json_object_size(steps), 13);
    json_object_foreach(steps, name, column)
        if (json_array_size(column) != count)
            fail_msg("'%s' has %zu elements, not %zu", name, json_array_size(column), count);
}

static void steps__are_all_shown_if_they_fit(void **state)
{
    struct tuning g = history(2000);
    json_t *page = page_tuning(&g);

    (void)state;
    assert_all_as_long(get(page, "steps"), 2000);
    done(&g, page);
}

static bool has_step(json_t *page, double end_us)
{
    json_t *value;
    size_t i;

    json_array_foreach(get(get(page, "steps"), "end_us"), i, value)
        if (json_number_value(value) == end_us)
            return true;
    return false;
}

/* 50,000 intervals, a few of them with a verdict, a new setting or a new phase: none of these is dropped. */
static void steps__of_a_long_run_keep_every_decision(void **state)
{
    struct tuning g = history(50000);
    json_t *page;
    size_t shown;

    (void)state;
    g.step[777].note.verdict = TUNER_ACCEPTED;
    g.step[31111].is.value[KNOB_pmax] = 0.5;
    for (uint32_t i = 40003; i < 50000; i++)
        g.step[i].note.phase = TUNER_HOLD;
    page = page_tuning(&g);
    shown = json_array_size(get(get(page, "steps"), "end_us"));
    assert_true(shown <= 2000 && shown > 1500);
    assert_all_as_long(get(page, "steps"), shown);
    assert_int_equal(json_integer_value(get(get(page, "totals"), "steps")), 50000);
    assert_true(has_step(page, 1e3));
    assert_true(has_step(page, 778e3));
    assert_true(has_step(page, 31112e3));
    assert_true(has_step(page, 40004e3));
    done(&g, page);
}

/* A tuner that never stops searching decides in every step. */
static void steps__too_many_decisions_are_thinned_too(void **state)
{
    struct tuning g = history(9000);
    json_t *page, *end;
    size_t shown;
    char *text;

    (void)state;
    for (uint32_t i = 0; i < g.steps; i++) {
        g.step[i].note.verdict = TUNER_REJECTED;
        memset(g.step[i].note.why, 'x', 120);
        for (uint32_t k = 0; k < 12; k++)
            g.step[i].is.value[k] = 1234.5 + k + i;
    }
    page = page_tuning(&g);
    end = get(get(page, "steps"), "end_us");
    shown = json_array_size(end);
    assert_int_equal(shown, 1800);                /* every fifth */
    assert_int_equal(json_integer_value(get(get(page, "totals"), "rejected")), 9000);
    for (size_t i = 0; i < shown; i++)
        assert_true(json_number_value(json_array_get(end, i)) == 1e3 + 5e3 * (double)i);
    text = json_dumps(page, JSON_COMPACT | JSON_REAL_PRECISION(6));
    assert_true(strlen(text) < 1000000);
    free(text);
    done(&g, page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuning__without_a_tuner_is_null),
        cmocka_unit_test(options__are_shown_as_users_write_them),
        cmocka_unit_test(steps__columns_by_hand),
        cmocka_unit_test(steps__are_all_shown_if_they_fit),
        cmocka_unit_test(steps__of_a_long_run_keep_every_decision),
        cmocka_unit_test(steps__too_many_decisions_are_thinned_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
