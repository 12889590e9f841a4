/* src/base/nets/dqn.h - a deep Q-learning agent.
 * Mnih et al., "Human-level control through deep reinforcement learning", Nature 2015;
 * van Hasselt, Guez, Silver, "Deep Reinforcement Learning with Double Q-learning", AAAI 2016.
 *
 * A net maps a state to one value per action: the expected discounted sum of rewards. The agent takes the
 * action with the largest value, or with probability epsilon a random one. It stores (state, action, reward,
 * next state). For a batch of these, it moves the value of the action toward
 *
 *   reward + gamma * target(next)[a],   a = the largest of online(next)   (Double DQN)
 *
 * with Huber or squared loss, a gradient of limited length, and Adam. 'target' is an older copy of 'online'.
 * If the largest possible sum of rewards is known, values are clipped to it, which prevents divergence.
 *
 * Results depend only on the seed: the same calls give the same bits on every machine.
 */
#ifndef BASE_NETS_DQN_H
#define BASE_NETS_DQN_H

#include "base/rng.h"
#include "base/nets/net.h"

#include <stdbool.h>
#include <stdint.h>

/* The loss of an error e. Huber's: e^2 / 2 up to |e| = bend, then linear: bend (|e| - bend / 2). Without a
 * bend: e^2. 'slope' gets its derivative. */
double dqn_loss(float error, float bend, float *slope);

/* Replay memory: a ring buffer of records with a fixed number of floats; a new record replaces the oldest. */
struct replay {
    uint32_t floats;             /* per record */
    uint32_t capacity, count;    /* in records */
    uint64_t added;              /* records ever added; the difference of two reads: new ones */
    float   *record;
};

void replay_init(struct replay *, uint32_t floats, uint32_t capacity);
void replay_fini(struct replay *);

/* Returns record i < count, oldest first. Valid until the next replay_add(). */
const float *replay_at(const struct replay *, uint32_t i);

void replay_add(struct replay *, const float *record);

/* Adds a record to a sample of all that were offered to an empty memory: each is kept with the same
 * probability. replay_at() has no order then. */
void replay_sample(struct replay *, struct rng *, const float *record);

/* Adds n consecutive records. */
void replay_add_all(struct replay *, const float *records, uint32_t n);

/* Draws n records uniformly with replacement. The memory must not be empty. */
void replay_draw(const struct replay *, struct rng *, uint32_t n, const float **record);

struct dqn_cfg {
    struct net_shape shape;      /* inputs: size of a state; outputs: one per action */
    double   gamma;              /* discount per step, in [0, 1) */
    double   value_max;          /* upper bound of the sum of rewards; the lower bound is 0. 0: unknown */
    double   bend;               /* transition point of the Huber loss, > 0; 0: squared errors */
    double   norm_max;           /* limit of the gradient's length; 0: none */
    struct adam_cfg adam;
    uint32_t batch;              /* records per update */
    uint32_t memory;             /* capacity in records */
    bool     is_by_reward;       /* draw records in proportion to their reward in 0 .. 1; else uniformly */
    uint32_t copy_every;         /* updates between copies to the target net */
    double   epsilon, epsilon_min;   /* initial value and minimum */
    double   epsilon_decay;      /* factor per decision, see dqn_decay() */
    uint64_t seed;
};

/* One transition: in 'state' the agent took 'action', received 'reward', and reached 'next'. */
struct dqn_step {
    const float *state, *next;
    float        reward;
    uint32_t     action;
    bool         is_end;         /* terminal: 'next' is ignored */
};

/* A guide supplies a good action for every state. The loss then also keeps the value of that action 'margin'
 * above all others: Hester et al., "Deep Q-learning from Demonstrations", AAAI 2018. The net imitates the
 * guide while its values are learned. */
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
    double         gradient_norm;    /* of the last update, before clipping */

    /* Scratch memory of an update. */
    struct net_batch room;
    const float    **drawn;      /* [batch] */
    uint32_t        *choice;     /* [batch]: best next actions */
    float           *state, *next;   /* [batch][inputs] */
    float           *wanted;     /* [batch] */
    float           *slopes;     /* [batch][actions], 0 except for the actions taken */
    float           *gradient;
};

/* Returns the factor that takes 'from' to 'to' in 'steps' steps; from >= to > 0, steps > 0. */
double dqn_decay(double from, double to, uint32_t steps);

/* Starts with random parameters and an empty memory. */
void dqn_init(struct dqn *, const struct dqn_cfg *);
void dqn_fini(struct dqn *);

/* Loads a trained net of the same shape into both nets and resets Adam; the rest stays. */
void dqn_load(struct dqn *, const struct net *);

/* Probability that the next decision is random. */
double dqn_epsilon(const struct dqn *);

/* Makes a decision without an agent, for frozen nets and for external rollouts. */
uint32_t dqn_pick(const struct net *, const float *state, double epsilon, struct rng *);

/* Makes a decision of the agent and lowers its epsilon. */
uint32_t dqn_select(struct dqn *, const float *state);

/* Size of a record: state, action, reward, next, is_end. */
uint32_t dqn_record_floats(uint32_t inputs);
void     dqn_record(float *record, const struct dqn_step *, uint32_t inputs);

void dqn_remember(struct dqn *, const struct dqn_step *);

/* Draws n records in proportion to their rewards. If hardly any has one, draws some without. */
void dqn_draw_by_reward(const struct replay *, uint32_t inputs, struct rng *, uint32_t n,
                        const float **record);

/* Learns from a random batch and returns its loss; NaN: too few records, nothing learned. */
double dqn_update(struct dqn *);

/* Learns from 'rows' <= batch given records. A batch whose loss or gradient is not finite changes nothing and
 * does not count as an update. */
double dqn_learn(struct dqn *, const float *const *record, uint32_t rows);

#endif
