/* src/sim/job_rpc.c - the servers are workers, the clients streams of kind poisson in the same entry. */
#include "sim/job_rpc.h"

#include "core/units.h"
#include "sim/job.h"
#include "sim/traffic_parts.h"

#include <assert.h>
#include <stdlib.h>

#define IS_ANSWER (1ull << 63)   /* in a tag; the rest is the call's number at its client */
#define CALLS_MIN 256u           /* room for so many; it grows when more are open at once */
#define NONE      UINT32_MAX

struct call { uint64_t start_ps, bytes; uint32_t next_free; };

struct client {                  /* its open calls belong to it alone */
    struct call *call;
    uint32_t     calls, calls_max, free;
};

struct job_rpc {
    struct job     job;
    uint64_t       answer_bytes;
    struct client *client;
    uint32_t       clients, *client_of;  /* by node */
};

static uint32_t new_call(struct client *c)
{
    uint32_t id = c->free;

    if (id != NONE) {
        c->free = c->call[id].next_free;
        return id;
    }
    if (c->calls == c->calls_max) {
        c->calls_max *= 2;
        c->call = xrealloc(c->call, c->calls_max * sizeof *c->call);
    }
    return c->calls++;
}

/* The tag of a request. */
static uint64_t begin_call(struct job *job, uint32_t source, const struct flow_spec *f)
{
    struct job_rpc *j = (struct job_rpc *)job;
    struct client  *c = &j->client[j->client_of[source]];
    uint32_t        id = new_call(c);

    c->call[id] = (struct call){ .start_ps = f->at_ps, .bytes = f->bytes };
    return id;
}

static void end_call(struct job_rpc *j, uint64_t now_ps, const struct message *m)
{
    struct client *c = &j->client[j->client_of[m->dst]];
    uint32_t       id = (uint32_t)m->tag;

    assert(id < c->calls);
    job_report(&j->job, OP_CALL, c->call[id].bytes, c->call[id].start_ps, now_ps);
    c->call[id].next_free = c->free;
    c->free = id;
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

    for (uint32_t i = 0; i < j->clients; i++)
        free(j->client[i].call);
    free(j->client);
    free(j->client_of);
    free(j);
}

static const struct job_kind kind = { .on_arrival = on_arrival, .free = free_job };

static void add_client(struct job_rpc *j, uint32_t index, uint32_t node)
{
    struct traffic *t = j->job.traffic;
    struct client  *c = &j->client[index];
    uint32_t        worker = j->job.worker_of[node];

    j->client_of[node] = index;
    *c = (struct client){ .call = xcalloc(CALLS_MIN, sizeof *c->call), .calls_max = CALLS_MIN, .free = NONE };
    traffic_add_stream(t, node, worker == JOB_NO_WORKER ? j->job.workers : worker)->rank = t->ranks++;
}

void job_rpc_add(struct traffic *t, const struct traffic_common *common, struct cdf *cdf, const struct rpc *c)
{
    struct job_rpc       *j = xcalloc(1, sizeof *j);
    struct traffic_entry *e;

    job_init(&j->job, &kind, t, common, c->server, c->servers);
    j->answer_bytes = c->answer_bytes;
    j->clients = c->clients;
    j->client = xcalloc(c->clients + 1ul, sizeof *j->client);
    j->client_of = xcalloc(t->graph->nodes + 1ul, sizeof *j->client_of);
    e = &t->entry[j->job.entry];
    e->kind = POISSON;
    e->begin = begin_call;
    e->cdf = *cdf;
    *cdf = (struct cdf){ 0 };
    e->gap_ps_mean = e->cdf.bytes_mean * 8 * (double)PS_PER_S / c->bps_per_client;
    for (uint32_t i = 0; i < c->clients; i++)
        add_client(j, i, c->client[i]);
    /* At one moment no more than one request ends at a host, which has one link; it is answered at once. */
    job_reserve(&j->job, c->servers);
}
