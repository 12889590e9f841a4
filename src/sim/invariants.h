/* src/sim/invariants.h - what must hold of the world, part by part. */
#ifndef SIM_INVARIANTS_H
#define SIM_INVARIANTS_H

#include "sim/state/state.h"

struct check_sums {
    uint64_t packets, payload;   /* that were found on wires and in queues */
    uint64_t live;               /* packets in use */
};

/* Checks the nodes of a part, or of a world that is not divided, and adds what it finds. */
void check_part(const struct sim *, struct check_sums *);

/* Checks what all parts have counted against what was found. */
void check_totals(const struct sim *, const struct check_sums *);

#endif
