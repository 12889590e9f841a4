/* src/gym/gym_env.h - a scenario as the world of a gym session. Each RESET restarts it.
 *
 * Several instances with different seeds may run in parallel; their agents form one batch, which amortizes
 * the cost of messages. World w of n has seed n s + w, where s is the seed of RESET, and its agent a has
 * number n a + w.
 */
#ifndef GYM_GYM_ENV_H
#define GYM_GYM_ENV_H

#include "gym/gym.h"

#define GYM_WORLDS_MAX 1024u

struct gym_env {
    struct env_cfg          cfg; /* without the seed */
    uint32_t                worlds;
    struct env            **env;             /* [worlds] */
    uint32_t               *waiting;         /* [worlds] agents in the last batch */
    struct env_observation *seen;            /* of all worlds */
    uint32_t                seens_room;
};

/* Pointers in cfg must stay valid; cfg->policy must be NULL. Starts the scenario once to detect errors before
 * a client connects. */
int  gym_env_open(struct gym_env *, const struct env_cfg *, uint32_t worlds, struct err *);
void gym_env_close(struct gym_env *);

/* Returns the interface for sessions. It refers to the gym_env. */
struct gym_world gym_env_world(struct gym_env *);

#endif
