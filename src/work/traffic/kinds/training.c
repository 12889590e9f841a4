/* src/work/traffic/kinds/training.c - training: iterations of collectives and computing, separated by a
 * barrier.
 *
 * work/traffic/iteration.h describes the dependencies within an iteration. Counters of a worker and of its
 * messages change at its host only. A worker passes through the stages independently and may leave overlapped
 * collectives running. When it is at the end and all of them are over, it reports to the barrier.
 *
 * Counters are reset as soon as they reach zero. This is safe because no worker starts the next iteration
 * before the last one has reported.
 */
#include "work/traffic/kinds/training.h"
#include "work/traffic/kind.h"

#include "core/units.h"
#include "work/traffic/job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct training_worker {
    uint64_t free_ps;                    /* time at which it reaches its current stage or the end */
    uint32_t stage;                      /* number of stages: at the end, or not started */
    uint32_t open;                       /* stages that it has computed and that are still running */
    uint32_t lane[PARALLEL_GROUPS];      /* by kind of group: 1 + stage of the running collective; 0: none */
};

/* What a GPU runs for a channel: one message at a time, until it is acknowledged. */
struct training_kernel { uint32_t first, last; bool is_busy; };  /* messages that wait, plus 1; 0: none */

struct training_job {
    struct job               job;
    struct iteration         it;
    uint64_t                 size_bytes; /* as reported in results */
    uint64_t                 compute_ps, step_ps;
    struct training_kernel  *kernel;     /* [worker * kernels + channel], with step_ps */
    uint32_t                 kernels;
    uint64_t                 kernel_bytes;       /* of the buffer, for each */
    uint32_t                *after;      /* by message: the next that waits for the same kernel; 0: none */
    uint8_t                 *resolved;   /* by message: dependencies that are resolved */
    uint32_t                *left;       /* [stage * workers + worker]: messages still to send or receive */
    uint64_t                *begin_ps;   /* [stage * workers + worker]: earliest start of its messages */
    struct training_worker  *worker;

    struct training_barrier *barrier;    /* by partition */
};

struct training_barrier {
    uint64_t start_ps;                   /* start of this iteration */
    uint32_t iterations;                 /* not yet started */
    uint32_t finished;                   /* workers that have finished */
    char     padding[48];                /* padding against false sharing */
};

/* ---- a worker's progress through an iteration ---- */

static struct training_kernel *kernel_of(const struct training_job *t, const struct iteration_message *is)
{
    const struct collective_message *c = &is->c->message[is->m];
    uint64_t                         channel = c->offset / t->kernel_bytes;

    return &t->kernel[(size_t)iteration_worker(&t->it, is, c->src) * t->kernels +
                      (channel < t->kernels ? channel : t->kernels - 1)];
}

static void post_message(struct training_job *t, const struct iteration_message *is, uint64_t now_ps)
{
    const struct collective_message *c = &is->c->message[is->m];
    uint32_t                         src = iteration_worker(&t->it, is, c->src);
    uint64_t                         begin_ps = t->begin_ps[is->stage * t->it.workers + src];

    job_post(&t->job, src, (begin_ps > now_ps ? begin_ps : now_ps) + t->step_ps,
             t->job.host[iteration_worker(&t->it, is, c->dst)], c->bytes, is->first + is->m);
}

/* A message may start. A step that costs time is taken after the one before it. */
static void start_message(struct training_job *t, const struct iteration_message *is, uint64_t now_ps)
{
    struct training_kernel *k = t->kernel ? kernel_of(t, is) : NULL;
    uint32_t                m = is->first + is->m;

    if (k && k->is_busy) {
        *(k->first ? &t->after[k->last - 1] : &k->first) = m + 1;
        k->last = m + 1;
        t->after[m] = 0;
        return;
    }
    if (k)
        k->is_busy = true;
    post_message(t, is, now_ps);
}

static void end_message(struct training_job *t, const struct iteration_message *is, uint64_t now_ps)
{
    struct training_kernel *k = kernel_of(t, is);
    uint32_t                next = k->first;

    k->is_busy = next != 0;
    if (!next)
        return;
    k->first = t->after[next - 1];
    struct iteration_message after = iteration_find(&t->it, next - 1);
    post_message(t, &after, now_ps);
}

