/* src/tune/acc/acc.c - switches that learn their ECN thresholds. Yan et al., "ACC: Automatic ECN Tuning for
 * High-Speed Datacenter Networks", SIGCOMM 2021.
 *
 * A slot lasts about ten round trips. At its end, a small net sees the last slots of each egress queue: mean
 * length, bytes sent, bytes marked, and the setting. It estimates the value of each action (a setting), and
 * the best is applied. The next slot gives the reward (acc_state.h), from which the switch's net learns
 * (acc_agents.h).
 *
 * An idle queue keeps its setting: it is short, or its reward has not changed for three slots. In the paper a
 * queue is short below its current Kmin. A queue that once got a high Kmin would keep it, and nothing would
 * be learned from links that are idle after too much marking. By default, a queue is short if no action would
 * mark it and its link is hardly used.
 *
 * The paper's thresholds are bytes at any speed. By default they are bytes per 25 Gb/s here, and so are queue
 * lengths, so that what is learned at one speed holds for others.
 *
 * Central (C-ACC, section 5.4): one agent with one setting for all uplinks and one for all other ports.
 *
 * The guard is ours. The reward does not see what messages suffer, so the initial thresholds of all queues
 * stay until messages are faster with the agents: both take turns in blocks (tune/contest.h). Elephants that
 * take too long for blocks count by goodput. The contest is repeated, less and less often, because traffic
 * changes. Where hosts report no messages there is no guard.
 */
#include "tune/acc/acc.h"
#include "base/minmax.h"
#include "base/nets/model.h"
#include "tune/contest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_MAX  8
#define STILL_SLOTS  3           /* slots without a change of reward after which a queue is idle */
#define STILL_ERROR  1e-3
#define UNUSED_SENT  0.05        /* share of a link below which it is hardly used */
#define SCALE_BPS    25e9        /* port speed for which the lists of actions are made */
#define STREAM       0x61636365u
#define AGAIN        64          /* intervals until the next contest; twice as many after each */

enum {
    MODEL, TRAIN, SLOT, AGENTS, ACTIONS, SCALE, REWARD, WEIGHT, IDLE, HISTORY, EPSILON, EPSILON_MIN,
    EPSILON_DECISIONS, GAMMA, RATE, BATCH, MEMORY, COPY_EVERY, EXCHANGE, LOSS, DRAW, GUARD, LEARNER,
    SEND_EVERY
};

enum { AGENTS_SWITCH, AGENTS_CENTRAL };
enum { SCALE_PORT, SCALE_NONE };
enum { IDLE_NO_ACTION, IDLE_PUBLISHED, IDLE_NEVER };
enum { LEARNER_SWITCH, LEARNER_CENTRAL };
enum { LOSS_HUBER, LOSS_SQUARED };
enum { DRAW_ALIKE, DRAW_REWARD };

static const char *const agents_names[] = { "switch", "central", NULL };
static const char *const scale_names[] = { "port", "none", NULL };
static const char *const idle_names[] = { "short", "published", "never", NULL };
static const char *const learner_names[] = { "switch", "central", NULL };
static const char *const loss_names[] = { "huber", "squared", NULL };
static const char *const draw_names[] = { "alike", "reward", NULL };
static const char *const model_names[] = { "shipped", "dcqcn", "none", NULL };

struct unit {                    /* a queue; or, central, all queues of one direction */
    uint32_t agent;
    uint32_t action;             /* current */
    uint32_t first;              /* nearest to the initial thresholds */
    uint32_t queues;
    bool     is_decided;         /* 'action' was chosen in the last slot; false: kept while idle */
    bool     has_state;          /* 'state' is the input on which 'action' was chosen or kept */
    bool     has_history;
    uint8_t  still;              /* slots without a change of reward */
    uint32_t held;               /* remaining slots of a random action */
    double   reward;
    float    state[HISTORY_MAX * ACC_FEATURES], next[HISTORY_MAX * ACC_FEATURES];
    struct acc_seen sum;         /* over its queues, in the current slot */
    uint64_t queue_bytes_max;    /* scaled, as is kmin_bytes */
    uint64_t kmin_bytes;         /* current */
};

