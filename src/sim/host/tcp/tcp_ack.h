/* src/sim/host/tcp/tcp_ack.h - the TCP sender handles ACKs: arrivals, losses and the window. */
#ifndef SIM_HOST_TCP_TCP_ACK_H
#define SIM_HOST_TCP_TCP_ACK_H

#include "sim/host/tcp/tcp.h"

void tcp_on_ack(struct sim *, struct host *, struct flow *, const struct packet *);

#endif
