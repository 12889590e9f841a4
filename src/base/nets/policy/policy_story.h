/* src/base/nets/policy/policy_story.h - describes a policy's behavior in words, figures and tables, and
 * compares policies.
 *
 * All figures are measured on the policy: it is evaluated in characteristic states, with actions of 1 unless
 * stated otherwise. In a constant state, delta equals the previous delta.
 */
#ifndef BASE_NETS_POLICY_POLICY_STORY_H
#define BASE_NETS_POLICY_POLICY_STORY_H

#include "base/nets/policy/policy.h"
#include "base/nets/tree/tree.h"

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

/* ---- the difference between two policies, and the state in which it is largest ----
 *
 * Compares multipliers. States are added one by one or drawn at random: actions over the range of RL-CC, half
 * of the deltas near the target, in -0.8 .. 0.8, the others up to 'delta_max'.
 */
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
    float    delta_max;          /* [POLICY_GAP_NEAR] */
};

/* Start with a zeroed gap. */
void policy_gap_add(struct policy_gap *, const float x[POLICY_FEATURES], float a, float b);

/* Adds random states, the same in every call. */
void policy_gap_draw(struct policy_gap *, const struct policy *a, const struct policy *b,
                     const struct policy_gap_cfg *);

/* Draws one state, as policy_gap_draw() does. */
void policy_gap_state(struct rng *, float delta_max, float x[POLICY_FEATURES]);

/* Mean and root mean square of all; 0 without states. */
double policy_gap_mean(const struct policy_gap *);
double policy_gap_rms(const struct policy_gap *);

/* Prints mean and root mean square, the largest difference, and its state. 'a' and 'b' name the policies. */
void policy_gap_print(FILE *, const struct policy_gap *, const char *a, const char *b);

/* ---- a policy's decisions as a table ----
 *
 * Rows are the previous delta, columns the current one, and cells the multiplier; both previous actions are
 * 1. There are POLICY_TABLE_SIDE deltas, from an empty network to a very full one.
 */
#define POLICY_TABLE_SIDE 8

extern const float policy_table_delta[POLICY_TABLE_SIDE];

typedef float policy_table[POLICY_TABLE_SIDE][POLICY_TABLE_SIDE];

/* RL-CC's net as released by its authors, evaluated; three digits. */
extern const policy_table policy_table_released;

void policy_table_fill(policy_table, const struct policy *);

/* Largest difference between corresponding cells. */
float policy_table_distance(const policy_table, const policy_table);

/* Prints a header and one line per row, with numbers like "1.051". */
void policy_table_print(FILE *, const policy_table);

/* Table VI of the paper, three by three: under-utilized, on target, congested; previous and current. */
extern const float policy_table_paper[3][3];
void policy_table_fill_paper(float table[3][3], const struct policy *);

/* Largest difference from the paper's values. */
double policy_table_paper_distance(const struct policy *);

/* Prints the policy's values, with the paper's in brackets. */
void policy_table_print_paper(FILE *, const struct policy *);

#endif
