/* src/traffic/kinds/incast.c - many hosts send to one at the same moment, once or periodically. */
#include "traffic/kinds/incast.h"

#include "traffic/kind.h"
#include "traffic/read.h"

#include <stdlib.h>

struct incast {
    uint64_t bytes, period_ps;
    uint32_t receiver, flows_each;
};

extern const struct traffic_kind traffic_incast;

static bool incast_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    const struct incast *in = e->state;

    if (s->at == in->flows_each) {
        if (!in->period_ps || in->period_ps >= e->common.stop_ps - s->time_ps)
            return false;
        s->at = 0;
        s->time_ps += in->period_ps;
    }
    s->at++;
    f->at_ps = s->time_ps;
    f->dst = in->receiver;
    f->bytes = in->bytes;
    return true;
}

void traffic_add_incast(struct traffic *t, const struct traffic_common *common, uint64_t bytes, uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each)
{
    struct incast *in = xmalloc(sizeof *in);

    *in = (struct incast){ bytes, period_ps, receiver, flows_each };
    traffic_add_entry(t, &traffic_incast, in, common, senders, count);
    traffic_add_streams(t);
    traffic_expect_flows(t, (uint64_t)count * flows_each);
}

static void incast_read(struct entry *e)
{
    uint64_t     bytes = 0, period = 0;
    uint32_t     flows = 1, receiver = entry_receiver(e);
    struct hosts senders;

    section_need(&e->sec, "senders");
    section_need(&e->sec, "size");
    senders = entry_hosts(e, "senders", 1, receiver);
    entry_check_senders(e, "senders", &senders, receiver);
    section_bytes(&e->sec, "size", 1, TRAFFIC_SIZE_MAX, &bytes);
    section_count(&e->sec, "flows", 1, TRAFFIC_FLOWS_MAX, &flows);
    section_time(&e->sec, "period", &period);
    if (period)
        entry_need_end(e);
    if (!e->r->rc)
        entry_check_flows(e, (uint64_t)senders.count * flows);
    if (!e->r->rc)
        traffic_add_incast(e->traffic, &e->common, bytes, period, receiver, senders.node, senders.count,
                           flows);
    free(senders.node);
}

static const struct section_key keys[] = {
    { "senders",  "list",  "",  "which; a count: the first that are not the receiver" },
    { "receiver", "name",  "",  "default: the last host" },
    { "size",     "bytes", "",  "of each flow" },
    { "flows",    "count", "1", "of each sender, at once" },
    { "period",   "time",  "0", "time between bursts; 0: one burst" },
    { 0 },
};

const struct traffic_kind traffic_incast = {
    .name = "incast", .about = "many hosts send to one at the same moment, once or periodically",
    .keys = keys, .read = incast_read, .next = incast_next,
};
