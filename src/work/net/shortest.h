/* src/work/net/shortest.h - next hops on shortest paths, for many targets at once.
 *
 * Hosts do not forward, so routes are searched among switches alone, over adjacency lists of the links that
 * are up. There are far fewer switches than hosts.
 *
 * Distances are computed for 64 targets at a time, one bit each.
 */
#ifndef WORK_NET_SHORTEST_H
#define WORK_NET_SHORTEST_H

#include "work/net/graph.h"

/* ---- adjacency lists ---- */

#define ADJACENCY_NONE UINT32_MAX        /* number of a node that is not a switch */

struct adjacent { uint32_t to, port, link; };  /* a link seen from one end; 'to' is the number of a switch */

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

/* ---- shortest paths ---- */

#define SHORTEST_FAR UINT16_MAX          /* unreachable, or farther than the type can count */

struct shortest {
    const struct adjacency *adjacency;
    uint32_t  targets;
    uint16_t *distance;          /* [switch * targets + target] */
};

/* target: switch numbers, or ADJACENCY_NONE for unreachable targets. */
void shortest_init(struct shortest *, const struct adjacency *, const uint32_t *target, uint32_t targets);
void shortest_fini(struct shortest *);

/* Names, by target, the set of next hops of the switch 'from'. Equal sets have equal names, and different
 * sets different ones: a name is the sum of random 64-bit numbers of the links in the set. */
void shortest_name_sets(const struct shortest *, uint32_t from, uint64_t *name);

/* Stores the ports on shortest paths to a target, in the order of the switch's links. Returns their
 * number. */
uint32_t shortest_hops(const struct shortest *, uint32_t from, uint32_t target, uint32_t *port);

#endif
