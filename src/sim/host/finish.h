/* src/sim/host/finish.h - the sender knows that messages have arrived. */
#ifndef SIM_HOST_FINISH_H
#define SIM_HOST_FINISH_H

#include "sim/host/nic.h"

/* All of a flow that is not persistent is acknowledged. */
void finish_flow(struct sim *, struct host *, struct flow *);

/* Ends the acknowledged messages of a persistent queue pair. Returns whether it is idle now. */
bool finish_messages(struct sim *, struct host *, struct flow *);

#endif
