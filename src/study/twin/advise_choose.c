/* src/study/twin/advise_choose.c - which of the settings that were tried is advised.
 *
 * A change of many knobs is hard to defend and to undo, so the simplest setting wins that is not clearly
 * worse than the best. Settings that slow a class of messages or a job beyond the goal's bounds are no
 * candidates, however good they are otherwise.
 *
 * If no seed changes the trials of two settings, nothing in them was random. They are one observation then,
 * and their difference has no interval: it is no evidence for other traffic.
 */
#include "base/minmax.h"
#include "study/twin/advise.h"

#include <math.h>
#include <string.h>

/* ---- what rows did ---- */

bool advise_repeats(const struct advise_row *row, uint32_t test)
{
    const struct predicted *first = row->found[test];

    for (uint32_t i = 1; i < row->seeds[test]; i++) {
        const struct predicted *p = &first[i];

        if (p->cost != first->cost || p->lasted_ps != first->lasted_ps ||
            memcmp(p->all.slowdowns, first->all.slowdowns, sizeof(p->all.slowdowns)) != 0)
            return false;
    }
    return row->seeds[test] > 1;
}

/* The interval of values of both rows, of which there are 'count'. */
static struct race_gain interval_of(const double *value, uint32_t count, const struct advise_row *row,
                                    const struct advise_row *than, uint32_t test)
{
    struct race_gain g = { NAN, NAN, NAN };

    if (count > 1)
        g = race_interval(value, count);
    if (row != than && advise_repeats(row, test) && advise_repeats(than, test))
        g.low = g.high = NAN;
    return g;
}

struct race_gain advise_gain(const struct advice *a, const struct advise_row *row,
                             const struct advise_row *than, uint32_t test)
{
    uint32_t seeds = min_u32(row->seeds[test], than->seeds[test]);
    double   gain[ADVISE_SEEDS_MAX];

    for (uint32_t i = 0; i < seeds; i++)
        gain[i] = goal_gain(&a->goal, &row->found[test][i].all, &than->found[test][i].all);
    return interval_of(gain, seeds, row, than, test);
}

struct race_gain advise_part(const struct advise_row *row, const struct advise_row *than, uint32_t test,
                             enum goal_part part)
{
    uint32_t seeds = min_u32(row->seeds[test], than->seeds[test]), count = 0;
    double   ratio[ADVISE_SEEDS_MAX];

    for (uint32_t i = 0; i < seeds; i++) {
        const struct outcomes *is = &row->found[test][i].all, *was = &than->found[test][i].all;

        if (!isnan(goal_slowdown(is, part)) && !isnan(goal_slowdown(was, part)))
            ratio[count++] = goal_ratio(is, was, part);
    }
    return interval_of(ratio, count, row, than, test);
}

struct race_gain advise_party(const struct advise_row *row, const struct advise_row *than, uint32_t test,
                              uint32_t party)
{
    uint32_t seeds = min_u32(row->seeds[test], than->seeds[test]), count = 0;
    double   ratio[ADVISE_SEEDS_MAX];

    for (uint32_t i = 0; i < seeds; i++) {
        const struct outcomes *is = &row->found[test][i].all, *was = &than->found[test][i].all;

        if (goal_has_party(is, was, party))
            ratio[count++] = goal_party_ratio(is, was, party);
    }
    return interval_of(ratio, count, row, than, test);
}

double advise_bound(const struct advice *a, uint32_t party)
{
    return log1p(party < GOAL_PARTS ? a->goal.class_bound : a->goal.job_bound);
}

double advise_slowdown(const struct advise_row *row, uint32_t test, enum goal_part part)
{
    double sum = 0, count = 0;

    for (uint32_t i = 0; i < row->seeds[test]; i++) {
        double mean = goal_slowdown(&row->found[test][i].all, part);

        sum += isnan(mean) ? 0 : mean;
        count += !isnan(mean);
    }
    return count > 0 ? sum / count : NAN;
}

double advise_iteration(const struct advise_row *row, uint32_t test, uint32_t job)
{
    double sum = 0;

    for (uint32_t i = 0; i < row->seeds[test]; i++)
        sum += goal_iteration(&row->found[test][i].all, job);
    return row->seeds[test] ? sum / row->seeds[test] : NAN;
}

uint32_t advise_knobs(const struct advice *a, const struct advise_row *row)
{
    uint32_t changed = 0;

    for (int i = 0; i < KNOB_COUNT; i++)
        changed += row->knobs.value[i] != a->row[0].knobs.value[i];
    return changed;
}

bool advise_is_stuck(const struct advise_row *row)
{
    for (uint32_t test = 0; test < ADVISE_TESTS; test++)
        for (uint32_t i = 0; i < row->seeds[test]; i++)
            if (row->found[test][i].is_stuck)
                return true;
    return false;
}

