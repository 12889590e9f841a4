#include "traffic/traffic.h"
#include "core/units.h"
#include "traffic/job.h"
#include "traffic/traffic_internal.h"

#include <stdlib.h>
#include <string.h>

#define DPORT     4791           /* RoCEv2 */
#define DPORT_TCP 5001           /* iperf */

struct traffic *traffic_new(const struct graph *graph, uint64_t seed)
{
    struct traffic *t = xcalloc(1, sizeof *t);

    t->graph = graph;
    t->seed = seed;
    t->part = xcalloc(1, sizeof *t->part);
    t->parts = 1;
    return t;
}

void traffic_free(struct traffic *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->entries; i++) {
        if (t->entry[i].job) {
            free(t->entry[i].job->worker_of);
            t->entry[i].job->kind->free(t->entry[i].job);
        }
        flow_list_fini(&t->entry[i].list);
        cdf_fini(&t->entry[i].cdf);
        free(t->entry[i].hosts);
        free(t->entry[i].to);
    }
    for (uint32_t i = 0; i < t->streams; i++)
        free(t->stream[i].mine);
    free(t->entry);
    for (uint32_t i = 0; i < t->parts; i++) {
        free(t->part[i].post);
        free(t->part[i].signal);
        free(t->part[i].op);
    }
    free(t->part);
    free(t->part_of);
    free(t->stream);
    free(t);
}

struct traffic_entry *traffic_add_entry(struct traffic *t, enum traffic_kind kind, const struct traffic_common *common,
                                        const uint32_t *hosts, uint32_t count)
{
    struct traffic_entry *e;

    t->entry = xrealloc(t->entry, (t->entries + 1) * sizeof *t->entry);
    e = &t->entry[t->entries++];
    memset(e, 0, sizeof *e);
    e->kind = kind;
    if (common)
        e->common = *common;
    e->hosts = xcalloc(count + 1, sizeof *e->hosts);
    if (count)
        memcpy(e->hosts, hosts, count * sizeof *hosts);
    e->count = count;
    e->rank = t->ranks;
    t->ranks += count;
    return e;
}

/* Random numbers belong to (seed, entry, source): another entry, or another host, changes nothing here. */
struct traffic_stream *traffic_add_stream(struct traffic *t, uint32_t source, uint32_t index)
{
    struct traffic_stream *s;

    if (t->streams == t->streams_max) {
        t->streams_max = t->streams_max ? 2 * t->streams_max : 64;
        t->stream = xrealloc(t->stream, t->streams_max * sizeof *t->stream);
    }
    s = &t->stream[t->streams++];
    memset(s, 0, sizeof *s);
    s->entry = t->entries - 1;
    s->source = source;
    s->index = index;
    s->rank = t->entry[s->entry].rank + index;
    s->time_ps = t->entry[s->entry].common.start_ps;
    rng_init(&s->rng, t->seed, 1ull << 63 | (uint64_t)s->entry << 32 | source);
    return s;
}

void traffic_add_list(struct traffic *t, struct flow_list *list)
{
    struct traffic_entry *e = traffic_add_entry(t, LIST, NULL, NULL, 0);
    uint32_t     *count = xcalloc(t->graph->nodes, sizeof *count), *stream = xcalloc(t->graph->nodes, sizeof *stream);

    e->list = *list;
    *list = (struct flow_list){ 0 };
    t->ranks += e->list.count;
    for (uint32_t i = 0; i < e->list.count; i++)
        count[e->list.flow[i].src]++;
    for (uint32_t n = 0; n < t->graph->nodes; n++)
        if (count[n]) {
            stream[n] = t->streams;
            traffic_add_stream(t, n, 0)->mine = xcalloc(count[n], sizeof(uint32_t));
        }
    for (uint32_t i = 0; i < e->list.count; i++) {
        struct traffic_stream *s = &t->stream[stream[e->list.flow[i].src]];

        s->mine[s->mine_count++] = i;
    }
    free(stream);
    free(count);
}

void traffic_add_poisson(struct traffic *t, const struct traffic_common *common, struct cdf *cdf, double bps_per_host,
                         const uint32_t *hosts, uint32_t count)
{
    struct traffic_entry *e = traffic_add_entry(t, POISSON, common, hosts, count);

    e->cdf = *cdf;
    *cdf = (struct cdf){ 0 };
    e->gap_ps_mean = e->cdf.bytes_mean * 8 * (double)PS_PER_S / bps_per_host;
    for (uint32_t i = 0; i < count; i++)
        traffic_add_stream(t, hosts[i], i);
}

void traffic_add_incast(struct traffic *t, const struct traffic_common *common, uint64_t bytes, uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each)
{
    struct traffic_entry *e = traffic_add_entry(t, INCAST, common, senders, count);

    e->bytes = bytes;
    e->period_ps = period_ps;
    e->receiver = receiver;
    e->flows_each = flows_each;
    for (uint32_t i = 0; i < count; i++)
        traffic_add_stream(t, senders[i], i);
}

