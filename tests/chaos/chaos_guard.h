/* tests/chaos/chaos_guard.h - the guards of devices (live/guard) as processes of their own: the code of the
 * real ones, on the devices of the history. */
#ifndef TESTS_CHAOS_CHAOS_GUARD_H
#define TESTS_CHAOS_CHAOS_GUARD_H

#include "chaos_world.h"

/* A guard starts with its agent; the hooks of that agent. 'put' writes one value to the device. */
void            chaos_guard_start(struct proc *, int (*put)(struct proc *, const struct knob_set *));
struct io_guard chaos_guard_io(struct proc *);

/* Writes for the agent. -EPIPE: there is no guard. */
int chaos_guard_back(struct proc *, const struct knob_set *);

/* Is there a guard, and does it run? */
bool chaos_guard_is_able(const struct proc *);

void chaos_guard_agent_died(struct proc *);
void chaos_guard_kill(struct proc *);
void chaos_guard_on_timer(struct world *, const struct event *);

/* Is the device still being reverted by the guard of an agent that has died? No other starts before. */
bool chaos_guard_holds(const struct proc *);

/* Why the guard has reverted, or that it has ended, if the agent does not know yet; NULL: no news. */
const char *chaos_guard_news(struct proc *);

#endif
