/* src/work/traffic/kinds/rpc_traffic.c - remote procedure calls. Servers are workers; clients send as in kind
 * poisson.
 *
 * Reads wait for earlier ones, and requests for a CPU. So clients that read, or whose hosts take time, are
 * workers, too: their streams of requests only wake them. */
#include "work/traffic/kinds/rpc_traffic.h"

#include "base/arena.h"
#include "work/traffic/job.h"
#include "work/traffic/kinds/poisson.h"
#include "work/traffic/read.h"
#include "work/traffic/traffic.h"

#include <stdatomic.h>
#include <stdlib.h>

#define IS_ANSWER (1ull << 63)   /* tag bit; the other bits are the call */
#define CALLS_MAX (1u << 22)     /* limit of concurrent flows; this reserves addresses, not memory */

struct call {                    /* owned by its client */
    uint64_t start_ps;
    uint64_t bytes;              /* of the request; of a free call: the next free call, or 0 */
    uint32_t server;
};

struct job_rpc {
    struct job     job;
    struct poisson requests;
    uint64_t       answer_bytes;
    struct arena   arena;
    struct call   *call;         /* call 0 is unused */
    _Atomic uint32_t calls;      /* used so far; call numbers do not affect results */
    uint64_t    *free_of;        /* by client's node: head of its list of free calls; 0: empty */
};

extern const struct traffic_kind traffic_rpc;

/* Returns a new call of a client, or 0 if none is left. */
static uint64_t new_call(struct job_rpc *j, uint32_t client)
{
    uint64_t id = j->free_of[client];

    if (!id)
        id = 1 + atomic_fetch_add(&j->calls, 1);
    else
        j->free_of[client] = j->call[id].bytes;
    return id < CALLS_MAX ? id : 0;
}

static bool next_request(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    struct job_rpc *j = e->state;

    if (!poisson_next(&j->requests, e, s, f))
        return false;
    uint64_t id = new_call(j, s->source);
    if (!id) {
        traffic_fail(j->job.traffic, s, ENOBUFS, "more than %u calls at once", CALLS_MAX - 1);
        return false;
    }
    j->call[id] = (struct call){ f->at_ps, f->bytes, f->dst };
    f->tag = id;
    f->op.verb = (uint8_t)j->job.verb;
    if (j->job.reads || j->job.cpus)
        f->bytes = 0;            /* a wake-up */
    return true;
}

/* The time of a client's next call has come. */
static void on_wake(struct job *job, uint64_t now_ps, uint32_t stream, uint64_t id)
{
    struct job_rpc *j = (struct job_rpc *)job;
    uint32_t        client = job->worker_of[traffic_source(job->traffic, job->first_stream + stream)];
    uint64_t        at_ps = job_cpu_post(job, client, now_ps);

    if (job->reads)
        job_read(job, client, at_ps, j->call[id].server, j->call[id].bytes, id);
    else
        job_post(job, client, at_ps, j->call[id].server, j->call[id].bytes, id);
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
    uint32_t        here = job->worker_of[m->dst];

    if (job->cpus)
        now_ps = job_cpu_take(job, here, now_ps, m->bytes);
    if (m->tag & IS_ANSWER || m->op.verb == VERB_READ)
        end_call(j, now_ps, m);
    else
        job_post(job, here, job_cpu_post(job, here, now_ps), m->src, j->answer_bytes, IS_ANSWER | m->tag);
}

static void free_job(void *state)
{
    struct job_rpc *j = state;

    poisson_fini(&j->requests);
    arena_fini(&j->arena);
    free(j->free_of);
    free(j);
}

static void add_clients(struct job_rpc *j, const struct rpc *c)
{
    struct traffic *t = j->job.traffic;

    for (uint32_t i = 0; i < c->clients; i++) {
        uint32_t worker = j->job.worker_of[c->client[i]];
        uint32_t index = worker < c->servers ? worker : c->servers;

        traffic_add_stream(t, c->client[i], index)->rank = traffic_take_ranks(t, 1);
    }
}

