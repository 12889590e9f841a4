/* src/sim/forks/fork_conweave.h - the model of the ConWeave ns-3 fork, which grew out of the HPCC fork: see
 * docs/fidelity.md. */
#ifndef SIM_FORKS_FORK_CONWEAVE_H
#define SIM_FORKS_FORK_CONWEAVE_H

#include "sim/state/state.h"

struct model conweave_model(const struct sim_cfg *);

#endif
