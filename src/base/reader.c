#include "base/reader.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_MAX 64             /* length of a section's name in messages */
#define NAMES_MAX 128            /* keys of a section */
#define HINT_MAX  300            /* length of "did you mean", or of all names */

void *reader_alloc(struct reader *r, size_t count, size_t bytes)
{
    r->memory = xgrow(r->memory, r->memories, &r->memories_max, 16, sizeof *r->memory);
    return r->memory[r->memories++] = xcalloc(count, bytes);
}

void reader_fini(struct reader *r)
{
    for (uint32_t i = 0; i < r->memories; i++)
        free(r->memory[i]);
    free(r->memory);
    r->memory = NULL;
    r->memories = r->memories_max = 0;
}

/* ---- errors ---- */

/* Nodes of --set have line 0 and the number of the --set, from 1, as column. */
static void refuse_at(struct reader *r, uint32_t line, uint32_t column, const char *format,
                      va_list args)
{
    char why[400];

    if (r->rc)
        return;
    vsnprintf(why, sizeof why, format, args);
    char *place = reader_place(r, line ? line : column ? 0 : 1, column ? column : 1);
    r->rc = err_set(r->err, EINVAL, "%s%s", place, why);
    free(place);
}

void reader_refuse(struct reader *r, const struct yaml_node *node, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    refuse_at(r, node ? node->line : 1, node ? node->column : 1, format, args);
    va_end(args);
}

void reader_refuse_key(struct reader *r, const struct yaml_node *node, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    refuse_at(r, node ? node->key_line : 1, node ? node->key_column : 1, format, args);
    va_end(args);
}

char *reader_place(const struct reader *r, uint32_t line, uint32_t column)
{
    if (line == 0 && column > 0)
        return xprintf("--set %.80s: ", r->set[column - 1]);
    if (r->is_built)
        return xprintf("%.400s: ", r->name);
    return xprintf("%.400s:%u:%u: ", r->name, line, column);
}

void reader_warn(struct reader *r, const char *text)
{
    size_t length = r->warnings ? strlen(r->warnings) : 0;

    r->warnings = xrealloc(r->warnings, length + strlen(text) + 2);
    sprintf(r->warnings + length, "%s%s", length ? "\n" : "", text);
}

void reader_keep(struct reader *r, int rc, const struct err *why, const struct yaml_node *node)
{
    if (r->rc || !rc)
        return;
    if (rc > 0)
        reader_warn(r, why->text);
    else if (rc == -ENOENT || rc == -EACCES || rc == -ENOTDIR || rc == -EISDIR)
        reader_refuse(r, node, "%s", why->text);
    else
        r->rc = err_set(r->err, -rc, "%s", why->text);
}

/* ---- sections ---- */

static const struct key_row *find_row(const struct section *sec, const char *key)
{
    const struct key_row *row = key_find(sec->own, key);

    return row ? row : key_find(sec->common, key);
}

/* "traffic poisson", "host", or what the file is. */
static const char *title(const struct section *sec, char *buf, size_t size)
{
    if (!*sec->name)
        return sec->r->what;
    snprintf(buf, size, "%s%s%s", sec->name, sec->kind ? " " : "", sec->kind ? sec->kind : "");
    return buf;
}

/* Adds the names of a table, except those in 'but'. */
static uint32_t add_names(const struct key_row *row, const struct key_row *but, const char **names,
                          uint32_t count)
{
    for (; row && row->name && count < NAMES_MAX; row++)
        if (!key_find(but, row->name))
            names[count++] = row->name;
    return count;
}

static void refuse_unknown(const struct section *sec, const struct yaml_node *node)
{
    const char *names[NAMES_MAX + 1];
    char        hint[HINT_MAX], what[TITLE_MAX];
    uint32_t    count = add_names(sec->common, sec->own, names, 0);

    names[add_names(sec->own, NULL, names, count)] = NULL;
    reader_refuse_key(sec->r, node, "'%.60s' is not a key of %s%s", node->key, title(sec, what, sizeof what),
                      text_names(hint, sizeof hint, node->key, names));
}

static bool is_empty(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && *node->text == '\0';
}

/* ---- reports to a watcher (text.h) ---- */

static void watch_node(const struct yaml_node *node)
{
    if (node->key)
        text_watch_text(node->key);
    if (node->kind == YAML_SCALAR)
        text_watch_text(node->text);
    for (const struct yaml_node *c = node->kind == YAML_SCALAR ? NULL : node->child; c; c = c->next)
        watch_node(c);
}

/* True if the row has no effect unless given: a new key then changes no scenario without it. */
static bool is_off(const char *initial)
{
    static const char *const off[] = { "", "0", "no", "none", "never", "off", NULL };

    return !initial || text_index(initial, off) >= 0;
}

