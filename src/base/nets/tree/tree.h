/* src/base/nets/tree/tree.h - a policy small enough for a NIC: a sum of a few shallow trees, in integers.
 *
 * Trees are oblivious: all nodes of a level have the same split, "is feature f above t?". The answers, the
 * first level in the lowest bit, form the index of the leaf. A decision is thus a few comparisons, one lookup
 * per tree and a sum, without floating point, division, or data-dependent loops.
 *
 *   feature     of RL-CC, oldest first           as int16_t
 *   0           action before the last           (action - 1) * 4096
 *   1           delta before this one            delta * 256
 *   2           last action                      (action - 1) * 4096
 *   3           delta                            delta * 256
 *
 * Features saturate. Actions are multipliers of the rate. Leaves and their sum, the multiplier, are in units
 * of 1/65536. The sum is then clipped to [multiplier_min, multiplier_max], outside the trees.
 */
#ifndef BASE_NETS_TREE_TREE_H
#define BASE_NETS_TREE_TREE_H

#include "base/err.h"

#include <stdint.h>

#define TREE_FEATURES   4
#define TREE_DEPTH_MAX  4
#define TREE_LEAVES_MAX (1 << TREE_DEPTH_MAX)
#define TREE_TREES_MAX  16
#define TREE_LEAF_MAX   (1 << 20)            /* largest absolute value of a leaf: sums of 17 fit in 32 bits */

#define TREE_ONE        65536    /* a multiplier of 1 */
#define TREE_ACTION_ONE 4096
#define TREE_DELTA_ONE  256

enum tree_feature { TREE_ACTION_OLDER, TREE_DELTA_OLDER, TREE_ACTION, TREE_DELTA };

struct tree_split {
    int16_t threshold;
    uint8_t feature;
};

struct tree {
    uint32_t          depth;     /* 1 .. TREE_DEPTH_MAX */
    struct tree_split split[TREE_DEPTH_MAX];
    int32_t           leaf[TREE_LEAVES_MAX]; /* 1 << depth of them */
};

struct forest {
    uint32_t    trees;
    int32_t     base;            /* constant term */
    int32_t     multiplier_min, multiplier_max;
    struct tree tree[TREE_TREES_MAX];
};

/* Returns what is wrong with it, to follow "the forest ", or NULL. */
const char *forest_flaw(const struct forest *);

/* No trees, always 1; bounds are RL-CC's range of actions, [1/1.2, 1.2]. */
void forest_init(struct forest *);

/* Returns the index of the leaf of a state. */
uint32_t tree_leaf(const struct tree *, const int16_t x[TREE_FEATURES]);

/* The sum, unbounded and bounded. */
int32_t forest_sum(const struct forest *, const int16_t x[TREE_FEATURES]);
int32_t forest_multiplier(const struct forest *, const int16_t x[TREE_FEATURES]);

/* Converts numbers to features, rounded to nearest; NaN becomes 0. */
void    forest_features(const float x[TREE_FEATURES], int16_t feature[TREE_FEATURES]);
int16_t forest_action(int32_t multiplier);   /* the feature of a decision; rounds down */

/* ---- rule: a complete decision with trees in integers, as on a NIC ----
 *
 *   delta = scale ((max(rtt - beta base, 0) / base) sqrt(rate) - target)      rate: fraction of the line rate
 *   multiplier = trees(action before last, last delta, last action, delta), within their bounds
 *   rate = rate multiplier, within [rate_min, 1]
 *
 * Outside the trees, the rate is bounded, and an RTT above rtt_ns_max, beyond the training range, halves the
 * rate. For a new flow, both previous actions are 1, and the last delta equals the current one. Rates are in
 * units of 2^-28 of the line rate; the NIC receives the upper 20 bits. With 8,192 flows a share is 2^-13, and
 * changes of +-0.5 % must not be lost. tree_export.h writes the same as C code.
 */

#define RULE_RATE_ONE   (1u << 28)
#define RULE_RATE_SHIFT 8        /* from these rates to the NIC's, in 2^-20 */
#define RULE_ROOTS      193      /* of 64 .. 256 */
#define RULE_EXCESS_MAX (1u << 22)           /* largest RTT above beta, in ns: 4 ms */
#define RULE_GAIN_BITS  24

struct rule_params {
    uint32_t beta_ns;            /* beta * base */
    uint32_t target_ns;          /* target * base, in 1/256 ns */
    uint32_t gain;               /* from 1/256 ns to delta's 1/256, in 2^-24: scale / base * 2^24 */
    uint32_t rate_min;           /* at least 256, so that the NIC's rate is above 0 */
    uint32_t rtt_ns_max;
};

struct rule_cfg {                /* 0: the default in brackets */
    double base_ns;              /* [8192] */
    double beta;                 /* [1.5] */
    double target;               /* [0.064] */
    double scale;                /* [12.5] */
    double rate_min;             /* [2^-14] of the line rate */
    double rtt_us_max;           /* [150] */
};

struct rule {
    struct rule_params   params;
    const struct forest *forest;
    uint16_t             root[RULE_ROOTS];   /* sqrt of the middle of (64 + i) / 256, in 2^-16; 1 is 65535 */
};

/* State of a flow: 12 bytes. */
struct rule_flow {
    uint32_t rate;
    int16_t  action_older, action, delta;
    uint16_t is_started;
};

/* Refuses invalid parameters. */
int rule_params_make(struct rule_params *, const struct rule_cfg *, struct err *);

/* Returns what is wrong, to follow "the rule's ", or NULL. */
const char *rule_params_flaw(const struct rule_params *);

/* The forest must outlive it. */
void rule_init(struct rule *, const struct forest *, const struct rule_params *);

void rule_start(struct rule_flow *, uint32_t rate);

/* sqrt(rate) in 2^-16, accurate to 0.4 %. rate > 0. */
uint32_t rule_root(const struct rule *, uint32_t rate);

/* Returns the feature, for any RTT and rate. */
int16_t rule_delta(const struct rule *, uint32_t rate, uint32_t rtt_ns);

/* Returns the next rate, within bounds. */
uint32_t rule_next_rate(const struct rule *, uint32_t rate, int32_t multiplier);

/* Makes the decision at an RTT. Returns the rate for the NIC, in 2^-20 of the line rate. */
uint32_t rule_decide(const struct rule *, struct rule_flow *, uint32_t rtt_ns);

#endif
