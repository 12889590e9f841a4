/* src/live/daemon/guarded.h - a device whose writes pass through its guard (live/guard).
 *
 * The agent reads the device itself, and writes nothing: a write that hangs hangs in the guard. Only if no
 * guard can be started does the agent revert by itself, and then it tries nothing.
 */
#ifndef LIVE_DAEMON_GUARDED_H
#define LIVE_DAEMON_GUARDED_H

#include "live/driver/driver.h"
#include "live/guard/guard_link.h"

struct guarded {
    const struct driver *driver;
    void *state; /* of the driver */
    const char *name;
    int lock_fd;          /* of the folder of the agent's files; -1: none */
    uint64_t patience_us; /* an agent that is silent for so long hangs */
    struct guard_link link;
    char why[200];    /* there is no guard: why; "": there is */
    bool has_changed; /* 'why' has, since the last look */
};

/* Can devices of this driver have a guard? */
bool guarded_is_possible(const struct driver *);

/* Starts the guard. A failure is not fatal: see 'why'. The other fields must be set. */
void guarded_open(struct guarded *);
void guarded_close(struct guarded *);

/* Hears the guard, and replaces one that has ended. Returns why it took the open change back; NULL: it did
 * not. */
const char *guarded_look(struct guarded *);
uint64_t guarded_timer_us(const struct guarded *); /* when a guard is to be replaced; NEVER */

struct io_guard guarded_io(struct guarded *);
int guarded_write(void *guarded, const struct knob_set *); /* of struct io_device */

#endif
