/* src/learn/policy/policy_gap.h - the difference between two policies, and the state in which it is largest.
 *
 * Compares multipliers. States are added one by one or drawn at random: actions over the range of RL-CC, half
 * of the deltas near the target, in -0.8 .. 0.8, the others up to 'delta_max'.
 */
#ifndef LEARN_POLICY_POLICY_GAP_H
#define LEARN_POLICY_POLICY_GAP_H

#include "learn/policy/policy.h"

#define POLICY_GAP_NEAR 10.0f    /* largest delta common in networks */
#define POLICY_GAP_FAR  76.8f    /* largest delta of the grid that trees are grown on */

struct policy_gap {
    uint64_t states;
    double   sum, squares;       /* of differences */
    double   largest;
    float    x[POLICY_FEATURES]; /* state with the largest difference, the first of several */
    float    a, b;               /* multipliers in that state */
};

struct policy_gap_cfg {          /* 0: the default in brackets */
    uint64_t states;             /* [10^6] */
    uint64_t seed;               /* [1] */
    float    delta_max;          /* [POLICY_GAP_NEAR] */
};

/* Start with a zeroed gap. */
void policy_gap_add(struct policy_gap *, const float x[POLICY_FEATURES], float a, float b);

/* Adds random states; reproducible by seed. */
void policy_gap_draw(struct policy_gap *, const struct policy *a, const struct policy *b,
                     const struct policy_gap_cfg *);

/* Draws one state, as policy_gap_draw() does. */
void policy_gap_state(struct rng *, float delta_max, float x[POLICY_FEATURES]);

/* Mean and root mean square of all; 0 without states. */
double policy_gap_mean(const struct policy_gap *);
double policy_gap_rms(const struct policy_gap *);

/* Prints three lines: mean and root mean square, the largest difference, and its state. 'a' and 'b' name the
 * policies. */
void policy_gap_print(FILE *, const struct policy_gap *, const char *a, const char *b);

#endif
