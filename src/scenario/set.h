/* src/scenario/set.h - overrides parts of a scenario's tree, from the command line or a program. */
#ifndef SCENARIO_SET_H
#define SCENARIO_SET_H

#include "base/reader.h"
#include "scenario/scenario_build.h"

struct scenario_tree {
    struct reader      r;
    struct yaml_doc    doc, *set_doc;    /* set_doc: the value of each --set */
    uint32_t           sets;
    struct build       made;             /* nodes that are not from a file */
};

/* Applies the --set texts to the tree. */
void scenario_apply_sets(struct scenario_tree *);

/* Applies a tree that a program built. */
void scenario_put_over(struct scenario_tree *, const struct build *);

void scenario_tree_fini(struct scenario_tree *);

#endif
