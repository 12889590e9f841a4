/* tests/fuzz/fuzz_yaml.c - for any input of yaml_parse(), the tree is consistent.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -I src tests/fuzz/fuzz_yaml.c \
 *       src/base/{yaml,text,err}.c -lyaml
 */
#include "base/yaml.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_node(const struct yaml_node *node, int depth)
{
    uint32_t count = 0;

    PROMISE(depth <= 33);        /* 32 lists and maps, and the content of the last */
    PROMISE(node->line >= 1 && node->column >= 1);
    PROMISE((node->kind == YAML_SCALAR) == (node->text != NULL));
    PROMISE(node->kind != YAML_SCALAR || !node->child);
    for (const struct yaml_node *c = node->child; c; c = c->next) {
        count++;
        PROMISE((node->kind == YAML_MAP) == (c->key != NULL));
        PROMISE(!c->key || (c->key_line >= 1 && c->key_column >= 1));
        PROMISE(!c->key || yaml_get(node, c->key) == c);     /* keys are unique */
        check_node(c, depth + 1);
    }
    PROMISE(count == node->count);
}

static void check_refusal(int rc, const struct yaml_doc *doc, const struct err *err)
{
    size_t line, column;

    PROMISE(rc < 0);
    PROMISE(!doc->root && !doc->memory.base && !doc->name);
    PROMISE(sscanf(err->text, "fuzz:%zu:%zu: ", &line, &column) == 2);
    PROMISE(line >= 1 && column >= 1);
    PROMISE(!strchr(err->text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = { "" };
    struct yaml_doc doc;
    int rc = yaml_parse(&doc, "fuzz", (const char *)data, size, &err);

    if (rc) {
        check_refusal(rc, &doc, &err);
        return 0;
    }
    PROMISE(!memchr(data, 0, size));
    PROMISE(strcmp(doc.name, "fuzz") == 0);
    if (doc.root)
        check_node(doc.root, 1);
    yaml_fini(&doc);
    return 0;
}
