/* src/learn/policy/policy_story.h - a description of a policy's behavior in words and figures.
 *
 * All figures are measured on the policy: it is evaluated in characteristic states, with actions of 1 unless
 * stated otherwise. In a constant state, delta equals the previous delta.
 */
#ifndef LEARN_POLICY_POLICY_STORY_H
#define LEARN_POLICY_POLICY_STORY_H

#include "learn/policy/policy.h"
#include "learn/tree/rule.h"

#include <stdbool.h>

struct policy_story {
    float empty;                 /* multiplier in a network that stays empty: delta -0.8 */
    float target, full, flooded; /* constant delta of 0, 0.8, 20 */
    float rising, falling;       /* delta changes from 0 to 0.8; from 0.8 to 0 */
    float receding;              /* delta changes from 5 to 0.8: above the target, but falling */
    float after_cut, after_raise;            /* constant delta of 0 after an action of 0.85; 1.2 */
    bool  has_rest;              /* goes up in an empty network, down in a flooded one */
    float rest;                  /* then: the constant delta at which the rate stays */
};

void policy_story_tell(struct policy_story *, const struct policy *);

/* RTT over base RTT at which n flows with equal shares settle: beta + (target + rest / scale) sqrt(n). */
double policy_story_inflation(const struct policy_story *, const struct rule_cfg *, uint32_t flows);

/* Evidence for a claim that is proven for trees only: "never up when delta is above 0 and rising". */
struct policy_rising {
    uint64_t states, broken;
    float    x[POLICY_FEATURES]; /* state with the largest increase */
    float    most;               /* multiplier in that state */
};

/* Samples rising states, with deltas up to 10. */
void policy_story_look_for_rising(struct policy_rising *, const struct policy *, uint64_t states,
                                  uint64_t seed);

/* Prints the kind of policy and the cost of a decision: two or three lines. */
void policy_story_print_body(FILE *, const struct policy *);

/* Prints sentences, and RTTs for several numbers of flows. */
void policy_story_print(FILE *, const struct policy_story *, const struct rule_cfg *);

void policy_story_print_rising(FILE *, const struct policy_rising *);

#endif
