/* src/sim/host/uet/uet_answer.h - the UET sender handles ACKs, NACKs, pulls and timeouts. */
#ifndef SIM_HOST_UET_UET_ANSWER_H
#define SIM_HOST_UET_UET_ANSWER_H

#include "sim/host/uet/uet.h"

void uet_on_answer(struct sim *, struct host *, struct flow *, const struct packet *);

/* Same for an idle persistent connection: credit may still arrive. */
void uet_on_idle_answer(struct sim *, struct flow *, const struct packet *);

/* Retransmits packets that have timed out, and sends a request if nothing is in flight. The timeout doubles
 * while nothing arrives: a constant timeout shorter than the round trip could fill all queues with duplicates
 * forever. Returns the time of the next check. */
uint64_t uet_on_timeout(struct sim *, struct host *, struct flow *);

#endif
