/* src/sim/switch/forward.h - the port by which a packet leaves a switch. */
#ifndef SIM_SWITCH_FORWARD_H
#define SIM_SWITCH_FORWARD_H

#include "lb/ecmp.h"
#include "net/address.h"
#include "sim/switch/balance.h"

#include <string.h>

/* Shows a packet to a balancer that looks on; false: its way is for the rest of us to find. */
static inline bool forward_is_shown(struct sim *s, const struct node *n, const struct port *in, uint32_t id,
                                    const struct packet *k, uint32_t to, struct port **out)
{
    bool           is_local = n->route_entry[to] == ROUTE_LOCAL, is_data = k->kind == PACKET_DATA;
    struct lb_tag *tag = &s->engine.packets.tag[id];

    if (!in->peer->is_switch) {
        *tag = (struct lb_tag){ 0 };
        if (is_local || !(is_data || (engine_turn_number(n->next_number) & BALANCE_TELL_MASK) == 0))
            return false;
        *out = balance_enter(s, n, id, to);
        return true;
    }
    if (is_local) {
        if (is_data || tag->told_name)
            balance_leave(s, n, id);
        return false;
    }
    if (is_data)
        *out = balance_forward(s, n, id, to);
    return is_data;
}

/* ECMP. The last packet like this one has mostly been of the same flow. */
static inline struct port *forward_by_hash(const struct sim *s, const struct node *n, const struct port *in,
                                           const struct packet *k, const uint32_t *hop)
{
    struct last_way *last = &s->net.last_way[in->id][k->kind == PACKET_DATA];
    uint64_t         nodes;

    memcpy(&nodes, &k->src, sizeof nodes);           /* and k->dst */
    if (last->nodes != nodes || last->ports != k->ports) {
        uint32_t hash = ecmp_hash(n->salt, address_of_node(k->src), address_of_node(k->dst), k->ports);

        *last = (struct last_way){ nodes, k->ports, hop[1 + hash % hop[0]] };
    }
    return &s->net.port[last->port];
}

/* The port a packet that came in by 'in' leaves by, or NULL if there is no way. */
static inline struct port *forward_find_way(struct sim *s, const struct port *in, uint32_t id, const struct packet *k)
{
    const struct node       *n = in->node;
    const struct route_host *h = &n->route_host[k->dst];
    uint32_t                 way = n->route_entry[h->group];
    const uint32_t          *hop;
    struct port             *out;

    if (__builtin_expect(s->lb.is_shown, 0) && forward_is_shown(s, n, in, id, k, h->group, &out))
        return out;
    if (way == ROUTE_LOCAL) {    /* routes avoid links that are down, but the last one cannot be avoided */
        out = &s->net.port[h->port];
        return out->slow_path & SLOW_LINK && out->is_down ? NULL : out;
    }
    if (way & ROUTE_ONE)
        return &s->net.port[way & ~ROUTE_ONE];
    hop = n->route_hop + way;
    if (hop[0] == 0)
        return NULL;
    if (__builtin_expect(s->lb.is_on, 0) && k->kind == PACKET_DATA)
        return balance_way(s, n, in, id, h->group, hop);
    return forward_by_hash(s, n, in, k, hop);
}

#endif
