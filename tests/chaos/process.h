/* tests/chaos/process.h - agents, controllers and relays as processes that can be killed at any access to
 * disk or device. */
#ifndef TESTS_CHAOS_PROCESS_H
#define TESTS_CHAOS_PROCESS_H

#include "chaos_world.h"

/* Starts it, or starts it again, from what is on its disk. */
void process_start(struct world *, struct proc *);

/* Ends it; it starts again after a while, unless it is gone. */
void process_kill(struct world *, struct proc *);

/* Frees what its state machines hold. */
void process_fini(struct proc *);

/* TICK, TIMER, MSG or CUT of a process. */
void process_on_event(struct world *, const struct event *);

#endif
