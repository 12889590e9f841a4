/* src/cmd/campaign.c */
#include "cmd/campaign.h"
#include "version.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION 0x616e6f6c   /* "anol": what PRAGMA application_id of our files is */
#define SCHEMA      1            /* PRAGMA user_version */
#define BUSY_MS     60000        /* somebody else writes one run */

struct campaign {
    sqlite3 *db;
    char    *shown;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS run ("
    " key TEXT PRIMARY KEY NOT NULL,"
    " version TEXT NOT NULL,"
    " variant TEXT NOT NULL,"
    " seed TEXT NOT NULL,"           /* 64 bits without a sign do not fit an INTEGER */
    " finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
    " metrics TEXT NOT NULL,"
    " page TEXT NOT NULL"
    ") WITHOUT ROWID;";

static int fail(const struct campaign *c, struct err *err)
{
    int code = sqlite3_errcode(c->db);

    if (code == SQLITE_NOTADB)
        return err_set(err, EINVAL, "%s: exists and is not a store of anole; name another file with --store",
                       c->shown);
    if (code == SQLITE_CORRUPT)
        return err_set(err, EIO, "%s: is damaged; remove it to start anew", c->shown);
    return err_set(err, EIO, "%s: %s", c->shown, sqlite3_errmsg(c->db));
}

static int execute(struct campaign *c, const char *sql, struct err *err)
{
    return sqlite3_exec(c->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(c, err);
}

/* The first column of the first row of a question without parameters, as a text that the caller frees. */
static int ask(struct campaign *c, const char *sql, char **answer, struct err *err)
{
    sqlite3_stmt *s = NULL;
    int rc = 0;

    *answer = NULL;
    if (sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW)
        rc = fail(c, err);
    else
        *answer = xstrdup((const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return rc;
}

static int ask_number(struct campaign *c, const char *sql, long *number, struct err *err)
{
    char *text;
    int rc = ask(c, sql, &text, err);

    if (text)
        *number = strtol(text, NULL, 10);
    free(text);
    return rc;
}

/* ---- opening ---- */

/* A file without any table is new, be it ours or not. All questions are one transaction: somebody else may
 * be making the tables just now. */
static int check_owner(struct campaign *c, bool *is_new, struct err *err)
{
    long application = 0, version = 0, tables = 0;
    int rc = execute(c, "BEGIN", err);

    if (!rc)
        rc = ask_number(c, "PRAGMA application_id", &application, err);
    if (!rc)
        rc = ask_number(c, "PRAGMA user_version", &version, err);
    if (!rc)
        rc = ask_number(c, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (!rc)
        rc = execute(c, "COMMIT", err);
    if (rc)
        return rc;
    *is_new = application == 0 && tables == 0;
    if (!*is_new && application != APPLICATION)
        return err_set(err, EINVAL, "%s: is a database of another program; name another file with --store",
                       c->shown);
    if (!*is_new && version != SCHEMA)
        return err_set(err, EINVAL,
                       "%s: was written by another version of anole (format %ld, not %d); name another "
                       "file with --store",
                       c->shown, version, SCHEMA);
    return 0;
}

static int make_tables(struct campaign *c, struct err *err)
{
    char sql[sizeof(schema) + 128];

    snprintf(sql, sizeof(sql),
             "BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;", schema,
             APPLICATION, SCHEMA);
    return execute(c, sql, err);
}

static int check_pages(struct campaign *c, struct err *err)
{
    char *answer;
    int rc = ask(c, "PRAGMA quick_check(1)", &answer, err);

    if (answer && strcmp(answer, "ok") != 0)
        rc = err_set(err, EIO, "%s: is damaged; remove it to start anew", c->shown);
    free(answer);
    return rc;
}

static int prepare(struct campaign *c, struct err *err)
{
    bool is_new = false;
    int rc;

    sqlite3_busy_timeout(c->db, BUSY_MS);
    rc = check_owner(c, &is_new, err);
    if (!rc && !is_new)
        rc = check_pages(c, err);
    if (rc)
        return rc;
    /* Readers and a writer at the same time. Where that is refused (somebody has just opened it, or the
     * file system cannot) the file works as well, only slower. */
    sqlite3_exec(c->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    rc = execute(c, "PRAGMA synchronous = FULL", err);
    if (!rc && is_new)
        rc = make_tables(c, err);
    return rc;
}

int campaign_open(struct campaign **out, const char *path, struct err *err)
{
    struct campaign *c = xcalloc(1, sizeof(*c));
    int rc = 0;

    *out = NULL;
    c->shown = xstrdup(path ? path : "the runs in memory");
    if (sqlite3_open_v2(path ? path : ":memory:", &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        rc = err_set(err, EIO, "%s: %s", c->shown, c->db ? sqlite3_errmsg(c->db) : "no memory");
    if (!rc)
        rc = prepare(c, err);
    if (rc) {
        campaign_close(c);
        return rc;
    }
    *out = c;
    return 0;
}

void campaign_close(struct campaign *c)
{
    if (!c)
        return;
    sqlite3_close(c->db);
    free(c->shown);
    free(c);
}

/* ---- runs ---- */

/* A statement whose first parameter is the key; NULL on failure. */
static sqlite3_stmt *prepare_key(struct campaign *c, const char *sql, const char *key, struct err *err)
{
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_bind_text(s, 1, key, -1, SQLITE_STATIC) == SQLITE_OK)
        return s;
    fail(c, err);
    sqlite3_finalize(s);
    return NULL;
}

int campaign_has(struct campaign *c, const char *key, struct err *err)
{
    sqlite3_stmt *s = prepare_key(c, "SELECT 1 FROM run WHERE key = ?1", key, err);
    int step, rc;

    if (!s)
        return -EIO;
    step = sqlite3_step(s);
    rc = step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : fail(c, err);
    sqlite3_finalize(s);
    return rc;
}

int campaign_add(struct campaign *c, const struct campaign_run *run, struct err *err)
{
    sqlite3_stmt *s = prepare_key(c,
                                  "INSERT OR REPLACE INTO run (key, version, variant, seed, metrics, page) "
                                  "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                                  run->key, err);
    char seed[32];
    const char *text[] = { ANOLE_VERSION, run->variant, seed, run->metrics, run->page };
    int rc = 0;

    if (!s)
        return -EIO;
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
    for (int i = 0; i < 5 && !rc; i++)
        if (sqlite3_bind_text(s, i + 2, text[i], -1, SQLITE_STATIC) != SQLITE_OK)
            rc = fail(c, err);
    if (!rc && sqlite3_step(s) != SQLITE_DONE)
        rc = fail(c, err);
    sqlite3_finalize(s);
    return rc;
}

static int load(struct campaign *c, const char *sql, const char *key, json_t **out, struct err *err)
{
    sqlite3_stmt *s = prepare_key(c, sql, key, err);
    int step, rc = 0;

    *out = NULL;
    if (!s)
        return -EIO;
    step = sqlite3_step(s);
    if (step == SQLITE_DONE)
        rc = err_set(err, ENOENT, "%s: run %s is not there any more", c->shown, key);
    else if (step != SQLITE_ROW)
        rc = fail(c, err);
    else
        *out = json_loads((const char *)sqlite3_column_text(s, 0), JSON_DECODE_ANY, NULL);
    if (!rc && !*out)
        rc = err_set(err, EIO, "%s: is damaged; remove it to start anew", c->shown);
    sqlite3_finalize(s);
    return rc;
}

int campaign_metrics(struct campaign *c, const char *key, json_t **out, struct err *err)
{
    return load(c, "SELECT metrics FROM run WHERE key = ?1", key, out, err);
}

int campaign_page(struct campaign *c, const char *key, json_t **out, struct err *err)
{
    return load(c, "SELECT page FROM run WHERE key = ?1", key, out, err);
}
