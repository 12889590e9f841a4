/* src/live/history/file.c - see file.h. */
#include "live/history/file.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#define APPLICATION 0x616e6868   /* "anhh": what PRAGMA application_id of our files is */
#define SCHEMA      1            /* PRAGMA user_version */

static const char schema[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA max_page_count = 65536;"     /* of 4 KB: 256 MB */
    "CREATE TABLE IF NOT EXISTS point (level INTEGER, series INTEGER, t INTEGER, n INTEGER, mean REAL, low REAL, high REAL,"
    " PRIMARY KEY (level, series, t)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS knobs (t INTEGER PRIMARY KEY, setting TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS record (seq INTEGER PRIMARY KEY, t INTEGER, trial INTEGER, term INTEGER, text TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS record_t ON record (t);"
    "CREATE INDEX IF NOT EXISTS record_trial ON record (trial, term);"
    "CREATE TABLE IF NOT EXISTS device (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS coverage (level INTEGER, t INTEGER, shares BLOB NOT NULL, PRIMARY KEY (level, t)) WITHOUT ROWID;";

static const char *const statements[FILE_STATEMENTS] = {
    [ADD_POINT] = "INSERT OR REPLACE INTO point VALUES (0, ?1, ?2, 1, ?3, ?3, ?3)",
    [ROLL_POINTS] = "INSERT OR REPLACE INTO point SELECT ?1 + 1, series, t / ?3 * ?3, sum(n), sum(mean * n) / sum(n), min(low), max(high)"
                    " FROM point WHERE level = ?1 AND series = ?2 AND t >= ?4 AND t < ?5 GROUP BY t / ?3",
    [TRIM_POINTS] = "DELETE FROM point WHERE level = ?1 AND series = ?2 AND t <="
                    " (SELECT t FROM point WHERE level = ?1 AND series = ?2 ORDER BY t DESC LIMIT 1 OFFSET ?3)",
    [ADD_KNOBS] = "INSERT OR REPLACE INTO knobs VALUES (?1, ?2)",
    [TRIM_KNOBS] = "DELETE FROM knobs WHERE t <= (SELECT t FROM knobs ORDER BY t DESC LIMIT 1 OFFSET ?1)",
    [ADD_RECORD] = "INSERT OR IGNORE INTO record VALUES (?1, CAST(strftime('%s', ?2) AS INTEGER) * 1000, ?3, ?4, ?5)",
    [TRIM_RECORDS] = "DELETE FROM record WHERE seq <= (SELECT seq FROM record ORDER BY seq DESC LIMIT 1 OFFSET ?1)",
    [LAST_RECORD] = "SELECT max(seq) FROM record",
    [ADD_DEVICE] = "INSERT OR IGNORE INTO device (name) VALUES (?1)",
    [DEVICE_ID] = "SELECT id FROM device WHERE name = ?1",
    [ADD_COVERAGE] = "INSERT OR REPLACE INTO coverage VALUES (?1, ?2, ?3)",
    [TRIM_COVERAGE] = "DELETE FROM coverage WHERE level = ?1 AND t <="
                      " (SELECT t FROM coverage WHERE level = ?1 ORDER BY t DESC LIMIT 1 OFFSET ?2)",
    [GET_POINTS] = "SELECT t / ?3 * ?3, sum(mean * n) / sum(n), min(low), max(high) FROM point"
                   " WHERE level = ?1 AND series = ?2 AND t >= ?4 AND t < ?5 GROUP BY t / ?3",
    [GET_KNOBS] = "SELECT t, setting FROM knobs WHERE t < ?2 AND t >= coalesce((SELECT max(t) FROM knobs WHERE t <= ?1), 0)"
                  " ORDER BY t DESC LIMIT ?3",
    [GET_RECORDS] = "SELECT text FROM (SELECT seq, text FROM record WHERE (trial, term) IN"
                    " (SELECT DISTINCT trial, term FROM record WHERE t >= ?1 AND t < ?2 AND trial > 0)"
                    " ORDER BY seq DESC LIMIT ?3) ORDER BY seq",
    [GET_COVERAGE] = "SELECT shares FROM coverage WHERE level = ?1 AND t >= ?2 AND t < ?3",
    [DEVICE_NAME] = "SELECT name FROM device WHERE id = ?1",
    [OLDEST] = "SELECT min(t) FROM point WHERE level = ?1 AND series = 0",
};

/* ---- statements ---- */

int file_fail(const struct file *f, struct err *err)
{
    return err_set(err, sqlite3_errcode(f->db) == SQLITE_FULL ? ENOSPC : EIO, "%s: %s", f->path, sqlite3_errmsg(f->db));
}

sqlite3_stmt *file_statement(struct file *f, enum file_statement which)
{
    if (!f->statement[which])
        (void)sqlite3_prepare_v3(f->db, statements[which], -1, SQLITE_PREPARE_PERSISTENT, &f->statement[which], NULL);
    else
        sqlite3_reset(f->statement[which]);
    return f->statement[which];
}

void file_bind(sqlite3_stmt *q, int at, uint64_t value)
{
    sqlite3_bind_int64(q, at, (sqlite3_int64)value);
}

/* A statement that could not be made fails here: SQLite takes NULL for a misuse. */
int file_do(struct file *f, sqlite3_stmt *q, struct err *err)
{
    int rc = q && sqlite3_step(q) == SQLITE_DONE ? 0 : file_fail(f, err);

    if (q)
        sqlite3_reset(q);
    return rc;
}

int file_execute(struct file *f, const char *sql, struct err *err)
{
    return sqlite3_exec(f->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : file_fail(f, err);
}

uint64_t file_number(struct file *f, enum file_statement which, uint64_t argument)
{
    sqlite3_stmt *q = file_statement(f, which);
    uint64_t      number = 0;

    if (!q)
        return 0;
    if (sqlite3_bind_parameter_count(q))
        file_bind(q, 1, argument);
    if (sqlite3_step(q) == SQLITE_ROW)
        number = (uint64_t)sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    return number;
}

/* ---- opening ---- */

static long number_of(struct file *f, const char *sql)
{
    sqlite3_stmt *q = NULL;
    long          number = -1;

    if (sqlite3_prepare_v2(f->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        number = (long)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return number;
}

static int check_owner(struct file *f, struct err *err)
{
    long tables = number_of(f, "SELECT count(*) FROM sqlite_schema"), owner = number_of(f, "PRAGMA application_id"),
         version = number_of(f, "PRAGMA user_version");

    if (tables < 0)
        return file_fail(f, err);
    if (tables == 0 && owner == 0)
        return file_execute(f, "PRAGMA application_id = 1634625640; PRAGMA user_version = 1", err);
    if (owner != APPLICATION)
        return err_set(err, EINVAL, "%s: is a database of another program; move it away", f->path);
    if (version != SCHEMA)
        return err_set(err, EINVAL, "%s: was written by another version of anole (format %ld, not %d); move it away", f->path, version, SCHEMA);
    return 0;
}

int file_open(struct file *f, const char *path, struct err *err)
{
    int rc = 0;

    *f = (struct file){ .path = xstrdup(path) };
    if (sqlite3_open(path, &f->db) != SQLITE_OK)
        rc = file_fail(f, err);
    if (!rc)
        rc = check_owner(f, err);
    if (!rc)
        rc = file_execute(f, schema, err);
    if (rc)
        file_close(f);
    return rc;
}

void file_close(struct file *f)
{
    for (int i = 0; i < FILE_STATEMENTS; i++)
        sqlite3_finalize(f->statement[i]);
    sqlite3_close(f->db);
    free(f->path);
    *f = (struct file){ 0 };
}
