/* src/scenario/scenario_reader.c - typed values out of a tree, and what to say when they are wrong. */
#include "scenario/scenario_reader.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wrong ---- */

/* Nodes of --set have line 0 and the number of the --set, from 1, as column. */
static void refuse_at(struct scenario_reader *r, uint32_t line, uint32_t column, const char *format,
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

void reader_refuse(struct scenario_reader *r, const struct yaml_node *node, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    refuse_at(r, node ? node->line : 1, node ? node->column : 1, format, args);
    va_end(args);
}

void reader_refuse_key(struct scenario_reader *r, const struct yaml_node *node, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    refuse_at(r, node->key_line, node->key_column, format, args);
    va_end(args);
}

void reader_keep(struct scenario_reader *r, int rc, const struct err *why, const struct yaml_node *node)
{
    if (r->rc || !rc)
        return;
    if (rc == -ENOENT || rc == -EACCES || rc == -ENOTDIR || rc == -EISDIR)
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

/* ---- sections ---- */

static const struct scenario_key *find_row(const struct section *sec, const char *key)
{
    for (const struct scenario_key *row = scenario_keys; row->name; row++)
        if (strcmp(row->name, key) == 0 &&
            (strcmp(row->section, sec->common) == 0 || (sec->own && strcmp(row->section, sec->own) == 0)))
            return row;
    return NULL;
}

static void refuse_unknown(const struct section *sec, const struct yaml_node *node)
{
    const char *names[128], *what = sec->own ? sec->own : *sec->common ? sec->common : "a scenario";
    char        near[80];
    uint32_t    count = 0;

    for (const struct scenario_key *row = scenario_keys; row->name && count < 127; row++)
        if (strcmp(row->section, sec->common) == 0 || (sec->own && strcmp(row->section, sec->own) == 0))
            names[count++] = row->name;
    names[count] = NULL;
    reader_refuse_key(sec->r, node, "'%.60s' is not a key of %s%s", node->key, what,
                      reader_near(near, sizeof near, node->key, names));
}

static bool is_empty(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && *node->text == '\0';
}

struct section section_open(struct scenario_reader *r, const struct yaml_node *map, const char *common,
                            const char *own)
{
    struct section sec = { r, common, own, map, false };

    if (r->rc || !map || is_empty(map))
        return sec;
    if (map->kind != YAML_MAP) {
        reader_refuse(r, map, "%s must be a map of 'key: value'",
                      own       ? own
                      : *common ? common
                                : "a scenario");
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

    if (!node)
        reader_refuse(sec->r, sec->map, "'%s' is missing%s%s", key, *sec->common ? " in " : "",
                      sec->own ? sec->own : sec->common);
    return node;
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
    const struct scenario_key *row;

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
    if (made > SCENARIO_TIME_PS_MAX)
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

bool reader_count(struct scenario_reader *r, const struct yaml_node *node, const char *what, uint32_t min,
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
    char                    near[80];

    for (int i = 0; text && names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    if (text)
        reader_refuse(sec->r, node, "'%.60s' is not %s%s", text, what,
                      reader_near(near, sizeof near, text, names));
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

/* ---- --set ---- */

/* Everything a --set brings is known by its number. */
static void mark(struct yaml_node *node, uint32_t number)
{
    node->line = node->key_line = 0;
    node->column = node->key_column = number;
    for (struct yaml_node *c = node->child; c; c = c->next)
        mark(c, number);
}

static struct yaml_node *make_node(struct scenario_reader *r, uint32_t number, const char *key)
{
    size_t            length = strlen(key) + 1;
    struct yaml_node *node = xcalloc(1, sizeof *node + length);

    r->made = xrealloc(r->made, (r->made_count + 1) * sizeof *r->made);
    r->made[r->made_count++] = node;
    *node = (struct yaml_node){ .kind = YAML_SCALAR, .text = "", .key = memcpy(node + 1, key, length),
                                .column = number, .key_column = number };
    return node;
}

static struct yaml_node *child_of_list(struct scenario_reader *r, struct yaml_node *list, uint32_t number,
                                       const char *part)
{
    struct yaml_node *c = list->child, at = { .column = number };
    uint64_t          index;

    if (text_to_uint(part, &index, NULL))
        reader_refuse(r, &at, "'%.60s' is not the number of an entry of a list", part);
    else if (index >= list->count)
        reader_refuse(r, &at, "there is no entry %llu in a list of %u; the first is 0",
                      (unsigned long long)index, list->count);
    if (r->rc)
        return NULL;
    while (index-- > 0)
        c = c->next;
    return c;
}

/* What may be a name alone, "tuner: paraleon", becomes a map with that as its kind when one of its options is set. */
static void name_to_map(struct scenario_reader *r, struct yaml_node *node)
{
    struct yaml_node *kind;

    if (node->kind != YAML_SCALAR || !node->key || is_empty(node) ||
        (strcmp(node->key, "tuner") != 0 && strcmp(node->key, "monitor") != 0 && strcmp(node->key, "lb") != 0))
        return;
    kind = make_node(r, 0, "kind");
    kind->text = node->text;
    kind->line = kind->key_line = node->line;
    kind->column = kind->key_column = node->column;
    node->kind = YAML_MAP;
    node->child = kind;
    node->count = 1;
}

/* The entry called 'part', made if it is not there. */
static struct yaml_node *child_of(struct scenario_reader *r, struct yaml_node *node, uint32_t number,
                                  const char *part)
{
    struct yaml_node **c, at = { .column = number };

    if (node->kind == YAML_LIST)
        return child_of_list(r, node, number, part);
    name_to_map(r, node);
    if (node->kind == YAML_SCALAR && !is_empty(node)) {
        reader_refuse(r, &at, "'%.60s' stands below '%.60s', which is neither a map nor a list", part,
                      node->text);
        return NULL;
    }
    node->kind = YAML_MAP;
    for (c = &node->child; *c; c = &(*c)->next)
        if (strcmp((*c)->key, part) == 0)
            return *c;
    node->count++;
    return *c = make_node(r, number, part);
}

static bool is_top_key(const char *path)
{
    size_t length = strcspn(path, ".");

    for (const struct scenario_key *row = scenario_keys; row->name; row++)
        if (*row->section == '\0' && strlen(row->name) == length && strncmp(row->name, path, length) == 0)
            return true;
    return false;
}

static void refuse_name(struct scenario_reader *r, uint32_t number, const char *path)
{
    struct yaml_node at = { .column = number };
    const char      *names[KNOB_COUNT + 64];
    char             name[64], near[80];
    uint32_t         count = 0;

    for (; count < KNOB_COUNT; count++)
        names[count] = knob_names[count];
    for (const struct scenario_key *row = scenario_keys; row->name && count < KNOB_COUNT + 63; row++)
        if (*row->section == '\0')
            names[count++] = row->name;
    names[count] = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "."), path);
    reader_refuse(r, &at, "'%s' is not a knob or a key%s", name, reader_near(near, sizeof near, name, names));
}

/* Walks down the path, making what is not there, and gives the entry at its end the value. A knob may be
 * named without its section. */
static void put_value(struct scenario_reader *r, uint32_t number, char *path, const struct yaml_node *value)
{
    struct yaml_node *node = r->doc.root;
    char             *part;

    if (knob_find(path) != KNOB_COUNT)
        node = child_of(r, node, number, "knobs");
    else if (!is_top_key(path))
        refuse_name(r, number, path);
    while (!r->rc && node && (part = strsep(&path, ".")))
        node = child_of(r, node, number, part);
    if (r->rc || !node)
        return;
    node->kind = value->kind;
    node->text = value->text;
    node->child = value->child;
    node->count = value->count;
    node->line = 0;
    node->column = number;
}

static void apply_set(struct scenario_reader *r, uint32_t number)
{
    const char      *text = r->set[number - 1], *equals = strchr(text, '=');
    struct yaml_node at = { .column = number };
    struct yaml_doc *doc = &r->set_doc[number - 1];
    struct err       why;
    char            *path;

    if (!equals || equals == text) {
        reader_refuse(r, &at, "write it as key=value");
        return;
    }
    if (yaml_parse(doc, "value", equals + 1, strlen(equals + 1), &why)) {
        reader_refuse(r, &at, "%s", why.text);
        return;
    }
    if (!doc->root) {
        reader_refuse(r, &at, "nothing is given after '='");
        return;
    }
    mark(doc->root, number);
    path = xstrdup(text);
    path[equals - text] = '\0';
    put_value(r, number, path, doc->root);
    free(path);
}

void reader_apply_sets(struct scenario_reader *r)
{
    if (!r->doc.root) {
        r->doc.root = make_node(r, 0, "");
        r->doc.root->kind = YAML_MAP;
    }
    r->set_doc = xcalloc(r->sets + 1ul, sizeof *r->set_doc);
    for (uint32_t i = 1; i <= r->sets && !r->rc; i++)
        apply_set(r, i);
}

void reader_fini(struct scenario_reader *r)
{
    for (uint32_t i = 0; r->set_doc && i < r->sets; i++)
        yaml_fini(&r->set_doc[i]);
    for (uint32_t i = 0; i < r->made_count; i++)
        free(r->made[i]);
    free(r->set_doc);
    free(r->made);
    yaml_fini(&r->doc);
}
