/* src/run/apply.h - applies a decision to a simulated network. */
#ifndef RUN_APPLY_H
#define RUN_APPLY_H

#include "core/decision.h"
#include "core/world.h"
#include "sim/sim.h"

struct applier {
    struct sim         *sim;
    const struct world *world;   /* of the network; NULL: no decisions about parts of it */
    bool                had_parts;
};

/* Applies a decision completely, or refuses it with a reason. ECN thresholds and parameters of a NIC's rate
 * control can be set by tier and device, thresholds also by queue. All others apply to the whole network. */
void apply_decision(struct applier *, const struct decision *, struct outcome *);

#endif
