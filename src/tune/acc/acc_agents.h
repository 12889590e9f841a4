/* src/tune/acc/acc_agents.h - one agent per switch, or one net for all.
 *
 * A learning agent has its own net and memory. Every 'exchange_slots' slots, random records of each memory
 * are copied to a common memory, and random records of that to each, so that switches learn from each other.
 * Agents that do not learn share one net.
 */
#ifndef TUNE_ACC_ACC_AGENTS_H
#define TUNE_ACC_ACC_AGENTS_H

#include "learn/dqn.h"

#include <stdbool.h>
#include <stdint.h>

struct acc_agents_cfg {
    struct dqn_cfg dqn;
    uint32_t       agents;
    bool           is_learning;
    uint32_t       exchange_slots;   /* 0: no exchange */
};

struct acc_agents {
    struct acc_agents_cfg cfg;
    struct net    frozen;        /* not learning: the common net */
    struct dqn   *dqn;           /* learning: one per agent; else NULL */
    bool         *is_fresh;      /* the agent has new experience in this slot */
    struct replay common;
    struct rng    rng;
    uint64_t      slots;
    double        loss_sum;
    uint64_t      updates;
};

/* Starts with copies of 'net'; NULL: with random weights. */
void acc_agents_init(struct acc_agents *, const struct acc_agents_cfg *, const struct net *);
void acc_agents_fini(struct acc_agents *);

uint32_t acc_agents_choose(struct acc_agents *, uint32_t agent, const float *state);
void     acc_agents_remember(struct acc_agents *, uint32_t agent, const struct dqn_step *);

/* Lets agents with new experience learn from a batch, and exchanges records, when these are due. */
void acc_agents_end_slot(struct acc_agents *);

/* Epsilon of the first agent; the others are close to it. */
double acc_agents_epsilon(const struct acc_agents *);

#endif
