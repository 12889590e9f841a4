/* src/learn/tree/tree_certify.h - what trees can never do, proven for every input.
 *
 * A box of features is tried whole: of each tree the smallest and the largest leaf that the box can reach are
 * added up. If that settles the claim, it is settled for all states in the box; if not, the box is cut at a
 * threshold, until no threshold is left inside and the sum is one number. So the answer is exact: a claim holds
 * for every input, or there is a state that breaks it.
 */
#ifndef LEARN_TREE_TREE_CERTIFY_H
#define LEARN_TREE_TREE_CERTIFY_H

#include "learn/tree/rule.h"

#include <stdbool.h>
#include <stdio.h>

enum certify_claim {
    CERTIFY_CEILING,             /* the rate is never above the line's */
    CERTIFY_FLOOR,               /* nor below the lowest one, nor 0 for the NIC */
    CERTIFY_RISING,              /* with delta > 0 and delta above the one before, the multiplier is at most 1 */
    CERTIFY_CLAIMS
};

extern const char *const certify_claim_text[CERTIFY_CLAIMS];

/* A state that breaks a claim, and what is decided there. */
struct certify_case {
    int16_t  x[TREE_FEATURES];
    uint32_t rate, rate_after;   /* of the claims about rates */
    int32_t  multiplier;
};

struct certificate {
    bool                holds[CERTIFY_CLAIMS];
    struct certify_case broken[CERTIFY_CLAIMS];          /* of those that do not hold */
    int32_t             sum_min, sum_max;    /* of the trees, before it is bounded: exact */
    uint64_t            boxes;   /* that were looked at */
};

/* Actions are taken from those that the bounds of the multiplier let a flow have had, deltas from all there are.
 * The parameters may be flawed: then a claim is broken. Returns whether all claims hold. */
bool certify_rule(struct certificate *, const struct forest *, const struct rule_params *);

/* How many rows a leaf stands for: the more, the less it should change. */
typedef uint32_t certify_weights[TREE_TREES_MAX][TREE_LEAVES_MAX];

/* Mends trees that go up when the RTT is above its target and rising: as long as there is such a state, the leaves
 * that meet in the worst of them are lowered until their sum is 1, each in inverse proportion to its weight (NULL:
 * all alike), which changes the least squares the least. Returns the number of states that were mended, or -1 if
 * 'steps_max' of them were not enough. */
int64_t certify_mend(struct forest *, const certify_weights, uint32_t steps_max);

/* A state in words, "actions 1.0000, 1.0000 and deltas -0.2031, 0.0039: multiplier 1.00400"; returns buf. Of a claim
 * about rates, the rate before and the one after stand there too. */
char *certify_case_text(char *buf, size_t size, const struct certify_case *, enum certify_claim);

/* Some lines of text. */
void certify_print(FILE *, const struct certificate *);

#endif
