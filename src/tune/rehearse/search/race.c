#include "tune/rehearse/search/race.h"
#include "base/minmax.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define BLOCKS_ALONE 8           /* enough to evaluate a leader without rivals */
#define FINAL_LEAST  8           /* blocks of a final at least: with four, chance hides a quarter */
#define SURER        0.01        /* noise of means over blocks: they may exceed the goal's bound by this */

static const double loads[] = { 1, 0.8, 1.2, 1 };

#define LOADS (sizeof(loads) / sizeof(*loads))

/* Quantiles 0.975 and 0.99 of Student's t with 1 .. 12 degrees of freedom, then 15, 20, 30, 40. */
double race_t95(uint32_t n)
{
    static const double t[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                2.201, 2.179 };

    assert(n >= 2);
    return n - 1 <= 12 ? t[n - 2] : n - 1 < 15 ? 2.179 : n - 1 < 20 ? 2.131 : n - 1 < 30 ? 2.086 : 2.042;
}

static double t99(uint32_t n)
{
    static const double t[] = { 31.821, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764,
                                2.718, 2.681 };

    assert(n >= 2);
    return n - 1 <= 12 ? t[n - 2] : n - 1 < 15 ? 2.681 : n - 1 < 20 ? 2.602 : n - 1 < 30 ? 2.528 : 2.457;
}

static void add_block(struct runner *x, const struct goal *goal, const struct predicted *p,
                      const struct predicted *base)
{
    double n = x->blocks + 1, sum = 0;

    x->gain[x->blocks++] = goal_score(goal, p, base) < 50 ? goal_gain(goal, &p->all, &base->all) : 50;
    for (uint32_t i = 0; i < GOAL_PARTIES; i++)
        x->ratio[i] += (goal_party_ratio(&p->all, &base->all, i) - x->ratio[i]) / n;
    for (uint32_t i = 0; i < x->blocks; i++)
        sum += x->gain[i];
    x->score = sum / n;
    for (uint32_t i = GOAL_MICE; i < GOAL_PARTIES; i++)
        x->score += goal_harm(goal, i, x->ratio[i] - SURER);
}

static int run_block(struct race *r, uint64_t seed, struct err *err)
{
    struct predict_point point[RACE_RUNNERS] = { { 0 } };
    struct predicted     found[RACE_RUNNERS];
    uint32_t             who[RACE_RUNNERS], count = 0;
    double               length = r->runner[0].is_final ? r->final_length : 1;
    int                  rc;

    for (uint32_t i = 0; i < r->runners; i++)
        if (!r->runner[i].is_out) {
            who[count] = i;
            point[count++] = (struct predict_point){ &r->runner[i].knobs, seed,
                                                     loads[r->blocks % LOADS], length };
        }
    rc = r->predictor->run(r->predictor->arg, point, count, found, err);
    r->last = 0;
    for (uint32_t i = 0; i < count && !rc; i++) {
        add_block(&r->runner[who[i]], r->goal, &found[i], &found[0]);
        r->last += found[i].cost;
        r->trials++;
    }
    r->spent += r->last;
    r->blocks++;
    return rc;
}

static uint32_t leader(const struct race *r)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < r->runners; i++)
        if (!r->runner[i].is_out && r->runner[i].score < r->runner[best].score)
            best = i;
    return best;
}

/* Standard error of the mean of n >= 2 values. */
static double error_of(const double *value, uint32_t count, double *mean)
{
    double sum = 0, squares = 0, n = count;

    for (uint32_t i = 0; i < count; i++) {
        sum += value[i];
        squares += value[i] * value[i];
    }
    *mean = sum / n;
    return sqrt(fmax(0, squares - sum * sum / n) / (n - 1) / n);
}

struct race_gain race_interval(const double *value, uint32_t count)
{
    double mean, off = race_t95(count) * error_of(value, count, &mean);

    return (struct race_gain){ mean, mean - off, mean + off };
}

/* How far a runner may be behind another by chance. */
static double chance_of(const struct runner *x, const struct runner *y)
{
    double d[RACE_BLOCKS], mean;

    for (uint32_t i = 0; i < x->blocks; i++)
        d[i] = x->gain[i] - y->gain[i];
    return t99(x->blocks) * error_of(d, x->blocks, &mean) + 1e-12;
}

/* Runs to the end: the baseline, which the others are compared with, and settings that must be known well. */
static bool is_kept(const struct race *r, uint32_t i)
{
    return i == 0 || i < r->keeps;
}

