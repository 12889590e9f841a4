/* src/scenario/scenario_watch.h - the sections monitor, tuner and fidelity. */
#ifndef SCENARIO_SCENARIO_WATCH_H
#define SCENARIO_SCENARIO_WATCH_H

#include "base/reader.h"
#include "scenario/made.h"

void scenario_read_monitor(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_read_tuner(struct reader *, struct scenario *, const struct yaml_node *);
void scenario_tuner_fini(struct scenario_tuner *);

/* Call it after all sections except traffic: some of them exclude fidelity fast. */
void scenario_read_fidelity(struct reader *, struct scenario *, const struct yaml_node *);

#endif
