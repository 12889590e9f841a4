/* src/train/train.h - training away from the network: a search for a rule, then rounds of short runs, and what is
 * learnt from each round.
 *
 * First generations of rules (tune/acc/acc_rule.h) are tried on the same runs, and held against SECN2: two rules that
 * meet the same flows differ by what they do, so a hundred runs tell more than a hundred thousand rewards. The rule
 * that is found is the net's guide (learn/dqn.h).
 *
 * A round: runs decide by the net or by the rule, and explore; each is a process of its own and hands in what it went
 * through. When all are back, their experience is taken in the order of their numbers, and the net learns from it.
 * So nothing depends on how many run at a time, nor on which is first. After each generation and round all there is to
 * know is written to a file, and an interrupted training goes on from there as if nothing had been.
 *
 * Every few rounds the net decides alone, on traffic of its own and without exploring, and is held against static
 * settings. The net that was best at that is the one that is kept.
 */
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "base/err.h"
#include "learn/dqn.h"
#include "tune/acc/acc_rule.h"
#include "tune/tuner.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- train_traffic.c ---- */

#define TRAIN_CHECKS 12          /* scenarios that nets are held against static settings on */
#define TRAIN_EXAMS  (2 * TRAIN_CHECKS)  /* the same with two seeds, for nets */
#define TRAIN_RULES  8           /* of a search that meet in the end */
#define TRAIN_STATICS 4          /* those settings */

extern const char *const train_static[TRAIN_STATICS];

enum train_nics { TRAIN_BOTH, TRAIN_NVIDIA, TRAIN_DCQCN };

extern const char *const train_nics_names[];     /* NULL-terminated */

/* What to learn from: all there is; or what the paper says it trained with, in networks that are not those of its
 * experiments. */
enum train_traffic { TRAIN_ALL, TRAIN_PUBLISHED };

extern const char *const train_traffic_names[];  /* NULL-terminated */
extern const char *const train_traffic_about[];  /* for people, in a model */

/* The scenario of one run; malloc'd. Everything about it follows from these; what is quick is so short that little
 * is learnt. */
char *train_scenario(uint64_t seed, uint32_t round, uint32_t run, enum train_nics, enum train_traffic, bool is_quick);

/* One to check on; malloc'd. The second half of them has the other kind of NICs, or other seeds. */
char *train_check_scenario(uint32_t number, uint64_t seed, enum train_nics, bool is_quick);

/* ---- train_run.c ---- */

struct train_found {             /* by one run */
    double   reward_sum;
    uint64_t rewards, slots;
    double   fct_us[2];          /* mean, of mice and of elephants; 0: there were none */
    uint32_t records;
};

struct train_job {
    const struct option_values *values;       /* of acc */
    const struct net *net;       /* decides */
    bool        is_by_rule;      /* or this does */
    struct acc_rule rule;
    const char *tuner;           /* or, without both, a static setting */
    double      epsilon;
    uint32_t    hold;
    uint32_t    records_max, record_floats;  /* to hand in, of so many numbers each */
    uint64_t    seed;
};

/* Runs a scenario and writes a struct train_found and the records behind it; 'records_max' is 0: none. */
int train_run(const char *text, const struct train_job *, FILE *out, struct err *);

/* ---- train_state.c ---- */

struct train_state {
    char       config[33];       /* digest of all that results depend on */
    uint32_t   generations;      /* that are done */
    struct acc_rule rule;        /* the best of them */
    double     rule_score;
    struct acc_rule last[TRAIN_RULES];   /* that were best for a while */
    uint32_t   lasts;            /* how many there were */
    bool       is_run_off;       /* the best of those is known */
    uint32_t   rounds;           /* that are done */
    struct dqn dqn;
    struct net smooth;           /* mean of the last nets: what one batch teaches, the next often denies */
    struct net best;             /* of those, by score; less is better */
    double     best_score;
    uint32_t   best_round;
    double     statics[TRAIN_EXAMS][TRAIN_STATICS][2];      /* FCTs of static settings, as in train_found */
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

/* ---- train.c ---- */

struct train_request {
    const char  *out, *json;     /* json NULL: not wanted */
    const char **set;            /* options of the tuner: "gamma=0.95" */
    uint32_t     sets;
    uint64_t     seed;
    enum train_nics nics;
    enum train_traffic traffic;
    uint32_t     search, rounds, runs, updates, hold, check;
    uint32_t     jobs;           /* 0: as many as there are cores */
    bool         is_quick, is_quiet;
};

/* Where the request says nothing. */
extern const struct train_request train_initial;

struct train {
    struct train_request request;

    struct option_values values;
    struct train_state  state;
    char               *state_path;
    double              loss;    /* of the last round */

    /* The jobs at hand, and what each has handed in. */
    uint32_t            count, next;
    struct acc_rule     winner, both;    /* of a generation; see train_search.c */
    void              (*job)(const struct train *, uint32_t number, struct train_job *, char **text);
    char              **text;
    size_t             *length;
};

/* Reads the options of the tuner; what is wrong with them is -EINVAL. To be closed in any case. */
int  train_open(struct train *, const struct train_request *, struct err *);
void train_close(struct train *);

/* Trains, from where an interrupted training was, and writes the model. A signal's number if one came; err then says
 * how far it was. */
int train_run_all(struct train *, struct err *);

double train_value(const struct train *, const char *option);

/* ---- train_jobs.c ---- */

/* Does 'count' jobs, which 'job' describes; *text is a scenario, malloc'd. A signal's number if one came. */
int  train_jobs(struct train *, uint32_t count,
                void (*job)(const struct train *, uint32_t number, struct train_job *, char **text), struct err *);
void train_jobs_drop(struct train *);

struct train_found train_found(const struct train *, uint32_t job);

/* How bad it is that something takes so many times as long as with SECN2: less than 0 if it is faster; slower by more
 * than a little is bad out of proportion, whoever gains by it. */
double train_badness(double times);

/* The same for all checks of a job; 'base' are those with SECN2. */
double train_score(const struct train *, uint32_t job, uint32_t base);

/* ---- train_search.c ---- */

/* How many rules the generation at hand has, and one of them: all follows from the state and the number. */
uint32_t        train_candidates(const struct train *);
struct acc_rule train_candidate(const struct train *, uint32_t number);

/* One generation. */
int train_generation(struct train *, struct err *);

/* After the last: of the rules that were best for a while, the one that is best on more traffic than a generation
 * has. */
int train_run_off(struct train *, struct err *);

/* ---- train_round.c ---- */

int  train_round(struct train *, struct err *);
void train_print_head(void);

#endif
