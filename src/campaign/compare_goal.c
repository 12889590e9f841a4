/* src/campaign/compare_goal.c - the goal of a comparison: one figure that is made of others. */
#include "campaign/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOBS ".iteration_us_mean"        /* ends the names of figures of jobs */

/* Mean slowdowns by part; results have none of middle-sized messages. */
static const char *const means[GOAL_PARTS] = { "slowdown_mean", "mice.slowdown_mean", NULL,
                                               "elephants.slowdown_mean" };
static const char *const p99s[GOAL_PARTS] = { "slowdown_p99", "mice.slowdown_p99", NULL,
                                              "elephants.slowdown_p99" };

static bool is_job(const struct figure *f)
{
    size_t length = strlen(f->metric.name);

    return length > sizeof(JOBS) - 1 && strcmp(f->metric.name + length - (sizeof(JOBS) - 1), JOBS) == 0;
}

static bool has_jobs(const struct comparison *c)
{
    for (uint32_t i = 0; i < c->figures.count; i++)
        if (is_job(&c->figures.list[i]))
            return true;
    return false;
}

int comparison_add_goal(struct comparison *c, struct err *err)
{
    struct metric m = { .name = COMPARE_GOAL, .better = BETTER_LOWER, .value = NAN };

    if (!has_jobs(c))
        c->goal = goal_without_jobs(&c->goal);
    if (c->goal.weight[GOAL_MIDDLE] > 0)
        return err_set(err, EINVAL,
                       "goal: results have no figure of messages of 120 KB to 1 MB; use mice, elephants or "
                       "all");
    m.unit = c->goal.figure == GOAL_ITERATIONS ? UNIT_US : UNIT_NONE;
    snprintf(m.label, sizeof(m.label), "goal: %.100s", c->goal.name);
    figures_add(&c->figures, (uint64_t)c->variants->count * c->seeds, &m, 1);
    figures_find(&c->figures, COMPARE_GOAL)->is_shown = true;
    return 0;
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
        const struct figure *f = names[i] ? figures_find(&c->figures, names[i]) : NULL;

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
        bool                 is_class = strcmp(f->metric.name, means[GOAL_MICE]) == 0 ||
                                        strcmp(f->metric.name, means[GOAL_ELEPHANTS]) == 0;

        if ((is_class && change > c->goal.class_bound) || (is_job(f) && change > c->goal.job_bound))
            return true;
    }
    return false;
}

uint32_t comparison_goal_figure(const struct comparison *c)
{
    return c->has_goal ? (uint32_t)(figures_find(&c->figures, COMPARE_GOAL) - c->figures.list) : UINT32_MAX;
}
