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
    const struct packet *k = &s->engine.packets.packet[e->hint];
    const struct port   *p = ((const struct port *)owner_of(e))->peer;

    if (owner_kind(e) == EV_AT_HOST) {
        __builtin_prefetch(&s->net.host[p->node->host], 1);
        if (k->kind == PACKET_DATA)
            __builtin_prefetch(&s->flows.rx[k->flow], 1);
        else
            __builtin_prefetch(&s->flows.flow[k->flow], 1);
    } else if (k->kind != PACKET_PFC && (p = next_port(s, p->node, k))) {
        __builtin_prefetch(p, 1);
        __builtin_prefetch(&p->counters, 1);
        __builtin_prefetch(&s->engine.evq.event[port_event_arrive(p)], 1);
    }
}

/* A network that does not fit the cache: asks for what the coming events will touch before the first of them
 * needs it, in three rounds, since each leads to the next: ports and packets; the ports at the other end, and
 * queues; what the packets lead to. */
void look_ahead(void *sim, const uint32_t *events, uint32_t count)
{
    const struct sim *s = sim;

    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = &s->engine.evq.event[events[i]];

        __builtin_prefetch(owner_of(e), 1);
        __builtin_prefetch(&s->engine.packets.packet[e->hint], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = &s->engine.evq.event[events[i]];
        const struct port     *p = owner_of(e);

        if (owner_kind(e) == EV_AT_SWITCH || owner_kind(e) == EV_AT_HOST) {
            __builtin_prefetch(p->peer, 1);
        } else if (owner_kind(e) == EV_SWITCH_FREE) {
            __builtin_prefetch(&p->queue[3], 1);
            __builtin_prefetch(&p->counters, 1);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = &s->engine.evq.event[events[i]];

        if (owner_kind(e) == EV_AT_SWITCH || owner_kind(e) == EV_AT_HOST)
            look_at_packet(s, e);
        else if (owner_kind(e) == EV_SWITCH_FREE)
            __builtin_prefetch(&s->engine.packets.packet[((const struct port *)owner_of(e))->queue[3].head], 1);
    }
}
