/* src/train/twin/twin_draw.h - random networks with random traffic, for a campaign that a surrogate is fitted to.
 *
 * None is a network or a workload that anybody has: speeds, round trips, shared uplinks, slow hosts and slow spines, sizes, loads
 * and bursts are drawn one by one, so that what is learnt from them can be held against real workloads.
 */
#ifndef TRAIN_TWIN_TWIN_DRAW_H
#define TRAIN_TWIN_TWIN_DRAW_H

#include "base/err.h"
#include "core/world.h"
#include "scenario/build.h"

#include <stdint.h>

struct twin_drawn {
    struct build         build;  /* scenario of the network; its own traffic is of no interest */
    struct world         world;
    struct traffic_model model;
};

/* Network 'number' of a seed, of which trials go on for so long, if the twin's maker lets them. Fails only if its scenario is
 * refused, which is a mistake of ours. */
int  twin_draw(struct twin_drawn *, uint64_t seed, uint64_t number, double watched_s, struct err *);
void twin_drop(struct twin_drawn *);

#endif
