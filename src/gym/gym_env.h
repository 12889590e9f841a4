/* src/gym/gym_env.h - a scenario as the world of a session: each RESET begins it anew.
 *
 * Or several of it beside each other, with other seeds, whose agents come in one batch: that is what makes messages worth their
 * while. World w of n has the seed n s + w where s is that of RESET, and its agent a the number n a + w.
 */
#ifndef GYM_GYM_ENV_H
#define GYM_GYM_ENV_H

#include "gym/gym.h"

#define GYM_WORLDS_MAX 1024u

struct gym_env {
    struct env_cfg          cfg; /* but for the seed */
    uint32_t                worlds;
    struct env            **env;             /* [worlds] */
    uint32_t               *waiting;         /* [worlds] agents of the last batch */
    struct env_observation *seen;            /* of all of them */
    uint32_t                seens_room;
};

/* What cfg points at must outlive it; cfg->policy must be NULL. Begins the scenario once, so that what is wrong with it is
 * known before a client comes. */
int  gym_env_open(struct gym_env *, const struct env_cfg *, uint32_t worlds, struct err *);
void gym_env_close(struct gym_env *);

/* To serve it. The world belongs to the gym_env. */
struct gym_world gym_env_world(struct gym_env *);

#endif
