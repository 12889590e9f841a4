/* src/cc/timer.h - a periodic timer that nobody runs.
 *
 * It knows when its running period began and when that ends. Its owner asks
 * later how often it has ended since. The begin is kept because it decides who
 * comes first at the same instant (struct cc_now), and because a new length of
 * period must not touch the one that is running.
 */
#ifndef CC_TIMER_H
#define CC_TIMER_H

#include "cc/cc.h"
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

/* Has the running period ended by now? */
static inline bool cc_timer_ended(const struct cc_timer *t, struct cc_now now)
{
    return cc_expired(now, t->at_ps, t->at_ps - t->from_ps);
}

/* The instant at which the running period ends, for whom that is 'now': timers that end with it but
 * began earlier have run. */
static inline struct cc_now cc_timer_instant(const struct cc_timer *t)
{
    return (struct cc_now){ .ps = t->at_ps, .since_ps = t->from_ps };
}

/* Lets all periods end that have ended by now and begins the next; the running one keeps its length,
 * later ones take period_ps. Returns how many ended. Takes the same time for one as for a million. */
static inline uint64_t cc_timer_run(struct cc_timer *t, struct cc_now now, uint64_t period_ps)
{
    uint64_t more;

    if (!cc_timer_ended(t, now))
        return 0;
    more = now.ps - t->at_ps;
    more = more < period_ps ? 0 : more / period_ps;      /* mostly 0: spare the division */
    if (more > 0 && !cc_expired(now, t->at_ps + more * period_ps, period_ps))
        more--;
    cc_timer_start(t, t->at_ps + more * period_ps, period_ps);
    return more + 1;
}

#endif
