/* src/tune/acc/acc.c - switches that learn their ECN thresholds.
 * Yan et al., "ACC: Automatic ECN Tuning for High-Speed Datacenter Networks", SIGCOMM 2021.
 *
 * Every slot, an order of magnitude longer than a round trip, each egress queue is looked at: how long it was, what it
 * sent, how much of that was marked, and the setting in force. The last three slots go through a small net that says
 * what each of 20 settings is worth, and the best is set. The next slot tells how good that was (acc_state.h), and the
 * net of the switch learns from it by Double DQN (acc_agents.h, learn/dqn.h).
 *
 * A queue is idle while there is nothing to decide: it is short, or its reward has not changed for three slots. The
 * paper calls a queue short that is below the Kmin in force, so one that once got a high Kmin keeps it, and that a
 * link stands idle after much was marked is never learnt from; by default, a queue is short here when no action would
 * mark it and its link is hardly used.
 *
 * A threshold of so many bytes is a quarter of the time at 100 Gb/s that it is at 25. The paper's thresholds and
 * steps of the reward are bytes, at any speed; by default those here are bytes per 25 Gb/s of a port, and queues are
 * looked at in the same measure, so what is learnt at ports of one speed holds for others.
 *
 * Central (C-ACC, section 5.4): one agent, one setting for all uplinks and one for all other ports, from the mean of
 * what is seen at them.
 */
#include "tune/acc/acc.h"
#include "learn/model.h"
#include "tune/acc/acc_action.h"
#include "tune/acc/acc_agents.h"
#include "tune/acc/acc_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_MAX  8
#define STILL_SLOTS  3           /* this long without a change of reward: idle */
#define STILL_ERROR  1e-3
#define UNUSED_SENT  0.05        /* of a link: less is not worth a decision */
#define SCALE_BPS    25e9        /* the speed at which a list of actions is as it stands */
#define STREAM       0x61636365u

enum {
    MODEL, TRAIN, SLOT, AGENTS, ACTIONS, SCALE, REWARD, WEIGHT, IDLE, HISTORY, EPSILON, EPSILON_MIN,
    EPSILON_DECISIONS, GAMMA, RATE, BATCH, UPDATE, MEMORY, COPY_EVERY, DOUBLE, EXCHANGE, EXCHANGE_RECORDS, COMMON,
    LOSS, DRAW
};

enum { AGENTS_SWITCH, AGENTS_CENTRAL };
enum { SCALE_PORT, SCALE_NONE };
enum { IDLE_NO_ACTION, IDLE_PUBLISHED, IDLE_NEVER };
enum { LOSS_HUBER, LOSS_SQUARED };
enum { DRAW_ALIKE, DRAW_REWARD };

static const char *const agents_names[] = { "switch", "central", NULL };
static const char *const scale_names[] = { "port", "none", NULL };
static const char *const idle_names[] = { "short", "published", "never", NULL };
static const char *const loss_names[] = { "huber", "squared", NULL };
static const char *const draw_names[] = { "alike", "reward", NULL };
static const char *const model_names[] = { "shipped", "dcqcn", "none", NULL };

struct unit {                    /* a queue; or, central, all queues of one direction */
    uint32_t agent;
    uint32_t action;             /* in force */
    uint32_t queues;
    bool     is_decided;         /* 'action' was chosen in the last slot; otherwise the queue was idle and kept it */
    bool     has_state;          /* 'state' was there when 'action' was chosen or kept */
    bool     has_history;
    uint8_t  still;              /* slots for which the reward has not changed */
    uint32_t held;               /* slots for which a random action stays */
    double   reward;
    float    state[HISTORY_MAX * ACC_FEATURES], next[HISTORY_MAX * ACC_FEATURES];
    struct acc_seen sum;         /* over its queues, in the slot at hand */
    uint64_t queue_bytes_max;    /* scaled, as is kmin_bytes */
    uint64_t kmin_bytes;         /* in force */
};

struct acc {
    uint64_t            slot_ps;
    enum acc_reward     reward;
    double              weight;
    int                 idle;
    bool                is_scaled;
    uint32_t            inputs;
    struct ecn          action[ACC_ACTIONS_MAX];
    uint32_t            actions;
    uint64_t            kmin_bytes_least;
    struct queue_facts *fact;
    uint32_t           *unit_of; /* by queue */
    uint32_t            queues;
    struct unit        *unit;
    uint32_t            units;
    bool                has_begun;
    bool                is_following;
    struct acc_agents   agents;
    struct rng          rng;
    struct acc_explorer explorer;    /* see acc_explore(); without net and rule there is none */
    struct acc_figures  figures, told;   /* told: at the last step */
};

