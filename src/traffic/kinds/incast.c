/* src/traffic/kinds/incast.c - many hosts send to one at the same time, once or periodically. */
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

void traffic_add_incast(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                        uint64_t period_ps,
                        uint32_t receiver, const uint32_t *senders, uint32_t count, uint32_t flows_each)
{
    struct incast *in = xmalloc(sizeof *in);

    *in = (struct incast){ bytes, period_ps, receiver, flows_each };
    traffic_add_entry(t, &traffic_incast, in, common, senders, count);
    traffic_add_streams(t);
    traffic_expect_flows(t, (uint64_t)count * flows_each);
}

static const struct key_row keys[] = {
    { "senders",  KEY_LIST, "",  "which; a count: the first that are not the receiver", .is_needed = true },
    { "receiver", KEY_NAME, "",  "default: the last host" },
    { "size",     KEY_BYTES, "",  "of each flow", KEY_AT(struct incast, bytes), 1, TRAFFIC_SIZE_MAX,
      .is_needed = true },
    { "flows",    KEY_COUNT, "1", "of each sender, at once", KEY_AT(struct incast, flows_each), 1,
      TRAFFIC_FLOWS_MAX },
    { "period",   KEY_TIME, "0", "time between bursts; 0: one burst", KEY_AT(struct incast, period_ps) },
    { 0 },
};

static void incast_read(struct entry *e)
{
    struct incast in = { .receiver = entry_receiver(e) };
    struct hosts  senders;

    section_read(&e->sec, keys, &in);
    senders = entry_hosts(e, "senders", 1, in.receiver);
    entry_check_senders(e, "senders", &senders, in.receiver);
    if (in.period_ps)
        entry_need_end(e);
    if (!e->r->rc)
        entry_check_flows(e, (uint64_t)senders.count * in.flows_each);
    if (!e->r->rc)
        traffic_add_incast(e->traffic, &e->common, in.bytes, in.period_ps, in.receiver, senders.node,
                           senders.count, in.flows_each);
    free(senders.node);
}

const struct traffic_kind traffic_incast = {
    .name = "incast", .about = "many hosts send to one at the same moment, once or periodically",
    .keys = keys, .read = incast_read, .next = incast_next,
};
