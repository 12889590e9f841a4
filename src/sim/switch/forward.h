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
    struct lb_tag *tag = packet_tag(&s->engine.packets, id);

    if (!in->peer->is_switch) {
        *tag = (struct lb_tag){ 0 };
        if (is_local && is_data && s->lb.is_shown_local)
            s->cfg.lb->stay(n->lb_state, s->engine.now_ps);
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

/* Where an entry of the routes leads, and with several next hops the hash of ECMP. 0: nowhere. */
static inline uint32_t forward_by_routes(const struct node *n, const struct route_host *h, const struct packet *k)
{
    uint32_t        way = n->route_entry[h->group];
    const uint32_t *hop;

    if (way == ROUTE_LOCAL)
        return h->port + 1;
    if (way & ROUTE_ONE)
        return (way & ~ROUTE_ONE) + 1;
    hop = n->route_hop + way;
    if (hop[0] == 0)
        return 0;
    return hop[1 + ecmp_hash(n->salt, address_of_node(k->src), address_of_node(k->dst), k->ports) % hop[0]] + 1;
}

/* A balancer is on: it sees packets, or chooses among several next hops for data. False: the rest of us find the way. */
static __attribute__((noinline)) bool forward_is_balanced(struct sim *s, const struct port *in, uint32_t id,
                                                          const struct packet *k, struct port **out)
{
    const struct node       *n = in->node;
    const struct route_host *h = &n->route_host[k->dst];
    uint32_t                 way = n->route_entry[h->group];

    if (s->lb.is_shown && forward_is_shown(s, n, in, id, k, h->group, out))
        return true;
    if (way == ROUTE_LOCAL || way & ROUTE_ONE || k->kind != PACKET_DATA || n->route_hop[way] == 0)
        return false;
    *out = balance_way(s, n, in, id, h->group, n->route_hop + way);
    return true;
}

/* The port that routes lead a packet to which came in by 'in', or NULL if there is no way. The last packet like this one has mostly been of
 * the same flow, so that routes need not be asked; flows with even and odd numbers do not meet. */
static inline __attribute__((always_inline)) struct port *forward_routed(const struct sim *s, const struct port *in, const struct packet *k)
{
    struct last_way *last = &s->net.last_way[in->id][k->flow % LAST_WAYS][k->kind == PACKET_DATA];
    uint64_t         nodes;

    memcpy(&nodes, &k->src, sizeof nodes);           /* and k->dst */
    if (last->nodes != nodes || last->ports != k->ports) {
        uint32_t way = forward_by_routes(in->node, &in->node->route_host[k->dst], k);

        if (__builtin_expect(!way, 0))
            return NULL;
        *last = (struct last_way){ nodes, k->ports, way - 1 };
    }
    return &s->net.port[last->port];
}

/* The port a packet that came in by 'in' leaves by, or NULL if there is no way. */
static inline struct port *forward_find_port(struct sim *s, const struct port *in, uint32_t id, const struct packet *k)
{
    struct port *out;

    if (__builtin_expect(s->lb.is_on, 0) && forward_is_balanced(s, in, id, k, &out))
        return out;
    out = forward_routed(s, in, k);
    if (__builtin_expect(!out, 0))
        return NULL;
    /* Routes avoid links that are down, but the last one cannot be avoided. */
    return __builtin_expect(out->slow_path & SLOW_LINK, 0) && out->is_down ? NULL : out;
}

#endif
