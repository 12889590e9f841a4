#include "base/file/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int database_fail(const struct database *d, struct err *err)
{
    switch (sqlite3_errcode(d->db)) {
    case SQLITE_NOTADB:  return err_set(err, EINVAL, "%s: exists and is not a store of anole; %s", d->path,
                                        d->kind->advice);
    case SQLITE_CORRUPT: return err_set(err, EIO, "%s: is damaged; remove it to start over", d->path);
    case SQLITE_FULL:    return err_set(err, ENOSPC, "%s: %s", d->path, sqlite3_errmsg(d->db));
    default:             return err_set(err, EIO, "%s: %s", d->path, sqlite3_errmsg(d->db));
    }
}

int database_execute(struct database *d, const char *sql, struct err *err)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_fail(d, err);
}

/* Reads the first column of the first row of a query without parameters. */
static int ask(struct database *d, const char *sql, char answer[32], struct err *err)
{
    sqlite3_stmt *s = NULL;
    int           rc = 0;

    answer[0] = '\0';
    if (sqlite3_prepare_v2(d->db, sql, -1, &s, NULL) != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW)
        rc = database_fail(d, err);
    else
        snprintf(answer, 32, "%s", database_text(s, 0));
    sqlite3_finalize(s);
    return rc;
}

static int ask_number(struct database *d, const char *sql, long *number, struct err *err)
{
    char text[32];
    int  rc = ask(d, sql, text, err);

    *number = strtol(text, NULL, 10);
    return rc;
}

/* Checks that the file is new (no tables) or ours, in one transaction: others may be creating tables. */
static int check_owner(struct database *d, bool *is_new, struct err *err)
{
    long application = 0, version = 0, tables = 0;
    int  rc = database_execute(d, "BEGIN", err);

    rc = rc ? rc : ask_number(d, "PRAGMA application_id", &application, err);
    rc = rc ? rc : ask_number(d, "PRAGMA user_version", &version, err);
    rc = rc ? rc : ask_number(d, "SELECT count(*) FROM sqlite_schema", &tables, err);
    rc = rc ? rc : database_execute(d, "COMMIT", err);
    if (rc)
        return rc;
    *is_new = application == 0 && tables == 0;
    if (!*is_new && application != d->kind->application)
        return err_set(err, EINVAL, "%s: is a database of another program; %s", d->path, d->kind->advice);
    if (!*is_new && version != d->kind->version)
        return err_set(err, EINVAL, "%s: was written by another version of anole (format %ld, not %d); %s",
                       d->path, version,
                       d->kind->version, d->kind->advice);
    return 0;
}

static int make_tables(struct database *d, struct err *err)
{
    char *sql = xprintf("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;",
                        d->kind->schema, d->kind->application, d->kind->version);
    int   rc = database_execute(d, sql, err);

    free(sql);
    return rc;
}

/* Checks small files for damage. In large files, damage is detected when they are read. */
static int check_pages(struct database *d, struct err *err)
{
    char answer[32];
    long pages = 0;
    int  rc = d->kind->checked_pages ? ask_number(d, "PRAGMA page_count", &pages, err) : 0;

    if (rc || !pages || pages > d->kind->checked_pages)
        return rc;
    rc = ask(d, "PRAGMA quick_check(1)", answer, err);
    return rc || strcmp(answer, "ok") == 0 ? rc : err_set(err, EIO, "%s: is damaged; remove it to start "
        "over", d->path);
}

static int prepare(struct database *d, struct err *err)
{
    bool is_new = false;

    sqlite3_busy_timeout(d->db, d->kind->busy_ms);
    int rc = check_owner(d, &is_new, err);
    if (!rc && !is_new)
        rc = check_pages(d, err);
    if (rc)
        return rc;
    /* WAL allows readers during a write. If it is refused (another process has just opened the file, or the
     * file system does not support it), the database works more slowly. */
    sqlite3_exec(d->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    /* NORMAL: transactions survive a crash of the program. FULL waits for the disk, 4 ms or more. */
    rc = database_execute(d, "PRAGMA synchronous = NORMAL", err);
    return rc || !is_new ? rc : make_tables(d, err);
}

int database_open(struct database *d, const struct database_kind *kind, const char *path, struct err *err)
{
    int rc = 0;

    *d = (struct database){ .kind = kind, .path = xstrdup(path ? path : "the runs in memory"),
                            .statement = xcalloc((unsigned long)kind->statements, sizeof *d->statement) };
    if (sqlite3_open_v2(path ? path : ":memory:", &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        NULL) != SQLITE_OK)
        rc = err_set(err, EIO, "%s: %s", d->path, d->db ? sqlite3_errmsg(d->db) : "no memory");
    rc = rc ? rc : prepare(d, err);
    if (rc)
        database_close(d);
    return rc;
}

void database_close(struct database *d)
{
    for (int i = 0; d->kind && i < d->kind->statements; i++)
        sqlite3_finalize(d->statement[i]);
    sqlite3_close(d->db);
    free(d->statement);
    free(d->path);
    *d = (struct database){ 0 };
}

sqlite3_stmt *database_statement(struct database *d, int which)
{
    sqlite3_stmt **s = &d->statement[which];

    if (*s)
        sqlite3_reset(*s);
    else if (sqlite3_prepare_v3(d->db, d->kind->sql[which], -1, SQLITE_PREPARE_PERSISTENT, s, NULL))
        *s = NULL;
    return *s;
}

const char *database_text(sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);

    return text ? (const char *)text : "";
}

int database_end(struct database *d, sqlite3_stmt *s, int step, struct err *err)
{
    int rc = s && (step == SQLITE_DONE || step == SQLITE_ROW) ? 0 : database_fail(d, err);

    if (s) {
        sqlite3_reset(s);
        sqlite3_clear_bindings(s);
    }
    return rc;
}
