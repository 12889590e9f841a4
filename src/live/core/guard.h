/* src/live/core/guard.h - hard guardrails: what reverts a change at once, without statistics.
 *
 * A drop in a lossless class, a pause storm that the watchdog cut off, retransmissions above a multiple of what they were,
 * or a share of time paused that is too high for some intervals in a row. Agents check their own device, so it works with the
 * controller dead.
 */
#ifndef LIVE_CORE_GUARD_H
#define LIVE_CORE_GUARD_H

#include "live/core/msg.h"

struct guard_limits {
    double   retransmit_factor;  /* of the mean while nothing was open */
    uint64_t retransmit_floor;   /* fewer than that in an interval never count */
    double   paused_max;         /* share of the time */
    uint32_t paused_intervals;   /* in a row */
};

#define GUARD_LIMITS { .retransmit_factor = 2, .retransmit_floor = 16, .paused_max = 0.05, .paused_intervals = 2 }

struct guard {
    double   retransmissions;    /* moving average per second, of intervals with nothing open */
    bool     has_average;
    uint32_t paused_in_a_row;
};

/* An interval has ended. Writes what is wrong in one sentence and returns true, or false. is_open: a change was open in it,
 * so it does not tell what is usual. */
bool guard_check(struct guard *, const struct guard_limits *, const struct msg_sample *, bool is_open,
                 char why[MSG_WHY_SIZE]);

#endif
