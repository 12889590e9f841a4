/* src/work/traffic/kinds/htsim_traffic.h - API for connections with triggers. Hosts are node numbers;
 * arguments must be valid. */
#ifndef WORK_TRAFFIC_KINDS_HTSIM_TRAFFIC_H
#define WORK_TRAFFIC_KINDS_HTSIM_TRAFFIC_H

#include "work/net/flow_list.h"
#include "work/traffic/traffic_flow.h"

/* Adds the flows of a connection matrix and takes ownership of it. Its host i is the graph's i-th host. Times
 * in the matrix are relative to start. A triggered flow starts delay_ps after the trigger fires; delay_ps
 * must be at least a link's delay. */
void traffic_add_matrix(struct traffic *, const struct traffic_common *, struct flow_matrix *,
                        uint64_t delay_ps);

#endif
