/* src/traffic/kinds/all_to_all.c - every host sends to every other host, all at once. */
#include "traffic/kinds/all_to_all.h"

#include "traffic/kind.h"
#include "traffic/read.h"

#include <stdlib.h>

extern const struct traffic_kind traffic_all_to_all;

static bool all_to_all_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    const uint64_t *bytes = e->state;

    if (++s->at >= e->count)
        return false;
    f->at_ps = s->time_ps;
    f->dst = e->hosts[(s->index + s->at) % e->count];
    f->bytes = *bytes;
    return true;
}

void traffic_add_all_to_all(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                            const uint32_t *hosts, uint32_t count)
{
    uint64_t *state = xmalloc(sizeof *state);

    *state = bytes;
    traffic_add_entry(t, &traffic_all_to_all, state, common, hosts, count);
    traffic_add_streams(t);
    traffic_expect_flows(t, (uint64_t)count * (count - 1));
}

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
    free(hosts.node);
}

static const struct key_row keys[] = {
    { "size",  KEY_BYTES, "", "of each flow" },
    { "hosts", KEY_LIST, "", "which; a count: the first; default: all" },
    { 0 },
};

const struct traffic_kind traffic_all_to_all = {
    .name = "all_to_all", .about = "every host sends to every other, all at once",
    .keys = keys, .read = all_to_all_read, .next = all_to_all_next,
};
