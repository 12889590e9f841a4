/* src/net/route.h - where a switch may send a packet.
 *
 * Hosts behind the same switch are reached the same way, so a switch keeps one
 * entry per such group of hosts, not per host, and equal sets of next hops are
 * kept once per switch. All shortest paths count; hosts do not forward.
 *
 * Weighted: where next hops differ in what they can carry to the destination (by the rate of the link to them, or
 * by what each link that leads there finds behind it, whichever is less), a port stands in the set as often as its
 * share is worth.
 */
#ifndef NET_ROUTE_H
#define NET_ROUTE_H

#include "net/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct route_host {              /* how a host is reached */
    uint32_t group;              /* of the node its link leads to */
    uint32_t port;               /* global id of that node's port */
};

struct route {
    uint32_t           groups;
    struct route_host *host;     /* by node; only hosts */
    size_t            *row;      /* by node: start of its entries in 'entry' */
    uint32_t          *entry;    /* row[node] + group: ROUTE_LOCAL, ROUTE_ONE | port, or a place in 'hop' */
    uint32_t          *hop;      /* count, then that many global port ids; count 0: no way */
    uint16_t          *paths;    /* beside 'entry': ways from here to the group, all switches' together, less 1.
                                  * NULL: nobody has asked */
};

struct route_cfg {
    const uint32_t *first_port;  /* by node: global id of its first port */
    const bool     *down;        /* by link: it does not exist now; NULL: all do */
    bool            is_weighted, with_paths;
    bool            is_ascending, is_by_visit;   /* the order of next hops: see below */
};

#define ROUTE_LOCAL UINT32_MAX   /* the entry of a node for its own group */
#define ROUTE_ONE   0x80000000u  /* there is one next hop, and this is it. With paths: and one path, or no hosts */

#define ROUTE_WEIGHT_MAX 16      /* of a port in a weighted set */

/* Port ids are global: node by node, then in the order of the node's links. Next hops are ordered by descending
 * neighbour, then ascending port, as in the HPCC ns-3 fork; or by ascending neighbour, as in ConWeave's. By visit: as a breadth-first search from the
 * destination, which looks at neighbours in that order, comes to them; that differs where shortest paths are not alike. Memory comes from the arena. */
void route_build(struct route *, struct arena *, const struct graph *, const struct route_cfg *);

#endif
