/* src/study/serve/folder_test.c - finds results, and cannot reach other files. */
#include "study/serve/folder.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char home[64];

static void write_file(const char *name, const char *text)
{
    char  path[200];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", home, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void make_folder(const char *name)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", home, name);
    assert_int_equal(0, mkdir(path, 0700));
}

/* base/run is a set of results, base/other is not. A link, a pipe and a secret lie where a request could
 * name them. */
static int set_up(void **state)
{
    char path[200], to[200];

    (void)state;
    snprintf(home, sizeof home, "/tmp/anole-serve-XXXXXX");
    assert_non_null(mkdtemp(home));
    make_folder("base");
    make_folder("base/run");
    make_folder("base/other");
    make_folder("base/.anole-abc123");
    write_file("secret", "nobody may read this");
    write_file("base/run/.anole", "anole run\nreport.html\n");
    write_file("base/run/report.html", "<p>");
    write_file("base/other/notes", "mine");
    write_file(
        "base/.anole-abc123/intervals.csv",
        "start_us,end_us,goodput_bps,rtt_us_mean\n0.000000,10.000000,5,\n10.000000,20.000000,7,1.5\n20.0000");
    snprintf(path, sizeof path, "%s/base/run/link", home);
    snprintf(to, sizeof to, "%s/secret", home);
    assert_int_equal(0, symlink(to, path));
    snprintf(path, sizeof path, "%s/base/linked", home);
    assert_int_equal(0, symlink(home, path));
    snprintf(path, sizeof path, "%s/base/run/pipe", home);
    assert_int_equal(0, mkfifo(path, 0600));
    return 0;
}

static int tear_down(void **state)
{
    char command[200];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return system(command);
}

static void open_base(struct folder *f, const char *name)
{
    struct err err;
    char       path[200];

    snprintf(path, sizeof path, "%s/%s", home, name);
    assert_int_equal(0, folder_open(f, path, &err));
}

static void folder_open__one_set_or_many(void **unused)
{
    struct folder f;
    struct err    err;

    (void)unused;
    open_base(&f, "base");
    assert_null(f.only);
    folder_fini(&f);
    open_base(&f, "base/run/");
    assert_string_equal("run", f.only);
    folder_fini(&f);
    open_base(&f, "base/later");
    assert_string_equal("later", f.only);        /* not written yet */
    folder_fini(&f);
    assert_int_equal(-ENOENT, folder_open(&f, "/nosuch/place/results", &err));
    assert_string_equal("/nosuch/place/results: there is no such folder", err.text);
}

static void folder_state__lists_results_and_running(void **unused)
{
    struct folder f;
    json_t       *s, *series;

    (void)unused;
    open_base(&f, "base");
    s = folder_state(&f);
    assert_int_equal(1, json_array_size(json_object_get(s, "results")));
    assert_string_equal(
        "run", json_string_value(json_object_get(json_array_get(json_object_get(s, "results"), 0), "name")));
    assert_string_equal(
        "run", json_string_value(json_object_get(json_array_get(json_object_get(s, "results"), 0), "kind")));
    assert_int_equal(1, json_array_size(json_object_get(s, "running")));
    series = json_object_get(json_array_get(json_object_get(s, "running"), 0), "series");
    /* the third line is incomplete */
    assert_int_equal(2, json_integer_value(json_object_get(series, "rows")));
    json_decref(s);
    folder_fini(&f);
}

static void folder_read__only_files_of_results(void **unused)
{
    static const struct { const char *item, *file; } wrong[] = {
        { "run", "nosuch" },      { "run", ".anole" },   { "run", "link" },       { "run", "pipe" },
        { "run", ".." },          { "..", "secret" },    { ".", "run" },          { "other", "notes" },
        { "linked", "secret" },   { "run", "../../secret" }, { "run/..", "secret" }, { "", "run" },
        { ".anole-abc123", "intervals.csv" },            { "run", "" },
    };
    struct folder f;
    char         *bytes = NULL;
    size_t        length;

    (void)unused;
    open_base(&f, "base");
    assert_int_equal(0, folder_read(&f, "run", "report.html", &bytes, &length));
    assert_int_equal(3, length);
    assert_string_equal("<p>", bytes);
    free(bytes);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (folder_read(&f, wrong[i].item, wrong[i].file, &bytes, &length) != -ENOENT)
            fail_msg("%s/%s was given", wrong[i].item, wrong[i].file);
    folder_fini(&f);
}

static void folder_read__only_the_served_set(void **unused)
{
    struct folder f;
    char         *bytes;
    size_t        length;

    (void)unused;
    open_base(&f, "base/later");
    assert_int_equal(-ENOENT, folder_read(&f, "run", "report.html", &bytes, &length));
    folder_fini(&f);
}

/* 2,000 rows: at most 512 points, including the last row. */
static void folder_series__thins_and_keeps_the_last_row(void **unused)
{
    char   *csv = NULL;
    size_t  length, points;
    FILE   *out = open_memstream(&csv, &length);
    json_t *s, *at;

    (void)unused;
    fputs("start_us,end_us,goodput_bps\n", out);
    for (int i = 0; i < 2000; i++)
        fprintf(out, "%d,%d,%d\n", i, i + 1, 10 * i);
    fclose(out);
    s = folder_series(csv, length);
    at = json_object_get(s, "at_us");
    points = json_array_size(at);
    assert_true(points > 256 && points <= 512);
    assert_true(json_number_value(json_array_get(at, points - 1)) == 2000);
    assert_int_equal(4, json_integer_value(json_object_get(s, "every")));
    json_decref(s);
    free(csv);
    assert_null(folder_series("", 0));
    assert_null(folder_series("start_us,end_us,x\n", 18));
    assert_null(folder_series("a,b\n1,2\n", 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder_open__one_set_or_many),
        cmocka_unit_test(folder_state__lists_results_and_running),
        cmocka_unit_test(folder_read__only_files_of_results),
        cmocka_unit_test(folder_read__only_the_served_set),
        cmocka_unit_test(folder_series__thins_and_keeps_the_last_row),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
