#include "base/nets/dqn.h"
#include "base/err.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAM 0x64716eu         /* random stream; "dqn" */
#define TRIES  100               /* per draw by reward */

double dqn_loss(float error, float bend, float *slope)
{
    float size = error < 0 ? -error : error;

    if (bend == 0) {
        *slope = 2 * error;
        return (double)error * error;
    }
    *slope = size > bend ? (error < 0 ? -bend : bend) : error;
    return size > bend ? bend * (size - 0.5 * bend) : 0.5 * error * error;
}

/* ---- replay memory ---- */

void replay_init(struct replay *r, uint32_t floats, uint32_t capacity)
{
    assert(floats > 0 && capacity > 0);
    *r = (struct replay){ .floats = floats, .capacity = capacity };
    r->record = xcalloc((size_t)floats * capacity, sizeof(*r->record));
}

void replay_fini(struct replay *r)
{
    free(r->record);
    *r = (struct replay){ 0 };
}

const float *replay_at(const struct replay *r, uint32_t i)
{
    assert(i < r->count);
    return r->record + (r->added - r->count + i) % r->capacity * r->floats;
}

static void put(struct replay *r, uint64_t at, const float *record)
{
    memcpy(r->record + at * r->floats, record, r->floats * sizeof(*record));
    if (r->count < r->capacity)
        r->count++;
}

void replay_add(struct replay *r, const float *record)
{
    put(r, r->added++ % r->capacity, record);
}

/* Reservoir sampling (Vitter's algorithm R). */
void replay_sample(struct replay *r, struct rng *rng, const float *record)
{
    uint64_t at = r->added < r->capacity ? r->added : rng_below(rng, r->added + 1);

    r->added++;
    if (at < r->capacity)
        put(r, at, record);
}

void replay_add_all(struct replay *r, const float *records, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, records += r->floats)
        replay_add(r, records);
}

void replay_draw(const struct replay *r, struct rng *rng, uint32_t n, const float **record)
{
    assert(r->count > 0);
    for (uint32_t i = 0; i < n; i++)
        record[i] = replay_at(r, (uint32_t)rng_below(rng, r->count));
}

/* ---- agent ---- */

