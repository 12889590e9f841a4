/* src/scenario/scenario_hpcc.h - converts a config file of the HPCC or ConWeave ns-3 forks: network,
 * settings and flows. */
#ifndef SCENARIO_SCENARIO_HPCC_H
#define SCENARIO_SCENARIO_HPCC_H

#include "base/reader.h"
#include "scenario/made.h"

/* Keys of the scenario, which override the config. */
struct scenario_given { bool seed, lb, cc; };

void scenario_read_hpcc(struct reader *, struct scenario *, const struct yaml_node *, struct scenario_given);

#endif