/* ---- the net ---- */

void acc_shape(struct net_shape *s, uint32_t inputs, uint32_t actions)
{
    *s = (struct net_shape){ .inputs = inputs, .layers = 4, .layer = {
        { .width = 20, .activation = NET_RELU }, { .width = 40, .activation = NET_RELU },
        { .width = 40, .activation = NET_RELU }, { .width = actions, .activation = NET_LINEAR } } };
}

static const struct { const char *name; const unsigned char *model; const unsigned long *bytes; } shipped[] = {
    { "shipped", acc_model, &acc_model_bytes }, { "dcqcn", acc_dcqcn_model, &acc_dcqcn_model_bytes },
};

static int load(struct model *m, const char *name, struct err *err)
{
    struct err why;
    size_t     i = 0;
    int        rc;

    while (i < sizeof shipped / sizeof *shipped && strcmp(name, shipped[i].name) != 0)
        i++;
    if (i == sizeof shipped / sizeof *shipped)
        rc = model_load(m, name, &why);
    else if (*shipped[i].bytes == 0)
        rc = err_set(&why, ENOENT, "there is no such model in this build; train one with anole train acc");
    else
        rc = model_parse(m, name, shipped[i].model, *shipped[i].bytes, &why);
    return rc ? err_set(err, -rc, "model: %s", why.text) : 0;
}

static int load_for(struct model *m, const char *name, const struct net_shape *shape, struct err *err)
{
    struct err why;
    int        rc = load(m, name, err);

    if (rc)
        return rc;
    rc = model_check(m, name, "acc", shape, &why);
    if (rc) {
        err_set(err, -rc, "model: %s", why.text);
        model_fini(m);
    }
    return rc;
}

/* ---- units ---- */

/* Central: all that leads up is unit 0, the rest unit 1. */
static void make_units(struct acc *a, const struct world *w, bool is_central)
{
    a->queues = w->queues;
    a->fact = xcalloc(a->queues + 1ul, sizeof *a->fact);
    a->unit_of = xcalloc(a->queues + 1ul, sizeof *a->unit_of);
    a->units = is_central ? 2 : a->queues;
    a->unit = xcalloc(a->units + 1ul, sizeof *a->unit);
    for (uint32_t i = 0; i < a->queues; i++) {
        a->fact[i] = w->queue[i];
        a->unit_of[i] = is_central ? !w->queue[i].is_uplink : i;
        a->unit[a->unit_of[i]].agent = is_central ? 0 : w->queue[i].device;
        a->unit[a->unit_of[i]].queues++;
    }
}

static void make_actions(struct acc *a, enum acc_actions kind)
{
    a->actions = acc_actions_list(kind, a->action);
    a->kmin_bytes_least = UINT64_MAX;
    for (uint32_t i = 0; i < a->actions; i++)
        if (a->action[i].kmin_bytes < a->kmin_bytes_least)
            a->kmin_bytes_least = a->action[i].kmin_bytes;
}

/* ---- life ---- */

static void configure_agents(struct acc_agents_cfg *c, const struct acc *a, const struct option_values *v,
                             uint64_t seed)
{
    const double *value = v->value;

    *c = (struct acc_agents_cfg){
        .dqn = { .is_double = value[DOUBLE] != 0, .gamma = value[GAMMA], .value_max = 1 / (1 - value[GAMMA]),
                 .bend = value[LOSS] == LOSS_HUBER, .norm_max = 10, .is_by_reward = value[DRAW] == DRAW_REWARD,
                 .adam = { .rate = value[RATE] }, .batch = (uint32_t)value[BATCH], .memory = (uint32_t)value[MEMORY],
                 .copy_every = (uint32_t)value[COPY_EVERY], .epsilon = value[EPSILON],
                 .epsilon_min = value[EPSILON_MIN], .seed = seed },
        .is_learning = value[TRAIN] != 0,
        .update_slots = (uint32_t)value[UPDATE],
        .exchange_slots = (uint32_t)value[EXCHANGE],
        .exchange_records = (uint32_t)value[EXCHANGE_RECORDS],
        .common_records = (uint32_t)value[COMMON],
    };
    acc_shape(&c->dqn.shape, a->inputs, a->actions);
    c->dqn.epsilon_decay = value[EPSILON] > value[EPSILON_MIN] && value[EPSILON_MIN] > 0
                               ? dqn_decay(value[EPSILON], value[EPSILON_MIN], (uint32_t)value[EPSILON_DECISIONS])
                               : 1;
    for (uint32_t i = 0; i < a->units; i++)
        if (a->unit[i].agent >= c->agents)
            c->agents = a->unit[i].agent + 1;
}

