/* src/scenario/build.h - a scenario, or a part of one, made by a program.
 *
 * It is the tree that the reader of YAML makes, without the text: keys are read, checked and refused alike. Whole, it stands
 * for a file. Put over a file, each key of its root is a path as of --set ("topology", "host.mtu", "traffic.0.load"), and its
 * value takes the place of what the file says.
 */
#ifndef SCENARIO_BUILD_H
#define SCENARIO_BUILD_H

#include "base/yaml.h"

#include <stdint.h>

struct build {                   /* zero: empty */
    struct yaml_node   *root;    /* a map; NULL: empty */
    struct yaml_node  **made;    /* all nodes, owned */
    uint32_t            count;
    const struct build *below;   /* put over a file before this one; NULL: none */
};

/* Each adds an entry to the map or list 'in' (NULL: the root). 'key': of a map; what it had there before is replaced. NULL: of
 * a list. */
struct yaml_node *build_map(struct build *, struct yaml_node *in, const char *key);
struct yaml_node *build_list(struct build *, struct yaml_node *in, const char *key);
struct yaml_node *build_text(struct build *, struct yaml_node *in, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A single node, without a place in the tree; a copy, with all below it. */
struct yaml_node *build_node(struct build *, const char *key, const char *text);
struct yaml_node *build_copy(struct build *, const struct yaml_node *);

void build_fini(struct build *);

#endif
