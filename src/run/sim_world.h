/* src/run/sim_world.h - a simulated network, as a tuner may know it before it begins. */
#ifndef RUN_SIM_WORLD_H
#define RUN_SIM_WORLD_H

#include "core/world.h"
#include "sim/sim.h"

/* Devices are the nodes, and ports the ports, of the same numbers. To be given back. */
void sim_world_init(struct world *, const struct sim *, uint64_t interval_ps);

#endif
