/* src/work/traffic/kinds/patterns.c - kinds with a fixed set of flows, or a periodic one, between given
 * hosts. */
#include "work/traffic/kinds/patterns.h"

#include "base/rng.h"
#include "base/text.h"
#include "work/traffic/kind.h"
#include "work/traffic/read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern const struct traffic_kind traffic_incast, traffic_all_to_all, traffic_permutation, traffic_many_to_one,
    traffic_long_short;

/* ---- uniform random points of an interval, in ascending order ---- */

struct scatter {
    double   sum, sum_all;
    uint32_t left;
};

/* In order, n uniform points lie at the ends of exponential gaps, if n + 1 gaps are scaled to the interval.
 * The generator runs through the gaps twice (first for their sum), so that no point needs to be stored. */
static void scatter_begin(struct scatter *c, const struct rng *rng, uint32_t points)
{
    struct rng ahead = *rng;

    *c = (struct scatter){ .left = points };
    for (uint32_t i = 0; i <= points; i++)
        c->sum_all += rng_exp(&ahead);
}

/* Returns the next point of an interval from 0 to 'length_ps'. */
static uint64_t scatter_next(struct scatter *c, struct rng *rng, uint64_t length_ps)
{
    c->sum += rng_exp(rng);
    if (--c->left == 0)
        rng_exp(rng);            /* the gap after the last point */
    uint64_t at = (uint64_t)(c->sum / c->sum_all * (double)length_ps);
    return at < length_ps ? at : length_ps - (length_ps > 0);
}

/* ---- flows of one size from each sender: all patterns but long_short ---- */

struct pattern {
    uint64_t        bytes, period_ps, spread_ps;
    uint32_t        receiver, flows;     /* flows: of each sender, in each period */
    uint32_t       *to;          /* by sender: receiver of its first flow; the next hosts get the others.
                                  * NULL: all go to 'receiver' */
    struct scatter *scatter;     /* by stream: flows start at random times within spread_ps. NULL: at once */
};

static bool pattern_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    const struct pattern *p = e->state;
    struct scatter       *scatter = p->scatter ? &p->scatter[s->number] : NULL;

    if (s->at == p->flows) {
        if (!p->period_ps || p->period_ps >= e->common.stop_ps - s->time_ps)
            return false;
        s->at = 0;
        s->time_ps += p->period_ps;
    }
    if (scatter && s->at == 0)
        scatter_begin(scatter, &s->rng, p->flows);
    f->at_ps = s->time_ps + (scatter ? scatter_next(scatter, &s->rng, p->spread_ps) : 0);
    f->dst = p->to ? e->hosts[(p->to[s->index] + s->at) % e->count] : p->receiver;
    f->bytes = p->bytes;
    s->at++;
    return true;
}

static void free_pattern(void *state)
{
    struct pattern *p = state;

    free(p->to);
    free(p->scatter);
    free(p);
}

static struct pattern *add_pattern(struct traffic *t, const struct traffic_kind *kind,
                                   const struct traffic_common *common, const struct pattern *cfg,
                                   const uint32_t *hosts, uint32_t count)
{
    struct pattern *p = xmalloc(sizeof *p);

    *p = *cfg;
    traffic_add_entry(t, kind, p, common, hosts, count);
    traffic_add_streams(t);
    return p;
}

/* Each host's receiver is 'shift' hosts further. */
static uint32_t *shifted(uint32_t count, uint32_t shift)
{
    uint32_t *to = xcalloc(count + 1ul, sizeof *to);

    for (uint32_t i = 0; i < count; i++)
        to[i] = (i + shift) % count;
    return to;
}

/* Draws a uniform random derangement: shuffles until there is no fixed point (e tries on average). */
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

void traffic_add_incast(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                        uint64_t period_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                        uint32_t flows_each)
{
    add_pattern(t, &traffic_incast, common, &(struct pattern){ .bytes = bytes, .period_ps = period_ps,
                .receiver = receiver, .flows = flows_each }, senders, count);
    traffic_expect_flows(t, (uint64_t)count * flows_each);
}

void traffic_add_all_to_all(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                            const uint32_t *hosts, uint32_t count)
{
    add_pattern(t, &traffic_all_to_all, common, &(struct pattern){ .bytes = bytes, .flows = count - 1,
                .to = shifted(count, 1) }, hosts, count);
    traffic_expect_flows(t, (uint64_t)count * (count - 1));
}

