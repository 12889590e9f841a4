/* src/live/core/guard.c - see guard.h. */
#include "live/core/guard.h"

#include <inttypes.h>
#include <stdio.h>

#define WEIGHT 0.05              /* of the newest interval in the average */

static bool has_too_many_retransmissions(const struct guard *g, const struct guard_limits *l, const struct msg_sample *s)
{
    double seconds = (double)s->interval_us / 1e6;

    return s->retransmissions >= l->retransmit_floor && g->has_average &&
           (double)s->retransmissions > l->retransmit_factor * g->retransmissions * seconds;
}

static void learn(struct guard *g, const struct msg_sample *s)
{
    double rate = s->interval_us ? (double)s->retransmissions * 1e6 / (double)s->interval_us : 0;

    g->retransmissions = g->has_average ? g->retransmissions + WEIGHT * (rate - g->retransmissions) : rate;
    g->has_average = true;
}

bool guard_check(struct guard *g, const struct guard_limits *l, const struct msg_sample *s, bool is_open,
                 char why[MSG_WHY_SIZE])
{
    g->paused_in_a_row = s->paused > l->paused_max ? g->paused_in_a_row + 1 : 0;
    if (s->lossless_drops)
        snprintf(why, MSG_WHY_SIZE, "guardrail: %" PRIu64 " packets of a lossless class were dropped", s->lossless_drops);
    else if (s->watchdog)
        snprintf(why, MSG_WHY_SIZE, "guardrail: the watchdog ended %" PRIu64 " pause storms", s->watchdog);
    else if (has_too_many_retransmissions(g, l, s))
        snprintf(why, MSG_WHY_SIZE, "guardrail: %" PRIu64 " retransmissions in an interval, more than %g times the usual",
                 s->retransmissions, l->retransmit_factor);
    else if (g->paused_in_a_row >= l->paused_intervals)
        snprintf(why, MSG_WHY_SIZE, "guardrail: paused for %.1f %% of the time, %u intervals in a row", s->paused * 100,
                 g->paused_in_a_row);
    else {
        if (!is_open)
            learn(g, s);
        return false;
    }
    return true;
}
