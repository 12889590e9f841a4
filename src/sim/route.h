/* src/sim/route.h - where a switch may send a packet.
 *
 * Hosts behind the same switch are reached the same way, so a switch keeps one
 * entry per such group of hosts, not per host, and equal sets of next hops are
 * kept once per switch. All shortest paths count; hosts do not forward.
 */
#ifndef SIM_ROUTE_H
#define SIM_ROUTE_H

#include "sim/graph.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

struct route_host {              /* how a host is reached */
    uint32_t group;              /* of the node its link leads to */
    uint32_t port;               /* global id of that node's port */
};

struct route {
    uint32_t           groups;
    struct route_host *host;     /* by node; only hosts */
    uint32_t          *row;      /* by node: start of its entries in 'entry' */
    uint32_t          *entry;    /* row[node] + group: ROUTE_LOCAL, ROUTE_ONE | port, or a place in 'hop' */
    uint32_t          *hop;      /* count, then that many global port ids; count 0: no way */
    uint32_t           hops;     /* numbers in 'hop' */
};

#define ROUTE_LOCAL UINT32_MAX   /* the entry of a node for its own group */
#define ROUTE_ONE   0x80000000u  /* there is one next hop, and this is it */

/* Port ids are global: node by node, then in the order of the node's links. 'first_port[node]' is given;
 * 'down[link]' (may be NULL) says which links do not exist now. Next hops are ordered by descending
 * neighbour, then ascending port, as in the HPCC ns-3 fork. Memory comes from the arena. */
void route_build(struct route *, struct arena *, const struct graph *, const uint32_t *first_port, const bool *down);

#endif