void traffic_add_permutation(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                             uint32_t shift, const uint32_t *hosts, uint32_t count)
{
    const struct pattern *p = add_pattern(t, &traffic_permutation, common, &(struct pattern){ .bytes = bytes,
                                          .flows = 1, .to = shifted(count, shift) }, hosts, count);
    struct rng            rng;

    traffic_entry_rng(t, &rng);
    if (shift == 0)
        derange(p->to, count, &rng);
}

void traffic_add_many_to_one(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                             uint64_t spread_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                             uint32_t qps)
{
    add_pattern(t, &traffic_many_to_one, common, &(struct pattern){ .bytes = bytes, .spread_ps = spread_ps,
                .receiver = receiver, .flows = qps, .scatter = xcalloc(count, sizeof(struct scatter)) },
                senders, count);
}

/* ---- incast ---- */

static const struct key_row incast_keys[] = {
    { "senders",  KEY_LIST, "",  "which; a count: the first that are not the receiver", .is_needed = true },
    { "receiver", KEY_NAME, "",  "default: the last host" },
    { "size",     KEY_BYTES, "",  "of each flow", KEY_AT(struct pattern, bytes), 1, TRAFFIC_SIZE_MAX,
      .is_needed = true },
    { "flows",    KEY_COUNT, "1", "of each sender, at once", KEY_AT(struct pattern, flows), 1,
      TRAFFIC_FLOWS_MAX },
    { "period",   KEY_TIME, "0", "time between bursts; 0: one burst", KEY_AT(struct pattern, period_ps) },
    { 0 },
};

static void incast_read(struct entry *e)
{
    struct pattern in = { .receiver = entry_receiver(e) };

    section_read(&e->sec, incast_keys, &in);
    struct hosts senders = entry_hosts(e, "senders", 1, in.receiver);
    entry_check_senders(e, "senders", &senders, in.receiver);
    if (in.period_ps)
        entry_need_end(e);
    if (!e->r->rc)
        entry_check_flows(e, (uint64_t)senders.count * in.flows);
    if (!e->r->rc)
        traffic_add_incast(e->traffic, &e->common, in.bytes, in.period_ps, in.receiver, senders.node,
                           senders.count, in.flows);
}

const struct traffic_kind traffic_incast = {
    .name = "incast", .about = "many hosts send to one at the same moment, once or periodically",
    .keys = incast_keys, .read = incast_read, .next = pattern_next, .free = free_pattern,
};

/* ---- all_to_all ---- */

static void all_to_all_read(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    uint64_t     bytes = 0;

    section_need(&e->sec, "size");
    section_bytes(&e->sec, "size", 1, TRAFFIC_SIZE_MAX, &bytes);
    if (!e->r->rc)
        entry_check_flows(e, (uint64_t)hosts.count * (hosts.count - 1));
    if (!e->r->rc)
        traffic_add_all_to_all(e->traffic, &e->common, bytes, hosts.node, hosts.count);
}

static const struct key_row all_to_all_keys[] = {
    { "size",  KEY_BYTES, "", "of each flow" },
    { "hosts", KEY_LIST, "", "which; a count: the first; default: all" },
    { 0 },
};

const struct traffic_kind traffic_all_to_all = {
    .name = "all_to_all", .about = "every host sends to every other, all at once",
    .keys = all_to_all_keys, .read = all_to_all_read, .next = pattern_next, .free = free_pattern,
};

/* ---- permutation ---- */

static void permutation_read(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    uint64_t     bytes = 0;
    uint32_t     shift = 0;

    section_need(&e->sec, "size");
    section_bytes(&e->sec, "size", 1, TRAFFIC_SIZE_MAX, &bytes);
    section_count(&e->sec, "shift", 0, hosts.count - 1, &shift);
    if (!e->r->rc)
        traffic_add_permutation(e->traffic, &e->common, bytes, shift, hosts.node, hosts.count);
}

static const struct key_row permutation_keys[] = {
    { "size",  KEY_BYTES, "",  "of each flow" },
    { "shift", KEY_COUNT, "0",
      "host i sends to host i + shift; 0: a random permutation without fixed point" },
    { "hosts", KEY_LIST, "",  "which; a count: the first; default: all" },
    { 0 },
};

