/* src/live/view/history/history_test.c - months through the real thread and the real file, compared with sums
 * computed by hand. */
#include "live/view/history/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define DAY_MS 86400000ull
#define BEGIN_MS 1700006400000ull        /* a midnight */

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/anole-history-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/history.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char other[128];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(other, sizeof other, "%s%s", path, i == 1 ? "-wal" : i == 2 ? "-shm" : "");
        unlink(other);
    }
    return rmdir(folder);
}

static struct history *open_history(void)
{
    struct history *h = NULL;
    struct err      err = { "" };

    if (history_open(&h, path, &err))
        fail_msg("%s", err.text);
    return h;
}

/* Asks until the thread has answered, which it always does. */
static json_t *ask(struct history *h, uint64_t span_ms, uint64_t until_ms)
{
    json_t *o;
    char   *text;

    while (!(text = history_ask(h, span_ms, until_ms, until_ms)))
        usleep(1000);
    o = json_loads(text, 0, NULL);
    assert_non_null(o);
    free(text);
    return o;
}

static struct store_point point_of(uint64_t wall_ms, double metric)
{
    struct store_point p = { .wall_ms = wall_ms };

    for (int i = 0; i < STORE_SERIES; i++)
        p.value[i] = NAN;
    p.value[STORE_COVERAGE] = 1;
    p.value[STORE_METRIC] = metric;
    return p;
}

static double value_at(const json_t *o, const char *series, const char *what, size_t i)
{
    const json_t *list = json_object_get(json_object_get(json_object_get(o, "series"), series), what);

    assert_true(i < json_array_size(list));
    return json_is_null(json_array_get(list, i)) ? NAN : json_number_value(json_array_get(list, i));
}

static uint64_t count_of(const json_t *o, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

/* The metric is the number of the day, plus 0.5 in every other minute. So the mean, minimum and maximum of
 * an hour are known. */
static double metric_of(uint64_t day, uint64_t minute)
{
    return (double)day + (minute % 2 ? 0.5 : 0);
}

static void fill(struct history *h, uint64_t from_day, uint64_t days)
{
    struct store_point p;
    struct err         why;

    for (uint64_t day = from_day; day < from_day + days; day++) {
        for (uint64_t m = 0; m < 1440; m++) {
            p = point_of(BEGIN_MS + day * DAY_MS + m * 60000, metric_of(day, m));
            history_add_point(h, &p);
        }
        history_flush(h);
    }
    assert_int_equal(history_lost(h, &why), 0);
}

static void history__keeps_months_through_a_restart_and_stays_small(void **state)
{
    uint64_t        until_ms = BEGIN_MS + 120 * DAY_MS;
    struct history *h = open_history();
    struct stat     st;
    json_t         *o;

    (void)state;
    fill(h, 0, 60);
    history_free(h);
    h = open_history();
    fill(h, 60, 60);
    o = ask(h, 90 * DAY_MS, until_ms);
    assert_string_equal(json_string_value(json_object_get(o, "level")), "hour");
    assert_int_equal(count_of(o, "oldest_ms"), BEGIN_MS);
    assert_true(json_array_size(json_object_get(o, "t_ms")) <= STORE_POINTS_MAX + 1);
    assert_int_equal(count_of(o, "step_ms"), 3 * 3600000);                /* 90 days in 720 points */
    for (size_t i = 0; i < 720; i++) {
        uint64_t day = (count_of(o, "from_ms") + i * count_of(o, "step_ms") - BEGIN_MS) / DAY_MS;

        assert_true(fabs(value_at(o, "metric", "mean", i) - ((double)day + 0.25)) < 1e-3);
        assert_true(fabs(value_at(o, "metric", "least", i) - ((double)day)) < 1e-3);
        assert_true(fabs(value_at(o, "metric", "most", i) - ((double)day + 0.5)) < 1e-3);
        assert_true(isnan(value_at(o, "paused", "mean", i)));
    }
    json_decref(o);
    o = ask(h, DAY_MS, until_ms);
    assert_string_equal(json_string_value(json_object_get(o, "level")), "minute");
    assert_true(fabs(value_at(o, "metric", "mean", 0) - (119.25)) < 1e-3);  /* two minutes a point */
    json_decref(o);
    /* from so long ago only hours are left */
    o = ask(h, DAY_MS, BEGIN_MS + 10 * DAY_MS);
    assert_string_equal(json_string_value(json_object_get(o, "level")), "hour");
    assert_true(fabs(value_at(o, "metric", "mean", 3) - (9.25)) < 1e-3);
    json_decref(o);
    history_free(h);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size < 32 << 20);
}

