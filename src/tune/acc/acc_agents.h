/* src/tune/acc/acc_agents.h - one agent per switch, or one net for all.
 *
 * A learning agent has its own net and memory. Every 'exchange_slots' slots, random records of each memory
 * are copied to a common memory, and random records of that to each, so that switches learn from each other.
 * Agents that do not learn share one net.
 *
 * With a central learner, agents only explore and record. They share its last net. In a
 * simulation the learner is here. In a live network it is at the controller, which sends nets.
 *
 * The learner is what section 6 of the paper suggests. Records of a monitor interval are collected and then
 * learned from, ordered by slot, switch and queue, so the order in which they came does not matter. For every
 * 'batch' records there is one update, up to ACC_UPDATES_MAX in an interval: the time that learning takes is
 * bounded. After 'send_every' updates there is a new version of the net for the switches.
 */
#ifndef TUNE_ACC_ACC_AGENTS_H
#define TUNE_ACC_ACC_AGENTS_H

#include "base/err.h"
#include "base/nets/dqn.h"

/* ---- the learner ---- */

#define ACC_RECORDS_MAX 1024     /* of a switch in an interval; others are left out */
#define ACC_UPDATES_MAX 32       /* in an interval */
#define ACC_NET_MAX     15000    /* parameters: a net must fit a message */

struct acc_key { uint32_t slot, agent, queue; uint32_t place; };         /* place: of its record */

struct acc_records {
    uint32_t        floats;      /* of a record: dqn_record() */
    uint32_t        count, room;
    struct acc_key *key;
    float          *record;
    uint32_t       *taken;       /* by agent */
    uint32_t        agents;
};

/* Returns false if the agent has too many. */
bool acc_records_add(struct acc_records *, uint32_t slot, uint32_t agent, uint32_t queue, const float *);

struct acc_learner {
    struct acc_records records;  /* of the current interval */
    struct dqn         dqn;
    struct net         net;      /* what switches use, or shall use */
    uint32_t           send_every;
    uint32_t           owed;     /* records without an update */
    uint64_t           version;  /* of 'net', from 1 */
    uint64_t           sent;     /* updates in 'net' */
    double             loss_sum;
};

/* Starts with a copy of 'net'. */
void acc_learner_init(struct acc_learner *, const struct dqn_cfg *, uint32_t send_every, const struct net *);
void acc_learner_fini(struct acc_learner *);

/* Returns why no switch can have made this record; NULL: one can. */
const char *acc_learner_flaw(const struct acc_learner *, const float *record);

/* The interval has ended. Returns true if there is a new version. */
bool acc_learner_learn(struct acc_learner *);

uint64_t acc_checksum(const float *parameter, uint32_t parameters);

/* ---- agents ---- */

struct acc_agents_cfg {
    struct dqn_cfg dqn;
    uint32_t       agents;
    bool           is_learning;
    bool           is_central;   /* learning: by one learner */
    uint32_t       send_every;   /* central: updates between two nets */
    uint32_t       exchange_slots;   /* not central; 0: no exchange */
};

struct acc_agents {
    struct acc_agents_cfg cfg;
    struct net    frozen;        /* not learning: the common net */
    struct dqn   *dqn;           /* learning: one per agent; else NULL. Central: without memory */
    bool         *is_fresh;      /* the agent has new experience in this slot */
    struct replay common;
    struct rng    rng;
    uint64_t      slots;         /* central: of the interval */
    double        loss_sum;
    uint64_t      updates;
    struct acc_learner learner;  /* central */
    uint64_t      version;       /* central: of the net in use; 0: 'frozen', without exploration */
};

/* Starts with copies of 'net'; NULL: with random weights. */
void acc_agents_init(struct acc_agents *, const struct acc_agents_cfg *, const struct net *);
void acc_agents_fini(struct acc_agents *);

uint32_t acc_agents_choose(struct acc_agents *, uint32_t agent, const float *state);
void     acc_agents_remember(struct acc_agents *, uint32_t agent, uint32_t queue, const struct dqn_step *);

/* Lets agents with new experience learn from a batch, and exchanges records, when these are due. */
void acc_agents_end_slot(struct acc_agents *);

/* A monitor interval has ended: a central learner learns, and agents get its new net. */
void acc_agents_end_interval(struct acc_agents *);

/* Back to the initial net: nothing is explored or recorded until another comes. */
void acc_agents_drop(struct acc_agents *);

/* Takes a net for all agents; after a drop, exploration starts with this seed. Refuses a net of wrong size,
 * values or checksum. */
struct acc_net { uint64_t version, seed, checksum; const float *parameter; uint32_t parameters; };
int  acc_agents_take(struct acc_agents *, const struct acc_net *, struct err *);

/* The records of the interval are no longer needed. */
void acc_agents_clear(struct acc_agents *);

/* The seed of an agent. */
uint64_t acc_agents_seed(uint64_t seed, uint32_t agent);

/* Epsilon of the first agent; the others are close to it. */
double acc_agents_epsilon(const struct acc_agents *);

#endif
