/* src/sim/partition.h - one simulation on many threads, with the same result.
 *
 * The nodes are divided into parts; a rack stays together. Each part is a struct sim of its own, with its own
 * clock, events, packets, indices of flows and counters, that shares the arrays of ports, nodes and hosts with
 * the whole; it touches only what belongs to its nodes. So host.c, switch.c and path.h do not know of parts.
 *
 * Parts meet only on links that cross. What is sent on such a link gathers in a list behind a first packet that
 * stays (so that the sender takes no notice, see path_transmit()), is put into a ring with one writer and one
 * reader for each pair of parts, and comes out on a wire of the receiving part. A part's clock says: all of
 * mine before that has happened and is in the rings. Since nothing crosses a link faster than its delay, a part
 * may go on to the least, over the others, of their clock and that delay; there is no barrier.
 *
 * Why the result is the same: a node's events are the same and their order (time, then the sender's key) does
 * not depend on who runs them; every node has its own random numbers; what is counted over nodes are whole
 * numbers. What is told during a run (flows that end) is gathered and told in the order of events afterwards.
 */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

#define PARTS_MAX 64

struct partition;

/* Where the time of a thread went. */
struct partition_time { double work_s, wait_s; uint64_t windows, events; };

/* How many parts this network should have: one for each thread if it has as many racks, and more of them, run in
 * turn, in a network whose ports do not fit the cache. */
uint32_t partition_of(const struct sim *, uint32_t threads);

/* Divides a world that has been built but in which nothing has been scheduled. Sets the part of every node. */
void partition_new(struct sim *, uint32_t count, uint32_t threads);
void partition_free(struct partition *);

struct sim *partition_sim(const struct partition *, uint32_t part);
uint32_t    partition_count(const struct partition *);

/* What sim_run_until() does when there are parts. */
bool partition_run_until(struct sim *, uint64_t until_ps);

/* Takes a signal of a job from a part to all others. */
void partition_send_signal(const struct sim *part, const struct signal *);

/* Adds what is on wires between parts, for sim_check(). */
void partition_check(const struct sim *, uint64_t *packets, uint64_t *payload);

uint32_t          partition_threads(const struct partition *);
struct partition_time partition_time(const struct partition *, uint32_t thread);

/* ---- in sim.c ---- */

/* A part of a world that has been built: shares its arrays, has its own events, packets and counters. */
struct sim *sim_new_part(const struct sim *whole, struct arena *, uint32_t part, uint32_t parts);
void        sim_free_part(struct sim *);

/* Makes 'wire' the owner of the event at which something sent by a port arrives. */
void sim_own_wire(struct sim *, uint32_t port, struct port *wire);

#endif
