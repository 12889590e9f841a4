#include "train/rlcc/rlcc_train.h"

#include "core/units.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define STEPS_MAX   8192u        /* steps per agent that are used */
#define JOBS_MAX    64u
#define LSTM_INPUTS 2u

/* ---- parallel worlds ---- */

struct rollout_crew {
    struct rlcc_train *t;
    struct env_quota   quota;
    atomic_uint        next;     /* next world to run */
};

/* The seed depends only on the request, the update at which the world started, and its number. */
static void run_one(struct rollout_crew *c, uint32_t number)
{
    const struct rlcc_train *t = c->t;
    struct rlcc_seat        *seat = &c->t->seat[number];
    struct env_cfg cfg = { .name = seat->name, .policy = &t->policy,
                           .seed = (t->request.seed * 1000003 + t->updates) * 1009 + number + 1,
                           .hides_history = t->request.hides_history };

    seat->rc = seat->env ? 0 : env_world_open(&seat->env, &seat->world, cfg, &seat->err);
    if (seat->rc)
        return;
    seat->before = env_totals(seat->env);
    env_collect(seat->env, &c->quota);
}

static void *run_worker(void *arg)
{
    struct rollout_crew *c = arg;
    uint32_t             number;

    while ((number = atomic_fetch_add(&c->next, 1)) < c->t->seats)
        run_one(c, number);
    return NULL;
}

/* If a thread cannot be created, the calling thread does its work. */
static void run_worlds(struct rollout_crew *c)
{
    pthread_t thread[JOBS_MAX];
    uint32_t  threads = 0, jobs = c->t->request.jobs < JOBS_MAX ? c->t->request.jobs : JOBS_MAX;

    while (threads + 1 < jobs && threads + 1 < c->t->seats &&
           pthread_create(&thread[threads], NULL, run_worker, c) == 0)
        threads++;
    run_worker(c);
    while (threads > 0)
        pthread_join(thread[--threads], NULL);
}

/* ---- trajectories ---- */

static void make_room(struct rlcc_train *t)
{
    size_t steps = 0, agents = 0;

    for (uint32_t i = 0; i < t->seats; i++) {
        uint32_t n = env_agents(t->seat[i].env);

        agents += n;
        for (uint32_t k = 0; k < n; k++)
            steps += env_agent(t->seat[i].env, k)->steps;
    }
    t->trajectory = xrealloc(t->trajectory, (agents + 1) * sizeof *t->trajectory);
    t->delta = xrealloc(t->delta, (steps + 1) * sizeof *t->delta);
    if (t->request.body == POLICY_LSTM)
        t->state = xrealloc(t->state, (LSTM_INPUTS * steps + 1) * sizeof *t->state);
    t->trajectories = 0;
}

/* The decision of step i leads to the delta of step i + 1. That of the last decision is unknown. */
static size_t add_agent(struct rlcc_train *t, const struct env_agent *a, size_t at)
{
    uint32_t n = a->steps > 1 ? a->steps - 1 : 0;
    bool     is_lstm = t->request.body == POLICY_LSTM;

    n = n < STEPS_MAX ? n : STEPS_MAX;
    if (n < 2)
        return at;
    for (uint32_t i = 0; i < n; i++) {
        t->delta[at + i] = a->x[i + 1][3];
        if (is_lstm)
            memcpy(t->state + LSTM_INPUTS * (at + i), a->x[i] + POLICY_FEATURES - LSTM_INPUTS,
                   LSTM_INPUTS * sizeof(float));
    }
    t->trajectory[t->trajectories++] =
        (struct adpg_trajectory){ n, is_lstm ? t->state + LSTM_INPUTS * at : a->x[0], t->delta + at };
    return at + n;
}

static void collect_trajectories(struct rlcc_train *t)
{
    size_t at = 0;

    make_room(t);
    for (uint32_t i = 0; i < t->seats; i++)
        for (uint32_t k = 0; k < env_agents(t->seat[i].env); k++)
            at = add_agent(t, env_agent(t->seat[i].env, k), at);
}

/* ---- statistics ---- */

static void add_statistics(const struct rlcc_train *t, struct rlcc_seen *seen)
{
    double share = 0;

    for (uint32_t i = 0; i < t->seats; i++) {
        const struct rlcc_seat *seat = &t->seat[i];
        struct env_totals       d = env_totals_since(seat->env, &seat->before);

        seen->steps += (double)d.steps;
        seen->reward += d.reward_sum;
        seen->delta += d.delta_sum;
        seen->rtt_us += d.rtt_us_sum;
        if (d.now_ps > 0)
            share += (double)d.payload_bytes * 8e12 / (double)d.now_ps / env_world_bps(&seat->world) /
                     t->seats;
    }
    seen->share += share;
}

int rlcc_rollout(struct rlcc_train *t, struct rlcc_seen *seen, struct err *err)
{
    const struct rlcc_request *q = &t->request;
    struct rollout_crew        c = { .t = t, .quota = { .steps = q->steps, .steps_most = q->steps_most } };

    if (t->updates < q->warm_up)
        c.quota = (struct env_quota){ .steps_least = q->warm_steps, .steps_most = q->warm_steps };
    run_worlds(&c);
    for (uint32_t i = 0; i < t->seats; i++)
        if (t->seat[i].rc) {
            *err = t->seat[i].err;
            return t->seat[i].rc;
        }
    collect_trajectories(t);
    add_statistics(t, seen);
    return 0;
}

void rlcc_rollout_end(struct rlcc_train *t, uint32_t world)
{
    env_close(t->seat[world].env);
    t->seat[world].env = NULL;
}

void rlcc_rollout_drop(struct rlcc_train *t)
{
    for (uint32_t i = 0; i < t->seats; i++)
        rlcc_rollout_end(t, i);
}
