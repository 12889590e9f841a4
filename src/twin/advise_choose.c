/* src/twin/advise_choose.c - which of the settings that were tried is advised.
 *
 * A change of many knobs is hard to defend and to undo, so the simplest setting wins that is not clearly
 * worse than the best. Settings that slow a class of messages are not candidates. There is one exception: a
 * preset that is clearly better by the goal than all others. Then the goal decides, and the card says who
 * pays.
 */
#include "tune/rehearse/search/race.h"
#include "twin/advise.h"

#include <math.h>
#include <string.h>

/* ---- what rows did ---- */

static struct advise_gain interval_of(const double *value)
{
    const double n = ADVISE_SEEDS;
    double       sum = 0, squares = 0, error;

    for (uint32_t i = 0; i < ADVISE_SEEDS; i++) {
        sum += value[i];
        squares += value[i] * value[i];
    }
    error = race_t95(ADVISE_SEEDS) * sqrt(fmax(0, squares - sum * sum / n) / (n - 1) / n);
    return (struct advise_gain){ sum / n, sum / n - error, sum / n + error };
}

struct advise_gain advise_gain(const struct advice *a, const struct advise_row *row,
                               const struct advise_row *than, uint32_t load)
{
    double gain[ADVISE_SEEDS];

    for (uint32_t i = 0; i < ADVISE_SEEDS; i++)
        gain[i] = goal_gain(a->request->goal, &row->found[load][i].all, &than->found[load][i].all);
    return interval_of(gain);
}

struct advise_gain advise_part(const struct advise_row *row, const struct advise_row *than, uint32_t load,
                               enum goal_part part)
{
    double ratio[ADVISE_SEEDS];

    for (uint32_t i = 0; i < ADVISE_SEEDS; i++) {
        if (isnan(goal_slowdown(&row->found[load][i].all, part)) ||
            isnan(goal_slowdown(&than->found[load][i].all, part)))
            return (struct advise_gain){ NAN, NAN, NAN };
        ratio[i] = goal_ratio(&row->found[load][i].all, &than->found[load][i].all, part);
    }
    return interval_of(ratio);
}

double advise_slowdown(const struct advise_row *row, uint32_t load, enum goal_part part)
{
    double sum = 0;

    for (uint32_t i = 0; i < ADVISE_SEEDS; i++)
        sum += goal_slowdown(&row->found[load][i].all, part);
    return sum / ADVISE_SEEDS;
}

uint32_t advise_knobs(const struct advice *a, const struct advise_row *row)
{
    uint32_t changed = 0;

    for (int i = 0; i < KNOB_COUNT; i++)
        changed += row->knobs.value[i] != a->row[0].knobs.value[i];
    return changed;
}

static bool is_stuck(const struct advise_row *row)
{
    for (uint32_t load = 0; load < ADVISE_LOADS; load++)
        for (uint32_t i = 0; i < ADVISE_SEEDS && row->has[load]; i++)
            if (row->found[load][i].is_stuck)
                return true;
    return false;
}

/* No class is clearly slower than with the user's setting, beyond the goal's bound, at the expected load,
 * and no flow got stuck. */
static bool advise_is_harmless(const struct advice *a, const struct advise_row *row)
{
    for (int part = GOAL_MICE; part < GOAL_PARTS; part++)
        if (advise_part(row, &a->row[0], 0, (enum goal_part)part).low > a->request->goal->bound)
            return false;
    return !is_stuck(row);
}

/* ---- candidates ---- */

static bool is_simpler(const struct advice *a, uint32_t x, uint32_t y)
{
    const struct advise_row *p = &a->row[x], *q = &a->row[y];
    bool                     p_searched = x && !p->is_preset, q_searched = y && !q->is_preset;

    if (p_searched != q_searched)
        return q_searched;
    if (advise_knobs(a, p) != advise_knobs(a, q))
        return advise_knobs(a, p) < advise_knobs(a, q);
    return x < y;
}

/* Row 0 is always allowed, unless it got stuck. */
static bool is_allowed(const struct advice *a, uint32_t row, bool harm_too)
{
    return harm_too ? !is_stuck(&a->row[row]) : advise_is_harmless(a, &a->row[row]);
}

static uint32_t best_of(const struct advice *a, bool harm_too)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < a->rows; i++)
        if (is_allowed(a, i, harm_too) &&
            (!is_allowed(a, best, harm_too) || advise_gain(a, &a->row[i], &a->row[best], 0).mean < 0))
            best = i;
    return best;
}

/* A preset that is clearly better by the goal, though a class of messages is slower with it. */
static bool is_beaten_by_preset(const struct advice *a, uint32_t row)
{
    for (uint32_t i = 1; i < a->rows; i++)
        if (a->row[i].is_preset && !is_stuck(&a->row[i]) &&
            advise_gain(a, &a->row[i], &a->row[row], 0).high < 0)
            return true;
    return false;
}

/* Worth a change: clearly better than yours, and not clearly worse than the best. */
static bool is_near(const struct advice *a, uint32_t row, uint32_t best)
{
    bool is_change = row == 0 || advise_gain(a, &a->row[row], &a->row[0], 0).high < 0;

    return is_change && !(advise_gain(a, &a->row[row], &a->row[best], 0).low > 0);
}

/* Sorted by insertion: there are few. The best stands last whatever its size. */
static uint32_t list_near(const struct advice *a, uint32_t best, bool harm_too,
                          uint32_t which[ADVISE_SETTINGS])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < a->rows; i++) {
        uint32_t at = count;

        if (i == best || !is_allowed(a, i, harm_too) || !is_near(a, i, best) || !is_simpler(a, i, best))
            continue;
        for (; at > 0 && is_simpler(a, i, which[at - 1]); at--)
            which[at] = which[at - 1];
        which[at] = i;
        count++;
    }
    which[count++] = best;
    return count;
}

uint32_t advise_candidates(const struct advice *a, uint32_t which[ADVISE_SETTINGS])
{
    uint32_t count = list_near(a, best_of(a, false), false, which);

    for (uint32_t i = 0; i < count; i++)
        if (is_beaten_by_preset(a, which[i])) {
            memmove(&which[i], &which[i + 1], (count - i - 1) * sizeof(*which));
            count--;
            i--;
        }
    return count ? count : list_near(a, best_of(a, true), true, which);
}

uint32_t advise_choose(const struct advice *a, const uint32_t *which, uint32_t count)
{
    const struct advise_row *best = &a->row[which[count - 1]];

    for (uint32_t i = 0; i < count; i++) {
        const struct advise_row *row = &a->row[which[i]];
        bool                     is_worse = is_stuck(row);

        for (uint32_t load = 0; load < ADVISE_LOADS && row != best; load++)
            is_worse |= row->has[load] && best->has[load] && advise_gain(a, row, best, load).low > 0;
        if (!is_worse)
            return which[i];
    }
    return which[count - 1];
}
