/* src/sim/forks/fork_hpcc.h - the model of the HPCC ns-3 fork: see docs/fidelity.md. */
#ifndef SIM_FORKS_FORK_HPCC_H
#define SIM_FORKS_FORK_HPCC_H

#include "sim/state/state.h"

struct model hpcc_model(const struct sim_cfg *);

#endif
