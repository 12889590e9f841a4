/* src/sim/run.h - runs the events of one part of the world, and checks it. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "sim/state/state.h"

#include <stdint.h>

/* ---- prefetching ----
 *
 * In a network that does not fit the cache. Results do not change. In a network of moderate size, routes of
 * arriving packets are looked up ahead only while many ports act in lock step. Otherwise the prefetch costs
 * more than it saves. */

#define LOOK_AHEAD_PORTS_VAST 8192u      /* a fat-tree of 2,000 hosts has 12,000 ports and gains a little */

/* Returns an upper bound for the number of events, without those embedded in ports, hosts and packets. */
uint32_t run_events_most(const struct sim *);

/* Creates the events of a part and sets their owners. Call it when the part is built. */
void run_build_events(struct sim *);

/* Runs all events up to and including until_ps. Stops earlier if the engine fails. */
void run_part(struct sim *, uint64_t until_ps);

/* ---- invariants (run_invariants.c) ---- */

struct check_sums {
    uint64_t packets, payload;   /* found on wires and in queues */
    uint64_t live;               /* packets in use */
};

/* Checks the nodes of one part, or of an undivided world, and adds their packets to the sums. */
void check_part(const struct sim *, struct check_sums *);

/* Compares the counters of all parts with the sums. */
void check_totals(const struct sim *, const struct check_sums *);

#endif
