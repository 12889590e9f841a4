/* tests/chaos/chaos_check.h - the promises of result.h, checked from outside. */
#ifndef TESTS_CHAOS_CHAOS_CHECK_H
#define TESTS_CHAOS_CHAOS_CHECK_H

#include "chaos_world.h"

/* A message is about to reach an agent; it has been handled, and the agent lives. */
void check_before_msg(struct world *, uint32_t device, const struct msg *);
void check_after_msg(struct world *, uint32_t device, const struct msg *);

/* Its agent wrote a line; is about to write a setting, and a value of it; an operator has set a value; its
 * agent was killed. */
void check_log_line(struct world *, uint32_t device, const char *line, size_t length);
void check_set(struct world *, uint32_t device, const struct knob_set *);
void check_write(struct world *, uint32_t device, enum knob, double value);
void check_foreign(struct world *, uint32_t device, enum knob, double value);
void check_kill(struct world *, uint32_t device);

/* A controller is killed; hears something; sends a message; writes a line; a person has ordered something,
 * and it said so. */
void check_kill_controller(struct world *, struct proc *);
void check_heard(struct world *, struct proc *, const struct event *);
void check_command(struct world *, const struct proc *, uint32_t link, const struct msg *);
void check_controller_line(struct world *, struct proc *, const char *line, size_t length);
void check_order(struct world *, struct proc *, const char *verb, int rc);

/* A person approves this setting. */
void check_approval(struct world *, const struct knob_set *);

/* After every event. */
void check_all(struct world *);

/* Nothing has gone wrong for a while, and controllers are about to leave; all is quiet. */
void check_leave(struct world *);
void check_end(struct world *);

/* A process cannot go on. */
void check_stuck(struct world *, const struct proc *, const char *why);

#endif
