/* src/env/env.h - a simulated network in which somebody learns to control rates.
 *
 * An environment is one world of a scenario with cc: rlcc. Each of its flows is an agent, numbered from 0 in the order of
 * their starts; a step of an agent is one RTT probe of its flow that comes back. The agent sees two steps, oldest first:
 * [action before the last, delta before, last action, delta] (learn/policy/policy.h); an action is a multiplier of the
 * rate. Flows that go on have agents that go on; one that ends takes no more steps. There are two ways to live in it:
 *
 *   in the loop     a policy decides inside of the simulation, at no cost but its own; env_collect() runs until all agents
 *                   have made so many steps, and env_agent() has what each of them went through
 *   from outside    decisions take time (knob rlcc_decision > 0), and that time is what makes batches: env_observe() runs
 *                   on and returns all agents whose probe came back in it, before any of their actions could count;
 *                   env_act() takes one action for each, and each counts when its own decision is over. This is exact:
 *                   nobody waits for the others of its batch longer than the decision takes
 *
 * An environment is for one thread at a time, and belongs to itself: several may run side by side. The same scenario, seed
 * and actions give the same steps. What is wrong with a scenario is told with its place.
 */
#ifndef ENV_ENV_H
#define ENV_ENV_H

#include "base/err.h"
#include "learn/policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct env;

struct env_cfg {
    const char *name;            /* of the scenario, for messages, and for files that it names */
    const char *text;
    size_t      text_bytes;
    const char *const *set;      /* as with --set */
    uint32_t    sets;
    uint64_t    seed;
    const struct policy *policy; /* decides in the loop, and may change between two calls; not int8 or trees. NULL: actions
                                  * come from outside */
    bool        hides_history;   /* flows other than the first see actions of 1: a defect of the published environment */
};

int  env_open(struct env **, const struct env_cfg *, struct err *);
void env_close(struct env *);

/* The simulated time, and that at which the scenario is over; NEVER: when its last flow is. */
uint64_t env_now_ps(const struct env *);
uint64_t env_end_ps(const struct env *);
uint32_t env_agents(const struct env *);     /* so far */

/* What has happened since it was opened. */
struct env_totals {
    uint64_t steps;              /* of all agents */
    uint64_t payload_bytes;      /* that have arrived */
    uint64_t dropped_packets;
    double   rtt_us_sum;         /* over steps */
    double   delta_sum;          /* likewise; */
    double   reward_sum;         /* of -delta^2 */
};

struct env_totals env_totals(const struct env *);

/* ---- in the loop ---- */

struct env_quota {
    uint32_t steps;              /* of every agent that is there; 0: none is waited for */
    uint32_t steps_least;        /* of all together */
    uint32_t steps_most;         /* of all together: enough whatever else */
};

/* What an agent went through in the last env_collect(): its state at each step, [steps][4]. */
struct env_agent {
    uint32_t steps;
    const float (*x)[POLICY_FEATURES];
};

/* Forgets what was collected and runs on until the quota is met. Returns false if the scenario was over before. An LSTM
 * begins without a memory. */
bool             env_collect(struct env *, const struct env_quota *);
struct env_agent env_agent(const struct env *, uint32_t agent);

/* ---- from outside ---- */

struct env_observation {
    uint32_t agent;
    float    x[POLICY_FEATURES];
    float    rate;               /* in force, of the line's */
    float    rtt_us;
    uint64_t at_ps;              /* when the probe came back */
};

/* Runs until agents wait for an action. Returns how many do, in the order of their probes, and where they are until the
 * next call; 0: the scenario is over. To be followed by env_act(). */
uint32_t env_observe(struct env *, const struct env_observation **);

/* One multiplier for each of them, in the same order; what is not within 0.01 .. 100 counts as the nearest that is, NaN as 1. */
void env_act(struct env *, const float *multiplier);

#endif
