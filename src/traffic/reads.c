#include "traffic/reads.h"
#include "base/err.h"

#include <assert.h>
#include <stdlib.h>

#define PAIR UINT32_MAX          /* queue pair of requests and data: none of those that other messages use */

struct posted_read { uint64_t tag, start_ps; };

/* Reads of a worker from one node, oldest first: the first 'open' are under way. */
struct read_queue {
    uint32_t            dst, open, count, max;
    struct posted_read *read;
};

struct reader_queues { struct read_queue *queue; uint32_t count; };

struct reads {
    struct job           *job;
    struct reads_cfg      cfg;
    struct reader_queues *worker;
};

struct reads *reads_new(struct job *j, const struct reads_cfg *cfg)
{
    struct reads *r = xcalloc(1, sizeof *r);

    *r = (struct reads){ j, *cfg, xcalloc(j->workers + 1ul, sizeof *r->worker) };
    return r;
}

void reads_free(struct reads *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->job->workers; i++) {
        for (uint32_t k = 0; k < r->worker[i].count; k++)
            free(r->worker[i].queue[k].read);
        free(r->worker[i].queue);
    }
    free(r->worker);
    free(r);
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

static void send_request(struct reads *r, uint32_t worker, uint64_t now_ps, struct read_queue *q)
{
    job_post_on(r->job, worker, now_ps, q->dst, PAIR, READ_REQUEST_BYTES,
                q->read[q->open++].tag | READ_ASKS);
}

void reads_begin(struct reads *r, uint32_t worker, uint64_t now_ps, uint32_t dst, uint64_t tag)
{
    struct read_queue *q = queue_of(r, worker, dst);

    if (q->count == q->max) {
        q->max = q->max ? 2 * q->max : 16;
        q->read = xrealloc(q->read, q->max * sizeof *q->read);
    }
    q->read[q->count++] = (struct posted_read){ tag, now_ps };
    if (q->open < r->cfg.limit)
        send_request(r, worker, now_ps, q);
}

void reads_answer(struct reads *r, uint64_t now_ps, const struct message *m, uint64_t bytes)
{
    job_post_on(r->job, r->job->worker_of[m->dst], now_ps + r->cfg.delay_ps, m->src, PAIR, bytes,
                m->tag ^ READ_BITS);
}

uint64_t reads_end(struct reads *r, uint64_t now_ps, const struct message *m)
{
    uint32_t           worker = r->job->worker_of[m->dst], i = 0;
    struct read_queue *q = queue_of(r, worker, m->src);
    uint64_t           start_ps;

    while (q->read[i].tag != (m->tag & ~READ_BITS))
        i++;
    assert(i < q->open);
    start_ps = q->read[i].start_ps;
    for (q->count--, q->open--; i < q->count; i++)
        q->read[i] = q->read[i + 1];
    if (q->open < q->count && q->open < r->cfg.limit)
        send_request(r, worker, now_ps, q);
    return start_ps;
}
