/* src/study/campaign/compare_stats.c - which differences are more than chance.
 *
 * Variants of one seed have the same flows, so they are compared pair by pair. The effect of a seed's flows
 * cancels out, and far fewer seeds are needed than for two independent samples. Variants with other flows
 * than the baseline's are not judged.
 *
 * Slowdowns are compared by their ratios, seed by seed. A setting slows a busy seed by as large a share as a
 * quiet one, so ratios vary less between seeds than differences, which the busiest seed would dominate.
 *
 * So are figures whose interval of differences would hold a mean of 0 although they are never 0: a round trip
 * cannot change by -100 %.
 *
 * If all seeds gave the same runs, nothing in them was random. They are one observation then, and no
 * difference can be told from chance.
 *
 * A comparison has hundreds of figures. A difference is clear if its own 95 % interval excludes no change,
 * and if it passes the test of Benjamini and Hochberg over all figures and variants (base/bootstrap.h).
 */
#include "base/bootstrap.h"
#include "study/campaign/compare.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void comparison_add_metrics(struct comparison *c, const struct metric *metric, uint32_t count)
{
    figures_add(&c->figures, (uint64_t)c->variants->count * c->seeds, metric, count);
}

void comparison_fini(struct comparison *c)
{
    figures_fini(&c->figures);
    free(c->cell);
    c->cell = NULL;
}

/* ---- the values ---- */

int comparison_load(struct comparison *c, struct campaign *store, struct err *err)
{
    const struct figures_runs all = { c->variants, NULL, c->variants->count, c->seed, c->seeds };

    return figures_load(&c->figures, &all, store, err);
}

/* ---- the statistics ---- */

/* A bootstrap for each number of values that occurs: nearly always one. */
struct judge {
    struct bootstrap *with;      /* [count]; values == 0: not made */
    double           *a, *b;     /* room for values */
    uint32_t          seeds;     /* that count */
};

/* The interval of the mean of the first values of j->a; a single value has no spread. */
static struct interval interval_of(struct judge *j, uint32_t count, double least, double most)
{
    if (count < 2)
        return (struct interval){ NAN, NAN };
    if (j->with[count].values == 0)
        bootstrap_init(&j->with[count], count);
    return bootstrap_mean_within(&j->with[count], j->a, least, most);
}

static void judge_mean(struct judge *j, struct compared_cell *cell, const double *value,
                       const struct metric *metric)
{
    double   least, most;
    uint32_t count = 0;

    for (uint32_t s = 0; s < j->seeds; s++)
        if (isfinite(value[s]))
            j->a[count++] = value[s];
    if (count == 0)
        return;
    metric_bounds(metric, &least, &most);
    struct interval i = interval_of(j, count, least, most);
    cell->mean = mean_of(j->a, count);
    cell->low = i.low;
    cell->high = i.high;
}

/* The mean ratio, by logarithms, in place of the difference. False: a value is 0. */
static bool judge_ratio(struct judge *j, struct compared_cell *cell, const double *value,
                        const double *baseline)
{
    uint32_t count = 0;

    for (uint32_t s = 0; s < j->seeds; s++)
        if (isfinite(value[s]) && isfinite(baseline[s])) {
            if (!(value[s] > 0 && baseline[s] > 0))
                return false;
            j->a[count++] = log(value[s] / baseline[s]);
        }
    struct interval i = interval_of(j, count, -INFINITY, INFINITY);
    cell->change = expm1(mean_of(j->a, count));
    cell->change_low = expm1(i.low);
    cell->change_high = expm1(i.high);
    cell->p = t_test_p(j->a, count);
    cell->is_significant = i.low > 0 || i.high < 0;
    return true;
}

