/* src/sim/loss.h - the random numbers by which links of the HPCC fork lose packets. */
#ifndef SIM_LOSS_H
#define SIM_LOSS_H

#include "sim/state/state.h"

/* Fills in engine.loss_stream if any link loses packets. Returns how many links have a loss of their own. */
uint32_t loss_build(struct sim *);

#endif