static void destroy(void *state)
{
    struct acc *a = state;

    if (!a)
        return;
    acc_agents_fini(&a->agents);
    free(a->fact);
    free(a->unit_of);
    free(a->unit);
    free(a);
}

static int check_values(const struct option_values *v, struct err *err)
{
    if (v->value[EPSILON_MIN] > v->value[EPSILON])
        return err_set(err, EINVAL, "epsilon_min: must not be above epsilon, which is %g", v->value[EPSILON]);
    if (v->value[MEMORY] < v->value[BATCH])
        return err_set(err, EINVAL, "memory: must hold a batch, which is %.0f", v->value[BATCH]);
    return 0;
}

static struct acc *make(const struct world *world, const struct option_values *v)
{
    struct acc *a = xcalloc(1, sizeof *a);

    a->slot_ps = (uint64_t)(v->value[SLOT] * 1e6);
    a->reward = (enum acc_reward)v->value[REWARD];
    a->weight = v->value[WEIGHT];
    a->idle = (int)v->value[IDLE];
    a->is_scaled = v->value[SCALE] == SCALE_PORT;
    a->inputs = (uint32_t)v->value[HISTORY] * ACC_FEATURES;
    rng_init(&a->rng, world->seed, STREAM);
    make_actions(a, (enum acc_actions)v->value[ACTIONS]);
    make_units(a, world, v->value[AGENTS] == AGENTS_CENTRAL);
    return a;
}

static int create(void **state, const struct world *world, const struct option_values *v, struct err *err)
{
    bool                  has_model = strcmp(v->text[MODEL], "none") != 0;
    struct model          model = { 0 };
    struct acc_agents_cfg cfg;
    struct acc           *a;
    int                   rc = check_values(v, err);

    if (rc)
        return rc;
    a = make(world, v);
    configure_agents(&cfg, a, v, world->seed);
    if (has_model)
        rc = load_for(&model, v->text[MODEL], &cfg.dqn.shape, err);
    if (!rc) {
        acc_agents_init(&a->agents, &cfg, has_model ? &model.net : NULL);
        *state = a;
    } else {
        destroy(a);
    }
    if (has_model && !rc)
        model_fini(&model);
    return rc;
}

/* ---- a slot ---- */

static uint32_t times(uint32_t bytes, double by)
{
    double product = bytes * by + 0.5;

    return product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
}

static struct ecn ecn_times(const struct ecn *e, double by)
{
    return (struct ecn){ times(e->kmin_bytes, by), times(e->kmax_bytes, by), e->pmax };
}

static double speed(const struct acc *a, uint32_t queue)
{
    return a->is_scaled ? (double)a->fact[queue].rate_bps / SCALE_BPS : 1;
}

/* Before the first, a setting is known by the action that is nearest to it. */
static void begin(struct acc *a, const struct queue_slot *seen)
{
    for (uint32_t i = 0; i < a->queues; i++) {
        struct ecn scaled = ecn_times(&seen[i].ecn, 1 / speed(a, i));

        a->unit[a->unit_of[i]].action = acc_actions_nearest(a->action, a->actions, &scaled);
    }
    a->has_begun = true;
}

/* See acc_follow(): then it is known by what is nearest. */
static void notice(struct acc *a, struct unit *u, uint32_t queue, const struct queue_slot *seen)
{
    struct ecn chosen = ecn_times(&a->action[u->action], speed(a, queue)), scaled;

    if (!a->is_following || u->queues != 1 || ecn_equal(&chosen, &seen->ecn))
        return;
    scaled = ecn_times(&seen->ecn, 1 / speed(a, queue));
    u->action = acc_actions_nearest(a->action, a->actions, &scaled);
}

