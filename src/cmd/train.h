/* src/cmd/train.h - training away from the network: rounds of short runs, and what is learnt from each round.
 *
 * A round: all runs decide by the same net and explore; each is a process of its own and hands in what it went
 * through. When all are back, their experience is taken in the order of their numbers, and the net learns from it.
 * So nothing depends on how many run at a time, nor on which is first. After each round all there is to know is
 * written to a file, and an interrupted training goes on from there as if nothing had been.
 *
 * Every few rounds the net decides alone, on traffic of its own and without exploring, and is held against static
 * settings. The net that was best at that is the one that is kept.
 */
#ifndef CMD_TRAIN_H
#define CMD_TRAIN_H

#include "base/err.h"
#include "learn/dqn.h"
#include "tune/tuner.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- train_traffic.c ---- */

#define TRAIN_CHECKS 6           /* scenarios that nets are held against static settings on */
#define TRAIN_STATICS 4          /* those settings */

extern const char *const train_static[TRAIN_STATICS];

/* The scenario of one run; malloc'd. Everything about it follows from the three numbers. */
char *train_scenario(uint64_t seed, uint32_t round, uint32_t run);

/* One to check on; 'name' is set to what it is. */
char *train_check_scenario(uint32_t number, const char **name);

/* ---- train_run.c ---- */

struct train_found {             /* by one run */
    double   reward_sum;
    uint64_t rewards, slots;
    double   fct_us[2];          /* mean, of mice and of elephants; 0: there were none */
    uint32_t records;
};

struct train_job {
    const struct tuner_values *values;       /* of acc */
    const struct net *net;       /* NULL: 'tuner' is a static setting */
    const char *tuner;
    double      epsilon;
    uint32_t    hold, records_max;
    uint64_t    seed;
};

/* Runs a scenario and writes a struct train_found and the records behind it; 'records_max' is 0: none. */
int train_run(const char *text, const struct train_job *, FILE *out, struct err *);

/* ---- train_state.c ---- */

struct train_state {
    char       config[33];       /* digest of all that results depend on */
    uint32_t   rounds;           /* that are done */
    struct dqn dqn;
    struct net smooth;           /* mean of the last nets: what one batch teaches, the next often denies */
    struct net best;             /* of those, by score; less is better */
    double     best_score;
    uint32_t   best_round;
    double     statics[TRAIN_CHECKS][TRAIN_STATICS][2];      /* FCTs of static settings, as in train_found */
    bool       has_statics;
};

void train_state_init(struct train_state *, const struct dqn_cfg *, const char *config);
void train_state_fini(struct train_state *);

/* Whole or not at all. */
int train_state_save(const struct train_state *, const char *path, struct err *);

/* Goes on from a file that was saved with the same configuration; 0 without one, too: *is_there tells. */
int train_state_load(struct train_state *, const char *path, bool *is_there, struct err *);

/* The same from bytes. */
int train_state_parse(struct train_state *, const char *name, const char *bytes, size_t length, struct err *);

#endif