static void judge_difference(struct judge *j, struct compared_cell *cell, const double *value,
                             const double *baseline, const struct metric *metric)
{
    double   least, most;
    uint32_t count = 0;

    metric_bounds(metric, &least, &most);
    for (uint32_t s = 0; s < j->seeds; s++)
        if (isfinite(value[s]) && isfinite(baseline[s])) {
            least = value[s] < least ? -INFINITY : least;
            most = value[s] > most ? INFINITY : most;
            j->a[count] = value[s] - baseline[s];
            j->b[count++] = baseline[s];
        }
    cell->seeds = count;
    if (count == 0)
        return;
    struct interval i = interval_of(j, count, -INFINITY, INFINITY);
    double          base = mean_of(j->b, count);
    cell->difference = mean_of(j->a, count);
    /* A mean cannot change beyond the bounds of its figure. */
    cell->difference_low = i.low < least - base ? least - base : i.low;
    cell->difference_high = i.high > most - base ? most - base : i.high;
    if (base != 0) {
        cell->change = cell->difference / fabs(base);
        cell->change_low = cell->difference_low / fabs(base);
        cell->change_high = cell->difference_high / fabs(base);
    }
    cell->p = t_test_p(j->a, count);
    /* Comparisons with NAN are false. */
    cell->is_significant = i.low > 0 || i.high < 0;
    bool is_more = cell->difference > 0;
    bool is_cut = i.low <= least - base && most == INFINITY;
    if ((metric_is_slowdown(metric) || is_cut) && judge_ratio(j, cell, value, baseline))
        is_more = cell->change > 0;
    cell->is_better = cell->is_significant && metric->better != BETTER_NEITHER &&
                      (metric->better == BETTER_HIGHER) == is_more;
}

static const struct compared_cell nothing = {
    .mean = NAN, .low = NAN, .high = NAN, .difference = NAN, .difference_low = NAN, .difference_high = NAN,
    .change = NAN, .change_low = NAN, .change_high = NAN, .p = 1,
};

bool comparison_is_pair(const struct comparison *c, uint32_t variant)
{
    const struct variant *list = c->variants->list;

    return !list || list[variant].flows.state == list[c->baseline].flows.state;
}

/* Figures that are equal in all pairs are not tested. */
static void control_discoveries(struct comparison *c)
{
    uint64_t cells = (uint64_t)c->figures.count * c->variants->count;
    double  *p = xcalloc(cells + 1, sizeof(*p)), limit;

    c->tested = 0;
    for (uint64_t i = 0; i < cells; i++)
        if (isfinite(c->cell[i].difference_low) && c->cell[i].p < 1)
            p[c->tested++] = c->cell[i].p;
    limit = fdr_threshold(p, c->tested, FDR_SHARE);
    for (uint64_t i = 0; i < cells; i++) {
        c->cell[i].is_significant &= c->cell[i].p <= limit;
        c->cell[i].is_better &= c->cell[i].is_significant;
    }
    free(p);
}

/* The number of seeds, or 1 if all of them gave the same runs. */
static uint32_t count_seeds(const struct comparison *c)
{
    for (uint32_t i = 0; i < c->figures.count; i++)
        for (uint64_t run = 0; run < (uint64_t)c->variants->count * c->seeds; run++) {
            const double *value = c->figures.list[i].value, first = value[run - run % c->seeds];

            if (value[run] != first && !(isnan(value[run]) && isnan(first)))
                return c->seeds;
        }
    return c->seeds > 0;
}

void comparison_judge(struct comparison *c)
{
    struct judge j = { .seeds = c->counted = count_seeds(c) };

    assert(c->seeds <= BOOTSTRAP_VALUES_MAX);
    j.with = xcalloc(c->seeds + 1ul, sizeof(*j.with));
    j.a = xcalloc(2ul * c->seeds, sizeof(*j.a));
    j.b = j.a + c->seeds;
    free(c->cell);
    c->cell = xcalloc((uint64_t)c->figures.count * c->variants->count + 1, sizeof(*c->cell));
    for (uint32_t i = 0; i < c->figures.count; i++) {
        const struct figure *f = &c->figures.list[i];

        for (uint32_t v = 0; v < c->variants->count; v++) {
            const double         *value = &f->value[(uint64_t)v * c->seeds];
            struct compared_cell *cell = comparison_cell(c, i, v);

            *cell = nothing;
            judge_mean(&j, cell, value, &f->metric);
            if (comparison_is_pair(c, v))
                judge_difference(&j, cell, value, &f->value[(uint64_t)c->baseline * c->seeds], &f->metric);
        }
    }
    control_discoveries(c);
    for (uint32_t n = 0; n <= c->seeds; n++)
        if (j.with[n].values)
            bootstrap_fini(&j.with[n]);
    free(j.with);
    free(j.a);
}

