/* src/base/yaml.h - parses YAML into a tree with line numbers.
 *
 * Uses libyaml. Accepts the subset that a configuration needs: one document, maps with scalar keys, lists,
 * scalars. Refuses anchors, aliases, tags, duplicate keys, zero bytes and more than 32 nested lists and maps,
 * with file:line:column.
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_kind    kind;
    uint32_t          line, column;         /* of the value, from 1 */
    const char       *text;                 /* scalar: its text, zero-terminated (no zero byte inside) */
    const char       *key;                  /* the name of this entry in its map, or NULL */
    uint32_t          key_line, key_column;
    uint32_t          count;                /* children */
    struct yaml_node *child, *next;         /* first entry; next entry of the same parent */
};

struct yaml_doc {
    char             *name;                 /* file name, for messages */
    struct yaml_node *root;                 /* NULL: the document is empty */
    struct arena      memory;               /* owner of all of the above */
};

/* Parses 'length' bytes; 'name' is used in messages. On failure nothing is held. */
int  yaml_parse(struct yaml_doc *, const char *name, const char *text, size_t length, struct err *);
int  yaml_read(struct yaml_doc *, const char *path, struct err *);     /* files up to 64 MiB */
void yaml_fini(struct yaml_doc *);

/* Returns the entry called 'key' of a map, or NULL. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

#endif
