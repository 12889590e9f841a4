#include "study/campaign/campaign.h"
#include "base/file/database.h"
#include "base/json.h"
#include "version.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Statements that are used for every run are prepared once. */
enum statement { HAS, ADD_RUN, ADD_DETAIL, ADD_METRIC, ADD_VALUE, GET_PAGE, EACH_VALUE, STATEMENTS };

struct campaign {
    struct database file;
    bool            has_begun;   /* a transaction of several runs */
};

/* A run lies in three places, by how often it is read. 'run' is narrow, so that all keys are read in no time.
 * 'value' is ordered by metric: one figure of 100,000 runs is one stretch of the file. 'detail' is large. */
static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run ("
    " id INTEGER PRIMARY KEY,"
    " key TEXT NOT NULL UNIQUE,"
    " version TEXT NOT NULL,"
    " variant TEXT NOT NULL,"
    " seed TEXT NOT NULL,"           /* 64 bits without a sign do not fit an INTEGER */
    " finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP"
    ");"
    "CREATE TABLE IF NOT EXISTS detail (run INTEGER PRIMARY KEY, metrics TEXT NOT NULL, page TEXT);"
    "CREATE TABLE IF NOT EXISTS metric (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS value ("
    " metric INTEGER NOT NULL, run INTEGER NOT NULL, value REAL, PRIMARY KEY (metric, run)"
    ") WITHOUT ROWID;"
    "CREATE VIEW IF NOT EXISTS figure AS"
    " SELECT run.key, run.variant, run.seed, metric.name, value.value"
    " FROM metric JOIN value ON value.metric = metric.id JOIN run ON run.id = value.run;";

static const char *const statements[STATEMENTS] = {
    [HAS] = "SELECT 1 FROM run WHERE key = ?1 AND (NOT ?2 OR"
            " (SELECT page IS NOT NULL FROM detail WHERE detail.run = run.id))",
    [ADD_RUN] = "INSERT INTO run (key, version, variant, seed) VALUES (?1, ?2, ?3, ?4)"
                " ON CONFLICT (key) DO UPDATE SET version = excluded.version, variant = excluded.variant,"
                " finished = CURRENT_TIMESTAMP RETURNING id",
    [ADD_DETAIL] = "INSERT INTO detail (run, metrics, page) VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (run) DO UPDATE SET metrics = excluded.metrics,"
                   " page = coalesce(excluded.page, page)",
    [ADD_METRIC] = "INSERT OR IGNORE INTO metric (name) VALUES (?1)",
    [ADD_VALUE] = "INSERT OR REPLACE INTO value (metric, run, value)"
                  " VALUES ((SELECT id FROM metric WHERE name = ?1), ?2, ?3)",
    [GET_PAGE] = "SELECT page FROM run JOIN detail ON detail.run = run.id WHERE key = ?1",
    [EACH_VALUE] = "SELECT run.key, value.value FROM value CROSS JOIN run ON run.id = value.run"
                   " WHERE value.metric = (SELECT id FROM metric WHERE name = ?1)"
                   " AND value.value IS NOT NULL ORDER BY value.run",
};

static const struct database_kind kind = {
    .application = 0x616e6f6c,   /* "anol" */
    .version = 2, .schema = schema, .sql = statements, .statements = STATEMENTS,
        .advice = "name another file with --store",
    .busy_ms = 60000,            /* another process writes one run */
    .checked_pages = 5000,       /* of 4 KB: read in some 10 ms */
};

int campaign_open(struct campaign **out, const char *path, struct err *err)
{
    struct campaign *c = xcalloc(1, sizeof(*c));
    int rc = database_open(&c->file, &kind, path, err);

    if (rc)
        free(c);
    *out = rc ? NULL : c;
    return rc;
}

void campaign_close(struct campaign *c)
{
    if (!c)
        return;
    database_close(&c->file);
    free(c);
}

/* ---- runs ---- */

/* Runs a statement with these parameters: 't' text (NULL is null), 'i' int64_t, 'd' double (NAN is null).
 * Returns 1 if there is a row, whose first column goes to *number (unless NULL), 0 if not, or a negative
 * errno. */
static int execute(struct campaign *c, enum statement which, int64_t *number, struct err *err,
                   const char *types, ...)
{
    sqlite3_stmt *s = database_statement(&c->file, which);
    va_list       values;

    if (!s)
        return database_fail(&c->file, err);
    va_start(values, types);
    for (int i = 0; types[i]; i++)
        if (types[i] == 't')
            sqlite3_bind_text(s, i + 1, va_arg(values, const char *), -1, SQLITE_STATIC);
        else if (types[i] == 'i')
            sqlite3_bind_int64(s, i + 1, va_arg(values, int64_t));
        else
            sqlite3_bind_double(s, i + 1, va_arg(values, double));       /* NAN is null */
    va_end(values);
    int step = sqlite3_step(s);
    if (step == SQLITE_ROW && number)
        *number = sqlite3_column_int64(s, 0);
    int rc = database_end(&c->file, s, step, err);
    return rc ? rc : step == SQLITE_ROW;
}

int campaign_has(struct campaign *c, const char *key, bool with_page, struct err *err)
{
    return execute(c, HAS, NULL, err, "ti", key, (int64_t)with_page);
}

static int add_values(struct campaign *c, const char *metrics, int64_t id, struct err *err)
{
    json_t *object = json_loads(metrics, 0, NULL), *value;
    const char *name;
    int rc = 0;

    json_object_foreach(object, name, value) {
        double number = json_is_number(value) ? json_number_value(value) : NAN;

        rc = rc ? rc : execute(c, ADD_METRIC, NULL, err, "t", name);
        rc = rc ? rc : execute(c, ADD_VALUE, NULL, err, "tid", name, id, number);
    }
    json_decref(object);
    return rc;
}

static int roll_back(struct campaign *c, int rc)
{
    sqlite3_exec(c->file.db, "ROLLBACK", NULL, NULL, NULL);
    c->has_begun = false;
    return rc;
}

int campaign_begin(struct campaign *c, struct err *err)
{
    int rc = c->has_begun ? 0 : database_execute(&c->file, "BEGIN IMMEDIATE", err);

    c->has_begun = rc == 0;
    return rc;
}

int campaign_commit(struct campaign *c, struct err *err)
{
    int rc = c->has_begun ? database_execute(&c->file, "COMMIT", err) : 0;

    c->has_begun = false;
    return rc ? roll_back(c, rc) : 0;
}

int campaign_add(struct campaign *c, const struct campaign_run *run, struct err *err)
{
    bool    is_alone = !c->has_begun;
    int64_t id = 0;
    char    seed[32];
    int     rc = campaign_begin(c, err);

    snprintf(seed, sizeof(seed), "%" PRIu64, run->seed);
    if (!rc)
        rc = execute(c, ADD_RUN, &id, err, "tttt", run->key, ANOLE_VERSION, run->variant, seed);
    if (rc >= 0)
        rc = execute(c, ADD_DETAIL, NULL, err, "itt", id, run->metrics, run->page);
    rc = rc ? rc : add_values(c, run->metrics, id, err);
    if (rc)
        return roll_back(c, rc);
    return is_alone ? campaign_commit(c, err) : 0;
}

int campaign_page(struct campaign *c, const char *key, json_t **out, struct err *err)
{
    sqlite3_stmt *s = database_statement(&c->file, GET_PAGE);

    *out = NULL;
    if (!s)
        return database_fail(&c->file, err);
    sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC);
    int  step = sqlite3_step(s), rc = 0;
    bool has_page = step == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL;
    if (has_page)
        *out = json_loads(database_text(s, 0), JSON_DECODE_ANY, NULL);
    if (step == SQLITE_DONE || (step == SQLITE_ROW && !has_page))
        rc = err_set(err, ENOENT, "%s: run %s is not there any more", c->file.path, key);
    else if (has_page && !*out)
        rc = err_set(err, EIO, "%s: damaged; delete it to restart", c->file.path);
    int ended = database_end(&c->file, s, step, rc ? NULL : err);
    return rc ? rc : ended;
}

