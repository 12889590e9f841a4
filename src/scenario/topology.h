/* src/scenario/topology.h - the section topology: the kinds of networks, one row each. */
#ifndef SCENARIO_TOPOLOGY_H
#define SCENARIO_TOPOLOGY_H

#include "base/reader.h"
#include "scenario/made.h"

/* A kind of topology: reads its section and builds the network. */
struct topology_kind {
    const char               *name, *about;      /* about: one line */
    const struct key_row *keys;              /* its own, beside those of all kinds */
    void                    (*read)(const struct section *, struct graph *);
    bool                      says_loss;         /* a link's loss may be said to be 0; negative: nothing is said */
};

extern const struct topology_kind topology_kinds[];      /* ends with a row whose name is NULL */

void scenario_read_topology(struct reader *, struct scenario *, const struct yaml_node *);

/* Refuses what graph_check() lets pass, but the simulation cannot do. */
void scenario_check_links(struct reader *, const struct scenario *, const struct yaml_node *);

#endif
