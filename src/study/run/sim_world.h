/* src/study/run/sim_world.h - a simulated network as tuners see it: its description, and decisions that are
 * applied to it. */
#ifndef STUDY_RUN_SIM_WORLD_H
#define STUDY_RUN_SIM_WORLD_H

#include "core/world.h"
#include "sim/sim.h"
#include "tune/loop.h"

/* Devices and ports have the numbers of nodes and ports. Free it with world_fini(). */
void sim_world_init(struct world *, const struct sim *, uint64_t interval_ps);

/* Applies a decision of the loop, if it is one, and reports that to the loop. */
void apply_decision(struct sim *, struct loop *, const struct decision *);

#endif
