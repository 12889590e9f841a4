/* src/live/history/store.c - see store.h. Writing is here, reading in store_read.c. */
#include "live/history/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS_MAX 50000
#define KNOBS_MAX   20000
/* writes between two clean-ups: searching for old rows costs more than a write */
#define TRIM_EVERY  32

const struct store_level store_levels[STORE_LEVELS] = {
    { 1000, 6 * 3600, 0 }, { 60000, 8 * 1440, 2 * 1440 }, { 3600000, 400 * 24, 100 * 24 },
};

int store_open(struct store **out, const char *path, struct err *err)
{
    struct store *s = xcalloc(1, sizeof *s);
    int           rc = file_open(&s->file, path, err);

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

/* ---- transactions ---- */

int store_begin(struct store *s, struct err *err)
{
    s->from_ms = UINT64_MAX;
    s->until_ms = 0;
    return database_execute(&s->file, "BEGIN IMMEDIATE", err);
}

int store_undo(struct store *s)
{
    s->names = 0;                /* the transaction's new devices are void */
    return database_execute(&s->file, "ROLLBACK", NULL);
}

int store_end(struct store *s, struct err *err)
{
    int rc = database_execute(&s->file, "COMMIT", err);

    if (rc)
        (void)store_undo(s);
    return rc;
}

/* ---- adding ---- */

int store_add_point(struct store *s, const struct store_point *p, struct err *err)
{
    int rc = 0;

    for (int i = 0; i < STORE_SERIES && !rc; i++) {
        if (!isnan(p->value[i]))
            rc = file_run(&s->file, err, ADD_POINT, "iir", (uint64_t)i, p->wall_ms, p->value[i]);
    }
    s->from_ms = p->wall_ms < s->from_ms ? p->wall_ms : s->from_ms;
    s->until_ms = p->wall_ms > s->until_ms ? p->wall_ms : s->until_ms;
    return rc;
}

int store_add_knobs(struct store *s, uint64_t wall_ms, const char *set, struct err *err)
{
    return file_run(&s->file, err, ADD_KNOBS, "it", wall_ms, set);
}

int store_add_record(struct store *s, const char *line, size_t length, struct err *err)
{
    json_t       *o = json_loadb(line, length, 0, NULL);
    json_int_t    seq = json_integer_value(json_object_get(o, "seq"));
    int           rc = 0;

    if (seq > 0)
        rc = file_run(&s->file, err, ADD_RECORD, "itiit", (uint64_t)seq, json_get_text(o, "time"),
                      (uint64_t)json_integer_value(json_object_get(o, "change")),
                      (uint64_t)json_integer_value(json_object_get(o, "term")), line);
    json_decref(o);
    return rc;
}

/* ---- devices ---- */

static int find_id(struct store *s, const char *name, uint32_t *id, struct err *err)
{
    int      rc = file_run(&s->file, err, ADD_DEVICE, "t", name);
    uint64_t is = rc ? 0 : file_number(file_query(&s->file, DEVICE_ID, "t", name));

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

/* The hour that a minute belongs to: means of its minutes. */
static int roll_coverage(struct store *s, uint64_t wall_ms, struct err *err)
{
    uint64_t step_ms = store_levels[2].step_ms, from_ms = wall_ms / step_ms * step_ms;
    uint32_t ids = 0;
    uint8_t *share = store_mean_shares(s, 1, from_ms, from_ms + step_ms, &ids);
    int      rc = file_run(&s->file, err, ADD_COVERAGE, "iib", 2ul, from_ms, share, (int)ids);

    free(share);
    return rc;
}

int store_add_coverage(struct store *s, uint64_t wall_ms, uint32_t count, const char (*name)[STORE_NAME_SIZE],
                       const uint8_t *share, struct err *err)
{
    uint64_t step_ms = store_levels[1].step_ms;
    uint8_t *by_id = xmalloc(STORE_DEVICES_MAX);
    uint32_t ids = 0;
    int      rc = find_ids(s, count, name, err);

    memset(by_id, STORE_NOT_THERE, STORE_DEVICES_MAX);
    for (uint32_t i = 0; i < count && !rc; i++)
        if (s->id[i] < STORE_DEVICES_MAX) {
            by_id[s->id[i]] = share[i];
            ids = s->id[i] + 1 > ids ? s->id[i] + 1 : ids;
        }
    if (!rc)
        rc = file_run(&s->file, err, ADD_COVERAGE, "iib", 1ul, wall_ms / step_ms * step_ms, by_id, (int)ids);
    if (!rc)
        rc = roll_coverage(s, wall_ms, err);
    free(by_id);
    return rc;
}

/* ---- growing coarser ---- */

static int roll(struct store *s, uint32_t level, int series, struct err *err)
{
    uint64_t step_ms = store_levels[level + 1].step_ms;

    return file_run(&s->file, err, ROLL_POINTS, "iiiii", (uint64_t)level, (uint64_t)series, step_ms,
                    s->from_ms / step_ms * step_ms, (s->until_ms / step_ms + 1) * step_ms);
}

static int trim(struct store *s, struct err *err)
{
    int rc = file_run(&s->file, err, TRIM_RECORDS, "i", (uint64_t)RECORDS_MAX);

    if (!rc)
        rc = file_run(&s->file, err, TRIM_KNOBS, "i", (uint64_t)KNOBS_MAX);
    for (uint64_t level = 0; level < STORE_LEVELS && !rc; level++) {
        const struct store_level *l = &store_levels[level];

        for (uint64_t i = 0; i < STORE_SERIES && !rc; i++)
            rc = file_run(&s->file, err, TRIM_POINTS, "iii", level, i, (uint64_t)l->points);
        if (!rc && l->coverages)
            rc = file_run(&s->file, err, TRIM_COVERAGE, "ii", level, (uint64_t)l->coverages);
    }
    return rc;
}

int store_settle(struct store *s, struct err *err)
{
    int rc = 0;

    for (uint32_t level = 0; level + 1 < STORE_LEVELS && s->from_ms <= s->until_ms; level++)
        for (int i = 0; i < STORE_SERIES && !rc; i++)
            rc = roll(s, level, i, err);
    return rc || s->settled++ % TRIM_EVERY ? rc : trim(s, err);
}

uint64_t store_last_record(struct store *s)
{
    return file_number(file_query(&s->file, LAST_RECORD, ""));
}
