/* src/work/traffic/kinds/flows.h - API for flow lists. Hosts are node numbers; arguments must be valid. */
#ifndef WORK_TRAFFIC_KINDS_FLOWS_H
#define WORK_TRAFFIC_KINDS_FLOWS_H

#include "base/reader.h"
#include "work/net/flow_list.h"
#include "work/traffic/traffic_flow.h"
#include "work/traffic/read.h"

/* Adds the flows of a list and takes ownership of it. */
void traffic_add_list(struct traffic *, struct flow_list *);

/* Adds an entry for the flow list in file 'path', which no section of the scenario describes. */
void traffic_read_list(struct reader *, const struct yaml_node *, const char *path,
                       const struct traffic_env *, struct traffic *, struct traffic_about *);

#endif