void traffic_add_rpc(struct traffic *t, const struct traffic_common *common, struct cdf *cdf, struct rpc *c)
{
    struct job_rpc *j = xcalloc(1, sizeof *j);

    /* The servers and, if they only wake, the clients. */
    bool      has_clients = c->verb == VERB_READ || host_times_are_set(&c->host);
    uint32_t *hosts = xcalloc((size_t)c->servers + c->clients, sizeof *hosts), count = 0;
    bool     *is_taken = xcalloc(t->graph->nodes + 1ul, sizeof *is_taken);
    for (uint32_t i = 0; i < c->servers + (has_clients ? c->clients : 0); i++) {
        uint32_t node = i < c->servers ? c->server[i] : c->client[i - c->servers];
        if (!is_taken[node])
            hosts[count++] = node;
        is_taken[node] = true;
    }
    job_init(&j->job, &traffic_rpc, t, common, hosts, count);
    if (c->verb == VERB_READ)
        job_allow_reads(&j->job, &c->reads);
    else
        j->job.verb = c->verb;
    if (host_times_are_set(&c->host))
        job_use_host_time(&j->job, &c->host);
    free(is_taken);
    free(hosts);
    poisson_init(&j->requests, cdf, c->bps_per_client, j->job.workers + c->clients, c->servers);
    job_send_bps(&j->job, poisson_bps(&j->requests));
    job_expect(&j->job, 2 * poisson_flows(&j->requests, common, c->clients));    /* requests and answers */
    j->answer_bytes = c->answer_bytes;
    arena_init(&j->arena, CALLS_MAX * sizeof *j->call);
    j->call = arena_alloc(&j->arena, CALLS_MAX, sizeof *j->call);
    j->free_of = xcalloc(t->graph->nodes + 1ul, sizeof *j->free_of);
    add_clients(j, c);
    /* A host has one link, so at most one request completes there at a time. It is answered at once. */
    job_reserve(&j->job, c->servers);
}

/* ---- reading ---- */

static void check_rpc(const struct entry *e, const struct hosts *clients, const struct hosts *servers)
{
    if (!e->r->rc && servers->count == 1 && hosts_have(clients, servers->node[0]))
        section_refuse(&e->sec, "servers",
                       "%s is the only server and also a client: it has no other server to call",
                       e->graph->node[servers->node[0]].name);
}

static const struct key_row keys[] = {
    { "sizes",   KEY_NAME, "SolarRPC",
      "request sizes: a built-in table (below) or a file of `bytes probability` lines" },
    { "load",    KEY_REAL, "0.3",      "load by requests, relative to `of`" },
    { "of",      KEY_NAME, "hosts",
      "`hosts`: the clients' links; `bisection`: links from switches with hosts to other switches" },
    { "clients", KEY_LIST, "",         "clients; a count: the first; default: all" },
    { "servers", KEY_LIST, "",         "servers, called equally often; a count: the last; default: all" },
    { "answer",  KEY_BYTES, "64",       "of each answer", KEY_AT(struct rpc, answer_bytes), 1,
      TRAFFIC_SIZE_MAX },
    { "verb",    KEY_NAME, "write", "`write`, `send`, or `ud` if messages fit a packet; `read`: a call is an "
      "RDMA READ of `sizes`", KEY_AT(struct rpc, verb), .choices = verb_names },
    READS_KEYS(struct rpc, reads),
    HOST_TIME_KEYS(struct rpc, host),
    { 0 },
};

static void rpc_read(struct entry *e)
{
    struct hosts clients = entry_hosts(e, "clients", 1, UINT32_MAX), servers = entry_last_hosts(e, "servers");
    struct rpc   c = { .client = clients.node, .server = servers.node, .clients = clients.count,
                       .servers = servers.count };
    struct cdf   cdf = { 0 };
    bool         of_bisection = entry_load(e);

    check_rpc(e, &clients, &servers);
    section_read(&e->sec, keys, &c);
    entry_host_times(e, &c.host);
    entry_need_end(e);
    entry_sizes(e, &cdf);
    if (!e->r->rc) {
        entry_use_verb(e, c.verb, "sizes", (uint64_t)cdf.bytes[cdf.count - 1]);
        entry_use_verb(e, c.verb, "answer", c.answer_bytes);
    }
    if (!e->r->rc)
        e->about->bps_per_host = c.bps_per_client =
            entry_load_bps(e, &clients, &servers, e->about->load, of_bisection);
    e->about->hosts = clients.count;
    if (!e->r->rc) {
        traffic_add_rpc(e->traffic, &e->common, &cdf, &c);
        e->qps = 1;
        e->loaded = clients;
    }
    cdf_fini(&cdf);
    host_times_fini(&c.host);
}

const struct traffic_kind traffic_rpc = {
    .name = "rpc", .about = "remote procedure calls: requests at random times, each answered by its server",
    .keys = keys, .read = rpc_read, .next = next_request, .free = free_job, .on_arrival = on_arrival,
    .on_wake = on_wake,
};
