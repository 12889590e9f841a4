/* src/sim/host/receive.h - the receiver's half of a NIC: what is missing, ACKs and NACKs. */
#ifndef SIM_HOST_RECEIVE_H
#define SIM_HOST_RECEIVE_H

#include "sim/host/nic.h"

/* A data packet of a queue pair has come. */
void receive_data(struct sim *, struct host *, const struct packet *);

#endif
