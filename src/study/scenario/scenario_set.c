/* src/study/scenario/scenario_set.c - applies --set texts to the tree of the file. */
#include "study/scenario/scenario.h"

#include "base/text.h"
#include "core/knobs.h"
#include "study/scenario/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_empty(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && *node->text == '\0';
}

/* Nodes of a --set have line 0 and its number as column. */
static void mark(struct yaml_node *node, uint32_t number)
{
    node->line = node->key_line = 0;
    node->column = node->key_column = number;
    for (struct yaml_node *c = node->child; c; c = c->next)
        mark(c, number);
}

static struct yaml_node *make_node(struct scenario_tree *t, uint32_t number, const char *key)
{
    struct yaml_node *node = build_node(&t->made, key, "");

    node->column = node->key_column = number;
    return node;
}

static struct yaml_node *child_of_list(struct scenario_tree *t, struct yaml_node *list, uint32_t number,
                                       const char *part)
{
    struct yaml_node *c = list->child, at = { .column = number };
    uint64_t          index;

    if (text_to_uint(part, &index, NULL))
        reader_refuse(&t->r, &at, "'%.60s' is not the number of an entry of a list", part);
    else if (index >= list->count)
        reader_refuse(&t->r, &at, "there is no entry %llu in a list of %u; the first is 0",
                      (unsigned long long)index, list->count);
    if (t->r.rc)
        return NULL;
    while (index-- > 0)
        c = c->next;
    return c;
}

/* Sections for which a plain name, or a list, may stand, and the key that it is the value of. */
static const struct { const char *section, *key; bool from_list; } named[] = {
    { "cc", "kind" }, { "rlcc", "model" }, { "lb", "kind" }, { "fidelity", "kind" },
    { "monitor", "kind", true }, { "tuner", "kind", true }, { "topology", "kind" },
};

/* Makes "tuner: paraleon" {kind: paraleon}, and "monitor: [a, b]" {kind: [a, b]}. */
static void name_to_map(struct scenario_tree *t, struct yaml_node *node)
{
    size_t i = 0;

    while (i < sizeof named / sizeof *named && !(node->key && strcmp(node->key, named[i].section) == 0))
        i++;
    if (i == sizeof named / sizeof *named || node->kind == YAML_MAP ||
        (node->kind == YAML_LIST && !named[i].from_list))
        return;
    struct yaml_node *kind = build_node(&t->made, named[i].key, "");
    kind->kind = node->kind;
    kind->text = node->text;
    kind->child = node->child;
    kind->count = node->count;
    kind->line = kind->key_line = node->line;
    kind->column = kind->key_column = node->column;
    node->kind = YAML_MAP;
    node->child = kind;
    node->count = 1;
}

void scenario_open_names(struct scenario_tree *t)
{
    for (struct yaml_node *c = t->doc.root->kind == YAML_MAP ? t->doc.root->child : NULL; c; c = c->next)
        name_to_map(t, c);
}

/* Returns the entry called 'part'; creates it if necessary. */
static struct yaml_node *child_of(struct scenario_tree *t, struct yaml_node *node, uint32_t number,
                                  const char *part)
{
    struct yaml_node **c, at = { .column = number };

    if (node->kind == YAML_LIST)
        return child_of_list(t, node, number, part);
    if (!is_empty(node))
        name_to_map(t, node);
    if (node->kind == YAML_SCALAR && !is_empty(node)) {
        reader_refuse(&t->r, &at, "'%.60s' stands below '%.60s', which is neither a map nor a list", part,
                      node->text);
        return NULL;
    }
    node->kind = YAML_MAP;
    for (c = &node->child; *c; c = &(*c)->next)
        if (strcmp((*c)->key, part) == 0)
            return *c;
    node->count++;
    return *c = make_node(t, number, part);
}

static bool is_top_key(const char *path)
{
    size_t length = strcspn(path, ".");

    for (const struct key_row *row = scenario_keys(""); row->name; row++)
        if (strlen(row->name) == length && strncmp(row->name, path, length) == 0)
            return true;
    return false;
}

static void refuse_name(struct scenario_tree *t, uint32_t number, const char *path)
{
    struct yaml_node at = { .column = number };
    const char      *names[KNOB_COUNT + 64];
    char             name[64], near[80];
    uint32_t         count = 0;

    for (; count < KNOB_COUNT; count++)
        names[count] = knob_names[count];
    for (const struct key_row *row = scenario_keys(""); row->name && count < KNOB_COUNT + 63; row++)
        names[count++] = row->name;
    names[count] = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "."), path);
    reader_refuse(&t->r, &at, "'%s' is not a knob or a key%s", name,
                  text_did_you_mean(near, sizeof near, name, names));
}

/* Follows the path, creates missing entries, and sets the value of the last one. A knob may be
 * named without its section. */
static void put_value(struct scenario_tree *t, uint32_t number, char *path, const struct yaml_node *value)
{
    struct yaml_node *node = t->doc.root;
    char             *part;

    if (knob_find(path) != KNOB_COUNT)
        node = child_of(t, node, number, "knobs");
    else if (!is_top_key(path))
        refuse_name(t, number, path);
    while (!t->r.rc && node && (part = strsep(&path, ".")))
        node = child_of(t, node, number, part);
    if (t->r.rc || !node)
        return;
    node->kind = value->kind;
    node->text = value->text;
    node->child = value->child;
    node->count = value->count;
    node->line = 0;
    node->column = number;
}

static void apply_set(struct scenario_tree *t, uint32_t number)
{
    const char      *text = t->r.set[number - 1], *equals = strchr(text, '=');
    struct yaml_node at = { .column = number };
    struct yaml_doc *doc = &t->set_doc[number - 1];
    struct err       why;

    if (!equals || equals == text) {
        reader_refuse(&t->r, &at, "write it as key=value");
        return;
    }
    if (yaml_parse(doc, "value", equals + 1, strlen(equals + 1), &why)) {
        reader_refuse(&t->r, &at, "%s", why.text);
        return;
    }
    if (!doc->root) {
        reader_refuse(&t->r, &at, "nothing is given after '='");
        return;
    }
    mark(doc->root, number);
    char *path = xstrdup(text);
    path[equals - text] = '\0';
    put_value(t, number, path, doc->root);
    free(path);
}

void scenario_apply_sets(struct scenario_tree *t)
{
    if (!t->doc.root) {
        t->doc.root = make_node(t, 0, "");
        t->doc.root->kind = YAML_MAP;
    }
    t->set_doc = xcalloc(t->sets + 1ul, sizeof *t->set_doc);
    for (uint32_t i = 1; i <= t->sets && !t->r.rc; i++)
        apply_set(t, i);
}

void scenario_put_over(struct scenario_tree *t, const struct build *b)
{
    if (b->below)
        scenario_put_over(t, b->below);
    for (const struct yaml_node *c = b->root ? b->root->child : NULL; c && !t->r.rc; c = c->next) {
        char *path = xstrdup(c->key);

        put_value(t, 0, path, build_copy(&t->made, c));
        free(path);
    }
}

void scenario_tree_fini(struct scenario_tree *t)
{
    for (uint32_t i = 0; t->set_doc && i < t->sets; i++)
        yaml_fini(&t->set_doc[i]);
    free(t->set_doc);
    reader_fini(&t->r);
    build_fini(&t->made);
    yaml_fini(&t->doc);
}
