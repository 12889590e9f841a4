/* src/run/sim_world.h - a simulated network as tuners see it: its description, and decisions that are
 * applied to it. */
#ifndef RUN_SIM_WORLD_H
#define RUN_SIM_WORLD_H

#include "core/world.h"
#include "sim/sim.h"
#include "core/decision.h"

/* Devices and ports have the numbers of nodes and ports. Free it with world_fini(). */
void sim_world_init(struct world *, const struct sim *, uint64_t interval_ps);

struct applier {
    struct sim         *sim;
    const struct world *world;   /* of the network; NULL: no decisions about parts of it */
    bool                had_parts;
};

/* Applies a decision completely, or refuses it with a reason. ECN thresholds and parameters of a NIC's rate
 * control can be set by tier and device, thresholds also by queue. All others apply to the whole network. */
void apply_decision(struct applier *, const struct decision *, struct outcome *);

#endif
