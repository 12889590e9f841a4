/* src/tune/acc/acc_learner.h - one learner for all switches, as section 6 of the paper suggests: switches
 * decide, and a controller learns from their records.
 *
 * Records of a monitor interval are collected and then learned from, ordered by slot, switch and queue, so
 * the order in which they came does not matter. For every 'batch' records there is one update, up to
 * ACC_UPDATES_MAX in an interval: the time that learning takes is bounded. After 'send_every' updates there
 * is a new version of the net for the switches.
 */
#ifndef TUNE_ACC_ACC_LEARNER_H
#define TUNE_ACC_ACC_LEARNER_H

#include "learn/dqn.h"

#include <stdbool.h>
#include <stdint.h>

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
void acc_records_clear(struct acc_records *);

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

/* Can a switch have made this record? If not, returns what is wrong with it. */
const char *acc_learner_flaw(const struct acc_learner *, const float *record);

/* The interval has ended. Returns true if there is a new version. */
bool acc_learner_learn(struct acc_learner *);

uint64_t acc_checksum(const float *parameter, uint32_t parameters);

#endif
