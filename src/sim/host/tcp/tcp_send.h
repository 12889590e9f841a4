/* src/sim/host/tcp/tcp_send.h - the TCP sender: turns, bursts, wake-ups of the stack, and the timer. */
#ifndef SIM_HOST_TCP_TCP_SEND_H
#define SIM_HOST_TCP_TCP_SEND_H

#include "sim/host/tcp/tcp.h"

void tcp_start(struct sim *, struct host *, struct flow *);

/* Ends a flow that is completely acknowledged. */
void tcp_finish(struct sim *, struct host *, struct flow *);

/* Handle the timer of a host's flows, and the time at which its stack handles ACKs. The caller then sends
 * packets that are allowed to go. */
void tcp_on_timer(struct sim *, struct host *);
void tcp_on_wake(struct sim *, struct host *);

/* Sends one TCP packet, if it is TCP's turn. Returns false if nothing was sent: it is the turn of the queue
 * pairs, if they have something to send (has_rdma). */
bool tcp_send(struct sim *, struct host *, bool has_rdma);

/* Returns the size of the largest burst that a flow sends now, in packets. */
uint64_t tcp_full_burst(const struct tcp_tx *);

/* Schedules the stack to handle a flow soon, if it will have something to do. */
void tcp_wake(struct sim *, struct host *, struct flow *);

/* Restarts the retransmission timer of a flow. */
void tcp_restart_timer(struct sim *, const struct flow *);

void tcp_check(const struct sim *, const struct host *);

#endif
