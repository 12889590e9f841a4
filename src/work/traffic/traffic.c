#include "work/traffic/traffic.h"

#include "core/units.h"
#include "work/traffic/host_time.h"
#include "work/traffic/job.h"
#include "work/traffic/kind.h"
#include "work/traffic/reads.h"

#include <stdlib.h>
#include <string.h>

#define DPORT     4791           /* RoCEv2 */
#define DPORT_TCP 5001           /* iperf */

const char *const verb_names[] = { "write", "send", "ud", "read", NULL };

struct traffic *traffic_new(const struct graph *graph, uint64_t seed)
{
    struct traffic *t = xcalloc(1, sizeof *t);

    *t = (struct traffic){ .graph = graph, .seed = seed, .part = xcalloc(1, sizeof *t->part), .parts = 1 };
    return t;
}

void traffic_free(struct traffic *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->entries; i++) {
        struct traffic_entry *e = &t->entry[i];

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

/* ---- parts ---- */

/* Moves the stream's posts from partition 0 to its new partition. */
static void move_stream(struct traffic *t, uint32_t stream, struct traffic_post *old)
{
    struct traffic_stream *s = &t->stream[stream];
    uint32_t               first = s->first_post;

    s->part = t->part_of[s->source];
    s->first_post = 0;
    s->is_touched = false;
    post_move(t, stream, first, old);
}

void traffic_divide(struct traffic *t, const uint8_t *part_of_node, uint32_t parts)
{
    struct traffic_part old = t->part[0];

    free(t->part);
    t->part = xcalloc(parts, sizeof *t->part);
    t->parts = parts;
    t->part_of = xcalloc(t->graph->nodes + 1ul, 1);
    for (uint32_t i = 0; i < t->graph->nodes; i++)
        t->part_of[i] = part_of_node[i];
    for (uint32_t i = 0; i < parts; i++)
        post_reserve(&t->part[i], old.posts_max);
    for (uint32_t i = 0; i < t->streams; i++)
        move_stream(t, i, old.post);
    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].job && t->entry[i].kind->divide)
            t->entry[i].kind->divide(t->entry[i].job, parts);
    free(old.post);
    free(old.signal);
    free(old.op);
}

/* ---- signals ---- */

bool traffic_signal(struct traffic *t, uint32_t part, struct signal *s)
{
    struct traffic_part *p = &t->part[part];

    if (!p->signals)
        return false;
    *s = p->signal[--p->signals];
    return true;
}

void traffic_on_signal(struct traffic *t, uint32_t part, const struct signal *s)
{
    const struct traffic_entry *e = &t->entry[s->entry];

    e->kind->on_signal(e->job, part, s->at_ps, s->worker, s->value);
}

uint64_t traffic_signal_ps(const struct traffic *t)
{
    uint64_t least = NEVER;

    for (uint32_t i = 0; i < t->entries; i++)
        if (t->entry[i].job && t->entry[i].job->signal_ps && t->entry[i].job->signal_ps < least)
            least = t->entry[i].job->signal_ps;
    return least;
}

/* ---- workers ---- */

void traffic_tell(struct traffic *t)
{
    for (uint32_t i = 0; i < t->parts; i++) {
        struct traffic_part *p = &t->part[i];

        for (uint32_t k = 0; k < p->ops && t->on_op; k++)
            t->on_op(t->on_op_arg, &p->op[k]);
        p->ops = 0;
    }
}

uint32_t traffic_rank(const struct traffic *t, uint32_t stream)
{
    return t->stream[stream].rank;
}

bool traffic_is_worker(const struct traffic *t, uint32_t stream)
{
    return t->stream[stream].is_worker;
}

uint64_t traffic_due_ps(const struct traffic *t, uint32_t stream)
{
    const struct traffic_stream *s = &t->stream[stream];

    return s->first_post ? t->part[s->part].post[s->first_post].at_ps : NEVER;
}

void traffic_on_arrival(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    const struct traffic_entry *e = &t->entry[m->traffic];

    if (m->op.verb == VERB_ASK) {
        reads_answer(e->job, now_ps, m);
        return;
    }
    if (m->op.verb == VERB_READ)
        reads_end(e->job, now_ps, m);
    if (e->kind->on_arrival)
        e->kind->on_arrival(e->job, now_ps, m);
}

void traffic_on_sent(struct traffic *t, uint64_t now_ps, const struct message *m)
{
    const struct traffic_entry *e = &t->entry[m->traffic];

    if (e->kind->on_sent && m->op.verb < VERB_READ)
        e->kind->on_sent(e->job, now_ps, m);
}

void traffic_on_wake(struct traffic *t, uint64_t now_ps, uint32_t stream, uint64_t tag)
{
    const struct traffic_entry *e = &t->entry[t->stream[stream].entry];

    e->kind->on_wake(e->job, now_ps, stream - e->job->first_stream, tag);
}

bool traffic_touched(struct traffic *t, uint32_t part, uint32_t *stream)
{
    struct traffic_part *p = &t->part[part];

    if (!p->touched)
        return false;
    *stream = p->touched - 1;
    struct traffic_stream *s = &t->stream[*stream];
    p->touched = s->next_touched;
    s->is_touched = false;
    return true;
}

bool traffic_has_drawn(const struct traffic *t)
{
    for (uint32_t i = 0; i < t->streams; i++) {
        struct rng unused;

        traffic_stream_rng(t, t->stream[i].entry, t->stream[i].source, &unused);
        if (memcmp(&unused, &t->stream[i].rng, sizeof unused) != 0)
            return true;
    }
    return t->has_drawn;
}

void traffic_on_op(struct traffic *t, void (*on_op)(void *arg, const struct op_result *), void *arg)
{
    t->on_op = on_op;
    t->on_op_arg = arg;
}
