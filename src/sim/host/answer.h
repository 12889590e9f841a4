/* src/sim/host/answer.h - the sender handles ACKs, NACKs, CNPs and its retransmission timer. The caller then
 * sends packets that are allowed to go.
 */
#ifndef SIM_HOST_ANSWER_H
#define SIM_HOST_ANSWER_H

#include "sim/host/nic.h"

void answer_on_cnp(struct sim *, struct host *, struct flow *, uint64_t told_ps);

/* Handles an ACK, or a NACK that makes the sender go back. */
void answer_on_ack(struct sim *, struct host *, struct flow *, const struct packet *);

/* Selective repeat: handles a NACK that names a hole. It also acknowledges, but yields no round trip. */
void answer_on_hole(struct sim *, struct host *, struct flow *, const struct packet *);

/* Handles the retransmission timer of a host. Returns true if the NIC should look for something to send. */
bool answer_on_timeout(struct sim *, struct host *);

/* Makes a queue pair retransmit everything that is not acknowledged. */
void answer_resend(struct sim *, struct host *, struct flow *);

/* Runs every flow's congestion control timers up to now. Call it before the knobs change. */
void answer_catch_up(struct sim *, struct host *);

#endif
