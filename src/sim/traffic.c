#include "sim/traffic.h"
#include "base/rng.h"
#include "core/units.h"

#include <stdlib.h>
#include <string.h>

#define DPORT 4791               /* RoCEv2 */

enum kind { LIST, POISSON, INCAST, PERMUTATION, ALL_TO_ALL };

struct entry {                   /* one of the scenario's traffic list */
    enum kind             kind;
    struct traffic_common common;
    struct hpcc_flows     list;
    struct cdf            cdf;
    double                gap_ps_mean;   /* Poisson: between two flows of one host */
    uint64_t              bytes, period_ps;
    uint32_t              receiver, flows_each;
    uint32_t              rank;          /* of its first source or flow, over all entries */
    uint32_t             *hosts, *to;    /* to: permutation, by index */
    uint32_t              count;
};

struct stream {
    uint32_t   entry, source;
    uint32_t   index;            /* of the source among the entry's hosts */
    uint32_t   at;               /* list: next flow; incast: flows of this round; all-to-all: offset */
    uint32_t   rank;
    uint64_t   time_ps;
    double     fraction_ps;      /* of a picosecond, kept so that rounding does not change the mean */
    struct rng rng;
    uint32_t  *mine;             /* list: indices of this source's flows */
    uint32_t   mine_count;
};

struct traffic {
    const struct graph *graph;
    uint64_t            seed;
    struct entry       *entry;
    struct stream      *stream;
    uint32_t            entries, streams, streams_max;
    uint32_t            ranks;           /* given out */
};

struct traffic *traffic_new(const struct graph *graph, uint64_t seed)
{
    struct traffic *t = xcalloc(1, sizeof *t);

    t->graph = graph;
    t->seed = seed;
    return t;
}

void traffic_free(struct traffic *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->entries; i++) {
        hpcc_flows_fini(&t->entry[i].list);
        cdf_fini(&t->entry[i].cdf);
        free(t->entry[i].hosts);
        free(t->entry[i].to);
    }
    for (uint32_t i = 0; i < t->streams; i++)
        free(t->stream[i].mine);
    free(t->entry);
    free(t->stream);
    free(t);
}

