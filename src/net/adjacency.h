/* src/net/adjacency.h - the switches of a graph and the links between them that are up, as each switch sees them.
 *
 * Hosts do not forward, so routes are found among switches alone; there are far fewer of them than hosts.
 */
#ifndef NET_ADJACENCY_H
#define NET_ADJACENCY_H

#include "net/graph.h"

#define ADJACENCY_NONE UINT32_MAX        /* the number of a node that is no switch */

struct adjacent { uint32_t to, port, link; };    /* a link as one of its ends sees it; 'to' is a switch's number */

struct adjacency {
    uint32_t         switches;
    uint32_t        *number;     /* by node: switches are numbered from 0 in the order of nodes */
    uint32_t        *first;      /* by switch, and one more: its links in 'edge' */
    struct adjacent *edge;
};

/* first_port: by node, the global id of its first port; ports are numbered in the order of a node's links. down: by link,
 * it does not exist now; NULL: all do. Links of a switch are ordered by descending neighbour, or by ascending one, then
 * by ascending port. */
void adjacency_init(struct adjacency *, const struct graph *, const uint32_t *first_port, const bool *down,
                    bool is_ascending);
void adjacency_fini(struct adjacency *);

#endif
