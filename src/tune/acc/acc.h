/* src/tune/acc/acc.h - for who trains ACC: runs whose experience is used elsewhere.
 *
 * A tuner that was opened with tuner_acc is told to explore with a net that somebody else improves, or by a rule. It
 * does not learn by itself then; what happens to it is added to a memory, record by record (learn/dqn.h).
 */
#ifndef TUNE_ACC_ACC_H
#define TUNE_ACC_ACC_H

#include "learn/dqn.h"
#include "tune/acc/acc_rule.h"
#include "tune/tuner.h"

extern const struct tuner_algo tuner_acc;

/* The shape of ACC's net: 'inputs' -> 20 -> 40 -> 40 -> 'actions', ReLU between. */
void acc_shape(struct net_shape *, uint32_t inputs, uint32_t actions);

struct acc_explorer {
    const struct net      *net;      /* decides; NULL: 'rule' does */
    const struct acc_rule *rule;
    double                 epsilon;  /* probability of a random action */
    uint32_t               hold;     /* slots for which it stays, so that its effect can be seen */
    struct replay         *memory;   /* for records; NULL: none */
};

/* Decides so from now on. All of it must outlive the tuner, and fit its shape. */
void acc_explore(struct tuner *, const struct acc_explorer *);

/* From now on what is in force, as each slot shows it, counts, not what was chosen: a real switch has bounds, and takes its time. (In a simulation
 * whatever differs somebody else has set, and the loop sees to it that it stays: tune/loop.h.) */
void acc_follow(struct tuner *);

struct acc_figures {             /* since the tuner was opened */
    double   reward_sum, throughput_sum, delay_sum;      /* over decisions that have been rewarded */
    uint64_t rewards, decisions, slots, changes;
    uint64_t skipped;            /* decisions that were not made, because a queue was idle */
    double   loss_sum;
    uint64_t updates;
    double   epsilon;
};

void acc_figures(const struct tuner *, struct acc_figures *);

/* The models that ship with Anole: for NVIDIA's NICs as they come, and for NICs with the DCQCN paper's parameters. Made
 * by tools/embed-model; of a model that is not there, the bytes are 0. */
extern const unsigned char acc_model[], acc_dcqcn_model[];
extern const unsigned long acc_model_bytes, acc_dcqcn_model_bytes;

#endif
