/* src/base/nets/tree/tree_certify.h - proofs of properties of trees, for every input.
 *
 * A claim is tested on a box of features: the sums of the smallest and of the largest reachable leaves of
 * each tree bound the result. If the bounds do not decide the claim, the box is split at a threshold, until
 * none is left inside and the sum is exact. The result is therefore exact: the claim holds for every input,
 * or there is a counterexample.
 */
#ifndef BASE_NETS_TREE_TREE_CERTIFY_H
#define BASE_NETS_TREE_TREE_CERTIFY_H

#include "base/nets/tree/tree.h"

#include <stdbool.h>
#include <stdio.h>

enum certify_claim {
    CERTIFY_CEILING,             /* the rate never exceeds the line rate */
    CERTIFY_FLOOR,               /* nor falls below the minimum, nor to 0 on the NIC */
    CERTIFY_RISING,              /* if delta > 0 and rising, the multiplier is at most 1 */
    CERTIFY_CLAIMS
};

extern const char *const certify_claim_text[CERTIFY_CLAIMS];

/* A counterexample and its decision. */
struct certify_case {
    int16_t  x[TREE_FEATURES];
    uint32_t rate, rate_after;   /* for claims about rates */
    int32_t  multiplier;
};

struct certificate {
    bool                holds[CERTIFY_CLAIMS];
    struct certify_case broken[CERTIFY_CLAIMS];          /* for claims that do not hold */
    int32_t             sum_min, sum_max;    /* exact range of the sum before it is bounded */
    uint64_t            boxes;   /* number of boxes tested */
};

/* Covers all actions within bounds and all deltas. Invalid parameters violate a claim. True: all hold. */
bool certify_rule(struct certificate *, const struct forest *, const struct rule_params *);

/* Number of rows in a leaf: the more, the less it should change. */
typedef uint32_t certify_weights[TREE_TREES_MAX][TREE_LEAVES_MAX];

/* Repairs trees that go up when the RTT is above its target and rising. While there is such a state, lowers
 * the leaves of the worst one until their sum is 1, in inverse proportion to their weights (NULL: equally),
 * which is the smallest change in the least-squares sense. Returns the number of repaired states, or -1 if
 * 'steps_max' were not enough. */
int64_t certify_mend(struct forest *, const certify_weights, uint32_t steps_max);

/* Describes a state: "actions 1.0000, 1.0000 and deltas -0.2031, 0.0039: multiplier 1.00400", and for claims
 * about rates also the rates before and after. Returns buf. */
char *certify_case_text(char *buf, size_t size, const struct certify_case *, enum certify_claim);

/* Some lines of text. */
void certify_print(FILE *, const struct certificate *);

#endif
