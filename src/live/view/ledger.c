#include "live/view/ledger.h"
#include "base/err.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX (1 << 20) /* of the end of a log */

void ledger_fini(struct ledger *l)
{
    for (uint32_t i = 0; i < LEDGER_LINES; i++)
        free(l->line[i]);
    *l = (struct ledger){ 0 };
}

/* ---- lines ---- */

static void add(struct ledger *l, const char *text, size_t length)
{
    json_t    *o = json_loadb(text, length, 0, NULL);
    json_int_t seq = json_integer_value(json_object_get(o, "seq"));
    uint32_t   i = (uint32_t)(l->count % LEDGER_LINES);

    json_decref(o);
    if (seq <= 0)
        return;
    free(l->line[i]);
    l->line[i] = xprintf("%.*s", (int)length, text);
    l->seq[i] = (uint64_t)seq;
    l->count++;
}

void ledger_load(struct ledger *l, const char *text, size_t length)
{
    const char *end = text + length, *stop;

    for (; text < end && (stop = memchr(text, '\n', (size_t)(end - text))) != NULL; text = stop + 1)
        add(l, text, (size_t)(stop - text));
}

void ledger_on_line(void *l, const char *text, size_t length)
{
    ledger_load(l, text, length);
}

void ledger_load_file(struct ledger *l, const char *path)
{
    char   *text = xmalloc(FILE_BYTES_MAX);
    int     fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t   size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    ssize_t length = size <= 0 ? 0 : pread(fd, text, FILE_BYTES_MAX,
                                           size > FILE_BYTES_MAX ? size - FILE_BYTES_MAX : 0);

    if (length > 0)
        ledger_load(l, text, (size_t)length);
    if (fd >= 0)
        close(fd);
    free(text);
}

static uint64_t first_of(const struct ledger *l)
{
    return l->count > LEDGER_LINES ? l->count - LEDGER_LINES : 0;
}

const char *ledger_after(const struct ledger *l, uint64_t seq, uint64_t *found)
{
    for (uint64_t i = first_of(l); i < l->count; i++)
        if (l->seq[i % LEDGER_LINES] > seq) {
            *found = l->seq[i % LEDGER_LINES];
            return l->line[i % LEDGER_LINES];
        }
    return NULL;
}

uint64_t ledger_last(const struct ledger *l)
{
    return l->count ? l->seq[(l->count - 1) % LEDGER_LINES] : 0;
}

/* ---- as JSON ---- */

json_t *ledger_json(const struct ledger *l, uint32_t max)
{
    json_t  *list = json_array();
    uint64_t first = first_of(l);

    if (l->count - first > max)
        first = l->count - max;
    for (uint64_t i = first; i < l->count; i++)
        json_array_append_new(list, json_loads(l->line[i % LEDGER_LINES], 0, NULL));
    return list;
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

static json_t *copy_of(const json_t *set)
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
        { "began", text_of(r, "time") }, { "set", copy_of(json_object_get(r, "new")) },
        { "was", copy_of(json_object_get(r, "old")) }, { "why", text_of(r, "why") },
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

static void decisions_take(json_t *list, const json_t *r)
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

json_t *ledger_decisions(const struct ledger *l)
{
    json_t *list = json_array();

    for (uint64_t i = first_of(l); i < l->count; i++) {
        json_t *r = json_loads(l->line[i % LEDGER_LINES], 0, NULL);

        decisions_take(list, r);
        json_decref(r);
    }
    return list;
}
