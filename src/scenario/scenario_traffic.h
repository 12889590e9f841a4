/* src/scenario/scenario_traffic.h - the list 'traffic'. */
#ifndef SCENARIO_SCENARIO_TRAFFIC_H
#define SCENARIO_SCENARIO_TRAFFIC_H

#include "base/reader.h"
#include "scenario/made.h"

void scenario_read_traffic(struct reader *, struct scenario *, const struct section *root);

/* Reads a flow list from the file 'path' instead; 'node' names it. */
void scenario_read_flows(struct reader *, struct scenario *, const struct yaml_node *, const char *path);

#endif
