/* src/sim/observe/queue_telemetry.h - the egress queues of all switches, for agents that set each of them.
 *
 * A port of a switch is one queue: its classes with PFC (all classes, where there is none) without thresholds
 * of their own. Classes of TCP alongside RDMA are not counted, as switches count queues separately.
 *
 * Bytes sent are exact; only ports with SLOW_COUNTED pay for it. The mean length is that of TELEMETRY_SAMPLES
 * samples per slot, taken between events, as on switches. Counting changes no result.
 */
#ifndef SIM_OBSERVE_QUEUE_TELEMETRY_H
#define SIM_OBSERVE_QUEUE_TELEMETRY_H

#include "core/queue.h"

#include <stdint.h>

#define TELEMETRY_SAMPLES 10

struct sim;
struct telemetry;

/* Returns the number of queues, and describes each; facts may be NULL. */
uint32_t telemetry_list(const struct sim *, struct queue_facts *);

/* Writes the distance of each node from the nearest host, in links: 0 for a host, 1 for a ToR; UINT32_MAX:
 * none. */
void telemetry_tiers(const struct sim *, uint32_t *tier);

/* Starts counting; the simulation must outlive it. */
struct telemetry *telemetry_new(struct sim *);
void           telemetry_free(struct telemetry *);

/* Reads all lengths once. */
void telemetry_sample(struct telemetry *);

/* Ends a slot: reads what has happened since the last one. Without a sample, the length is the current
 * one. */
void telemetry_read(struct telemetry *, struct queue_slot *);

/* Sets thresholds. Returns how many have changed. */
uint32_t telemetry_set(struct sim *, const struct ecn *);

#endif
