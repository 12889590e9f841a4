/* src/study/scenario/scenario_build.h - builds a scenario, or a part of one, in a program.
 *
 * Makes the same tree as the YAML reader, without text, so keys are checked in the same way. It can replace a
 * file, or override one: each key of its root is then a path as in --set ("topology", "host.mtu",
 * "traffic.0.load").
 */
#ifndef STUDY_SCENARIO_SCENARIO_BUILD_H
#define STUDY_SCENARIO_SCENARIO_BUILD_H

#include "base/yaml.h"

#include <stdint.h>

struct build {                   /* zero: empty */
    struct yaml_node   *root;    /* a map; NULL: empty */
    struct yaml_node  **made;    /* all nodes, owned */
    uint32_t            count;
    const struct build *below;   /* applied before this one; NULL: none */
};

/* Each adds an entry to the map or list 'in' (NULL: the root), and replaces an entry of the same key. 'key'
 * is NULL for lists. */
struct yaml_node *build_map(struct build *, struct yaml_node *in, const char *key);
struct yaml_node *build_list(struct build *, struct yaml_node *in, const char *key);
struct yaml_node *build_text(struct build *, struct yaml_node *in, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Makes a node outside of the tree, or a deep copy of one. */
struct yaml_node *build_node(struct build *, const char *key, const char *text);
struct yaml_node *build_copy(struct build *, const struct yaml_node *);

void build_fini(struct build *);

#endif
