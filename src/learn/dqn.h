/* src/learn/dqn.h - an agent that learns what its actions are worth.
 * Mnih et al., "Human-level control through deep reinforcement learning", Nature 2015;
 * van Hasselt, Guez, Silver, "Deep Reinforcement Learning with Double Q-learning", AAAI 2016.
 *
 * A net maps a state to one value per action: the discounted sum of rewards to come. The agent mostly takes
 * the action of the largest value, and with probability epsilon any. It remembers (state, action, reward,
 * next state), and for a batch of these moves the value of the action towards
 *
 *   reward + gamma * target(next)[a],   a = the largest of online(next)   Double DQN
 *                                       a = the largest of target(next)   DQN
 *
 * with Huber or squared loss, a gradient of limited length, and Adam. target is a copy of online, some updates old. Where it is
 * known how much can be earned at all, nothing more is believed: values that feed on themselves cannot run away.
 *
 * Everything follows from the seed: the same calls give the same bits on every machine.
 */
#ifndef LEARN_DQN_H
#define LEARN_DQN_H

#include "learn/adam.h"
#include "learn/net.h"
#include "learn/replay.h"

#include <stdbool.h>
#include <stdint.h>

struct dqn_cfg {
    struct net_shape shape;      /* inputs: numbers of a state; outputs: one per action */
    bool     is_double;
    double   gamma;              /* what a reward is worth one step later, in [0, 1) */
    double   value_max;          /* no sum of rewards is above this, nor below 0; 0: nothing is known */
    double   bend;               /* of the Huber loss, > 0; 0: squared errors */
    double   norm_max;           /* of the gradient; 0: no limit */
    struct adam_cfg adam;
    uint32_t batch;              /* records per update */
    uint32_t memory;             /* records remembered */
    bool     is_by_reward;       /* a record is drawn in proportion to its reward, which is in 0 .. 1; else all alike */
    uint32_t copy_every;         /* updates between two copies to the target net */
    double   epsilon, epsilon_min;   /* at the first decision, and at least */
    double   epsilon_decay;      /* factor per decision, as dqn_decay() gives it */
    uint64_t seed;
};

/* What happened once: in 'state' the agent took 'action', and 'reward' later it found itself in 'next'. */
struct dqn_step {
    const float *state, *next;
    float        reward;
    uint32_t     action;
    bool         is_end;         /* nothing comes after it: 'next' does not count */
};

/* Somebody who knows a good action for every state. While there is one, the value of that action is also kept
 * 'margin' above all others, with the weight given: Hester et al., "Deep Q-learning from Demonstrations", AAAI 2018. So
 * the net does as the guide does, and its values are learnt on the way. */
struct dqn_guide {
    uint32_t  (*action)(const void *arg, const float *state);
    const void *arg;
    double      margin, weight;
};

struct dqn {
    struct dqn_cfg cfg;
    const struct dqn_guide *guide;   /* NULL: none */
    struct net     online, target;
    struct adam    adam;
    struct replay  replay;       /* records of dqn_record_floats() */
    struct rng     rng;
    uint64_t       decisions, updates;
    double         gradient_norm;    /* of the last update, before it was limited */

    /* Room for one update. */
    struct net_batch room;
    const float    **drawn;      /* [batch] */
    uint32_t        *choice;     /* [batch]: the actions taken to be best next */
    float           *state, *next;   /* [batch][inputs] */
    float           *wanted, *value, *slope;     /* [batch] */
    float           *slopes;     /* [batch][actions], 0 but for the actions taken */
    float           *gradient;
};

/* The factor that takes 'from' to 'to' in 'steps' steps; from >= to > 0, steps > 0. */
double dqn_decay(double from, double to, uint32_t steps);

/* A net with random parameters and nothing remembered. */
void dqn_init(struct dqn *, const struct dqn_cfg *);
void dqn_fini(struct dqn *);

/* Goes on from a trained net of the same shape: in both nets, and Adam starts anew. Memory, decisions and
 * updates stay. */
void dqn_load(struct dqn *, const struct net *);

/* The probability that the next decision is a random one. */
double dqn_epsilon(const struct dqn *);

/* A decision without an agent, for frozen nets and for rollouts elsewhere. */
uint32_t dqn_pick(const struct net *, const float *state, double epsilon, struct rng *);

/* A decision of the agent, whose epsilon it lowers. */
uint32_t dqn_select(struct dqn *, const float *state);

/* How a step stands in a memory: state, action, reward, next, is_end. */
uint32_t dqn_record_floats(uint32_t inputs);
void     dqn_record(float *record, const struct dqn_step *, uint32_t inputs);

void dqn_remember(struct dqn *, const struct dqn_step *);

/* n records of a memory of such steps, each drawn in proportion to its reward. Where hardly anything was rewarded,
 * some are drawn that were not. */
void dqn_draw_by_reward(const struct replay *, uint32_t inputs, struct rng *, uint32_t n, const float **record);

/* Learns from a batch drawn from memory; returns its loss. Does nothing and returns NaN while there are fewer
 * records than a batch has. */
double dqn_update(struct dqn *);

/* Learns from 'rows' <= batch given records. A batch whose loss or gradient is not finite changes nothing
 * and does not count as an update. */
double dqn_learn(struct dqn *, const float *const *record, uint32_t rows);

#endif
