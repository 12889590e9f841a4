/* src/tune/rehearse/search/tune_goal.h - the objective of a search, and the gain of one setting over another.
 *
 * A goal is a weighted sum of logarithms of mean slowdowns: of all messages, of mice, of middle-sized
 * messages, of elephants. Only ratios to a baseline on the same messages count, so a score of -0.1 is 10 %
 * better at any load. Harm to any class of messages above the bound is weighted ten times, so that no class
 * pays for the others. Where a class may bear a little, harm up to that limit is weighted three times.
 */
#ifndef TUNE_REHEARSE_SEARCH_TUNE_GOAL_H
#define TUNE_REHEARSE_SEARCH_TUNE_GOAL_H

#include "base/err.h"
#include "core/predict.h"

enum goal_part { GOAL_ALL, GOAL_MICE, GOAL_MIDDLE, GOAL_ELEPHANTS, GOAL_PARTS };

struct goal {
    const char *name, *about;
    double      weight[GOAL_PARTS];
    double      bound;           /* of a class's log mean slowdown over the baseline's: more is harm */
    double      limit;           /* up to which harm is dear, and beyond which it is too much; less than the
                                  * bound: there is no such room */
};

/* balanced: J = sqrt(mean slowdown x mean slowdown of elephants); latency, throughput. Ends with a row
 * without a name. */
extern const struct goal goal_all[];
extern const char *const goal_names[];

const struct goal *goal_find(const char *name);

/* Finds a goal by name, or parses weights: "mice=0.7,elephants=0.3", of all, mice, middle and elephants.
 * Errors have no place in front. */
int goal_of_text(struct goal *, const char *text, struct err *);

/* Gives it these weights, in the order of enum goal_part, instead of its own; if all are 0, it stays as it
 * is. */
void goal_set_weights(struct goal *, const double *weight);

#define GOAL_BOUND 0.01          /* default bound of goals */
#define GOAL_HARM  10            /* what harm costs */
#define GOAL_DEAR  3             /* up to the limit */

/* Mean slowdown of a part; NAN: there were no such messages. */
double goal_slowdown(const struct outcomes *, enum goal_part);

/* How fast messages are, by the goal: 1 as in an empty network, 0.5 half as fast; 0: there were none. Of
 * parts that have messages. */
double goal_speed(const struct goal *, const struct outcomes *);

/* log(mean slowdown / that of the baseline), for a part; 0 if there is nothing to compare. */
double goal_ratio(const struct outcomes *, const struct outcomes *base, enum goal_part);

/* The goal alone, without harm: the lower the better, 0 as good as the baseline. */
double goal_gain(const struct goal *, const struct outcomes *, const struct outcomes *base);

/* What it costs that a class is slower by so much, a log ratio. */
double goal_harm(const struct goal *, double ratio);

/* With harm. A trial that got stuck is worse than any other. */
double goal_score(const struct goal *, const struct predicted *, const struct predicted *base);

#endif