const struct traffic_kind traffic_permutation = {
    .name = "permutation", .about = "every host sends to one other and receives from one other",
    .keys = permutation_keys, .read = permutation_read, .next = pattern_next, .free = free_pattern,
};

/* ---- many_to_one ---- */

#define QPS_MAX 8192u            /* total flows */

static void check_many_to_one(const struct entry *e, uint32_t senders, uint32_t qps, uint64_t spread_ps)
{
    if (!e->r->rc && (uint64_t)senders * qps > QPS_MAX)
        section_refuse(&e->sec, "qps", "%u hosts with %u queue pairs each: more than %u flows", senders, qps,
                       QPS_MAX);
    entry_check_spread(e, spread_ps);
}

static void many_to_one_read(struct entry *e)
{
    uint32_t     qps = 1, receiver = entry_receiver(e);
    uint64_t     spread = 0;
    struct hosts senders = entry_hosts(e, "hosts", 1, receiver);

    entry_check_senders(e, "hosts", &senders, receiver);
    section_count(&e->sec, "qps", 1, QPS_MAX, &qps);
    e->qps = qps;
    e->has_own_qps = true;
    section_time(&e->sec, "spread", &spread);
    check_many_to_one(e, senders.count, qps, spread);
    uint64_t bytes = entry_size_or_endless(e, "size", &senders);
    if (!e->r->rc)
        traffic_add_many_to_one(e->traffic, &e->common, bytes, spread, receiver, senders.node,
                                senders.count, qps);
}

static const struct key_row many_to_one_keys[] = {
    { "hosts",    KEY_LIST, "",    "senders; a count: the first that are not the receiver; default: all" },
    { "qps",      KEY_COUNT, "1",   "flows of each host; 8192 in all at most" },
    { "receiver", KEY_NAME, "",    "default: the last host" },
    { "size",     KEY_BYTES, "",    "of each flow; default: endless" },
    { "spread",   KEY_TIME, "1ms", "flows start at random times within this after `start`" },
    { 0 },
};

const struct traffic_kind traffic_many_to_one = {
    .name = "many_to_one",
    .about = "many queue pairs of many hosts send to one, each from a random moment on",
    .keys = many_to_one_keys, .read = many_to_one_read, .next = pattern_next, .free = free_pattern,
};

/* ---- long_short ---- */

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
    if (b->scatter.left == 0) {
        b->burst_ps = s->time_ps + (uint64_t)(rng_real(&b->together) * (double)l->jitter_ps);
        s->time_ps += l->period_ps;
        scatter_begin(&b->scatter, &s->rng, b->count);
    }
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

    entry_check_senders(e, "from", &from, receiver);
    if (!section_get(&e->sec, "from") && longs->count < from.count)
        hosts_remove(&from, longs, e->graph->nodes);
    return from;
}

#define AT(field) KEY_AT(struct long_short, field)

static const struct key_row long_short_keys[] = {
    { "long",       KEY_LIST, "",
      "senders of long flows from `start` on; a count: the first that are not the receiver; default: one" },
    { "long_size",  KEY_BYTES, "",      "of each; default: endless" },
    { "receiver",   KEY_NAME, "",      "of all flows; default: the last host" },
    { "from",       KEY_LIST, "", "senders of short flows, round robin; a count: the first that are not the "
      "receiver; default: all that send no long one" },
    { "shorts",     KEY_COUNT, "6",     "short flows in a burst", AT(shorts), 1, TRAFFIC_FLOWS_MAX },
    { "short_size", KEY_BYTES, "200KB", "of each", AT(short_bytes), 1, TRAFFIC_SIZE_MAX },
    { "after",      KEY_TIME, "1ms",   "from `start` to the first period", AT(after_ps) },
    { "period",     KEY_TIME, "10ms",  "in which there is one burst", AT(period_ps) },
    { "jitter",     KEY_TIME, "", "a burst starts at a random time within this of its period; default: "
      "`period` less `spread`; 0: periodic" },
    { "spread",     KEY_TIME, "10us",  "flows of a burst start at random times within this", AT(spread_ps) },
    { 0 },
};

static void read_bursts(const struct entry *e, struct long_short *l)
{
    section_read(&e->sec, long_short_keys, l);
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
}

const struct traffic_kind traffic_long_short = {
    .name = "long_short", .about = "long flows, and short ones that arrive together at random times",
    .keys = long_short_keys, .read = long_short_read, .next = long_short_next,
};
