#include "sim/look_ahead.h"
#include "sim/host/nic.h"
#include "sim/state/owner.h"

/* The port a packet will leave a switch by, where that is plain to see. */
static const struct port *next_port(const struct sim *s, const struct node *n, const struct packet *k)
{
    const struct route_host *h = &n->route_host[k->dst];
    uint32_t                 way = n->route_entry[h->group];

    if (way == ROUTE_LOCAL)
        return &s->net.port[h->port];
    return way & ROUTE_ONE ? &s->net.port[way & ~ROUTE_ONE] : NULL;
}

static inline void look_at_packet(const struct sim *s, const struct event *e)
{
    const struct packet *k = (const struct packet *)e;
    const struct port   *p = owner_of(&s->engine.evq, e);

    if (owner_kind(e) == EV_AT_HOST) {
        if (k->kind == PACKET_DATA)
            __builtin_prefetch(&s->flows.rx[k->flow], 1);
        else
            __builtin_prefetch(&s->flows.flow[k->flow], 1);
    } else if (k->kind != PACKET_PFC && (p = next_port(s, p->node, k))) {
        __builtin_prefetch(p, 1);
        __builtin_prefetch(&p->counters, 1);
    }
}

/* First the ports and hosts that own the events, and queues. */
static inline void look_at_owner(const struct sim *s, const struct event *e)
{
    const struct port *p = owner_of(&s->engine.evq, e);

    __builtin_prefetch(p, 1);
    if (owner_kind(e) == EV_SWITCH_FREE) {
        __builtin_prefetch(&p->mark_above_bytes, 1);
        __builtin_prefetch(&p->counters, 1);
    }
    if (e->next < EVQ_HEAP)
        __builtin_prefetch(evq_event(&s->engine.evq, e->next), 1);
}

/* Then what they lead to. */
static inline void look_further(const struct sim *s, const struct event *e)
{
    const struct port *p = (const struct port *)e;

    if (owner_is_packet(e))
        look_at_packet(s, e);
    else if (owner_kind(e) == EV_SWITCH_FREE && p->backlog)
        __builtin_prefetch(&s->engine.packets.packet[p->queue[__builtin_ctz(p->backlog)].head], 1);
}

/* A network that does not fit the cache: asks for what the coming events will touch before the first of them
 * needs it, in two rounds, since each leads to the next. */
void look_ahead(void *sim, const uint32_t *events, uint32_t count, uint32_t nearness)
{
    const struct sim *s = sim;

    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = evq_event(&s->engine.evq, events[i]);

        if (nearness == 2)
            look_at_owner(s, e);
        else
            look_further(s, e);
    }
}
