/* src/sim/run.h - lets a part of the world run, event by event. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "sim/state/state.h"

/* The events of a part, but for ports, hosts and packets: there are not more of them. */
uint32_t run_events_most(const struct sim *);

/* Makes the events of a part that has been built, and says who owns each. */
void run_build_events(struct sim *, struct arena *);

/* Runs the events up to and including until_ps. It ends before if the engine fails. */
void run_part(struct sim *, uint64_t until_ps);

#endif
