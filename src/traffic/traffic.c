#include "traffic/traffic.h"
#include "traffic/kind.h"
#include "traffic/host_time.h"
#include "traffic/job.h"
#include "traffic/reads.h"

#include <stdlib.h>

#define DPORT     4791           /* RoCEv2 */
#define DPORT_TCP 5001           /* iperf */

const char *const verb_names[] = { "write", "send", "ud", "read", NULL };

struct traffic *traffic_new(const struct graph *graph, uint64_t seed)
{
    struct traffic *t = xcalloc(1, sizeof *t);

    t->graph = graph;
    t->seed = seed;
    t->part = xcalloc(1, sizeof *t->part);
    t->parts = 1;
    return t;
}

static void entry_fini(struct traffic_entry *e)
{
    if (e->job) {
        reads_free(e->job);
        host_time_free(e->job);
        free(e->job->worker_of);
    }
    if (e->kind->free)
        e->kind->free(e->state);
    else
        free(e->state);
    free(e->hosts);
}

void traffic_free(struct traffic *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->entries; i++)
        entry_fini(&t->entry[i]);
    for (uint32_t i = 0; i < t->parts; i++) {
        free(t->part[i].post);
        free(t->part[i].signal);
        free(t->part[i].op);
    }
    free(t->entry);
    free(t->part);
    free(t->part_of);
    free(t->stream);
    free(t);
}

/* ---- TCP ---- */

static bool is_same(const struct traffic_tcp *a, const struct traffic_tcp *b)
{
    return a->algorithm == b->algorithm && a->mss_bytes == b->mss_bytes && a->burst_bytes == b->burst_bytes &&
           a->rto_ps_min == b->rto_ps_min && a->wake_ps_max == b->wake_ps_max && a->is_ecn == b->is_ecn;
}

uint8_t traffic_add_tcp(struct traffic *t, const struct traffic_tcp *tcp)
{
    uint32_t i = 0;

    while (i < t->tcps && !is_same(&t->tcp[i], tcp))
        i++;
    if (i == TRAFFIC_TCPS_MAX)
        return 0;
    t->tcp[i] = *tcp;
    t->tcps = i == t->tcps ? i + 1 : t->tcps;
    return (uint8_t)(i + 1);
}

const struct traffic_tcp *traffic_tcps(const struct traffic *t, uint32_t *count)
{
    *count = t->tcps;
    return t->tcp;
}

void traffic_use_tcp(struct traffic *t, uint8_t tcp)
{
    t->entry[t->entries - 1].tcp = tcp;
}

/* ---- queue pairs ---- */

void traffic_use_qps(struct traffic *t, uint32_t qps)
{
    struct traffic_entry *e = &t->entry[t->entries - 1];
    bool                  reads = e->job && e->job->reads;       /* on a queue pair of their own */
    double                pairs = (double)e->streams * (double)e->count * (qps + reads);

    e->qps = qps;
    traffic_expect_some(t, e->flows > 0 && e->flows < pairs ? e->flows : pairs);     /* queue pairs persist */
}

void traffic_use_verb(struct traffic *t, enum verb verb)
{
    t->entry[t->entries - 1].job->verb = verb;
}

bool traffic_has_pairs(const struct traffic *t)
{
    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].qps)
            return true;
    return false;
}

/* ---- totals ---- */

static uint8_t entry_prios(const struct traffic_entry *e)
{
    return (uint8_t)(e->kind->prios ? e->kind->prios(e->state) : 1u << e->common.prio);
}

uint8_t traffic_prios(const struct traffic *t)
{
    uint8_t prios = 0;

    for (uint32_t i = 0; i < t->entries; i++)
        prios |= entry_prios(&t->entry[i]);
    return prios;
}

uint8_t traffic_prios_tcp(const struct traffic *t)
{
    uint8_t tcp = 0, others = 0;

    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].tcp)
            tcp |= entry_prios(&t->entry[i]);
        else
            others |= entry_prios(&t->entry[i]);
    return tcp & (uint8_t)~others;
}

uint32_t traffic_flows_at_once(const struct traffic *t)
{
    return t->flows_at_once;
}

uint32_t traffic_flows_room(const struct traffic *t)
{
    uint32_t left = TRAFFIC_AT_ONCE_MAX - t->flows_at_once;

    return t->flows_at_once + (t->flows_maybe < left ? (uint32_t)t->flows_maybe : left);
}

uint32_t traffic_entries(const struct traffic *t)
{
    return t->entries;
}

uint32_t traffic_streams(const struct traffic *t)
{
    return t->streams;
}

uint32_t traffic_source(const struct traffic *t, uint32_t stream)
{
    return t->stream[stream].source;
}

/* Estimates a worker, or a stream of unknown rate, at a quarter of its link. */
void traffic_weigh(const struct traffic *t, const uint64_t *rate_bps, double *weight)
{
    for (uint32_t i = 0; i < t->streams; i++) {
        const struct traffic_stream *s = &t->stream[i];
        const struct traffic_entry  *e = &t->entry[s->entry];

        weight[s->source] += e->bps > 0 && !s->is_worker ? e->bps : (double)rate_bps[s->source] / 4;
    }
}

/* ---- flows ---- */

bool traffic_next(struct traffic *t, uint32_t stream, struct flow_spec *f)
{
    struct traffic_stream      *s = &t->stream[stream];
    const struct traffic_entry *e = &t->entry[s->entry];

    *f = (struct flow_spec){ .traffic = s->entry, .rank = s->rank, .dport = e->tcp ? DPORT_TCP : DPORT,
                             .prio = e->common.prio, .tcp = e->tcp, .qps = e->qps,
                             .is_answered = e->job != NULL };
    return s->is_worker ? post_next(t, s, f) : e->kind->next(e, s, f);
}

int traffic_failed(const struct traffic *t, uint32_t stream, struct err *err)
{
    const struct traffic_part *p = &t->part[t->stream[stream].part];

    return p->rc ? err_set(err, -p->rc, "%s", p->err.text) : 0;
}
