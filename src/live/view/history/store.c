#include "live/view/history/store.h"
#include "base/minmax.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS_MAX   50000
#define KNOBS_MAX     20000
/* writes between two clean-ups: searching for old rows costs more than a write */
#define TRIM_EVERY    32
#define DEVICES_MAX   65536
#define LEVELS        3          /* seconds, minutes, hours */

#define KNOBS_SHOWN   500u
#define RECORDS_SHOWN 3000u
#define WORST_SHOWN   20
#define ROWS_MAX      4000u      /* of a series that are read for one answer, if a coarser level has enough */
#define POINTS_ENOUGH 100u

/* How far apart, and how many rows are kept. */
struct level { uint64_t step_ms; uint32_t points, coverages; };
static const struct level levels[LEVELS] = {
    { 1000, 6 * 3600, 0 }, { 60000, 8 * 1440, 2 * 1440 }, { 3600000, 400 * 24, 100 * 24 },
};

struct store {
    struct database file;
    uint64_t    from_ms, until_ms;               /* of points of this transaction */
    int         rc;                              /* of this transaction, the first error */
    struct err *err;
    uint64_t    settled;
    struct { char name[STORE_NAME_SIZE]; uint32_t id; } *known;  /* devices of the last report */
    uint32_t    knowns;
};

/* ---- the database ---- */

enum statement {
    ADD_POINT, ROLL_POINTS, TRIM_POINTS, ADD_KNOBS, TRIM_KNOBS, ADD_RECORD, TRIM_RECORDS, LAST_RECORD,
    ADD_DEVICE, DEVICE_ID, ADD_COVERAGE, TRIM_COVERAGE, GET_POINTS, GET_KNOBS, GET_RECORDS, GET_COVERAGE,
    DEVICE_NAME, OLDEST, STATEMENTS
};

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

static const char *const statements[STATEMENTS] = {
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
    .version = 1, .schema = schema, .sql = statements, .statements = STATEMENTS,
    .advice = "move it away",
};

/* A statement with its arguments, one letter each: i uint64_t, r double, t text, b bytes and their number
 * (int). Text and bytes must stay. NULL: it could not be made. */
static sqlite3_stmt *query(struct store *s, enum statement which, const char *kinds, ...)
{
    sqlite3_stmt *q = database_statement(&s->file, which);
    va_list       args;

    va_start(args, kinds);
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
    va_end(args);
    return q;
}

/* Executes a statement without results, unless the transaction has failed. */
static void run(struct store *s, sqlite3_stmt *q)
{
    if (!s->rc)
        s->rc = database_end(&s->file, q, q ? sqlite3_step(q) : SQLITE_ERROR, s->err);
}

/* Reads the next row; false: there is none, and the statement is reset. */
static bool next_row(sqlite3_stmt *q)
{
    bool has_row = q && sqlite3_step(q) == SQLITE_ROW;

    if (!has_row)
        sqlite3_reset(q);        /* NULL: no-op */
    return has_row;
}

/* The result of a query for one number; 0: none. */
static uint64_t number_of(sqlite3_stmt *q)
{
    uint64_t number = next_row(q) ? (uint64_t)sqlite3_column_int64(q, 0) : 0;

    sqlite3_reset(q);            /* NULL: no-op */
    return number;
}

int store_open(struct store **out, const char *path, struct err *err)
{
    struct store *s = xcalloc(1, sizeof *s);
    int           rc = database_open(&s->file, &kind, path, err);

    if (!rc)
        rc = database_execute(&s->file, "PRAGMA max_page_count = 65536", err);   /* of 4 KB: 256 MB */
    if (rc && s->file.db)
        database_close(&s->file);
    if (rc)
        free(s);
    *out = rc ? NULL : s;
    return rc;
}

void store_free(struct store *s)
{
    if (!s)
        return;
    database_close(&s->file);
    free(s->known);
    free(s);
}

/* ---- adding ---- */

