/* src/learn/policy/adpg.h - how RL-CC's policy learns: analytic deterministic policy gradient.
 * Tessler et al., "Reinforcement Learning for Datacenter Congestion Control", AAAI 2022; Fuhrer et al., HOTI 2023.
 *
 * A flow is an agent; step i of its n was decided as u[i], in -1 .. 1 before it becomes a multiplier, and then
 * saw delta[i], which is above 0 when the network is fuller than wanted. Its loss, whose derivative is taken as
 * if delta were given:
 *
 *   1/n sum_i u[i] G[i]                                   G[i] = 1/(n-i) sum_{k>=i} gamma^(k-i) delta[k]
 * + smoothing 1/n sum_i 1/(n-i) sum_{j>i} (u[i] - u[j])^2 / 2
 *
 * The loss of a rollout is the mean over agents of two steps or more; an agent with one is left out. Each
 * component of the gradient is cut to +-clip, then Adam takes one step, and the rollout is thrown away.
 */
#ifndef LEARN_POLICY_ADPG_H
#define LEARN_POLICY_ADPG_H

#include "learn/adam.h"
#include "learn/policy/lstm.h"

struct adpg_cfg {                /* 0: the value in brackets, as published */
    double          gamma;       /* [0.99] */
    double          smoothing;   /* [1]; below 0: none */
    double          clip;        /* [0.5] */
    struct adam_cfg adam;        /* [rate 0.01, epsilon 1e-5] */
};

/* What one agent saw and was told of it. */
struct adpg_trajectory {
    uint32_t     steps;
    const float *state;          /* [steps][inputs of the policy] */
    const float *delta;          /* [steps] */
};

/* Learns a net or an LSTM: one of them is NULL. */
struct adpg {
    struct adpg_cfg   cfg;
    struct net       *net;
    struct lstm      *lstm;
    uint32_t          parameters, steps_max;
    float            *parameter; /* of the policy */
    struct adam       adam;
    struct net_batch  net_batch;
    struct lstm_batch lstm_batch;
    float            *slope;     /* [steps_max], dL/du */
    float            *gradient;  /* of the last adpg_update(), after cutting */
};

/* The policy must outlive it; trajectories have at most 'steps_max' steps. */
void adpg_init_net(struct adpg *, const struct adpg_cfg *, struct net *, uint32_t steps_max);
void adpg_init_lstm(struct adpg *, const struct adpg_cfg *, struct lstm *, uint32_t steps_max);
void adpg_fini(struct adpg *);

/* With the values in brackets where nothing is given. */
struct adpg_cfg adpg_cfg_fill(const struct adpg_cfg *);

/* Of one agent with n >= 2 steps, with a filled configuration: returns its loss and writes the derivative by each u to 'slope'. In O(n). */
double adpg_loss(const struct adpg_cfg *, const float *u, const float *delta, uint32_t n, float *slope);

/* Adds 'share' times the gradient of one agent's loss to 'gradient'; returns its loss times 'share'. Agents may
 * be spread over threads, each with an adpg of its own, as long as sums are added in one order. */
double adpg_add(struct adpg *, const struct adpg_trajectory *, double share, float *gradient);

/* Agents that count: those of two steps or more. */
uint32_t adpg_agents(const struct adpg_trajectory *, uint32_t n);

/* Cuts a->gradient and lets Adam take its step: what is left to do when others have summed it. */
void adpg_step(struct adpg *);

/* One update from a rollout of n agents. Returns the loss; without an agent that counts nothing changes and it
 * is 0. */
double adpg_update(struct adpg *, const struct adpg_trajectory *, uint32_t n);

#endif
