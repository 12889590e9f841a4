#include "study/campaign/campaign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[96];

static int in_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/campaign_test.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/runs.sqlite", folder);
    return 0;
}

/* Fails if anything but the file itself is left: a closed store has no journal. */
static int out_of_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static const struct campaign_run one = { "k1", "fast", UINT64_MAX, "{\"a\": 1.5, \"b\": null}",
                                         "{\"name\": \"x\"}" };

static struct campaign *open_store(void)
{
    struct campaign *c;
    struct err err;

    if (campaign_open(&c, path, &err))
        fail_msg("%s", err.text);
    return c;
}

static void assert_refused(const char *why)
{
    struct campaign *c;
    struct err err = { "" };

    assert_int_not_equal(0, campaign_open(&c, path, &err));
    assert_null(c);
    if (!strstr(err.text, why) || strncmp(err.text, path, strlen(path)) != 0)
        fail_msg("%s", err.text);
}

struct values {
    int    count;
    char   key[4][8];
    double value[4];
};

static void add_value(void *arg, const char *key, double value)
{
    struct values *t = arg;

    assert_true(t->count < 4);
    snprintf(t->key[t->count], sizeof(t->key[0]), "%s", key);
    t->value[t->count++] = value;
}

/* Returns the value of the only run with this metric, or NAN. */
static double value_of(struct campaign *c, const char *metric)
{
    struct values t = { .value = { NAN } };

    assert_int_equal(0, campaign_each_value(c, metric, add_value, &t, NULL));
    assert_true(t.count < 2);
    return t.value[0];
}

static void add__persists(void **state)
{
    struct campaign *c = open_store();
    json_t *json;

    (void)state;
    assert_int_equal(0, campaign_has(c, "k1", false, NULL));
    assert_int_equal(0, campaign_add(c, &one, NULL));
    campaign_close(c);
    c = open_store();
    assert_int_equal(1, campaign_has(c, "k1", false, NULL));
    assert_int_equal(0, campaign_has(c, "k2", false, NULL));
    assert_true(value_of(c, "a") == 1.5);
    assert_true(isnan(value_of(c, "b")));
    assert_int_equal(0, campaign_page(c, "k1", &json, NULL));
    assert_string_equal("x", json_string_value(json_object_get(json, "name")));
    json_decref(json);
    assert_int_equal(-ENOENT, campaign_page(c, "k2", &json, NULL));
    campaign_close(c);
}

static void add__replaces_the_run_with_the_same_key(void **state)
{
    struct campaign_run again = one;
    struct campaign *c = open_store();

    (void)state;
    again.metrics = "{\"a\": 2}";
    assert_int_equal(0, campaign_add(c, &one, NULL));
    assert_int_equal(0, campaign_add(c, &again, NULL));
    assert_true(value_of(c, "a") == 2);
    campaign_close(c);
}

static void add__without_a_page_keeps_the_old_page(void **state)
{
    struct campaign_run bare = one;
    struct campaign *c = open_store();
    json_t *json;

    (void)state;
    bare.page = NULL;
    assert_int_equal(0, campaign_add(c, &bare, NULL));
    assert_int_equal(1, campaign_has(c, "k1", false, NULL));
    assert_int_equal(0, campaign_has(c, "k1", true, NULL));
    assert_int_equal(-ENOENT, campaign_page(c, "k1", &json, NULL));
    assert_int_equal(0, campaign_add(c, &one, NULL));
    assert_int_equal(1, campaign_has(c, "k1", true, NULL));
    assert_int_equal(0, campaign_add(c, &bare, NULL));
    assert_int_equal(1, campaign_has(c, "k1", true, NULL));
    campaign_close(c);
}

static void execute(const char *sql)
{
    sqlite3 *db;

    assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
    assert_int_equal(SQLITE_OK, sqlite3_exec(db, sql, NULL, NULL, NULL));
    sqlite3_close(db);
}

/* If one metric of a run cannot be stored, the run is not stored at all, and the error has the reason. */
static void add__stores_nothing_if_a_metric_is_refused(void **state)
{
    struct campaign *c = open_store();
    struct err err = { "" };

    (void)state;
    execute("CREATE TRIGGER no BEFORE INSERT ON metric WHEN new.name = 'b' BEGIN SELECT RAISE(ABORT, 'no b "
            "here'); END");
    assert_int_equal(-EIO, campaign_add(c, &one, &err));
    assert_non_null(strstr(err.text, "no b here"));
    assert_int_equal(0, campaign_has(c, "k1", false, NULL));
    execute("DROP TRIGGER no");
    assert_int_equal(0, campaign_add(c, &one, &err));
    assert_int_equal(1, campaign_has(c, "k1", false, NULL));
    campaign_close(c);
}

static void commit__stores_several_runs_at_once(void **state)
{
    struct campaign_run run = one;
    struct campaign *a = open_store(), *b = open_store();

    (void)state;
    assert_int_equal(0, campaign_commit(a, NULL));           /* nothing to commit */
    assert_int_equal(0, campaign_begin(a, NULL));
    assert_int_equal(0, campaign_begin(a, NULL));
    assert_int_equal(0, campaign_add(a, &one, NULL));
    run.key = "k2";
    assert_int_equal(0, campaign_add(a, &run, NULL));
    assert_int_equal(1, campaign_has(a, "k2", false, NULL));
    assert_int_equal(0, campaign_has(b, "k1", false, NULL)); /* not visible to others yet */
    assert_int_equal(0, campaign_commit(a, NULL));
    assert_int_equal(1, campaign_has(b, "k1", false, NULL));
    assert_int_equal(1, campaign_has(b, "k2", false, NULL));
    campaign_close(a);
    campaign_close(b);
}

