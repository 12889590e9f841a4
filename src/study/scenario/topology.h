/* src/study/scenario/topology.h - the section topology: the kinds of networks, one row each. */
#ifndef STUDY_SCENARIO_TOPOLOGY_H
#define STUDY_SCENARIO_TOPOLOGY_H

#include "base/reader.h"
#include "study/scenario/scenario.h"

/* A kind of topology: reads its section and builds the network. */
struct topology_kind {
    const char               *name, *about;      /* about: one line */
    const struct key_row     *keys;              /* its own keys */
    void                    (*read)(const struct section *, struct graph *);
    int                     (*read_file)(const char *path, const char *text, struct graph *, struct err *);
                                                 /* instead: reads the file that the key 'file' names */
    int                     (*read_as_fork)(const char *path, const char *text, struct graph *, struct err *);
                                                 /* in models of forks; NULL: the same */
    bool                      says_loss;         /* links may have loss 0 of their own; negative: not given */
};

extern const struct topology_kind topology_kinds[];      /* ends with a row whose name is NULL */

void scenario_read_topology(struct reader *, struct scenario *, const struct yaml_node *);

/* Refuses graphs that pass graph_check(), but that the simulation does not support. */
void scenario_check_links(struct reader *, const struct scenario *, const struct yaml_node *);

#endif