static void add_point(struct store *s, const struct store_point *p)
{
    for (int i = 0; i < STORE_SERIES; i++)
        if (!isnan(p->value[i]))
            run(s, query(s, ADD_POINT, "iir", (uint64_t)i, p->wall_ms, p->value[i]));
    s->from_ms = min_u64(s->from_ms, p->wall_ms);
    s->until_ms = max_u64(s->until_ms, p->wall_ms);
}

/* A known record stays as it is; text that is no record is ignored. */
static void add_record(struct store *s, const struct store_entry *e)
{
    json_t    *o = json_loadb(e->bytes, e->length, 0, NULL);
    json_int_t seq = json_integer_value(json_object_get(o, "seq"));

    if (seq > 0)
        run(s, query(s, ADD_RECORD, "itiit", (uint64_t)seq, json_get_text(o, "time"),
                     (uint64_t)json_integer_value(json_object_get(o, "change")),
                     (uint64_t)json_integer_value(json_object_get(o, "term")), e->bytes));
    json_decref(o);
}

/* ---- devices ---- */

/* Names come in the same order every minute, so most ids are known. */
static void find_ids(struct store *s, uint32_t count, const char (*name)[STORE_NAME_SIZE])
{
    if (count > s->knowns) {
        s->known = xrealloc(s->known, count * sizeof *s->known);
        memset(s->known + s->knowns, 0, (count - s->knowns) * sizeof *s->known);
        s->knowns = count;
    }
    for (uint32_t i = 0; i < count && !s->rc; i++)
        if (strncmp(s->known[i].name, name[i], STORE_NAME_SIZE) != 0) {
            run(s, query(s, ADD_DEVICE, "t", name[i]));
            s->known[i].id = (uint32_t)number_of(query(s, DEVICE_ID, "t", name[i]));
            memcpy(s->known[i].name, name[i], STORE_NAME_SIZE);
        }
}

/* The mean share of each device in that time, by its id: malloc'd, *ids of them. */
static uint8_t *mean_shares(struct store *s, uint32_t level, uint64_t from_ms, uint64_t until_ms,
                            uint32_t *ids)
{
    sqlite3_stmt *q = query(s, GET_COVERAGE, "iii", (uint64_t)level, from_ms, until_ms);
    uint32_t     *sum = xcalloc(DEVICES_MAX, sizeof *sum), *count = xcalloc(DEVICES_MAX, sizeof *count);
    uint8_t      *mean;

    for (*ids = 0; next_row(q);) {
        const uint8_t *share = sqlite3_column_blob(q, 0);
        uint32_t       known = min_u32((uint32_t)sqlite3_column_bytes(q, 0), DEVICES_MAX);

        for (uint32_t i = 0; i < known; i++)
            if (share[i] != STORE_NOT_THERE) {
                sum[i] += share[i];
                count[i]++;
            }
        *ids = max_u32(*ids, known);
    }
    mean = xmalloc(*ids ? *ids : 1);
    for (uint32_t i = 0; i < *ids; i++)
        mean[i] = (uint8_t)(count[i] ? (sum[i] + count[i] / 2) / count[i] : STORE_NOT_THERE);
    free(sum);
    free(count);
    return mean;
}

/* Devices that were heard in the minute that began at 'wall_ms', and means of the minutes of its hour. */
static void add_coverage(struct store *s, const struct store_entry *e)
{
    const char   (*name)[STORE_NAME_SIZE] = e->bytes;
    const uint8_t *share = (const uint8_t *)(name + e->count);
    uint64_t       minute_ms = e->point.wall_ms / levels[1].step_ms * levels[1].step_ms;
    uint64_t       hour_ms = e->point.wall_ms / levels[2].step_ms * levels[2].step_ms;
    uint8_t       *by_id = xmalloc(DEVICES_MAX);
    uint32_t       ids = 0;

    memset(by_id, STORE_NOT_THERE, DEVICES_MAX);
    find_ids(s, e->count, name);
    for (uint32_t i = 0; i < e->count && !s->rc; i++) {
        uint32_t id = s->known[i].id;

        if (id && id < DEVICES_MAX) {
            by_id[id] = share[i];
            ids = max_u32(ids, id + 1);
        }
    }
    run(s, query(s, ADD_COVERAGE, "iib", 1ul, minute_ms, by_id, (int)ids));
    free(by_id);
    by_id = mean_shares(s, 1, hour_ms, hour_ms + levels[2].step_ms, &ids);
    run(s, query(s, ADD_COVERAGE, "iib", 2ul, hour_ms, by_id, (int)ids));
    free(by_id);
}