static void history__shows_a_gap_where_nothing_was_measured(void **state)
{
    struct history    *h = open_history();
    struct store_point p;
    json_t            *o;

    (void)state;
    for (uint64_t s = 0; s < 900; s++) {
        p = point_of(BEGIN_MS + s * 1000, 1);
        if (s < 300 || s >= 600)
            history_add_point(h, &p);
    }
    o = ask(h, 900000, BEGIN_MS + 900000);
    assert_string_equal(json_string_value(json_object_get(o, "level")), "second");
    assert_int_equal(count_of(o, "step_ms"), 2000);
    assert_false(isnan(value_at(o, "metric", "mean", 100)));
    assert_true(isnan(value_at(o, "metric", "mean", 200)));
    assert_false(isnan(value_at(o, "metric", "mean", 400)));
    json_decref(o);
    history_free(h);
}

static void add_record(struct history *h, int seq, const char *time, const char *what, const char *why)
{
    char line[300];

    snprintf(line, sizeof line,
             "{\"seq\":%d,\"time\":\"%s\",\"what\":\"%s\",\"why\":\"%s\",\"change\":3,\"term\":7,\"new\":{\"kmin\":9}}", seq, time, what, why);
    history_add_record(h, line);
}

/* 2023-11-15 is the day that begins at BEGIN_MS. */
static void history__returns_decisions_and_settings_of_a_span(void **state)
{
    struct history *h = open_history();
    json_t         *o, *d;

    (void)state;
    add_record(h, 1, "2023-11-15T10:00:00.000Z", "try", "more room");
    add_record(h, 2, "2023-11-15T10:10:00.000Z", "keep", "it is better");
    add_record(h, 2, "2023-11-15T10:10:00.000Z", "drop", "the same number again");
    history_add_record(h, "this is no record");
    history_add_knobs(h, BEGIN_MS, "{\"kmin\":5}");
    history_add_knobs(h, BEGIN_MS + 12 * 3600000, "{\"kmin\":9}");
    o = ask(h, DAY_MS, BEGIN_MS + DAY_MS);
    assert_int_equal(json_array_size(json_object_get(o, "decisions")), 1);
    d = json_array_get(json_object_get(o, "decisions"), 0);
    assert_string_equal(json_string_value(json_object_get(d, "outcome")), "kept");
    assert_string_equal(json_string_value(json_object_get(d, "end")), "it is better");
    assert_int_equal(json_array_size(json_object_get(o, "knobs")), 2);
    json_decref(o);
    o = ask(h, DAY_MS, BEGIN_MS + 3 * DAY_MS);           /* no decisions; the last setting holds */
    assert_int_equal(json_array_size(json_object_get(o, "decisions")), 0);
    assert_int_equal(json_array_size(json_object_get(o, "knobs")), 1);
    d = json_object_get(json_array_get(json_object_get(o, "knobs"), 0), "confirmed");
    assert_int_equal(json_integer_value(json_object_get(d, "kmin")), 9);
    json_decref(o);
    history_free(h);
    h = open_history();
    assert_int_equal(history_last_record(h), 2);
    history_free(h);
}

