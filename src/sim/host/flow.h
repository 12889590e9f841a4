/* src/sim/host/flow.h - the indices of flows, and what is told of their ends. */
#ifndef SIM_HOST_FLOW_H
#define SIM_HOST_FLOW_H

#include "sim/host/nic.h"

/* An index for a new flow; 0: there is none left, and the run has failed. */
uint32_t flow_take(struct sim *);

/* The run fails: there are more than 'most' flows at once. */
void flow_fail(struct engine *, uint64_t most);

/* The last byte has come to its destination. */
void flow_on_arrival(struct sim *, const struct flow *);

/* The source knows that, and the flow, or its oldest message, is over: tells whoever asked, and gives its index back
 * unless it lives on. */
void flow_end(struct sim *, struct flow *);

/* Of a flow that still had bytes to send when it ended: they are sent, and its index is given back. */
void flow_retire(struct sim *, struct flow *);

#endif
