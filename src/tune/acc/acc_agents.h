/* src/tune/acc/acc_agents.h - one agent per switch, or a net that all of them share.
 *
 * An agent that learns has a net and a memory of its own. Every 'exchange_slots' slots a sample of each memory goes
 * into one that is common to all, and a sample of that into each: so a switch learns from what others went through.
 * Agents that do not learn are one net.
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
    uint32_t       update_slots; /* an agent learns from a batch every so many */
    uint32_t       exchange_slots, exchange_records;     /* exchange_slots is 0: none */
    uint32_t       common_records;                       /* of the common memory */
};

struct acc_agents {
    struct acc_agents_cfg cfg;
    struct net    frozen;        /* not learning: the net of all */
    struct dqn   *dqn;           /* learning: of each */
    bool         *is_fresh;      /* has gone through something new in this slot */
    struct replay common;
    struct rng    rng;
    uint64_t      slots;
    double        loss_sum;
    uint64_t      updates;
};

/* 'net' is what they begin with; NULL: with random numbers, each with others. */
void acc_agents_init(struct acc_agents *, const struct acc_agents_cfg *, const struct net *);
void acc_agents_fini(struct acc_agents *);

uint32_t acc_agents_choose(struct acc_agents *, uint32_t agent, const float *state);

/* What acc_agents_choose() says of each, for agents that do not learn; at most NET_ROWS_MAX states, one after the other. */
bool acc_agents_are_frozen(const struct acc_agents *);
void acc_agents_choose_all(const struct acc_agents *, const float *states, uint32_t rows, uint32_t *action);

void     acc_agents_remember(struct acc_agents *, uint32_t agent, const struct dqn_step *);

/* When it is time, every agent with new experience learns from a batch, and memories are exchanged. */
void acc_agents_end_slot(struct acc_agents *);

/* Of the first: all have made about as many decisions. */
double acc_agents_epsilon(const struct acc_agents *);

#endif
