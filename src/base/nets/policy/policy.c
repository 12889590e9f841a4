#include "base/nets/policy/policy.h"

#include "base/err.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const policy_body_name[POLICY_BODIES] = { "mlp", "lstm", "int8", "int8_lstm", "trees" };

const struct net_shape policy_shape_mlp = {
    .inputs = POLICY_FEATURES, .layers = 3,
    .layer = { { 12, NET_RELU, true }, { 12, NET_RELU, true }, { 1, NET_TANH, true } },
};

void policy_init_mlp(struct policy *p, struct rng *rng)
{
    *p = (struct policy){ .body = POLICY_MLP, .range = POLICY_RANGE };
    net_init(&p->mlp, &policy_shape_mlp);
    orthogonal_net(&p->mlp, sqrt(2), rng);
}

void policy_init_lstm(struct policy *p, struct rng *rng)
{
    *p = (struct policy){ .body = POLICY_LSTM, .range = POLICY_RANGE };
    lstm_init(&p->lstm, &lstm_shape_rlcc);
    lstm_randomise(&p->lstm, rng);
}

static int quantise(struct quant *q, const struct policy *net, struct err *err)
{
    if (net->body == POLICY_MLP)
        return quant_init(q, &net->mlp, net->range, err);
    if (net->body == POLICY_LSTM)
        return quant_init_lstm(q, &net->lstm, net->range, err);
    return err_set(err, EINVAL, "only an mlp or an lstm can be made int8, not %s",
                   policy_body_name[net->body]);
}

int policy_init_int8(struct policy *p, const struct policy *net, struct err *err)
{
    struct quant *q = xcalloc(1, sizeof(*q));
    int rc = quantise(q, net, err);

    if (rc)
        free(q);
    else
        *p = (struct policy){ .body = q->is_lstm ? POLICY_INT8_LSTM : POLICY_INT8,
                              .range = net->range, .int8 = q };
    return rc;
}

void policy_init_trees(struct policy *p, const struct forest *f)
{
    *p = (struct policy){ .body = POLICY_TREES, .range = POLICY_RANGE, .trees = *f };
}

void policy_fini(struct policy *p)
{
    if (p->body == POLICY_MLP)
        net_fini(&p->mlp);
    else if (p->body == POLICY_LSTM)
        lstm_fini(&p->lstm);
    else if (p->body == POLICY_INT8 || p->body == POLICY_INT8_LSTM)
        free(p->int8);
    *p = (struct policy){ 0 };
}

size_t policy_flow_bytes(enum policy_body body)
{
    return offsetof(struct policy_flow, memory) +
           (body == POLICY_LSTM ? sizeof(struct lstm_state)
            : body == POLICY_INT8_LSTM ? sizeof(struct quant_state) : 0);
}

void policy_start(const struct policy *p, struct policy_flow *flow)
{
    memset(flow, 0, policy_flow_bytes(p->body));
    flow->action_older = flow->action = 1;
}

#define WIDTH 12u
#define LANES 4u

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

/* A layer of WIDTH without biases, then ReLU, with the summation order of net.h. */
static inline __attribute__((always_inline)) void run_relu(const float *weight, const float *x,
                                                           uint32_t inputs, float *y)
{
    lanes sum[WIDTH / LANES] = { { 0 } };

    for (uint32_t i = 0; i < inputs; i++, weight += WIDTH)
        for (uint32_t v = 0; v < WIDTH / LANES; v++)
            sum[v] += ((const lanes *)weight)[v] * x[i];
    memcpy(y, sum, sizeof sum);
    for (uint32_t i = 0; i < WIDTH; i++)
        y[i] = y[i] < 0 ? 0 : y[i];
}

/* net_run() for policy_shape_mlp, the only shape: same bits, called millions of times per second. */
static float run_mlp_shape(const float *weight, const float *x)
{
    float first[WIDTH], second[WIDTH], u = 0;

    run_relu(weight, x, POLICY_FEATURES, first);
    weight += (size_t)POLICY_FEATURES * WIDTH;
    run_relu(weight, first, WIDTH, second);
    weight += (size_t)WIDTH * WIDTH;
    for (uint32_t i = 0; i < WIDTH; i++)
        u += weight[i] * second[i];
    return tanh_of(u);
}

static float run_mlp(const struct policy *p, const float *x)
{
    assert(p->mlp.parameters == (POLICY_FEATURES + WIDTH + 1) * WIDTH);
    return action_multiplier(run_mlp_shape(p->mlp.parameter, x), p->range);
}

static float run_lstm(const struct policy *p, const float *x, struct lstm_state *s)
{
    float u;

    lstm_run(&p->lstm, s, x, &u);
    return action_multiplier(u, p->range);
}

static float run_integers(const struct policy *p, const float *x, union policy_memory *memory)
{
    int16_t feature[TREE_FEATURES];

    forest_features(x, feature);
    int32_t multiplier = p->body == POLICY_TREES  ? forest_multiplier(&p->trees, feature)
                         : p->body == POLICY_INT8 ? quant_multiplier(p->int8, feature)
                                                  : quant_step(p->int8, &memory->int8_lstm, feature);
    return (float)multiplier * (1.0f / TREE_ONE);
}

bool policy_is_float(const struct policy *p)
{
    return p->body == POLICY_MLP || p->body == POLICY_LSTM;
}

/* x: all features; an LSTM uses the last two. */
static float run_policy(const struct policy *p, const float *x, union policy_memory *memory)
{
    if (p->body == POLICY_MLP)
        return run_mlp(p, x);
    return p->body == POLICY_LSTM ? run_lstm(p, x + 2, &memory->lstm) : run_integers(p, x, memory);
}

float policy_decide(const struct policy *p, struct policy_flow *flow, float delta)
{
    float x[POLICY_FEATURES] = { flow->action_older, flow->is_started ? flow->delta : delta, flow->action,
                                 delta };
    float multiplier = run_policy(p, x, &flow->memory);

    flow->action_older = flow->action;
    flow->action = multiplier;
    flow->delta = delta;
    flow->is_started = 1;
    return multiplier;
}

float policy_try(const struct policy *p, const float x[POLICY_FEATURES])
{
    union policy_memory memory = { 0 };
    const float first[POLICY_FEATURES] = { x[0], x[1], x[0], x[1] };

    if (p->body == POLICY_LSTM || p->body == POLICY_INT8_LSTM)
        run_policy(p, first, &memory);
    return run_policy(p, x, &memory);
}
