/* src/sim/host/tcp/tcp_receive.h - TCP's receiving: what is kept, and when it is acknowledged. */
#ifndef SIM_HOST_TCP_TCP_RECEIVE_H
#define SIM_HOST_TCP_TCP_RECEIVE_H

#include "sim/host/tcp/tcp.h"

void tcp_on_data(struct sim *, struct host *, const struct packet *);

#endif