/* ---- growing coarser ---- */

static void trim(struct store *s)
{
    run(s, query(s, TRIM_RECORDS, "i", (uint64_t)RECORDS_MAX));
    run(s, query(s, TRIM_KNOBS, "i", (uint64_t)KNOBS_MAX));
    for (uint64_t level = 0; level < LEVELS; level++) {
        for (uint64_t i = 0; i < STORE_SERIES; i++)
            run(s, query(s, TRIM_POINTS, "iii", level, i, (uint64_t)levels[level].points));
        if (levels[level].coverages)
            run(s, query(s, TRIM_COVERAGE, "ii", level, (uint64_t)levels[level].coverages));
    }
}

/* Updates the coarser levels and removes old rows. */
static void settle(struct store *s)
{
    for (uint64_t level = 0; level + 1 < LEVELS && s->from_ms <= s->until_ms; level++) {
        uint64_t step_ms = levels[level + 1].step_ms;

        for (uint64_t i = 0; i < STORE_SERIES; i++)
            run(s, query(s, ROLL_POINTS, "iiiii", level, i, step_ms, s->from_ms / step_ms * step_ms,
                         (s->until_ms / step_ms + 1) * step_ms));
    }
    if (!s->rc && s->settled++ % TRIM_EVERY == 0)
        trim(s);
}

static void add(struct store *s, const struct store_entry *e)
{
    switch (e->kind) {
    case STORE_POINT:     add_point(s, &e->point); break;
    case STORE_KNOBS:     run(s, query(s, ADD_KNOBS, "it", e->point.wall_ms, e->bytes)); break;
    case STORE_RECORD:    add_record(s, e); break;
    case STORE_REPORTERS: add_coverage(s, e); break;
    }
}

int store_write(struct store *s, const struct store_entry *e, uint64_t count, struct err *err)
{
    int rc = database_execute(&s->file, "BEGIN IMMEDIATE", err);

    if (rc)
        return rc;
    s->rc = 0;
    s->err = err;
    s->from_ms = UINT64_MAX;
    s->until_ms = 0;
    for (uint64_t i = 0; i < count && !s->rc; i++)
        add(s, &e[i]);
    settle(s);
    if (!s->rc)
        s->rc = database_execute(&s->file, "COMMIT", err);
    if (s->rc) {
        s->knowns = 0;           /* the transaction's new devices are void */
        database_execute(&s->file, "ROLLBACK", NULL);
    }
    return s->rc;
}

uint64_t store_last_record(struct store *s)
{
    return number_of(query(s, LAST_RECORD, ""));
}

/* ---- decisions ---- */

/* The decision that a record belongs to: that of its trial and term. */
static json_t *decision_of(json_t *list, const json_t *record)
{
    json_int_t number = json_integer_value(json_object_get(record, "change"));
    json_int_t term = json_integer_value(json_object_get(record, "term"));

    for (size_t i = json_array_size(list); number && i-- > 0;) {
        json_t *d = json_array_get(list, i);

        if (json_integer_value(json_object_get(d, "trial")) == number &&
            json_integer_value(json_object_get(d, "term")) == term)
            return d;
    }
    return NULL;
}

static json_t *copy(const json_t *set)
{
    return set ? json_deep_copy(set) : json_object();
}

static json_t *text_of(const json_t *record, const char *key)
{
    return json_of_text(json_get_text(record, key));
}

static void begin(json_t *list, const json_t *r, const char *outcome)
{
    json_array_append_new(list, JSON_OF(
        { "trial", json_integer(json_integer_value(json_object_get(r, "change"))) },
        { "term", json_integer(json_integer_value(json_object_get(r, "term"))) },
        { "began", text_of(r, "time") }, { "set", copy(json_object_get(r, "new")) },
        { "was", copy(json_object_get(r, "old")) }, { "why", text_of(r, "why") },
        { "outcome", json_of_text(outcome) }, { "steps", json_array() }));
}

