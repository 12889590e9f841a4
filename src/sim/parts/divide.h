/* src/sim/parts/divide.h - which node belongs to which part of the work. A rack stays together, and so do
 * nodes that are joined by very short links: a part may go ahead of another by no more than what a link
 * between them takes. */
#ifndef SIM_PARTS_DIVIDE_H
#define SIM_PARTS_DIVIDE_H

#include "sim/state/state.h"

#define PARTS_MAX 64            /* parts */

/* How many parts this network should have: one for each thread if it has as many racks, and more of them, run
 * in turn, in a network whose ports do not fit the cache. */
uint32_t divide_count(const struct sim *, uint32_t threads);

/* Not more than this, whatever the network looks like. */
uint32_t divide_most(const struct sim *, uint32_t threads);

/* The least time in which anything gets over a link. */
uint64_t divide_least_ps(const struct sim *, const struct port *);

/* Sets the part of every node, and tells traffic. */
void divide_world(struct sim *, uint32_t count);

#endif
