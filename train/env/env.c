#include "train/env/env.h"

#include "sim/cc/rlcc/rlcc.h"
#include "core/units.h"
#include "study/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#define SLICE_PS       (2 * PS_PER_US)   /* interval between checks of the quota */

struct env {
    struct scenario      scenario;
    struct sim          *sim;
    struct rlcc_model    model;
    struct rlcc_observer observer;
    uint64_t             takes_ps;           /* duration of a decision */
    bool                 is_over;
    struct env_agent    *agent;
    uint32_t             agents, agents_room;
    struct env_totals    totals;
    uint32_t             collected;          /* steps of all agents */
    struct env_observation *seen;
    uint32_t             seens, seens_room;
};

/* ---- observer of the flows ---- */

static uint32_t on_start(void *arg, uint64_t now_ps)
{
    struct env *e = arg;

    (void)now_ps;
    e->agent = xgrow(e->agent, e->agents, &e->agents_room, 64, sizeof *e->agent);
    e->agent[e->agents] = (struct env_agent){ .action = 1 };
    return e->agents++;
}

static void on_step(void *arg, uint32_t agent, const struct rlcc_step *s)
{
    struct env *e = arg;
    double      delta = (double)s->x[3];

    e->totals.steps++;
    e->totals.rtt_us_sum += (double)s->rtt_ps / PS_PER_US;
    e->totals.delta_sum += delta;
    e->totals.reward_sum -= delta * delta;
    if (e->observer.action) {
        e->seen = xgrow(e->seen, e->seens, &e->seens_room, 64, sizeof *e->seen);
        struct env_observation *o = &e->seen[e->seens++];
        *o = (struct env_observation){ .agent = agent, .rate = s->rate, .at_ps = s->at_ps,
                                       .rtt_us = (float)((double)s->rtt_ps / PS_PER_US) };
        memcpy(o->x, s->x, sizeof o->x);
    } else {
        struct env_agent *a = &e->agent[agent];

        e->collected++;
        a->x = xgrow(a->x, a->steps, &a->room, 16, sizeof *a->x);
        memcpy(a->x[a->steps++], s->x, sizeof *a->x);
    }
}

static float get_action(void *arg, uint32_t agent)
{
    const struct env *e = arg;

    return e->agent[agent].action;
}

/* ---- open and close ---- */

static int check_scenario(const struct env_cfg *cfg, const struct scenario *s, struct err *err)
{
    if (!s->rlcc)
        return err_set(err, EINVAL, "%.200s: an environment needs 'cc: rlcc', whose flows are its agents",
                       cfg->name);
    if (!cfg->policy && s->cfg.knobs.value[KNOB_rlcc_decision] <= 0)
        return err_set(err, EINVAL, "%.200s: decisions from outside need time: set the knob rlcc_decision",
                       cfg->name);
    return 0;
}

static int start_world(struct env *e, const struct env_cfg *cfg, struct err *err)
{
    int rc = check_scenario(cfg, &e->scenario, err);

    if (rc)
        return rc;
    e->observer = (struct rlcc_observer){ e, on_start, on_step, cfg->policy ? NULL : get_action };
    e->model = (struct rlcc_model){ .policy = cfg->policy ? cfg->policy : e->scenario.rlcc->policy,
                                    .observer = &e->observer, .hides_history = cfg->hides_history };
    if (!cfg->policy)
        e->model.policy = &e->model.own;     /* never evaluated; its body only selects the rates of neural
                                              * networks */
    e->takes_ps = knob_whole(e->scenario.cfg.knobs.value[KNOB_rlcc_decision], PS_PER_US);
    e->scenario.cfg.rlcc = &e->model;
    e->scenario.cfg.threads = 1;
    return scenario_start(&e->scenario, &e->sim, err);
}

