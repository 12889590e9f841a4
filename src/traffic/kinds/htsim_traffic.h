/* src/traffic/kinds/htsim_traffic.h - API for connections with triggers. Hosts are node numbers; arguments
 * must be valid. */
#ifndef TRAFFIC_KINDS_HTSIM_TRAFFIC_H
#define TRAFFIC_KINDS_HTSIM_TRAFFIC_H

#include "net/flow_list.h"
#include "traffic/traffic_flow.h"

/* Adds the flows of a connection matrix and takes ownership of it. Its host i is the graph's i-th host. Times
 * in the matrix are relative to start. A triggered flow starts delay_ps after the trigger fires; delay_ps
 * must be at least a link's delay. */
void traffic_add_matrix(struct traffic *, const struct traffic_common *, struct flow_matrix *,
                        uint64_t delay_ps);

#endif