static void add_step(json_t *d, const json_t *r)
{
    json_array_append_new(json_object_get(d, "steps"), JSON_OF(
        { "time", text_of(r, "time") }, { "what", text_of(r, "what") }, { "why", text_of(r, "why") },
        { "evidence", text_of(r, "evidence") }));
    if (*json_get_text(r, "evidence"))
        json_object_set_new(d, "evidence", text_of(r, "evidence"));
}

void decisions_take(json_t *list, const json_t *r)
{
    const char *what = json_get_text(r, "what");
    bool        is_kept = strcmp(what, "keep") == 0;

    if (strcmp(what, "try") == 0 || strcmp(what, "would try") == 0)
        begin(list, r, strcmp(what, "try") == 0 ? "open" : what);
    json_t *d = decision_of(list, r);
    if (!d)
        return;
    add_step(d, r);
    if (is_kept || strcmp(what, "drop") == 0)
        JSON_PUT(d, { "outcome", json_of_text(is_kept ? "kept" : "dropped") },
                 { "ended", text_of(r, "time") }, { "end", text_of(r, "why") });
}

/* ---- answers ---- */

struct range { uint32_t level; uint64_t step_ms, from_ms, until_ms; uint32_t points; };

/* The finest level that reaches back so far with few enough rows; steps are multiples of its own. */
static struct range choose(struct store *s, uint64_t span_ms, uint64_t until_ms)
{
    struct range r = { 0 };
    uint64_t     from_ms = span_ms < until_ms ? until_ms - span_ms : 0;

    for (; r.level + 1 < LEVELS; r.level++) {
        uint64_t oldest = number_of(query(s, OLDEST, "i", (uint64_t)r.level)),
                 coarser = number_of(query(s, OLDEST, "i", (uint64_t)r.level + 1));

        if ((oldest <= from_ms || oldest <= coarser + levels[r.level + 1].step_ms) &&
            (span_ms / levels[r.level].step_ms <= ROWS_MAX ||
             span_ms / levels[r.level + 1].step_ms < POINTS_ENOUGH))
            break;
    }
    r.step_ms = levels[r.level].step_ms;
    r.step_ms *= max_u64((span_ms / r.step_ms + STORE_POINTS_MAX - 1) / STORE_POINTS_MAX, 1);
    r.from_ms = from_ms / r.step_ms * r.step_ms;
    r.points = (uint32_t)((until_ms - r.from_ms + r.step_ms - 1) / r.step_ms);
    r.until_ms = r.from_ms + r.points * r.step_ms;
    return r;
}

/* ---- measurements ---- */

const char *const store_series[STORE_SERIES] = {
    "coverage", "metric", "paused", "utilisation", "cnps", "tried", "with", "without",
};

static json_t *nulls(uint32_t count)
{
    json_t *list = json_array();

    while (count--)
        json_array_append_new(list, json_null());
    return list;
}

static json_t *series_json(struct store *s, const struct range *r, int series)
{
    sqlite3_stmt *q = query(s, GET_POINTS, "iiiii", (uint64_t)r->level, (uint64_t)series, r->step_ms,
                            r->from_ms, r->until_ms);
    json_t       *column[3] = { nulls(r->points), nulls(r->points), nulls(r->points) };

    while (next_row(q))
        for (int i = 0; i < 3; i++)
            json_array_set_new(column[i], ((uint64_t)sqlite3_column_int64(q, 0) - r->from_ms) / r->step_ms,
                               json_of_number(sqlite3_column_double(q, i + 1)));
    return json_pack("{s:o, s:o, s:o}", "mean", column[0], "least", column[1], "most", column[2]);
}

static json_t *times_json(const struct range *r)
{
    json_t *list = json_array();

    for (uint64_t t = r->from_ms; t < r->until_ms; t += r->step_ms)
        json_array_append_new(list, json_of_count(t));
    return list;
}

