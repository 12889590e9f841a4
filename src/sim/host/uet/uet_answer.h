/* src/sim/host/uet/uet_answer.h - the answers that a UET sender gets: ACKs, NACKs, pulls; and what it does
 * without any. */
#ifndef SIM_HOST_UET_UET_ANSWER_H
#define SIM_HOST_UET_UET_ANSWER_H

#include "sim/host/uet/uet.h"

void uet_on_answer(struct sim *, struct host *, struct flow *, const struct packet *);

/* The same for a persistent connection without a message: credit may still arrive. */
void uet_on_idle_answer(struct sim *, struct flow *, const struct packet *);

/* Sends again what has timed out, and asks where nothing is on its way. The time-out doubles while nothing
 * arrives: with a constant one that is shorter than the round trip, copies could fill all queues for ever.
 * Returns when to look again. */
uint64_t uet_on_timeout(struct sim *, struct host *, struct flow *);

#endif
