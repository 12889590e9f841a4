/* src/learn/tree/rule.h - a complete decision with trees in integers, as on a NIC.
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
#ifndef LEARN_TREE_RULE_H
#define LEARN_TREE_RULE_H

#include "base/err.h"
#include "learn/tree/tree.h"

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
