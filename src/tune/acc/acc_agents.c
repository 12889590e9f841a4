#include "tune/acc/acc_agents.h"
#include "base/err.h"

#include <math.h>
#include <stdlib.h>

#define STREAM           0x616363u   /* of random numbers; "acc" */
#define UPDATE_SLOTS     2       /* slots between batches */
#define EXCHANGE_RECORDS 64      /* records of each memory per exchange */
#define COMMON_RECORDS   20000   /* records in the common memory */

static void init_learners(struct acc_agents *a, const struct net *net)
{
    a->dqn = xcalloc(a->cfg.agents + 1ul, sizeof *a->dqn);
    a->is_fresh = xcalloc(a->cfg.agents + 1ul, sizeof *a->is_fresh);
    for (uint32_t i = 0; i < a->cfg.agents; i++) {
        struct dqn_cfg cfg = a->cfg.dqn;

        cfg.seed ^= (i + 1) * 0x9e3779b97f4a7c15ull;
        dqn_init(&a->dqn[i], &cfg);
        if (net)
            dqn_load(&a->dqn[i], net);
    }
    replay_init(&a->common, dqn_record_floats(a->cfg.dqn.shape.inputs), COMMON_RECORDS);
}

void acc_agents_init(struct acc_agents *a, const struct acc_agents_cfg *cfg, const struct net *net)
{
    *a = (struct acc_agents){ .cfg = *cfg };
    rng_init(&a->rng, cfg->dqn.seed, STREAM);
    net_init(&a->frozen, &cfg->dqn.shape);
    if (net)
        net_copy(&a->frozen, net);
    else
        net_randomise(&a->frozen, &a->rng);
    if (cfg->is_learning)
        init_learners(a, net);
}

void acc_agents_fini(struct acc_agents *a)
{
    for (uint32_t i = 0; a->dqn && i < a->cfg.agents; i++)
        dqn_fini(&a->dqn[i]);
    if (a->dqn)
        replay_fini(&a->common);
    free(a->dqn);
    free(a->is_fresh);
    net_fini(&a->frozen);
    *a = (struct acc_agents){ 0 };
}

uint32_t acc_agents_choose(struct acc_agents *a, uint32_t agent, const float *state)
{
    float value[NET_WIDTH_MAX];

    if (a->dqn)
        return dqn_select(&a->dqn[agent], state);
    net_run(&a->frozen, state, value);
    return net_largest(value, net_shape_outputs(&a->frozen.shape));
}

void acc_agents_remember(struct acc_agents *a, uint32_t agent, const struct dqn_step *step)
{
    if (!a->dqn)
        return;
    dqn_remember(&a->dqn[agent], step);
    a->is_fresh[agent] = true;
}

/* Copies random records of one memory to another. */
static void copy_records(struct acc_agents *a, const struct replay *from, struct replay *to)
{
    for (uint32_t i = 0; i < EXCHANGE_RECORDS && from->count; i++) {
        const float *record;

        replay_draw(from, &a->rng, 1, &record);
        replay_add(to, record);
    }
}

static void exchange(struct acc_agents *a)
{
    for (uint32_t i = 0; i < a->cfg.agents; i++)
        copy_records(a, &a->dqn[i].replay, &a->common);
    for (uint32_t i = 0; i < a->cfg.agents; i++)
        copy_records(a, &a->common, &a->dqn[i].replay);
}

static void update(struct acc_agents *a)
{
    for (uint32_t i = 0; i < a->cfg.agents; i++) {
        double loss = a->is_fresh[i] ? dqn_update(&a->dqn[i]) : (double)NAN;

        a->is_fresh[i] = false;
        if (!isfinite(loss))
            continue;
        a->loss_sum += loss;
        a->updates++;
    }
}

void acc_agents_end_slot(struct acc_agents *a)
{
    if (!a->dqn)
        return;
    a->slots++;
    if (a->slots % UPDATE_SLOTS == 0)
        update(a);
    if (a->cfg.exchange_slots && a->slots % a->cfg.exchange_slots == 0)
        exchange(a);
}

double acc_agents_epsilon(const struct acc_agents *a)
{
    return a->dqn && a->cfg.agents ? dqn_epsilon(&a->dqn[0]) : 0;
}
