/* src/sim/partition.h - runs one simulation on several threads, with identical results.
 *
 * The nodes are divided into parts; the nodes of a rack stay together. Each part is a struct sim with its own
 * engine, traffic program and flow indices. Parts share the network, but each touches only its own nodes.
 * Hosts, switches and links are unaware of parts.
 *
 * Parts interact only over links: see crossing.h. When a part publishes its clock, all its earlier events
 * have run and their packets are in the rings. No packet crosses a link faster than the link's delay. So a
 * part may advance to the minimum of the others' clocks plus that delay, without a barrier.
 *
 * The result is identical because
 *   - the events of a node and their order (time, then the sender's key) do not depend on the thread,
 *   - every node has its own random numbers,
 *   - counters are integers,
 *   - flow completions are collected during the run and reported in event order afterwards.
 */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "sim/parts/divide.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

struct partition;

/* Divides a new world. Call it before anything is scheduled. */
int  partition_new(struct sim *, uint32_t count, uint32_t threads, struct err *);
void partition_free(struct partition *);

uint32_t partition_count(const struct partition *);

/* Return the number of parts, and part i. A world that is not divided is its own only part. */
uint32_t    partition_parts(const struct sim *);
struct sim *partition_part(const struct sim *, uint32_t i);

/* Returns the part of a node, or the world if it is not divided. */
struct sim *partition_of_node(struct sim *, uint32_t node);

/* Runs all parts up to and including until_ps. Sums counters. Returns true if events are pending. */
bool partition_run_until(struct sim *, uint64_t until_ps);

uint32_t          partition_threads(const struct partition *);
struct sim_thread partition_time(const struct partition *, uint32_t thread);

#endif
