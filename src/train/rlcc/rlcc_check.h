/* src/train/rlcc/rlcc_check.h - evaluation of a trained policy: its decision table, and worlds not used in
 * training. */
#ifndef TRAIN_RLCC_RLCC_CHECK_H
#define TRAIN_RLCC_RLCC_CHECK_H

#include "env/env_world.h"
#include "learn/policy/policy.h"

#include <stdio.h>

struct rlcc_check {              /* of one world in steady state */
    double share;                /* utilization of the receivers' links by payload */
    double rtt_us;               /* mean of the probes */
    double rtt_us_wanted;        /* expected: base (beta + target sqrt(flows of a receiver)) */
    double lost;                 /* packets per flow */
};

/* Largest difference from table VI of the paper. */
double rlcc_check_distance(const struct policy *);

int rlcc_check_world(struct rlcc_check *, const struct policy *, const struct env_world *, uint64_t seed,
                     struct err *);

/* Prints both tables and the checks of some worlds. is_quick: shorter ones. */
int rlcc_check_print(FILE *, const struct policy *, bool is_quick, struct err *);

#endif
