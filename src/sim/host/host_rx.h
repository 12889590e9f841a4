/* src/sim/host/host_rx.h - what a sender's half (host.c) hands to the receiver's. */
#ifndef SIM_HOST_HOST_RX_H
#define SIM_HOST_HOST_RX_H

#include "sim/sim.h"

/* A data packet of a queue pair has come. */
void host_on_data(struct sim *, struct host *, const struct packet *);

#endif
