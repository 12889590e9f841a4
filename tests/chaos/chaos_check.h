/* tests/chaos/chaos_check.h - checks the promises of result.h from outside. */
#ifndef TESTS_CHAOS_CHAOS_CHECK_H
#define TESTS_CHAOS_CHAOS_CHECK_H

#include "chaos_world.h"

/* Call these before a message reaches an agent, and after the agent has handled it and is still alive. */
void check_before_msg(struct world *, uint32_t device, const struct msg *);
void check_after_msg(struct world *, uint32_t device, const struct msg *);

/* Called when the device's agent wrote a log line; is about to write a setting, and a value of it; when an
 * operator has set a value; when its agent was killed. */
void check_log_line(struct world *, uint32_t device, const char *line, size_t length);
void check_set(struct world *, uint32_t device, const struct knob_set *);
void check_write(struct world *, uint32_t device, enum knob, double value);
void check_foreign(struct world *, uint32_t device, enum knob, double value);
void check_kill(struct world *, uint32_t device);

/* Called when a controller is killed, receives an event, sends a message, writes a log line, and when an
 * operator has given an order that it confirmed. */
void check_kill_controller(struct world *, struct proc *);
void check_heard(struct world *, struct proc *, const struct event *);
void check_command(struct world *, const struct proc *, uint32_t link, const struct msg *);
void check_controller_line(struct world *, struct proc *, const char *line, size_t length);
void check_order(struct world *, struct proc *, const char *verb, int rc);

/* An operator approves this setting. */
void check_approval(struct world *, const struct knob_set *);

/* Checks all promises. Call it after every event. */
void check_all(struct world *);

/* check_leave(): there were no faults for a while, and controllers are about to leave. check_end(): the end
 * of the history. */
void check_leave(struct world *);
void check_end(struct world *);

/* A process cannot continue. */
void check_stuck(struct world *, const struct proc *, const char *why);

#endif
