/* src/net/shortest.h - which neighbours of a switch are next on a shortest path, for many targets at once.
 *
 * Distances are found for 64 targets at a time, one bit each. Then the targets of a switch are divided into classes that
 * share their next hops: link by link, each class is split into those targets that the link leads to and those that it
 * does not. Links that lead to the same targets, as all those up a Clos network do, are looked at once.
 */
#ifndef NET_SHORTEST_H
#define NET_SHORTEST_H

#include "net/adjacency.h"

#define SHORTEST_FAR UINT16_MAX          /* cannot be reached, or over more links than this counts */

struct shortest {
    const struct adjacency *adjacency;
    uint32_t  targets;
    uint16_t *distance;          /* [switch * targets + target] */

    /* Of the switch looked at last. */
    uint32_t *class_of;          /* by target; class 0 has no next hops */
    uint32_t  classes;           /* numbers below this are or were in use */

    uint16_t *leads, *led;       /* by target: whether a link leads there, and whether the one before it did */
    uint32_t *members;           /* by class */
    uint32_t *child, *split_by;  /* by class: where those go that link 'split_by' leads to */
    uint32_t *unused, unused_count;
};

/* target: switches by number, or ADJACENCY_NONE: nothing leads there. */
void shortest_init(struct shortest *, const struct adjacency *, const uint32_t *target, uint32_t targets);
void shortest_fini(struct shortest *);

/* Finds the classes of a switch. */
void shortest_divide(struct shortest *, uint32_t from);

/* The ports of a switch that are next on the way to a target, in the order of its links; returns how many. */
uint32_t shortest_hops(const struct shortest *, uint32_t from, uint32_t target, uint32_t *port);

#endif
