#include "work/traffic/reads.h"
#include "base/err.h"
#include "work/traffic/kind.h"

#include <assert.h>
#include <stdlib.h>

#define PAIR UINT32_MAX          /* queue pair of requests and data; other messages do not use it */

struct posted_read { uint64_t at_ps, bytes, tag; };

/* Reads of a worker from one node, oldest first: the first 'open' are in progress. */
struct read_queue {
    uint32_t            dst, open, count, max;
    struct posted_read *read;
};

struct reader_queues { struct read_queue *queue; uint32_t count; };

struct reads {
    struct reads_cfg      cfg;
    struct reader_queues *worker;
};

void job_allow_reads(struct job *j, const struct reads_cfg *cfg)
{
    j->reads = xcalloc(1, sizeof *j->reads);
    *j->reads = (struct reads){ *cfg, xcalloc(j->workers + 1ul, sizeof *j->reads->worker) };
}

void reads_free(struct job *j)
{
    if (!j->reads)
        return;
    for (uint32_t i = 0; i < j->workers; i++) {
        for (uint32_t k = 0; k < j->reads->worker[i].count; k++)
            free(j->reads->worker[i].queue[k].read);
        free(j->reads->worker[i].queue);
    }
    free(j->reads->worker);
    free(j->reads);
}

/* A worker reads from a few nodes. */
static struct read_queue *queue_of(struct reads *r, uint32_t worker, uint32_t dst)
{
    struct reader_queues *w = &r->worker[worker];

    for (uint32_t i = 0; i < w->count; i++)
        if (w->queue[i].dst == dst)
            return &w->queue[i];
    w->queue = xrealloc(w->queue, (w->count + 1ul) * sizeof *w->queue);
    w->queue[w->count] = (struct read_queue){ .dst = dst };
    return &w->queue[w->count++];
}

static void post(struct job *j, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag,
                 struct operation op)
{
    post_add(j->traffic, j->first_stream + worker,
             &(struct traffic_post){ .at_ps = at_ps, .bytes = bytes, .tag = tag, .dst = dst, .pair = PAIR,
                                     .op = op });
}

static void send_request(struct job *j, uint32_t worker, uint64_t now_ps, struct read_queue *q)
{
    const struct posted_read *r = &q->read[q->open++];

    post(j, worker, r->at_ps > now_ps ? r->at_ps : now_ps, q->dst, READ_REQUEST_BYTES, r->tag,
         (struct operation){ .verb = VERB_ASK, .since_ps = r->at_ps, .bytes = r->bytes });
}

void job_read(struct job *j, uint32_t worker, uint64_t at_ps, uint32_t dst, uint64_t bytes, uint64_t tag)
{
    struct read_queue *q = queue_of(j->reads, worker, dst);

    assert(j->worker_of[dst] != JOB_NO_WORKER && dst != j->host[worker] && bytes > 0);
    q->read = xgrow(q->read, q->count, &q->max, 16, sizeof *q->read);
    q->read[q->count++] = (struct posted_read){ at_ps, bytes, tag };
    if (q->open < j->reads->cfg.limit)
        send_request(j, worker, at_ps, q);
}

void reads_answer(struct job *j, uint64_t now_ps, const struct message *m)
{
    uint64_t wait_ps = j->reads->cfg.delay_ps;

    post(j, j->worker_of[m->dst], now_ps + wait_ps, m->src, m->op.bytes, m->tag,
         (struct operation){ .verb = VERB_READ, .since_ps = m->op.since_ps, .wait_ps = wait_ps });
}

/* Reads that were posted together may be answered in another order. */
void reads_end(struct job *j, uint64_t now_ps, const struct message *m)
{
    uint32_t           worker = j->worker_of[m->dst], i = 0;
    struct read_queue *q = queue_of(j->reads, worker, m->src);

    while (q->read[i].tag != m->tag || q->read[i].at_ps != m->start_ps)
        i++;
    assert(i < q->open);
    for (q->count--, q->open--; i < q->count; i++)
        q->read[i] = q->read[i + 1];
    if (q->open < q->count && q->open < j->reads->cfg.limit)
        send_request(j, worker, now_ps, q);
}
