/* src/sim/host/receive.h - the receiver's half of a NIC: what is missing, ACKs and NACKs. */
#ifndef SIM_HOST_RECEIVE_H
#define SIM_HOST_RECEIVE_H

#include "sim/host/nic.h"

/* Data packet 'id' of a queue pair has come. True: it has become its own ACK and is gone; otherwise it stays the
 * caller's. */
bool receive_data(struct sim *, struct host *, uint32_t id, struct packet *);

#endif
