/* src/scenario/watch.h - the sections monitor, tuner and fidelity. */
#ifndef SCENARIO_WATCH_H
#define SCENARIO_WATCH_H

#include "base/reader.h"
#include "scenario/made.h"

void scenario_read_monitor(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_read_tuner(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_tuner_fini(struct scenario_tuner *);

/* Called when all other sections but the traffic have been read: some of them do not go with it. */
void scenario_read_fidelity(struct reader *, struct scenario *, const struct yaml_node *);

#endif
