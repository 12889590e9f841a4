/* src/live/daemon/answer.h - what a controller answers to `anole ctl`. */
#ifndef LIVE_DAEMON_ANSWER_H
#define LIVE_DAEMON_ANSWER_H

#include "live/controller/controller.h"
#include "live/wire/codec.h"

/* Does what is asked for. Returns JSON, malloc'd, or NULL and the reason. 'log' is the file of the audit log. */
char *answer_to(struct controller *, const struct question *, const char *who, const char *log, uint64_t now_us, struct err *);

#endif
