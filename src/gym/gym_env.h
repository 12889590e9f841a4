/* src/gym/gym_env.h - a scenario as the world of a session: each RESET begins it anew. */
#ifndef GYM_GYM_ENV_H
#define GYM_GYM_ENV_H

#include "gym/gym.h"

struct gym_env {
    struct env_cfg cfg;          /* but for the seed */
    struct env    *env;          /* NULL: before the first RESET */
};

/* What cfg points at must outlive it; cfg->policy must be NULL. Begins the scenario once, so that what is wrong with it is
 * known before a client comes. */
int  gym_env_open(struct gym_env *, const struct env_cfg *, struct err *);
void gym_env_close(struct gym_env *);

/* To serve it. The world belongs to the gym_env. */
struct gym_world gym_env_world(struct gym_env *);

#endif
