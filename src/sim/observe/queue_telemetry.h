/* src/sim/observe/queue_telemetry.h - the egress queues of all switches, one by one: for agents that set each
 * by itself.
 *
 * A port of a switch is one queue: its classes with PFC (all classes, where there is none) that have no
 * thresholds of their own. Those of TCP beside RDMA are not counted, as a switch counts its queues apart.
 *
 * What is sent is counted exactly, by a branch that only ports with SLOW_COUNTED take. The mean length is
 * that of samples which are taken while the world is at rest, TELEMETRY_SAMPLES in a slot: switches read it
 * the same way. Nothing that is counted changes what happens.
 */
#ifndef SIM_OBSERVE_QUEUE_TELEMETRY_H
#define SIM_OBSERVE_QUEUE_TELEMETRY_H

#include "core/queue.h"

#include <stdint.h>

#define TELEMETRY_SAMPLES 10

struct sim;
struct telemetry;

/* How many there are, and what is known of each; facts may be NULL. */
uint32_t telemetry_list(const struct sim *, struct queue_facts *);

/* How many links each node is away from the nearest host: 0 of a host, 1 of a ToR; UINT32_MAX: none leads to
 * one. */
void telemetry_tiers(const struct sim *, uint32_t *tier);

/* Starts counting; the simulation must outlive it. */
struct telemetry *telemetry_new(struct sim *);
void           telemetry_free(struct telemetry *);

/* Reads all lengths once. */
void telemetry_sample(struct telemetry *);

/* Ends a slot: what has happened since the last, or the start. Without a sample the length is that of now. */
void telemetry_read(struct telemetry *, struct queue_slot *);

/* Puts thresholds into force, those that are not already. Returns how many have changed. */
uint32_t telemetry_set(struct sim *, const struct ecn *);

#endif
