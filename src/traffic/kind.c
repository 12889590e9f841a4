#include "traffic/kind.h"
#include "traffic/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct traffic_entry *traffic_add_entry(struct traffic *t, const struct traffic_kind *kind, void *state,
                                        const struct traffic_common *common, const uint32_t *hosts,
                                        uint32_t count)
{
    struct traffic_entry *e;

    t->entry = xrealloc(t->entry, (t->entries + 1) * sizeof *t->entry);
    e = &t->entry[t->entries++];
    *e = (struct traffic_entry){ .kind = kind, .state = state, .count = count,
                                 .rank = traffic_take_ranks(t, count) };
    if (common)
        e->common = *common;
    e->hosts = xcalloc(count + 1ul, sizeof *e->hosts);
    if (count)
        memcpy(e->hosts, hosts, count * sizeof *hosts);
    return e;
}

/* The generator depends on (seed, entry, source) only: other entries and hosts do not affect it. */
struct traffic_stream *traffic_add_stream(struct traffic *t, uint32_t source, uint32_t index)
{
    struct traffic_entry  *e = &t->entry[t->entries - 1];
    struct traffic_stream *s;

    t->stream = xgrow(t->stream, t->streams, &t->streams_max, 64, sizeof *t->stream);
    s = &t->stream[t->streams++];
    memset(s, 0, sizeof *s);
    s->entry = t->entries - 1;
    s->source = source;
    s->index = index;
    s->number = e->streams++;
    s->rank = e->rank + index;
    s->time_ps = e->common.start_ps;
    rng_init(&s->rng, t->seed, 1ull << 63 | (uint64_t)s->entry << 32 | source);
    return s;
}

void traffic_add_streams(struct traffic *t)
{
    const struct traffic_entry *e = &t->entry[t->entries - 1];

    for (uint32_t i = 0; i < e->count; i++)
        traffic_add_stream(t, e->hosts[i], i);
}

uint32_t traffic_take_ranks(struct traffic *t, uint32_t count)
{
    t->ranks += count;
    return t->ranks - count;
}

void traffic_expect_flows(struct traffic *t, uint64_t count)
{
    uint64_t left = TRAFFIC_AT_ONCE_MAX - t->flows_at_once;

    t->flows_at_once += (uint32_t)(count < left ? count : left);
}

void traffic_expect_some(struct traffic *t, double count)
{
    t->flows_maybe += count;
}

void traffic_entry_rng(const struct traffic *t, struct rng *rng)
{
    rng_init(rng, t->seed, 3ull << 62 | (t->entries - 1));
}

const struct graph *traffic_graph(const struct traffic *t)
{
    return t->graph;
}

void traffic_fail(struct traffic *t, const struct traffic_stream *s, int code, const char *format, ...)
{
    struct traffic_part *p = &t->part[s->part];
    char                 why[400];
    va_list              args;

    if (p->rc)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    p->rc = err_set(&p->err, code, "%s", why);
}
