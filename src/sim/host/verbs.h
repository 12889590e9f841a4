/* src/sim/host/verbs.h - SEND and UD.
 *
 * A SEND consumes a receive that the destination has posted on the queue pair. cfg.receives limits their
 * number; each is reposted repost_ps after its message has arrived. A message whose first packet finds no
 * receive is refused by a NACK (RNR, receiver not ready). Its sender goes back to it and waits rnr_ps. It
 * retries forever, like a real queue pair with rnr_retry 7. Go-back-N only.
 *
 * A datagram (UD) is one packet. It is not acknowledged or retransmitted and has no congestion control. For
 * its sender it is done when its last byte has left; the receiver's job is notified if it arrives. Each queue
 * pair for datagrams is a separate persistent flow. As the sender forgets a datagram at once, the packet
 * identifies it:
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

/* Returns true if the packet is a datagram, and reports it to its receiver. */
bool verbs_take_datagram(struct sim *, const struct packet *);

#endif
