/* src/standin/chaos/check.h - the promises of chaos.h, checked from outside. */
#ifndef STANDIN_CHAOS_CHECK_H
#define STANDIN_CHAOS_CHECK_H

#include "standin/chaos/world.h"

/* A message is about to reach an agent; it has been handled, and the agent lives. */
void check_before_msg(struct world *, uint32_t device, const struct msg *);
void check_after_msg(struct world *, uint32_t device, const struct msg *);

/* Its agent wrote a line; is about to write a value; somebody else has set one; its agent was killed. */
void check_log_line(struct world *, uint32_t device, const char *line, size_t length);
void check_write(struct world *, uint32_t device, enum knob, double value);
void check_foreign(struct world *, uint32_t device, enum knob, double value);
void check_kill(struct world *, uint32_t device);

/* After every event. */
void check_all(struct world *);

/* All is quiet. */
void check_end(struct world *);

#endif
