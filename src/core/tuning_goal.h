/* src/core/tuning_goal.h - the objective of a tuner, and its bounds on harm.
 *
 * The key `goal` of scenarios and controllers, and --goal: one syntax and one parser for tuners, advice and
 * comparisons. The objective is the iteration time of training jobs, if jobs are visible. Otherwise it is a
 * weighted sum of logarithms of mean slowdowns (of all messages, mice, middle-sized messages, elephants), or
 * the 99th percentile of the slowdowns of one of these.
 *
 * Every goal has two bounds: how much slower a class of messages and a job may become.
 */
#ifndef CORE_TUNING_GOAL_H
#define CORE_TUNING_GOAL_H

#include "base/reader.h"

enum goal_part { GOAL_ALL, GOAL_MICE, GOAL_MIDDLE, GOAL_ELEPHANTS, GOAL_PARTS };

enum goal_figure { GOAL_MEANS, GOAL_P99, GOAL_ITERATIONS };

struct goal {
    const char *name, *about;
    double      weight[GOAL_PARTS];          /* weights of means; iteration_time: used if no job
                                              * is visible. P99: the weight selects one part */
    enum goal_figure figure;
    double      class_bound, job_bound;      /* as the user writes them: 0.05 is 5 % slower */
    /* Bound during a search: a class's log mean slowdown may exceed the baseline's by this much. Stricter
     * than the user's bound, because trials are short. */
    double      bound;
    double      limit;           /* harm up to here is penalized, beyond it refused; below bound: no margin */
};

/* balanced: J = sqrt(mean slowdown x mean slowdown of elephants); latency, throughput; iteration_time;
 * mean_slowdown and p99_slowdown of a part. Ends with a row without a name. */
extern const struct goal goal_all[];
extern const char *const goal_names[];

/* iteration_time, with the bounds below. */
extern const struct goal *const goal_default;

#define GOAL_CLASS_BOUND 0.05    /* default bounds */
#define GOAL_JOB_BOUND   0.02
#define GOAL_SEARCHED    0.2     /* share of a bound that a search may use */
#define GOAL_BOUND (GOAL_SEARCHED * GOAL_CLASS_BOUND)

const struct goal *goal_find(const char *name);

/* Parses a goal and its bounds, separated by commas: "p99_slowdown of mice, class_bound=3%, job_bound=1%". A
 * name may be replaced by weights of means: "mice=0.7,elephants=0.3", of all, mice, middle and elephants.
 * Bounds without a name apply to the default goal. Errors do not name a place. */
int goal_of_text(struct goal *, const char *text, struct err *);

/* Same for --goal, which errors name. */
int goal_of_option(struct goal *, const char *text, struct err *);

/* Formats a goal so that goal_of_text() can read it. Returns buf. */
#define GOAL_TEXT_MAX 256
char *goal_text(char buf[GOAL_TEXT_MAX], const struct goal *);

/* Reads a goal from a key of a file; errors name its location. NULL: the default. */
void goal_of_node(struct reader *, const struct yaml_node *, struct goal *);

/* Returns the same bounds with the figures that iteration_time uses if no job is visible. */
struct goal goal_without_jobs(const struct goal *);

#endif
