#include "tune/rehearse/proof/regret.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

#define STAYS    0.7             /* fraction of the increase at the time of the decision */
#define CONFIRM  2               /* intervals for which it stays up */
#define WAITING_FROM 1.0         /* offsets of waiting messages and of shares of paused time */
#define PAUSED_FROM  0.001

static const double least_sd[REGRET_SIGNALS] = { 0.03, 0.05, 0.02, 0.2 };
static const double weight[REGRET_SIGNALS] = { 0.4, 0.2, 0.2, 0.2 };

void regret_forget(struct regret *g)
{
    memset(g->under, 0, sizeof(g->under));
    memset(g->is_part, 0, sizeof(g->is_part));
    g->is_skipped = false;
}

static void watch(struct regret *g, enum regret_signal i, const struct shift_reference *r,
                  const struct shift_reference *also)
{
    g->has[i] = r->count >= SHIFT_LEAST;
    if (g->has[i])
        shift_init(&g->shift[i], r, also, least_sd[i]);
}

void regret_begin(struct regret *g)
{
    memcpy(g->before, g->under, sizeof(g->before));
    memset(g->under, 0, sizeof(g->under));
    for (int i = 0; i < REGRET_SIGNALS; i++)
        watch(g, i, &g->before[i], NULL);
    g->high = 0;
    g->count = 0;
    g->is_skipped = false;
    g->is_watching = g->has[REGRET_SLOWDOWN];
}

void regret_keep(struct regret *g)
{
    if (!g->is_watching)
        return;
    for (int i = 0; i < REGRET_SIGNALS; i++) {
        const struct shift_reference *was = &g->before[i], *is = &g->under[i];
        bool                          is_higher = i != REGRET_SLOWDOWN && is->count >= SHIFT_LEAST
                                                  && shift_reference_mean(is) > shift_reference_mean(was);

        watch(g, i, is_higher ? is : was, is_higher ? was : is);
    }
    g->high = 0;
}

void regret_end(struct regret *g)
{
    g->is_watching = false;
}

/* Of the parts of the goal, those of which there are messages at all. */
static double slowdown_of(struct regret *g, const struct goal *goal, const struct report *r)
{
    struct outcomes o = seen_outcomes(&r->seen);
    double          sum = 0, weights = 0;

    for (int i = 0; i < GOAL_PARTS; i++) {
        double slowdown = goal_slowdown(&o, i);

        if (goal->weight[i] <= 0 || (isnan(slowdown) && !g->is_part[i]))
            continue;
        g->is_part[i] = true;
        sum += goal->weight[i] * (isnan(slowdown) ? NAN : rng_log(slowdown));
        weights += goal->weight[i];
    }
    return weights > 0 ? sum / weights : NAN;
}

static double waiting_of(const struct seen *s)
{
    double sum = 0;

    for (int i = 0; i < PREDICT_CLASSES; i++)
        sum += s->waiting[i].slowdowns;
    return sum;
}

double regret_value(struct regret *g, enum regret_signal signal, const struct goal *goal,
                    const struct report *r)
{
    double ps = (double)(r->end_ps - r->start_ps) * fmax(1, r->ports);

    switch (signal) {
    case REGRET_SLOWDOWN: return slowdown_of(g, goal, r);
    case REGRET_WAITING:  return rng_log(WAITING_FROM + waiting_of(&r->seen));
    case REGRET_RTT:      return r->rtt_samples && r->rtt_ps_sum ?
        rng_log((double)r->rtt_ps_sum / (double)r->rtt_samples) : NAN;
    default:              return ps > 0 ? rng_log(PAUSED_FROM + (double)r->paused_ps / ps) : NAN;
    }
}

static double evidence_of(const struct regret *g)
{
    double sum = 0, weights = 0;

    for (int i = 0; i < REGRET_SIGNALS; i++)
        if (g->has[i]) {
            sum += weight[i] * shift_evidence(&g->shift[i]);
            weights += weight[i];
        }
    return sum / weights;
}

/* True if slowdowns, which are up by this much, are significant and stay up. */
static bool is_sure(struct regret *g, double up)
{
    if (g->high > 0 && up >= STAYS * g->high)
        return ++g->still >= CONFIRM;
    g->high = evidence_of(g) >= REGRET_EVIDENCE && up >= REGRET_LEAST ? up : 0;
    g->still = 0;
    return false;
}

bool regret_add(struct regret *g, const struct goal *goal, const struct report *r)
{
    double value[REGRET_SIGNALS], up;

    if (!g->is_skipped) {
        g->is_skipped = true;
        return false;
    }
    for (int i = 0; i < REGRET_SIGNALS; i++) {
        value[i] = regret_value(g, i, goal, r);
        shift_reference_add(&g->under[i], value[i]);
    }
    if (!g->is_watching || isnan(value[REGRET_SLOWDOWN]))
        return false;
    g->recent[g->count++ % REGRET_RECENT] = r->seen;
    for (int i = 0; i < REGRET_SIGNALS; i++)
        if (g->has[i])
            shift_add(&g->shift[i], value[i]);
    up = value[REGRET_SLOWDOWN] - shift_reference_mean(&g->before[REGRET_SLOWDOWN]);
    return is_sure(g, up);
}

/* The oldest first: of messages that wait the last interval's count. */
void regret_recent(const struct regret *g, struct seen *sum)
{
    *sum = (struct seen){ 0 };
    for (uint32_t i = g->count < REGRET_RECENT ? 0 : g->count - REGRET_RECENT; i < g->count; i++)
        seen_add(sum, &g->recent[i % REGRET_RECENT]);
}
