/* src/run/sim_world.h - describes a simulated network to a tuner. */
#ifndef RUN_SIM_WORLD_H
#define RUN_SIM_WORLD_H

#include "core/world.h"
#include "sim/sim.h"

/* Devices and ports have the numbers of nodes and ports. Free it with world_fini(). */
void sim_world_init(struct world *, const struct sim *, uint64_t interval_ps);

#endif
