#include "live/daemon/queues/queue_tuner.h"
#include "base/err.h"
#include "base/json.h"
#include "live/core/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1

void queue_saved_fini(struct queue_saved *s)
{
    free(s->found);
    free(s->setting);
    *s = (struct queue_saved){ 0 };
}

struct queue_found *queue_saved_find(const struct queue_saved *s, const char *name)
{
    for (uint32_t i = 0; i < s->founds; i++)
        if (strcmp(s->found[i].name, name) == 0)
            return &s->found[i];
    return NULL;
}

bool queue_saved_has(const struct queue_saved *s, const struct ecn *e)
{
    for (uint32_t i = 0; i < s->settings; i++)
        if (ecn_equal(&s->setting[i], e))
            return true;
    return false;
}

bool queue_saved_put(struct queue_saved *s, const char *name, const struct ecn *e)
{
    struct queue_found *f = queue_saved_find(s, name);

    if (!f && s->founds == IO_QUEUES_MAX)
        return false;
    if (!f) {
        s->found = xrealloc(s->found, (s->founds + 1ul) * sizeof *s->found);
        f = &s->found[s->founds++];
        *f = (struct queue_found){ 0 };
        snprintf(f->name, sizeof f->name, "%s", name);
    }
    f->ecn = *e;
    return true;
}

bool queue_saved_add(struct queue_saved *s, const struct ecn *e)
{
    if (queue_saved_has(s, e))
        return true;
    if (s->settings == QUEUE_SAVED_SETTINGS_MAX)
        return false;
    s->setting = xrealloc(s->setting, (s->settings + 1ul) * sizeof *s->setting);
    s->setting[s->settings++] = *e;
    return true;
}

/* ---- the file ---- */

static json_t *ecn_json(const struct ecn *e)
{
    return json_pack("[I,I,f]", (json_int_t)e->kmin_bytes, (json_int_t)e->kmax_bytes, e->pmax);
}

int queue_saved_write(struct queue_saved *s, const struct io_disk *disk)
{
    json_t *found = json_object(), *setting = json_array();
    char   *text = xmalloc(QUEUE_SAVED_TEXT_MAX);

    for (uint32_t i = 0; i < s->founds; i++)
        json_object_set_new(found, s->found[i].name, ecn_json(&s->found[i].ecn));
    for (uint32_t i = 0; i < s->settings; i++)
        json_array_append_new(setting, ecn_json(&s->setting[i]));
    json_t *o = JSON_OF({ "version", json_of_count(VERSION) }, { "found", found }, { "settings", setting });
    int     rc = keep_write(disk, QUEUE_SAVED_NAME, o, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS),
                            text, QUEUE_SAVED_TEXT_MAX, &s->number);
    free(text);
    return rc;
}

static bool take_bytes(const json_t *v, uint32_t *bytes)
{
    json_int_t n = json_integer_value(v);

    *bytes = (uint32_t)n;
    return json_is_integer(v) && n >= 0 && n <= UINT32_MAX;
}

static bool take_ecn(const json_t *v, struct ecn *e)
{
    const json_t *pmax = json_array_get(v, 2);

    e->pmax = json_number_value(pmax);
    return json_array_size(v) == 3 && take_bytes(json_array_get(v, 0), &e->kmin_bytes) &&
           take_bytes(json_array_get(v, 1), &e->kmax_bytes) && json_is_number(pmax) && e->pmax >= 0 &&
           e->pmax <= 1;
}

static bool parse_queues(struct queue_saved *s, json_t *o)
{
    json_t     *found = json_object_get(o, "found"), *setting = json_object_get(o, "settings"), *v;
    const char *name;
    struct ecn  e;

    if (json_integer_value(json_object_get(o, "version")) != VERSION || !json_is_object(found) ||
        !json_is_array(setting))
        return false;
    json_object_foreach(found, name, v)
        if (!*name || strlen(name) >= MSG_NAME_SIZE || !take_ecn(v, &e) || !queue_saved_put(s, name, &e))
            return false;
    for (size_t i = 0; i < json_array_size(setting); i++)
        if (!take_ecn(json_array_get(setting, i), &e) || !queue_saved_add(s, &e))
            return false;
    return true;
}

bool queue_saved_take(void *queue_saved, json_t *o)
{
    struct queue_saved *s = queue_saved;

    *s = (struct queue_saved){ 0 };
    bool is_good = parse_queues(s, o);
    if (!is_good)
        queue_saved_fini(s);
    return is_good;
}

static void find_setting(void *ctx, const char *line, size_t length)
{
    *(bool *)ctx |= memmem(line, length, "\"what\":\"setting\"", 16) != NULL;
}

int queue_saved_read(struct queue_saved *s, const struct io_disk *disk)
{
    uint64_t number = 0;
    bool     has_set = false;

    *s = (struct queue_saved){ 0 };
    enum keep_found found = keep_read(disk, QUEUE_SAVED_NAME, QUEUE_SAVED_TEXT_MAX, &number, queue_saved_take,
                                      s);
    s->number = number;
    if (found == KEEP_NONE && disk->replay)
        disk->replay(disk->arg, find_setting, &has_set);
    return found == KEEP_DAMAGED || has_set ? -EBADMSG : found == KEEP_NONE ? -ENOENT : 0;
}