static void add_queue(struct acc *a, uint32_t queue, const struct queue_slot *seen)
{
    struct unit      *u = &a->unit[a->unit_of[queue]];
    struct queue_slot scaled = *seen;
    struct acc_seen   one;

    notice(a, u, queue, seen);
    scaled.queue_bytes_mean = (uint64_t)((double)seen->queue_bytes_mean / speed(a, queue));
    scaled.ecn = ecn_times(&seen->ecn, 1 / speed(a, queue));
    acc_see(&one, &scaled, &a->fact[queue], a->slot_ps, u->action, a->actions, a->reward);
    for (int i = 0; i < ACC_FEATURES; i++)
        u->sum.feature[i] += one.feature[i];
    u->sum.throughput += one.throughput;
    u->sum.delay += one.delay;
    if (scaled.queue_bytes_mean > u->queue_bytes_max)
        u->queue_bytes_max = scaled.queue_bytes_mean;
    u->kmin_bytes = scaled.ecn.kmin_bytes;
}

/* The slots before go one place forward; the first slot of all stands for those before it. */
static void push(struct acc *a, struct unit *u)
{
    uint32_t kept = a->inputs - ACC_FEATURES;

    memmove(u->next, u->next + ACC_FEATURES, kept * sizeof(float));
    for (uint32_t i = 0; i < ACC_FEATURES; i++)
        u->next[kept + i] = (float)(u->sum.feature[i] / u->queues);
    for (uint32_t at = 0; !u->has_history && at < kept; at++)
        u->next[at] = u->next[kept + at % ACC_FEATURES];
    u->has_history = true;
}

static void reward(struct acc *a, struct unit *u)
{
    double throughput = u->sum.throughput / u->queues, delay = u->sum.delay / u->queues;
    double r = a->weight * throughput + (1 - a->weight) * delay;
    bool   is_same = fabs(r - u->reward) < STILL_ERROR;

    u->still = (uint8_t)(!is_same ? 0 : u->still < STILL_SLOTS ? u->still + 1 : STILL_SLOTS);
    u->reward = r;
    if (!u->is_decided)
        return;
    a->figures.reward_sum += r;
    a->figures.throughput_sum += throughput;
    a->figures.delay_sum += delay;
    a->figures.rewards++;
}

static bool is_exploring(const struct acc *a)
{
    return a->explorer.net || a->explorer.rule;
}

/* The paper skips inference for idle queues, not experience: an idle queue that kept its setting has a reward, too. */
static void remember(struct acc *a, const struct unit *u)
{
    struct dqn_step step = { .state = u->state, .next = u->next, .reward = (float)u->reward, .action = u->action };
    float           record[2 * HISTORY_MAX * ACC_FEATURES + 3];

    if (!u->has_state)
        return;
    if (is_exploring(a) && a->explorer.memory) {
        dqn_record(record, &step, a->inputs);
        replay_add(a->explorer.memory, record);
    } else if (!is_exploring(a)) {
        acc_agents_remember(&a->agents, u->agent, &step);
    }
}

/* What is recorded in training explores every queue: one that never leaves its first setting teaches nothing about
 * other settings. */
static bool is_idle(const struct acc *a, const struct unit *u)
{
    if (a->idle == IDLE_NEVER || a->explorer.memory)
        return false;
    if (u->still >= STILL_SLOTS && !is_exploring(a))
        return true;
    if (a->idle == IDLE_PUBLISHED)
        return u->queue_bytes_max < u->kmin_bytes;
    return u->queue_bytes_max < a->kmin_bytes_least && u->sum.throughput < UNUSED_SENT * u->queues;
}

/* One random action for a while, so that its effect can be seen. */
static uint32_t explore(struct acc *a, struct unit *u)
{
    float value[NET_WIDTH_MAX];

    if (u->held > 0) {
        u->held--;
        return u->action;
    }
    if (rng_real(&a->rng) < a->explorer.epsilon) {
        u->held = a->explorer.hold - 1;
        return (uint32_t)rng_below(&a->rng, a->actions);
    }
    if (!a->explorer.net)
        return a->explorer.rule->action[acc_rule_cell(u->next + a->inputs - ACC_FEATURES)];
    net_run(a->explorer.net, u->next, value);
    return net_largest(value, a->actions);
}

static void act(struct acc *a, struct unit *u, uint32_t action)
{
    a->figures.decisions++;
    a->figures.changes += u->action != action;
    u->action = action;
}

/* Units that wait for a net that does not learn: several go through it together, which takes less time. */
struct waiting { struct unit *unit[NET_ROWS_MAX]; float state[NET_ROWS_MAX * HISTORY_MAX * ACC_FEATURES]; uint32_t units; };

