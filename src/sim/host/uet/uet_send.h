/* src/sim/host/uet/uet_send.h - UET sends: packets again before new ones, as credit and window allow. */
#ifndef SIM_HOST_UET_UET_SEND_H
#define SIM_HOST_UET_UET_SEND_H

#include "sim/host/uet/uet.h"

/* A flow begins; if there are too many, the run has failed. It is over; an idle one has a message again. */
void uet_open(struct sim *, struct flow *);
void uet_close(struct sim *, const struct flow *);
void uet_wake(struct sim *, struct flow *);

/* Sends one packet. The host's port is idle, and uet_may_send(). */
void uet_send(struct sim *, struct host *, uint32_t flow);

/* Packet n, which has no record, waits to be sent again. */
void uet_put_again(struct sim *, struct flow *, uint32_t n);

/* Credit is used up: asks the receiver by an RTS if it does not know of all that waits, or may wait for
 * more packets before it sends an ACK. 'must': in any case. */
void uet_ask(struct sim *, struct host *, struct flow *, bool must);

/* SLEEK: asks the receiver what it has. */
void uet_probe(struct sim *, struct host *, struct flow *);

#endif