/* Resolves one dependency of message m of the plan. When it may start, its counter is reset: it starts once
 * per iteration. Its worker has then entered the stage, but may still be computing. */
static void resolve_dependency(struct training_job *t, const struct iteration_message *of, uint32_t m,
                               uint64_t now_ps)
{
    struct iteration_message is = *of;
    uint8_t                 *resolved = &t->resolved[of->first + m];

    is.m = m;
    if (++*resolved <= of->c->waits[m])          /* one more: its worker has entered the stage */
        return;
    *resolved = 0;
    start_message(t, &is, now_ps);
}

/* Starts a worker's messages of a stage that have no other dependencies. Returns true if the stage is already
 * over: the worker only receives in it, and everything has arrived. */
static bool start_stage_messages(struct training_job *t, uint32_t worker, uint32_t stage, uint64_t at_ps)
{
    struct iteration_own     own = iteration_own(&t->it, stage, worker);
    struct iteration_message of;
    uint32_t                 cell = stage * t->it.workers + worker;

    if (at_ps > t->begin_ps[cell])
        t->begin_ps[cell] = at_ps;
    if (own.count)
        of = iteration_find(&t->it, own.first);
    for (uint32_t i = 0; i < own.count; i++)
        resolve_dependency(t, &of, own.own[i], t->begin_ps[cell]);
    return t->left[cell] == 0;
}

static void end_stage(struct training_job *t, uint32_t worker, uint32_t stage)
{
    t->left[stage * t->it.workers + worker] = t->it.count[stage * t->it.workers + worker];
    t->worker[worker].open--;
}

/* The collective of a lane has ended; starts those that the worker has computed meanwhile. Returns when the
 * one that the worker waits for ended, or NEVER if it waits for none of them. */
static uint64_t end_lane_collective(struct training_job *t, uint32_t worker, uint32_t stage, uint64_t now_ps)
{
    struct training_worker *w = &t->worker[worker];
    uint32_t               *lane = &w->lane[t->it.stage[stage].lane];
    uint64_t                freed_ps = NEVER;
    bool                    is_over = true;

    while (is_over) {
        uint64_t begin_ps = t->begin_ps[stage * t->it.workers + worker];

        now_ps = begin_ps > now_ps ? begin_ps : now_ps;
        end_stage(t, worker, stage);
        if (w->stage == stage && !t->it.stage[stage].is_overlapped)
            freed_ps = now_ps;
        stage = t->it.stage[stage].next_in_lane;
        if (stage == ITERATION_NO_STAGE || stage > w->stage) {
            *lane = 0;
            return freed_ps;
        }
        *lane = stage + 1;
        is_over = start_stage_messages(t, worker, stage, now_ps);
    }
    return freed_ps;
}

/* Pipelined stage: returns true if the worker has received all its input. It has sent nothing yet. */
static bool has_received(const struct training_job *t, uint32_t worker, uint32_t stage)
{
    return t->left[stage * t->it.workers + worker] <= iteration_own(&t->it, stage, worker).count;
}

/* The worker has everything it needs for its stage, and may compute. Returns when it continues, or NEVER if
 * it waits. */
static uint64_t run_stage(struct training_job *t, uint32_t worker, uint32_t stage, uint64_t at_ps)
{
    struct training_worker *w = &t->worker[worker];
    uint32_t                lane = t->it.stage[stage].lane;

    at_ps += t->it.stage[stage].compute_ps;
    t->begin_ps[stage * t->it.workers + worker] = at_ps;
    w->open++;
    if (lane == ITERATION_NO_LANE) {
        if (start_stage_messages(t, worker, stage, at_ps))
            end_stage(t, worker, stage);
        return at_ps;
    }
    if (!w->lane[lane]) {
        w->lane[lane] = stage + 1;
        if (start_stage_messages(t, worker, stage, at_ps)) {
            /* returns NEVER here: the worker has not passed this stage */
            end_lane_collective(t, worker, stage, at_ps);
            return at_ps;
        }
    }
    return t->it.stage[stage].is_overlapped ? at_ps : NEVER;
}

