/* src/scenario/topology_gpu.h - kinds of topology for GPU clusters, and published networks: see
 * topology.c. */
#ifndef SCENARIO_TOPOLOGY_GPU_H
#define SCENARIO_TOPOLOGY_GPU_H

#include "base/reader.h"
#include "net/graph.h"

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