static uint32_t drop_hopeless(struct race *r)
{
    const struct runner *best = &r->runner[leader(r)];
    uint32_t             left = 0;

    for (uint32_t i = 1; i < r->runners; i++) {
        struct runner *x = &r->runner[i];

        if (x->is_out)
            continue;
        if (x == best || x->score - best->score <= chance_of(x, best))
            left++;
        else if (!is_kept(r, i))
            x->is_out = true;
    }
    return left;
}

/* Keeps the required settings and the best of the others, and restarts their statistics. */
static void begin_final(struct race *r)
{
    uint32_t finalists = 0;

    for (; finalists < r->runners && is_kept(r, finalists); finalists++)
        r->runner[finalists].is_final = true;
    for (; finalists < RACE_FINALISTS; finalists++) {
        struct runner *best = NULL;

        for (uint32_t i = 0; i < r->runners; i++)
            if (!r->runner[i].is_final && (!best || r->runner[i].score < best->score))
                best = &r->runner[i];
        if (best)
            best->is_final = true;
    }
    for (uint32_t i = 0; i < r->runners; i++) {
        struct runner *x = &r->runner[i];

        if (x->is_final)
            *x = (struct runner){ .knobs = x->knobs, .name = x->name, .is_final = true,
                                  .heat = { x->gain[0], x->gain[1], x->gain[2], x->gain[3] } };
        else
            x->is_out = true;
    }
    r->heats = r->blocks;
}

const struct runner *race_find(const struct race *r, const struct knobs *knobs)
{
    for (uint32_t i = 0; i < r->runners; i++)
        if (knobs_equal(&r->runner[i].knobs, knobs))
            return &r->runner[i];
    return &r->runner[0];
}

struct race_gain race_gain(const struct runner *x, const struct runner *than)
{
    bool          is_heat = x->is_final != than->is_final;
    const double *a = is_heat && x->is_final ? x->heat : x->gain,
                 *b = is_heat && than->is_final ? than->heat : than->gain;
    uint32_t      blocks = is_heat ? RACE_BLOCKS_FIRST : min_u32(x->blocks, than->blocks);
    double        d[RACE_BLOCKS] = { 0 };

    for (uint32_t i = 0; i < blocks; i++)
        d[i] = a[i] - b[i];
    return blocks < 2 ? (struct race_gain){ d[0], d[0], d[0] } : race_interval(d, blocks);
}

void race_enter(struct race *r, const struct knobs *k, const char *name)
{
    const struct runner *same = r->runners ? race_find(r, k) : NULL;

    if (r->runners < (r->room ? r->room : RACE_RUNNERS) && !(same && knobs_equal(&same->knobs, k)))
        r->runner[r->runners++] = (struct runner){ .knobs = *k, .name = name };
}

const struct runner *race_leader(const struct race *r)
{
    return &r->runner[leader(r)];
}

/* Returns whether the budget allows another block that could change the result. */
static bool goes_on(const struct race *r, uint32_t left)
{
    uint32_t blocks = r->blocks - r->heats;

    if (blocks < RACE_BLOCKS_FIRST || (r->heats && left > 1 && blocks < FINAL_LEAST))
        return true;
    return blocks < RACE_BLOCKS && r->spent + r->last <= r->budget && (left > 1 || blocks < BLOCKS_ALONE);
}

int race_run(struct race *r, struct err *err)
{
    uint32_t left = r->runners;
    int      rc = 0;

    while (!rc && goes_on(r, left)) {
        rc = run_block(r, r->first_seed + r->blocks, err);
        if (!rc && r->final_length > 0 && r->blocks == RACE_BLOCKS_FIRST)
            begin_final(r);
        else if (!rc && r->blocks - r->heats >= RACE_BLOCKS_FIRST)
            left = drop_hopeless(r);
        if (!rc && r->tell)
            r->tell(r->arg, r);
    }
    r->winner = leader(r);
    r->gain = race_gain(&r->runner[r->winner], &r->runner[0]);
    return rc;
}

/* ---- for a log ---- */

static int compare_tried(const void *left, const void *right)
{
    const struct tuner_tried *a = left, *b = right;

    if (a->is_out != b->is_out)
        return a->is_out - b->is_out;
    return (a->gain > b->gain) - (a->gain < b->gain);
}

uint32_t tried_of_race(const struct race *r, const struct knobs *now, struct tuner_tried tried[RACE_RUNNERS])
{
    const struct runner *than = race_find(r, now);

    for (uint32_t i = 0; i < r->runners; i++) {
        const struct runner *a = &r->runner[i];
        struct race_gain     gain = race_gain(a, than);

        tried[i] = (struct tuner_tried){ a->name, gain.mean, gain.low, gain.high, a->blocks, a->is_out,
                                         knobs_equal(&a->knobs, now), a->knobs };
    }
    qsort(tried, r->runners, sizeof(*tried), compare_tried);
    return r->runners;
}
