/* src/net/shortest.h - next hops on shortest paths, for many targets at once.
 *
 * Distances are computed for 64 targets at a time, one bit each. The targets of a switch are then divided
 * into classes with equal next hops. Each link splits every class into the targets it leads to and the
 * others. A link that leads to the same targets as the previous one is skipped, as all uplinks of a Clos
 * network but one.
 */
#ifndef NET_SHORTEST_H
#define NET_SHORTEST_H

#include "net/adjacency.h"

#define SHORTEST_FAR UINT16_MAX          /* unreachable, or farther than the type can count */

struct shortest {
    const struct adjacency *adjacency;
    uint32_t  targets;
    uint16_t *distance;          /* [switch * targets + target] */

    /* State of the last shortest_divide(). */
    uint32_t *class_of;          /* by target; class 0 has no next hops */
    uint32_t  classes;           /* class numbers below this are or were in use */

    uint16_t *leads, *led;       /* by target: reached through this link, and through the previous one */
    uint32_t *members;           /* by class */
    uint32_t *child, *split_by;  /* by class: the class for the targets that link 'split_by' leads to */
    uint32_t *unused, unused_count;
};

/* target: switch numbers, or ADJACENCY_NONE for unreachable targets. */
void shortest_init(struct shortest *, const struct adjacency *, const uint32_t *target, uint32_t targets);
void shortest_fini(struct shortest *);

/* Divides the targets into classes, for the switch 'from'. */
void shortest_divide(struct shortest *, uint32_t from);

/* Stores the ports on shortest paths to a target, in the order of the switch's links. Returns their
 * number. */
uint32_t shortest_hops(const struct shortest *, uint32_t from, uint32_t target, uint32_t *port);

#endif
