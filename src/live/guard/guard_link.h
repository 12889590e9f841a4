/* src/live/guard/guard_link.h - an agent's end of the guard of one device: starts it, sends orders, hears
 * answers.
 *
 * An order waits for its answer for a moment only. A device that hangs in write() keeps its guard busy, and
 * the agent goes on with the others.
 */
#ifndef LIVE_GUARD_GUARD_LINK_H
#define LIVE_GUARD_GUARD_LINK_H

#include "base/err.h"
#include "live/guard/guard_frame.h"

#include <stdbool.h>
#include <sys/types.h>

struct guard_link {
    int         fd;                      /* -1: there is no guard */
    pid_t       pid;
    uint32_t    number, pending;         /* pending: the order that was not answered in time; 0: none */
    uint64_t    asked_us;                /* when it was asked that */
    uint64_t    retry_us;                /* when a guard that has ended is replaced */
    bool        is_locked;               /* its memory cannot be swapped out */
    enum guard_why news;                 /* a trial was taken back; GUARD_NO_WHY: no news */
};

/* Starts anole-guard, which lies beside this program; 'fd' was -1, and all else 0 or that of the last
 * guard. -EBUSY: the last one was killed, and still hangs in the device. */
int  guard_link_open(struct guard_link *, struct err *);
/* Says how long this agent may be silent, and shares the lock of its folder (-1: none). */
int  guard_link_greet(struct guard_link *, int lock_fd, uint64_t patience_us);
void guard_link_close(struct guard_link *);      /* the guard reverts what is open, and ends */

/* Sends an order and waits for its result. 'f' has its lines and time. -ETIMEDOUT: not within half a
 * second; -EBUSY: an earlier order is not done yet; -EPIPE: the guard has ended. KEEP has no answer. */
int guard_link_ask(struct guard_link *, struct guard_frame *f, enum guard_order);

/* Was it killed, and hangs in the device all the same? */
bool guard_link_is_stuck(struct guard_link *);

/* Takes what the guard has said unasked. Returns false if it has ended, or was killed because it owed an
 * answer for three seconds: fd is -1. */
bool guard_link_hear(struct guard_link *);

const char *guard_why_text(enum guard_why);

#endif
