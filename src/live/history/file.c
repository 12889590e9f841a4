#include "live/history/file.h"

#include <stdarg.h>

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS point (level INTEGER, series INTEGER, t INTEGER, n INTEGER, mean REAL, low "
    "REAL, high REAL,"
    " PRIMARY KEY (level, series, t)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS knobs (t INTEGER PRIMARY KEY, setting TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS record (seq INTEGER PRIMARY KEY, t INTEGER, trial INTEGER, term INTEGER, "
    "text TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS record_t ON record (t);"
    "CREATE INDEX IF NOT EXISTS record_trial ON record (trial, term);"
    "CREATE TABLE IF NOT EXISTS device (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS coverage (level INTEGER, t INTEGER, shares BLOB NOT NULL, PRIMARY KEY "
    "(level, t)) WITHOUT ROWID;";

static const char *const statements[FILE_STATEMENTS] = {
    [ADD_POINT] = "INSERT OR REPLACE INTO point VALUES (0, ?1, ?2, 1, ?3, ?3, ?3)",
    [ROLL_POINTS] = "INSERT OR REPLACE INTO point SELECT ?1 + 1, series, t / ?3 * ?3, sum(n), sum(mean * n) "
                    "/ sum(n), min(low), max(high)"
                    " FROM point WHERE level = ?1 AND series = ?2 AND t >= ?4 AND t < ?5 GROUP BY t / ?3",
    [TRIM_POINTS] = "DELETE FROM point WHERE level = ?1 AND series = ?2 AND t <="
                    " (SELECT t FROM point WHERE level = ?1 AND series = ?2 ORDER BY t DESC LIMIT 1 OFFSET "
                    "?3)",
    [ADD_KNOBS] = "INSERT OR REPLACE INTO knobs VALUES (?1, ?2)",
    [TRIM_KNOBS] = "DELETE FROM knobs WHERE t <= (SELECT t FROM knobs ORDER BY t DESC LIMIT 1 OFFSET ?1)",
    [ADD_RECORD] = "INSERT OR IGNORE INTO record VALUES (?1, CAST(strftime('%s', ?2) AS INTEGER) * 1000, ?3, "
                   "?4, ?5)",
    [TRIM_RECORDS] = "DELETE FROM record WHERE seq <= (SELECT seq FROM record ORDER BY seq DESC LIMIT 1 "
                     "OFFSET ?1)",
    [LAST_RECORD] = "SELECT max(seq) FROM record",
    [ADD_DEVICE] = "INSERT OR IGNORE INTO device (name) VALUES (?1)",
    [DEVICE_ID] = "SELECT id FROM device WHERE name = ?1",
    [ADD_COVERAGE] = "INSERT OR REPLACE INTO coverage VALUES (?1, ?2, ?3)",
    [TRIM_COVERAGE] = "DELETE FROM coverage WHERE level = ?1 AND t <="
                      " (SELECT t FROM coverage WHERE level = ?1 ORDER BY t DESC LIMIT 1 OFFSET ?2)",
    [GET_POINTS] = "SELECT t / ?3 * ?3, sum(mean * n) / sum(n), min(low), max(high) FROM point"
                   " WHERE level = ?1 AND series = ?2 AND t >= ?4 AND t < ?5 GROUP BY t / ?3",
    [GET_KNOBS] = "SELECT t, setting FROM knobs WHERE t < ?2 AND t >= coalesce((SELECT max(t) FROM knobs "
                  "WHERE t <= ?1), 0)"
                  " ORDER BY t DESC LIMIT ?3",
    [GET_RECORDS] = "SELECT text FROM (SELECT seq, text FROM record WHERE (trial, term) IN"
                    " (SELECT DISTINCT trial, term FROM record WHERE t >= ?1 AND t < ?2 AND trial > 0)"
                    " ORDER BY seq DESC LIMIT ?3) ORDER BY seq",
    [GET_COVERAGE] = "SELECT shares FROM coverage WHERE level = ?1 AND t >= ?2 AND t < ?3",
    [DEVICE_NAME] = "SELECT name FROM device WHERE id = ?1",
    [OLDEST] = "SELECT min(t) FROM point WHERE level = ?1 AND series = 0",
};

static const struct database_kind kind = {
    .application = 0x616e6868,   /* "anhh" */
    .version = 1, .schema = schema, .sql = statements, .statements = FILE_STATEMENTS,
    .advice = "move it away",
};

static sqlite3_stmt *bind(struct database *f, enum file_statement which, const char *kinds, va_list args)
{
    sqlite3_stmt *q = database_statement(f, which);

    for (int at = 1; q && kinds[at - 1]; at++)
        if (kinds[at - 1] == 'i')
            sqlite3_bind_int64(q, at, (sqlite3_int64)va_arg(args, uint64_t));
        else if (kinds[at - 1] == 'r')
            sqlite3_bind_double(q, at, va_arg(args, double));
        else if (kinds[at - 1] == 't')
            sqlite3_bind_text(q, at, va_arg(args, const char *), -1, SQLITE_STATIC);
        else {
            const void *bytes = va_arg(args, const void *);

            sqlite3_bind_blob(q, at, bytes, va_arg(args, int), SQLITE_STATIC);
        }
    return q;
}

sqlite3_stmt *file_query(struct database *f, enum file_statement which, const char *kinds, ...)
{
    sqlite3_stmt *q;
    va_list       args;

    va_start(args, kinds);
    q = bind(f, which, kinds, args);
    va_end(args);
    return q;
}

int file_run(struct database *f, struct err *err, enum file_statement which, const char *kinds, ...)
{
    sqlite3_stmt *q;
    va_list       args;

    va_start(args, kinds);
    q = bind(f, which, kinds, args);
    va_end(args);
    return database_end(f, q, q ? sqlite3_step(q) : SQLITE_ERROR, err);
}

bool file_next(sqlite3_stmt *q)
{
    bool has_row = q && sqlite3_step(q) == SQLITE_ROW;

    if (q && !has_row)
        sqlite3_reset(q);
    return has_row;
}

uint64_t file_number(sqlite3_stmt *q)
{
    uint64_t number = file_next(q) ? (uint64_t)sqlite3_column_int64(q, 0) : 0;

    if (q)
        sqlite3_reset(q);
    return number;
}

int file_open(struct database *f, const char *path, struct err *err)
{
    int rc = database_open(f, &kind, path, err);

    if (!rc)
        rc = database_execute(f, "PRAGMA max_page_count = 65536", err);          /* of 4 KB: 256 MB */
    if (rc && f->db)
        database_close(f);
    return rc;
}
