/* src/sim/forks/htsim_sim.h - embeds a world of model htsim in struct sim.
 *
 * struct sim holds the network (names, links and counters) but no traffic. sim/forks/htsim/ simulates the
 * flows of the connection matrix. Its counters are copied to where reports read them.
 */
#ifndef SIM_FORKS_HTSIM_SIM_H
#define SIM_FORKS_HTSIM_SIM_H

#include "sim/forks/htsim/htsim.h"

struct sim;

/* Input from the scenario: see struct sim_cfg. */
struct htsim_input {
    struct htsim_cfg   cfg;
    struct fat_tree    tree;
    struct flow_matrix matrix;
};

/* Attaches model htsim to a world whose network was built from the same fat-tree. */
int  htsim_attach(struct sim *, struct err *);

/* Like sim_run_until(). */
bool htsim_advance(struct sim *, uint64_t until_ps);

/* Returns the world of model htsim, for htsim_flow() and htsim_count(). */
const struct htsim *htsim_of(const struct sim *);

#endif
