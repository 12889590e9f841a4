/* src/learn/policy/policy.h - RL-CC's policies behind one door: whatever their body, a delta in, a multiplier out.
 *
 * At each RTT of a flow: delta = scale (max(RTT / base - beta, 0) sqrt(rate) - target), which is above 0 when the
 * network is fuller than wanted. The policy sees two steps, oldest first: [action before the last, delta before,
 * last action, delta]; an LSTM sees the last of them and remembers. Actions are multipliers of the rate. At first,
 * actions were 1 and the delta before is this one.
 *
 *   mlp     4-12relu-12relu-1tanh without biases, and action.h
 *   lstm    2-32relu-16relu-lstm16-1tanh, the same
 *   int8    an mlp in integers (quant.h)
 *   trees   boosted trees in integers (tree.h)
 */
#ifndef LEARN_POLICY_POLICY_H
#define LEARN_POLICY_POLICY_H

#include "learn/net.h"
#include "learn/policy/lstm.h"
#include "learn/policy/quant.h"
#include "learn/tree/tree.h"

#include <stdio.h>

#define POLICY_RANGE    0.2f
#define POLICY_FEATURES 4

enum policy_body { POLICY_MLP, POLICY_LSTM, POLICY_INT8, POLICY_TREES, POLICY_BODIES };

extern const char *const policy_body_name[POLICY_BODIES];
extern const struct net_shape policy_shape_mlp;

struct policy {
    enum policy_body body;
    float            range;      /* of actions; of mlp and lstm. int8 and trees have it in them */
    union {
        struct net    mlp;
        struct lstm   lstm;
        struct quant *int8;
        struct forest trees;
    };
};

/* What a flow remembers: policy_flow_bytes() of it. */
struct policy_flow {
    float    action_older, action, delta;
    uint32_t is_started;
    float    memory[];           /* of an LSTM: c, then h */
};

/* Of these, mlp and lstm begin with right angles everywhere, of length sqrt 2 (orthogonal.h). int8 and trees are
 * made from something else, which is copied; int8 may be refused, as quant_init() does. */
void policy_init_mlp(struct policy *, struct rng *);
void policy_init_lstm(struct policy *, struct rng *);
int  policy_init_int8(struct policy *, const struct policy *mlp, struct err *);
void policy_init_trees(struct policy *, const struct forest *);
void policy_fini(struct policy *);

/* 16, and 128 more for RL-CC's LSTM. */
size_t policy_flow_bytes(const struct policy *);
void   policy_start(const struct policy *, struct policy_flow *);

/* The multiplier at a delta, which the flow remembers. */
float policy_decide(const struct policy *, struct policy_flow *, float delta);

/* The same for given features. An LSTM sees the two steps one after the other, from a memory of 0. */
float policy_try(const struct policy *, const float x[POLICY_FEATURES]);

#endif
