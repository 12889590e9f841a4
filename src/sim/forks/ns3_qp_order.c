#include "sim/forks/ns3.h"
#include "sim/nic/host.h"
#include "sim/nic/pacer.h"
#include "sim/nic/turn.h"
#include "sim/state/ideal.h"

#include <stdlib.h>
#include <string.h>

/* Sizes of the hash table. It grows when it holds as many entries as buckets. */
static const uint32_t buckets[] = { 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229,
                                    172933, 351061, 712697, 1447153, 2938679, 5967347 };

void qp_order_build(struct sim *s)
{
    s->hosts.qp_order = xcalloc(s->net.hosts, sizeof *s->hosts.qp_order);
}

void qp_order_free(struct sim *s)
{
    for (uint32_t i = 0; s->hosts.qp_order && i < s->net.hosts; i++)
        free(s->hosts.qp_order[i].flow);
    free(s->hosts.qp_order);
}

static uint32_t bucket_of(const struct sim *s, const struct qp_order *o, uint32_t flow)
{
    const struct flow *f = &s->flows.flow[flow];
    uint64_t           key = (uint64_t)address_of_node(f->dst) << 32 | (f->ports & 0xffff) << 16 | f->prio;

    return (uint32_t)(key % buckets[o->growths]);
}

/* Entries of a bucket are contiguous. A new one goes before those of its bucket, or before all entries. */
static void insert(const struct sim *s, struct qp_order *o, uint32_t flow)
{
    uint32_t bucket = bucket_of(s, o, flow), at = 0;

    while (at < o->count && bucket_of(s, o, o->flow[at]) != bucket)
        at++;
    if (at == o->count)
        at = 0;
    memmove(&o->flow[at + 1], &o->flow[at], (o->count - at) * sizeof *o->flow);
    o->flow[at] = flow;
    o->count++;
}

/* Moves all entries to a larger table, one by one. */
static void grow(const struct sim *s, struct qp_order *o)
{
    uint32_t *old = o->flow, count = o->count;

    o->growths++;
    assert(o->growths < sizeof buckets / sizeof *buckets);
    o->flow = xcalloc(o->room, sizeof *o->flow);
    o->count = 0;
    for (uint32_t i = 0; i < count; i++)
        insert(s, o, old[i]);
    free(old);
}

static void add(struct sim *s, const struct host *h, const struct flow *f)
{
    struct qp_order *o = &s->hosts.qp_order[h->id];

    o->flow = xgrow(o->flow, o->count, &o->room, 16, sizeof *o->flow);
    if (o->count == buckets[o->growths])
        grow(s, o);
    insert(s, o, (uint32_t)(f - s->flows.flow));
}

static void drop(struct sim *s, const struct host *h, const struct flow *f)
{
    struct qp_order *o = &s->hosts.qp_order[h->id];
    uint32_t         at = 0;

    while (o->flow[at] != (uint32_t)(f - s->flows.flow))
        at++;
    memmove(&o->flow[at], &o->flow[at + 1], (--o->count - at) * sizeof *o->flow);
}

/* Without a route, the fork's host divides by its number of next hops, 0. */
static void require_route(struct sim *s, const struct host *h, uint32_t dst)
{
    if (!sim_has_path(s, s->net.node[h->node].epoch, h->node, dst))
        engine_fail(&s->engine, EINVAL,
                    "after a link has failed there is no way from %s to %s, where the HPCC fork "
                    "stops with an error; with 'order: node' the run goes on",
                    s->net.graph.node[h->node].name, s->net.graph.node[dst].name);
}

/* Reinserts the queue pairs. The port tries to send after each one. */
static void redistribute(struct sim *s, struct host *h)
{
    const struct qp_order *o = &s->hosts.qp_order[h->id];

    turn_clear(s, h);
    for (uint32_t i = 0; i < o->count; i++) {
        struct flow *f = &s->flows.flow[o->flow[i]];

        require_route(s, h, f->dst);
        turn_put(s, h, f);
        pacer_sort_in(s, h, f);
        host_kick(s, h);
    }
}

const struct qp_list qp_order_list = { .on_start = require_route, .add = add, .remove = drop,
                                       .on_change = redistribute };
