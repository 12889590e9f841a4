/* train/train.h - offline training of ACC: a search for a rule, then rounds of short runs from which a
 * net learns.
 *
 * Search. Generations of rules (tune/acc/acc_state.h) run on the same traffic and are compared with SECN2.
 * Paired runs differ only by the rule, so a hundred of them tell more than a hundred thousand rewards. The
 * best rule becomes the guide of the net (base/nets/dqn.h).
 *
 * Rounds. Each run is a process that decides by the net or by the rule, explores, and returns its experience.
 * The net learns from the runs in the order of their numbers, so the result does not depend on the number of
 * processes. After each generation and round the state is written to a file, from which an interrupted
 * training resumes with the same result.
 *
 * Checks. Every few rounds the net runs on separate traffic without exploration, and is compared with static
 * settings. The best net is kept.
 */
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "base/err.h"
#include "base/nets/dqn.h"
#include "train/resume.h"
#include "tune/acc/acc_state.h"
#include "tune/tuner.h"

#include <stdio.h>

/* ---- train_traffic.c ---- */

#define TRAIN_CHECKS 12          /* scenarios for comparing nets with static settings */
#define TRAIN_EXAMS  (2 * TRAIN_CHECKS)  /* the same with two seeds, for nets */
#define TRAIN_RULES  8           /* candidates for the run-off after the search */
#define TRAIN_STATICS 4          /* number of static settings */

extern const char *const train_static[TRAIN_STATICS];

enum train_nics { TRAIN_BOTH, TRAIN_NVIDIA, TRAIN_DCQCN };

extern const char *const train_nics_names[];     /* NULL-terminated */

/* Training traffic: everything, or what the paper reports, on networks other than in its experiments. */
enum train_traffic { TRAIN_ALL, TRAIN_PUBLISHED };

extern const char *const train_traffic_names[];  /* NULL-terminated */
extern const char *const train_traffic_about[];  /* description, stored in the model */

/* Returns the scenario of a run, malloc'd; a function of its arguments. is_quick: too short to learn much. */
char *train_scenario(uint64_t seed, uint32_t round, uint32_t run, enum train_nics, enum train_traffic,
                     bool is_quick);

/* Returns a check scenario, malloc'd. The second half of them uses the other kind of NICs, or other seeds. */
char *train_check_scenario(uint32_t number, uint64_t seed, enum train_nics, bool is_quick);

/* ---- train_jobs.c ---- */

struct train_found {             /* result of a run */
    double   reward_sum;
    uint64_t rewards;
    double   fct_us[2];          /* mean of mice and of elephants; 0: none finished */
    uint32_t records;
};

struct train_job {
    const struct option_values *values;       /* options of acc */
    const char *name;            /* of the scenario's file; NULL: it is generated */
    const struct net *net;       /* net that decides */
    bool        is_by_rule;      /* or 'rule' decides */
    struct acc_rule rule;
    const char *tuner;           /* or, if both are unset, a static setting */
    double      epsilon;
    uint32_t    hold;
    uint32_t    records_max, record_floats;  /* records to return, and their size */
    uint64_t    seed;
};

/* Reads a scenario, which must be valid. *text is malloc'd, also on failure; NULL: not read */
int train_read_file(const char *path, char **text, struct err *);

/* Runs a scenario and writes a struct train_found, followed by the records if records_max > 0. */
int train_run(const char *text, const struct train_job *, FILE *out, struct err *);

/* ---- train_state.c ---- */

struct train_state {
    char       config[33];       /* digest of everything that affects the result */
    uint32_t   generations;      /* completed */
    struct acc_rule rule;        /* best rule */
    double     rule_score;
    struct acc_rule last[TRAIN_RULES];   /* recent best rules */
    uint32_t   lasts;            /* total number of those */
    bool       is_run_off;       /* the run-off is complete */
    uint32_t   rounds;           /* completed */
    struct dqn dqn;
    struct net smooth;           /* moving average: single batches often contradict each other */
    struct net best;             /* the best of those; lower scores are better */
    double     best_score;
    uint32_t   best_round;
    double     statics[TRAIN_EXAMS][TRAIN_STATICS][2];      /* FCTs of static settings, as in train_found */
    bool       has_statics;
};

void train_state_init(struct train_state *, const struct dqn_cfg *, const char *config);
void train_state_fini(struct train_state *);

/* The file that it is saved in and resumed from. */
struct resume_file train_state_file(struct train_state *);

/* ---- train.c ---- */

struct train_request {
    const char  *out, *json;     /* json NULL: none */
    const char **scenario;       /* files to learn from; none: generated traffic */
    const char **set;            /* options of the tuner: "gamma=0.95" */
    uint32_t     scenarios, sets;
    uint64_t     seed;
    enum train_nics nics;
    enum train_traffic traffic;
    uint32_t     search, rounds, runs, updates, hold, check;
    uint32_t     jobs;           /* 0: number of cores */
    bool         is_quick, is_quiet;
};

extern const struct train_request train_initial;     /* defaults */

struct train {
    struct train_request request;

    struct option_values values;
    char              **file;    /* texts of the scenarios */
    struct train_state  state;
    char               *state_path;
    double              loss;    /* of the last round */

    /* Current jobs and their results. */
    uint32_t            count, next;
    const struct acc_rule *rule; /* of a comparison: see train_search.c */
    uint64_t            first_seed;
    uint32_t            seeds;
    void              (*job)(const struct train *, uint32_t number, struct train_job *, char **text);
    char              **text;
    size_t             *length;
};

/* Reads the options of the tuner; returns -EINVAL if they are invalid. Call train_close() in any case. */
int  train_open(struct train *, const struct train_request *, struct err *);
void train_close(struct train *);

/* Trains, resuming an interrupted training, and writes the model. Returns the number of a signal if one
 * arrived; err then describes the progress. */
int train_run_all(struct train *, struct err *);

/* ---- train_jobs.c ---- */

/* The value of an option of the tuner. */
double train_value(const struct train *, const char *option);

/* Runs 'count' jobs; 'job' describes each, *text is malloc'd. Returns the signal's number if one arrived. */
int train_jobs(struct train *, uint32_t count,
               void (*job)(const struct train *, uint32_t number, struct train_job *, char **text),
               struct err *);
void train_jobs_drop(struct train *);

/* The scenario of a check, malloc'd: generated, or one of the files with a seed that no run has. */
char *train_check_text(const struct train *, uint32_t number, uint64_t seed, struct train_job *);

/* The scenario of file 'number', from the first again behind the last; malloc'd. */
char *train_file_text(const struct train *, uint32_t number, struct train_job *);

struct train_found train_found_by(const struct train *, uint32_t job);

/* Penalty for taking 'times' as long as with SECN2: negative if faster. Slowdowns beyond a tolerance are
 * penalized more than proportionally, so that gains elsewhere do not outweigh them. */
double train_badness(double times);

/* Mean penalty over all checks of a job; 'base' is the job with SECN2. */
double train_score(const struct train *, uint32_t job, uint32_t base);

/* ---- train_search.c ---- */

/* Number of rules in the current generation, and one of them; a function of the state and the number. */
uint32_t        train_candidates(const struct train *);
struct acc_rule train_candidate(const struct train *, uint32_t number);

/* Runs one generation. */
int train_generation(struct train *, struct err *);

/* Run-off after the search: chooses among the recent best rules on more traffic than a generation has. */
int train_run_off(struct train *, struct err *);

/* ---- train_round.c ---- */

int  train_round(struct train *, struct err *);
void train_print_head(void);

#endif