/* Moves a worker to a stage, or to the end. */
static void enter_stage(struct training_job *t, uint32_t worker, uint32_t stage, uint64_t at_ps)
{
    struct training_worker *w = &t->worker[worker];

    for (; at_ps != NEVER; stage++) {
        w->stage = stage;
        if (stage == t->it.stages) {
            w->free_ps = at_ps;
            if (w->open == 0)
                job_signal(&t->job, worker, at_ps, 0);
            return;
        }
        w->free_ps = at_ps += t->it.stage[stage].before_ps;
        if (t->it.stage[stage].lane == ITERATION_NO_LANE && !has_received(t, worker, stage))
            return;
        at_ps = run_stage(t, worker, stage, at_ps);
    }
}

/* Pipelined stage: one of the worker's messages is complete. A worker that has not entered the stage has
 * nothing open. */
static void count_pipelined_message(struct training_job *t, uint32_t worker, uint32_t stage, uint64_t now_ps)
{
    struct training_worker *w = &t->worker[worker];
    uint64_t                at_ps = w->free_ps > now_ps ? w->free_ps : now_ps;

    if (w->stage == stage && has_received(t, worker, stage))
        enter_stage(t, worker, stage + 1, run_stage(t, worker, stage, at_ps));
    else if (t->left[stage * t->it.workers + worker] == 0 && w->stage > stage && w->open)
        end_stage(t, worker, stage);
}

/* One of a worker's messages is complete at its end. The worker may not have entered that stage yet. */
static void count_message(struct training_job *t, uint32_t worker, uint32_t stage, uint64_t now_ps)
{
    struct training_worker *w = &t->worker[worker];
    uint32_t               *left = &t->left[stage * t->it.workers + worker], lane = t->it.stage[stage].lane,
                           open = w->open;
    uint64_t                freed_ps;

    assert(*left > 0);
    --*left;
    if (lane == ITERATION_NO_LANE) {
        count_pipelined_message(t, worker, stage, now_ps);
    } else if (*left == 0 && w->lane[lane] == stage + 1) {
        freed_ps = end_lane_collective(t, worker, stage, now_ps);
        if (freed_ps != NEVER) {
            enter_stage(t, worker, w->stage + 1, freed_ps);
            return;
        }
    }
    if (open && w->open == 0 && w->stage == t->it.stages)
        job_signal(&t->job, worker, w->free_ps > now_ps ? w->free_ps : now_ps, 0);
}

static void on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training_job     *t = (struct training_job *)j;
    struct iteration_message is = iteration_find(&t->it, (uint32_t)m->tag);
    const struct collective *c = is.c;

    for (uint32_t i = c->arrival_at[is.m]; i < c->arrival_at[is.m + 1]; i++)
        resolve_dependency(t, &is, c->arrival[i], now_ps);
    count_message(t, iteration_worker(&t->it, &is, c->message[is.m].dst), t->it.stage[is.stage].arrives_in,
                  now_ps);
}

static void on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training_job     *t = (struct training_job *)j;
    struct iteration_message is = iteration_find(&t->it, (uint32_t)m->tag);
    const struct collective *c = is.c;

    if (t->kernel)
        end_message(t, &is, now_ps);
    for (uint32_t i = c->sent_at[is.m]; i < c->sent_at[is.m + 1]; i++)
        resolve_dependency(t, &is, c->sent[i], now_ps);
    count_message(t, iteration_worker(&t->it, &is, c->message[is.m].src), is.stage, now_ps);
}

/* ---- barrier ---- */

/* Starts an iteration for the workers of a partition. */
static void start_iteration(struct training_job *t, uint32_t part, uint64_t at_ps)
{
    struct training_barrier *b = &t->barrier[part];

    if (at_ps >= t->job.common.stop_ps || b->iterations == 0)
        return;
    b->iterations--;
    b->start_ps = at_ps;
    b->finished = 0;
    for (uint32_t i = 0; i < t->job.workers; i++)
        if (job_part(&t->job, i) == part)
            enter_stage(t, i, 0, at_ps);
}

/* A worker finished signal_ps ago. */
static void on_signal(struct job *j, uint32_t part, uint64_t now_ps, uint32_t worker, uint64_t value)
{
    struct training_job     *t = (struct training_job *)j;
    struct training_barrier *b = &t->barrier[part];

    (void)worker, (void)value;
    if (++b->finished < j->workers)
        return;
    if (part == job_part(j, 0))
        job_report(j, j->host[0], OP_ITERATION, t->size_bytes, b->start_ps, now_ps - j->signal_ps);
    start_iteration(t, part, now_ps + t->compute_ps);
}

