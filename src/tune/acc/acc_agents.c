#include "tune/acc/acc_agents.h"
#include "base/digest.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAM           0x616363u   /* of random numbers; "acc" */
#define UPDATE_SLOTS     2       /* slots between batches */
#define EXCHANGE_RECORDS 64      /* records of each memory per exchange */
#define COMMON_RECORDS   20000   /* records in the common memory */

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
        r->key = xgrow(r->key, r->count, &r->room, 256, sizeof *r->key);
        r->record = xrealloc(r->record, (size_t)r->room * r->floats * sizeof *r->record);
    }
    memcpy(r->record + (size_t)r->count * r->floats, record, r->floats * sizeof *record);
    r->key[r->count] = (struct acc_key){ slot, agent, queue, r->count };
    r->count++;
    return true;
}

static void clear_records(struct acc_records *r)
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

static int compare_keys(const void *a, const void *b)
{
    const struct acc_key *x = a, *y = b;

    return x->slot != y->slot   ? (x->slot < y->slot ? -1 : 1)
         : x->agent != y->agent ? (x->agent < y->agent ? -1 : 1)
         : x->queue != y->queue ? (x->queue < y->queue ? -1 : 1)
                                : (x->place > y->place) - (x->place < y->place);
}

bool acc_learner_learn(struct acc_learner *l)
{
    struct acc_records *r = &l->records;
    uint32_t            updates = 0;

    if (r->count)
        qsort(r->key, r->count, sizeof *r->key, compare_keys);
    for (uint32_t i = 0; i < r->count; i++) {
        replay_add(&l->dqn.replay, r->record + (size_t)r->key[i].place * r->floats);
        if (++l->owed < l->dqn.cfg.batch)
            continue;
        l->owed -= l->dqn.cfg.batch;
        if (updates++ < ACC_UPDATES_MAX) {
            double loss = dqn_update(&l->dqn);

            l->loss_sum += isfinite(loss) ? loss : 0;
        }
    }
    clear_records(r);
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

/* ---- agents ---- */

uint64_t acc_agents_seed(uint64_t seed, uint32_t agent)
{
    return seed ^ (agent + 1) * 0x9e3779b97f4a7c15ull;
}

static void init_agent(struct acc_agents *a, uint32_t agent, uint64_t seed)
{
    struct dqn_cfg cfg = a->cfg.dqn;

    cfg.seed = seed;
    if (a->cfg.is_central)
        cfg.memory = cfg.batch = 1;
    dqn_init(&a->dqn[agent], &cfg);
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
    if (cfg->is_learning) {
        /* Central agents start with the common net even if that is random. */
        a->dqn = xcalloc(a->cfg.agents + 1ul, sizeof *a->dqn);
        a->is_fresh = xcalloc(a->cfg.agents + 1ul, sizeof *a->is_fresh);
        for (uint32_t i = 0; i < a->cfg.agents; i++) {
            init_agent(a, i, acc_agents_seed(a->cfg.dqn.seed, i));
            if (net || a->cfg.is_central)
                dqn_load(&a->dqn[i], &a->frozen);
        }
        a->version = a->cfg.is_central;
        if (a->cfg.is_central)
            acc_learner_init(&a->learner, &a->cfg.dqn, a->cfg.send_every, &a->frozen);
        else
            replay_init(&a->common, dqn_record_floats(a->cfg.dqn.shape.inputs), COMMON_RECORDS);
    }
}

void acc_agents_fini(struct acc_agents *a)
{
    for (uint32_t i = 0; a->dqn && i < a->cfg.agents; i++)
        dqn_fini(&a->dqn[i]);
    if (a->dqn && a->cfg.is_central)
        acc_learner_fini(&a->learner);
    else if (a->dqn)
        replay_fini(&a->common);
    free(a->dqn);
    free(a->is_fresh);
    net_fini(&a->frozen);
    *a = (struct acc_agents){ 0 };
}

uint32_t acc_agents_choose(struct acc_agents *a, uint32_t agent, const float *state)
{
    float value[NET_WIDTH_MAX];

    if (a->dqn && (!a->cfg.is_central || a->version))
        return dqn_select(&a->dqn[agent], state);
    net_run(&a->frozen, state, value);
    return net_largest(value, net_shape_outputs(&a->frozen.shape));
}

void acc_agents_remember(struct acc_agents *a, uint32_t agent, uint32_t queue, const struct dqn_step *step)
{
    float record[2 * NET_WIDTH_MAX + 3];

    if (a->dqn && !a->cfg.is_central) {
        dqn_remember(&a->dqn[agent], step);
        a->is_fresh[agent] = true;
    } else if (a->dqn && a->version) {
        dqn_record(record, step, a->cfg.dqn.shape.inputs);
        acc_records_add(&a->learner.records, (uint32_t)a->slots, agent, queue, record);
    }
}

static void copy_records(struct acc_agents *a, const struct replay *from, struct replay *to)
{
    for (uint32_t i = 0; i < EXCHANGE_RECORDS && from->count; i++) {
        const float *record;

        replay_draw(from, &a->rng, 1, &record);
        replay_add(to, record);
    }
}

void acc_agents_end_slot(struct acc_agents *a)
{
    a->slots += a->dqn != NULL;
    if (!a->dqn || a->cfg.is_central)
        return;
    if (a->slots % UPDATE_SLOTS == 0) {
        for (uint32_t i = 0; i < a->cfg.agents; i++) {
            double loss = a->is_fresh[i] ? dqn_update(&a->dqn[i]) : (double)NAN;

            a->is_fresh[i] = false;
            a->loss_sum += isfinite(loss) ? loss : 0;
            a->updates += isfinite(loss);
        }
    }
    if (a->cfg.exchange_slots && a->slots % a->cfg.exchange_slots == 0) {
        for (uint32_t k = 0; k < a->cfg.agents; k++)
            copy_records(a, &a->dqn[k].replay, &a->common);
        for (uint32_t k = 0; k < a->cfg.agents; k++)
            copy_records(a, &a->common, &a->dqn[k].replay);
    }
}

/* ---- agents with a central learner ---- */

static void load_all(struct acc_agents *a, const struct net *net, uint64_t version)
{
    for (uint32_t i = 0; i < a->cfg.agents; i++)
        dqn_load(&a->dqn[i], net);
    a->version = version;
}

void acc_agents_end_interval(struct acc_agents *a)
{
    if (!a->dqn || !a->cfg.is_central)
        return;
    a->slots = 0;
    if (acc_learner_learn(&a->learner))
        load_all(a, &a->learner.net, a->learner.version);
    a->updates = a->learner.dqn.updates;
    a->loss_sum = a->learner.loss_sum;
}

int acc_agents_take(struct acc_agents *a, const struct acc_net *n, struct err *err)
{
    struct net net = { .shape = a->frozen.shape, .parameters = a->frozen.parameters,
                       .parameter = (float *)n->parameter };

    if (n->parameters != a->frozen.parameters)
        return err_set(err, EINVAL, "it has %u parameters, and the net here %u", n->parameters,
                       a->frozen.parameters);
    for (uint32_t i = 0; i < n->parameters; i++)
        if (!isfinite(n->parameter[i]))
            return err_set(err, EINVAL, "parameter %u is not a number", i);
    if (acc_checksum(n->parameter, n->parameters) != n->checksum)
        return err_set(err, EINVAL, "its checksum is not %016" PRIx64, n->checksum);
    for (uint32_t i = 0; !a->version && i < a->cfg.agents; i++) {
        dqn_fini(&a->dqn[i]);
        init_agent(a, i, n->seed);
    }
    load_all(a, &net, n->version);
    return 0;
}

void acc_agents_clear(struct acc_agents *a)
{
    a->slots = 0;
    clear_records(&a->learner.records);
}

void acc_agents_drop(struct acc_agents *a)
{
    a->version = 0;
    acc_agents_clear(a);
}

double acc_agents_epsilon(const struct acc_agents *a)
{
    return a->dqn && a->cfg.agents ? dqn_epsilon(&a->dqn[0]) : 0;
}
