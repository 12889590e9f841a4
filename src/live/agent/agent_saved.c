#include "live/agent/agent.h"
#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERSION 1
#define FORMAT  (JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS))

static json_t *doubts_json(const struct saved *s)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->doubts; i++)
        json_array_append_new(list, knobset_json(&s->doubt[i]));
    return list;
}

static json_t *object_of(const struct saved *s)
{
    return JSON_OF({ "version", json_of_count(VERSION) }, { "term", json_of_count(s->term) },
                   { "baseline", s->has_baseline ? knobset_json(&s->baseline) : NULL },
                   { "confirmed", knobset_json(&s->confirmed) }, { "doubts", doubts_json(s) },
                   { "frozen", json_of_text(s->frozen) },
                   { "switches_left", json_of_number(s->switches_left) },
                   { "lasting_left", json_of_number(s->lasting_left) });
}

/* Needed when all else is gone, and hardly ever written. */
static int write_baseline(struct saved *s, const struct io_disk *disk)
{
    const struct knob_set *is = s->has_baseline ? &s->baseline : &s->confirmed;
    char                   text[SAVED_TEXT_MAX];
    int                    rc = 0;

    if (!knobset_is_same(is, &s->kept)) {
        size_t length = keep_print(text, sizeof text, knobset_json(is), FORMAT, 1);

        rc = length ? disk->save(disk->arg, SAVED_BASELINE, text, length) : -EFBIG;
    }
    if (!rc)
        s->kept = *is;
    return rc;
}

int saved_write(struct saved *s, const struct io_disk *disk)
{
    char text[SAVED_TEXT_MAX];
    int  rc = write_baseline(s, disk);

    return rc ? rc : keep_write(disk, SAVED_NAME, object_of(s), FORMAT, text, sizeof text, &s->number);
}

/* ---- reading ---- */

static bool take_doubts(struct saved *s, const json_t *list)
{
    if (!json_is_array(list) || json_array_size(list) > SAVED_DOUBTS_MAX)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (knobset_from_json(&s->doubt[s->doubts++], json_array_get(list, i)))
            return false;
    return true;
}

static bool take_count(const json_t *v, uint64_t most, uint64_t *value)
{
    *value = (uint64_t)json_integer_value(v);
    return json_is_integer(v) && json_integer_value(v) >= 0 && *value <= most;
}

static bool take_number(const json_t *v, double *value)
{
    *value = json_number_value(v);
    return json_is_number(v) && isfinite(*value);
}

bool saved_take(void *saved, json_t *o)
{
    const json_t *baseline = json_object_get(o, "baseline");
    const char   *frozen = json_string_value(json_object_get(o, "frozen"));
    struct saved  s = { .has_baseline = baseline != NULL };

    if (json_integer_value(json_object_get(o, "version")) != VERSION || !frozen ||
        !take_count(json_object_get(o, "term"), MSG_TERM_MAX, &s.term) ||
        (baseline && knobset_from_json(&s.baseline, baseline)) ||
        knobset_from_json(&s.confirmed, json_object_get(o, "confirmed")) ||
        !take_doubts(&s, json_object_get(o, "doubts")) ||
        !take_number(json_object_get(o, "switches_left"), &s.switches_left) ||
        !take_number(json_object_get(o, "lasting_left"), &s.lasting_left))
        return false;
    snprintf(s.frozen, sizeof s.frozen, "%s", frozen);
    *(struct saved *)saved = s;
    return true;
}

static bool take_baseline(void *set, json_t *o)
{
    return !knobset_from_json(set, o);
}

/* Returns false if the file is missing or damaged; is_there says which. */
static bool read_baseline(struct knob_set *set, const struct io_disk *disk, bool *is_there)
{
    char     text[SAVED_TEXT_MAX];
    long     length = disk->load(disk->arg, SAVED_BASELINE, text, sizeof text);
    uint64_t number;

    *is_there = length != -ENOENT;
    length = length < 0 ? length : keep_unseal(text, (size_t)length, &number);
    return length >= 0 && !keep_parse(text, (size_t)length, take_baseline, set);
}

/* ---- the audit log ---- */

struct replay {
    struct saved *saved;
    uint64_t      known, damaged;        /* lines about knobs; lines with a wrong hash */
    uint64_t      wrote;         /* lines about a write to the device */
    uint64_t      lines, in_order;       /* in order: lines from the first on, none of them missing */
};

