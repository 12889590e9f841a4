/* src/live/controller/controller_memory.h - the state of a controller that survives a restart, in two
 * checksummed copies (live/core/keep.h): its term, the number of the last trial, freezes and rollbacks with
 * the operator, harm and dropped settings, the current setting, the last drill. */
#ifndef LIVE_CONTROLLER_CONTROLLER_MEMORY_H
#define LIVE_CONTROLLER_CONTROLLER_MEMORY_H

#include "live/controller/state.h"

#include <stdbool.h>
#include <stdint.h>

#define CONTROLLER_SAVED_NAME "controller"

/* Reads it at the start: -EBADMSG if both copies are damaged. */
int memory_load(struct controller *);

/* Writes it now; -EIO if the disk cannot be written. Soon: at the next tick. */
int  memory_save(struct controller *, uint64_t now_us);
void memory_save_soon(struct controller *, uint64_t now_us);

/* Takes the next number of a trial, which is then on the disk; false: the disk cannot be written. */
bool memory_number(struct controller *, uint64_t now_us);

/* A trial did harm. After too many of them in too short a time the controller pauses. */
void memory_count_harm(struct controller *, uint64_t now_us);

#endif
