/* src/sim/stall.h - detects a world that has stalled, and explains why.
 *
 * A run without an end time runs until its flows are done. Some flows never finish: PAUSE frames wait for
 * each other in a ring, every packet is lost, or a lost packet is never retransmitted. With a retransmission
 * timer, events continue all the same. So the caller examines the world at fixed simulated times, which do
 * not depend on threads or slices of the run. The world is stalled if between two looks
 *   - no new byte has arrived and no flow has ended,
 *   - the flows of the first look are still active,
 *   - nothing is scheduled that could change this (a flow start, a link that comes up).
 *
 * Between two looks a queue pair has time for RTO_TRIES retries. A NIC would give up by then.
 */
#ifndef SIM_STALL_H
#define SIM_STALL_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

#define STALL_TEXT_MAX 400

struct stall {
    uint64_t next_ps;            /* time of the next look */
    uint64_t since_ps;           /* no progress since this look, or longer */
    uint64_t every_ps;
    uint64_t payload_bytes, flows_done, flows_active;    /* values at since_ps */
};

void stall_init(struct stall *, const struct sim *);

/* Call it when the world has run up to next_ps. Returns true if the world is stalled. */
bool stall_look(struct stall *, struct sim *);

/* Writes which flows wait, where and why. The text does not depend on the number of threads. Returns
 * 'text'. */
char *stall_explain(struct sim *, char text[STALL_TEXT_MAX]);

#endif
