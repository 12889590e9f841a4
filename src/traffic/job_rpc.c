/* src/traffic/job_rpc.c - the servers are workers, the clients streams of kind poisson in the same entry. */
#include "traffic/job_rpc.h"

#include "base/arena.h"
#include "core/units.h"
#include "traffic/job.h"
#include "traffic/traffic_internal.h"

#include <stdatomic.h>
#include <stdlib.h>

#define IS_ANSWER (1ull << 63)   /* in a tag; the rest is the call */
#define CALLS_MAX (1u << 22)     /* as many as there can be flows; addresses are reserved, not memory */

struct call {                    /* belongs to its client */
    uint64_t start_ps;
    uint64_t bytes;              /* of the request; when it is over: the next call to use again, 0: none */
};

struct job_rpc {
    struct job   job;
    uint64_t     answer_bytes;
    struct arena arena;
    struct call *call;           /* call 0 is none */
    _Atomic uint32_t calls;      /* used so far; which one a call is changes no result */
    uint64_t    *free_of;        /* by client's node: the first call that it may use again; 0: none */
};

/* The tag of a request. */
static uint64_t begin_call(struct job *job, uint32_t source, const struct flow_spec *f)
{
    struct job_rpc *j = (struct job_rpc *)job;
    uint64_t        id = j->free_of[source];

    if (id)
        j->free_of[source] = j->call[id].bytes;
    else if ((id = 1 + atomic_fetch_add(&j->calls, 1)) >= CALLS_MAX)
        die("more than %u calls at once", CALLS_MAX - 1);
    j->call[id] = (struct call){ f->at_ps, f->bytes };
    return id;
}

static void end_call(struct job_rpc *j, uint64_t now_ps, const struct message *m)
{
    uint64_t     id = m->tag & ~IS_ANSWER;
    struct call *c = &j->call[id];

    job_report(&j->job, m->dst, OP_CALL, c->bytes, c->start_ps, now_ps);
    c->bytes = j->free_of[m->dst];
    j->free_of[m->dst] = id;
}

static void on_arrival(struct job *job, uint64_t now_ps, const struct message *m)
{
    struct job_rpc *j = (struct job_rpc *)job;

    if (m->tag & IS_ANSWER)
        end_call(j, now_ps, m);
    else
        job_post(job, job->worker_of[m->dst], now_ps, m->src, j->answer_bytes, IS_ANSWER | m->tag);
}

static void free_job(struct job *job)
{
    struct job_rpc *j = (struct job_rpc *)job;

    arena_fini(&j->arena);
    free(j->free_of);
    free(j);
}

static const struct job_kind kind = { .on_arrival = on_arrival, .free = free_job };

static void add_clients(struct job_rpc *j, const struct rpc *c)
{
    struct traffic *t = j->job.traffic;

    for (uint32_t i = 0; i < c->clients; i++) {
        uint32_t worker = j->job.worker_of[c->client[i]];
        uint32_t index = worker == JOB_NO_WORKER ? c->servers : worker;

        traffic_add_stream(t, c->client[i], index)->rank = t->ranks++;
    }
}

void job_rpc_add(struct traffic *t, const struct traffic_common *common, struct cdf *cdf, const struct rpc *c)
{
    struct job_rpc       *j = xcalloc(1, sizeof *j);
    struct traffic_entry *e;

    job_init(&j->job, &kind, t, common, c->server, c->servers);
    j->answer_bytes = c->answer_bytes;
    arena_init(&j->arena, CALLS_MAX * sizeof *j->call);
    j->call = arena_alloc(&j->arena, CALLS_MAX, sizeof *j->call);
    j->free_of = xcalloc(t->graph->nodes + 1ul, sizeof *j->free_of);
    e = &t->entry[j->job.entry];
    e->kind = POISSON;
    e->begin = begin_call;
    e->cdf = *cdf;
    *cdf = (struct cdf){ 0 };
    e->gap_ps_mean = e->cdf.bytes_mean * 8 * (double)PS_PER_S / c->bps_per_client;
    add_clients(j, c);
    /* At one moment no more than one request ends at a host, which has one link; it is answered at once. */
    job_reserve(&j->job, c->servers);
}
