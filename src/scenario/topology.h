/* src/scenario/topology.h - the section topology: the kinds of networks, one row each. */
#ifndef SCENARIO_TOPOLOGY_H
#define SCENARIO_TOPOLOGY_H

#include "base/reader.h"
#include "scenario/scenario.h"

/* A kind of topology: reads its section and builds the network. */
struct topology_kind {
    const char               *name, *about;      /* about: one line */
    const struct key_row     *keys;              /* its own keys */
    void                    (*read)(const struct section *, struct graph *);
    int                     (*read_file)(const char *path, const char *text, struct graph *, struct err *);
                                                 /* instead: reads the file that the key 'file' names */
    bool                      says_loss;         /* links may have loss 0 of their own; negative: not given */
};

extern const struct topology_kind topology_kinds[];      /* ends with a row whose name is NULL */

void scenario_read_topology(struct reader *, struct scenario *, const struct yaml_node *);

/* Refuses graphs that pass graph_check(), but that the simulation does not support. */
void scenario_check_links(struct reader *, const struct scenario *, const struct yaml_node *);

/* ---- GPU clusters, and published networks: topology_gpu.c ---- */

void topology_read_rails(const struct section *, struct graph *);
void topology_read_hpn(const struct section *, struct graph *);
void topology_read_planes(const struct section *, struct graph *);
void topology_read_dragonfly(const struct section *, struct graph *);

/* NVIDIA's DGX SuperPOD with H100: units of 32 servers, a leaf for each rail, full bisection. The kind may
 * end in the number of GPUs. */
bool topology_is_dgx(const char *name);
void topology_read_dgx(const struct section *, struct graph *);

void topology_read_paraleon(const struct section *, struct graph *);     /* PARALEON, section IV-C */
void topology_read_acc(const struct section *, struct graph *);          /* ACC, section 5.4 */
void topology_read_rlcc(const struct section *, struct graph *);         /* RL-CC's trees, section VI-A */

extern const struct key_row topology_rails_keys[], topology_hpn_keys[], topology_planes_keys[],
    topology_dragonfly_keys[], topology_dgx_keys[],
    topology_paraleon_keys[], topology_delay_keys[];

#endif
