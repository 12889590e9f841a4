#include "gym/gym_env.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int reset_world(struct gym_env *g, uint32_t world, uint64_t seed, struct err *err)
{
    struct env_cfg cfg = g->cfg;
    struct env *made = NULL;
    int rc;

    cfg.seed = seed * g->worlds + world;
    rc = env_open(&made, &cfg, err);
    if (rc)
        return rc;
    env_close(g->env[world]);
    g->env[world] = made;
    g->waiting[world] = 0;
    return 0;
}

static int reset_all(void *arg, uint64_t seed, struct err *err)
{
    struct gym_env *g = arg;
    int rc = 0;

    for (uint32_t i = 0; !rc && i < g->worlds; i++)
        rc = reset_world(g, i, seed, err);
    return rc;
}

/* ---- batches ---- */

static void append_observations(struct gym_env *g, uint32_t world, const struct env_observation *seen,
                                uint32_t n, uint32_t at)
{
    if (at + n > g->seens_room) {
        g->seens_room = 2 * (at + n);
        g->seen = xrealloc(g->seen, g->seens_room * sizeof(*g->seen));
    }
    if (n > 0)
        memcpy(g->seen + at, seen, n * sizeof(*seen));
    for (uint32_t i = 0; i < n; i++)
        g->seen[at + i].agent = g->seen[at + i].agent * g->worlds + world;
}

static void add_totals(struct env_totals *sum, const struct env *e)
{
    struct env_totals t = env_totals(e);

    sum->steps += t.steps;
    sum->payload_bytes += t.payload_bytes;
    sum->dropped_packets += t.dropped_packets;
}

/* The time is that of the most advanced world. A world that is over has no waiting agents; the batch is over
 * when no agent waits. */
static void observe_all(void *arg, struct gym_batch *b)
{
    struct gym_env *g = arg;

    *b = (struct gym_batch){ .end_ps = env_end_ps(g->env[0]) };
    for (uint32_t i = 0; i < g->worlds; i++) {
        const struct env_observation *seen;
        uint64_t now_ps;

        g->waiting[i] = env_observe(g->env[i], &seen);
        append_observations(g, i, seen, g->waiting[i], b->n);
        b->n += g->waiting[i];
        b->agents += env_agents(g->env[i]);
        add_totals(&b->totals, g->env[i]);
        now_ps = env_now_ps(g->env[i]);
        b->now_ps = now_ps > b->now_ps ? now_ps : b->now_ps;
    }
    b->seen = g->seen;
    b->is_over = b->n == 0;
}

static void act_all(void *arg, const float *multiplier)
{
    struct gym_env *g = arg;

    for (uint32_t i = 0; i < g->worlds; i++) {
        if (g->waiting[i] > 0)
            env_act(g->env[i], multiplier);
        multiplier += g->waiting[i];
    }
}

/* ---- open and close ---- */

int gym_env_open(struct gym_env *g, const struct env_cfg *cfg, uint32_t worlds, struct err *err)
{
    int rc;

    assert(!cfg->policy && worlds >= 1 && worlds <= GYM_WORLDS_MAX);
    *g = (struct gym_env){
        .cfg = *cfg, .worlds = worlds,
        .env = xcalloc(worlds, sizeof(struct env *)), .waiting = xcalloc(worlds, sizeof(*g->waiting)),
    };
    rc = reset_world(g, 0, cfg->seed, err);
    if (rc)
        gym_env_close(g);
    return rc;
}

void gym_env_close(struct gym_env *g)
{
    for (uint32_t i = 0; i < g->worlds; i++)
        env_close(g->env[i]);
    free(g->env);
    free(g->waiting);
    free(g->seen);
    *g = (struct gym_env){ 0 };
}

struct gym_world gym_env_world(struct gym_env *g)
{
    return (struct gym_world){ .name = g->cfg.name, .arg = g, .worlds = g->worlds, .reset = reset_all,
                               .observe = observe_all, .act = act_all };
}