uint32_t advise_harmed(const struct advice *a, const struct advise_row *row, uint32_t *at)
{
    for (uint32_t test = 0; test < ADVISE_TESTS; test++)
        for (uint32_t party = GOAL_MICE; party < GOAL_PARTIES && row->seeds[test]; party++)
            if (advise_party(row, &a->row[0], test, party).low > advise_bound(a, party)) {
                if (at)
                    *at = test;
                return party;
            }
    return GOAL_PARTIES;
}

enum advise_proof advise_judge(const struct advice *a, const struct advise_row *row)
{
    struct race_gain g = advise_gain(a, row, &a->row[0], ADVISE_PROOF);
    bool               is_open = g.high >= 0;

    if (advise_is_stuck(row) || !(g.mean < 0) || isnan(g.high))
        return PROOF_FAILS;
    for (uint32_t party = GOAL_MICE; party < GOAL_PARTIES; party++) {
        struct race_gain harm = advise_party(row, &a->row[0], ADVISE_PROOF, party);

        if (harm.mean > advise_bound(a, party))
            return PROOF_FAILS;
        is_open |= harm.high > advise_bound(a, party);
    }
    if (!is_open)
        return PROOF_HOLDS;
    return row->seeds[ADVISE_PROOF] < ADVISE_SEEDS_MAX ? PROOF_OPEN : PROOF_FAILS;
}

/* ---- candidates ---- */

/* Yours, a preset, a setting that was searched for, or a change of more than knobs. */
static int effort_of(const struct advice *a, const struct advise_row *row)
{
    return row == &a->row[0] ? 0 : row->changes ? 2 + (int)row->changes : row->is_preset ? 1 : 2;
}

static bool is_simpler(const struct advice *a, uint32_t x, uint32_t y)
{
    const struct advise_row *p = &a->row[x], *q = &a->row[y];
    int                      p_effort = effort_of(a, p), q_effort = effort_of(a, q);

    if (p_effort > 1 || q_effort > 1)
        return p_effort != q_effort ? p_effort < q_effort : x < y;
    if (advise_knobs(a, p) != advise_knobs(a, q))
        return advise_knobs(a, p) < advise_knobs(a, q);
    return x < y;
}

/* True if no flow got stuck and, except for row 0, no party is clearly slower beyond its bound and no
 * confirmation failed. */
static bool is_allowed(const struct advice *a, uint32_t row)
{
    const struct advise_row *r = &a->row[row];

    if (advise_is_stuck(r))
        return false;
    return row == 0 || (advise_harmed(a, r, NULL) == GOAL_PARTIES &&
                        (r->seeds[ADVISE_PROOF] == 0 || advise_judge(a, r) == PROOF_HOLDS));
}

/* The best of those that are clearly better than yours. */
static uint32_t best_of(const struct advice *a)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < a->rows; i++)
        if (is_allowed(a, i) &&
            (advise_is_stuck(&a->row[0]) || advise_gain(a, &a->row[i], &a->row[0], 0).high < 0) &&
            (!is_allowed(a, best) || advise_gain(a, &a->row[i], &a->row[best], 0).mean < 0))
            best = i;
    return best;
}

/* Worth a change: clearly better than yours, and not clearly worse than the best. */
static bool is_near(const struct advice *a, uint32_t row, uint32_t best)
{
    bool is_change = row == 0 || advise_gain(a, &a->row[row], &a->row[0], 0).high < 0;

    return is_change && !(advise_gain(a, &a->row[row], &a->row[best], 0).low > 0);
}

/* Sorted by insertion: there are few. The best stands last whatever its size. */
uint32_t advise_candidates(const struct advice *a, uint32_t which[ADVISE_SETTINGS])
{
    uint32_t best = best_of(a), count = 0;

    for (uint32_t i = 0; i < a->rows; i++) {
        uint32_t at = count;

        if (i == best || !is_allowed(a, i) || !is_near(a, i, best) || !is_simpler(a, i, best))
            continue;
        for (; at > 0 && is_simpler(a, i, which[at - 1]); at--)
            which[at] = which[at - 1];
        which[at] = i;
        count++;
    }
    which[count++] = best;
    return count;
}

uint32_t advise_choose(const struct advice *a, const uint32_t *which, uint32_t count)
{
    const struct advise_row *best = &a->row[which[count - 1]];

    for (uint32_t i = 0; i < count; i++) {
        const struct advise_row *row = &a->row[which[i]];
        bool                     is_worse = !is_allowed(a, which[i]);

        for (uint32_t load = 0; load < ADVISE_LOADS && row != best; load++)
            is_worse |= advise_gain(a, row, best, load).low > 0;
        if (!is_worse)
            return which[i];
    }
    return which[count - 1];
}