/* Bisection needs no root function, and gives the same bits everywhere. */
double dqn_decay(double from, double to, uint32_t steps)
{
    double low = 0, high = 1;

    assert(from >= to && to > 0 && steps > 0);
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (from * rng_pow(middle, steps) < to)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void init_scratch(struct dqn *d)
{
    uint32_t batch = d->cfg.batch, inputs = d->cfg.shape.inputs;
    uint32_t actions = net_shape_outputs(&d->cfg.shape);
    size_t floats = (size_t)batch * (2ul * inputs + 1 + actions) + d->online.parameters;

    net_batch_init(&d->room, &d->cfg.shape, batch);
    d->drawn = xcalloc(batch, sizeof(*d->drawn));
    d->choice = xcalloc(batch, sizeof(*d->choice));
    d->state = xcalloc(floats, sizeof(float));
    d->next = d->state + (size_t)batch * inputs;
    d->wanted = d->next + (size_t)batch * inputs;
    d->slopes = d->wanted + batch;
    d->gradient = d->slopes + (size_t)batch * actions;
}

void dqn_init(struct dqn *d, const struct dqn_cfg *cfg)
{
    assert(cfg->gamma >= 0 && cfg->gamma < 1 && cfg->bend >= 0 && cfg->value_max >= 0);
    assert(cfg->batch > 0 && cfg->copy_every > 0);
    memset(d, 0, sizeof(*d));
    d->cfg = *cfg;
    rng_init(&d->rng, cfg->seed, STREAM);
    net_init(&d->online, &cfg->shape);
    net_init(&d->target, &cfg->shape);
    net_randomise(&d->online, &d->rng);
    net_copy(&d->target, &d->online);
    adam_init(&d->adam, &cfg->adam, d->online.parameters);
    replay_init(&d->replay, dqn_record_floats(cfg->shape.inputs), cfg->memory);
    init_scratch(d);
}

void dqn_fini(struct dqn *d)
{
    net_fini(&d->online);
    net_fini(&d->target);
    adam_fini(&d->adam);
    replay_fini(&d->replay);
    net_batch_fini(&d->room);
    free(d->drawn);
    free(d->choice);
    free(d->state);
    memset(d, 0, sizeof(*d));
}

void dqn_load(struct dqn *d, const struct net *n)
{
    net_copy(&d->online, n);
    net_copy(&d->target, n);
    adam_reset(&d->adam);
}

double dqn_epsilon(const struct dqn *d)
{
    double epsilon = d->cfg.epsilon * rng_pow(d->cfg.epsilon_decay, d->decisions);

    return epsilon > d->cfg.epsilon_min ? epsilon : d->cfg.epsilon_min;
}

uint32_t dqn_pick(const struct net *n, const float *state, double epsilon, struct rng *rng)
{
    uint32_t actions = net_shape_outputs(&n->shape);
    float value[NET_WIDTH_MAX];

    if (rng_real(rng) < epsilon)
        return (uint32_t)rng_below(rng, actions);
    net_run(n, state, value);
    return net_largest(value, actions);
}

uint32_t dqn_select(struct dqn *d, const float *state)
{
    double epsilon = dqn_epsilon(d);

    d->decisions++;
    return dqn_pick(&d->online, state, epsilon, &d->rng);
}

/* ---- records ---- */

uint32_t dqn_record_floats(uint32_t inputs)
{
    return 2 * inputs + 3;
}

void dqn_record(float *record, const struct dqn_step *s, uint32_t inputs)
{
    memcpy(record, s->state, inputs * sizeof(*record));
    record += inputs;
    *record++ = (float)s->action;            /* exact: at most NET_WIDTH_MAX */
    *record++ = s->reward;
    memcpy(record, s->next, inputs * sizeof(*record));
    record[inputs] = s->is_end;
}

static struct dqn_step decode_step(const float *record, uint32_t inputs)
{
    const float *next = record + inputs + 2;

    return (struct dqn_step){ .state = record, .next = next, .action = (uint32_t)record[inputs],
                              .reward = record[inputs + 1], .is_end = next[inputs] != 0 };
}

void dqn_remember(struct dqn *d, const struct dqn_step *s)
{
    float record[2 * NET_WIDTH_MAX + 3];

    assert(s->action < net_shape_outputs(&d->cfg.shape));
    dqn_record(record, s, d->cfg.shape.inputs);
    replay_add(&d->replay, record);
}

/* ---- update ---- */

static void gather(struct dqn *d, const float *const *record, uint32_t rows)
{
    uint32_t inputs = d->cfg.shape.inputs;

    for (uint32_t r = 0; r < rows; r++) {
        struct dqn_step s = decode_step(record[r], inputs);

        memcpy(d->state + (size_t)r * inputs, s.state, inputs * sizeof(float));
        memcpy(d->next + (size_t)r * inputs, s.next, inputs * sizeof(float));
    }
}

static float clip_value(const struct dqn *d, float value)
{
    float most = (float)d->cfg.value_max;

    return most == 0 ? value : value < 0 ? 0 : value > most ? most : value;
}

/* Computes the target values of the actions taken. */
static void find_wanted(struct dqn *d, const float *const *record, uint32_t rows)
{
    uint32_t actions = net_shape_outputs(&d->cfg.shape);
    const float *value = net_forward(&d->online, &d->room, d->next, rows);

    for (uint32_t r = 0; r < rows; r++)
        d->choice[r] = net_largest(value + (size_t)r * actions, actions);
    value = net_forward(&d->target, &d->room, d->next, rows);
    for (uint32_t r = 0; r < rows; r++) {
        struct dqn_step s = decode_step(record[r], d->cfg.shape.inputs);

        d->wanted[r] = s.reward;
        if (!s.is_end)
            d->wanted[r] += (float)d->cfg.gamma * value[(size_t)r * actions + d->choice[r]];
        d->wanted[r] = clip_value(d, d->wanted[r]);
    }
}

/* If the guide's action is not ahead by the margin, raises it and lowers the leader. Returns the loss. */
static double add_margin_loss(struct dqn *d, const float *value, float *slope, uint32_t guided, uint32_t rows)
{
    uint32_t actions = net_shape_outputs(&d->cfg.shape), rival = guided == 0;

    for (uint32_t a = 0; a < actions; a++)
        if (a != guided && value[a] > value[rival])
            rival = a;
    double behind = (double)value[rival] + d->guide->margin - (double)value[guided];
    if (behind <= 0)
        return 0;
    slope[rival] += (float)(d->guide->weight / rows);
    slope[guided] -= (float)(d->guide->weight / rows);
    return d->guide->weight * behind / rows;
}

static double add_margin_losses(struct dqn *d, const float *value, uint32_t rows)
{
    uint32_t inputs = d->cfg.shape.inputs, actions = net_shape_outputs(&d->cfg.shape);
    double   loss = 0;

    for (uint32_t r = 0; d->guide && actions > 1 && r < rows; r++) {
        uint32_t guided = d->guide->action(d->guide->arg, d->state + (size_t)r * inputs);

        loss +=
            add_margin_loss(d, value + (size_t)r * actions, d->slopes + (size_t)r * actions, guided, rows);
    }
    return loss;
}

/* Computes the gradient of the loss, and returns the loss. */
static double find_gradient(struct dqn *d, const float *const *record, uint32_t rows)
{
    uint32_t inputs = d->cfg.shape.inputs, actions = net_shape_outputs(&d->cfg.shape);
    const float *value = net_forward(&d->online, &d->room, d->state, rows);
    double sum = 0;

    memset(d->slopes, 0, (size_t)rows * actions * sizeof(float));
    for (uint32_t r = 0; r < rows; r++) {
        size_t at = (size_t)r * actions + decode_step(record[r], inputs).action;

        sum += dqn_loss(value[at] - d->wanted[r], (float)d->cfg.bend, &d->slopes[at]);
        d->slopes[at] /= (float)rows;
    }
    double loss = sum / rows + add_margin_losses(d, value, rows);
    memset(d->gradient, 0, d->online.parameters * sizeof(float));
    net_backward(&d->online, &d->room, d->slopes, d->gradient, NULL);
    return loss;
}

double dqn_learn(struct dqn *d, const float *const *record, uint32_t rows)
{
    assert(rows > 0 && rows <= d->cfg.batch);
    gather(d, record, rows);
    find_wanted(d, record, rows);
    double loss = find_gradient(d, record, rows);
    d->gradient_norm = adam_clip(d->gradient, d->online.parameters, d->cfg.norm_max);
    if (!isfinite(loss) || !isfinite(d->gradient_norm))
        return loss;
    adam_step(&d->adam, d->online.parameter, d->gradient);
    if (++d->updates % d->cfg.copy_every == 0)
        net_copy(&d->target, &d->online);
    return loss;
}

/* Rejection sampling: exact, and needs no index that must be kept up to date. */
void dqn_draw_by_reward(const struct replay *memory, uint32_t inputs, struct rng *rng, uint32_t n,
                        const float **record)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t tries = 0; tries < TRIES; tries++) {
            replay_draw(memory, rng, 1, &record[i]);
            if (rng_real(rng) < (double)decode_step(record[i], inputs).reward)
                break;
        }
}

double dqn_update(struct dqn *d)
{
    if (d->replay.count < d->cfg.batch)
        return NAN;
    if (d->cfg.is_by_reward)
        dqn_draw_by_reward(&d->replay, d->cfg.shape.inputs, &d->rng, d->cfg.batch, d->drawn);
    else
        replay_draw(&d->replay, &d->rng, d->cfg.batch, d->drawn);
    return dqn_learn(d, d->drawn, d->cfg.batch);
}

