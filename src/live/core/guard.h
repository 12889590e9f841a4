/* src/live/core/guard.h - hard guardrails: conditions that revert a change at once, without statistics.
 *
 * A drop in a lossless class, a pause storm that the watchdog cut off, retransmissions above a multiple of
 * the normal count, or pauses far above normal for some intervals in a row. Agents check their own device,
 * so guardrails work without a controller.
 *
 * Pauses are compared with a reference, because the fabrics that need tuning most are paused all the time.
 * The reference r is the larger of two fractions of time: the pauses of this device while no change was
 * open, and the current pauses of the control group (devices without the change), which leases carry. A
 * breach is more than
 *
 *     min(r + max(floor, r), (1 + r) / 2)
 *
 * that is, twice the reference, but at least the floor of 5 points more, and never more than half of the
 * remaining time: 5 % without pauses, 40 % at 20 %, 90 % at 80 %. Thus neither a load that rises everywhere
 * ends a trial, nor a device that has always been paused more than others.
 *
 * Events that a device does not count cannot be guarded: guard_blind() reports this. A counter that a
 * device had when the change began must stay: if it is unknown for some intervals, that is a breach, too.
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
    uint32_t gone_intervals;     /* in a row: a counter is unknown for so long at most */
};

#define GUARD_LIMITS                                                                              \
    {                                                                                             \
        .retransmit_factor = 2, .retransmit_floor = 16, .paused_max = 0.05, .paused_intervals = 2, \
        .gone_intervals = 3                                                                       \
    }

#define GUARD_COUNTERS 4         /* pauses, drops, storms, retransmissions */

struct guard {                   /* moving averages of intervals with nothing open */
    double   retransmissions;    /* per second */
    double   paused;             /* share of the time */
    bool     has_average, has_paused;
    uint32_t paused_in_a_row;
    bool     has[GUARD_COUNTERS];                /* the device has this counter */
    uint32_t gone[GUARD_COUNTERS];               /* for so many intervals it has been unknown */
};

/* An interval has ended. Returns true and writes the breach as one sentence, or returns false. is_open: a
 * change was open, so the interval does not update the normal values. control: fraction of time that the
 * control group is paused; NAN: unknown. */
bool guard_check(struct guard *, const struct guard_limits *, const struct msg_sample *, bool is_open,
                 double control, char why[MSG_WHY_SIZE]);

/* What no guardrail can see at this device: "pauses, lossless drops". "": they see all. Returns buf. */
char *guard_blind(char *buf, size_t size, const struct msg_sample *);

#endif
