/* src/sim/partition.h - one simulation on many threads, with the same result.
 *
 * The nodes are divided into parts; a rack stays together. Each part is a struct sim with its own engine,
 * program of traffic and flow indices, and shares the network; it only touches its own nodes. Hosts, switches
 * and links do not know of parts.
 *
 * Parts only interact over links: see crossing.h. The clock of a part means: all its earlier events have
 * happened and are in the rings. Nothing crosses a link faster than its delay, so a part may advance to the
 * minimum of the others' clocks plus that delay; there is no barrier.
 *
 * Why the result is the same: the events of a node and their order (time, then the sender's key) do not
 * depend on who runs them; every node has its own random numbers; counters are integers. Results that are
 * reported during a run (ends of flows) are collected and reported in the order of events afterwards.
 */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "sim/invariants.h"
#include "sim/parts/divide.h"

#include <stdbool.h>
#include <stdint.h>

struct partition;

/* Time of a thread. */
struct partition_time { double work_s, wait_s; uint64_t windows, events; };

/* Divides a new world, before anything is scheduled. */
int  partition_new(struct sim *, uint32_t count, uint32_t threads, struct err *);
void partition_free(struct partition *);

struct sim *partition_sim(const struct partition *, uint32_t part);
uint32_t    partition_count(const struct partition *);

/* Returns the part of a node, or the world if it is not divided. */
struct sim *partition_of_node(struct sim *, uint32_t node);

/* Runs all parts up to and including until_ps and adds their counters. Returns whether there is more to
 * do. */
bool partition_run_until(struct sim *, uint64_t until_ps);

/* Checks every part, and adds packets on wires between them. */
void partition_check(const struct sim *, struct check_sums *);

uint32_t              partition_threads(const struct partition *);
struct partition_time partition_time(const struct partition *, uint32_t thread);

#endif
