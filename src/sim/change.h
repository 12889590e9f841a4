/* src/sim/change.h - links that go down or come up during a run.
 *
 * All changes at one instant form an epoch. At the start of an epoch every node has an event. It switches to
 * the epoch's routes and updates those of its ports whose links change.
 */
#ifndef SIM_CHANGE_H
#define SIM_CHANGE_H

#include "sim/state/state.h"

/* Finds the epochs. Returns how many there are, with the first. */
uint32_t change_build(struct sim *);

/* Switches a node to the routes of an epoch. */
void change_use_routes(const struct network *, struct node *, uint32_t epoch);

/* change_await() schedules the node's next epoch. change_on_epoch() runs when it begins. */
void change_await(struct sim *, struct node *);
void change_on_epoch(struct sim *, struct node *);

/* A received pause expires. */
void change_on_pause_end(struct sim *, struct port *, uint32_t prio);

#endif
