#include "base/reader.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_MAX 64             /* of a section, in messages */
#define NAMES_MAX 128            /* keys of a section */
#define HINT_MAX  300            /* of the names there are */

/* ---- what is wrong ---- */

/* Nodes of --set have line 0 and the number of the --set, from 1, as column. */
static void refuse_at(struct reader *r, uint32_t line, uint32_t column, const char *format,
                      va_list args)
{
    char why[400];

    if (r->rc)
        return;
    vsnprintf(why, sizeof why, format, args);
    if (line == 0 && column > 0)
        r->rc = err_set(r->err, EINVAL, "--set %.80s: %s", r->set[column - 1], why);
    else
        r->rc = err_set(r->err, EINVAL, "%s:%u:%u: %s", r->name, line ? line : 1, column ? column : 1, why);
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
    refuse_at(r, node->key_line, node->key_column, format, args);
    va_end(args);
}

char *reader_place(const struct reader *r, uint32_t line, uint32_t column)
{
    char place[600];

    if (line == 0 && column > 0)
        snprintf(place, sizeof place, "--set %.80s: ", r->set[column - 1]);
    else
        snprintf(place, sizeof place, "%.400s:%u:%u: ", r->name, line, column);
    return xstrdup(place);
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

const char *reader_near(char *buf, size_t size, const char *word, const char *const *names)
{
    const char *near = text_nearest(word, names);

    *buf = '\0';
    if (near)
        snprintf(buf, size, "; did you mean '%s'?", near);
    return buf;
}

const char *reader_names(char *buf, size_t size, const char *word, const char *const *names)
{
    return text_names(buf, size, word, names);
}

/* ---- sections ---- */

static const struct section_key *find_in(const struct section_key *row, const char *key)
{
    for (; row && row->name; row++)
        if (strcmp(row->name, key) == 0)
            return row;
    return NULL;
}

static const struct section_key *find_row(const struct section *sec, const char *key)
{
    const struct section_key *row = find_in(sec->own, key);

    return row ? row : find_in(sec->common, key);
}

/* "traffic poisson", "host", or what the file is. */
static const char *title(const struct section *sec, char *buf, size_t size)
{
    if (!*sec->name)
        return sec->r->what;
    snprintf(buf, size, "%s%s%s", sec->name, sec->kind ? " " : "", sec->kind ? sec->kind : "");
    return buf;
}

/* Adds the names of a table, but for those that another has. */
static uint32_t add_names(const struct section_key *row, const struct section_key *but, const char **names,
                          uint32_t count)
{
    for (; row && row->name && count < NAMES_MAX; row++)
        if (!find_in(but, row->name))
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
                      reader_names(hint, sizeof hint, node->key, names));
}

static bool is_empty(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && *node->text == '\0';
}

struct section section_open(struct reader *r, const struct yaml_node *map, const struct section *tables)
{
    struct section sec = *tables;
    char           what[TITLE_MAX];

