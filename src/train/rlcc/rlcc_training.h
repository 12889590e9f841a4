/* src/train/rlcc/rlcc_training.h - the request and the state of an RL-CC training; see rlcc_train.h. */
#ifndef TRAIN_RLCC_RLCC_TRAINING_H
#define TRAIN_RLCC_RLCC_TRAINING_H

#include "base/err.h"
#include "env/env.h"
#include "env/env_world.h"
#include "learn/policy/adpg.h"
#include "learn/policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

#define RLCC_WORLDS_MAX 32

struct rlcc_request {
    const char      *out, *json;             /* json NULL: none */
    enum policy_body body;                   /* POLICY_MLP or POLICY_LSTM */
    const char     **world;                  /* training worlds, as in env_world_parse(); NULL: the published
                                              * ones */
    uint32_t         worlds;
    uint64_t         seed;
    uint32_t         updates;
    uint32_t         warm_up;                /* initial updates, with 'warm_steps' of each world */
    uint32_t         warm_steps;
    uint32_t         steps, steps_most;      /* afterwards: per agent, and the limit per world */
    uint32_t         renew;                  /* lifetime of a world, in updates */
    uint32_t         mtu_bytes;
    double           rate, rate_end;         /* of Adam; after half of the updates it falls to 'rate_end'
                                              * times that */
    double           gamma, smoothing;
    bool             hides_history;          /* reproduces the defect of the published environment */
    uint32_t         jobs;                   /* 0: number of cores */
    bool             is_quiet;
};

struct rlcc_seat {               /* a world in training */
    struct env_world  world;
    char              name[64], *text;
    struct env       *env;       /* NULL: starts with the next rollout */
    uint64_t          began_ps;  /* start of the last rollout */
    struct env_totals before;    /* totals before it */
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

    /* Current rollout. */
    float              *state, *delta;       /* state: for an LSTM, which sees only a part of the
                                              * observation */
    size_t              state_room, delta_room;
    struct adpg_trajectory *trajectory;
    uint32_t            trajectories, trajectory_room;
};

#endif
