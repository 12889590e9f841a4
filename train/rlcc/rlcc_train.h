/* train/rlcc/rlcc_train.h - trains an RL-CC policy from scratch in parallel worlds.
 *
 * An update runs every world until each agent has made enough steps with the current policy. It then takes
 * the gradient over all agents (train/rlcc/adpg.h), makes one Adam step, and discards the rollout. Worlds
 * persist across updates; each restarts every 'renew' updates with another seed. Every five such periods all
 * restart at once, and weights and Adam's means are saved. An interrupted training resumes there with the
 * same result.
 *
 * Worlds run on 'jobs' threads and are evaluated in the order of their numbers, so the weights do not depend
 * on the number of jobs.
 */
#ifndef TRAIN_RLCC_RLCC_TRAIN_H
#define TRAIN_RLCC_RLCC_TRAIN_H

#include "train/env/env.h"
#include "train/env/env_world.h"
#include "train/rlcc/adpg.h"
#include "base/nets/policy/policy.h"
#include "train/resume.h"

#define RLCC_WORLDS_MAX 32

struct rlcc_request {
    const char      *out, *json;     /* json NULL: none */
    enum policy_body body;           /* POLICY_MLP or POLICY_LSTM */
    const char     **world;          /* training worlds, as in env_world_parse(); NULL: the published ones */
    uint32_t         worlds;
    uint64_t         seed;
    uint32_t         updates;
    uint32_t         warm_up, warm_steps;    /* initial updates, with that many steps of each world */
    uint32_t         steps, steps_most;      /* afterwards: per agent, and the limit per world */
    uint32_t         renew;          /* lifetime of a world, in updates */
    uint32_t         mtu_bytes;
    double           rate, rate_end; /* of Adam; in the second half it falls to 'rate_end' times that */
    double           gamma, smoothing;
    bool             hides_history;  /* reproduces the defect of the published environment */
    uint32_t         jobs;           /* 0: number of cores */
    bool             is_quiet;
};

extern const struct rlcc_request rlcc_initial;        /* defaults */

struct rlcc_seat {               /* a world in training */
    struct env_world  world;
    char              name[64];
    struct env       *env;       /* NULL: starts with the next rollout */
    struct env_totals before;    /* the last rollout */
    int               rc;        /* result of the thread that ran it */
    struct err        err;
};

struct rlcc_train {
    struct rlcc_request request;
    char                config[33];          /* digest of everything that affects the result */
    struct policy       policy;
    struct adpg         adpg;
    uint32_t            updates; /* completed */
    struct rlcc_seat    seat[RLCC_WORLDS_MAX];
    uint32_t            seats;
    char               *state_path;

    /* Current rollout. 'state': for an LSTM, which sees only a part of the observation. */
    float                  *state, *delta;
    struct adpg_trajectory *trajectory;
    uint32_t                trajectories;
};

/* Refuses unknown worlds. Call rlcc_train_close() in any case. */
int  rlcc_train_open(struct rlcc_train *, const struct rlcc_request *, struct err *);
void rlcc_train_close(struct rlcc_train *);

/* Trains, resuming an interrupted training, and writes the model. */
int rlcc_train_run(struct rlcc_train *, struct err *);

/* The file that a training is saved in and resumed from. Saved when all its worlds restart. */
struct resume_file rlcc_train_state(struct rlcc_train *);

/* ---- rlcc_train_rollout.c ---- */

/* Statistics of all worlds since the last report. */
struct rlcc_seen {
    double steps, reward, delta, rtt_us;     /* sums over steps */
    double share;                /* utilization of the receivers' links by payload, mean of the worlds */
};

/* Runs all worlds in parallel until the quota of this update is met, and starts missing ones. Stores the
 * trajectories of their agents in the training and adds to 'seen'. */
int rlcc_rollout(struct rlcc_train *, struct rlcc_seen *, struct err *);

/* Closes one world, or all. The next rollout starts new ones. */
void rlcc_rollout_end(struct rlcc_train *, uint32_t world);
void rlcc_rollout_drop(struct rlcc_train *);

/* ---- rlcc_train_check.c: decision table of a policy, and worlds not used in training ---- */

struct rlcc_check {              /* of one world in steady state */
    double share;                /* utilization of the receivers' links by payload */
    double rtt_us;               /* mean of the probes */
    double rtt_us_wanted;        /* expected: base (beta + target sqrt(flows of a receiver)) */
    double lost;                 /* packets per flow */
};

int rlcc_check_world(struct rlcc_check *, const struct policy *, const struct env_world *, uint64_t seed,
                     struct err *);

/* Prints both tables and the checks of some worlds. is_quick: shorter ones. */
int rlcc_check_print(FILE *, const struct policy *, bool is_quick, struct err *);

#endif
