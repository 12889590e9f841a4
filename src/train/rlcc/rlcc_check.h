/* src/train/rlcc/rlcc_check.h - what has been learnt: a table of what the policy does, and worlds that it has not seen. */
#ifndef TRAIN_RLCC_RLCC_CHECK_H
#define TRAIN_RLCC_RLCC_CHECK_H

#include "env/env_world.h"
#include "learn/policy/policy.h"

#include <stdio.h>

struct rlcc_check {              /* of one world, after its flows have settled */
    double share;                /* of the receivers' links that payload has */
    double rtt_us;               /* the mean of probes */
    double rtt_us_wanted;        /* base (beta + target sqrt(flows of a receiver)) */
    double lost;                 /* packets per flow */
};

/* The largest difference from the paper's table VI. */
double rlcc_check_distance(const struct policy *);

int rlcc_check_world(struct rlcc_check *, const struct policy *, const struct env_world *, uint64_t seed, struct err *);

/* Both tables, and the checks of some worlds; 'is_quick': of shorter ones. */
int rlcc_check_print(FILE *, const struct policy *, bool is_quick, struct err *);

#endif
