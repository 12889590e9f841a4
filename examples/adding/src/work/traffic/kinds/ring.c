/* src/work/traffic/kinds/ring.c - every host sends to the next one of the list, periodically. */
#include "work/traffic/kind.h"
#include "work/traffic/read.h"

#include <stdlib.h>

struct ring { uint64_t bytes, period_ps; };

extern const struct traffic_kind traffic_ring;

static bool ring_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    const struct ring *ring = e->state;

    if (s->at++ > 0)
        s->time_ps += ring->period_ps;
    f->at_ps = s->time_ps;
    f->dst = e->hosts[(s->index + 1) % e->count];
    f->bytes = ring->bytes;
    return s->time_ps < e->common.stop_ps;
}

static void ring_read(struct entry *e)
{
    struct hosts hosts = entry_hosts(e, "hosts", 2, UINT32_MAX);
    struct ring *ring = xcalloc(1, sizeof *ring);

    section_bytes(&e->sec, "size", 1, TRAFFIC_SIZE_MAX, &ring->bytes);
    section_time(&e->sec, "period", &ring->period_ps);
    if (!e->r->rc && ring->period_ps == 0)
        reader_refuse(e->r, section_place(&e->sec, "period"), "'period' must be more than 0");
    entry_need_end(e);
    if (e->r->rc) {
        free(ring);
        return;
    }
    traffic_add_entry(e->traffic, &traffic_ring, ring, &e->common, hosts.node, hosts.count);
    traffic_add_streams(e->traffic);
}

static const struct key_row keys[] = {
    { "hosts",  KEY_LIST, "",      "which, in the order of the ring; a count means the first, without it all" },
    { "size",   KEY_BYTES, "1MB",   "of each flow" },
    { "period", KEY_TIME, "100us", "from one flow of a host to its next" },
    { 0 },
};

const struct traffic_kind traffic_ring = {
    .name = "ring", .about = "every host sends to the next one, periodically",
    .keys = keys, .read = ring_read, .next = ring_next,
};
