/* src/sim/observe/queue_telemetry.h - telemetry of all egress queues, for agents that set each queue
 * separately.
 *
 * A switch port counts as one queue. It covers the classes with PFC (all classes, if none has PFC), except
 * those with their own thresholds. TCP classes alongside RDMA are not counted, because switches count queues
 * separately.
 *
 * Bytes sent are exact; only ports with SLOW_COUNTED pay for counting. The mean length averages
 * TELEMETRY_SAMPLES samples per slot, taken between events, as switches do. Counting changes no result.
 */
#ifndef SIM_OBSERVE_QUEUE_TELEMETRY_H
#define SIM_OBSERVE_QUEUE_TELEMETRY_H

#include "core/queue.h"

#include <stdint.h>

#define TELEMETRY_SAMPLES 10

struct sim;
struct telemetry;

/* Returns the number of queues and describes each of them. 'facts' may be NULL. */
uint32_t telemetry_list(const struct sim *, struct queue_facts *);

/* Writes each node's distance from the nearest host in links: 1 for a ToR, UINT32_MAX without a path. */
void telemetry_tiers(const struct sim *, uint32_t *tier);

/* Starts counting. The simulation must outlive the returned object. */
struct telemetry *telemetry_new(struct sim *);
void           telemetry_free(struct telemetry *);

/* Samples all queue lengths. */
void telemetry_sample(struct telemetry *);

/* Ends a slot and reads its counters. Without a sample, the length is the current one. */
void telemetry_read(struct telemetry *, struct queue_slot *);

/* Sets thresholds. Returns how many thresholds changed. */
uint32_t telemetry_set(struct sim *, const struct ecn *);

#endif
