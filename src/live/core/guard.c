#include "live/core/guard.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define WEIGHT 0.05              /* of the newest interval in the average */

static const char *const counter_name[GUARD_COUNTERS] = {
    "pauses", "drops in lossless classes", "pause storms", "retransmissions",
};

static bool is_unknown(const struct msg_sample *s, int counter)
{
    static const uint64_t bit[GUARD_COUNTERS] = { 0, MSG_UNKNOWN(lossless_drops), MSG_UNKNOWN(watchdog),
                                                  MSG_UNKNOWN(retransmissions) };

    return counter ? (s->unknown & bit[counter]) != 0 : isnan(s->paused);
}

static bool has_too_many_retransmissions(const struct guard *g, const struct guard_limits *l,
                                         const struct msg_sample *s)
{
    double seconds = (double)s->interval_us / 1e6;

    return s->retransmissions >= l->retransmit_floor && g->has_average &&
           (double)s->retransmissions > l->retransmit_factor * g->retransmissions * seconds;
}

static double paused_limit(const struct guard *g, const struct guard_limits *l, double control)
{
    double usual = fmax(g->has_paused ? g->paused : 0, isnan(control) ? 0 : control);

    return fmin(usual + fmax(l->paused_max, usual), (1 + usual) / 2);
}

static void average(double *mean, bool *has, double value)
{
    *mean = *has ? *mean + WEIGHT * (value - *mean) : value;
    *has = true;
}

static void learn(struct guard *g, const struct msg_sample *s)
{
    if (!(s->unknown & MSG_UNKNOWN(retransmissions)))
        average(&g->retransmissions, &g->has_average,
                s->interval_us ? (double)s->retransmissions * 1e6 / (double)s->interval_us : 0);
    if (!isnan(s->paused))
        average(&g->paused, &g->has_paused, s->paused);
}

/* What the device counted is unknown for some intervals. The name of such a counter; NULL: there is none.
 * Without a change the guard gets used to its absence. */
static const char *find_gone(struct guard *g, const struct guard_limits *l, const struct msg_sample *s,
                             bool is_open)
{
    const char *gone = NULL;

    for (int i = 0; i < GUARD_COUNTERS && !s->is_stale; i++) {
        bool is_gone = is_unknown(s, i);

        g->has[i] |= !is_gone;
        g->gone[i] = is_gone ? g->gone[i] + 1 : 0;
        if (!g->has[i] || g->gone[i] < l->gone_intervals)
            continue;
        g->has[i] &= is_open;
        gone = is_open ? counter_name[i] : gone;
    }
    return gone;
}

static bool is_broken(struct guard *g, const struct guard_limits *l, const struct msg_sample *s,
                      double control, char why[MSG_WHY_SIZE])
{
    double limit = paused_limit(g, l, control);

    if (!isnan(s->paused))
        g->paused_in_a_row = s->paused > limit ? g->paused_in_a_row + 1 : 0;
    if (s->lossless_drops)
        snprintf(why, MSG_WHY_SIZE, "guardrail: %" PRIu64 " packets of a lossless class were dropped",
                 s->lossless_drops);
    else if (s->watchdog)
        snprintf(why, MSG_WHY_SIZE, "guardrail: the watchdog ended %" PRIu64 " pause storms", s->watchdog);
    else if (has_too_many_retransmissions(g, l, s))
        snprintf(why, MSG_WHY_SIZE,
                 "guardrail: %" PRIu64 " retransmissions in an interval, more than %g times the usual",
                 s->retransmissions, l->retransmit_factor);
    else if (!isnan(s->paused) && g->paused_in_a_row >= l->paused_intervals)
        snprintf(
            why, MSG_WHY_SIZE,
            "guardrail: paused for %.1f %% of the time, %u intervals in a row; up to %.1f %% would be usual",
            s->paused * 100, g->paused_in_a_row, limit * 100);
    else
        return false;
    return true;
}

bool guard_check(struct guard *g, const struct guard_limits *l, const struct msg_sample *s, bool is_open,
                 double control, char why[MSG_WHY_SIZE])
{
    bool        is = is_broken(g, l, s, control, why);
    const char *gone = find_gone(g, l, s, is_open);

    if (gone && !is) {
        snprintf(why, MSG_WHY_SIZE, "guardrail: %s can no longer be read", gone);
        is = true;
    }
    if (!is_open)                /* values without a change are normal, however bad */
        learn(g, s);
    return is;
}

char *guard_blind(char *buf, size_t size, const struct msg_sample *s)
{
    size_t used = 0;

    buf[0] = '\0';
    for (int i = 0; i < GUARD_COUNTERS && used < size; i++)
        if (is_unknown(s, i))
            used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", counter_name[i]);
    return buf;
}