/* Reports only the name of a file: its folder does not matter, and its contents are reported when read. */
static void watch_given(const struct key_row *row, const struct yaml_node *given)
{
    const char *slash =
        row->unit == KEY_FILE && given->kind == YAML_SCALAR ? strrchr(given->text, '/') : NULL;

    if (slash)
        text_watch_text(slash + 1);
    else
        watch_node(given);
}

/* Reports values as written, and initial values that do something. */
static void watch_rows(const struct section *sec, const struct key_row *row, const char *title)
{
    for (; row && row->name; row++) {
        const struct yaml_node *given = section_get(sec, row->name);

        if (!given && is_off(row->initial))
            continue;
        text_watch_text(title);
        text_watch_text(row->name);
        if (given)
            watch_given(row, given);
        else
            text_watch_text(row->initial);
    }
}

/* Reports the numbers that were read, which depend on the model where the initial value is "model". */
static void watch_fields(const struct key_row *row, const void *into)
{
    static const char zeros[sizeof(uint64_t)];

    for (; row->name; row++) {
        const char *field = (const char *)into + row->at.offset;

        if (memcmp(field, zeros, key_bytes(row)) == 0)
            continue;
        text_watch_text(row->name);
        text_watch_value(field, key_bytes(row));
    }
}

struct section section_open(struct reader *r, const struct yaml_node *map, const struct section *tables)
{
    struct section sec = *tables;
    char           what[TITLE_MAX];

    sec.r = r;
    sec.map = map;
    if (r->rc)
        return sec;
    if (map && !is_empty(map) && map->kind != YAML_MAP) {
        reader_refuse(r, map, "%s must be a map of 'key: value'", title(&sec, what, sizeof what));
        return sec;
    }
    for (const struct yaml_node *c = map ? map->child : NULL; c && !r->rc; c = c->next)
        if (!find_row(&sec, c->key))
            refuse_unknown(&sec, c);
    watch_rows(&sec, sec.own, title(&sec, what, sizeof what));
    watch_rows(&sec, sec.common, title(&sec, what, sizeof what));
    return sec;
}

bool section_check(const struct section *sec, int rc, const struct err *why)
{
    if (rc)
        reader_refuse(sec->r, sec->map, "%s", why->text);
    return !sec->r->rc;
}

const struct yaml_node *section_get(const struct section *sec, const char *key)
{
    return sec->r->rc || !sec->map ? NULL : yaml_get(sec->map, key);
}

const struct yaml_node *section_need(const struct section *sec, const char *key)
{
    const struct yaml_node *node = section_get(sec, key);
    char                    what[TITLE_MAX];

    if (!node)
        reader_refuse(sec->r, sec->map, "'%s' is missing%s%s", key, *sec->name ? " in " : "",
                      *sec->name ? title(sec, what, sizeof what) : "");
    return node;
}

void section_need_both(const struct section *sec, const char *key, const char *other)
{
    if (section_get(sec, key))
        section_need(sec, other);
    else if (section_get(sec, other))
        section_need(sec, key);
}

const struct yaml_node *section_place(const struct section *sec, const char *key)
{
    const struct yaml_node *node = section_get(sec, key);

    return node ? node : sec->map;
}

void section_refuse(const struct section *sec, const char *key, const char *format, ...)
{
    const struct yaml_node *node = section_place(sec, key);
    va_list                 args;

    va_start(args, format);
    refuse_at(sec->r, node ? node->line : 1, node ? node->column : 1, format, args);
    va_end(args);
}

const struct yaml_node *section_list(const struct section *sec, const char *key, uint32_t max)
{
    const struct yaml_node *node = section_get(sec, key);

    if (!node || is_empty(node))
        return NULL;
    if (node->kind != YAML_LIST)
        reader_refuse(sec->r, node, "'%s' must be a list", key);
    else if (node->count > max)
        reader_refuse(sec->r, node, "'%s' has %u entries; %u are the most", key, node->count, max);
    return sec->r->rc ? NULL : node->child;
}

void section_texts(const struct section *sec, const char *key, uint32_t max, const char *what, char **text,
                   uint32_t *count)
{
    for (const struct yaml_node *n = section_list(sec, key, max); n && !sec->r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(sec->r, n, "%s is a list of %s", key, what);
        else
            text[(*count)++] = xstrdup(n->text);
    }
}

/* ---- values ---- */

/* Returns the text of a key's value and its node; for the initial value of the row the node is NULL. */
static const char *value_text(const struct section *sec, const char *key, const struct yaml_node **node)
{
    *node = section_get(sec, key);
    if (sec->r->rc)
        return NULL;
    if (*node && (*node)->kind != YAML_SCALAR)
        reader_refuse(sec->r, *node, "'%s' must be a single value, not a %s", key,
                      (*node)->kind == YAML_LIST ? "list" : "map");
    if (*node)
        return sec->r->rc ? NULL : (*node)->text;
    const struct key_row *row = sec->given_only ? NULL : find_row(sec, key);
    return row ? key_initial(row) : NULL;
}

