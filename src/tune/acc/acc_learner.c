#include "tune/acc/acc_learner.h"
#include "base/digest.h"
#include "base/err.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

bool acc_records_add(struct acc_records *r, uint32_t slot, uint32_t agent, uint32_t queue,
                     const float *record)
{
    if (agent >= r->agents) {
        r->taken = xrealloc(r->taken, (agent + 1ul) * sizeof *r->taken);
        memset(r->taken + r->agents, 0, (agent + 1ul - r->agents) * sizeof *r->taken);
        r->agents = agent + 1;
    }
    if (r->taken[agent] == ACC_RECORDS_MAX)
        return false;
    r->taken[agent]++;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 256;
        r->key = xrealloc(r->key, r->room * sizeof *r->key);
        r->record = xrealloc(r->record, (size_t)r->room * r->floats * sizeof *r->record);
    }
    memcpy(r->record + (size_t)r->count * r->floats, record, r->floats * sizeof *record);
    r->key[r->count] = (struct acc_key){ slot, agent, queue, r->count };
    r->count++;
    return true;
}

void acc_records_clear(struct acc_records *r)
{
    r->count = 0;
    if (r->agents)
        memset(r->taken, 0, r->agents * sizeof *r->taken);
}

/* ---- the learner ---- */

void acc_learner_init(struct acc_learner *l, const struct dqn_cfg *cfg, uint32_t send_every,
                      const struct net *net)
{
    *l = (struct acc_learner){ .send_every = send_every, .version = 1,
                               .records.floats = dqn_record_floats(cfg->shape.inputs) };
    dqn_init(&l->dqn, cfg);
    dqn_load(&l->dqn, net);
    net_init(&l->net, &cfg->shape);
    net_copy(&l->net, net);
}

void acc_learner_fini(struct acc_learner *l)
{
    dqn_fini(&l->dqn);
    net_fini(&l->net);
    free(l->records.key);
    free(l->records.record);
    free(l->records.taken);
    *l = (struct acc_learner){ 0 };
}

/* NaN is in no range. */
static bool is_share(float x)
{
    return x >= 0 && x <= 1;
}

const char *acc_learner_flaw(const struct acc_learner *l, const float *record)
{
    uint32_t     inputs = l->dqn.cfg.shape.inputs, actions = net_shape_outputs(&l->dqn.cfg.shape);
    const float *next = record + inputs + 2;
    float        action = record[inputs];

    for (uint32_t i = 0; i < inputs; i++)
        if (!is_share(record[i]) || !is_share(next[i]))
            return "a state is not within 0 .. 1";
    if (!(action >= 0 && action < (float)actions) || action != floorf(action))
        return "there is no such action";
    if (!is_share(record[inputs + 1]))
        return "a reward is not within 0 .. 1";
    return next[inputs] == 0 ? NULL : "queues have no end";
}

static int compare(const void *a, const void *b)
{
    const struct acc_key *x = a, *y = b;

    return x->slot != y->slot ? (x->slot > y->slot) - (x->slot < y->slot) :
           x->agent != y->agent ? (x->agent > y->agent) - (x->agent < y->agent) :
           x->queue != y->queue ? (x->queue > y->queue) - (x->queue < y->queue) :
           (x->place > y->place) - (x->place < y->place);
}

static void update(struct acc_learner *l, uint32_t *updates)
{
    double loss;

    if (l->owed < l->dqn.cfg.batch)
        return;
    l->owed -= l->dqn.cfg.batch;
    if ((*updates)++ >= ACC_UPDATES_MAX)
        return;
    loss = dqn_update(&l->dqn);
    l->loss_sum += isfinite(loss) ? loss : 0;
}

bool acc_learner_learn(struct acc_learner *l)
{
    struct acc_records *r = &l->records;
    uint32_t            updates = 0;

    if (r->count)
        qsort(r->key, r->count, sizeof *r->key, compare);
    for (uint32_t i = 0; i < r->count; i++) {
        replay_add(&l->dqn.replay, r->record + (size_t)r->key[i].place * r->floats);
        l->owed++;
        update(l, &updates);
    }
    acc_records_clear(r);
    if (l->dqn.updates - l->sent < l->send_every)
        return false;
    net_copy(&l->net, &l->dqn.online);
    l->sent = l->dqn.updates;
    l->version++;
    return true;
}

uint64_t acc_checksum(const float *parameter, uint32_t parameters)
{
    struct digest d;

    digest_init(&d);
    digest_add(&d, parameter, parameters * sizeof *parameter);
    return (uint64_t)d.state;
}
