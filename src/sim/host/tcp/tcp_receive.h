/* src/sim/host/tcp/tcp_receive.h - the TCP receiver: keeps packets and acknowledges them. */
#ifndef SIM_HOST_TCP_TCP_RECEIVE_H
#define SIM_HOST_TCP_TCP_RECEIVE_H

#include "sim/host/tcp/tcp.h"

void tcp_on_data(struct sim *, struct host *, const struct packet *);

#endif
