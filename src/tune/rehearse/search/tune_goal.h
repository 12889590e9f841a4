/* src/tune/rehearse/search/tune_goal.h - the gain of one setting over another, by a goal.
 *
 * Only ratios to a baseline on the same messages count, so a score of -0.1 is 10 % better at any load. Harm
 * above the bound of a class or a job is weighted ten times, so that no class pays for the others. Where a
 * class may bear a little, harm up to that limit is weighted three times.
 */
#ifndef TUNE_REHEARSE_SEARCH_TUNE_GOAL_H
#define TUNE_REHEARSE_SEARCH_TUNE_GOAL_H

#include "core/predict.h"
#include "core/tuning_goal.h"

/* Parties that a setting may harm: the classes from GOAL_MICE on, then the jobs, then the loops. */
#define GOAL_LOOPS   (GOAL_PARTS + OUTCOME_JOBS)         /* the first loop */
#define GOAL_PARTIES (GOAL_LOOPS + OUTCOME_LOOPS)

#define GOAL_HARM  10            /* weight of harm beyond the limit, */
#define GOAL_DEAR  3             /* and up to it */

/* Mean iteration of a job, in seconds; NAN: there is none. */
double goal_iteration(const struct outcomes *, uint32_t job);

/* Whether both have the same jobs, with iterations. */
bool goal_has_jobs(const struct outcomes *, const struct outcomes *base);

/* ---- messages ---- */

/* How many messages of a part there were. */
double goal_messages(const struct outcomes *, enum goal_part);

/* Mean slowdown of a part; NAN: there were no such messages. */
double goal_slowdown(const struct outcomes *, enum goal_part);

/* 99th percentile of the slowdowns of messages outside jobs; NAN: there were none, or it is unknown. */
double goal_p99(const struct outcomes *, enum goal_part);

/* Speed of messages by the goal, over parts with messages: 1 as in an empty network; 0: no messages. */
double goal_speed(const struct goal *, const struct outcomes *);

/* log(mean slowdown / that of the baseline), for a part; 0 if one has no such messages. */
double goal_ratio(const struct outcomes *, const struct outcomes *base, enum goal_part);

/* The goal alone, without harm: the lower the better, 0 as good as the baseline. */
double goal_gain(const struct goal *, const struct outcomes *, const struct outcomes *base);

/* By how much a party is slower than with the baseline, a log ratio: mean slowdown of a class outside jobs,
 * iteration time of a job, or time per byte of a loop. 0 if one of both does not have the party. */
double goal_party_ratio(const struct outcomes *, const struct outcomes *base, uint32_t party);
bool   goal_has_party(const struct outcomes *, const struct outcomes *base, uint32_t party);

/* The penalty for a party that is slower by this ratio. */
double goal_harm(const struct goal *, uint32_t party, double ratio);

/* The gain and all penalties. A trial that got stuck is worse than any other. */
double goal_score(const struct goal *, const struct predicted *, const struct predicted *base);

#endif