int campaign_each_value(struct campaign *c, const char *metric,
                        void (*visit)(void *arg, const char *key, double value), void *arg, struct err *err)
{
    sqlite3_stmt *s = database_statement(&c->file, EACH_VALUE);
    int step;

    if (!s)
        return database_fail(&c->file, err);
    sqlite3_bind_text(s, 1, metric, -1, SQLITE_STATIC);
    while ((step = sqlite3_step(s)) == SQLITE_ROW)
        visit(arg, database_text(s, 0), sqlite3_column_double(s, 1));
    return database_end(&c->file, s, step, err);
}

/* ---- summary of a file in use ---- */

#define PEEKED_MAX 500

static const char *const peeked[] = { "slowdown_mean", "slowdown_p99", "fct_us_p99", "goodput_bps",
                                      "rtt_us_mean", "paused_share", "dropped_packets", NULL };

/* Adds the mean of a figure, or null, to the row of each variant. Both are in the order of the first runs. */
static void peek_figure(sqlite3 *db, const char *figure, json_t *rows)
{
    static const char sql[] = "SELECT avg(value.value) FROM run LEFT JOIN value ON value.run = run.id AND"
                              " value.metric = (SELECT id FROM metric WHERE name = ?1)"
                              " GROUP BY run.variant ORDER BY min(run.id)";
    sqlite3_stmt *s = NULL;
    json_t       *row;
    size_t        i;

    sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    sqlite3_bind_text(s, 1, figure, -1, SQLITE_STATIC);
    json_array_foreach(rows, i, row) {
        bool has_value = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL;

        json_array_append_new(json_object_get(row, "values"),
                              JSON(has_value ? sqlite3_column_double(s, 0) : NAN));
    }
    sqlite3_finalize(s);
}

