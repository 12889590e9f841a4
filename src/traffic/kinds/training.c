/* src/traffic/kinds/training.c - training: collectives, a barrier, some computing, and again.
 *
 * Who waits for what within an iteration is in traffic/iteration.h. Counts of a worker and of the messages it sends are
 * changed at its host alone. A worker goes through the stages of an iteration by itself; when it is through the last it
 * reports to the barrier. Counts are set back as soon as they have run out: before the last worker has reported nobody
 * begins again, so whatever comes next finds them so.
 */
#include "traffic/kinds/training.h"

#include "traffic/job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct worker {
    uint64_t begin_ps;                   /* of its stage, after computing */
    uint32_t stage;                      /* the number of stages: it is through, or has not begun */
};

struct training {
    struct job        job;
    struct iteration  it;
    uint64_t          size_bytes;        /* as results tell it */
    uint64_t          compute_ps;
    uint8_t          *waits;             /* by message: for how many things it still waits */
    uint32_t         *left;              /* [stage * workers + worker]: messages it has yet to send or receive */
    struct worker    *worker;

    struct barrier   *barrier;           /* by part */
};

struct barrier {
    uint64_t start_ps;                   /* of this iteration */
    uint32_t iterations;                 /* still to begin */
    uint32_t through;                    /* workers that have said so */
    char     apart[48];                  /* from that of another part */
};

/* ---- a worker's way through an iteration ---- */

/* A message has one thing less to wait for. It is set back as soon as it is free to go: it does so once in an iteration.
 * Its worker is in its stage then, though it may still be computing. */
static void release(struct training *t, uint32_t m, uint64_t now_ps)
{
    const struct collective_message *c = &t->it.message[m];
    uint64_t                         begin_ps = t->worker[c->src].begin_ps;

    if (--t->waits[m] > 0)
        return;
    t->waits[m] = t->it.waits[m];
    job_post(&t->job, c->src, begin_ps > now_ps ? begin_ps : now_ps, t->job.host[c->dst], c->bytes, m);
}

/* A worker is free for a stage, or through with the last. Of a stage in which it but receives, all may have come already. */
static void enter_stage(struct training *t, uint32_t worker, uint32_t stage, uint64_t at_ps)
{
    const struct iteration *it = &t->it;

    for (;; stage++) {
        uint32_t cell = stage * it->workers + worker;

        t->worker[worker].stage = stage;
        if (stage == it->stages) {
            job_signal(&t->job, worker, at_ps, 0);
            return;
        }
        at_ps += it->compute_ps[stage];
        t->worker[worker].begin_ps = at_ps;
        for (uint32_t i = it->own_at[cell]; i < it->own_at[cell + 1]; i++)
            release(t, it->own[i], at_ps);
        if (t->left[cell] > 0)
            return;
        t->left[cell] = it->count[cell];
    }
}

/* One of a worker's messages is over at its end. It may be of a stage that the worker has not begun. */
static void count_down(struct training *t, uint32_t worker, uint32_t stage, uint64_t now_ps)
{
    uint32_t             *left = &t->left[stage * t->it.workers + worker];
    const struct worker *w = &t->worker[worker];

    assert(*left > 0);
    if (--*left > 0 || w->stage != stage)
        return;
    *left = t->it.count[stage * t->it.workers + worker];
    enter_stage(t, worker, stage + 1, w->begin_ps > now_ps ? w->begin_ps : now_ps);
}

static void on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training        *t = (struct training *)j;
    const struct iteration *it = &t->it;

    for (uint32_t i = it->arrival_at[m->tag]; i < it->arrival_at[m->tag + 1]; i++)
        release(t, it->arrival[i], now_ps);
    count_down(t, it->message[m->tag].dst, it->stage_of[m->tag], now_ps);
}

static void on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training        *t = (struct training *)j;
    const struct iteration *it = &t->it;

    for (uint32_t i = it->sent_at[m->tag]; i < it->sent_at[m->tag + 1]; i++)
        release(t, it->sent[i], now_ps);
    count_down(t, it->message[m->tag].src, it->stage_of[m->tag], now_ps);
}

/* ---- the barrier ---- */

/* Lets the workers of a part begin an iteration. */
static void begin(struct training *t, uint32_t part, uint64_t at_ps)
{
    struct barrier *b = &t->barrier[part];

    if (at_ps >= t->job.common.stop_ps || b->iterations == 0)
        return;
    b->iterations--;
    b->start_ps = at_ps;
    b->through = 0;
    for (uint32_t i = 0; i < t->job.workers; i++)
        if (job_part(&t->job, i) == part)
            enter_stage(t, i, 0, at_ps);
}

