/* src/sim/invariants.h - invariants of the world, checked part by part. */
#ifndef SIM_INVARIANTS_H
#define SIM_INVARIANTS_H

#include "sim/state/state.h"

struct check_sums {
    uint64_t packets, payload;   /* found on wires and in queues */
    uint64_t live;               /* packets in use */
};

/* Checks the nodes of one part, or of an undivided world, and adds their packets to the sums. */
void check_part(const struct sim *, struct check_sums *);

/* Compares the counters of all parts with the sums. */
void check_totals(const struct sim *, const struct check_sums *);

#endif
