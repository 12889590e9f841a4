/* src/sim/switch/forward.h - routing: finds the egress port of a packet, unless a balancer chooses it. */
#ifndef SIM_SWITCH_FORWARD_H
#define SIM_SWITCH_FORWARD_H

#include "sim/lb/lb.h"
#include "work/net/address.h"
#include "sim/state/state.h"

#include <string.h>

/* Returns the port that ECMP chooses among several next hops (see struct route). */
static inline uint32_t forward_hash(const struct node *n, uint32_t src, uint32_t dst, uint32_t ports,
                                    const uint32_t *hop)
{
    return hop[1 + ecmp_hash(n->salt, address_of_node(src), address_of_node(dst), ports) % hop[0]];
}

/* Looks up the egress port, by the ECMP hash of next hops. Returns its number + 1; 0: no route. */
static inline uint32_t forward_by_routes(const struct node *n, const struct route_host *h,
                                         const struct packet *k)
{
    uint32_t way = n->route_entry[h->group];

    if (way == ROUTE_LOCAL)
        return h->port + 1;
    if (way & ROUTE_ONE)
        return (way & ~ROUTE_ONE) + 1;
    const uint32_t *hop = n->route_hop + way;
    if (hop[0] == 0)
        return 0;
    return forward_hash(n, k->src, k->dst, k->ports, hop) + 1;
}

/* Returns the egress port of a packet that arrived at 'in', or NULL if there is none.
 *
 * Each port caches the route of its last data packet and of its last other packet, separately for even and
 * odd flow numbers. The next packet usually belongs to the same flow and needs no lookup. Routes avoid links
 * that are down, except for the last link to a host. */
static inline __attribute__((always_inline))
struct port *forward_routed(const struct sim *s, const struct port *in, const struct packet *k)
{
    struct last_way *last = &s->net.last_way[in->id][k->flow % LAST_WAYS][packet_class(k) == CLASS_DATA];
    uint64_t         nodes;

    memcpy(&nodes, &k->src, sizeof nodes);           /* copies src and dst */
    if (last->nodes != nodes || last->ports != k->ports) {
        uint32_t way = forward_by_routes(in->node, &in->node->route_host[k->dst], k);

        if (__builtin_expect(!way, 0))
            return NULL;
        *last = (struct last_way){ nodes, k->ports, way - 1 };
    }
    struct port *out = &s->net.port[last->port];
    return __builtin_expect(out->slow_path & SLOW_LINK, 0) && out->is_down ? NULL : out;
}

#endif
