#include "train/rlcc/adpg.h"

#include "base/err.h"
#include "base/minmax.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct adpg_cfg fill_defaults(const struct adpg_cfg *given)
{
    struct adpg_cfg cfg = {
        .gamma = or_default(given->gamma, 0.99), .smoothing = or_default(given->smoothing, 1),
        .clip = or_default(given->clip, 0.5), .adam = given->adam,
    };

    cfg.gamma = cfg.gamma < 0 ? 0 : cfg.gamma;
    cfg.smoothing = cfg.smoothing < 0 ? 0 : cfg.smoothing;
    cfg.adam.rate = or_default(given->adam.rate, 0.01);
    cfg.adam.epsilon = or_default(given->adam.epsilon, 1e-5);
    return cfg;
}

void adpg_init(struct adpg *a, const struct adpg_cfg *cfg, struct policy *p, uint32_t steps_max)
{
    bool     is_lstm = p->body == POLICY_LSTM;
    uint32_t parameters = is_lstm ? p->lstm.parameters : p->mlp.parameters;

    assert(policy_is_float(p));
    *a = (struct adpg){
        .cfg = fill_defaults(cfg), .policy = p, .parameters = parameters, .steps_max = steps_max,
        .parameter = is_lstm ? p->lstm.parameter : p->mlp.parameter,
        .slope = xcalloc(steps_max, sizeof(*a->slope)),
        .gradient = xcalloc(parameters, sizeof(*a->gradient)),
    };
    adam_init(&a->adam, &a->cfg.adam, parameters);
    if (is_lstm)
        lstm_batch_init(&a->lstm_batch, &p->lstm.shape, steps_max);
    else
        net_batch_init(&a->net_batch, &p->mlp.shape, steps_max);
}

void adpg_fini(struct adpg *a)
{
    net_batch_fini(&a->net_batch);
    lstm_batch_fini(&a->lstm_batch);
    adam_fini(&a->adam);
    free(a->slope);
    free(a->gradient);
    *a = (struct adpg){ 0 };
}

/* From the last step to the first. 'whole' is G times n - i; sums over j > i grow by one term per step. */
static double add_loss_after(const struct adpg_cfg *cfg, const float *u, const float *delta, uint32_t n,
                             float *slope)
{
    double to_go = 0, later = 0, later_square = 0, sum = 0;

    for (uint32_t i = n; i-- > 0;) {
        double left = n - i, here = (double)u[i], bend = (left - 1) * here - later, whole;

        to_go = (double)delta[i] + cfg->gamma * to_go;
        whole = cfg->gamma > 0 ? to_go : to_go * left;
        sum += here * whole / left;
        sum += cfg->smoothing * 0.5 * ((left - 1) * here * here - 2 * here * later + later_square) / left;
        slope[i] = (float)((whole + cfg->smoothing * bend) / left / n);
        later += here;
        later_square += here * here;
    }
    return sum / n;
}

double adpg_loss(const struct adpg_cfg *cfg, const float *u, const float *delta, uint32_t n, float *slope)
{
    double loss = add_loss_after(cfg, u, delta, n, slope);

    assert(n >= 2);
    /* From the first step to the last: u[j] also occurs in the terms of all i < j. */
    double shares = 0, weighted = 0;
    for (uint32_t j = 0; j < n; j++) {
        double left = n - j;
        slope[j] += (float)(cfg->smoothing * (shares * (double)u[j] - weighted) / n);
        shares += 1 / left;
        weighted += (double)u[j] / left;
    }
    return loss;
}

double adpg_add(struct adpg *a, const struct adpg_trajectory *t, double share, float *gradient)
{
    const struct policy *p = a->policy;
    bool                 is_lstm = p->body == POLICY_LSTM;
    const float         *u = is_lstm ? lstm_forward(&p->lstm, &a->lstm_batch, t->state, t->steps)
                                     : net_forward(&p->mlp, &a->net_batch, t->state, t->steps);

    assert(t->steps <= a->steps_max);
    double loss = adpg_loss(&a->cfg, u, t->delta, t->steps, a->slope);
    for (uint32_t i = 0; i < t->steps; i++)
        a->slope[i] = (float)((double)a->slope[i] * share);
    if (is_lstm)
        lstm_backward(&p->lstm, &a->lstm_batch, a->slope, gradient);
    else
        net_backward(&p->mlp, &a->net_batch, a->slope, gradient, NULL);
    return loss * share;
}

uint32_t adpg_agents(const struct adpg_trajectory *t, uint32_t n)
{
    uint32_t agents = 0;

    for (uint32_t i = 0; i < n; i++)
        agents += t[i].steps >= 2;
    return agents;
}

double adpg_update(struct adpg *a, const struct adpg_trajectory *t, uint32_t n)
{
    uint32_t agents = adpg_agents(t, n);
    float clip = (float)a->cfg.clip;
    double loss = 0;

    if (agents == 0)
        return 0;
    memset(a->gradient, 0, a->parameters * sizeof(*a->gradient));
    for (uint32_t i = 0; i < n; i++)
        if (t[i].steps >= 2)
            loss += adpg_add(a, &t[i], 1.0 / agents, a->gradient);
    for (uint32_t i = 0; i < a->parameters; i++) {
        float g = a->gradient[i];

        a->gradient[i] = g > clip ? clip : g < -clip ? -clip : g;
    }
    adam_step(&a->adam, a->parameter, a->gradient);
    return loss;
}