/* Uniform over the permutations without fixed points: shuffle until there is none (e tries on average). */
static void derange(uint32_t *to, uint32_t count, struct rng *rng)
{
    bool again;

    do {
        again = false;
        for (uint32_t i = 0; i < count; i++)
            to[i] = i;
        for (uint32_t i = count - 1; i > 0; i--) {
            uint32_t j = (uint32_t)rng_below(rng, i + 1), x = to[i];

            to[i] = to[j];
            to[j] = x;
        }
        for (uint32_t i = 0; i < count; i++)
            again |= to[i] == i;
    } while (again);
}

void traffic_add_permutation(struct traffic *t, const struct traffic_common *common, uint64_t bytes, uint32_t shift,
                             const uint32_t *hosts, uint32_t count)
{
    struct traffic_entry *e = traffic_add_entry(t, PERMUTATION, common, hosts, count);
    struct rng    rng;

    e->bytes = bytes;
    e->to = xcalloc(count, sizeof *e->to);
    rng_init(&rng, t->seed, 3ull << 62 | (t->entries - 1));
    if (shift == 0)
        derange(e->to, count, &rng);
    for (uint32_t i = 0; i < count; i++) {
        if (shift)
            e->to[i] = (i + shift) % count;
        traffic_add_stream(t, hosts[i], i);
    }
}

void traffic_add_all_to_all(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                            const uint32_t *hosts, uint32_t count)
{
    struct traffic_entry *e = traffic_add_entry(t, ALL_TO_ALL, common, hosts, count);

    e->bytes = bytes;
    for (uint32_t i = 0; i < count; i++)
        traffic_add_stream(t, hosts[i], i);
}

void traffic_add_many_to_one(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                             uint64_t spread_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                             uint32_t qps)
{
    struct traffic_entry *e = traffic_add_entry(t, MANY_TO_ONE, common, senders, count);

    e->bytes = bytes;
    e->spread_ps = spread_ps;
    e->receiver = receiver;
    e->flows_each = qps;
    for (uint32_t i = 0; i < count; i++)
        traffic_add_stream(t, senders[i], i);
}

static void add_shorts(struct traffic *t, uint32_t source, uint32_t index, uint32_t shorts, uint64_t after_ps)
{
    struct traffic_stream *s = traffic_add_stream(t, source, index);

    s->mine_count = shorts;
    s->time_ps += after_ps;
    rng_init(&s->together, t->seed, 3ull << 62 | s->entry);
}

void traffic_add_long_short(struct traffic *t, const struct traffic_common *common,
                            const struct long_short *l)
{
    uint32_t              count = l->long_count + l->from_count, *hosts = xcalloc(count + 1ul, sizeof *hosts);
    struct traffic_entry *e;

    memcpy(hosts, l->longs, l->long_count * sizeof *hosts);
    memcpy(hosts + l->long_count, l->from, l->from_count * sizeof *hosts);
    e = traffic_add_entry(t, LONG_SHORT, common, hosts, count);
    free(hosts);
    e->bytes = l->short_bytes;
    e->long_bytes = l->long_bytes;
    e->period_ps = l->period_ps;
    e->jitter_ps = l->jitter_ps;
    e->spread_ps = l->spread_ps;
    e->receiver = l->receiver;
    e->longs = l->long_count;
    for (uint32_t i = 0; i < l->long_count; i++)
        traffic_add_stream(t, l->longs[i], i);
    for (uint32_t i = 0; i < l->from_count && i < l->shorts; i++)
        add_shorts(t, l->from[i], l->long_count + i,
                   l->shorts / l->from_count + (i < l->shorts % l->from_count), l->after_ps);
}

void traffic_use_tcp(struct traffic *t, uint8_t tcp)
{
    t->entry[t->entries - 1].tcp = tcp;
}

