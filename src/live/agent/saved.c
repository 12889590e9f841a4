/* src/live/agent/saved.c - see saved.h. */
#include "live/agent/saved.h"
#include "live/core/knobset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1

static json_t *doubts_json(const struct saved *s)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->doubts; i++)
        json_array_append_new(list, knobset_json(&s->doubt[i]));
    return list;
}

static json_t *object_of(const struct saved *s)
{
    json_t *o = json_object();

    json_put_count(o, "version", VERSION);
    json_put_count(o, "term", s->term);
    if (s->has_baseline)
        json_object_set_new(o, "baseline", knobset_json(&s->baseline));
    json_object_set_new(o, "confirmed", knobset_json(&s->confirmed));
    json_object_set_new(o, "doubts", doubts_json(s));
    json_put_text(o, "frozen", s->frozen);
    json_put_number(o, "switches_left", s->switches_left);
    json_put_number(o, "lasting_left", s->lasting_left);
    return o;
}

int saved_write(const struct saved *s, const struct io_disk *disk)
{
    json_t *o = object_of(s);
    char    text[SAVED_TEXT_MAX];
    size_t  length = json_dumpb(o, text, sizeof text, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));

    json_decref(o);
    if (!length || length > sizeof text)
        return -EFBIG;
    return disk->save(disk->arg, SAVED_NAME, text, length);
}

static bool take_doubts(struct saved *s, const json_t *list)
{
    s->doubts = 0;
    if (!json_is_array(list) || json_array_size(list) > SAVED_DOUBTS_MAX)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (knobset_from_json(&s->doubt[s->doubts++], json_array_get(list, i)))
            return false;
    return true;
}

static bool take_count(const json_t *o, const char *key, uint64_t *value)
{
    const json_t *v = json_object_get(o, key);

    *value = (uint64_t)json_integer_value(v);
    return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool take_number(const json_t *o, const char *key, double *value)
{
    const json_t *v = json_object_get(o, key);

    *value = json_number_value(v);
    return json_is_number(v) && isfinite(*value);
}

static bool take(struct saved *s, const json_t *o)
{
    const json_t *baseline = json_object_get(o, "baseline");
    const char   *frozen = json_string_value(json_object_get(o, "frozen"));
    uint64_t      version;

    if (!take_count(o, "version", &version) || version != VERSION || !take_count(o, "term", &s->term) ||
        s->term > MSG_TERM_MAX || !frozen)
        return false;
    snprintf(s->frozen, sizeof s->frozen, "%s", frozen);
    s->has_baseline = baseline != NULL;
    return (!baseline || !knobset_from_json(&s->baseline, baseline)) &&
           !knobset_from_json(&s->confirmed, json_object_get(o, "confirmed")) &&
           take_doubts(s, json_object_get(o, "doubts")) &&
           take_number(o, "switches_left", &s->switches_left) && take_number(o, "lasting_left", &s->lasting_left);
}

int saved_parse(struct saved *s, const char *text, size_t length)
{
    json_t      *o = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    struct saved read = { 0 };
    bool         is_good = o && take(&read, o);

    json_decref(o);
    if (!is_good)
        return -EBADMSG;
    *s = read;
    return 0;
}

int saved_read(struct saved *s, const struct io_disk *disk)
{
    char text[SAVED_TEXT_MAX];
    long length = disk->load(disk->arg, SAVED_NAME, text, sizeof text);

    return length < 0 ? (int)length : saved_parse(s, text, (size_t)length);
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
