/* train/rlcc/adpg.h - the learning algorithm of RL-CC: analytic deterministic policy gradient (ADPG).
 * Tessler et al., "Reinforcement Learning for Datacenter Congestion Control", AAAI 2022;
 * Fuhrer et al., HOTI 2023.
 *
 * A flow is an agent with n steps. Step i decided u[i], in -1 .. 1 before the mapping to a multiplier, and
 * then saw delta[i], which is above 0 if the network is fuller than its target. The loss, whose derivative
 * treats delta as constant, is:
 *
 *   1/n sum_i u[i] G[i]                                   G[i] = 1/(n-i) sum_{k>=i} gamma^(k-i) delta[k]
 *                                                      gamma = 0: G[i] = delta[i], equation (3) of the latter
 * + smoothing 1/n sum_i 1/(n-i) sum_{j>i} (u[i] - u[j])^2 / 2
 *
 * The loss of a rollout is the mean over agents with at least two steps. Each component of the gradient is
 * clipped to +-clip, then Adam makes one step, and the rollout is discarded.
 */
#ifndef TRAIN_RLCC_ADPG_H
#define TRAIN_RLCC_ADPG_H

#include "base/nets/policy/policy.h"

struct adpg_cfg {                /* 0: the published default in brackets */
    double          gamma;       /* [0.99]; negative: 0 */
    double          smoothing;   /* [1]; negative: none */
    double          clip;        /* [0.5] */
    struct adam_cfg adam;        /* [rate 0.01, epsilon 1e-5] */
};

/* Observations of one agent and the deltas that followed. */
struct adpg_trajectory {
    uint32_t     steps;
    const float *state;          /* [steps][inputs of the policy] */
    const float *delta;          /* [steps] */
};

struct adpg {
    struct adpg_cfg   cfg;
    struct policy    *policy;    /* an mlp or an lstm */
    uint32_t          parameters, steps_max;
    float            *parameter; /* of the policy */
    struct adam       adam;
    struct net_batch  net_batch;
    struct lstm_batch lstm_batch;
    float            *slope;     /* [steps_max], dL/du */
    float            *gradient;  /* of the last adpg_update(), after clipping */
};

/* The policy must outlive the optimizer. Trajectories have at most 'steps_max' steps. */
void adpg_init(struct adpg *, const struct adpg_cfg *, struct policy *, uint32_t steps_max);
void adpg_fini(struct adpg *);

/* Returns the loss of one agent with n >= 2 steps, for a filled-in configuration, and stores the derivative
 * with respect to each u in 'slope'. O(n). */
double adpg_loss(const struct adpg_cfg *, const float *u, const float *delta, uint32_t n, float *slope);

/* Adds 'share' times the gradient of one agent's loss to 'gradient'. Returns its loss times 'share'. Agents
 * may be distributed over threads with separate optimizers if the sums are added in a fixed order. */
double adpg_add(struct adpg *, const struct adpg_trajectory *, double share, float *gradient);

/* Number of agents with at least two steps. */
uint32_t adpg_agents(const struct adpg_trajectory *, uint32_t n);

/* Updates from a rollout of n agents; returns the loss. If no agent has two steps: no change, returns 0. */
double adpg_update(struct adpg *, const struct adpg_trajectory *, uint32_t n);

#endif
