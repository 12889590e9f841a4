/* src/live/core/guard.h - hard guardrails: what reverts a change at once, without statistics.
 *
 * A drop in a lossless class, a pause storm that the watchdog cut off, retransmissions above a multiple of
 * what is usual, or pauses far above what is usual for some intervals in a row. Agents check their own
 * device, so it works with the controller dead.
 *
 * Pauses are compared, because fabrics that need tuning most are paused all the time. The reference r is
 * the larger of two shares of the time: what this device was paused while nothing was open, and what the
 * control group, devices without the change, is paused now, as the controller's leases say. A breach is
 * more than
 *
 *     min(r + max(floor, r), (1 + r) / 2)
 *
 * that is twice the reference, but at least the floor of 5 points more, and never more than half of the
 * time that is left. Of a fabric without pauses it is 5 %, of one that is paused for 20 % of the time 40
 * %, for 80 % of the time 90 %. The control group keeps a load that rises everywhere from ending a trial;
 * the device's own usual keeps one that has always been paused more than others from it.
 *
 * What a device does not count cannot be guarded: guard_blind() says so.
 */
#ifndef LIVE_CORE_GUARD_H
#define LIVE_CORE_GUARD_H

#include "live/core/msg.h"

#include <stddef.h>

struct guard_limits {
    double   retransmit_factor;  /* of the mean while nothing was open */
    uint64_t retransmit_floor;   /* fewer than that in an interval never count */
    double   paused_max;         /* the floor: share of the time beyond the reference */
    uint32_t paused_intervals;   /* in a row */
};

#define GUARD_LIMITS                                                                              \
    {                                                                                             \
        .retransmit_factor = 2, .retransmit_floor = 16, .paused_max = 0.05, .paused_intervals = 2 \
    }

struct guard {                   /* moving averages of intervals with nothing open */
    double   retransmissions;    /* per second */
    double   paused;             /* share of the time */
    bool     has_average, has_paused;
    uint32_t paused_in_a_row;
};

/* An interval has ended. Writes what is wrong in one sentence and returns true, or false. is_open: a
 * change was open in it, so it does not tell what is usual. control: the share of the time that the
 * control group is paused; NAN: not known. */
bool guard_check(struct guard *, const struct guard_limits *, const struct msg_sample *, bool is_open,
                 double control, char why[MSG_WHY_SIZE]);

/* What no guardrail can see at this device: "pauses, lossless drops". "": they see all. Returns buf. */
char *guard_blind(char *buf, size_t size, const struct msg_sample *);

#endif
