/* src/train/rlcc/rlcc_training.h - a training of RL-CC: what is asked for, and how far it is. rlcc_train.h says how it goes. */
#ifndef TRAIN_RLCC_RLCC_TRAINING_H
#define TRAIN_RLCC_RLCC_TRAINING_H

#include "base/err.h"
#include "env/env.h"
#include "env/env_world.h"
#include "learn/policy/adpg.h"
#include "learn/policy/policy.h"
#include "learn/policy/tree_adpg.h"

#include <stdbool.h>
#include <stdint.h>

#define RLCC_WORLDS_MAX 32

struct rlcc_request {
    const char      *out, *json;             /* json NULL: not wanted */
    enum policy_body body;                   /* POLICY_MLP, POLICY_LSTM or POLICY_TREES */
    const char     **world;                  /* to learn in, as env_world_parse() reads them; NULL: the published ones */
    uint32_t         worlds;
    uint64_t         seed;
    uint32_t         updates;
    uint32_t         warm_up;                /* updates from 'warm_steps' of each world, before */
    uint32_t         warm_steps;
    uint32_t         steps, steps_most;      /* afterwards: of every agent, and at most of a world */
    uint32_t         renew;                  /* worlds begin anew after so many updates */
    uint32_t         mtu_bytes;
    double           rate, rate_end;         /* of Adam; from half of the updates on it falls to 'rate_end' of that */
    double           gamma, smoothing;
    bool             hides_history;          /* the defect of the published environment */
    uint32_t         jobs;                   /* 0: as many as there are cores */
    bool             is_quiet;
};

struct rlcc_seat {               /* a world */
    struct env_world  world;
    char              name[64], *text;
    struct env       *env;       /* NULL: it begins with the next rollout */
    uint64_t          began_ps;  /* of the last rollout, */
    struct env_totals before;    /* and what there was before it */
    int               rc;        /* of the thread that ran it */
    struct err        err;
};

struct rlcc_train {
    struct rlcc_request request;
    char                config[33];          /* digest of all that results depend on */
    struct policy       policy;
    struct adpg         adpg;                /* of nets, */
    struct tree_adpg    trees;               /* and of trees */
    uint32_t            updates; /* that are done */
    struct rlcc_seat    seat[RLCC_WORLDS_MAX];
    uint32_t            seats;
    char               *state_path;

    /* The rollout at hand. */
    float              *state, *delta;       /* state: of an LSTM, which sees a part of what agents saw */
    size_t              state_room, delta_room;
    struct adpg_trajectory *trajectory;
    uint32_t            trajectories, trajectory_room;
};

#endif
