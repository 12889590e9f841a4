/* src/live/history/file.c - see file.h. */
#include "live/history/file.h"

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

void file_bind(sqlite3_stmt *q, int at, uint64_t value)
{
    sqlite3_bind_int64(q, at, (sqlite3_int64)value);
}

/* A statement that could not be made fails here. */
int file_do(struct database *f, sqlite3_stmt *q, struct err *err)
{
    return database_end(f, q, q ? sqlite3_step(q) : SQLITE_ERROR, err);
}

uint64_t file_number(struct database *f, enum file_statement which, uint64_t argument)
{
    sqlite3_stmt *q = database_statement(f, which);
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

int file_open(struct database *f, const char *path, struct err *err)
{
    int rc = database_open(f, &kind, path, err);

    if (!rc)
        rc = database_execute(f, "PRAGMA max_page_count = 65536", err);          /* of 4 KB: 256 MB */
    if (rc && f->db)
        database_close(f);
    return rc;
}