static void each_value__is_the_last_of_every_run_in_order(void **state)
{
    static const struct campaign_run runs[] = {
        { "z", "v", 1, "{\"a\": 1.5, \"b\": null}", NULL }, { "y", "v", 2, "{\"b\": 7}", NULL },
        { "x", "v", 3, "{\"a\": -3, \"c\": 1}", NULL },    { "z", "v", 1, "{\"a\": 2.5}", NULL },
    };
    struct campaign *c = open_store();
    struct values t = { 0 };

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(0, campaign_add(c, &runs[i], NULL));
    assert_int_equal(0, campaign_each_value(c, "a", add_value, &t, NULL));
    assert_int_equal(2, t.count);
    assert_string_equal("z", t.key[0]);
    assert_string_equal("x", t.key[1]);
    assert_true(t.value[0] == 2.5 && t.value[1] == -3);
    t.count = 0;
    assert_int_equal(0, campaign_each_value(c, "b", add_value, &t, NULL));
    assert_int_equal(1, t.count);
    assert_string_equal("y", t.key[0]);
    t.count = 0;
    assert_int_equal(0, campaign_each_value(c, "none", add_value, &t, NULL));
    assert_int_equal(0, t.count);
    campaign_close(c);
}

static void open__in_memory_leaves_nothing(void **state)
{
    struct campaign *c;

    (void)state;
    assert_int_equal(0, campaign_open(&c, NULL, NULL));
    assert_int_equal(0, campaign_add(c, &one, NULL));
    assert_int_equal(1, campaign_has(c, "k1", false, NULL));
    campaign_close(c);
    assert_int_equal(-1, access(path, F_OK));
}

static void open__refuses_other_files(void **state)
{
    FILE *f = fopen(path, "w");

    (void)state;
    assert_non_null(f);
    for (int i = 0; i < 100; i++)
        fputs("topology: {kind: star}\n", f);
    fclose(f);
    assert_refused("is not a store of anole");
}

static void open__refuses_another_programs_database(void **state)
{
    sqlite3 *db;

    (void)state;
    assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
    assert_int_equal(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE run (key TEXT)", NULL, NULL, NULL));
    sqlite3_close(db);
    assert_refused("is a database of another program");
}

static void open__refuses_another_format(void **state)
{
    sqlite3 *db;

    (void)state;
    campaign_close(open_store());
    assert_int_equal(SQLITE_OK, sqlite3_open(path, &db));
    assert_int_equal(SQLITE_OK, sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL));
    sqlite3_close(db);
    assert_refused("another version of anole (format 99,");
}

static void open__refuses_a_damaged_file(void **state)
{
    struct campaign *c = open_store();
    struct campaign_run run = one;
    char key[16], *big = malloc(5001);
    FILE *f;

    (void)state;
    memset(big, ' ', 5000);
    memcpy(big, "{}", 2);
    big[5000] = '\0';
    run.page = big;
    run.key = key;
    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof(key), "%d", i);
        assert_int_equal(0, campaign_add(c, &run, NULL));
    }
    campaign_close(c);
    free(big);
    f = fopen(path, "r+");
    assert_non_null(f);
    fseek(f, 4096, SEEK_SET);            /* the page after the first: the root of the table */
    for (int i = 0; i < 2000; i++)
        fputs("damage ", f);
    fclose(f);
    assert_refused("is damaged");
}

/* Process 'who' adds 40 runs of its own and 40 that all processes add. */
static int add_many(int who)
{
    struct campaign_run run = one;
    struct campaign *c;
    struct err err;
    char key[32];
    int rc = campaign_open(&c, path, &err);

    for (int i = 0; i < 40 && !rc; i++) {
        run.key = key;
        snprintf(key, sizeof(key), "%d-%d", who, i);
        rc = campaign_add(c, &run, &err);
        snprintf(key, sizeof(key), "both-%d", i);
        if (!rc)
            rc = campaign_add(c, &run, &err);
    }
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    campaign_close(c);
    return rc != 0;
}

static void add__by_several_processes_loses_nothing(void **state)
{
    struct campaign *c;
    pid_t child[3];
    char key[32];
    int status;

    (void)state;
    for (int i = 0; i < 3; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(add_many(i));
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(child[i], waitpid(child[i], &status, 0));
        assert_int_equal(0, status);
    }
    c = open_store();
    for (int i = 0; i < 160; i++) {
        if (i < 120)
            snprintf(key, sizeof(key), "%d-%d", i / 40, i % 40);
        else
            snprintf(key, sizeof(key), "both-%d", i - 120);
        assert_int_equal(1, campaign_has(c, key, false, NULL));
    }
    campaign_close(c);
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, in_folder, out_of_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(add__persists),
        in_a_folder(add__replaces_the_run_with_the_same_key),
        in_a_folder(add__without_a_page_keeps_the_old_page),
        in_a_folder(add__stores_nothing_if_a_metric_is_refused),
        in_a_folder(commit__stores_several_runs_at_once),
        in_a_folder(each_value__is_the_last_of_every_run_in_order),
        in_a_folder(add__by_several_processes_loses_nothing),
        in_a_folder(open__in_memory_leaves_nothing),
        in_a_folder(open__refuses_other_files),
        in_a_folder(open__refuses_another_programs_database),
        in_a_folder(open__refuses_another_format),
        in_a_folder(open__refuses_a_damaged_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
