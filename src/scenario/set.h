/* src/scenario/set.h - a scenario file as a tree, and what the command line sets in it. */
#ifndef SCENARIO_SET_H
#define SCENARIO_SET_H

#include "base/reader.h"

struct scenario_tree {
    struct reader      r;
    struct yaml_doc    doc, *set_doc;    /* set_doc: the value of each --set */
    uint32_t           sets;
    struct yaml_node **made;             /* what --set added */
    uint32_t           made_count;
};

/* Applies the --set texts to the tree. */
void scenario_apply_sets(struct scenario_tree *);
void scenario_tree_fini(struct scenario_tree *);

#endif
