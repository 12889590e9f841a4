/* src/sim/cc/timer.h - a periodic timer without events.
 *
 * It stores when its current period began and when it ends. Its owner asks later how many periods have ended
 * since. The start decides the order of simultaneous events (struct cc_now), and a new period length must not
 * affect the current period.
 */
#ifndef SIM_CC_TIMER_H
#define SIM_CC_TIMER_H

#include "sim/cc/cc.h"
#include "core/units.h"

struct cc_timer { uint64_t from_ps, at_ps; };    /* at_ps == NEVER: stopped */

static inline void cc_timer_start(struct cc_timer *t, uint64_t from_ps, uint64_t period_ps)
{
    t->from_ps = from_ps;
    t->at_ps = from_ps + period_ps;
}

static inline void cc_timer_stop(struct cc_timer *t)
{
    *t = (struct cc_timer){ .at_ps = NEVER };
}

/* Returns true if the current period has ended by now. */
static inline bool cc_timer_ended(const struct cc_timer *t, struct cc_now now)
{
    return cc_expired(now, t->at_ps, t->at_ps - t->from_ps);
}

/* Returns the end of the current period as a 'now': timers that end at the same time but began earlier have
 * run. */
static inline struct cc_now cc_timer_instant(const struct cc_timer *t)
{
    return (struct cc_now){ .ps = t->at_ps, .since_ps = t->from_ps };
}

/* Ends all periods that are over by now and starts the next. The current one keeps its length, later ones
 * take period_ps. Returns how many ended. Takes constant time. */
static inline uint64_t cc_timer_run(struct cc_timer *t, struct cc_now now, uint64_t period_ps)
{
    uint64_t more;

    if (!cc_timer_ended(t, now))
        return 0;
    more = now.ps - t->at_ps;
    more = more < period_ps ? 0 : more / period_ps;      /* usually 0: avoids the division */
    if (more > 0 && !cc_expired(now, t->at_ps + more * period_ps, period_ps))
        more--;
    cc_timer_start(t, t->at_ps + more * period_ps, period_ps);
    return more + 1;
}

#endif
