/* src/sim/parts/crossing.h - how packets and signals get from one part of the world to another.
 *
 * What a part sends on a link to another gathers in a list behind a first packet that stays (so that the sender takes no
 * notice, see path_transmit()), is put into a ring with one writer and one reader, and comes out on a wire of the
 * receiving part.
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
    uint64_t at_ps, order;
    uint32_t port;               /* that sent it; UINT32_MAX: it is a signal */
    struct inband inband; /* last: where nobody asks for it, nobody touches it */
};

struct ring {                    /* one writer, one reader; numbers go round */
    _Alignas(64) _Atomic uint32_t put;
    _Alignas(64) _Atomic uint32_t got;
    struct crossing *crossing;   /* NULL: no link leads there */
};

/* The links of a part to others. */
struct border {
    uint32_t    *out, outs;      /* ports that send to other parts */
    uint32_t    *stays;          /* of each: the packet at the head of its list */
    struct port *in;             /* wires of what comes from other parts */
    uint32_t    *in_of;          /* by sending port: which of them */
    uint32_t     ins;
};

/* Of part 's'. ahead_ps: from each other part, nothing arrives sooner than that; NEVER: nothing does at all. */
void border_build(struct border *, struct sim *s, struct arena *, uint64_t ahead_ps[PARTS_MAX]);
void border_free(struct border *);

/* The place for what goes into a ring next, NULL: it is full; ring_put() lets it go. */
struct crossing *ring_place(const struct ring *);
void             ring_put(struct ring *);

/* Writes what is to cross: packet 'id' that a port has sent, or a signal. */
void crossing_write_packet(struct crossing *, const struct sim *, const struct port *, uint32_t id, uint64_t at_ps,
                           uint64_t order);
void crossing_write_signal(struct crossing *, const struct signal *);

/* Takes what has come to part 's'; it arrives at or after its clock. A part that has failed lets it go. */
void border_take(struct border *, struct sim *s, struct ring *);

/* What is on wires between parts: adds packets, those that stay included, and their bytes. */
void border_count(const struct border *, const struct sim *, uint64_t *packets, uint64_t *payload);

#endif