/* Thresholds: of the agents, the initial ones, or both in alternating blocks. */
enum acc_stage { STAGE_AGENTS, STAGE_START, STAGE_CONTEST };

struct acc_guard {
    bool           is_on;
    enum acc_stage stage;
    struct contest contest;
    struct seen    window;       /* messages of the last intervals without a contest, */
    uint32_t       windows;      /* and how many intervals */
    uint32_t       wait, again;  /* intervals until the next contest; between the next two */
    uint64_t       contests;
    struct ecn    *start;        /* by queue: the initial thresholds */
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
    struct acc_guard    guard;
    uint64_t            seed;
    struct acc_agents   agents;
    struct rng          rng;
    struct acc_explorer explorer;    /* without net and rule: not exploring */
    struct acc_figures  figures, reported;   /* reported: at the last step */
};

/* ---- the net ---- */

void acc_shape(struct net_shape *s, uint32_t inputs, uint32_t actions)
{
    *s = (struct net_shape){ .inputs = inputs, .layers = 4, .layer = {
        { .width = 20, .activation = NET_RELU }, { .width = 40, .activation = NET_RELU },
        { .width = 40, .activation = NET_RELU }, { .width = actions, .activation = NET_LINEAR } } };
}

struct dqn_cfg acc_dqn(const struct option_values *v)
{
    const double  *value = v->value;
    struct dqn_cfg c = { .gamma = value[GAMMA], .value_max = 1 / (1 - value[GAMMA]),
                         .bend = value[LOSS] == LOSS_HUBER, .norm_max = 10,
                         .is_by_reward = value[DRAW] == DRAW_REWARD, .adam = { .rate = value[RATE] },
                         .batch = (uint32_t)value[BATCH], .memory = (uint32_t)value[MEMORY],
                         .copy_every = (uint32_t)value[COPY_EVERY], .epsilon_decay = 1 };

    acc_shape(&c.shape, ACC_FEATURES * (uint32_t)value[HISTORY],
              acc_actions_list((enum acc_actions)value[ACTIONS], NULL));
    return c;
}

static int load(struct model *m, const struct option_values *v, const struct net_shape *shape,
                struct err *err)
{
    const char          *name = v->text[MODEL];
    bool                 is_dcqcn = strcmp(name, "dcqcn") == 0;
    const unsigned char *shipped = is_dcqcn ? acc_dcqcn_model : acc_model;
    unsigned long        bytes = is_dcqcn ? acc_dcqcn_model_bytes : acc_model_bytes;
    struct err           why;
    int                  rc;

    if (!is_dcqcn && strcmp(name, "shipped") != 0)
        rc = model_load(m, name, &why);
    else if (bytes == 0)
        rc = err_set(&why, ENOENT, "there is no such model in this build; train one with anole train acc");
    else
        rc = model_parse(m, name, shipped, bytes, &why);
    if (!rc && (rc = model_check(m, name, "acc", shape, &why)) != 0)
        model_fini(m);
    return rc ? option_refuse(v, err, -rc, "model", "%s", why.text) : 0;
}

/* ---- units ---- */

