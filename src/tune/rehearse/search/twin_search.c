#include "tune/rehearse/search/twin_search.h"
#include "base/minmax.h"
#include "base/rng.h"
#include "tune/cma.h"
#include "tune/rehearse/search/coded.h"
#include "tune/setting.h"

#include <math.h>
#include <stdlib.h>

/* Shares of the budget at which the first two acts end, counted from its beginning. */
#define SCREEN_END   0.30
#define SEARCH_END   0.70
#define SHORT        0.5         /* length of the first trials */
#define SPREAD_MAX   64          /* points of the screen besides settings that are known */
#define KNOWN_MAX    32
#define BY_SPEED     6           /* settings that are tried by speed, too */
#define AGAIN        12          /* of the screen, on whole trials */
#define POPULATION   12
#define SIGMA        0.15
#define WIDTH_MIN    0.01
#define RUNNERS_LEAST 6
#define LONG_COST    1.0e6       /* packet-hops of a trial of the race, at most that it is made longer for */
#define NAMED_RUNNERS 2
#define LATE         4           /* generations whose best may run in the race */
/* log ratio: if all known settings are within it, the setting does not matter */
#define FLAT         0.01

struct tried { struct knobs knobs; const char *name; double score, gain; };      /* score: with harm */

struct act {
    const struct rehearse_request *q;
    struct rehearsal              *r;
    struct err                    *err;
    int                            rc;               /* of the predictor: if it fails, nothing goes on */
    struct coded                   coded;
    struct tried                   tried[KNOWN_MAX + BY_SPEED + SPREAD_MAX];
    uint32_t                       count;
    struct tried                   late[LATE];       /* the best of the last generations */
    double                         whole_cost;       /* of a whole trial */
    double                         length;           /* of trials in the search */
    bool                           is_flat;          /* it does not matter which setting applies */
    uint64_t                       seeds;            /* used so far */
    uint64_t                       searched;         /* packet-hops and trials before the race */
    uint32_t                       tries;
};

static void report_progress(const struct act *a, const char *act)
{
    struct rehearse_note note = { act, a->r->spent, a->q->budget, a->r->trials };

    if (a->q->tell)
        a->q->tell(a->q->arg, &note);
}

static void try_all(struct act *a, struct tried *list, uint32_t count, double length)
{
    struct predict_point *point = xcalloc(count + 1, sizeof(*point));
    struct predicted     *found = xcalloc(count + 1, sizeof(*found));
    uint64_t              seed = a->q->seed + ++a->seeds;

    for (uint32_t i = 0; i <= count; i++)
        point[i] = (struct predict_point){ i < count ? &list[i].knobs : &a->q->base, seed, 1, length };
    a->rc = a->q->predictor->run(a->q->predictor->arg, point, count + 1, found, a->err);
    for (uint32_t i = 0; i <= count && !a->rc; i++) {
        a->r->spent += found[i].cost;
        a->r->trials++;
        if (i < count) {
            list[i].score = goal_score(a->q->goal, &found[i], &found[count]);
            list[i].gain = goal_gain(a->q->goal, &found[i].all, &found[count].all);
        }
    }
    if (!a->rc)
        a->whole_cost = fmax(a->whole_cost, (double)found[count].cost / length);
    free(point);
    free(found);
}

static int by_score(const void *a, const void *b)
{
    const struct tried *x = a, *y = b;

    return (x->score > y->score) - (x->score < y->score);
}

/* ---- screen ---- */

static void add_known(struct act *a, const struct setting *list)
{
    for (; list->name && a->count < KNOWN_MAX; list++) {
        struct tried *t = &a->tried[a->count++];

        *t = (struct tried){ .knobs = a->q->base, .name = list->name };
        list->make(&t->knobs, a->q->world);
    }
}

static void add_spread(struct act *a, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++) {
        struct tried *t = &a->tried[a->count++];
        double        unit[CODED_DIMS_MAX];

        for (uint32_t d = 0; d < a->coded.dims; d++)
            unit[d] = (double)sobol_at(d, i) * 0x1p-32;
        *t = (struct tried){ .knobs = a->q->base };
        coded_to_knobs(&a->coded, unit, &t->knobs);
    }
}

/* Tries the best so far with thresholds and rates in proportion to link speed, if links differ. Sorts. */
static void add_by_speed(struct act *a)
{
    if (a->coded.dims == 0 || a->coded.dim[a->coded.dims - 1].knob != KNOB_by_speed)
        return;
    qsort(a->tried, a->count, sizeof(*a->tried), by_score);
    for (uint32_t i = 0; i < BY_SPEED && i < a->count; i++) {
        if (a->tried[i].knobs.value[KNOB_by_speed] != 0)
            continue;
        a->tried[a->count] = (struct tried){ .knobs = a->tried[i].knobs };
        a->tried[a->count++].knobs.value[KNOB_by_speed] = 1;
    }
}

