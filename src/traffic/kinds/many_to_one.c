/* src/traffic/kinds/many_to_one.c - many queue pairs of many hosts send to one host, each from a random time
 * on. */
#include "traffic/kinds/many_to_one.h"

#include "base/text.h"
#include "traffic/kinds/scatter.h"
#include "traffic/kind.h"
#include "traffic/read.h"

#include <stdlib.h>

#define QPS_MAX 8192u            /* total flows */

struct many_to_one {
    uint64_t       bytes, spread_ps;
    uint32_t       receiver, qps;
    struct scatter scatter[];    /* by stream */
};

extern const struct traffic_kind traffic_many_to_one;

static bool many_to_one_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    struct many_to_one *m = e->state;
    struct scatter     *scatter = &m->scatter[s->number];

    if (s->at == m->qps)
        return false;
    if (s->at++ == 0)
        scatter_begin(scatter, &s->rng, m->qps);
    f->at_ps = s->time_ps + scatter_next(scatter, &s->rng, m->spread_ps);
    f->dst = m->receiver;
    f->bytes = m->bytes;
    return true;
}

void traffic_add_many_to_one(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                             uint64_t spread_ps, uint32_t receiver, const uint32_t *senders, uint32_t count,
                             uint32_t qps)
{
    struct many_to_one *m = xcalloc(1, sizeof *m + count * sizeof *m->scatter);

    m->bytes = bytes;
    m->spread_ps = spread_ps;
    m->receiver = receiver;
    m->qps = qps;
    traffic_add_entry(t, &traffic_many_to_one, m, common, senders, count);
    traffic_add_streams(t);
}

static void check_many_to_one(const struct entry *e, uint32_t senders, uint32_t qps, uint64_t spread_ps)
{
    char until[32], stop[32];

    if (e->r->rc)
        return;
    if ((uint64_t)senders * qps > QPS_MAX)
        section_refuse(&e->sec, "qps",
                      "%u hosts with %u queue pairs each: more than %u flows", senders, qps, QPS_MAX);
    else if (spread_ps > e->common.stop_ps - e->common.start_ps)
        section_refuse(&e->sec, "spread", "starts are spread until %s, but no flow starts after %s",
                       text_from_time(until, sizeof until, e->common.start_ps + spread_ps),
                       text_from_time(stop, sizeof stop, e->common.stop_ps));
}

static void many_to_one_read(struct entry *e)
{
    uint32_t     qps = 1, receiver = entry_receiver(e);
    uint64_t     bytes, spread = 0;
    struct hosts senders = entry_hosts(e, "hosts", 1, receiver);

    entry_check_senders(e, "hosts", &senders, receiver);
    section_count(&e->sec, "qps", 1, QPS_MAX, &qps);
    e->qps = qps;
    e->has_own_qps = true;
    section_time(&e->sec, "spread", &spread);
    check_many_to_one(e, senders.count, qps, spread);
    bytes = entry_size_or_endless(e, "size", &senders);
    if (!e->r->rc)
        traffic_add_many_to_one(e->traffic, &e->common, bytes, spread, receiver, senders.node,
                                senders.count, qps);
    free(senders.node);
}

static const struct key_row keys[] = {
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
    .keys = keys, .read = many_to_one_read, .next = many_to_one_next,
};
