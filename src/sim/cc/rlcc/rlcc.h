/* src/sim/cc/rlcc/rlcc.h - the policy of RL-CC, and an optional observer that watches or decides instead.
 *
 * A model is created before a simulation, which only reads it, and must outlive it. Simulations may share a
 * policy, but each has its own model. Training installs an observer in the model, which is notified of every
 * step of every flow. If the observer also decides, the policy is not used; its answer is fetched when the
 * decision is complete, so decisions must take time.
 */
#ifndef SIM_CC_RLCC_RLCC_H
#define SIM_CC_RLCC_RLCC_H

#include "base/err.h"
#include "base/nets/policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A probe of a flow has returned. */
struct rlcc_step {
    uint64_t at_ps;
    uint64_t rtt_ps;
    float    x[POLICY_FEATURES]; /* two steps, oldest first: policy.h */
    float    rate;               /* current, relative to line rate */
};

struct rlcc_observer {
    void *arg;
    /* A flow has started. Returns its number, which identifies its agent. */
    uint32_t (*on_start)(void *arg, uint64_t now_ps);
    void     (*on_step) (void *arg, uint32_t agent, const struct rlcc_step *);
    /* Returns the multiplier decided on at the agent's last step. NULL: the policy decides. */
    float    (*action)  (void *arg, uint32_t agent);
};

struct rlcc_model {
    const struct policy *policy; /* 'own', or shared */
    struct policy        own;
    bool                 is_exported;        /* use rlcc_exported.c instead of the trees it comes from */

    /* For training; otherwise NULL and 0. An LSTM resets its state when 'epoch' changes. With
     * 'hides_history', flows other than the first see actions of 1, a defect of the published environment. */
    const struct rlcc_observer *observer;
    uint32_t                    epoch;
    bool                        hides_history;
};

extern const char *const rlcc_model_names[];     /* built-in models; NULL-terminated */

/* Opens a built-in model or a file. 'range' is the range of actions for nets; 0: the model's. On failure,
 * nothing needs to be closed. */
int  rlcc_model_open(struct rlcc_model **, const char *name, double range, struct err *);
void rlcc_model_close(struct rlcc_model *);

/* Returns the state size of a flow for a policy with this body, including the pending decision: at most
 * CC_STATE_MAX; for trees at most the 48 bytes of a NIC. */
size_t rlcc_flow_bytes(enum policy_body);

/* ---- data/models/rlcc_exported.c, the C code exported from the shipped trees ---- */

/* That file includes none of our headers, as in a NIC, so it repeats these declarations. A test compares the
 * two, and the file with a new export. */
struct rlcc_params { uint32_t beta_ns, target_ns, gain, rate_min, rtt_ns_max; };

struct rlcc_flow {
    uint32_t rate;
    int16_t  action_older, action, delta;
    uint16_t is_started;
};

uint32_t rlcc_decide(struct rlcc_flow *, const struct rlcc_params *, uint32_t rtt_ns);

#endif