int env_open(struct env **made, const struct env_cfg *cfg, struct err *err)
{
    struct env *e = xcalloc(1, sizeof *e);
    int rc = scenario_parse(&e->scenario, cfg->name, cfg->text, cfg->text_bytes, cfg->set, cfg->sets,
                            &cfg->seed, err);

    assert(!cfg->policy || cfg->policy->body == POLICY_TREES || policy_is_float(cfg->policy));
    if (rc) {
        free(e);
        return rc;
    }
    rc = start_world(e, cfg, err);
    if (rc)
        env_close(e);
    else
        *made = e;
    return rc;
}

void env_close(struct env *e)
{
    if (!e)
        return;
    sim_free(e->sim);
    scenario_fini(&e->scenario);
    for (uint32_t i = 0; i < e->agents; i++)
        free(e->agent[i].x);
    free(e->agent);
    free(e->seen);
    free(e);
}

uint64_t env_now_ps(const struct env *e)
{
    return sim_now_ps(e->sim);
}

uint64_t env_end_ps(const struct env *e)
{
    return e->scenario.run_ps;
}

uint32_t env_agents(const struct env *e)
{
    return e->agents;
}

struct env_totals env_totals(const struct env *e)
{
    const struct sim_counters *c = sim_counts(e->sim);
    struct env_totals          t = e->totals;

    t.now_ps = sim_now_ps(e->sim);
    t.payload_bytes = c->payload_received;
    t.dropped_packets = c->dropped_buffer + c->dropped_wire + c->dropped_down;
    return t;
}

struct env_totals env_totals_since(const struct env *e, const struct env_totals *before)
{
    struct env_totals t = env_totals(e);

    return (struct env_totals){
        .now_ps = t.now_ps - before->now_ps, .steps = t.steps - before->steps,
        .payload_bytes = t.payload_bytes - before->payload_bytes,
        .dropped_packets = t.dropped_packets - before->dropped_packets,
        .rtt_us_sum = t.rtt_us_sum - before->rtt_us_sum, .delta_sum = t.delta_sum - before->delta_sum,
        .reward_sum = t.reward_sum - before->reward_sum,
    };
}

/* Runs up to and including that time, or to the end. */
static void run_until(struct env *e, uint64_t until_ps)
{
    uint64_t end_ps = e->scenario.run_ps;

    e->is_over = !sim_run_until(e->sim, until_ps < end_ps ? until_ps : end_ps) || until_ps >= end_ps;
}

/* ---- in the loop ---- */

static bool have_all_stepped(const struct env *e, uint32_t steps)
{
    for (uint32_t i = 0; i < e->agents; i++)
        if (e->agent[i].steps < steps)
            return false;
    return e->agents > 0;
}

static bool is_quota_met(const struct env *e, const struct env_quota *q)
{
    if (e->collected >= q->steps_most)
        return true;
    return e->collected >= q->steps_least && e->collected > 0 && have_all_stepped(e, q->steps);
}

bool env_collect(struct env *e, const struct env_quota *q)
{
    for (uint32_t i = 0; i < e->agents; i++)
        e->agent[i].steps = 0;
    e->collected = 0;
    e->model.epoch++;
    while (!e->is_over && !is_quota_met(e, q))
        run_until(e, sim_now_ps(e->sim) + SLICE_PS);
    return is_quota_met(e, q);
}

const struct env_agent *env_agent(const struct env *e, uint32_t agent)
{
    return &e->agent[agent];
}

/* ---- external ---- */

uint32_t env_observe(struct env *e, const struct env_observation **seen)
{
    e->seens = 0;
    while (!e->is_over && e->seens == 0)
        run_until(e, sim_now_ps(e->sim) + e->takes_ps - (sim_now_ps(e->sim) == 0));
    *seen = e->seen;
    return e->is_over ? 0 : e->seens;
}

void env_act(struct env *e, const float *multiplier)
{
    for (uint32_t i = 0; i < e->seens; i++) {
        float m = multiplier[i] >= ENV_MULTIPLIER_MIN ? multiplier[i] : ENV_MULTIPLIER_MIN;

        e->agent[e->seen[i].agent].action = multiplier[i] != multiplier[i] ? 1
                                            : m < ENV_MULTIPLIER_MAX           ? m
                                                                           : ENV_MULTIPLIER_MAX;
    }
}
