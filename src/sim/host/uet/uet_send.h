/* src/sim/host/uet/uet_send.h - the UET sender: retransmissions before new packets, as credit and window
 * allow.
 */
#ifndef SIM_HOST_UET_UET_SEND_H
#define SIM_HOST_UET_UET_SEND_H

#include "sim/host/uet/uet.h"

/* uet_open() starts a flow; the run fails if there are too many. uet_close() ends it. uet_wake() is called
 * when an idle flow has a message again. */
void uet_open(struct sim *, struct flow *);
void uet_close(struct sim *, const struct flow *);
void uet_wake(struct sim *, struct flow *);

/* Sends one packet. The host's port must be idle, and uet_may_send() true. */
void uet_send(struct sim *, struct host *, uint32_t flow);

/* Marks packet n, which has no record, for retransmission. */
void uet_put_again(struct sim *, struct flow *, uint32_t n);

/* Credit is used up. Sends an RTS if the receiver does not know of all pending bytes, or may wait for more
 * packets before its next ACK. 'must': always send it. */
void uet_ask(struct sim *, struct host *, struct flow *, bool must);

/* SLEEK: sends a probe, to which the receiver replies with an ACK. */
void uet_probe(struct sim *, struct host *, struct flow *);

#endif
