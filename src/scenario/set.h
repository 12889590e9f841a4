/* src/scenario/set.h - a scenario file as a tree, and what the command line or a program sets in it. */
#ifndef SCENARIO_SET_H
#define SCENARIO_SET_H

#include "base/reader.h"
#include "scenario/build.h"

struct scenario_tree {
    struct reader      r;
    struct yaml_doc    doc, *set_doc;    /* set_doc: the value of each --set */
    uint32_t           sets;
    struct build       made;             /* nodes that are in no file */
};

/* Applies the --set texts to the tree. */
void scenario_apply_sets(struct scenario_tree *);

/* Puts what a program has made over the tree. */
void scenario_put_over(struct scenario_tree *, const struct build *);

void scenario_tree_fini(struct scenario_tree *);

#endif
