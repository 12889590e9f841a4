/* src/base/yaml.c - builds a tree from libyaml's events. */
#include "base/yaml.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define DEPTH_MAX   32                       /* nested lists and maps; limits the recursion */
#define FILE_MAX    (64ul << 20)
#define RANGE_BYTES (1ul << 20)          /* of addresses; memory is used where it is written */

struct yaml_reader {
    yaml_parser_t    parser;
    yaml_event_t     event;      /* the current one */
    struct yaml_doc *doc;
    const char      *text;
    size_t           length;
    struct err      *err;
};

static char *copy_text(struct yaml_doc *doc, const void *text, size_t length)
{
    char *copy = arena_alloc(&doc->memory, 1, length + 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static int refuse(struct yaml_reader *r, yaml_mark_t at, const char *why)
{
    return err_set(r->err, EINVAL, "%s:%zu:%zu: %s", r->doc->name, at.line + 1, at.column + 1, why);
}

/* The line and column of a byte, in characters. */
static yaml_mark_t mark_of(const struct yaml_reader *r, size_t offset)
{
    yaml_mark_t at = { 0 };

    for (size_t i = 0; i < offset && i < r->length; i++) {
        if (r->text[i] == '\n')
            at.line++, at.column = 0;
        else if (((unsigned char)r->text[i] & 0xc0) != 0x80)
            at.column++;
    }
    return at;
}

/* True if the parser failed at a tab. libyaml's message does not say so. */
static bool is_tab(const struct yaml_reader *r, yaml_mark_t at)
{
    return at.index < r->length && r->text[at.index] == '\t';
}

static int refuse_syntax(struct yaml_reader *r)
{
    yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "not YAML";
    yaml_mark_t at = p->problem_mark;

    if (p->error == YAML_MEMORY_ERROR)
        die("no memory to read %s", r->doc->name);
    if (p->error == YAML_READER_ERROR)
        return refuse(r, mark_of(r, p->problem_offset), problem);
    if (is_tab(r, p->problem_mark))
        return refuse(r, at, "a tab; YAML is indented with spaces");
    if (!p->context)
        return refuse(r, at, problem);
    if (p->context_mark.line == at.line)
        return err_set(r->err, EINVAL, "%s:%zu:%zu: %s %s", r->doc->name, at.line + 1, at.column + 1, problem,
                       p->context);
    return err_set(r->err, EINVAL, "%s:%zu:%zu: %s %s that begins in line %zu", r->doc->name, at.line + 1,
                   at.column + 1, problem, p->context, p->context_mark.line + 1);
}

static int next_event(struct yaml_reader *r)
{
    yaml_event_delete(&r->event);
    return yaml_parser_parse(&r->parser, &r->event) ? 0 : refuse_syntax(r);
}

/* Refuses features beyond the subset. */
static int check_plain(struct yaml_reader *r)
{
    const yaml_event_t *e = &r->event;
    const yaml_char_t *anchor = NULL, *tag = NULL;

    if (e->type == YAML_ALIAS_EVENT)
        return refuse(r, e->start_mark, "aliases ('*') are not supported");
    if (e->type == YAML_SCALAR_EVENT)
        anchor = e->data.scalar.anchor, tag = e->data.scalar.tag;
    else if (e->type == YAML_SEQUENCE_START_EVENT)
        anchor = e->data.sequence_start.anchor, tag = e->data.sequence_start.tag;
    else if (e->type == YAML_MAPPING_START_EVENT)
        anchor = e->data.mapping_start.anchor, tag = e->data.mapping_start.tag;
    if (anchor)
        return refuse(r, e->start_mark, "anchors ('&') are not supported");
    if (tag)
        return refuse(r, e->start_mark, "tags ('!') are not supported");
    return 0;
}

static int read_text(struct yaml_reader *r, const char **text)
{
    const yaml_event_t *e = &r->event;

    if (memchr(e->data.scalar.value, 0, e->data.scalar.length))
        return refuse(r, e->start_mark, "a zero byte (\\0) cannot be part of a text");
    *text = copy_text(r->doc, e->data.scalar.value, e->data.scalar.length);
    return 0;
}

static int read_node(struct yaml_reader *r, unsigned depth, struct yaml_node **node);

/* Reads an entry of a map, from its key on. */
static int read_entry(struct yaml_reader *r, unsigned depth, struct yaml_node **entry)
{
    yaml_mark_t at = r->event.start_mark;
    const char *key = NULL;
    int rc = check_plain(r);

    if (!rc && r->event.type != YAML_SCALAR_EVENT)
        rc = refuse(r, at, "a key must be a word, not a list or a map");
    rc = rc ? rc : read_text(r, &key);
    rc = rc ? rc : next_event(r);
    rc = rc ? rc : read_node(r, depth, entry);
    if (rc)
        return rc;
    (*entry)->key = key;
    (*entry)->key_line = (uint32_t)at.line + 1;
    (*entry)->key_column = (uint32_t)at.column + 1;
    return 0;
}

static int by_place(const struct yaml_node *a, const struct yaml_node *b)
{
    if (a->key_line != b->key_line)
        return a->key_line < b->key_line ? -1 : 1;
    return (a->key_column > b->key_column) - (a->key_column < b->key_column);
}

static int by_key(const void *a_, const void *b_)
{
    const struct yaml_node *a = *(struct yaml_node *const *)a_, *b = *(struct yaml_node *const *)b_;
    int order = strcmp(a->key, b->key);

    return order ? order : by_place(a, b);
}

/* Refuses duplicate keys. Sorts them, so that large maps do not take quadratic time. */
static int check_keys(struct yaml_reader *r, const struct yaml_node *map)
{
    const struct yaml_node **sorted = xmalloc(map->count * sizeof(*sorted)), *first = NULL, *again = NULL;
    uint32_t n = 0;

    for (const struct yaml_node *c = map->child; c; c = c->next)
        sorted[n++] = c;
    qsort(sorted, n, sizeof(*sorted), by_key);
    for (uint32_t i = 1; i < n; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0 && (!again || by_place(sorted[i], again) < 0))
            first = sorted[i - 1], again = sorted[i];
    free(sorted);
    if (!again)
        return 0;
    return err_set(r->err, EINVAL, "%s:%u:%u: '%.60s' is given twice, first in line %u", r->doc->name,
                   again->key_line, again->key_column, again->key, first->key_line);
}

/* Reads the entries of a list or a map, up to its end. */
static int read_children(struct yaml_reader *r, unsigned depth, struct yaml_node *in)
{
    bool is_map = in->kind == YAML_MAP;
    struct yaml_node **at = &in->child;
    int rc = next_event(r);

    while (!rc && r->event.type != (is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT)) {
        rc = (is_map ? read_entry : read_node)(r, depth + 1, at);
        if (rc)
            return rc;
        at = &(*at)->next;
        in->count++;
        rc = next_event(r);
    }
    return rc || !is_map ? rc : check_keys(r, in);
}

/* Reads the node that starts with the current event; its last event is then the current one. */
static int read_node(struct yaml_reader *r, unsigned depth, struct yaml_node **out)
{
    yaml_mark_t at = r->event.start_mark;
    yaml_event_type_t type = r->event.type;
    struct yaml_node *node;
    int rc = check_plain(r);

    if (rc)
        return rc;
    node = arena_alloc(&r->doc->memory, 1, sizeof(*node));
    *node = (struct yaml_node){ .line = (uint32_t)at.line + 1, .column = (uint32_t)at.column + 1 };
    *out = node;
    if (type == YAML_SCALAR_EVENT) {
        node->kind = YAML_SCALAR;
        return read_text(r, &node->text);
    }
    node->kind = type == YAML_MAPPING_START_EVENT ? YAML_MAP : YAML_LIST;
    if (depth > DEPTH_MAX)
        return refuse(r, at, "nested too deeply");
    return read_children(r, depth, node);
}

/* True for an empty document. */
static int is_empty(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT && e->data.scalar.length == 0 &&
           e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !e->data.scalar.anchor && !e->data.scalar.tag;
}

static int read_document(struct yaml_reader *r)
{
    if (r->event.data.document_start.tag_directives.start != r->event.data.document_start.tag_directives.end)
        return refuse(r, r->event.start_mark, "tags ('%TAG') are not supported");
    int rc = next_event(r);
    if (!rc && !is_empty(&r->event))
        rc = read_node(r, 1, &r->doc->root);
    if (!rc)
        rc = next_event(r);      /* the document ends */
    return rc;
}

static int read_stream(struct yaml_reader *r)
{
    int rc = next_event(r);      /* the stream starts */

    rc = rc ? rc : next_event(r);
    if (rc || r->event.type == YAML_STREAM_END_EVENT)
        return rc;
    rc = read_document(r);
    rc = rc ? rc : next_event(r);
    if (!rc && r->event.type != YAML_STREAM_END_EVENT)
        rc = refuse(r, r->event.start_mark, "a second document; only one is allowed");
    return rc;
}

int yaml_parse(struct yaml_doc *doc, const char *name, const char *text, size_t length, struct err *err)
{
    size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;   /* byte order mark */
    struct yaml_reader r = {
        .doc = doc, .text = text + mark, .length = length - mark, .err = err,
    };
    const char *zero = r.length ? memchr(r.text, 0, r.length) : NULL;
    int rc;

    *doc = (struct yaml_doc){ 0 };
    arena_init_sparse(&doc->memory, RANGE_BYTES);
    doc->name = copy_text(doc, name, strlen(name));
    if (!yaml_parser_initialize(&r.parser))
        die("no memory to read %s", name);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, r.length);
    if (zero)
        rc = refuse(&r, mark_of(&r, (size_t)(zero - r.text)), "a zero byte; the file must be UTF-8 text");
    else
        rc = read_stream(&r);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    if (rc)
        yaml_fini(doc);
    return rc;
}

int yaml_read(struct yaml_doc *doc, const char *path, struct err *err)
{
    char *text;
    size_t length;

    *doc = (struct yaml_doc){ 0 };
    int rc = text_read_file(path, FILE_MAX, &text, &length, err);
    if (rc)
        return rc;
    rc = yaml_parse(doc, text_file_name(path), text, length, err);
    free(text);
    return rc;
}

void yaml_fini(struct yaml_doc *doc)
{
    arena_fini(&doc->memory);
    *doc = (struct yaml_doc){ 0 };
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *c = map && map->kind == YAML_MAP ? map->child : NULL;

    while (c && strcmp(c->key, key) != 0)
        c = c->next;
    return c;
}
