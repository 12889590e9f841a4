/* src/sim/cc/test_dcqcn.h - common parts of DCQCN tests: the three timers as separate events, for a reference
 * implementation that runs every tick, and times at which it may be compared with the real one.
 */
#ifndef SIM_CC_TEST_DCQCN_H
#define SIM_CC_TEST_DCQCN_H

#include "base/rng.h"
#include "sim/cc/test_flow.h"

enum { ALPHA, DECREASE, INCREASE, EVENTS };

struct timer_event { bool armed; uint64_t at_ps, scheduled_ps; };

/* Returns the first armed event, ordered by time, then by when it was scheduled, then alpha first; or -1. */
static inline int event_next(const struct timer_event ev[EVENTS])
{
    int best = -1;

    for (int i = 0; i < EVENTS; i++) {
        const struct timer_event *a = &ev[i], *b = &ev[best < 0 ? i : best];

        if (a->armed && (best < 0 || a->at_ps < b->at_ps ||
                         (a->at_ps == b->at_ps && a->scheduled_ps < b->scheduled_ps)))
            best = i;
    }
    return best;
}

/* Returns the event that is due by now, or -1. */
static inline int event_due(const struct timer_event ev[EVENTS], struct cc_now now)
{
    int i = event_next(ev);

    if (i < 0 || ev[i].at_ps > now.ps || (ev[i].at_ps == now.ps && ev[i].scheduled_ps >= now.since_ps))
        return -1;
    return i;
}

static inline void event_schedule(struct timer_event *e, uint64_t now_ps, uint64_t after_ps)
{
    *e = (struct timer_event){ true, now_ps + after_ps, now_ps };
}

/* Draws a time: mostly soon, sometimes late (up to late_ps_max), sometimes exactly at a tick. */
static inline struct cc_now random_instant(struct rng *r, struct cc_now last,
                                           const struct timer_event ev[EVENTS], uint64_t late_ps_max)
{
    const uint64_t gap_ps_max[] = { 300000, 2000000, 40000000, late_ps_max };
    uint64_t       roll = rng_below(r, 64);
    int            i = event_next(ev);
    int            gap = roll < 40 ? 0 : roll < 58 ? 1 : roll < 63 ? 2 : 3;
    struct cc_now  now = { .ps = last.ps + rng_below(r, gap_ps_max[gap]) };

    if (i >= 0 && ev[i].at_ps >= last.ps && rng_below(r, 3) == 0) {
        now.ps = ev[i].at_ps;
        now.since_ps = ev[i].scheduled_ps + rng_below(r, 2);
    } else {
        uint64_t back_ps = rng_below(r, 8000000);

        now.since_ps = now.ps > back_ps ? now.ps - back_ps : 0;
    }
    if (now.ps == last.ps && now.since_ps < last.since_ps)
        now.since_ps = last.since_ps;
    return now;
}

/* Draws short periods with common divisors, so that ticks often coincide, and the other common knobs. */
static inline void draw_knobs(struct rng *r, struct knobs *k)
{
    static const double period_us[] = { 1, 2, 3, 4, 4, 6, 8, 12, 24, 55 };

    k->value[KNOB_dce_tcp_rtt] = period_us[rng_below(r, 6)];
    k->value[KNOB_rate_reduce_monitor_period] = period_us[rng_below(r, 9)];
    k->value[KNOB_rpg_time_reset] = period_us[rng_below(r, 10)];
    k->value[KNOB_rpg_threshold] = (double)rng_below(r, 5);
    k->value[KNOB_clamp_tgt_rate] = (double)rng_below(r, 2);
    k->value[KNOB_dce_tcp_g] = (double)(960 + rng_below(r, 64));
    k->value[KNOB_initial_alpha_value] = (double)(1 + rng_below(r, 1023));
    k->value[KNOB_rpg_ai_rate] = (double)(1 + rng_below(r, 1000));
    k->value[KNOB_rpg_hai_rate] = (double)(1 + rng_below(r, 20000));
    k->value[KNOB_rpg_min_rate] = (double)(1 + rng_below(r, 2000));
    k->value[KNOB_rpg_max_rate] = rng_below(r, 3) ? 0 : (double)(50000 + rng_below(r, 60000));
}

#endif
