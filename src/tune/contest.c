/* src/tune/contest.c - see contest.h. */
#include "tune/contest.h"
#include "tune/rehearse/search/tune_goal.h"

#include <math.h>

#define PAIR_SD     0.1          /* of differences of blocks: a guess, which costs time at worst */
#define PAIR_E      20.0         /* evidence that decides: 1 in 20 is wrong at most */
#define PAIRS_LEAST 4            /* before it is given up */
#define BURN_IN_MAX 8            /* intervals: if messages take longer, blocks cannot tell settings apart */

/* Intervals for which messages of the previous block are seen: twice as long as messages take. */
static uint32_t burn_in_of(const struct seen *s, uint32_t intervals)
{
    double longest = 0;

    for (int c = 0; c < PREDICT_CLASSES; c++)
        if (s->waiting[c].messages > 0)
            longest = fmax(longest, s->waiting[c].messages * intervals / fmax(1, s->done[c].messages));
    return (uint32_t)fmin(BURN_IN_MAX + 1, fmax(1, ceil(2 * longest)));
}

bool contest_begin(struct contest *c, const struct contest_rule *rule, const struct goal *goal,
                   const struct seen *window, uint32_t intervals, uint64_t seed)
{
    uint32_t burn_in = burn_in_of(window, intervals);

    if (burn_in > BURN_IN_MAX)
        return false;
    c->rule = *rule;
    c->goal = *goal;
    c->before = seen_outcomes(window);
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
static double value_of(const struct contest *c, const struct seen *seen)
{
    struct outcomes is;

    if (!seen)
        return NAN;
    is = seen_outcomes(seen);
    return isnan(goal_slowdown(&is, GOAL_ALL)) ? NAN : -goal_gain(&c->goal, &is, &c->before);
}

static bool is_better_in_the_end(const struct contest *c)
{
    const struct evalue *e = &c->evalue;
    double               gain = evalue_gain(e), n = e->pairs;
    double               variance = n > 1 ? (e->squares / n - gain * gain) / (n - 1) : INFINITY;

    return c->rule.is_lenient && gain > 0 && gain > sqrt(fmax(variance, 0));
}

enum contest_verdict contest_add(struct contest *c, const struct seen *seen)
{
    const struct evalue *e = &c->evalue;
    bool                 is_end_of_pair = ++c->intervals % (2 * c->pairing.length) == 0;
    uint32_t             tried = c->intervals / (2 * c->pairing.length);
    double               d;

    if (pairing_add(&c->pairing, value_of(c, seen), &d))
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
