/* src/train/twin/twin_draw.h - random networks with random traffic, as training data for a surrogate.
 *
 * Speeds, round trips, shared uplinks, slow hosts and spines, sizes, loads and bursts are drawn
 * independently. No real network or workload is among them, so the surrogate can be tested on real ones.
 */
#ifndef TRAIN_TWIN_TWIN_DRAW_H
#define TRAIN_TWIN_TWIN_DRAW_H

#include "base/err.h"
#include "core/world.h"
#include "scenario/scenario_build.h"

#include <stdint.h>

struct twin_drawn {
    struct build         build;  /* scenario of the network; its own traffic is ignored */
    struct world         world;
    struct traffic_model model;
};

/* Draws network 'number' of a seed, for trials of watched_s unless the twin shortens them. Fails only if the
 * scenario is invalid, which is a bug. */
int  twin_draw(struct twin_drawn *, uint64_t seed, uint64_t number, double watched_s, struct err *);
void twin_drop(struct twin_drawn *);

#endif
