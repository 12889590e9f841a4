/* src/tune/rehearse/proof/twin_check.h - validates a twin: it must reproduce the slowdowns that hosts saw
 * with the current setting, within noise. A few large messages that meet make a window several times as slow
 * as the next. */
#ifndef TUNE_REHEARSE_PROOF_TWIN_CHECK_H
#define TUNE_REHEARSE_PROOF_TWIN_CHECK_H

#include "tune/rehearse/search/tune_goal.h"

#include <stdbool.h>

struct twin_check {
    /* log ratio of mean slowdowns, above 0 if messages of the twin are slower: of all messages or of
     * elephants, whichever is further beyond chance. Those of which there are too few do not count */
    double off;
    double chance;               /* by which a twin that is right is off in 1 of 20 windows, by how much its
                                  * own differ */
    double noise;                /* of the goal in what hosts saw: standard deviation of its logarithm */
};

/* Runs the twin with a setting, on several draws of messages. */
int check_twin(struct twin_check *, const struct predictor *, const struct goal *, const struct knobs *,
               uint64_t seed, const struct outcomes *saw, struct err *);

/* It is off by no more than is trusted, and what chance explains beyond that; of a trust of 0 there is
 * nothing. */
bool check_is_right(const struct twin_check *, double trust);

#endif
