/* src/traffic/job_training.c - ON-OFF training: a collective, a barrier, some computing, and again.
 *
 * Who waits for what within a collective is in traffic/collective.h. Counts of a worker and of the messages it
 * sends are changed at its host alone. A worker that is through, having sent all it sends and received all
 * that comes to it, sets its count back and reports to the barrier: before the last has reported nobody
 * begins again, so whatever comes next finds it so.
 */
#include "traffic/collective.h"
#include "traffic/job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Posts of one worker at a time: of each of two trees, one up and two down. */
#define POSTS_PER_WORKER 6u

struct training {
    struct job        job;
    struct collective collective;
    uint64_t          size_bytes;        /* as results tell it */
    uint64_t          compute_ps;
    uint8_t          *waits;             /* by message: how many it still follows */
    uint32_t         *left;              /* by worker: messages it has yet to send or receive */

    struct barrier   *barrier;           /* by part */
};

struct barrier {
    uint64_t start_ps;                   /* of this iteration */
    uint32_t iterations;                 /* still to begin */
    uint32_t through;                    /* workers that have said so */
    char     apart[48];                  /* from that of another part */
};

static uint32_t messages_of(const struct training *t, uint32_t worker)
{
    return t->collective.sends[worker] + t->collective.receives[worker];
}

static void post(struct training *t, uint32_t m, uint64_t at_ps)
{
    const struct collective_message *c = &t->collective.message[m];

    job_post(&t->job, c->src, at_ps, t->job.host[c->dst], c->bytes, m);
}

/* Lets the workers of a part begin an iteration. */
static void begin(struct training *t, uint32_t part, uint64_t at_ps)
{
    struct barrier *b = &t->barrier[part];

    if (at_ps >= t->job.common.stop_ps || b->iterations == 0)
        return;
    b->iterations--;
    b->start_ps = at_ps;
    b->through = 0;
    for (uint32_t i = 0; i < t->collective.roots; i++)
        if (job_part(&t->job, t->collective.message[t->collective.root[i]].src) == part)
            post(t, t->collective.root[i], at_ps);
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

/* One of a worker's messages is over at its end. */
static void count_down(struct training *t, uint32_t worker, uint64_t now_ps)
{
    assert(t->left[worker] > 0);
    if (--t->left[worker] > 0)
        return;
    t->left[worker] = messages_of(t, worker);
    job_signal(&t->job, worker, now_ps, 0);
}

/* Message 'm' need not be waited for any more by those in the list. Each is set back as soon as it is free to
 * go: it does so once in an iteration. */
static void release(struct training *t, const uint32_t *list, const uint32_t *end, uint64_t now_ps)
{
    for (; list < end; list++)
        if (--t->waits[*list] == 0) {
            t->waits[*list] = t->collective.waits[*list];
            post(t, *list, now_ps);
        }
}

static void on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training         *t = (struct training *)j;
    const struct collective *c = &t->collective;

    release(t, c->arrival + c->arrival_at[m->tag], c->arrival + c->arrival_at[m->tag + 1], now_ps);
    count_down(t, c->message[m->tag].dst, now_ps);
}

static void on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct training         *t = (struct training *)j;
    const struct collective *c = &t->collective;

    release(t, c->sent + c->sent_at[m->tag], c->sent + c->sent_at[m->tag + 1], now_ps);
    count_down(t, c->message[m->tag].src, now_ps);
}

static void free_training(struct job *j)
{
    struct training *t = (struct training *)j;

    collective_fini(&t->collective);
    free(t->waits);
    free(t->left);
    free(t->barrier);
    free(t);
}

static const struct job_kind training_kind = { on_arrival, on_sent, free_training, on_signal, divide };

void traffic_add_training(struct traffic *traffic, const struct traffic_common *common,
                          const struct traffic_training *cfg, const uint32_t *hosts)
{
    struct training *t = xcalloc(1, sizeof *t);

    job_init(&t->job, &training_kind, traffic, common, hosts, cfg->collective.workers);
    job_reserve(&t->job, POSTS_PER_WORKER * cfg->collective.workers);
    collective_init(&t->collective, &cfg->collective);
    t->size_bytes = collective_size_bytes(&cfg->collective);
    t->compute_ps = cfg->compute_ps;
    t->job.signal_ps = cfg->delay_ps;
    t->barrier = xcalloc(1, sizeof *t->barrier);
    t->barrier[0].iterations = cfg->iterations;
    t->waits = xmalloc(t->collective.messages * sizeof *t->waits);
    memcpy(t->waits, t->collective.waits, t->collective.messages * sizeof *t->waits);
    t->left = xcalloc(t->job.workers, sizeof *t->left);
    for (uint32_t i = 0; i < t->job.workers; i++)
        t->left[i] = messages_of(t, i);
    begin(t, 0, common->start_ps);
}
