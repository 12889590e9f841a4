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

/* What an unfinished flow waits for: the state of its sender and the location of its packets and ACKs show
 * it. The result does not depend on the number of threads. */

enum wait {
    WAIT_TURN,                   /* ready to send, but its NIC is sending something else */
    WAIT_PACER,                  /* the pacer delays it */
    WAIT_QUEUE_PAIR,             /* earlier messages of its queue pair come first */
    WAIT_PAUSE,                  /* PFC pauses its class at its NIC, or where its packets or ACKs wait */
    WAIT_LINK,                   /* its own link is down, or one that its packets wait for */
    WAIT_WINDOW,                 /* its window is closed; packets or ACKs that will open it are in flight */
    WAIT_ACK,                    /* everything is sent; packets or ACKs are in flight */
    WAIT_TIMEOUT,                /* nothing is in flight; it waits for the retransmission timer */
    WAIT_FOREVER,                /* nothing is in flight and there is no timer (rto: 0) */
    WAIT_DELIVERY,               /* transfer inside a server, which ends at a known time */
    WAITS
};

extern const char *const wait_names[WAITS];      /* "turn", ..: machine-readable */
extern const char *const wait_texts[WAITS];      /* "wait for their turn at the NIC", ..: human-readable */

/* Examines every packet once. */
struct waits;
struct waits *waits_new(const struct sim *);
void          waits_free(struct waits *);

/* Returns what an unfinished flow, or its oldest message, waits for. */
enum wait waits_of(const struct waits *, uint32_t flow);

/* Counts unfinished flows by what they wait for. */
void waits_count(const struct waits *, uint64_t count[WAITS]);

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

/* Writes which flows wait, where and why, whatever the number of threads. Returns 'text'. */
char *stall_explain(struct sim *, char text[STALL_TEXT_MAX]);

#endif
