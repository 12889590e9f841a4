/* src/campaign/compare_goal.c - the goal of a comparison: one figure that is made of others.
 *
 * Goals and bounds count unfinished messages too. Otherwise a setting that starves some would look better.
 */
#include "campaign/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    return has_end(f, ".iteration_us_mean");
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

static bool has_jobs(const struct comparison *c)
{
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (is_job(&c->figures.list[i]))
            return true;
    return false;
}

void comparison_add_goal(struct comparison *c)
{
    struct metric m = { .name = COMPARE_GOAL, .better = BETTER_LOWER, .value = NAN };

    if (!has_jobs(c))
        c->goal = goal_without_jobs(&c->goal);
    m.unit = c->goal.figure == GOAL_ITERATIONS ? UNIT_US : UNIT_NONE;
    snprintf(m.label, sizeof(m.label), "goal: %.100s", c->goal.name);
    figures_add(&c->figures, (uint64_t)c->variants->count * c->seeds, &m, 1);
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
