#include "study/scenario/scenario_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 512

struct yaml_node *build_node(struct build *b, const char *key, const char *text)
{
    size_t            key_size = key ? strlen(key) + 1 : 0, text_size = strlen(text) + 1;
    struct yaml_node *node = xcalloc(1, sizeof *node + key_size + text_size);
    char             *room = (char *)(node + 1);

    if ((b->count & (b->count - 1)) == 0)
        b->made = xrealloc(b->made, (b->count ? 2ul * b->count : 1) * sizeof *b->made);
    b->made[b->count++] = node;
    node->key = key ? memcpy(room, key, key_size) : NULL;
    node->text = memcpy(room + key_size, text, text_size);
    return node;
}

/* Returns the link to the entry of that name, or the end of the list. */
static struct yaml_node **place_of(struct yaml_node *in, const char *key)
{
    struct yaml_node **at = &in->child;

    while (*at && !(key && strcmp((*at)->key, key) == 0))
        at = &(*at)->next;
    return at;
}

static struct yaml_node *add(struct build *b, struct yaml_node *in, const char *key, enum yaml_kind kind,
                             const char *text)
{
    struct yaml_node *node = build_node(b, key, text);

    if (!b->root) {
        b->root = build_node(b, NULL, "");
        b->root->kind = YAML_MAP;
    }
    in = in ? in : b->root;
    struct yaml_node **at = place_of(in, key);
    in->count += !*at;
    node->kind = kind;
    node->next = *at ? (*at)->next : NULL;
    *at = node;
    return node;
}

struct yaml_node *build_map(struct build *b, struct yaml_node *in, const char *key)
{
    return add(b, in, key, YAML_MAP, "");
}

struct yaml_node *build_list(struct build *b, struct yaml_node *in, const char *key)
{
    return add(b, in, key, YAML_LIST, "");
}

struct yaml_node *build_text(struct build *b, struct yaml_node *in, const char *key, const char *format, ...)
{
    char    text[TEXT_MAX];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || length >= TEXT_MAX)
        die("a value of more than %d characters", TEXT_MAX - 1);
    return add(b, in, key, YAML_SCALAR, text);
}

struct yaml_node *build_copy(struct build *b, const struct yaml_node *from)
{
    struct yaml_node *node = build_node(b, from->key, from->text ? from->text : ""), **last = &node->child;

    node->kind = from->kind;
    node->count = from->count;
    for (const struct yaml_node *c = from->child; c; c = c->next) {
        *last = build_copy(b, c);
        last = &(*last)->next;
    }
    return node;
}

void build_fini(struct build *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        free(b->made[i]);
    free(b->made);
    *b = (struct build){ 0 };
}
