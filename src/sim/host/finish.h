/* src/sim/host/finish.h - the sender completes acknowledged messages. */
#ifndef SIM_HOST_FINISH_H
#define SIM_HOST_FINISH_H

#include "sim/host/nic.h"

/* Ends a flow that is not persistent and completely acknowledged. */
void finish_flow(struct sim *, struct host *, struct flow *);

/* Completes the acknowledged messages of a persistent queue pair. Returns true if it is idle now. */
bool finish_messages(struct sim *, struct host *, struct flow *);

#endif
