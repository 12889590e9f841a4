/* src/sim/waits.h - what each unfinished flow waits for.
 *
 * A run may end with unfinished flows, because its time is up or it is stalled. This finds out what each of
 * them waits for, from the state of its sender and the places of its packets and answers. The same for any
 * number of threads.
 */
#ifndef SIM_WAITS_H
#define SIM_WAITS_H

#include "sim/sim.h"

#include <stdint.h>

enum wait {
    WAIT_TURN,                   /* it may send: for its NIC, which sends something else */
    WAIT_PACER,                  /* until its rate lets it send */
    WAIT_QUEUE_PAIR,             /* for messages before it in its queue pair */
    WAIT_PAUSE,                  /* PFC pauses its class at its NIC, or where one of its packets or answers
                                  * is */
    WAIT_LINK,                   /* its link, or one that a packet of its waits for, is down */
    WAIT_WINDOW,                 /* its window is closed, and packets or ACKs that open it are on their way */
    WAIT_ACK,                    /* all is sent, and packets or ACKs are on their way */
    WAIT_TIMEOUT,                /* none is: for the retransmission timer */
    WAIT_FOREVER,                /* none is, and there is no timer (rto: 0) */
    WAIT_DELIVERY,               /* inside a server: it ends at a time that is known */
    WAITS
};

extern const char *const wait_names[WAITS];      /* "turn", ..: for other programs */
extern const char *const wait_texts[WAITS];      /* "wait for their turn at the NIC", ..: for people */

/* Examines every packet once. */
struct waits;
struct waits *waits_new(const struct sim *);
void          waits_free(struct waits *);

/* Of an unfinished flow, or its oldest message. */
enum wait waits_of(const struct waits *, const struct flow *);

/* Returns the first switch port with data of the flow in a queue, or NULL. */
const struct port *waits_at(const struct waits *, const struct flow *);

/* Counts unfinished flows by what they wait for. */
void waits_count(const struct waits *, uint64_t count[WAITS]);

#endif
