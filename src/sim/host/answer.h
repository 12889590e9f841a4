/* src/sim/host/answer.h - what a sender does when it is answered, or is not: ACKs, NACKs, CNPs and the
 * retransmission timer. What may go then is for the caller to send.
 */
#ifndef SIM_HOST_ANSWER_H
#define SIM_HOST_ANSWER_H

#include "sim/host/nic.h"

void answer_on_cnp(struct sim *, struct host *, struct flow *, uint64_t told_ps);

/* An ACK, or a NACK that lets the sender go back. */
void answer_on_ack(struct sim *, struct host *, struct flow *, const struct packet *);

/* Selective repeat: a hole is named. It tells what was acknowledged as well, but no round trip. */
void answer_on_hole(struct sim *, struct host *, struct flow *, const struct packet *);

/* The retransmission timer of a host: what has waited too long is to be sent again. Returns whether the NIC
 * is to look for something to send. */
bool answer_on_timeout(struct sim *, struct host *);

/* A queue pair sends again all that is not acknowledged. */
void answer_resend(struct sim *, struct host *, struct flow *);

/* Catches up with every flow's timers, before the knobs change. */
void answer_catch_up(struct sim *, struct host *);

#endif
