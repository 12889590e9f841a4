/* src/sim/queues.h - the egress queues of all switches, one by one: for agents that set each by itself.
 *
 * A port of a switch is one queue: its classes with PFC (all classes, where there is none) that have no thresholds
 * of their own. Those of TCP beside RDMA are not counted, as a switch counts its queues apart.
 *
 * What is sent is counted exactly, by a branch that only ports with ODD_COUNTED take. The mean length is that of
 * samples which are taken while the world is at rest, QUEUES_SAMPLES in a slot: switches read it the same way.
 * Nothing that is counted changes what happens.
 */
#ifndef SIM_QUEUES_H
#define SIM_QUEUES_H

#include "core/queue.h"

#include <stdint.h>

#define QUEUES_SAMPLES 10

struct sim;
struct port;
struct packet;
struct queues;

/* How many there are, and what is known of each; facts may be NULL. */
uint32_t queues_list(const struct sim *, struct queue_facts *);

/* The ids of the ports that they are. */
void queues_ports(const struct sim *, uint32_t *port);

/* Starts counting; the simulation must outlive it. */
struct queues *queues_new(struct sim *);
void           queues_free(struct queues *);

/* Reads all lengths once. */
void queues_sample(struct queues *);

/* Ends a slot: what has happened since the last, or the start. Without a sample the length is that of now. */
void queues_read(struct queues *, struct queue_slot *);

/* Puts thresholds into force, those that are not already. Returns how many have changed. */
uint32_t queues_set(struct sim *, const struct ecn *);

/* A frame leaves a port that is counted. */
void queues_on_send(const struct sim *, struct port *, const struct packet *);

#endif