/* Settings of DCQCN say nothing to another control. */
static void add_all_known(struct act *a)
{
    if (!a->q->world->control) {
        add_known(a, setting_all);
        add_known(a, setting_thresholds);
    }
    for (uint32_t i = 0; i < a->q->mores && a->count < KNOWN_MAX; i++)
        a->tried[a->count++] = (struct tried){ .knobs = a->q->more[i] };
}

static void note_named(struct act *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->tried[i].name && a->r->nameds < REHEARSE_NAMED)
            a->r->named[a->r->nameds++] = (struct rehearse_named){ a->tried[i].name, a->tried[i].gain };
}

static bool is_flat(const struct act *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (fabs(a->tried[i].gain) > FLAT || fabs(a->tried[i].score) > FLAT)
            return false;
    return true;
}

/* Short trials of all points that fit into the budget; then the best again. Each step uses new messages. */
static void screen(struct act *a)
{
    uint32_t known, again, spread = 0, next;
    double   left;

    add_all_known(a);
    known = a->count;
    report_progress(a, "screen");
    try_all(a, a->tried, known, SHORT);
    if (a->rc)
        return;
    note_named(a);
    a->is_flat = is_flat(a);
    if (a->is_flat)
        return;
    add_by_speed(a);
    left = SCREEN_END * (double)a->q->budget - (double)a->r->spent - AGAIN * a->length * a->whole_cost;
    if (left > 0)
        spread = (uint32_t)fmin(SPREAD_MAX, left / (SHORT * a->whole_cost));
    add_spread(a, spread);
    for (uint32_t i = known; i < a->count && !a->rc; i = next) {
        next = min_u32(a->count, i + POPULATION);
        report_progress(a, "screen");
        try_all(a, &a->tried[i], next - i, SHORT);
    }
    if (a->rc)
        return;
    qsort(a->tried, a->count, sizeof(*a->tried), by_score);
    again = min_u32(a->count, AGAIN);
    report_progress(a, "screen");
    try_all(a, a->tried, again, a->length);
    qsort(a->tried, again, sizeof(*a->tried), by_score);
}

/* ---- search ---- */

static void one_generation(struct act *a, struct cma *cma)
{
    struct tried drawn[POPULATION];
    double       score[POPULATION], unit[CMA_DIMS_MAX];

    for (uint32_t i = 0; i < POPULATION; i++) {
        drawn[i] = (struct tried){ .knobs = a->q->base };
        cma_draw(cma, i, unit);
        coded_to_knobs(&a->coded, unit, &drawn[i].knobs);
    }
    try_all(a, drawn, POPULATION, a->length);
    if (a->rc)
        return;
    for (uint32_t i = 0; i < POPULATION; i++)
        score[i] = -drawn[i].score;
    cma_learn(cma, score);
    qsort(drawn, POPULATION, sizeof(*drawn), by_score);
    a->late[a->r->generations++ % LATE] = drawn[0];
    report_progress(a, "search");
}

static void search(struct act *a, struct knobs *mean)
{
    struct cma *cma = xmalloc(sizeof(*cma));
    double      unit[CMA_DIMS_MAX], budget = SEARCH_END * (double)a->q->budget;

    cma_init(cma, a->coded.dims, POPULATION, a->q->seed);
    coded_from_knobs(&a->coded, &a->tried[0].knobs, unit);
    cma_begin(cma, unit, SIGMA);
    while (!a->rc && cma_width(cma) > WIDTH_MIN &&
           (double)a->r->spent + (POPULATION + 1) * a->length * a->whole_cost <= budget)
        one_generation(a, cma);
    cma_mean(cma, unit);
    *mean = a->q->base;
    coded_to_knobs(&a->coded, unit, mean);
    free(cma);
}

/* ---- race ---- */

/* A setting that was refuted on the network does not run, whatever the twin predicts. */
static void enter(struct act *a, const struct knobs *k, const char *name)
{
    for (uint32_t i = 0; i < a->q->nots; i++)
        if (knobs_equal(&a->q->not[i], k))
            return;
    race_enter(&a->r->race, k, name);
}

/* The best and the second best of the presets: whatever the search finds, it is not to be worse than them. */
static void enter_named(struct act *a)
{
    uint32_t left = NAMED_RUNNERS;

    for (uint32_t i = 0; i < a->count && left > 0; i++)
        if (a->tried[i].name) {
            enter(a, &a->tried[i].knobs, a->tried[i].name);
            left--;
        }
}

/* Short trials favor settings with slowly growing queues: the final is longer, as LONG_COST allows. */
static double final_length(const struct act *a)
{
    double length = fmin(a->q->race_length, LONG_COST / fmax(1, a->whole_cost));

    return length > 1 ? length : 0;
}

