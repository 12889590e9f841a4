/* src/scenario/parts.h - the parts of the scenario reader: for the sources of scenario/ alone.
 *
 * Each part reads its section of the tree (base/reader.h) into the scenario. What is found wrong first is kept in the
 * reader; from then on the parts do nothing.
 */
#ifndef SCENARIO_PARTS_H
#define SCENARIO_PARTS_H

#include "base/reader.h"
#include "scenario/scenario.h"

#include <stdbool.h>

#define SCENARIO_ENTRIES_MAX 1024u       /* of the lists of traffic, changes and links_down */

/* A scenario file as a tree, and what the command line sets in it. */
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

/* The keys of a section that is no kind of something: "" (the whole), "host", "topology links_down". */
const struct section_key *scenario_keys(const char *section);

/* Opens such a section. */
struct section scenario_open(struct reader *, const struct yaml_node *map, const char *section);

/* The node that a key names. */
uint32_t scenario_read_node(const struct section *, const struct graph *, const char *key);

/* The pieces of a scenario, in the order they are read. */
void scenario_read_topology(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_read_link_rates(const struct section *topology, struct graph *);
void scenario_check_links(struct reader *, const struct scenario *, const struct yaml_node *);
void scenario_read_links_down(struct reader *, struct scenario *, const struct yaml_node *topology);
void scenario_use_model(struct reader *, struct scenario *);   /* what the model brings with it */
void scenario_read_settings(struct reader *, struct scenario *, const struct yaml_node *root);
void scenario_read_monitor(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_read_tuner(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_tuner_fini(struct scenario_tuner *);
void scenario_read_traffic(struct reader *, struct scenario *, const struct section *root);

/* A config of a fork: the network and the flows. What the scenario itself says comes first. */
struct scenario_given { bool seed, lb; };
void scenario_read_hpcc(struct reader *, struct scenario *, const struct yaml_node *, struct scenario_given);

/* Its flows: the list in the file 'path'. */
void scenario_read_flows(struct reader *, struct scenario *, const struct yaml_node *, const char *path);

#endif
