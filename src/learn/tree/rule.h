/* src/learn/tree/rule.h - a whole decision of the trees in integers, as a NIC takes it.
 *
 *   delta = scale ((max(rtt - beta base, 0) / base) sqrt(rate) - target)      rate: of the line's
 *   multiplier = trees(last action but one, last delta, last action, delta), within their bounds
 *   rate = rate multiplier, within [rate_min, 1]
 *
 * Outside of the trees stand the bounds of the rate and a net for delays that no trees were grown for: an RTT
 * above rtt_ns_max halves the rate. At first, the last action and the one before are 1, and the last delta is
 * this one. A rate counts 2^-28 of the line's, of which a NIC is told the upper 20 bits: with 8,192 flows a share
 * is 2^-13, and +-0.5 % of it must not be lost. tree_export.h writes the same as C.
 */
#ifndef LEARN_TREE_RULE_H
#define LEARN_TREE_RULE_H

#include "base/err.h"
#include "learn/tree/tree.h"

#define RULE_RATE_ONE   (1u << 28)
#define RULE_RATE_SHIFT 8        /* from our rates to the NIC's, which count 2^-20 */
#define RULE_ROOTS      193      /* of 64 .. 256 */
#define RULE_EXCESS_MAX (1u << 22)           /* ns of RTT above beta that are told apart: 4 ms */
#define RULE_GAIN_BITS  24

struct rule_params {
    uint32_t beta_ns;            /* beta * base */
    uint32_t target_ns;          /* target * base, in 1/256 ns */
    uint32_t gain;               /* from 1/256 ns to delta's 1/256, in 2^-24: scale / base * 2^24 */
    uint32_t rate_min;           /* at least 256: what a NIC is told is above 0 */
    uint32_t rtt_ns_max;
};

struct rule_cfg {                /* 0: the value in brackets */
    double base_ns;              /* [8192] */
    double beta;                 /* [1.5] */
    double target;               /* [0.064] */
    double scale;                /* [12.5] */
    double rate_min;             /* [2^-14] of the line's */
    double rtt_us_max;           /* [150] */
};

struct rule {
    struct rule_params   params;
    const struct forest *forest;
    uint16_t             root[RULE_ROOTS];   /* sqrt of the middle of (64 + i) / 256, in 2^-16; 1 is 65535 */
};

/* What a flow remembers: 12 bytes. */
struct rule_flow {
    uint32_t rate;
    int16_t  action_older, action, delta;
    uint16_t is_started;
};

/* Refuses what a decision could not be made with. */
int rule_params_make(struct rule_params *, const struct rule_cfg *, struct err *);

/* Returns what is wrong, in words to put behind "the rule's ", or NULL. */
const char *rule_params_flaw(const struct rule_params *);

/* The forest must outlive it. */
void rule_init(struct rule *, const struct forest *, const struct rule_params *);

void rule_start(struct rule_flow *, uint32_t rate);

/* sqrt(rate) in 2^-16 of 1, within 0.4 %. rate > 0. */
uint32_t rule_root(const struct rule *, uint32_t rate);

/* The feature, for any RTT and rate. */
int16_t rule_delta(const struct rule *, uint32_t rate, uint32_t rtt_ns);

/* The next rate, within bounds. */
uint32_t rule_next_rate(const struct rule *, uint32_t rate, int32_t multiplier);

/* The decision at an RTT: returns the rate that the NIC is told, in 2^-20 of the line's. */
uint32_t rule_decide(const struct rule *, struct rule_flow *, uint32_t rtt_ns);

#endif