    sec.r = r;
    sec.map = map;
    if (r->rc || !map || is_empty(map))
        return sec;
    if (map->kind != YAML_MAP) {
        reader_refuse(r, map, "%s must be a map of 'key: value'", title(&sec, what, sizeof what));
        return sec;
    }
    for (const struct yaml_node *c = map->child; c && !r->rc; c = c->next)
        if (!find_row(&sec, c->key))
            refuse_unknown(&sec, c);
    return sec;
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

const struct yaml_node *section_place(const struct section *sec, const char *key)
{
    const struct yaml_node *node = section_get(sec, key);

    return node ? node : sec->map;
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

/* ---- values ---- */

/* The text of a key's value and its node; for the table's initial value the node is NULL. */
static const char *value_text(const struct section *sec, const char *key, const struct yaml_node **node)
{
    const struct section_key *row;

    *node = section_get(sec, key);
    if (sec->r->rc)
        return NULL;
    if (*node && (*node)->kind != YAML_SCALAR)
        reader_refuse(sec->r, *node, "'%s' must be a single value, not a %s", key,
                      (*node)->kind == YAML_LIST ? "list" : "map");
    if (*node)
        return sec->r->rc ? NULL : (*node)->text;
    row = sec->given_only ? NULL : find_row(sec, key);
    return row && *row->initial && strcmp(row->initial, "model") != 0 ? row->initial : NULL;
}

const char *section_text(const struct section *sec, const char *key)
{
    const struct yaml_node *node;

    return value_text(sec, key, &node);
}

/* Parses the value of a key with one of base/text.h's functions; false if there is nothing to write. */
static bool parse_value(const struct section *sec, const char *key,
                        int (*parse)(const char *, uint64_t *, struct err *), const struct yaml_node **node,
                        uint64_t *value)
{
    const char *text = value_text(sec, key, node);
    struct err  why;

    if (!text)
        return false;
    if (parse(text, value, &why))
        reader_refuse(sec->r, *node, "%s: %s", key, why.text);
    return !sec->r->rc;
}

void section_time(const struct section *sec, const char *key, uint64_t *ps)
{
    const struct yaml_node *node;
    uint64_t                made;

    if (!parse_value(sec, key, text_to_time, &node, &made))
        return;
    if (made > READER_TIME_PS_MAX)
        reader_refuse(sec->r, node, "%s: '%.60s' is more than 1000000s", key, node->text);
    else
        *ps = made;
}

void section_rate(const struct section *sec, const char *key, uint64_t *bps)
{
    const struct yaml_node *node;
    uint64_t                made;

    if (parse_value(sec, key, text_to_rate, &node, &made))
        *bps = made;
}

void section_bytes(const struct section *sec, const char *key, uint64_t min, uint64_t max, uint64_t *bytes)
{
    const struct yaml_node *node;
    uint64_t                made;
    char                    low[32], high[32];

    if (!parse_value(sec, key, text_to_bytes, &node, &made))
        return;
    if (made < min || made > max)
        reader_refuse(sec->r, node, "%s must be %s .. %s, not %.60s", key,
                      text_from_bytes(low, sizeof low, (double)min),
                      text_from_bytes(high, sizeof high, (double)max), node->text);
    else
        *bytes = made;
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
    const struct yaml_node *node;
    uint64_t                made;

    if (!parse_value(sec, key, text_to_uint, &node, &made))
        return;
    if (made < min || made > max)
        reader_refuse(sec->r, node, "%s must be %u .. %u, not %.60s", key, min, max, node->text);
    else
        *count = (uint32_t)made;
}

void section_real(const struct section *sec, const char *key, double min, double max, double *value)
{
    const struct yaml_node *node;
    const char             *text = value_text(sec, key, &node);
    struct err              why;
    double                  made;

    if (!text)
        return;
    if (text_to_real(text, &made, &why))
        reader_refuse(sec->r, node, "%s: %s", key, why.text);
    else if (made < min || made > max)
        reader_refuse(sec->r, node, "%s must be %.10g .. %.10g, not %.60s", key, min, max, text);
    else
        *value = made;
}

void section_bool(const struct section *sec, const char *key, bool *value)
{
    const struct yaml_node *node;
    const char             *text = value_text(sec, key, &node);
    struct err              why;
    int                     made;

    if (!text)
        return;
    if (text_to_bool(text, &made, &why))
        reader_refuse(sec->r, node, "%s: %s", key, why.text);
    else
        *value = made;
}

int section_choice(const struct section *sec, const char *key, const char *what, const char *const *names)
{
    const struct yaml_node *node;
    const char             *text = value_text(sec, key, &node);
    char                    hint[HINT_MAX];

    for (int i = 0; text && names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    if (text)
        reader_refuse(sec->r, node, "'%.60s' is not %s%s", text, what,
                      reader_names(hint, sizeof hint, text, names));
    return -1;
}

/* ---- files ---- */

/* "-" would be standard input. */
char *reader_path(const char *base, const char *file)
{
    const char *slash = strrchr(base, '/');
    size_t folder = slash && *file != '/' ? (size_t)(slash - base) + 1 : 0, size = folder + strlen(file) + 3;
    char       *path = xmalloc(size);

    snprintf(path, size, "%.*s%s%s", (int)folder, base, folder == 0 && strcmp(file, "-") == 0 ? "./" : "",
             file);
    return path;
}

char *section_file(const struct section *sec, const char *key)
{
    const char *file;

    section_need(sec, key);
    file = section_text(sec, key);
    return file ? reader_path(sec->r->name, file) : NULL;
}
