/* src/live/history/store_read.c - what a history answers: see store.h. */
#include "live/history/decisions.h"
#include "live/history/store.h"

#include <stdlib.h>

#define KNOBS_SHOWN   500u
#define RECORDS_SHOWN 3000u
#define WORST_SHOWN   20
#define ROWS_MAX      4000u      /* of a series that are read for one answer, if a coarser level has enough */
#define POINTS_ENOUGH 100u

struct range { uint32_t level; uint64_t step_ms, from_ms, until_ms; uint32_t points; };

/* The finest level that reaches back so far and has not too many rows; points in steps that are whole ones of
 * that level. */
static struct range choose(struct store *s, uint64_t span_ms, uint64_t until_ms)
{
    struct range r = { 0 };
    uint64_t     from_ms = span_ms < until_ms ? until_ms - span_ms : 0;

    for (; r.level + 1 < STORE_LEVELS; r.level++) {
        uint64_t oldest = file_number(file_query(&s->file, OLDEST, "i", (uint64_t)(r.level))),
                 coarser = file_number(file_query(&s->file, OLDEST, "i", (uint64_t)(r.level + 1)));

        if ((oldest <= from_ms || oldest <= coarser + store_levels[r.level + 1].step_ms) &&
            (span_ms / store_levels[r.level].step_ms <= ROWS_MAX ||
             span_ms / store_levels[r.level + 1].step_ms < POINTS_ENOUGH))
            break;
    }
    r.step_ms = store_levels[r.level].step_ms;
    r.step_ms *= (span_ms / r.step_ms + STORE_POINTS_MAX - 1) / STORE_POINTS_MAX;
    if (!r.step_ms)
        r.step_ms = store_levels[r.level].step_ms;
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
    sqlite3_stmt *q = file_query(&s->file, GET_POINTS, "iiiii", (uint64_t)r->level, (uint64_t)series,
                                 r->step_ms, r->from_ms, r->until_ms);
    json_t       *column[3] = { nulls(r->points), nulls(r->points), nulls(r->points) };

    while (file_next(q))
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
    sqlite3_stmt *q = file_query(&s->file, GET_KNOBS, "iii", r->from_ms, r->until_ms, (uint64_t)KNOBS_SHOWN);
    json_t       *list = json_array();

    while (file_next(q)) {
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
    sqlite3_stmt *q = file_query(&s->file, GET_RECORDS, "iii", r->from_ms, r->until_ms,
                                 (uint64_t)RECORDS_SHOWN);
    json_t       *list = json_array();

    while (file_next(q)) {
        json_t *record = json_loads(database_text(q, 0), 0, NULL);

        if (record)
            decisions_take(list, record);
        json_decref(record);
    }
    return list;
}

/* ---- reporting devices ---- */

struct sums { uint32_t *sum, *count, ids; };

static void add_shares(struct sums *m, const uint8_t *share, uint32_t ids)
{
    for (uint32_t i = 0; i < ids && i < STORE_DEVICES_MAX; i++)
        if (share[i] != STORE_NOT_THERE) {
            m->sum[i] += share[i];
            m->count[i]++;
        }
    m->ids = ids > m->ids ? ids : m->ids;
}

uint8_t *store_mean_shares(struct store *s, uint32_t level, uint64_t from_ms, uint64_t until_ms,
                           uint32_t *ids)
{
    sqlite3_stmt *q = file_query(&s->file, GET_COVERAGE, "iii", (uint64_t)level, from_ms, until_ms);
    struct sums   m = { xcalloc(STORE_DEVICES_MAX, sizeof *m.sum),
                        xcalloc(STORE_DEVICES_MAX, sizeof *m.count), 0 };
    uint8_t      *mean;

    while (file_next(q))
        add_shares(&m, sqlite3_column_blob(q, 0), (uint32_t)sqlite3_column_bytes(q, 0));
    mean = xmalloc(m.ids ? m.ids : 1);
    for (uint32_t i = 0; i < m.ids; i++)
        mean[i] = (uint8_t)(m.count[i] ? (m.sum[i] + m.count[i] / 2) / m.count[i] : STORE_NOT_THERE);
    free(m.sum);
    free(m.count);
    *ids = m.ids;
    return mean;
}

static json_t *device_json(struct store *s, uint32_t id, uint8_t share)
{
    sqlite3_stmt *q = file_query(&s->file, DEVICE_NAME, "i", (uint64_t)id);
    json_t       *o = json_object();

    json_put_text(o, "name", file_next(q) ? database_text(q, 0) : "");
    json_put_number(o, "heard", (double)share / STORE_SHARE_ONE);
    if (q)
        sqlite3_reset(q);
    return o;
}

/* Those that were heard least. Within two days by the minute, before that by the hour. */
static json_t *devices_json(struct store *s, const struct range *r)
{
    uint32_t level = r->until_ms - r->from_ms <= 86400000u ? 1 : 2, ids, known = 0, whole = 0;
    uint64_t step_ms = store_levels[level].step_ms;
    uint8_t *share = store_mean_shares(s, level, r->from_ms / step_ms * step_ms, r->until_ms, &ids);
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

    for (uint32_t level = 0; level < STORE_LEVELS; level++) {
        uint64_t t = file_number(file_query(&s->file, OLDEST, "i", (uint64_t)(level)));

        oldest = t && (!oldest || t < oldest) ? t : oldest;
    }
    return oldest;
}

json_t *store_json(struct store *s, uint64_t span_ms, uint64_t until_ms)
{
    static const char *const names[STORE_LEVELS] = { "second", "minute", "hour" };
    struct range r = choose(s, span_ms, until_ms);
    json_t      *o = json_object();

    json_put_count(o, "from_ms", r.from_ms);
    json_put_count(o, "until_ms", r.until_ms);
    json_put_count(o, "oldest_ms", oldest_ms(s));
    json_put_count(o, "step_ms", r.step_ms);
    json_put_text(o, "level", names[r.level]);
    add_series(o, s, &r);
    json_object_set_new(o, "knobs", knobs_json(s, &r));
    json_object_set_new(o, "decisions", decisions_json(s, &r));
    json_object_set_new(o, "devices", devices_json(s, &r));
    return o;
}