/* ---- goal ---- */

/* Goals and bounds count unfinished messages too. Otherwise a setting that starves some would look better. */
static const char *const means[GOAL_PARTS] = {
    "started.slowdown_mean", "started.mice.slowdown_mean", "started.middle.slowdown_mean",
    "started.elephants.slowdown_mean",
};
static const char *const p99s[GOAL_PARTS] = {
    "started.slowdown_p99", "started.mice.slowdown_p99", "started.middle.slowdown_p99",
    "started.elephants.slowdown_p99",
};

static bool has_end(const struct figure *f, const char *end)
{
    size_t length = strlen(f->metric.name), ends = strlen(end);

    return length > ends && strcmp(f->metric.name + length - ends, end) == 0;
}

static bool is_job(const struct figure *f)
{
    return has_end(f, ".iteration_started_us_mean");
}

/* What storage and rpc complete. They often are closed loops: harm shows here, since slow messages are
 * followed by fewer. */
static bool is_rate(const struct figure *f)
{
    return has_end(f, ".iops") || has_end(f, ".calls_per_s");
}

static bool is_class(const struct figure *f)
{
    for (int i = 0; i < GOAL_PARTS; i++)
        if (i != GOAL_ALL && strcmp(f->metric.name, means[i]) == 0)
            return true;
    return false;
}

void comparison_add_goal(struct comparison *c)
{
    struct metric m = { .name = COMPARE_GOAL, .better = BETTER_LOWER, .value = NAN };
    bool          has_jobs = false;

    for (uint32_t i = 0; i < c->figures.count; i++)
        has_jobs |= is_job(&c->figures.list[i]);
    if (!has_jobs)
        c->goal = goal_without_jobs(&c->goal);
    m.unit = c->goal.figure == GOAL_ITERATIONS ? UNIT_US : UNIT_NONE;
    snprintf(m.label, sizeof(m.label), "goal: %.100s", c->goal.name);
    comparison_add_metrics(c, &m, 1);
    figures_find(&c->figures, COMPARE_GOAL)->is_shown = true;
}

/* Geometric mean over jobs. */
static double jobs_value(const struct comparison *c, uint64_t run)
{
    double sum = 0, jobs = 0;

    for (uint32_t i = 0; i < c->figures.count; i++)
        if (is_job(&c->figures.list[i])) {
            sum += log(c->figures.list[i].value[run]);
            jobs++;
        }
    return exp(sum / jobs);
}

/* Geometric mean over parts, by their weights; parts without messages do not count. */
static double messages_value(const struct comparison *c, const char *const *names, uint64_t run)
{
    double sum = 0, weights = 0;

    for (int i = 0; i < GOAL_PARTS; i++) {
        const struct figure *f = figures_find(&c->figures, names[i]);

        if (!f || !(c->goal.weight[i] > 0) || isnan(f->value[run]))
            continue;
        sum += c->goal.weight[i] * log(f->value[run]);
        weights += c->goal.weight[i];
    }
    return exp(sum / weights);           /* NAN without any */
}

void comparison_fill_goal(struct comparison *c)
{
    double *value = figures_find(&c->figures, COMPARE_GOAL)->value;

    for (uint64_t run = 0; run < (uint64_t)c->variants->count * c->seeds; run++)
        value[run] = c->goal.figure == GOAL_ITERATIONS ? jobs_value(c, run) :
                     messages_value(c, c->goal.figure == GOAL_P99 ? p99s : means, run);
}

bool comparison_breaks_bound(const struct comparison *c, uint32_t variant)
{
    for (uint32_t i = 0; i < c->figures.count; i++) {
        const struct figure *f = &c->figures.list[i];
        double               change = comparison_cell(c, i, variant)->change;

        if ((is_class(f) && change > c->goal.class_bound) || (is_job(f) && change > c->goal.job_bound) ||
            (is_rate(f) && change < -c->goal.job_bound))
            return true;
    }
    return false;
}

uint32_t comparison_goal_figure(const struct comparison *c)
{
    return c->has_goal ? (uint32_t)(figures_find(&c->figures, COMPARE_GOAL) - c->figures.list) : UINT32_MAX;
}