static uint8_t entry_prios(const struct traffic_entry *e)
{
    uint32_t prios = e->kind != LIST ? 1u << e->common.prio : 0;

    for (uint32_t j = 0; j < e->list.count; j++)
        prios |= 1u << e->list.flow[j].prio;
    return (uint8_t)prios;
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

/* ---- random moments in order ---- */

/* n points that are uniform over an interval, in order, are where n + 1 exponential gaps end, the sum of all
 * gaps being its length. So they are drawn twice, and none of them is kept. */
static void scatter_begin(struct scatter *c, const struct rng *rng, uint32_t points)
{
    struct rng ahead = *rng;

    *c = (struct scatter){ .left = points };
    for (uint32_t i = 0; i <= points; i++)
        c->sum_all += rng_exp(&ahead);
}

/* The next of them, in an interval from 0 up to 'length_ps'. */
static uint64_t scatter_next(struct scatter *c, struct rng *rng, uint64_t length_ps)
{
    uint64_t at;

    c->sum += rng_exp(rng);
    if (--c->left == 0)
        rng_exp(rng);            /* the gap behind the last point */
    at = (uint64_t)(c->sum / c->sum_all * (double)length_ps);
    return at < length_ps ? at : length_ps - (length_ps > 0);
}

/* ---- the next flow of each kind ---- */

static bool next_of_list(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    const struct flow_row *flow;

    if (s->at == s->mine_count)
        return false;
    flow = &e->list.flow[s->mine[s->at]];
    f->rank = e->rank + s->mine[s->at++];
    f->at_ps = flow->start_ns * PS_PER_NS;
    f->dst = flow->dst;
    f->bytes = flow->bytes;
    f->prio = flow->prio;
    f->dport = flow->dport;
    return true;
}

static bool next_of_poisson(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    double   gap = rng_exp(&s->rng) * e->gap_ps_mean + s->fraction_ps;
    uint32_t to = (uint32_t)rng_below(&s->rng, e->count - (s->index < e->count));

    f->bytes = cdf_size(&e->cdf, rng_real(&s->rng));
    f->dst = e->hosts[to + (to >= s->index)];
    if (gap >= (double)(e->common.stop_ps - s->time_ps))
        return false;
    s->time_ps += (uint64_t)gap;
    s->fraction_ps = gap - (double)(uint64_t)gap;
    f->at_ps = s->time_ps;
    if (e->begin)
        f->tag = e->begin(e->job, s->source, f);
    return true;
}

static bool next_of_incast(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    if (s->at == e->flows_each) {
        if (!e->period_ps || e->period_ps >= e->common.stop_ps - s->time_ps)
            return false;
        s->at = 0;
        s->time_ps += e->period_ps;
    }
    s->at++;
    f->at_ps = s->time_ps;
    f->dst = e->receiver;
    f->bytes = e->bytes;
    return true;
}

static bool next_of_permutation(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    if (s->at++)
        return false;
    f->at_ps = s->time_ps;
    f->dst = e->hosts[e->to[s->index]];
    f->bytes = e->bytes;
    return true;
}

static bool next_of_all_to_all(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    if (++s->at >= e->count)
        return false;
    f->at_ps = s->time_ps;
    f->dst = e->hosts[(s->index + s->at) % e->count];
    f->bytes = e->bytes;
    return true;
}

static bool next_of_many_to_one(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    if (s->at == e->flows_each)
        return false;
    if (s->at++ == 0)
        scatter_begin(&s->scatter, &s->rng, e->flows_each);
    f->at_ps = s->time_ps + scatter_next(&s->scatter, &s->rng, e->spread_ps);
    f->dst = e->receiver;
    f->bytes = e->bytes;
    return true;
}

static void begin_burst(const struct traffic_entry *e, struct traffic_stream *s)
{
    s->burst_ps = s->time_ps + (uint64_t)(rng_real(&s->together) * (double)e->jitter_ps);
    s->time_ps += e->period_ps;
    scatter_begin(&s->scatter, &s->rng, s->mine_count);
}

static bool next_of_long_short(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    f->dst = e->receiver;
    if (s->index < e->longs) {
        f->at_ps = s->time_ps;
        f->bytes = e->long_bytes;
        return s->at++ == 0;
    }
    if (s->scatter.left == 0)
        begin_burst(e, s);
    f->at_ps = s->burst_ps + scatter_next(&s->scatter, &s->rng, e->spread_ps);
    f->bytes = e->bytes;
    return f->at_ps < e->common.stop_ps;
}

bool traffic_next(struct traffic *t, uint32_t stream, struct flow_spec *f)
{
    struct traffic_stream      *s = &t->stream[stream];
    const struct traffic_entry *e = &t->entry[s->entry];

    *f = (struct flow_spec){ .traffic = s->entry, .rank = s->rank, .dport = e->tcp ? DPORT_TCP : DPORT,
                             .prio = e->common.prio, .tcp = e->tcp, .is_answered = e->job != NULL };
    if (s->is_worker)
        return job_next(t, s, f);
    switch (e->kind) {
    case LIST:        return next_of_list(e, s, f);
    case POISSON:     return next_of_poisson(e, s, f);
    case INCAST:      return next_of_incast(e, s, f);
    case PERMUTATION: return next_of_permutation(e, s, f);
    case ALL_TO_ALL:  return next_of_all_to_all(e, s, f);
    case MANY_TO_ONE: return next_of_many_to_one(e, s, f);
    case LONG_SHORT:  return next_of_long_short(e, s, f);
    case JOB:         break;
    }
    return false;
}
