/* src/tune/acc/acc.h - interface for training ACC: runs that explore and record their experience.
 *
 * acc_explore() makes a tuner that was opened with tuner_acc decide by the net or the rule that is being
 * trained. It then does not learn itself, but adds its experience to a memory (base/nets/dqn.h).
 */
#ifndef TUNE_ACC_ACC_H
#define TUNE_ACC_ACC_H

#include "tune/acc/acc_agents.h"
#include "tune/acc/acc_state.h"
#include "tune/tuner.h"

extern const struct tuner_algo tuner_acc;

/* The shape of ACC's net: 'inputs' -> 20 -> 40 -> 40 -> 'actions', ReLU between. */
void acc_shape(struct net_shape *, uint32_t inputs, uint32_t actions);

/* How the net learns by these options, without exploration. */
struct dqn_cfg acc_dqn(const struct option_values *);

struct acc_explorer {
    const struct net      *net;      /* decides; NULL: 'rule' does */
    const struct acc_rule *rule;
    double                 epsilon;  /* probability of a random action */
    uint32_t               hold;     /* slots for which a random action is held */
    struct replay         *memory;   /* for records; NULL: none */
};

/* What the explorer points to must outlive the tuner and fit its shape. */
void acc_explore(struct tuner *, const struct acc_explorer *);

/* Uses the setting that each slot reports instead of the chosen one: real switches have bounds and delays.
 * (In a simulation, a difference means that the setting was changed from outside; see tune/loop.h.) A central
 * learner is elsewhere then, and sends nets. */
void acc_follow(struct tuner *);

/* The agents with a central learner; NULL: there is none. For live networks, whose controller has it. */
struct acc_agents *acc_central(struct tuner *);

struct acc_figures {             /* since the tuner was opened */
    double   reward_sum, throughput_sum;         /* over rewarded decisions */
    uint64_t rewards, decisions, slots, changes;
    uint64_t skipped;            /* idle queues, summed over slots */
    double   loss_sum;
    uint64_t updates;
    double   epsilon;
};

void acc_figures(const struct tuner *, struct acc_figures *);

/* Shipped models: for NVIDIA's defaults, and for NICs with the DCQCN paper's parameters. Made by
 * tools/embed-model; 0 bytes: not in this build. */
extern const unsigned char acc_model[], acc_dcqcn_model[];
extern const unsigned long acc_model_bytes, acc_dcqcn_model_bytes;

#endif