/* A worker was through signal_ps ago. */
static void on_signal(struct job *j, uint32_t part, uint64_t now_ps, uint32_t worker, uint64_t value)
{
    struct training *t = (struct training *)j;
    struct barrier  *b = &t->barrier[part];

    (void)worker, (void)value;
    if (++b->through < j->workers)
        return;
    if (part == job_part(j, 0))
        job_report(j, j->host[0], OP_ITERATION, t->size_bytes, b->start_ps, now_ps - j->signal_ps);
    begin(t, part, now_ps + t->compute_ps);
}

static void divide(struct job *j, uint32_t parts)
{
    struct training *t = (struct training *)j;

    t->barrier = xrealloc(t->barrier, parts * sizeof *t->barrier);
    for (uint32_t i = 1; i < parts; i++)
        t->barrier[i] = t->barrier[0];
}

/* Nobody has said that he is through, or all have and nothing comes after; and nothing of the iteration has happened. */
static bool is_at_rest(const struct job *j)
{
    const struct training *t = (const struct training *)j;

    if (t->barrier[0].through != 0 && t->barrier[0].through < j->workers)
        return false;
    for (uint32_t i = 0; i < j->workers; i++)
        if (t->worker[i].stage > 0 && t->worker[i].stage < t->it.stages)
            return false;
    return memcmp(t->left, t->it.count, (size_t)t->it.stages * j->workers * sizeof *t->left) == 0;
}

static void free_training(void *state)
{
    struct training *t = state;

    iteration_fini(&t->it);
    free(t->waits);
    free(t->left);
    free(t->worker);
    free(t->barrier);
    free(t);
}

extern const struct traffic_kind traffic_training;

void traffic_add_training_steps(struct traffic *traffic, const struct traffic_common *common,
                                const struct traffic_steps *cfg, const uint32_t *hosts)
{
    struct training *t = xcalloc(1, sizeof *t);
    uint32_t         workers = cfg->iteration.parallel.workers;
    size_t           cells;

    job_init(&t->job, &traffic_training, traffic, common, hosts, workers);
    iteration_init(&t->it, &cfg->iteration);
    job_reserve(&t->job, t->it.roots_max * workers);
    traffic_expect_flows(traffic, iteration_flows(&cfg->iteration));
    t->size_bytes = cfg->size_bytes;
    t->compute_ps = cfg->compute_ps;
    t->job.signal_ps = cfg->delay_ps;
    t->barrier = xcalloc(1, sizeof *t->barrier);
    t->barrier[0].iterations = cfg->iterations;
    t->waits = xmalloc(t->it.messages * sizeof *t->waits);
    memcpy(t->waits, t->it.waits, t->it.messages * sizeof *t->waits);
    cells = (size_t)t->it.stages * workers;
    t->left = xmalloc(cells * sizeof *t->left);
    memcpy(t->left, t->it.count, cells * sizeof *t->left);
    t->worker = xcalloc(workers, sizeof *t->worker);
    for (uint32_t i = 0; i < workers; i++)
        t->worker[i].stage = t->it.stages;
    begin(t, 0, common->start_ps);
}

void traffic_add_training(struct traffic *traffic, const struct traffic_common *common,
                          const struct traffic_training *cfg, const uint32_t *hosts)
{
    uint32_t                    workers = cfg->collective.workers;
    const struct iteration_step step = { .collective = cfg->collective, .group = PARALLEL_ALL, .times = 1 };
    const struct traffic_steps  steps = {
        .iteration = { { workers, 1, workers, 1, 1 }, &step, 1 },
        .size_bytes = collective_size_bytes(&cfg->collective),
        .compute_ps = cfg->compute_ps, .delay_ps = cfg->delay_ps, .iterations = cfg->iterations,
    };

    traffic_add_training_steps(traffic, common, &steps, hosts);
}

const struct traffic_kind traffic_training = {
    .name = "training", .about = "workers do collectives, wait for the last of them, compute, and begin again",
    .keys = training_keys, .read = training_read, .free = free_training, .print_more = training_print_steps,
    .on_arrival = on_arrival, .on_sent = on_sent, .on_signal = on_signal, .divide = divide,
    .is_at_rest = is_at_rest,
};
