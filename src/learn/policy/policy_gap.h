/* src/learn/policy/policy_gap.h - how far two policies are apart, and in which state most.
 *
 * What is compared is the multiplier. States are added one by one, or drawn: actions anywhere in the range of RL-CC's,
 * half of the deltas near the target, -0.8 .. 0.8, the others up to 'delta_max'.
 */
#ifndef LEARN_POLICY_POLICY_GAP_H
#define LEARN_POLICY_POLICY_GAP_H

#include "learn/policy/policy.h"

#define POLICY_GAP_NEAR 10.0f    /* deltas that a network is seen with */
#define POLICY_GAP_FAR  76.8f    /* the largest of the grid that trees are grown on */

struct policy_gap {
    uint64_t states;
    double   sum, squares;       /* of differences */
    double   largest;
    float    x[POLICY_FEATURES]; /* where that is, the first of several */
    float    a, b;               /* the multipliers there */
};

struct policy_gap_cfg {          /* 0: the value in brackets */
    uint64_t states;             /* [10^6] */
    uint64_t seed;               /* [1] */
    float    delta_max;          /* [POLICY_GAP_NEAR] */
};

/* From a gap of zeroes. */
void policy_gap_add(struct policy_gap *, const float x[POLICY_FEATURES], float a, float b);

/* Adds states that are drawn: the same seed draws the same. */
void policy_gap_draw(struct policy_gap *, const struct policy *a, const struct policy *b,
                     const struct policy_gap_cfg *);

/* One state, as policy_gap_draw() draws them. */
void policy_gap_state(struct rng *, float delta_max, float x[POLICY_FEATURES]);

/* Mean and root mean square of all; 0 without states. */
double policy_gap_mean(const struct policy_gap *);
double policy_gap_rms(const struct policy_gap *);

/* Three lines: mean and root mean square, the largest, and the state it is in. 'a' and 'b' name the policies. */
void policy_gap_print(FILE *, const struct policy_gap *, const char *a, const char *b);

#endif
