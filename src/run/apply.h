/* src/run/apply.h - a decision is put into force in a simulated network. */
#ifndef RUN_APPLY_H
#define RUN_APPLY_H

#include "core/decision.h"
#include "core/world.h"
#include "sim/sim.h"

struct applier {
    struct sim         *sim;
    const struct world *world;   /* of that; NULL: nobody decides on parts of it */
    bool                had_parts;
};

/* All of it at once, or nothing: what this network cannot do is refused, with a reason. Thresholds of switches and what a
 * NIC's rate control is told can be set by tier and device, thresholds also by queue; all else holds everywhere. */
void apply_decision(struct applier *, const struct decision *, struct outcome *);

#endif