/* Central: uplinks are unit 0, other ports unit 1. */
static void make_units(struct acc *a, const struct world *w, bool is_central)
{
    a->queues = w->queues;
    a->fact = xcalloc(a->queues + 1ul, sizeof *a->fact);
    a->guard.start = xcalloc(a->queues + 1ul, sizeof *a->guard.start);
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

/* ---- life ---- */

static void configure_agents(struct acc_agents_cfg *c, const struct acc *a, const struct option_values *v)
{
    const double *value = v->value;

    *c = (struct acc_agents_cfg){
        .dqn = acc_dqn(v),
        .is_learning = value[TRAIN] != 0,
        .is_central = value[TRAIN] != 0 && value[LEARNER] == LEARNER_CENTRAL,
        .send_every = (uint32_t)value[SEND_EVERY],
        .exchange_slots = (uint32_t)value[EXCHANGE],
    };
    c->dqn.seed = a->seed;
    c->dqn.epsilon = value[EPSILON];
    c->dqn.epsilon_min = value[EPSILON_MIN];
    if (value[EPSILON] > value[EPSILON_MIN] && value[EPSILON_MIN] > 0)
        c->dqn.epsilon_decay = dqn_decay(value[EPSILON], value[EPSILON_MIN],
                                         (uint32_t)value[EPSILON_DECISIONS]);
    for (uint32_t i = 0; i < a->units; i++)
        c->agents = max_u32(c->agents, a->unit[i].agent + 1);
}

static void destroy(void *state)
{
    struct acc *a = state;

    acc_agents_fini(&a->agents);
    free(a->fact);
    free(a->guard.start);
    free(a->unit_of);
    free(a->unit);
    free(a);
}

static int check_values(const struct option_values *v, struct err *err)
{
    if (v->value[EPSILON_MIN] > v->value[EPSILON])
        return option_refuse(v, err, EINVAL, "epsilon_min", "must not be above epsilon, which is %g",
                             v->value[EPSILON]);
    if (v->value[MEMORY] < v->value[BATCH])
        return option_refuse(v, err, EINVAL, "memory", "must hold a batch, which is %.0f", v->value[BATCH]);
    if (v->value[LEARNER] == LEARNER_CENTRAL && v->value[AGENTS] == AGENTS_CENTRAL)
        return option_refuse(v, err, EINVAL, "learner", "agents: central has one agent, which learns itself");
    return 0;
}

static struct acc *make(const struct world *world, const struct option_values *v)
{
    struct acc *a = xcalloc(1, sizeof *a);

    *a = (struct acc){
        .slot_ps = (uint64_t)(v->value[SLOT] * 1e6), .reward = (enum acc_reward)v->value[REWARD],
        .weight = v->value[WEIGHT], .idle = (int)v->value[IDLE],
        .is_scaled = v->value[SCALE] == SCALE_PORT, .inputs = (uint32_t)v->value[HISTORY] * ACC_FEATURES,
        .kmin_bytes_least = UINT64_MAX, .seed = world->seed,
        .guard = { .is_on = v->value[GUARD] != 0, .stage = v->value[GUARD] != 0 ? STAGE_START : STAGE_AGENTS,
                   .wait = CONTEST_WATCH, .again = AGAIN },
    };
    rng_init(&a->rng, world->seed, STREAM);
    a->actions = acc_actions_list((enum acc_actions)v->value[ACTIONS], a->action);
    for (uint32_t i = 0; i < a->actions; i++)
        a->kmin_bytes_least = min_u64(a->kmin_bytes_least, a->action[i].kmin_bytes);
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
    configure_agents(&cfg, a, v);
    if (cfg.is_central && net_shape_parameters(&cfg.dqn.shape) > ACC_NET_MAX)
        rc = option_refuse(v, err, E2BIG, "learner", "a net for so many actions does not fit a message");
    else if (has_model)
        rc = load(&model, v, &cfg.dqn.shape, err);
    if (rc) {
        destroy(a);
        return rc;
    }
    acc_agents_init(&a->agents, &cfg, has_model ? &model.net : NULL);
    model_fini(&model);
    *state = a;
    return 0;
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

static uint32_t action_of(const struct acc *a, uint32_t queue, const struct ecn *e)
{
    struct ecn scaled = ecn_times(e, 1 / speed(a, queue));

    return acc_actions_nearest(a->action, a->actions, &scaled);
}

static void begin(struct acc *a, const struct queue_slot *seen)
{
    for (uint32_t i = 0; i < a->queues; i++) {
        struct unit *u = &a->unit[a->unit_of[i]];

        a->guard.start[i] = seen[i].ecn;
        u->action = u->first = action_of(a, i, &seen[i].ecn);
    }
    a->has_begun = true;
}

static void add_queue(struct acc *a, uint32_t queue, const struct queue_slot *seen)
{
    struct unit      *u = &a->unit[a->unit_of[queue]];
    struct queue_slot scaled = *seen;
    struct acc_seen   one;

    /* acc_follow(): takes over the setting that the device reports. */
    struct ecn chosen = ecn_times(&a->action[u->action], speed(a, queue));
    if (a->is_following && u->queues == 1 && !ecn_equal(&chosen, &seen->ecn))
        u->action = action_of(a, queue, &seen->ecn);
    scaled.queue_bytes_mean = (uint64_t)((double)seen->queue_bytes_mean / speed(a, queue));
    scaled.ecn = ecn_times(&seen->ecn, 1 / speed(a, queue));
    acc_see(&one, &scaled, &a->fact[queue], a->slot_ps, u->action, a->actions, a->reward);
    for (int i = 0; i < ACC_FEATURES; i++)
        u->sum.feature[i] += one.feature[i];
    u->sum.throughput += one.throughput;
    u->sum.delay += one.delay;
    u->queue_bytes_max = max_u64(u->queue_bytes_max, scaled.queue_bytes_mean);
    u->kmin_bytes = scaled.ecn.kmin_bytes;
}

/* Appends the slot to the history. The first slot of a unit fills the whole history. */
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
    a->figures.rewards++;
}

static bool is_exploring(const struct acc *a)
{
    return a->explorer.net || a->explorer.rule;
}

/* Idle queues are recorded too: the paper skips their inference, not their experience. */
static void remember(struct acc *a, const struct unit *u)
{
    struct dqn_step step = { .state = u->state, .next = u->next, .reward = (float)u->reward,
                             .action = u->action };
    float           record[2 * HISTORY_MAX * ACC_FEATURES + 3];

    if (u->has_state && !is_exploring(a)) {
        acc_agents_remember(&a->agents, u->agent, (uint32_t)(u - a->unit), &step);
    } else if (u->has_state && a->explorer.memory) {
        dqn_record(record, &step, a->inputs);
        replay_sample(a->explorer.memory, &a->rng, record);
    }
}

/* While training records, no queue is idle: a queue that keeps its first setting teaches nothing. */
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

/* A random action is held for a few slots, so that its effect can be seen. */
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

static bool is_guarded(const struct acc *a)
{
    const struct acc_guard *g = &a->guard;

    return g->stage == STAGE_START || (g->stage == STAGE_CONTEST && !contest_is_b(&g->contest));
}

static void decide(struct acc *a, struct unit *u)
{
    uint32_t action;

    if (is_guarded(a))
        u->action = u->first;
    u->is_decided = !is_guarded(a) && !is_idle(a, u);
    memcpy(u->state, u->next, a->inputs * sizeof(float));
    u->has_state = true;
    if (!u->is_decided) {
        a->figures.skipped += !is_guarded(a);
        return;
    }
    action = is_exploring(a) ? explore(a, u) : acc_agents_choose(&a->agents, u->agent, u->next);
    a->figures.decisions++;
    a->figures.changes += u->action != action;
    u->action = action;
}

static void slot(void *state, const struct queue_slot *seen)
{
    struct acc *a = state;

    if (!a->has_begun)
        begin(a, seen);
    for (uint32_t i = 0; i < a->queues; i++)
        add_queue(a, i, &seen[i]);
    for (uint32_t i = 0; i < a->units; i++) {
        struct unit *u = &a->unit[i];

        if (u->queues == 0)
            continue;
        push(a, u);
        reward(a, u);
        remember(a, u);
        decide(a, u);
        u->sum = (struct acc_seen){ 0 };
        u->queue_bytes_max = 0;
    }
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
        ecn[i] = is_guarded(a) ? a->guard.start[i] :
                 ecn_times(&a->action[a->unit[a->unit_of[i]].action], speed(a, i));
    return a->has_begun;
}

/* ---- the guard ---- */

#define PAIRS    12              /* of blocks in a contest, at most */
#define HARM_MAX 0.25            /* sum of logarithms of slowdowns that a contest may cost */

static void remove_guard(struct acc *a)
{
    a->guard.is_on = false;
    a->guard.stage = STAGE_AGENTS;
}

static void watch_messages(struct acc *a, const struct report *r, struct tuner_note *note)
{
    struct contest_rule rule = { .pairs = PAIRS, .harm_max = HARM_MAX, .is_rate_enough = true };
    struct acc_guard   *g = &a->guard;

    seen_add(&g->window, &r->seen);
    if (++g->windows < g->wait)
        return;
    if (contest_begin(&g->contest, &rule, goal_find("balanced"), &g->window, g->windows,
                      a->seed + ++g->contests)) {
        g->stage = STAGE_CONTEST;
        tuner_say(note, "the agents and the initial thresholds take turns, in blocks of %u intervals",
                  g->contest.pairing.length);
    }
    g->window = (struct seen){ 0 };
    g->windows = 0;
}

static void guard_step(struct acc *a, const struct report *r, struct tuner_note *note)
{
    if (!r->has_seen) {
        remove_guard(a);
    } else if (a->guard.stage != STAGE_CONTEST) {
        watch_messages(a, r, note);
    } else {
        enum contest_verdict verdict = contest_add(&a->guard.contest, &r->seen, (double)r->payload_bytes);

        if (verdict != CONTEST_ON) {
            bool is_better = verdict == CONTEST_B;
            struct acc_guard *g = &a->guard;
            char              text[CONTEST_TEXT];

            tuner_say(note, "%s with the agents: %s", contest_text(&g->contest, text),
                      is_better ? "they decide" : "the initial thresholds stay");
            g->stage = is_better ? STAGE_AGENTS : STAGE_START;
            g->wait = g->again;
            g->again = g->again < UINT32_MAX / 2 ? 2 * g->again : g->again;
        }
    }
}

static bool uses_messages(const void *state)
{
    return ((const struct acc *)state)->guard.is_on;
}

/* ---- training ---- */

void acc_explore(struct tuner *t, const struct acc_explorer *e)
{
    struct acc *a = t->state;

    remove_guard(a);
    a->explorer = *e;
    if (!e->hold)
        a->explorer.hold = 1;
}

void acc_follow(struct tuner *t)
{
    struct acc *a = t->state;

    remove_guard(a);             /* a device reports no messages */
    acc_agents_drop(&a->agents);
    a->is_following = true;
}

struct acc_agents *acc_central(struct tuner *t)
{
    struct acc *a = t->state;

    return a->agents.cfg.is_central ? &a->agents : NULL;
}

static struct acc_figures figures_of(const struct acc *a)
{
    struct acc_figures f = a->figures;

    f.loss_sum = a->agents.loss_sum;
    f.updates = a->agents.updates;
    f.epsilon = is_exploring(a) ? a->explorer.epsilon : acc_agents_epsilon(&a->agents);
    return f;
}

void acc_figures(const struct tuner *t, struct acc_figures *f)
{
    *f = figures_of(t->state);
}

/* ---- an interval ---- */

static void describe_step(const struct acc_figures *is, const struct acc_figures *was, bool is_learning,
                          struct tuner_note *note)
{
    uint64_t updates = is->updates - was->updates;
    double   rewards = (double)(is->rewards - was->rewards);

    note->phase = is_learning ? TUNER_LEARN : TUNER_FROZEN;
    if (rewards > 0) {
        note->utility = (is->reward_sum - was->reward_sum) / rewards;
        note->throughput = (is->throughput_sum - was->throughput_sum) / rewards;
    }
    tuner_say(note, "%" PRIu64 " decisions in %" PRIu64 " slots, %" PRIu64 " of them changed a setting; "
              "%" PRIu64 " times a queue was idle", is->decisions - was->decisions, is->slots - was->slots,
              is->changes - was->changes, is->skipped - was->skipped);
    if (is_learning)
        tuner_say(note, "epsilon %.3f, loss %.3g in %" PRIu64 " updates", is->epsilon,
                  updates ? (is->loss_sum - was->loss_sum) / (double)updates : 0, updates);
}

static void step(void *state, const struct report *r, struct knobs *knobs, struct tuner_note *note)
{
    struct acc        *a = state;
    struct acc_agents *agents = &a->agents;
    struct acc_figures now;

    (void)knobs;
    acc_agents_end_interval(agents);
    now = figures_of(a);
    describe_step(&now, &a->reported, agents->cfg.is_learning, note);
    if (agents->cfg.is_central)
        tuner_say(note, "net %" PRIu64 ", checksum %016" PRIx64, agents->version,
                  acc_checksum(agents->learner.net.parameter, agents->learner.net.parameters));
    a->reported = now;
    if (a->guard.is_on)
        guard_step(a, r, note);
}

static const struct key_row options[] = {
    [MODEL] = { "model", KEY_FILE, "shipped",
                "initial model: shipped (NVIDIA's defaults), dcqcn (the DCQCN paper's NICs), none "
                "(random), or a file of anole train acc", .choices = model_names },
    [TRAIN] = { "train", KEY_YES, "no", "learn during the run; no: frozen" },
    [SLOT] = { "slot_us", KEY_REAL, "100", "time between two decisions, in microseconds", .min = 1,
               .max = 1e6 },
    [AGENTS] = { "agents", KEY_NAME, "switch",
                 "switch: one net per switch, each queue separately; central: C-ACC, one setting for "
                 "uplinks and one for other ports", .choices = agents_names },
    [ACTIONS] = { "actions", KEY_NAME, "template",
                  "template: 20 settings; text: the paper's 630; pairs: its 55 x 20",
                  .choices = acc_actions_names },
    [SCALE] = { "scale", KEY_NAME, "port",
                "port: thresholds and queues per 25 Gb/s of a port; none: absolute, as in the paper",
                .choices = scale_names },
    [REWARD] = { "reward", KEY_NAME, "step",
                 "step: less per doubling of the queue (figure 4); linear: zero at 10 MB",
                 .choices = acc_reward_names },
    [WEIGHT] = { "weight_throughput", KEY_REAL, "0.7",
                 "weight of throughput in the reward", .min = 0, .max = 1 },
    [IDLE] = { "idle", KEY_NAME, "short",
               "skip queues without a change of reward for three slots, or: short: below every Kmin with "
               "less than 5 % of the link used; published: below the current Kmin. never: always decide",
               .choices = idle_names },
    [HISTORY] = { "history", KEY_COUNT, "3", "slots in the state", .min = 1, .max = HISTORY_MAX },
    [EPSILON] = { "epsilon", KEY_REAL, "0.05", "initial share of random decisions while learning",
                  .min = 0, .max = 1 },
    [EPSILON_MIN] = { "epsilon_min", KEY_REAL, "0.001", "final share", .min = 0, .max = 1 },
    [EPSILON_DECISIONS] = { "epsilon_decisions", KEY_COUNT, "2000",
                            "decisions between the two", .min = 1, .max = 1e9 },
    [GAMMA] = { "gamma", KEY_REAL, "0.9", "discount per slot", .min = 0, .max = 0.999 },
    [RATE] = { "rate", KEY_REAL, "0.0001", "step size of learning (Adam)", .min = 1e-7, .max = 0.1 },
    [BATCH] = { "batch", KEY_COUNT, "32", "records per batch", .min = 1, .max = 1024 },
    [MEMORY] = { "memory", KEY_COUNT, "5000", "records in a switch's memory", .min = 1, .max = 1e6 },
    [COPY_EVERY] = { "copy_every", KEY_COUNT, "100",
                     "updates between two copies to the target net", .min = 1, .max = 1e6 },
    [EXCHANGE] = { "exchange", KEY_COUNT, "1000",
                   "slots between exchanges with the shared memory; 0: none", .min = 0, .max = 1e9 },
    [LOSS] = { "loss", KEY_NAME, "huber", "huber; squared, the paper's", .choices = loss_names },
    [DRAW] = { "draw", KEY_NAME, "alike",
               "records to learn from: alike (uniform); reward: in proportion to reward",
               .choices = draw_names },
    [GUARD] = { "guard", KEY_YES, "yes",
                "keep the initial thresholds unless messages are faster with the agents, where hosts report "
                "them; no: the agents decide, as in the paper" },
    [LEARNER] = { "learner", KEY_NAME, "switch",
                  "who learns with train: switch: each switch its own net; central: one learner for all, "
                  "once per monitor interval, as in a live network", .choices = learner_names },
    [SEND_EVERY] = { "send_every", KEY_COUNT, "500",
                     "updates of a central learner between two nets for the switches", .min = 1, .max = 1e9 },
    { 0 },
};

const struct tuner_algo tuner_acc = {
    .create = create, .destroy = destroy, .step = step, .slot_ps = slot_ps, .slot = slot, .queues = queues,
    .uses_messages = uses_messages,
    .name = "acc",
    .about = "ACC: a small net per switch sets the thresholds of every egress queue, every 100 us",
    .option = options,
};
