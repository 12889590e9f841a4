/* src/sim/host/tcp/tcp_send.h - TCP's sending: turns, bursts, the stack that wakes up and the timer. */
#ifndef SIM_HOST_TCP_TCP_SEND_H
#define SIM_HOST_TCP_TCP_SEND_H

#include "sim/host/tcp/tcp.h"

void tcp_start(struct sim *, struct host *, struct flow *);

/* All of a flow is acknowledged. */
void tcp_finish(struct sim *, struct host *, struct flow *);

/* The timer of a host's flows; the moment at which its stack looks at ACKs. What may go then is for the
 * caller to send. */
void tcp_on_timer(struct sim *, struct host *);
void tcp_on_wake(struct sim *, struct host *);

/* Sends one packet of TCP, if it is TCP's turn. False: nothing was sent; it is the turn of the queue pairs,
 * if they have something to send (has_rdma). */
bool tcp_send(struct sim *, struct host *, bool has_rdma);

/* Packets of the largest burst that a flow sends now. */
uint64_t tcp_full_burst(const struct tcp_tx *);

/* Lets the stack look at a flow soon, if there will be something to do. */
void tcp_wake(struct sim *, struct host *, struct flow *);

/* The time-out of a flow counts from now. */
void tcp_restart_timer(struct sim *, const struct flow *);

void tcp_check(const struct sim *, const struct host *);

#endif
