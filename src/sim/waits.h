/* src/sim/waits.h - what each unfinished flow waits for.
 *
 * A run may end with unfinished flows, because its time is up or because it is stalled. The state of a flow's
 * sender and the location of its packets and ACKs show what it waits for. The result does not depend on the
 * number of threads.
 */
#ifndef SIM_WAITS_H
#define SIM_WAITS_H

#include "sim/sim.h"

#include <stdint.h>

enum wait {
    WAIT_TURN,                   /* ready to send, but its NIC is sending something else */
    WAIT_PACER,                  /* the pacer delays it */
    WAIT_QUEUE_PAIR,             /* earlier messages of its queue pair come first */
    WAIT_PAUSE,                  /* PFC pauses its class at its NIC, or at a port where its packets or ACKs
                                  * wait */
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
enum wait waits_of(const struct waits *, const struct flow *);

/* Returns the first switch port with data of the flow in a queue, or NULL. */
const struct port *waits_at(const struct waits *, const struct flow *);

/* Counts unfinished flows by what they wait for. */
void waits_count(const struct waits *, uint64_t count[WAITS]);

#endif
