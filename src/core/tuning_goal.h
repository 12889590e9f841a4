/* src/core/tuning_goal.h - what a setting is chosen for, and whom it must not harm.
 *
 * The key `goal` of scenarios and controllers, and --goal: one text and one parser for tuners, advice and
 * comparisons. A goal is the iteration time of training jobs where jobs are visible. Elsewhere it is a
 * weighted sum of logarithms of mean slowdowns (of all messages, of mice, of middle-sized messages, of
 * elephants), or the 99th percentile of the slowdowns of one of these.
 *
 * Every goal has two bounds: how much slower a class of messages and a job may get.
 */
#ifndef CORE_TUNING_GOAL_H
#define CORE_TUNING_GOAL_H

#include "base/reader.h"

enum goal_part { GOAL_ALL, GOAL_MICE, GOAL_MIDDLE, GOAL_ELEPHANTS, GOAL_PARTS };

enum goal_figure { GOAL_MEANS, GOAL_P99, GOAL_ITERATIONS };

struct goal {
    const char *name, *about;
    double      weight[GOAL_PARTS];          /* of means; iterations: where no job is visible. P99: of one
                                              * part */
    enum goal_figure figure;
    double      class_bound, job_bound;      /* as stated: 0.05 is 5 % slower */
    /* In a search, of a class's log mean slowdown over the baseline's: more is harm. Stricter than the stated
     * bound, because trials are short. */
    double      bound;
    double      limit;           /* up to which harm is dear, and beyond which it is too much; less than the
                                  * bound: there is no such room */
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

/* Parses a goal and its bounds, separated by commas: "p99_slowdown of mice, class_bound=3%, job_bound=1%". In
 * place of a name there may be weights of means: "mice=0.7,elephants=0.3", of all, mice, middle and
 * elephants. Bounds alone are those of the default. Errors have no place in front. */
int goal_of_text(struct goal *, const char *text, struct err *);

/* The same from --goal, which errors name. */
int goal_of_option(struct goal *, const char *text, struct err *);

/* The text of a goal, as goal_of_text() reads it. Returns buf. */
#define GOAL_TEXT_MAX 256
char *goal_text(char buf[GOAL_TEXT_MAX], const struct goal *);

/* Reads a goal from a key of a file; errors name its place. NULL: the default. */
void goal_of_node(struct reader *, const struct yaml_node *, struct goal *);

/* The same bounds with other figures: what iteration_time means where no job is visible. */
struct goal goal_without_jobs(const struct goal *);

#endif