static int peek_variants(sqlite3 *db, json_t *rows, json_int_t *runs, char finished[32])
{
    static const char sql[] =
        "SELECT variant, count(*), max(finished) FROM run GROUP BY variant ORDER BY min(id)";
    sqlite3_stmt *s = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &s, NULL);

    while (rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
        const char *when = database_text(s, 2);

        *runs += sqlite3_column_int64(s, 1);
        if (strcmp(when, finished) > 0)
            snprintf(finished, 32, "%s", when);
        if (json_array_size(rows) < PEEKED_MAX)
            JSON_ADD(rows, { "name", JSON(database_text(s, 0)) },
                     { "runs", json_integer(sqlite3_column_int64(s, 1)) }, { "values", json_array() });
    }
    sqlite3_finalize(s);
    return rc == SQLITE_OK ? 0 : -ENOENT;
}

int campaign_peek(const char *path, json_t **out, struct err *err)
{
    json_t *rows = json_array(), *names = json_array();
    char finished[32] = "";
    json_int_t runs = 0;
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK ? 0 : -ENOENT;

    if (!rc) {
        sqlite3_busy_timeout(db, 200);
        rc = peek_variants(db, rows, &runs, finished);
    }
    for (size_t i = 0; peeked[i] && !rc; i++) {
        json_array_append_new(names, JSON(peeked[i]));
        peek_figure(db, peeked[i], rows);
    }
    sqlite3_close(db);
    if (rc) {
        json_decref(rows);
        json_decref(names);
        return err_set(err, -rc, "%.200s: is not a store of anole", path);
    }
    *out = json_pack("{s:I, s:s, s:o, s:o}", "runs", runs, "finished", finished, "figures", names,
                     "variants", rows);
    return 0;
}