static void take_record(struct saved *s, const char *what, const struct knob_set *old,
                        const struct knob_set *new)
{
    struct knob_set known = s->confirmed;

    if (strcmp(what, "apply") == 0) {
        s->confirmed = *old;
        knobset_put(&s->confirmed, &known);      /* values that are known already win */
        if (!s->has_baseline)
            s->baseline = s->confirmed;
        s->has_baseline = true;
        if (s->doubts == SAVED_DOUBTS_MAX - 1)           /* forgets the first */
            memmove(&s->doubt[0], &s->doubt[1], --s->doubts * sizeof *s->doubt);
        saved_doubt(s, new);
        return;
    }
    if (strcmp(what, "revert") != 0)
        knobset_put(&s->confirmed, new);
    if (strcmp(what, "adopt") == 0 && s->has_baseline)
        knobset_put(&s->baseline, new);
    if (strcmp(what, "revert") == 0 || strcmp(what, "confirm") == 0)
        s->doubts = 0;
}

static void take_line(void *ctx, const char *line, size_t length)
{
    static const char *const kinds[] = { "first", "apply", "confirm", "revert", "adopt" };
    struct replay  *r = ctx;
    struct knob_set old = { 0 }, new = { 0 };
    bool            is_own = length && audit_is_own(line, length);
    json_t         *o = is_own ? json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char     *what = json_string_value(json_object_get(o, "what"));
    json_int_t      term = json_integer_value(json_object_get(o, "term"));

    r->damaged += !o;
    r->in_order += (uint64_t)json_integer_value(json_object_get(o, "seq")) == r->in_order + 1;
    if (term > 0 && (uint64_t)term <= MSG_TERM_MAX && (uint64_t)term > r->saved->term)
        r->saved->term = (uint64_t)term;
    for (size_t i = 0; what && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(what, kinds[i]) != 0 || knobset_from_json(&new, json_object_get(o, "new")))
            continue;
        knobset_from_json(&old, json_object_get(o, "old"));
        take_record(r->saved, what, &old, &new);
        r->known++;
        r->wrote += strcmp(what, "first") != 0 && strcmp(what, "adopt") != 0;
    }
    json_decref(o);
}

static struct replay replay(struct saved *s, const struct io_disk *disk)
{
    struct replay r = { .saved = s };

    r.lines = disk->replay ? disk->replay(disk->arg, take_line, &r) : 0;
    return r;
}

/* One copy may be older than the last write; the log has all writes. */
static void add_doubts(struct saved *s, const struct io_disk *disk)
{
    struct saved logged = { 0 };

    replay(&logged, disk);
    for (uint32_t i = 0; i < logged.doubts; i++)
        if (s->doubts < SAVED_DOUBTS_MAX - 1 && !knobset_has(&s->confirmed, &logged.doubt[i]))
            saved_doubt(s, &logged.doubt[i]);
}

enum saved_source saved_read(struct saved *s, const struct io_disk *disk)
{
    struct knob_set kept = { 0 };
    bool            is_there, has_kept = read_baseline(&kept, disk, &is_there);
    uint64_t        number = 0;
    enum keep_found found = keep_read(disk, SAVED_NAME, SAVED_TEXT_MAX, &number, saved_take, s);

    if (found == KEEP_BOTH || found == KEEP_ONE) {
        s->number = number;
        s->kept = kept;
        if (found == KEEP_ONE)
            add_doubts(s, disk);
        return found == KEEP_BOTH ? SAVED_WHOLE : SAVED_COPY;
    }
    *s = (struct saved){ 0 };
    struct replay r = replay(s, disk);
    if (found == KEEP_NONE && !is_there && !r.damaged && !r.known)
        return SAVED_NEW;
    if (found == KEEP_NONE && !is_there && !r.damaged && !r.wrote && r.in_order == r.lines)
        return SAVED_FIRST;
    if (has_kept) {
        struct knob_set logged = s->confirmed;

        s->kept = s->confirmed = s->baseline = kept;
        knobset_put(&s->confirmed, &logged);
        s->has_baseline = true;
    }
    return r.known ? SAVED_LOG : has_kept ? SAVED_FOUND : SAVED_LOST;
}

bool saved_doubt(struct saved *s, const struct knob_set *set)
{
    for (uint32_t i = 0; i < s->doubts; i++)
        if (knobset_is_same(&s->doubt[i], set))
            return true;
    if (s->doubts == SAVED_DOUBTS_MAX)
        return false;
    s->doubt[s->doubts++] = *set;
    return true;
}
