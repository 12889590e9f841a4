/* src/base/nets/policy/policy.h - common interface of RL-CC's policies: a delta in, a multiplier of the rate
 * out.
 *
 * At each RTT of a flow: delta = scale (max(RTT / base - beta, 0) sqrt(rate) - target), which is above 0 if
 * the network is fuller than its target. The policy sees two steps, oldest first: [action before last, delta
 * before last, last action, delta]. An LSTM sees only the last one and has a memory. Actions are multipliers
 * of the rate. For a new flow, the actions are 1 and both deltas are equal.
 *
 *   mlp         4-12relu-12relu-1tanh without biases, and action_multiplier()
 *   lstm        2-32relu-16relu-lstm16-1tanh, the same
 *   int8        an mlp in integers (quant.h)
 *   int8_lstm   an lstm in integers
 *   trees       boosted trees in integers (tree.h)
 */
#ifndef BASE_NETS_POLICY_POLICY_H
#define BASE_NETS_POLICY_POLICY_H

#include "base/nets/net.h"
#include "base/nets/policy/lstm.h"
#include "base/nets/policy/quant.h"
#include "base/nets/tree/tree.h"

#include <stdio.h>

#define POLICY_RANGE    0.2f
#define POLICY_FEATURES 4

enum policy_body { POLICY_MLP, POLICY_LSTM, POLICY_INT8, POLICY_INT8_LSTM, POLICY_TREES, POLICY_BODIES };

extern const char *const policy_body_name[POLICY_BODIES];
extern const struct net_shape policy_shape_mlp;

struct policy {
    enum policy_body body;
    float            range;      /* range of actions of mlp and lstm; the others contain it */
    union {
        struct net    mlp;
        struct lstm   lstm;
        struct quant *int8;      /* also of int8_lstm */
        struct forest trees;
    };
};

/* State of a flow. Only LSTMs have the memory: see policy_flow_bytes(). */
struct policy_flow {
    float    action_older, action, delta;
    uint32_t is_started;
    union policy_memory {
        struct lstm_state  lstm;
        struct quant_state int8_lstm;
    } memory;
};

/* mlp and lstm start with orthogonal weights of gain sqrt 2 (net.h). int8, int8_lstm and trees are
 * made from existing ones; integers may be refused, see quant_init(). */
void policy_init_mlp(struct policy *, struct rng *);
void policy_init_lstm(struct policy *, struct rng *);
int  policy_init_int8(struct policy *, const struct policy *net, struct err *);
void policy_init_trees(struct policy *, const struct forest *);
void policy_fini(struct policy *);

/* 16, plus 128 for RL-CC's LSTM, 64 for that in integers. */
size_t policy_flow_bytes(enum policy_body);
void   policy_start(const struct policy *, struct policy_flow *);

/* Returns the multiplier at a delta, and updates the flow's state. */
float policy_decide(const struct policy *, struct policy_flow *, float delta);

/* Whether nets in floating point, which have a range, decide. */
bool policy_is_float(const struct policy *);

/* Decides for given features. An LSTM sees the two steps in sequence, from a zero state. */
float policy_try(const struct policy *, const float x[POLICY_FEATURES]);

#endif
