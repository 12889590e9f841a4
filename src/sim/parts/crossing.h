/* src/sim/parts/crossing.h - how packets and signals get from one part of the world to another.
 *
 * What a part sends on a link to another (SLOW_BORDER) is put into a ring with one writer and one reader, and becomes an event
 * of the receiving part.
 */
#ifndef SIM_PARTS_CROSSING_H
#define SIM_PARTS_CROSSING_H

#include "sim/parts/divide.h"
#include "sim/state/state.h"

#include <stdatomic.h>

#define RING_SIZE (1u << 14)

/* A packet, or a signal, that crosses. */
struct crossing {
    union { struct packet packet; struct signal signal; };
    struct lb_tag tag;
    bool          is_signal;
    struct conweave_tag woven;
    struct inband inband; /* last: where nobody asks for it, nobody touches it */
};

struct ring {                    /* one writer, one reader; numbers go round */
    _Alignas(64) _Atomic uint32_t put;
    _Alignas(64) _Atomic uint32_t got;
    struct crossing *crossing;   /* NULL: no link leads there */
};

/* Finds the links of part 's' to others. ahead_ps: from each other part, nothing arrives sooner than that; NEVER: nothing does
 * at all. */
void crossing_build(struct sim *s, uint64_t ahead_ps[PARTS_MAX]);

/* The place for what goes into a ring next, NULL: it is full; ring_put() lets it go. */
struct crossing *ring_place(const struct ring *);
void             ring_put(struct ring *);

/* Writes what is to cross: packet 'id', or a signal. */
void crossing_write_packet(struct crossing *, const struct packet_pool *, uint32_t id);
void crossing_write_signal(struct crossing *, const struct signal *);

/* Takes what has come to part 's'; it arrives at or after its clock. A part that has failed lets it go. */
void crossing_take(struct sim *s, struct ring *);

#endif
