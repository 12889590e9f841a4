/* train/env/env.h - a simulated network as a reinforcement-learning environment for rate control.
 *
 * An environment runs one scenario with cc: rlcc. Each flow is an agent, numbered from 0 in order of start.
 * An agent makes a step whenever an RTT probe of its flow returns. It observes two steps, oldest first:
 * [action before last, delta before last, last action, delta] (base/nets/policy/policy.h). An action is a
 * multiplier of the rate. Agents of persistent flows persist; an agent whose flow ends makes no more steps.
 *
 * There are two modes:
 *   in the loop   a policy decides inside the simulation. env_collect() runs until all agents have made
 *                 enough steps; env_agent() returns the steps of one agent.
 *   external      decisions take time (knob rlcc_decision > 0), which allows batches. env_observe() returns
 *                 all agents whose probes returned before any of their actions could take effect. env_act()
 *                 takes one action for each, and each takes effect when its own decision time is over. This
 *                 is exact: no agent waits for its batch longer than a decision takes.
 *
 * An environment is used by one thread at a time. Environments are independent and may run in parallel. The
 * same scenario, seed and actions give the same steps. Errors in a scenario are reported with their location.
 */
#ifndef TRAIN_ENV_ENV_H
#define TRAIN_ENV_ENV_H

#include "base/err.h"
#include "base/nets/policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENV_MULTIPLIER_MIN 0.01f
#define ENV_MULTIPLIER_MAX 100.0f

struct env;

struct env_cfg {
    const char *name;            /* name of the scenario, for error messages and relative paths */
    const char *text;
    size_t      text_bytes;
    const char *const *set;      /* as for --set */
    uint32_t    sets;
    uint64_t    seed;
    const struct policy *policy; /* decides in the loop and may change between calls; no int8 or trees. NULL:
                                  * external actions */
    bool        hides_history;   /* flows other than the first see actions of 1: a defect of the published
                                  * environment, reproduced */
};

int  env_open(struct env **, const struct env_cfg *, struct err *);
void env_close(struct env *);

/* Simulated time, and the end of the scenario; NEVER: it ends with its last flow. */
uint64_t env_now_ps(const struct env *);
uint64_t env_end_ps(const struct env *);
uint32_t env_agents(const struct env *);     /* so far */

/* Totals since env_open(). */
struct env_totals {
    uint64_t now_ps;
    uint64_t steps;              /* of all agents */
    uint64_t payload_bytes;      /* received */
    uint64_t dropped_packets;
    double   rtt_us_sum;         /* over steps */
    double   delta_sum;          /* over steps */
    double   reward_sum;         /* sum of -delta^2 */
};

struct env_totals env_totals(const struct env *);

/* What has been added since. */
struct env_totals env_totals_since(const struct env *, const struct env_totals *before);

/* ---- in the loop ---- */

struct env_quota {
    uint32_t steps;              /* per current agent; 0: no minimum */
    uint32_t steps_least;        /* minimum, all agents together */
    uint32_t steps_most;         /* maximum, all agents together; overrides the others */
};

/* Steps of an agent in the last env_collect(): its state at each step, [steps][4]. */
struct env_agent {
    uint32_t steps, room;
    float  (*x)[POLICY_FEATURES];
    float    action;             /* external mode */
};

/* Discards collected steps and runs until the quota is met. Returns false if the scenario ended before. The
 * state of an LSTM is reset. */
bool env_collect(struct env *, const struct env_quota *);

/* Valid until the next env_collect(). */
const struct env_agent *env_agent(const struct env *, uint32_t agent);

/* ---- external ---- */

struct env_observation {
    uint32_t agent;
    float    x[POLICY_FEATURES];
    float    rate;               /* current, as a fraction of the line rate */
    float    rtt_us;
    uint64_t at_ps;              /* time at which the probe returned */
};

/* Runs until agents wait for an action. Returns their number, in the order of their probes; 0: the scenario
 * is over. The observations are valid until the next call. Must be followed by env_act(). */
uint32_t env_observe(struct env *, const struct env_observation **);

/* Takes one multiplier per observation, in the same order. Values are clamped to 0.01 .. 100; NaN counts as
 * 1. */
void env_act(struct env *, const float *multiplier);

#endif