static void divide(struct job *j, uint32_t parts)
{
    struct training_job *t = (struct training_job *)j;

    t->barrier = xrealloc(t->barrier, parts * sizeof *t->barrier);
    for (uint32_t i = 1; i < parts; i++)
        t->barrier[i] = t->barrier[0];
}

static void free_training(void *state)
{
    struct training_job *t = state;

    iteration_fini(&t->it);
    free(t->kernel);
    free(t->after);
    free(t->resolved);
    free(t->left);
    free(t->begin_ps);
    free(t->worker);
    free(t->barrier);
    free(t);
}

/* A kernel for each channel of a collective; one where there are several collectives. Messages that start at
 * once do not wait for each other. */
static void add_kernels(struct training_job *t, const struct iteration_cfg *cfg)
{
    const struct collective_cfg *first = &cfg->step[0].collective;

    if (!t->step_ps || first->is_at_once)
        return;
    t->kernels = cfg->steps == 1 && first->channels ? first->channels : 1;
    t->kernel_bytes = t->kernels > 1 ? (first->bytes + t->kernels - 1) / t->kernels : UINT64_MAX;
    t->kernel = xcalloc((size_t)t->it.workers * t->kernels, sizeof *t->kernel);
    t->after = xcalloc(t->it.messages + 1ul, sizeof *t->after);
}

extern const struct traffic_kind traffic_training;

void traffic_add_training_steps(struct traffic *traffic, const struct traffic_common *common,
                                const struct traffic_steps *cfg, const uint32_t *hosts)
{
    struct training_job *t = xcalloc(1, sizeof *t);
    uint32_t             workers = cfg->iteration.parallel.workers;

    job_init(&t->job, &traffic_training, traffic, common, hosts, workers);
    iteration_init(&t->it, &cfg->iteration);
    job_reserve(&t->job, t->it.roots_max * workers);
    traffic_expect_flows(traffic, iteration_flows(&cfg->iteration));
    t->size_bytes = cfg->size_bytes;
    t->compute_ps = cfg->compute_ps;
    t->step_ps = cfg->step_ps;
    add_kernels(t, &cfg->iteration);
    t->job.signal_ps = cfg->delay_ps;
    t->barrier = xcalloc(1, sizeof *t->barrier);
    t->barrier[0].iterations = cfg->iterations;
    t->resolved = xcalloc(t->it.messages + 1ul, sizeof *t->resolved);
    size_t cells = (size_t)t->it.stages * workers;
    t->left = xmalloc(cells * sizeof *t->left);
    memcpy(t->left, t->it.count, cells * sizeof *t->left);
    t->begin_ps = xcalloc(cells, sizeof *t->begin_ps);
    t->worker = xcalloc(workers, sizeof *t->worker);
    for (uint32_t i = 0; i < workers; i++)
        t->worker[i].stage = t->it.stages;
    start_iteration(t, 0, common->start_ps);
}

const struct iteration *training_iteration(const struct traffic *traffic, uint32_t entry)
{
    assert(traffic->entry[entry].kind == &traffic_training);
    return &((const struct training_job *)traffic->entry[entry].job)->it;
}

uint32_t training_kind_of(const struct traffic *traffic, uint32_t entry, uint64_t tag)
{
    if (traffic->entry[entry].kind != &traffic_training)
        return ITERATION_KINDS;
    const struct iteration *it = training_iteration(traffic, entry);
    return it->stage[iteration_find(it, (uint32_t)tag).stage].kind;
}

static void read_entry(struct entry *e)
{
    struct training_request r;

    if (training_read(e, &r))
        traffic_add_training_steps(e->traffic, &e->common, &r.steps, r.workers.node);
}

const struct traffic_kind traffic_training = {
    .name = "training",
    .about = "workers do collectives, wait for the last of them, compute, and begin again",
    .keys = training_keys, .read = read_entry, .free = free_training, .print_more = training_print_steps,
    .on_arrival = on_arrival, .on_sent = on_sent, .on_signal = on_signal, .divide = divide,
};
