/* src/tune/rehearse/search/tune_goal.h - the objective of a search, and the gain of one setting over another.
 *
 * A goal is the iteration time of training jobs where jobs are visible. Elsewhere it is a weighted sum of
 * logarithms of mean slowdowns (of all messages, of mice, of middle-sized messages, of elephants), or the
 * 99th percentile of the slowdowns of one of these. Only ratios to a baseline on the same messages count, so
 * a score of -0.1 is 10 % better at any load.
 *
 * Every goal has two bounds: how much slower a class of messages and a job may get. Harm above the bound is
 * weighted ten times, so that no class or job pays for the others. Where a class may bear a little, harm up
 * to that limit is weighted three times.
 */
#ifndef TUNE_REHEARSE_SEARCH_TUNE_GOAL_H
#define TUNE_REHEARSE_SEARCH_TUNE_GOAL_H

#include "base/err.h"
#include "core/predict.h"

#include <stdbool.h>

enum goal_part { GOAL_ALL, GOAL_MICE, GOAL_MIDDLE, GOAL_ELEPHANTS, GOAL_PARTS };

/* Those that a setting may harm: the classes from GOAL_MICE on, then the jobs. */
#define GOAL_PARTIES (GOAL_PARTS + OUTCOME_JOBS)

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
#define GOAL_HARM  10            /* what harm costs */
#define GOAL_DEAR  3             /* up to the limit */

const struct goal *goal_find(const char *name);

/* Parses a goal and its bounds, separated by commas: "p99_slowdown of mice, class_bound=3%, job_bound=1%". In
 * place of a name there may be weights of means: "mice=0.7,elephants=0.3", of all, mice, middle and
 * elephants. Bounds alone are those of the default. Errors have no place in front. */
int goal_of_text(struct goal *, const char *text, struct err *);

/* The same bounds with other figures: what iteration_time means where no job is visible. */
struct goal goal_without_jobs(const struct goal *);

/* ---- jobs ---- */

/* Mean iteration of a job, in seconds; NAN: there is none. */
double goal_iteration(const struct outcomes *, uint32_t job);

/* Whether both have the same jobs, with iterations. */
bool goal_has_jobs(const struct outcomes *, const struct outcomes *base);

/* ---- messages ---- */

/* Mean slowdown of a part; NAN: there were no such messages. */
double goal_slowdown(const struct outcomes *, enum goal_part);

/* The same of messages outside jobs, where it is known which belong to a job. */
double goal_slowdown_of_others(const struct outcomes *, enum goal_part);

/* 99th percentile of the slowdowns of messages outside jobs; NAN: there were none, or it is unknown. */
double goal_p99(const struct outcomes *, enum goal_part);

/* How fast messages are, by the goal: 1 as in an empty network, 0.5 half as fast; 0: there were none. Of
 * parts that have messages. */
double goal_speed(const struct goal *, const struct outcomes *);

/* log(mean slowdown / that of the baseline), for a part; 0 if there is nothing to compare. */
double goal_ratio(const struct outcomes *, const struct outcomes *base, enum goal_part);

/* The goal alone, without harm: the lower the better, 0 as good as the baseline. */
double goal_gain(const struct goal *, const struct outcomes *, const struct outcomes *base);

/* By how much a party is slower than with the baseline, a log ratio: mean slowdown of a class outside jobs,
 * or iteration time of a job. 0 if there is nothing to compare. */
double goal_party_ratio(const struct outcomes *, const struct outcomes *base, uint32_t party);

/* Whether there is something to compare. */
bool goal_has_party(const struct outcomes *, const struct outcomes *base, uint32_t party);

/* What it costs that a party is slower by so much. */
double goal_harm(const struct goal *, uint32_t party, double ratio);

/* With harm. A trial that got stuck is worse than any other. */
double goal_score(const struct goal *, const struct predicted *, const struct predicted *base);

#endif
