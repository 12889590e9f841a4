#include "tune/search/search_engine.h"
#include "base/minmax.h"
#include "core/units.h"
#include "tune/rehearse/search/tune_goal.h"

#include <math.h>

#define SLACK       0.05         /* share of the rate before; less is noise */
#define TRIAL_MAX   0.8          /* intervals of traffic that one setting may cost */
#define RECOVERED   0.9          /* share of the rate before at which the search continues */
#define RECOVER_MAX 8            /* longest recovery, in intervals */
#define REPAY       0.02         /* intervals of traffic, per interval */
#define KEEP_LOSS   0.02         /* largest loss of rate by a setting that is kept */
#define SHARE       0.01         /* of the time that has passed: what all searches with a floor may cost */
#define OLD         0.8          /* weight of messages of an interval in the next one */
#define SLACK_SLOW  0.02         /* as SLACK, of slowdowns */
#define SLOW_MAX    4.0          /* most intervals that slow messages of one interval count for */

static double uplink_bps(const struct report *r)
{
    double bytes = 0;

    for (uint32_t i = 0; i < r->ports; i++)
        bytes += r->port[i].is_uplink ? (double)r->port[i].tx_bytes : 0;
    return bytes * 8 * (double)PS_PER_S / (double)(r->end_ps - r->start_ps);
}

bool guard_has_traffic(const struct report *r)
{
    return uplink_bps(r) > 0;
}

static double mean_before(const struct search_guard *g)
{
    uint32_t count = min_u32(g->befores, GUARD_INTERVALS);
    double   sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += g->before_bps[i];
    return count ? sum / count : 0;
}

/* Standard deviation of an interval, relative to the mean. */
static double deviation_before(const struct search_guard *g)
{
    uint32_t count = min_u32(g->befores, GUARD_INTERVALS);
    double   mean = mean_before(g), sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += (g->before_bps[i] - mean) * (g->before_bps[i] - mean);
    return count > 1 && mean > 0 ? sqrt(sum / (count - 1)) / mean : 1;
}

static void remember_messages(struct search_guard *g, const struct report *r)
{
    struct outcomes now = seen_outcomes(&r->seen);

    for (int c = 0; c < PREDICT_CLASSES && r->has_seen; c++) {
        g->messages.messages[c] = OLD * g->messages.messages[c] + now.messages[c];
        g->messages.slowdowns[c] = OLD * g->messages.slowdowns[c] + now.slowdowns[c];
    }
}

/* By how much messages of an interval are slower than before the search, as a share; -INFINITY: unknown. */
static double slower_by(const struct search_guard *g, const struct report *r)
{
    struct outcomes now = seen_outcomes(&r->seen);

    return !r->has_seen ? -INFINITY : exp(goal_gain(goal_find("balanced"), &now, &g->messages)) - 1;
}

void guard_watch(struct search *s, const struct report *r)
{
    struct search_guard *g = &s->guard;

    g->before_bps[g->befores++ % GUARD_INTERVALS] = uplink_bps(r);
    g->intervals++;
    remember_messages(g, r);
    g->debt = fmax(g->debt - (search_is(s, SEARCH_FLOOR, true) ? SHARE : REPAY), 0);
    g->trial = 0;
    g->sent[0] = g->sent[1] = 0;
}

/* The largest debt, in intervals of traffic. */
static double debt_max(const struct search *s)
{
    double guard = s->option[SEARCH_GUARD];

    return search_is(s, SEARCH_FLOOR, true) ? fmin(guard, SHARE * s->guard.intervals) : guard;
}

/* Messages end, but take too long for a contest. Where none ever ends, rates and utility are all there is. */
static bool has_long_messages(const struct search *s)
{
    bool has_ended = false;

    for (int c = 0; c < PREDICT_CLASSES; c++)
        has_ended = has_ended || s->window.done[c].messages > 0;
    return has_ended && !contest_is_possible(&s->window, s->windows);
}

const char *guard_why_not(const struct search *s)
{
    bool is_in_debt = s->option[SEARCH_GUARD] > 0 && s->guard.debt > debt_max(s) / 2;

    if (search_is(s, SEARCH_FLOOR, true) && s->guard.intervals < CONTEST_WATCH)
        return "the network is watched before the first search";
    if (search_is(s, SEARCH_FLOOR, true) && has_long_messages(s))
        return "messages take too long to compare settings";
    return is_in_debt ? "the last search cost traffic that is not made up for" : NULL;
}

enum guard_verdict guard_add(struct search *s, const struct report *r, const struct knobs *knobs)
{
    struct search_guard *g = &s->guard;
    double               before = mean_before(g), lost;

    g->intervals++;
    g->ratio = before > 0 ? uplink_bps(r) / before : 1;
    lost = 1 - g->ratio - SLACK;
    if (s->skip == 0)            /* else messages are still those of the previous setting */
        lost = fmax(lost, fmin(slower_by(g, r) - SLACK_SLOW, SLOW_MAX));
    g->debt = fmax(g->debt + lost, 0);
    g->trial = knobs_equal(knobs, &s->before) ? 0 : fmax(g->trial + lost, 0);
    if (s->phase == PHASE_CONFIRM && s->skip == 0)
        g->sent[s->turn % 2] += g->ratio;
    if (s->option[SEARCH_GUARD] <= 0)
        return GUARD_GOES_ON;
    return g->debt > debt_max(s) ? GUARD_ENDS_SEARCH :
           g->trial > TRIAL_MAX  ? GUARD_DROPS_TRIAL : GUARD_GOES_ON;
}

bool guard_is_starved(const struct search *s)
{
    return s->option[SEARCH_GUARD] > 0 && (s->guard.trial > TRIAL_MAX / 2 || s->guard.recovering > 0);
}

void guard_recover(struct search *s, struct knobs *knobs)
{
    s->guard.next = *knobs;
    s->guard.recovering = RECOVER_MAX;
    s->guard.trial = 0;
    *knobs = s->before;
}

bool guard_is_recovering(struct search *s, struct knobs *knobs)
{
    struct search_guard *g = &s->guard;

    if (g->recovering == 0)
        return false;
    if (--g->recovering == 0 || g->ratio >= RECOVERED) {
        g->recovering = 0;
        *knobs = g->next;
    }
    return true;
}

bool guard_refuses(const struct search *s)
{
    const struct search_guard *g = &s->guard;
    double                     intervals = search_count(s, SEARCH_CONFIRM) * search_count(s, SEARCH_MEASURE);
    double                     chance = deviation_before(g) * sqrt(2 / intervals);

    return s->option[SEARCH_GUARD] > 0 && g->sent[0] < g->sent[1] - (KEEP_LOSS + chance) * intervals;
}