static void decide_waiting(struct acc *a, struct waiting *w)
{
    uint32_t action[NET_ROWS_MAX];

    if (w->units)
        acc_agents_choose_all(&a->agents, w->state, w->units, action);
    for (uint32_t i = 0; i < w->units; i++)
        act(a, w->unit[i], action[i]);
    w->units = 0;
}

static void decide(struct acc *a, struct unit *u, struct waiting *w)
{
    u->is_decided = !is_idle(a, u);
    memcpy(u->state, u->next, a->inputs * sizeof(float));
    u->has_state = true;
    if (!u->is_decided)
        a->figures.skipped++;
    else if (is_exploring(a))
        act(a, u, explore(a, u));
    else if (!acc_agents_are_frozen(&a->agents))
        act(a, u, acc_agents_choose(&a->agents, u->agent, u->next));
    else {
        memcpy(w->state + (size_t)w->units * a->inputs, u->next, a->inputs * sizeof(float));
        w->unit[w->units++] = u;
        if (w->units == NET_ROWS_MAX)
            decide_waiting(a, w);
    }
}

static void slot(void *state, const struct queue_slot *seen)
{
    struct acc    *a = state;
    struct waiting w;

    w.units = 0;
    if (!a->has_begun)
        begin(a, seen);
    for (uint32_t i = 0; i < a->units; i++) {
        a->unit[i].sum = (struct acc_seen){ 0 };
        a->unit[i].queue_bytes_max = 0;
    }
    for (uint32_t i = 0; i < a->queues; i++)
        add_queue(a, i, &seen[i]);
    for (uint32_t i = 0; i < a->units; i++) {
        struct unit *u = &a->unit[i];

        if (u->queues == 0)
            continue;
        push(a, u);
        reward(a, u);
        remember(a, u);
        decide(a, u, &w);
    }
    decide_waiting(a, &w);
    acc_agents_end_slot(&a->agents);
    a->figures.slots++;
}

static uint64_t slot_ps(const void *state)
{
    return ((const struct acc *)state)->slot_ps;
}

static bool queues(const void *state, struct ecn *ecn)
{
    const struct acc *a = state;

    for (uint32_t i = 0; i < a->queues; i++)
        ecn[i] = ecn_times(&a->action[a->unit[a->unit_of[i]].action], speed(a, i));
    return a->has_begun;
}

/* ---- for who trains ---- */

void acc_explore(struct tuner *t, const struct acc_explorer *e)
{
    struct acc *a = t->state;

    a->explorer = *e;
    if (!e->hold)
        a->explorer.hold = 1;
}

void acc_follow(struct tuner *t)
{
    ((struct acc *)t->state)->is_following = true;
}

void acc_figures(const struct tuner *t, struct acc_figures *f)
{
    const struct acc *a = t->state;

    *f = a->figures;
    f->loss_sum = a->agents.loss_sum;
    f->updates = a->agents.updates;
    f->epsilon = is_exploring(a) ? a->explorer.epsilon : acc_agents_epsilon(&a->agents);
}

/* ---- an interval ---- */

static void tell(const struct acc_figures *is, const struct acc_figures *was, bool is_learning,
                 struct tuner_note *note)
{
    uint64_t decisions = is->decisions - was->decisions, updates = is->updates - was->updates;
    int      used = snprintf(note->why, sizeof note->why,
                             "%" PRIu64 " decisions in %" PRIu64 " slots, %" PRIu64
                             " of them changed a setting; %" PRIu64 " times a queue was idle", decisions,
                             is->slots - was->slots, is->changes - was->changes, is->skipped - was->skipped);

    if (is_learning && used > 0 && (size_t)used < sizeof note->why)
        snprintf(note->why + used, sizeof note->why - (size_t)used, "; epsilon %.3f, loss %.3g in %" PRIu64 " updates",
                 is->epsilon, updates ? (is->loss_sum - was->loss_sum) / (double)updates : 0, updates);
}

static void step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct acc        *a = state;
    struct tuner       self = { &tuner_acc, state };
    struct acc_figures now;
    uint64_t           rewards;

    (void)r, (void)knobs;
    acc_figures(&self, &now);
    rewards = now.rewards - a->told.rewards;
    note->phase = a->agents.cfg.is_learning ? "learn" : "frozen";
    if (rewards) {
        note->utility = (now.reward_sum - a->told.reward_sum) / (double)rewards;
        note->throughput = (now.throughput_sum - a->told.throughput_sum) / (double)rewards;
    }
    tell(&now, &a->told, a->agents.cfg.is_learning, note);
    a->told = now;
}