const char *section_text(const struct section *sec, const char *key)
{
    const struct yaml_node *node;

    return value_text(sec, key, &node);
}

/* Reads the value of a key according to its row. Returns false if there is no value to store. */
static bool parse_row(const struct section *sec, const struct key_row *row, struct key_value *v)
{
    const struct yaml_node *node;
    const char             *text = value_text(sec, row->name, &node);
    struct err              why;

    if (!text)
        return false;
    if (key_parse(row, text, v, &why))
        reader_refuse(sec->r, node, "%s", why.text);
    return !sec->r->rc;
}

static void read_row(const struct section *sec, const struct key_row *row, void *into)
{
    struct key_value v;
    char            *path = NULL;

    if (!parse_row(sec, row, &v))
        return;
    if (row->unit == KEY_FILE)
        v.text = path = reader_path(sec->r->name, v.text);
    key_store(row, &v, into);
    free(path);
}

void section_read(const struct section *sec, const struct key_row *table, void *into)
{
    for (const struct key_row *row = table; row->name && !sec->r->rc; row++) {
        if (row->is_needed)
            section_need(sec, row->name);
        if (row->like && !section_get(sec, row->name))
            key_copy_like(table, row, into);
        else if (row->at.type != KEY_NO_FIELD)
            read_row(sec, row, into);
    }
    if (!sec->r->rc)
        watch_fields(table, into);
}

/* Reads a key without a row into a variable of this type. */
static void read_key(const struct section *sec, const char *key, enum key_unit unit, double min, double max,
                     enum key_type type, void *into)
{
    read_row(sec, &(struct key_row){ .name = key, .unit = unit, .min = min, .max = max, .at = { 0, type } },
             into);
}

void section_time(const struct section *sec, const char *key, uint64_t *ps)
{
    read_key(sec, key, KEY_TIME, 0, 0, KEY_U64, ps);
}

void section_rate(const struct section *sec, const char *key, uint64_t *bps)
{
    read_key(sec, key, KEY_RATE, 0, 0, KEY_U64, bps);
}

void section_bytes(const struct section *sec, const char *key, uint64_t min, uint64_t max, uint64_t *bytes)
{
    read_key(sec, key, KEY_BYTES, (double)min, (double)max, KEY_U64, bytes);
}

bool reader_count(struct reader *r, const struct yaml_node *node, const char *what, uint32_t min,
                  uint32_t max, uint32_t *count)
{
    struct err why;
    uint64_t   made;

    if (r->rc)
        return false;
    if (node->kind != YAML_SCALAR)
        reader_refuse(r, node, "%s must be a whole number", what);
    else if (text_to_uint(node->text, &made, &why))
        reader_refuse(r, node, "%s: %s", what, why.text);
    else if (made < min || made > max)
        reader_refuse(r, node, "%s must be %u .. %u, not %.60s", what, min, max, node->text);
    else
        *count = (uint32_t)made;
    return !r->rc;
}

void section_count(const struct section *sec, const char *key, uint32_t min, uint32_t max, uint32_t *count)
{
    read_key(sec, key, KEY_COUNT, min, max, KEY_U32, count);
}

void section_real(const struct section *sec, const char *key, double min, double max, double *value)
{
    read_key(sec, key, KEY_REAL, min, max, KEY_DOUBLE, value);
}

void section_bool(const struct section *sec, const char *key, bool *value)
{
    read_key(sec, key, KEY_YES, 0, 0, KEY_BOOL, value);
}

int section_choice(const struct section *sec, const char *key, const char *what, const char *const *names)
{
    const struct yaml_node *node;
    const char             *text = value_text(sec, key, &node);
    int                     index = text ? text_index(text, names) : -1;
    char                    hint[HINT_MAX];

    if (text && index < 0)
        reader_refuse(sec->r, node, "'%.60s' is not %s%s", text, what,
                      text_names(hint, sizeof hint, text, names));
    return index;
}

/* ---- files ---- */

/* A file named "-" becomes "./-", because "-" is standard input. */
char *reader_path(const char *base, const char *file)
{
    const char *slash = strrchr(base, '/');
    int         folder = slash && *file != '/' ? (int)(slash - base) + 1 : 0;

    return xprintf("%.*s%s%s", folder, base, folder == 0 && strcmp(file, "-") == 0 ? "./" : "", file);
}

char *section_file(const struct section *sec, const char *key)
{
    section_need(sec, key);
    const char *file = section_text(sec, key);
    return file ? reader_path(sec->r->name, file) : NULL;
}
