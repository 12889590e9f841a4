/* src/learn/policy/action.h - maps a policy's output to an action. */
#ifndef LEARN_POLICY_ACTION_H
#define LEARN_POLICY_ACTION_H

/* Maps u in -1 .. 1 to a multiplier of the rate: 1 + range u, or for u < 0 1 / (1 - range u). NaN, which
 * weights of 1e30 can cause, becomes 1. */
static inline float action_multiplier(float u, float range)
{
    if (u >= 0)
        return 1 + range * u;
    return u < 0 ? 1 / (1 - range * u) : 1;
}

#endif