static json_t *all_series_json(struct store *s, const struct range *r)
{
    json_t *all = json_object();

    for (int i = 0; i < STORE_SERIES; i++)
        json_object_set_new(all, store_series[i], series_json(s, r, i));
    return all;
}

/* ---- settings and decisions ---- */

static json_t *knobs_json(struct store *s, const struct range *r)
{
    sqlite3_stmt *q = query(s, GET_KNOBS, "iii", r->from_ms, r->until_ms, (uint64_t)KNOBS_SHOWN);
    json_t       *list = json_array();

    while (next_row(q)) {
        json_t *set = json_loads(database_text(q, 1), 0, NULL);

        if (set)
            json_array_insert_new(list, 0, JSON_OF({ "t_ms", json_integer(sqlite3_column_int64(q, 0)) },
                                                   { "confirmed", set }));
    }
    return list;
}

static json_t *decisions_json(struct store *s, const struct range *r)
{
    sqlite3_stmt *q = query(s, GET_RECORDS, "iii", r->from_ms, r->until_ms, (uint64_t)RECORDS_SHOWN);
    json_t       *list = json_array();

    while (next_row(q)) {
        json_t *record = json_loads(database_text(q, 0), 0, NULL);

        decisions_take(list, record);
        json_decref(record);
    }
    return list;
}

/* ---- reporting devices ---- */

static json_t *device_json(struct store *s, uint32_t id, uint8_t share)
{
    sqlite3_stmt *q = query(s, DEVICE_NAME, "i", (uint64_t)id);
    json_t       *o = JSON_OF({ "name", json_of_text(next_row(q) ? database_text(q, 0) : "") },
                              { "heard", json_of_number((double)share / STORE_SHARE_ONE) });

    sqlite3_reset(q);            /* NULL: no-op */
    return o;
}

/* Those that were heard least. Within two days by the minute, before that by the hour. */
static json_t *devices_json(struct store *s, const struct range *r)
{
    uint32_t level = r->until_ms - r->from_ms <= 86400000u ? 1 : 2, ids, known = 0, whole = 0;
    uint64_t step_ms = levels[level].step_ms;
    uint8_t *share = mean_shares(s, level, r->from_ms / step_ms * step_ms, r->until_ms, &ids);
    json_t  *worst = json_array();

    for (uint32_t i = 0; i < ids; i++) {
        known += share[i] != STORE_NOT_THERE;
        whole += share[i] == STORE_SHARE_ONE;
    }
    for (uint32_t want = 0; want < STORE_SHARE_ONE && json_array_size(worst) < WORST_SHOWN; want++)
        for (uint32_t i = 0; i < ids && json_array_size(worst) < WORST_SHOWN; i++)
            if (share[i] == want)
                json_array_append_new(worst, device_json(s, i, share[i]));
    free(share);
    return JSON_OF({ "known", json_of_count(known) }, { "heard_always", json_of_count(whole) },
                   { "worst", worst });
}

static uint64_t oldest_ms(struct store *s)
{
    uint64_t oldest = 0;

    for (uint32_t level = 0; level < LEVELS; level++) {
        uint64_t t = number_of(query(s, OLDEST, "i", (uint64_t)level));

        oldest = t && (!oldest || t < oldest) ? t : oldest;
    }
    return oldest;
}

json_t *store_json(struct store *s, uint64_t span_ms, uint64_t until_ms)
{
    static const char *const names[LEVELS] = { "second", "minute", "hour" };
    struct range r = choose(s, span_ms, until_ms);

    return JSON_OF({ "from_ms", json_of_count(r.from_ms) }, { "until_ms", json_of_count(r.until_ms) },
                   { "oldest_ms", json_of_count(oldest_ms(s)) }, { "step_ms", json_of_count(r.step_ms) },
                   { "level", json_of_text(names[r.level]) }, { "t_ms", times_json(&r) },
                   { "series", all_series_json(s, &r) }, { "knobs", knobs_json(s, &r) },
                   { "decisions", decisions_json(s, &r) }, { "devices", devices_json(s, &r) });
}