/* As many as the rest of the budget lets run the first blocks; the baseline and five others in any case. */
static uint32_t room_for(const struct act *a)
{
    double runners = (double)a->r->race.budget / (RACE_BLOCKS_FIRST * fmax(1, a->whole_cost));

    return (uint32_t)fmin(RACE_RUNNERS, fmax(RUNNERS_LEAST, runners));
}

/* The surest come first: there may not be room for all. */
static void enter_all(struct act *a, const struct knobs *mean)
{
    struct race *race = &a->r->race;

    race->room = room_for(a);
    race_enter(race, &a->q->base, "baseline");
    if (a->q->now)
        race_enter(race, a->q->now, NULL);
    race->keeps = race->runners;
    if (a->is_flat)
        return;
    if (a->r->generations)
        enter(a, mean, NULL);
    enter(a, &a->tried[0].knobs, a->tried[0].name);
    enter_named(a);
    for (uint32_t i = 1; i <= LATE && i <= a->r->generations; i++)
        enter(a, &a->late[(a->r->generations - i) % LATE].knobs, NULL);
    for (uint32_t i = 1; i < 3 && i < a->count; i++)
        enter(a, &a->tried[i].knobs, a->tried[i].name);
}

static void on_block(void *arg, const struct race *race)
{
    struct act *a = arg;

    a->r->spent = a->searched + race->spent;
    a->r->trials = a->tries + race->trials;
    report_progress(a, "race");
}

static void hold_race(struct act *a, const struct knobs *mean)
{
    struct race *race = &a->r->race;
    uint64_t     left = a->q->budget > a->r->spent ? a->q->budget - a->r->spent : 0;

    a->searched = a->r->spent;
    a->tries = a->r->trials;
    *race = (struct race){ .predictor = a->q->predictor, .goal = a->q->goal,
                           .first_seed = a->q->seed + ++a->seeds, .tell = on_block, .arg = a,
                           .budget = a->is_flat ? 0 : left,
                           .final_length = a->is_flat ? 0 : final_length(a) };
    enter_all(a, mean);
    a->rc = race_run(race, a->err);
}

/* ---- where to begin ---- */

/* Found for FB_Hadoop on one switch (2), WebSearch (2), bursts, WebSearch on eight hosts, two speeds. */
static const double starts[REHEARSE_STARTS][CODED_DCQCN] = {
    { 0.40, 0.46, 0.96, 0.11, 0.88, 0.25, 0.75, 0.33, 0.81, 0.91, 0.00, 0.56, 1.00, 0.54, 0.15, 0.10 },
    { 0.50, 0.50, 0.03, 0.20, 0.69, 0.00, 0.33, 0.79, 0.20, 0.94, 0.00, 0.96, 0.97, 0.96, 0.00, 0.54 },
    { 0.49, 0.57, 0.07, 0.12, 0.22, 0.75, 0.47, 0.43, 0.26, 0.86, 0.13, 0.79, 0.89, 0.83, 0.21, 0.33 },
    { 0.91, 0.09, 0.56, 0.06, 0.34, 0.50, 0.27, 0.22, 0.32, 0.75, 0.31, 0.91, 0.71, 0.63, 0.00, 0.62 },
    { 0.48, 0.21, 0.95, 0.06, 0.78, 0.25, 0.84, 0.88, 0.69, 0.98, 0.34, 0.40, 0.60, 0.66, 0.27, 0.26 },
    { 0.45, 0.58, 0.17, 0.08, 0.41, 0.00, 0.33, 0.85, 0.22, 0.76, 0.14, 0.82, 0.85, 0.73, 0.14, 0.43 },
    { 0.62, 0.15, 0.91, 0.48, 0.67, 0.50, 0.46, 0.58, 0.82, 0.67, 0.00, 0.72, 0.87, 0.54, 0.13, 0.26 },
};

uint32_t rehearse_starts(const struct world *w, const struct knobs *base, struct knobs *out)
{
    struct coded coded;

    if (w->control)
        return 0;
    coded_init(&coded, w);
    bool has_speed = coded.dim[coded.dims - 1].knob == KNOB_by_speed;
    coded.dims = CODED_DCQCN;
    for (uint32_t i = 0; i < REHEARSE_STARTS; i++) {
        out[i] = *base;
        if (has_speed)
            out[i].value[KNOB_by_speed] = 0;
        coded_to_knobs(&coded, starts[i], &out[i]);
    }
    return REHEARSE_STARTS;
}

int rehearse(struct rehearsal *r, const struct rehearse_request *q, struct err *err)
{
    struct act  *a = xcalloc(1, sizeof(*a));
    struct knobs mean;
    int          rc;

    *r = (struct rehearsal){ 0 };
    a->q = q;
    a->r = r;
    a->err = err;
    a->length = q->length > 0 ? q->length : 1;
    coded_init(&a->coded, q->world);
    screen(a);
    if (!a->rc && !a->is_flat)
        search(a, &mean);
    if (!a->rc)
        hold_race(a, &mean);
    rc = a->rc;
    free(a);
    return rc;
}
