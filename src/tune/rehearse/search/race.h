/* src/tune/rehearse/search/race.h - the last stage of a rehearsal: finds the best setting on new messages.
 *
 * A block is a seed and a load; all remaining settings and the baseline run the same messages. After a few
 * blocks, settings that are behind the leader by more than a paired t test allows are eliminated.
 *
 * Long trials are expensive. If they are wanted, all settings run a few blocks of short trials first. The
 * best of them run long ones, and only these count: the results that qualified a finalist, as one of the best
 * of many, are too optimistic.
 */
#ifndef TUNE_REHEARSE_SEARCH_RACE_H
#define TUNE_REHEARSE_SEARCH_RACE_H

#include "tune/rehearse/search/tune_goal.h"
#include "tune/tuner.h"

#define RACE_RUNNERS 16          /* at most, the baseline included */
#define RACE_BLOCKS  40
#define RACE_BLOCKS_FIRST 4      /* before a setting can be out; of a heat */
#define RACE_FINALISTS 5         /* including the baseline and the current setting */

struct runner {
    struct knobs knobs;
    const char  *name;           /* of a preset; NULL: found by the search */
    uint32_t     blocks;         /* run */
    double       gain[RACE_BLOCKS];          /* against the baseline, block by block */
    double       ratio[GOAL_PARTIES];        /* mean goal_party_ratio() against the baseline */
    double       score;                      /* mean gain, and harm by these means */
    double       heat[RACE_BLOCKS_FIRST];    /* gains in the heat, of a finalist */
    bool         is_out, is_final;
};

struct race_gain { double mean, low, high; };    /* as in tune_goal.h, with a 95 % interval over blocks */

/* Mean and interval of at least two values. */
struct race_gain race_interval(const double *value, uint32_t count);

struct race {
    /* Given. */
    const struct predictor *predictor;
    const struct goal      *goal;
    uint64_t                first_seed;
    uint64_t                budget;          /* packet-hops */
    /* called after every block; NULL: disabled */
    void                  (*tell)(void *arg, const struct race *);
    void                   *arg;
    struct runner           runner[RACE_RUNNERS];    /* 0: the baseline; see race_enter() */
    uint32_t                runners;
    uint32_t                room;            /* for so many; 0: RACE_RUNNERS */
    uint32_t                keeps;           /* the first ones run to the end; at least the baseline does */
    double                  final_length;    /* length of trials in the final; 0: no final */

    /* Found. */
    uint32_t winner, blocks, trials;
    uint32_t heats;                          /* blocks before the final */
    uint64_t spent, last;                    /* packet-hops in all, and of the last block */
    struct race_gain gain;                   /* of the winner against the baseline */
};

/* Adds a setting, unless it runs already or there is no room. */
void race_enter(struct race *, const struct knobs *, const char *name);

/* The current leader. */
const struct runner *race_leader(const struct race *);

/* The entry with this setting, else the baseline. */
const struct runner *race_find(const struct race *, const struct knobs *);

int race_run(struct race *, struct err *);

/* The gain of one over another in the blocks that both have run: those of the final if both were in it. */
struct race_gain race_gain(const struct runner *, const struct runner *than);

/* Student's t: how many standard errors the mean of n >= 2 values is off the true one with a probability of
 * 5 %. */
double race_t95(uint32_t n);

/* Writes the entries for a log, the best first: gains against 'now', or the baseline. Returns how many. */
uint32_t tried_of_race(const struct race *, const struct knobs *now, struct tuner_tried tried[RACE_RUNNERS]);

#endif
