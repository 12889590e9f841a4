/* src/scenario/traffic.h - the list 'traffic'. */
#ifndef SCENARIO_TRAFFIC_H
#define SCENARIO_TRAFFIC_H

#include "base/reader.h"
#include "scenario/made.h"

void scenario_read_traffic(struct reader *, struct scenario *, const struct section *root);

/* Instead: the flows of the list in the file 'path', which is named at 'node'. */
void scenario_read_flows(struct reader *, struct scenario *, const struct yaml_node *, const char *path);

#endif