static struct entry *add_entry(struct traffic *t, enum kind kind, const struct traffic_common *common,
                               const uint32_t *hosts, uint32_t count)
{
    struct entry *e;

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
static struct stream *add_stream(struct traffic *t, uint32_t source, uint32_t index)
{
    struct stream *s;

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

void traffic_add_list(struct traffic *t, struct hpcc_flows *list)
{
    struct entry *e = add_entry(t, LIST, NULL, NULL, 0);
    uint32_t     *count = xcalloc(t->graph->nodes, sizeof *count), *stream = xcalloc(t->graph->nodes, sizeof *stream);

    e->list = *list;
    *list = (struct hpcc_flows){ 0 };
    t->ranks += e->list.count;
    for (uint32_t i = 0; i < e->list.count; i++)
        count[e->list.flow[i].src]++;
    for (uint32_t n = 0; n < t->graph->nodes; n++)
        if (count[n]) {
            stream[n] = t->streams;
            add_stream(t, n, 0)->mine = xcalloc(count[n], sizeof(uint32_t));
        }
    for (uint32_t i = 0; i < e->list.count; i++) {
        struct stream *s = &t->stream[stream[e->list.flow[i].src]];

        s->mine[s->mine_count++] = i;
    }
    free(stream);
    free(count);
}

void traffic_add_poisson(struct traffic *t, const struct traffic_common *common, struct cdf *cdf, double bps_per_host,
                         const uint32_t *hosts, uint32_t count)
{
    struct entry *e = add_entry(t, POISSON, common, hosts, count);

    e->cdf = *cdf;
    *cdf = (struct cdf){ 0 };
    e->gap_ps_mean = e->cdf.bytes_mean * 8 * (double)PS_PER_S / bps_per_host;
    for (uint32_t i = 0; i < count; i++)
        add_stream(t, hosts[i], i);
}

void traffic_add_incast(struct traffic *t, const struct traffic_common *common, uint64_t bytes, uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each)
{
    struct entry *e = add_entry(t, INCAST, common, senders, count);

    e->bytes = bytes;
    e->period_ps = period_ps;
    e->receiver = receiver;
    e->flows_each = flows_each;
    for (uint32_t i = 0; i < count; i++)
        add_stream(t, senders[i], i);
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
    struct entry *e = add_entry(t, PERMUTATION, common, hosts, count);
    struct rng    rng;

    e->bytes = bytes;
    e->to = xcalloc(count, sizeof *e->to);
    rng_init(&rng, t->seed, 3ull << 62 | (t->entries - 1));
    if (shift == 0)
        derange(e->to, count, &rng);
    for (uint32_t i = 0; i < count; i++) {
        if (shift)
            e->to[i] = (i + shift) % count;
        add_stream(t, hosts[i], i);
    }
}

void traffic_add_all_to_all(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                            const uint32_t *hosts, uint32_t count)
{
    struct entry *e = add_entry(t, ALL_TO_ALL, common, hosts, count);

    e->bytes = bytes;
    for (uint32_t i = 0; i < count; i++)
        add_stream(t, hosts[i], i);
}

uint8_t traffic_prios(const struct traffic *t)
{
    uint32_t prios = 0;

    for (uint32_t i = 0; i < t->entries; i++) {
        const struct entry *e = &t->entry[i];

        if (e->kind != LIST)
            prios |= 1u << e->common.prio;
        for (uint32_t j = 0; j < e->list.count; j++)
            prios |= 1u << e->list.flow[j].prio;
    }
    return (uint8_t)prios;
}

uint32_t traffic_streams(const struct traffic *t)
{
    return t->streams;
}

uint32_t traffic_source(const struct traffic *t, uint32_t stream)
{
    return t->stream[stream].source;
}

/* ---- the next flow of each kind ---- */

static bool next_of_list(const struct entry *e, struct stream *s, struct flow_spec *f)
{
    const struct hpcc_flow *flow;

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

static bool next_of_poisson(const struct entry *e, struct stream *s, struct flow_spec *f)
{
    double   gap = rng_exp(&s->rng) * e->gap_ps_mean + s->fraction_ps;
    uint32_t to = (uint32_t)rng_below(&s->rng, e->count - 1);

    f->bytes = cdf_size(&e->cdf, rng_real(&s->rng));
    f->dst = e->hosts[to + (to >= s->index)];
    if (gap >= (double)(e->common.stop_ps - s->time_ps))
        return false;
    s->time_ps += (uint64_t)gap;
    s->fraction_ps = gap - (double)(uint64_t)gap;
    f->at_ps = s->time_ps;
    return true;
}

static bool next_of_incast(const struct entry *e, struct stream *s, struct flow_spec *f)
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

static bool next_of_permutation(const struct entry *e, struct stream *s, struct flow_spec *f)
{
    if (s->at++)
        return false;
    f->at_ps = s->time_ps;
    f->dst = e->hosts[e->to[s->index]];
    f->bytes = e->bytes;
    return true;
}

static bool next_of_all_to_all(const struct entry *e, struct stream *s, struct flow_spec *f)
{
    if (++s->at >= e->count)
        return false;
    f->at_ps = s->time_ps;
    f->dst = e->hosts[(s->index + s->at) % e->count];
    f->bytes = e->bytes;
    return true;
}

bool traffic_next(struct traffic *t, uint32_t stream, struct flow_spec *f)
{
    struct stream      *s = &t->stream[stream];
    const struct entry *e = &t->entry[s->entry];

    *f = (struct flow_spec){ .traffic = s->entry, .rank = s->rank, .dport = DPORT, .prio = e->common.prio };
    switch (e->kind) {
    case LIST:        return next_of_list(e, s, f);
    case POISSON:     return next_of_poisson(e, s, f);
    case INCAST:      return next_of_incast(e, s, f);
    case PERMUTATION: return next_of_permutation(e, s, f);
    case ALL_TO_ALL:  return next_of_all_to_all(e, s, f);
    }
    return false;
}