/* The order of devices changes between two lives of a controller. */
static void history__counts_missing_reports_of_devices(void **state)
{
    static const char before[3][STORE_NAME_SIZE] = { "a/0", "b/0", "c/0" },
                      after[2][STORE_NAME_SIZE] = { "c/0", "a/0" };
    struct history   *h = open_history();
    json_t           *all, *o, *worst;

    (void)state;
    for (uint64_t m = 0; m < 60; m++)
        history_add_coverage(h, BEGIN_MS + m * 60000, 3, before,
                             (const uint8_t[]){ 250, 250, m % 2 ? 250 : 0 });
    history_free(h);
    h = open_history();
    for (uint64_t m = 60; m < 120; m++)
        history_add_coverage(h, BEGIN_MS + m * 60000, 2, after, (const uint8_t[]){ 0, 250 });
    for (int i = 0; i < 2; i++) {
        /* by the minute, and by the hour */
        all = ask(h, i ? 7 * DAY_MS : 6 * 3600000, BEGIN_MS + 2 * 3600000);
        o = json_object_get(all, "devices");
        worst = json_object_get(o, "worst");
        assert_int_equal(count_of(o, "known"), 3);
        assert_int_equal(count_of(o, "heard_always"), 2);
        assert_int_equal(json_array_size(worst), 1);
        assert_string_equal(json_string_value(json_object_get(json_array_get(worst, 0), "name")), "c/0");
        assert_true(fabs(json_number_value(json_object_get(json_array_get(worst, 0), "heard")) - (0.25)) <
                    0.003);
        json_decref(all);
    }
    history_free(h);
}

/* The client asks once a minute. Each answer is outdated before it can be fetched. */
static void history_ask__answers_slow_clients(void **state)
{
    struct history    *h = open_history();
    struct store_point p = point_of(BEGIN_MS, 1);
    char              *text = NULL;

    (void)state;
    history_add_point(h, &p);
    for (uint64_t look = 0; look < 1000 && !text; look++) {
        text = history_ask(h, 3600000, 0, BEGIN_MS + look * 60000);
        usleep(10000);
    }
    assert_non_null(text);
    free(text);
    /* the next request starts another query */
    assert_null(history_ask(h, 3600000, 0, BEGIN_MS + DAY_MS));
    history_free(h);
}

/* A client that asked before the first point was written soon sees it, even if a point spans many minutes. */
static void history_ask__soon_shows_the_first_point(void **state)
{
    struct history    *h = open_history();
    struct store_point p = point_of(BEGIN_MS + 1000, 1);
    json_t            *o = ask(h, DAY_MS, BEGIN_MS);
    char              *text;

    (void)state;
    assert_int_equal(count_of(o, "oldest_ms"), 0);
    json_decref(o);
    history_add_point(h, &p);
    while (!(text = history_ask(h, DAY_MS, BEGIN_MS, BEGIN_MS + 3000)))
        usleep(1000);
    o = json_loads(text, 0, NULL);
    assert_int_not_equal(count_of(o, "oldest_ms"), 0);
    json_decref(o);
    free(text);
    history_free(h);
}

static void history_open__refuses_other_files(void **state)
{
    struct history *h = NULL;
    struct err      err = { "" };
    FILE           *f = fopen(path, "w");

    (void)state;
    fputs("These are my notes, and they are longer than a header.\n", f);
    for (int i = 0; i < 200; i++)
        fputs("more of them\n", f);
    fclose(f);
    assert_true(history_open(&h, path, &err) < 0);
    assert_null(h);
    assert_non_null(strstr(err.text, path));
    f = fopen(path, "r");
    assert_int_equal(fgetc(f), 'T');
    fclose(f);
}

static void history_read_span__case(void **state)
{
    static const char *const wrong[] = { "", "/", "1", "1h/", "1h/x", "1h/0", "1h/-5", "99d",
                                         "90d/99999999999999999999", "1h/9007199254740992" };
    uint64_t span_ms, until_ms;

    (void)state;
    assert_true(history_read_span("90d", &span_ms, &until_ms));
    assert_int_equal(span_ms, 90 * DAY_MS);
    assert_int_equal(until_ms, 0);
    assert_true(history_read_span("6h/1700000000000", &span_ms, &until_ms));
    assert_int_equal(span_ms, 6 * 3600000);
    assert_int_equal(until_ms, 1700000000000);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(history_read_span(wrong[i], &span_ms, &until_ms));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(history__keeps_months_through_a_restart_and_stays_small),
        CASE(history__shows_a_gap_where_nothing_was_measured),
        CASE(history__returns_decisions_and_settings_of_a_span),
        CASE(history__counts_missing_reports_of_devices),
        CASE(history_ask__answers_slow_clients),
        CASE(history_ask__soon_shows_the_first_point),
        CASE(history_open__refuses_other_files),
        cmocka_unit_test(history_read_span__case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
