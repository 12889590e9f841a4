#include "train/train.h"

#include <math.h>

void train_state_init(struct train_state *s, const struct dqn_cfg *cfg, const char *config)
{
    *s = (struct train_state){ .best_score = INFINITY };
    snprintf(s->config, sizeof s->config, "%s", config);
    dqn_init(&s->dqn, cfg);
    net_init(&s->smooth, &cfg->shape);
    net_init(&s->best, &cfg->shape);
    net_copy(&s->smooth, &s->dqn.online);
    net_copy(&s->best, &s->dqn.online);
}

void train_state_fini(struct train_state *s)
{
    dqn_fini(&s->dqn);
    net_fini(&s->smooth);
    net_fini(&s->best);
    *s = (struct train_state){ 0 };
}

static void add_net(struct resume_file *r, struct net *n)
{
    resume_field(r, n->parameter, n->parameters * sizeof(float));
}

static void add_all(struct resume_file *r, void *state)
{
    struct train_state *s = state;
    struct dqn         *d = &s->dqn;

    resume_field(r, &s->generations, sizeof s->generations);
    resume_field(r, &s->rule, sizeof s->rule);
    resume_field(r, &s->rule_score, sizeof s->rule_score);
    resume_field(r, s->last, sizeof s->last);
    resume_field(r, &s->lasts, sizeof s->lasts);
    resume_field(r, &s->is_run_off, sizeof s->is_run_off);
    resume_field(r, &s->rounds, sizeof s->rounds);
    resume_field(r, &s->best_score, sizeof s->best_score);
    resume_field(r, &s->best_round, sizeof s->best_round);
    resume_field(r, &s->has_statics, sizeof s->has_statics);
    resume_field(r, s->statics, sizeof s->statics);
    add_net(r, &s->smooth);
    add_net(r, &s->best);
    add_net(r, &d->online);
    add_net(r, &d->target);
    resume_field(r, &d->adam.beta1_power, sizeof d->adam.beta1_power);
    resume_field(r, &d->adam.beta2_power, sizeof d->adam.beta2_power);
    resume_field(r, d->adam.mean, d->adam.parameters * sizeof(float));
    resume_field(r, d->adam.square, d->adam.parameters * sizeof(float));
    resume_field(r, &d->rng, sizeof d->rng);
    resume_field(r, &d->decisions, sizeof d->decisions);
    resume_field(r, &d->updates, sizeof d->updates);
    resume_field(r, &d->replay.count, sizeof d->replay.count);
    resume_field(r, &d->replay.added, sizeof d->replay.added);
    if (d->replay.count > d->replay.capacity)
        r->is_wrong = true;
    else
        resume_field(r, d->replay.record, (size_t)d->replay.count * d->replay.floats * sizeof(float));
}

struct resume_file train_state_file(struct train_state *s)
{
    return (struct resume_file){ "ANOLETRAIN2\n", s->config, .state = s, .fields = add_all };
}
