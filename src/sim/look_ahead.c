#include "sim/look_ahead.h"
#include "sim/host/nic.h"
#include "sim/state/owner.h"
#include "sim/switch/forward.h"

/* Prefetches the ports and hosts that own the events, the queues of ports that become free, and the second
 * events of buckets. With 'ways', also the cached route of that port. Avoids branches on the kind of event,
 * which would be unpredictable: a useless prefetch repeats a line. */
static inline __attribute__((always_inline))
void ask_for_owners(const struct evq *q, const uint32_t *events, uint32_t count, const struct network *ways)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = evq_event(q, events[i]);
        const char         *owner = owner_of(q, e);
        uint32_t            is_last = e->next >= EVQ_HEAP, next = e->next + is_last * (events[i] - e->next);

        __builtin_prefetch(owner, 1);
        __builtin_prefetch(owner + (owner_kind(e) == EV_SWITCH_FREE) *
                                   offsetof(struct port, mark_from_bytes), 1);
        __builtin_prefetch(evq_event(q, next), 1);
        if (ways) {
            uint64_t port = (uint64_t)(owner - (const char *)ways->port) / sizeof(struct port);

            __builtin_prefetch(&ways->last_way[owner_kind(e) == EV_AT_SWITCH ? port : 0], 1);
        }
    }
}

static void on_near(void *sim, const uint32_t *events, uint32_t count)
{
    ask_for_owners(&((const struct sim *)sim)->engine.evq, events, count, NULL);
}

static void on_near_vast(void *sim, const uint32_t *events, uint32_t count)
{
    const struct sim *s = sim;

    ask_for_owners(&s->engine.evq, events, count, &s->net);
}

/* ---- a vast network: the next events ---- */

/* Looks up the route of a packet now and stores it in the port's cache. Several lookups then wait for memory
 * at once, and the egress port is prefetched. If links change meanwhile, the route is looked up again. */
static void ask_at_switch(const struct sim *s, const struct port *in, const struct packet *k)
{
    const struct port *out;

    if (k->kind == PACKET_PFC || s->lb.is_on)
        return;
    out = forward_routed(s, in, k);
    if (!out)
        return;
    __builtin_prefetch(out, 1);
    __builtin_prefetch(&out->counters, 1);
    __builtin_prefetch(&out->mark_from_bytes, 1);
    __builtin_prefetch(&in->in[k->prio], 1);
}

static void ask_at_host(const struct sim *s, const struct host *h, const struct packet *k)
{
    __builtin_prefetch(h->port, 1);
    if (k->kind < PACKET_CNP)
        __builtin_prefetch(&s->flows.flow[k->flow], 1);
}

/* Prefetches the next packet to leave, assuming it is in the first class with a backlog, as is common. */
static void ask_at_free(const struct sim *s, const struct port *p)
{
    const struct queue *queue = &p->queue[p->backlog ? __builtin_ctz(p->backlog) : 0];

    __builtin_prefetch(&s->engine.packets.packet[queue->head], 1);
    __builtin_prefetch(&p->counters, 1);
}

static void on_open(void *sim, struct event *const *events, uint32_t count)
{
    const struct sim *s = sim;
    const struct evq *q = &s->engine.evq;

    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = events[i];

        if (owner_kind(e) == EV_AT_SWITCH)
            ask_at_switch(s, owner_of(q, e), (const struct packet *)e);
        else if (owner_kind(e) == EV_AT_HOST)
            ask_at_host(s, owner_of(q, e), (const struct packet *)e);
        else if (owner_kind(e) == EV_SWITCH_FREE)
            ask_at_free(s, owner_of(q, e));
    }
}

void look_ahead_begin(struct sim *s)
{
    struct evq *q = &s->engine.evq;
    bool        is_vast = s->net.ports >= LOOK_AHEAD_PORTS_VAST;

    q->on_near = is_vast ? on_near_vast : on_near;
    q->on_open = on_open;
    q->is_vast = is_vast;
    q->on_near_arg = s;
}
