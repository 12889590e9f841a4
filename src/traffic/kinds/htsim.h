/* src/traffic/kinds/htsim.h - connections that wait for others, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_HTSIM_H
#define TRAFFIC_KINDS_HTSIM_H

#include "net/flow_matrix.h"
#include "traffic/flow.h"

/* The flows of a matrix of connections, which is taken over: its host i is the i-th host of the
 * graph. Times of the matrix count from start. A flow that waits for a trigger starts delay_ps after it is fired;
 * delay_ps is not less than the delay of a link. */
void traffic_add_matrix(struct traffic *, const struct traffic_common *, struct flow_matrix *, uint64_t delay_ps);

#endif
