/* src/sim/host/answer.h - the sender handles ACKs, NACKs, CNPs and its retransmission timer. The caller then
 * sends what may be sent. */
#ifndef SIM_HOST_ANSWER_H
#define SIM_HOST_ANSWER_H

#include "sim/host/nic.h"

void answer_on_cnp(struct sim *, struct host *, struct flow *, uint64_t told_ps);

/* An ACK, or a NACK that lets the sender go back. */
void answer_on_ack(struct sim *, struct host *, struct flow *, const struct packet *);

/* Selective repeat: a NACK names a hole. It also acknowledges, but gives no round trip. */
void answer_on_hole(struct sim *, struct host *, struct flow *, const struct packet *);

/* Handles the retransmission timer of a host. Returns whether the NIC should look for something to send. */
bool answer_on_timeout(struct sim *, struct host *);

/* A queue pair sends again all that is not acknowledged. */
void answer_resend(struct sim *, struct host *, struct flow *);

/* Catches up with every flow's timers, before the knobs change. */
void answer_catch_up(struct sim *, struct host *);

#endif
