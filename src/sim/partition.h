/* src/sim/partition.h - one simulation on many threads, with the same result.
 *
 * The nodes are divided into parts; a rack stays together. Each part is a struct sim of its own, with its own
 * engine, program of traffic and indices of flows, that shares the network with the whole; it touches only
 * what belongs to its nodes. So hosts, switches and links do not know of parts.
 *
 * Parts meet only on links that cross: see crossing.h. A part's clock says: all of mine before that has
 * happened and is in the rings. Since nothing crosses a link faster than its delay, a part may go on to the
 * least, over the others, of their clock and that delay; there is no barrier.
 *
 * Why the result is the same: a node's events are the same and their order (time, then the sender's key) does
 * not depend on who runs them; every node has its own random numbers; what is counted over nodes are whole
 * numbers. What is told during a run (flows that end) is gathered and told in the order of events afterwards.
 */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "sim/check.h"
#include "sim/parts/divide.h"

#include <stdbool.h>
#include <stdint.h>

struct partition;

/* Where the time of a thread went. */
struct partition_time { double work_s, wait_s; uint64_t windows, events; };

/* Divides a world that has been built but in which nothing has been scheduled. */
int  partition_new(struct sim *, uint32_t count, uint32_t threads, struct err *);
void partition_free(struct partition *);

struct sim *partition_sim(const struct partition *, uint32_t part);
uint32_t    partition_count(const struct partition *);

/* The part that a node belongs to, or the world itself where that is not divided. */
struct sim *partition_of_node(struct sim *, uint32_t node);

/* Runs all parts up to and including until_ps and adds up what they have counted. Returns whether there is
 * more to do. */
bool partition_run_until(struct sim *, uint64_t until_ps);

/* Checks every part, and adds what is on wires between them. */
void partition_check(const struct sim *, struct check_sums *);

uint32_t              partition_threads(const struct partition *);
struct partition_time partition_time(const struct partition *, uint32_t thread);

#endif
