/* tests/chaos/process.h - agents, controllers and relays as processes that can be killed at any access to
 * disk or device. */
#ifndef TESTS_CHAOS_PROCESS_H
#define TESTS_CHAOS_PROCESS_H

#include "chaos_world.h"

/* Starts or restarts a process from the state on its disk. */
void process_start(struct world *, struct proc *);

/* Kills a process. It restarts after a while, unless it is gone. */
void process_kill(struct world *, struct proc *);

/* Frees the memory of its state machines. */
void process_fini(struct proc *);

/* Handles GO_ON: a process goes on after a stall. */
void process_go_on(struct world *, const struct event *);

/* Handles TICK, TIMER, MSG or CUT of a process. */
void process_on_event(struct world *, const struct event *);

#endif
