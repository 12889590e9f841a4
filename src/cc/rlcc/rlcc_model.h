/* src/cc/rlcc/rlcc_model.h - what RL-CC decides by: a policy, and who looks on or decides instead.
 *
 * A model is made before a world, which only reads it, and outlives that. Many worlds may share a policy; each then has a
 * model of its own. Who trains puts an observer into the model: it is told of every step of every flow. If it decides as
 * well, the policy is not asked; the answer is fetched when the decision is over, so decisions must take time.
 */
#ifndef CC_RLCC_RLCC_MODEL_H
#define CC_RLCC_RLCC_MODEL_H

#include "base/err.h"
#include "learn/policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

#define RLCC_CELLS_MAX 16        /* of an LSTM: each is 8 bytes of a flow's state */

/* A probe of a flow has come back. */
struct rlcc_step {
    uint64_t at_ps;
    uint64_t acts_ps;            /* when what is decided counts */
    uint64_t rtt_ps;
    float    x[POLICY_FEATURES]; /* two steps, oldest first: policy.h */
    float    rate;               /* in force, of the line's */
};

struct rlcc_observer {
    void *arg;
    /* A flow has begun: returns its number, from then on that of its agent. */
    uint32_t (*on_start)(void *arg, uint64_t now_ps);
    void     (*on_step) (void *arg, uint32_t agent, const struct rlcc_step *);
    /* The multiplier that was decided on at the agent's last step. NULL: the policy decides. */
    float    (*action)  (void *arg, uint32_t agent);
};

struct rlcc_model {
    const struct policy *policy; /* 'own' or somebody else's */
    struct policy        own;
    bool                 is_exported;        /* not the policy, which is the trees it was made of, but rlcc_exported.c */

    /* Training; NULL and 0 otherwise. An LSTM forgets all when 'epoch' changes. With 'hides_history' flows other
     * than the first see actions of 1, a defect of the published environment. */
    const struct rlcc_observer *observer;
    uint32_t                    epoch;
    bool                        hides_history;
};

extern const char *const rlcc_model_names[];     /* of those that are part of the program; NULL-terminated */

/* One of those names, or a file. 'range' is that of actions, which nets can be told; 0: as the model has it. On failure
 * nothing is held. */
int  rlcc_model_open(struct rlcc_model **, const char *name, double range, struct err *);
void rlcc_model_close(struct rlcc_model *);

#endif
