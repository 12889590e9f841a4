/* src/scenario/rlcc.h - the key rlcc: what the learned rate control decides by. */
#ifndef SCENARIO_RLCC_H
#define SCENARIO_RLCC_H

#include "base/reader.h"
#include "scenario/made.h"

/* rlcc: NAME, or a map, or nothing. The model is read here, so that what is wrong with it is told with the place that
 * names it. With another congestion control nothing is read. */
void scenario_read_rlcc(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_rlcc_fini(struct scenario *);

#endif
