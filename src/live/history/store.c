#include "live/history/store.h"
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
    uint64_t    settled;
    char      (*name)[STORE_NAME_SIZE];          /* devices of the last report, and their ids */
    uint32_t   *id;
    uint32_t    names;
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
static sqlite3_stmt *bind(struct store *s, enum statement which, const char *kinds, va_list args)
{
    sqlite3_stmt *q = database_statement(&s->file, which);

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

static sqlite3_stmt *query(struct store *s, enum statement which, const char *kinds, ...)
{
    sqlite3_stmt *q;
    va_list       args;

    va_start(args, kinds);
    q = bind(s, which, kinds, args);
    va_end(args);
    return q;
}

/* Executes a statement without results. */
static int run(struct store *s, struct err *err, enum statement which, const char *kinds, ...)
{
    sqlite3_stmt *q;
    va_list       args;

    va_start(args, kinds);
    q = bind(s, which, kinds, args);
    va_end(args);
    return database_end(&s->file, q, q ? sqlite3_step(q) : SQLITE_ERROR, err);
}

/* Reads the next row; false: there is none, and the statement is reset. */
static bool next_row(sqlite3_stmt *q)
{
    bool has_row = q && sqlite3_step(q) == SQLITE_ROW;

    if (q && !has_row)
        sqlite3_reset(q);
    return has_row;
}

/* The result of a query for one number; 0: none. */
static uint64_t number_of(sqlite3_stmt *q)
{
    uint64_t number = next_row(q) ? (uint64_t)sqlite3_column_int64(q, 0) : 0;

    if (q)
        sqlite3_reset(q);
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
    if (rc) {
        free(s);
        s = NULL;
    }
    *out = s;
    return rc;
}

void store_free(struct store *s)
{
    if (!s)
        return;
    database_close(&s->file);
    free(s->name);
    free(s->id);
    free(s);
}

/* ---- adding ---- */

static int add_point(struct store *s, const struct store_point *p, struct err *err)
{
    int rc = 0;

    for (int i = 0; i < STORE_SERIES && !rc; i++)
        if (!isnan(p->value[i]))
            rc = run(s, err, ADD_POINT, "iir", (uint64_t)i, p->wall_ms, p->value[i]);
    s->from_ms = min_u64(s->from_ms, p->wall_ms);
    s->until_ms = max_u64(s->until_ms, p->wall_ms);
    return rc;
}

/* A known record stays as it is; text that is no record is ignored. */
static int add_record(struct store *s, const char *line, size_t length, struct err *err)
{
    json_t    *o = json_loadb(line, length, 0, NULL);
    json_int_t seq = json_integer_value(json_object_get(o, "seq"));
    int        rc = 0;

    if (seq > 0)
        rc = run(s, err, ADD_RECORD, "itiit", (uint64_t)seq, json_get_text(o, "time"),
                 (uint64_t)json_integer_value(json_object_get(o, "change")),
                 (uint64_t)json_integer_value(json_object_get(o, "term")), line);
    json_decref(o);
    return rc;
}

/* ---- devices ---- */

static int find_id(struct store *s, const char *name, uint32_t *id, struct err *err)
{
    int      rc = run(s, err, ADD_DEVICE, "t", name);
    uint64_t is = rc ? 0 : number_of(query(s, DEVICE_ID, "t", name));

    *id = is ? (uint32_t)is : UINT32_MAX;
    return rc;
}

/* Names come in the same order every minute, so most ids are known. */
static int find_ids(struct store *s, uint32_t count, const char (*name)[STORE_NAME_SIZE], struct err *err)
{
    int rc = 0;

    if (count > s->names) {
        s->name = xrealloc(s->name, count * sizeof *s->name);
        s->id = xrealloc(s->id, count * sizeof *s->id);
        memset(s->name + s->names, 0, (count - s->names) * sizeof *s->name);
        s->names = count;
    }
    for (uint32_t i = 0; i < count && !rc; i++)
        if (strncmp(s->name[i], name[i], STORE_NAME_SIZE) != 0) {
            rc = find_id(s, name[i], &s->id[i], err);
            memcpy(s->name[i], name[i], STORE_NAME_SIZE);
        }
    return rc;
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

/* The hour that a minute belongs to: means of its minutes. */
static int roll_coverage(struct store *s, uint64_t wall_ms, struct err *err)
{
    uint64_t step_ms = levels[2].step_ms, from_ms = wall_ms / step_ms * step_ms;
    uint32_t ids = 0;
    uint8_t *share = mean_shares(s, 1, from_ms, from_ms + step_ms, &ids);
    int      rc = run(s, err, ADD_COVERAGE, "iib", 2ul, from_ms, share, (int)ids);

    free(share);
    return rc;
}

/* Devices that were heard in the minute that began at 'wall_ms'. */
static int add_coverage(struct store *s, const struct store_entry *e, struct err *err)
{
    const char    (*name)[STORE_NAME_SIZE] = e->bytes;
    const uint8_t  *share = (const uint8_t *)(name + e->count);
    uint64_t        wall_ms = e->point.wall_ms;
    uint64_t step_ms = levels[1].step_ms;
    uint8_t *by_id = xmalloc(DEVICES_MAX);
    uint32_t ids = 0;
    int      rc = find_ids(s, e->count, name, err);

    memset(by_id, STORE_NOT_THERE, DEVICES_MAX);
    for (uint32_t i = 0; i < e->count && !rc; i++)
        if (s->id[i] < DEVICES_MAX) {
            by_id[s->id[i]] = share[i];
            ids = s->id[i] + 1 > ids ? s->id[i] + 1 : ids;
        }
    if (!rc)
        rc = run(s, err, ADD_COVERAGE, "iib", 1ul, wall_ms / step_ms * step_ms, by_id, (int)ids);
    if (!rc)
        rc = roll_coverage(s, wall_ms, err);
    free(by_id);
    return rc;
}

/* ---- growing coarser ---- */

static int trim(struct store *s, struct err *err)
{
    int rc = run(s, err, TRIM_RECORDS, "i", (uint64_t)RECORDS_MAX);

    if (!rc)
        rc = run(s, err, TRIM_KNOBS, "i", (uint64_t)KNOBS_MAX);
    for (uint64_t level = 0; level < LEVELS && !rc; level++) {
        const struct level *l = &levels[level];

        for (uint64_t i = 0; i < STORE_SERIES && !rc; i++)
            rc = run(s, err, TRIM_POINTS, "iii", level, i, (uint64_t)l->points);
        if (!rc && l->coverages)
            rc = run(s, err, TRIM_COVERAGE, "ii", level, (uint64_t)l->coverages);
    }
    return rc;
}

/* Updates the coarser levels and removes old rows. */
static int settle(struct store *s, struct err *err)
{
    int rc = 0;

    for (uint64_t level = 0; level + 1 < LEVELS && s->from_ms <= s->until_ms; level++) {
        uint64_t step_ms = levels[level + 1].step_ms;

        for (uint64_t i = 0; i < STORE_SERIES && !rc; i++)
            rc = run(s, err, ROLL_POINTS, "iiiii", level, i, step_ms, s->from_ms / step_ms * step_ms,
                     (s->until_ms / step_ms + 1) * step_ms);
    }
    return rc || s->settled++ % TRIM_EVERY ? rc : trim(s, err);
}

static int add(struct store *s, const struct store_entry *e, struct err *err)
{
    switch (e->kind) {
    case STORE_POINT:     return add_point(s, &e->point, err);
    case STORE_KNOBS:     return run(s, err, ADD_KNOBS, "it", e->point.wall_ms, e->bytes);
    case STORE_RECORD:    return add_record(s, e->bytes, e->length, err);
    case STORE_REPORTERS: return add_coverage(s, e, err);
    }
    return 0;
}

int store_write(struct store *s, const struct store_entry *e, uint64_t count, struct err *err)
{
    int rc = database_execute(&s->file, "BEGIN IMMEDIATE", err);

    if (rc)
        return rc;
    s->from_ms = UINT64_MAX;
    s->until_ms = 0;
    for (uint64_t i = 0; i < count && !rc; i++)
        rc = add(s, &e[i], err);
    if (!rc)
        rc = settle(s, err);
    if (!rc)
        rc = database_execute(&s->file, "COMMIT", err);
    if (rc) {
        s->names = 0;            /* the transaction's new devices are void */
        database_execute(&s->file, "ROLLBACK", NULL);
    }
    return rc;
}

uint64_t store_last_record(struct store *s)
{
    return number_of(query(s, LAST_RECORD, ""));
}

/* ---- decisions ---- */

/* The decision that a record belongs to: that of its trial and term. A trial of 'try' begins one. */
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

static void begin(json_t *list, const json_t *r, const char *outcome)
{
    json_array_append_new(list, JSON_OF(
        { "trial", json_integer(json_integer_value(json_object_get(r, "change"))) },
        { "term", json_integer(json_integer_value(json_object_get(r, "term"))) },
        { "began", json_of_text(json_get_text(r, "time")) }, { "set", copy(json_object_get(r, "new")) },
        { "was", copy(json_object_get(r, "old")) }, { "why", json_of_text(json_get_text(r, "why")) },
        { "outcome", json_of_text(outcome) }, { "steps", json_array() }));
}

static void add_step(json_t *d, const json_t *r)
{
    const char *evidence = json_get_text(r, "evidence");

    json_array_append_new(json_object_get(d, "steps"), JSON_OF(
        { "time", json_of_text(json_get_text(r, "time")) },
        { "what", json_of_text(json_get_text(r, "what")) },
        { "why", json_of_text(json_get_text(r, "why")) }, { "evidence", json_of_text(evidence) }));
    if (*evidence)
        json_put_text(d, "evidence", evidence);
}

static void end(json_t *d, const json_t *r, const char *outcome)
{
    json_put_text(d, "outcome", outcome);
    json_put_text(d, "ended", json_get_text(r, "time"));
    json_put_text(d, "end", json_get_text(r, "why"));
}

void decisions_take(json_t *list, const json_t *r)
{
    const char *what = json_get_text(r, "what");
    json_t     *d;

    if (strcmp(what, "try") == 0)
        begin(list, r, "open");
    else if (strcmp(what, "would try") == 0)
        begin(list, r, "would try");
    d = decision_of(list, r);
    if (!d)
        return;
    add_step(d, r);
    if (strcmp(what, "keep") == 0)
        end(d, r, "kept");
    else if (strcmp(what, "drop") == 0)
        end(d, r, "dropped");
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
                 coarser = number_of(query(s, OLDEST, "i", (uint64_t)(r.level + 1)));

        if ((oldest <= from_ms || oldest <= coarser + levels[r.level + 1].step_ms) &&
            (span_ms / levels[r.level].step_ms <= ROWS_MAX ||
             span_ms / levels[r.level + 1].step_ms < POINTS_ENOUGH))
            break;
    }
    r.step_ms = levels[r.level].step_ms;
    r.step_ms *= (span_ms / r.step_ms + STORE_POINTS_MAX - 1) / STORE_POINTS_MAX;
    if (!r.step_ms)
        r.step_ms = levels[r.level].step_ms;
    r.from_ms = from_ms / r.step_ms * r.step_ms;
    r.points = (uint32_t)((until_ms - r.from_ms + r.step_ms - 1) / r.step_ms);
    r.until_ms = r.from_ms + r.points * r.step_ms;
    return r;
}

/* ---- measurements ---- */

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

static void add_series(json_t *o, struct store *s, const struct range *r)
{
    static const char *const names[STORE_SERIES] = {
        "coverage", "metric", "paused", "utilisation", "cnps", "tried", "with", "without",
    };
    json_t *at = json_array(), *all = json_object();

    for (uint64_t t = r->from_ms; t < r->until_ms; t += r->step_ms)
        json_array_append_new(at, json_integer((json_int_t)t));
    for (int i = 0; i < STORE_SERIES; i++)
        json_object_set_new(all, names[i], series_json(s, r, i));
    json_object_set_new(o, "t_ms", at);
    json_object_set_new(o, "series", all);
}

/* ---- settings and decisions ---- */

static json_t *knobs_json(struct store *s, const struct range *r)
{
    sqlite3_stmt *q = query(s, GET_KNOBS, "iii", r->from_ms, r->until_ms, (uint64_t)KNOBS_SHOWN);
    json_t       *list = json_array();

    while (next_row(q)) {
        json_t *set = json_loads(database_text(q, 1), 0, NULL);

        if (set)
            json_array_insert_new(list, 0,
                                  json_pack("{s:I, s:o}", "t_ms", (json_int_t)sqlite3_column_int64(q, 0),
                                            "confirmed", set));
    }
    return list;
}

static json_t *decisions_json(struct store *s, const struct range *r)
{
    sqlite3_stmt *q = query(s, GET_RECORDS, "iii", r->from_ms, r->until_ms, (uint64_t)RECORDS_SHOWN);
    json_t       *list = json_array();

    while (next_row(q)) {
        json_t *record = json_loads(database_text(q, 0), 0, NULL);

        if (record)
            decisions_take(list, record);
        json_decref(record);
    }
    return list;
}

/* ---- reporting devices ---- */

static json_t *device_json(struct store *s, uint32_t id, uint8_t share)
{
    sqlite3_stmt *q = query(s, DEVICE_NAME, "i", (uint64_t)id);
    json_t       *o = json_object();

    json_put_text(o, "name", next_row(q) ? database_text(q, 0) : "");
    json_put_number(o, "heard", (double)share / STORE_SHARE_ONE);
    if (q)
        sqlite3_reset(q);
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
    return json_pack("{s:I, s:I, s:o}", "known", (json_int_t)known, "heard_always", (json_int_t)whole,
                     "worst", worst);
}

/* ---- all of it ---- */

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
    json_t      *o = JSON_OF({ "from_ms", json_of_count(r.from_ms) },
                             { "until_ms", json_of_count(r.until_ms) },
                             { "oldest_ms", json_of_count(oldest_ms(s)) },
                             { "step_ms", json_of_count(r.step_ms) },
                             { "level", json_of_text(names[r.level]) });

    add_series(o, s, &r);
    json_object_set_new(o, "knobs", knobs_json(s, &r));
    json_object_set_new(o, "decisions", decisions_json(s, &r));
    json_object_set_new(o, "devices", devices_json(s, &r));
    return o;
}
