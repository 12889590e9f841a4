/* src/sim/forks/htsim_sim.h - a world of model htsim inside struct sim.
 *
 * struct sim has the network, for names, links and counters, and no traffic of its own. The flows of the
 * connection matrix are simulated by sim/forks/htsim/, and what they count is copied to where reports look
 * for it.
 */
#ifndef SIM_FORKS_HTSIM_SIM_H
#define SIM_FORKS_HTSIM_SIM_H

#include "sim/forks/htsim/htsim.h"
#include "sim/state/state.h"

/* What a scenario says: see struct sim_cfg. */
struct htsim_input {
    struct htsim_cfg   cfg;
    struct fat_tree    tree;
    struct flow_matrix matrix;
};

/* Of a world whose network has been built from the same fat-tree. */
int  htsim_attach(struct sim *, struct err *);

/* As sim_run_until(). */
bool htsim_advance(struct sim *, uint64_t until_ps);

#endif
