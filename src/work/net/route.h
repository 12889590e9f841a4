/* src/work/net/route.h - the forwarding tables of switches.
 *
 * All shortest paths are used; hosts do not forward. Hosts behind the same switch share their routes, so a
 * switch keeps one entry per such group of hosts. Equal sets of next hops are stored once per switch.
 *
 * Weighted tables repeat a port in its set in proportion to the capacity toward the destination. This
 * capacity is the smaller of the link's rate and the share of the capacity beyond it.
 */
#ifndef WORK_NET_ROUTE_H
#define WORK_NET_ROUTE_H

#include "work/net/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct route_host {              /* how to reach a host */
    uint32_t group;              /* group of the node it is connected to */
    uint32_t port;               /* global id of that node's port to the host */
};

struct route {
    uint32_t           groups;
    struct route_host *host;     /* by node; valid for hosts */
    size_t            *row;      /* by node: start of its entries in 'entry' */
    uint32_t          *entry;  /* row[node] + group: ROUTE_LOCAL, ROUTE_ONE | port, or an index into 'hop' */
    uint32_t          *hop;      /* count, then that many global port ids; count 0: no route */
    uint16_t          *paths;    /* by entry: paths to the group, minus 1; NULL: not requested */
};

struct route_cfg {
    const uint32_t *first_port;  /* by node: global id of its first port */
    const bool     *down;        /* by link: true if it is down; NULL: all are up */
    bool            is_weighted, with_paths;
    bool            is_ascending, is_by_visit;   /* order of next hops, see route_build() */
};

#define ROUTE_LOCAL UINT32_MAX   /* entry of a node for its own group */
/* flag: the only next hop follows. With paths: only one path, or no hosts here */
#define ROUTE_ONE   0x80000000u

#define ROUTE_WEIGHT_MAX 16      /* largest weight of a port in a set */

/* Builds the tables in the arena. Port ids are global: node by node, in the order of the node's links. Next
 * hops are sorted by descending neighbor, then ascending port, as in the HPCC ns-3 fork; with is_ascending by
 * ascending neighbor, as in the ConWeave fork. With is_by_visit, they are in the order in which a
 * breadth-first search from the destination reaches them, visiting neighbors in that order; this differs if
 * shortest paths are not alike. */
void route_build(struct route *, struct arena *, const struct graph *, const struct route_cfg *);

#endif
