/* src/net/adjacency.h - adjacency lists of the switches of a graph, over the links that are up.
 *
 * Hosts do not forward, so routes are searched among switches alone. There are far fewer switches than hosts.
 */
#ifndef NET_ADJACENCY_H
#define NET_ADJACENCY_H

#include "net/graph.h"

#define ADJACENCY_NONE UINT32_MAX        /* number of a node that is not a switch */

struct adjacent { uint32_t to, port, link; };    /* a link seen from one end; 'to' is the number of a
                                                  * switch */

struct adjacency {
    uint32_t         switches;
    uint32_t        *number;     /* by node: the number of a switch, from 0 in node order */
    uint32_t        *first;      /* by switch, with a sentinel: index of its first link in 'edge' */
    struct adjacent *edge;
};

/* Builds the lists. first_port holds, by node, the global id of its first port; ports follow the order of the
 * node's links. 'down' marks, by link, the links that are down; NULL: all are up. The links of a switch are
 * sorted by descending neighbor, or ascending if is_ascending, then by ascending port. */
void adjacency_init(struct adjacency *, const struct graph *, const uint32_t *first_port, const bool *down,
                    bool is_ascending);
void adjacency_fini(struct adjacency *);

#endif
