/* src/sim/change.h - links that go down and come up while the world runs.
 *
 * All changes of a moment make one epoch. Every node has an event for it: its routes are those of the epoch
 * from then on, and those of its ports whose links change do so.
 */
#ifndef SIM_CHANGE_H
#define SIM_CHANGE_H

#include "sim/state/state.h"

/* Sorts the changes of the configuration by epoch and node. Ports are built. Returns how many epochs there
 * are, the first one included. */
uint32_t change_build(struct sim *);

/* Gives a node the routes of its epoch. */
void change_use_routes(const struct network *, struct node *);

/* Awaits the epoch after that of a node; the moment at which it begins. */
void change_await(struct sim *, struct node *);
void change_on_epoch(struct sim *, struct node *);

/* A pause that the port has received expires. */
void change_on_pause_end(struct sim *, struct port *, uint32_t prio);

#endif
