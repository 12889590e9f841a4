/* src/sim/stall.h - has the world come to a standstill, and what stands where?
 *
 * A run without an end goes on until its flows are over. Some never are: PAUSE frames wait for each other in
 * a ring, each packet is lost, or what was lost is never sent again. With a retransmission timer events go on
 * all the same. So whoever lets the world run looks at it at certain simulated times, which no thread nor
 * slice of the run changes: if between two looks no new byte has come to a receiver, no flow has ended, flows
 * that were there at the first are still there, and nothing is to come that could change it (a flow that
 * starts, a link that comes up), then it stands.
 *
 * Between two looks a queue pair could have tried RTO_TRIES times; a NIC would give it up by then.
 */
#ifndef SIM_STALL_H
#define SIM_STALL_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

#define STALL_TEXT_MAX 400

struct stall {
    uint64_t next_ps;            /* of the next look */
    uint64_t since_ps;           /* nothing has come since this look, at least */
    uint64_t every_ps;
    uint64_t payload_bytes, flows_done, flows_active;    /* as at since_ps */
};

void stall_init(struct stall *, const struct sim *);

/* The world has run up to next_ps. Returns whether it stands. */
bool stall_look(struct stall *, struct sim *);

/* Says which flows wait, where and why; the same for any number of threads. Returns text. */
char *stall_explain(struct sim *, char text[STALL_TEXT_MAX]);

#endif
