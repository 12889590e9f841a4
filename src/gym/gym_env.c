/* src/gym/gym_env.c */
#include "gym/gym_env.h"

#include <assert.h>

static int reset(void *arg, uint64_t seed, struct err *err)
{
    struct gym_env *g = arg;
    struct env_cfg cfg = g->cfg;
    struct env *made = NULL;
    int rc;

    cfg.seed = seed;
    rc = env_open(&made, &cfg, err);
    if (rc)
        return rc;
    env_close(g->env);
    g->env = made;
    return 0;
}

static void observe(void *arg, struct gym_batch *b)
{
    struct gym_env *g = arg;

    b->n = env_observe(g->env, &b->seen);
    b->is_over = b->n == 0;
    b->now_ps = env_now_ps(g->env);
    b->end_ps = env_end_ps(g->env);
    b->agents = env_agents(g->env);
    b->totals = env_totals(g->env);
}

static void act(void *arg, const float *multiplier)
{
    struct gym_env *g = arg;

    env_act(g->env, multiplier);
}

int gym_env_open(struct gym_env *g, const struct env_cfg *cfg, struct err *err)
{
    assert(!cfg->policy);
    *g = (struct gym_env){ .cfg = *cfg };
    return reset(g, cfg->seed, err);
}

void gym_env_close(struct gym_env *g)
{
    env_close(g->env);
    *g = (struct gym_env){ 0 };
}

struct gym_world gym_env_world(struct gym_env *g)
{
    return (struct gym_world){ .name = g->cfg.name, .arg = g, .reset = reset, .observe = observe, .act = act };
}
