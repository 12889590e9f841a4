/* src/learn/policy/policy_story.h - what a policy does, in words and figures.
 *
 * All of it is measured on the policy itself: it is asked in states that say something, with actions of 1 unless they
 * are what is asked about. A state that stays is one in which delta is what it was before.
 */
#ifndef LEARN_POLICY_POLICY_STORY_H
#define LEARN_POLICY_POLICY_STORY_H

#include "learn/policy/policy.h"
#include "learn/tree/rule.h"

#include <stdbool.h>

struct policy_story {
    float empty;                 /* the multiplier in a network that stays empty: delta -0.8 */
    float target, full, flooded; /* that stays at 0, 0.8, 20 */
    float rising, falling;       /* delta goes from 0 to 0.8; from 0.8 to 0 */
    float receding;              /* delta goes from 5 to 0.8: still above the target, but much less */
    float after_cut, after_raise;            /* delta stays at 0, the last action was 0.85; 1.2 */
    bool  has_rest;              /* up in an empty network, down in a flooded one */
    float rest;                  /* then: the delta at which a rate that stays is neither raised nor lowered */
};

void policy_story_tell(struct policy_story *, const struct policy *);

/* RTT over base RTT that n flows with even shares come to rest at: beta + (target + rest / scale) sqrt(n). */
double policy_story_inflation(const struct policy_story *, const struct rule_cfg *, uint32_t flows);

/* What was seen of a claim that is proven of trees alone: "never up when delta is above 0 and rising". */
struct policy_rising {
    uint64_t states, broken;
    float    x[POLICY_FEATURES]; /* where it goes up most */
    float    most;               /* the multiplier there */
};

/* Draws rising states: as many as asked for, with deltas up to 10. */
void policy_story_look_for_rising(struct policy_rising *, const struct policy *, uint64_t states, uint64_t seed);

/* What it is, and what a decision costs: two or three lines. */
void policy_story_print_body(FILE *, const struct policy *);

/* Sentences, and RTTs for some numbers of flows. */
void policy_story_print(FILE *, const struct policy_story *, const struct rule_cfg *);

void policy_story_print_rising(FILE *, const struct policy_rising *);

#endif
