/* src/learn/policy/action.h - what a policy's output means. */
#ifndef LEARN_POLICY_ACTION_H
#define LEARN_POLICY_ACTION_H

/* u in -1 .. 1 as a multiplier of the rate: 1 + range u, or below 0 1 / (1 - range u). NaN, which weights of 1e30
 * can make, is 1. */
static inline float action_multiplier(float u, float range)
{
    if (u >= 0)
        return 1 + range * u;
    return u < 0 ? 1 / (1 - range * u) : 1;
}

#endif
