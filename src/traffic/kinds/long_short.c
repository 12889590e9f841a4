/* src/traffic/kinds/long_short.c - long flows, and short ones that arrive together at random times. */
#include "traffic/kinds/long_short.h"

#include "traffic/kinds/scatter.h"
#include "traffic/kind.h"
#include "traffic/read.h"

#include <stdlib.h>
#include <string.h>

struct shorts {                  /* state of one stream */
    struct scatter scatter;
    struct rng     together;     /* same sequence in all streams: the times of the bursts */
    uint64_t       burst_ps;
    uint32_t       count;        /* flows per burst */
};

struct long_short_state {
    struct long_short cfg;       /* the first long_count hosts send long flows, the rest short ones */
    struct shorts     shorts[];  /* by stream */
};

extern const struct traffic_kind traffic_long_short;

static void begin_burst(const struct long_short *l, struct traffic_stream *s, struct shorts *b)
{
    b->burst_ps = s->time_ps + (uint64_t)(rng_real(&b->together) * (double)l->jitter_ps);
    s->time_ps += l->period_ps;
    scatter_begin(&b->scatter, &s->rng, b->count);
}

static bool long_short_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    struct long_short_state *state = e->state;
    const struct long_short *l = &state->cfg;
    struct shorts           *b = &state->shorts[s->number];

    f->dst = l->receiver;
    if (s->index < l->long_count) {
        f->at_ps = s->time_ps;
        f->bytes = l->long_bytes;
        return s->at++ == 0;
    }
    if (b->scatter.left == 0)
        begin_burst(l, s, b);
    f->at_ps = b->burst_ps + scatter_next(&b->scatter, &s->rng, l->spread_ps);
    f->bytes = l->short_bytes;
    return f->at_ps < e->common.stop_ps;
}

/* Deals short flows to their hosts in rotation. Hosts without flows get no stream. */
static void add_streams(struct traffic *t, struct long_short_state *state)
{
    const struct long_short *l = &state->cfg;

    for (uint32_t i = 0; i < l->long_count; i++)
        traffic_add_stream(t, l->longs[i], i);
    for (uint32_t i = 0; i < l->from_count && i < l->shorts; i++) {
        struct traffic_stream *s = traffic_add_stream(t, l->from[i], l->long_count + i);
        struct shorts         *b = &state->shorts[s->number];

        s->time_ps += l->after_ps;
        b->count = l->shorts / l->from_count + (i < l->shorts % l->from_count);
        traffic_entry_rng(t, &b->together);
    }
}

void traffic_add_long_short(struct traffic *t, const struct traffic_common *common,
                            const struct long_short *l)
{
    uint32_t                 count = l->long_count + l->from_count,
                             *hosts = xcalloc(count + 1ul, sizeof *hosts);
    struct long_short_state *state = xcalloc(1, sizeof *state + count * sizeof *state->shorts);

    memcpy(hosts, l->longs, l->long_count * sizeof *hosts);
    memcpy(hosts + l->long_count, l->from, l->from_count * sizeof *hosts);
    state->cfg = *l;
    traffic_add_entry(t, &traffic_long_short, state, common, hosts, count);
    add_streams(t, state);
    state->cfg.longs = state->cfg.from = NULL;   /* owned by the caller */
    free(hosts);
}

/* Default of 'from': all hosts but the receiver and the long senders; if none is left, the long senders. */
static struct hosts read_from(const struct entry *e, uint32_t receiver, const struct hosts *longs)
{
    struct hosts from = entry_hosts(e, "from", 1, receiver);
    bool        *is_long = xcalloc(e->graph->nodes, sizeof *is_long);
    uint32_t     all = from.count;

    entry_check_senders(e, "from", &from, receiver);
    for (uint32_t i = 0; i < longs->count; i++)
        is_long[longs->node[i]] = true;
    if (!section_get(&e->sec, "from") && longs->count < from.count) {
        from.count = 0;
        for (uint32_t i = 0; i < all; i++)
            if (!is_long[from.node[i]])
                from.node[from.count++] = from.node[i];
    }
    free(is_long);
    return from;
}

static const struct key_row keys[] = {
    { "long",       KEY_LIST, "",
      "senders of long flows from `start` on; a count: the first that are not the receiver; default: one" },
    { "long_size",  KEY_BYTES, "",      "of each; default: endless" },
    { "receiver",   KEY_NAME, "",      "of all flows; default: the last host" },
    { "from",       KEY_LIST, "",
      "senders of short flows, round robin; a count: the first that are not the receiver; default: all that "
      "send no long one" },
    { "shorts",     KEY_COUNT, "6",     "short flows in a burst", KEY_AT(struct long_short, shorts), 1,
      TRAFFIC_FLOWS_MAX },
    { "short_size", KEY_BYTES, "200KB", "of each", KEY_AT(struct long_short, short_bytes), 1,
      TRAFFIC_SIZE_MAX },
    { "after",      KEY_TIME, "1ms",   "from `start` to the first period",
      KEY_AT(struct long_short, after_ps) },
    { "period",     KEY_TIME, "10ms",  "in which there is one burst", KEY_AT(struct long_short, period_ps) },
    { "jitter",     KEY_TIME, "",
      "a burst starts at a random time within this of its period; default: `period` less `spread`; 0: "
      "periodic" },
    { "spread",     KEY_TIME, "10us",  "flows of a burst start at random times within this",
      KEY_AT(struct long_short, spread_ps) },
    { 0 },
};

static void read_bursts(const struct entry *e, struct long_short *l)
{
    section_read(&e->sec, keys, l);
    if (!e->r->rc && l->period_ps == 0)
        section_refuse(&e->sec, "period", "'period' must be more than 0");
    if (!e->r->rc && l->spread_ps > l->period_ps)
        section_refuse(&e->sec, "spread", "'spread' must not be above 'period': bursts would overlap");
    if (e->r->rc)
        return;
    l->jitter_ps = l->period_ps - l->spread_ps;
    section_time(&e->sec, "jitter", &l->jitter_ps);
    if (!e->r->rc && l->jitter_ps > l->period_ps - l->spread_ps)
        section_refuse(&e->sec, "jitter",
                      "'jitter' and 'spread' together must not be above 'period': bursts would overlap");
    if (!e->r->rc && l->after_ps >= e->common.stop_ps - e->common.start_ps)
        section_refuse(&e->sec, "after", "the short flows would begin after the last possible start");
}

static void long_short_read(struct entry *e)
{
    struct long_short l = { .receiver = entry_receiver(e) };
    struct hosts      longs = entry_hosts(e, "long", 1, l.receiver), from = { NULL, 0 };

    if (longs.count > 1 && !section_get(&e->sec, "long"))
        longs.count = 1;
    entry_check_senders(e, "long", &longs, l.receiver);
    entry_need_end(e);
    read_bursts(e, &l);
    if (!e->r->rc)
        from = read_from(e, l.receiver, &longs);
    l.long_bytes = entry_size_or_endless(e, "long_size", &longs);
    if (!e->r->rc) {
        l.longs = longs.node, l.long_count = longs.count;
        l.from = from.node, l.from_count = from.count;
        traffic_add_long_short(e->traffic, &e->common, &l);
        e->about->hosts = longs.count + from.count;
        e->qps = (l.shorts + from.count - 1) / from.count;
    }
    free(from.node);
    free(longs.node);
}

const struct traffic_kind traffic_long_short = {
    .name = "long_short", .about = "long flows, and short ones that arrive together at random times",
    .keys = keys, .read = long_short_read, .next = long_short_next,
};
