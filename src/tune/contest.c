/* src/tune/contest.c - see contest.h. */
#include "tune/contest.h"
#include "base/minmax.h"
#include "tune/rehearse/search/tune_goal.h"

#include <math.h>

#define PAIR_SD     0.1          /* of differences of blocks: a guess, which costs time at worst */
#define PAIR_E      20.0         /* evidence that decides: 1 in 20 is wrong at most */
#define PAIRS_LEAST 4            /* before it is given up */
#define BURN_IN_MAX 8            /* intervals: if messages take longer, blocks cannot tell settings apart */

/* Intervals for which messages of the previous block are seen: twice as long as those of a class take. */
static uint32_t burn_in_of(const struct seen *s, uint32_t intervals, int class)
{
    double took = s->waiting[class].messages * intervals / fmax(1, s->done[class].messages);

    return (uint32_t)fmin(BURN_IN_MAX + 1, fmax(1, ceil(2 * took)));
}

/* Without messages that blocks cannot tell apart. */
static struct outcomes comparable(const struct contest *c, const struct seen *seen)
{
    struct outcomes o = seen_outcomes(seen);

    if (c->is_by_rate)
        o.messages[PREDICT_ELEPHANTS] = o.slowdowns[PREDICT_ELEPHANTS] = 0;
    return o;
}

bool contest_begin(struct contest *c, const struct contest_rule *rule, const struct goal *goal,
                   const struct seen *window, uint32_t intervals, uint64_t seed)
{
    uint32_t burn_in;

    /* Rates of queue pairs that always send follow a change slowly. */
    c->is_by_rate = rule->is_rate_enough && burn_in_of(window, intervals, PREDICT_ELEPHANTS) > BURN_IN_MAX;
    burn_in = c->is_by_rate ? BURN_IN_MAX : 1;
    for (int class = 0; class < PREDICT_CLASSES; class++)
        if (class != PREDICT_ELEPHANTS || !c->is_by_rate)
            burn_in = max_u32(burn_in, burn_in_of(window, intervals, class));
    if (burn_in > BURN_IN_MAX)
        return false;
    c->rule = *rule;
    c->goal = *goal;
    c->before = comparable(c, window);
    c->intervals = 0;
    pairing_init(&c->pairing, 2 * burn_in, burn_in, seed);
    evalue_init(&c->evalue, PAIR_SD);
    return true;
}

uint32_t contest_block(const struct contest *c)
{
    return c->pairing.length;
}

bool contest_is_b(const struct contest *c)
{
    return pairing_arm(&c->pairing) == ARM_B;
}

double contest_gain(const struct contest *c)
{
    return evalue_gain(&c->evalue);
}

uint32_t contest_pairs(const struct contest *c)
{
    return c->evalue.pairs;
}

/* Higher is better; NAN: no message ended or waited. */
static double value_of(const struct contest *c, const struct seen *seen, double payload_bytes)
{
    const double   *weight = c->goal.weight;
    struct outcomes is;
    double          gain;

    if (!seen)
        return NAN;
    is = comparable(c, seen);
    if (isnan(goal_slowdown(&is, GOAL_ALL)))
        return NAN;
    gain = -goal_gain(&c->goal, &is, &c->before);
    if (!c->is_by_rate)
        return gain;
    return (1 - weight[GOAL_ELEPHANTS]) * gain + weight[GOAL_ELEPHANTS] * log(fmax(1, payload_bytes));
}

static bool is_better_in_the_end(const struct contest *c)
{
    const struct evalue *e = &c->evalue;
    double               gain = evalue_gain(e), n = e->pairs;
    double               variance = n > 1 ? (e->squares / n - gain * gain) / (n - 1) : INFINITY;

    return c->rule.is_lenient && gain > 0 && gain > sqrt(fmax(variance, 0));
}

enum contest_verdict contest_add(struct contest *c, const struct seen *seen, double payload_bytes)
{
    const struct evalue *e = &c->evalue;
    bool                 is_end_of_pair = ++c->intervals % (2 * c->pairing.length) == 0;
    uint32_t             tried = c->intervals / (2 * c->pairing.length);
    double               d;

    if (pairing_add(&c->pairing, value_of(c, seen, payload_bytes), &d))
        evalue_add(&c->evalue, d);
    if (!is_end_of_pair)
        return CONTEST_ON;
    if (evalue_above(e, 0) >= PAIR_E)
        return CONTEST_B;
    if (c->rule.harm_max > 0 && e->sum < -c->rule.harm_max)
        return CONTEST_A;
    if (tried >= c->rule.pairs)
        return is_better_in_the_end(c) ? CONTEST_B : CONTEST_A;
    return tried >= PAIRS_LEAST && evalue_gain(e) <= 0 ? CONTEST_A : CONTEST_ON;
}
