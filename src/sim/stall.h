/* src/sim/stall.h - detects a world that has come to a standstill, and explains it.
 *
 * A run without an end time runs until its flows are over. Some never are: PAUSE frames wait for each other
 * in a ring, every packet is lost, or a lost packet is never sent again. With a retransmission timer events
 * continue all the same. So the caller examines the world at fixed simulated times, which do not depend on
 * threads or slices of the run. It is stalled if between two looks no new byte has arrived, no flow has
 * ended, the flows of the first look are still there, and nothing is scheduled that could change it (a flow
 * that starts, a link that comes up).
 *
 * Between two looks a queue pair could have tried RTO_TRIES times; a NIC would give up by then.
 */
#ifndef SIM_STALL_H
#define SIM_STALL_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

#define STALL_TEXT_MAX 400

struct stall {
    uint64_t next_ps;            /* of the next look */
    uint64_t since_ps;           /* no progress since this look, at least */
    uint64_t every_ps;
    uint64_t payload_bytes, flows_done, flows_active;    /* as at since_ps */
};

void stall_init(struct stall *, const struct sim *);

/* The world has run up to next_ps. Returns whether it is stalled. */
bool stall_look(struct stall *, struct sim *);

/* Writes which flows wait, where and why; the same for any number of threads. Returns text. */
char *stall_explain(struct sim *, char text[STALL_TEXT_MAX]);

#endif
