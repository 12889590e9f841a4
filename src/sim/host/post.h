/* src/sim/host/post.h - a message is posted: a flow starts. */
#ifndef SIM_HOST_POST_H
#define SIM_HOST_POST_H

#include "sim/host/nic.h"

/* Starts a flow now, unless there are too many: then the run has failed. Sending it is the caller's. */
void post_flow(struct sim *, struct host *, const struct flow_spec *);

#endif
