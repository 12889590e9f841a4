/* src/sim/parts/gather.h - what the parts of a world have seen and counted, brought together when the run is
 * at rest. */
#ifndef SIM_PARTS_GATHER_H
#define SIM_PARTS_GATHER_H

#include "sim/state/state.h"

struct told;

struct gathered {                /* of one part */
    struct sim  *sim;
    struct told *told;           /* what is to be told, in the order in which it happened */
    uint32_t     told_count, told_max;
};

/* From now on keeps what 'hooks' ask for. */
void gather_begin(struct gathered *, struct sim *part, const struct sim_hooks *hooks);
void gather_free(struct gathered *);

/* Tells what the parts have kept, in the order of events. */
void gather_tell(struct gathered **, uint32_t count, const struct sim_hooks *);

/* Adds up what the parts have counted. */
void gather_sums(struct sim *whole, struct gathered **, uint32_t count);

#endif
