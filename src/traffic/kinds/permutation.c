/* src/traffic/kinds/permutation.c - every host sends to one other and receives from one other. */
#include "traffic/kinds/permutation.h"

#include "traffic/kind.h"
#include "traffic/read.h"

#include <stdlib.h>

struct permutation {
    uint64_t bytes;
    uint32_t to[];               /* by sender index: receiver index */
};

extern const struct traffic_kind traffic_permutation;

static bool permutation_next(const struct traffic_entry *e, struct traffic_stream *s, struct flow_spec *f)
{
    const struct permutation *p = e->state;

    if (s->at++)
        return false;
    f->at_ps = s->time_ps;
    f->dst = e->hosts[p->to[s->index]];
    f->bytes = p->bytes;
    return true;
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

void traffic_add_permutation(struct traffic *t, const struct traffic_common *common, uint64_t bytes,
                             uint32_t shift, const uint32_t *hosts, uint32_t count)
{
    struct permutation *p = xmalloc(sizeof *p + count * sizeof *p->to);
    struct rng          rng;

    p->bytes = bytes;
    traffic_add_entry(t, &traffic_permutation, p, common, hosts, count);
    traffic_add_streams(t);
    traffic_entry_rng(t, &rng);
    if (shift == 0)
        derange(p->to, count, &rng);
    else
        for (uint32_t i = 0; i < count; i++)
            p->to[i] = (i + shift) % count;
}

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
    free(hosts.node);
}

static const struct key_row keys[] = {
    { "size",  KEY_BYTES, "",  "of each flow" },
    { "shift", KEY_COUNT, "0",
      "host i sends to host i + shift; 0: a random permutation without fixed point" },
    { "hosts", KEY_LIST, "",  "which; a count: the first; default: all" },
    { 0 },
};

const struct traffic_kind traffic_permutation = {
    .name = "permutation", .about = "every host sends to one other and receives from one other",
    .keys = keys, .read = permutation_read, .next = permutation_next,
};