static const struct key_row options[] = {
    [MODEL] = { "model", KEY_FILE, "shipped",
                "initial model: shipped (NVIDIA's defaults), dcqcn (the DCQCN paper's NICs), none (random), or a file of anole train acc", .choices = model_names },
    [TRAIN] = { "train", KEY_YES, "no",
                "learn during the run; no: frozen" },
    [SLOT] = { "slot_us", KEY_REAL, "100", "time between two decisions, in microseconds", .min = 1, .max = 1e6 },
    [AGENTS] = { "agents", KEY_NAME, "switch",
                 "switch: one net per switch, each queue separately; central: C-ACC, one setting for uplinks and one for other ports", .choices = agents_names },
    [ACTIONS] = { "actions", KEY_NAME, "template",
                  "template: 20 settings; text: the paper's 630; pairs: its 55 x 20", .choices = acc_actions_names },
    [SCALE] = { "scale", KEY_NAME, "port",
                "port: thresholds and queues per 25 Gb/s of a port; none: absolute, as in the paper", .choices = scale_names },
    [REWARD] = { "reward", KEY_NAME, "step",
                 "step: less per doubling of the queue (figure 4); linear: zero at 10 MB", .choices = acc_reward_names },
    [WEIGHT] = { "weight_throughput", KEY_REAL, "0.7",
                 "weight of throughput in the reward", .min = 0, .max = 1 },
    [IDLE] = { "idle", KEY_NAME, "short",
               "skip queues without a change of reward for three slots, or: short: below every Kmin with less than "
               "5 % of the link used; published: below the current Kmin. never: always decide", .choices = idle_names },
    [HISTORY] = { "history", KEY_COUNT, "3", "slots in the state", .min = 1, .max = HISTORY_MAX },
    [EPSILON] = { "epsilon", KEY_REAL, "0.05", "initial share of random decisions while learning", .min = 0, .max = 1 },
    [EPSILON_MIN] = { "epsilon_min", KEY_REAL, "0.001", "final share", .min = 0, .max = 1 },
    [EPSILON_DECISIONS] = { "epsilon_decisions", KEY_COUNT, "2000",
                            "decisions between the two", .min = 1, .max = 1e9 },
    [GAMMA] = { "gamma", KEY_REAL, "0.9", "discount per slot", .min = 0, .max = 0.999 },
    [RATE] = { "rate", KEY_REAL, "0.0001", "step size of learning (Adam)", .min = 1e-7, .max = 0.1 },
    [BATCH] = { "batch", KEY_COUNT, "32", "records per batch", .min = 1, .max = 1024 },
    [UPDATE] = { "update_slots", KEY_COUNT, "2", "slots between batches", .min = 1, .max = 1e6 },
    [MEMORY] = { "memory", KEY_COUNT, "5000", "records in a switch's memory", .min = 1, .max = 1e6 },
    [COPY_EVERY] = { "copy_every", KEY_COUNT, "100",
                     "updates between two copies to the target net", .min = 1, .max = 1e6 },
    [DOUBLE] = { "double", KEY_YES, "yes", "Double DQN; no: DQN" },
    [EXCHANGE] = { "exchange", KEY_COUNT, "1000",
                   "slots between exchanges with the shared memory; 0: none", .min = 0, .max = 1e9 },
    [EXCHANGE_RECORDS] = { "exchange_records", KEY_COUNT, "64",
                           "records per exchange", .min = 1, .max = 1e5 },
    [COMMON] = { "common_memory", KEY_COUNT, "20000", "records in the shared memory", .min = 1, .max = 1e6 },
    [LOSS] = { "loss", KEY_NAME, "huber",
               "huber; squared, the paper's", .choices = loss_names },
    [DRAW] = { "draw", KEY_NAME, "alike",
               "records to learn from: alike (uniform); reward: in proportion to reward", .choices = draw_names },
    { 0 },
};

const struct tuner_algo tuner_acc = {
    .create = create, .destroy = destroy, .step = step, .slot_ps = slot_ps, .slot = slot, .queues = queues,
    .name = "acc", .about = "ACC: a small net per switch sets the thresholds of every egress queue, every 100 us",
    .option = options,
};
