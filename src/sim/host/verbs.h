/* src/sim/host/verbs.h - SEND and UD.
 *
 * A SEND takes a receive that the destination has posted on the queue pair. With cfg.receives there are so
 * many; each is posted again repost_ps after its message has arrived. A message whose first packet finds
 * none is refused by a NACK (RNR, receiver not ready). Its sender goes back to it and waits rnr_ps. It
 * retries for ever, as rnr_retry 7 of a real queue pair. Go-back-N only.
 *
 * A datagram (UD) is one packet. It is not acknowledged or repeated and has no congestion control. For its
 * sender it is over when its last byte has left; the receiver's job hears of it if it arrives. Each queue
 * pair of datagrams is a persistent flow of its own. As the sender forgets a datagram at once, the packet
 * says what it is:
 *
 *     seq        when it was posted
 *     sent_ps    its tag
 */
#ifndef SIM_HOST_VERBS_H
#define SIM_HOST_VERBS_H

#include "sim/host/nic.h"

/* A message of this flow is posted. */
void verbs_on_post(struct sim *, const struct flow_spec *);

/* With SENT_VERB: completes a packet that is about to leave. */
void verbs_complete(const struct sim *, const struct flow *, struct packet *);

/* Returns whether the packet is a datagram, after telling its receiver. */
bool verbs_take_datagram(struct sim *, const struct packet *);

#endif
