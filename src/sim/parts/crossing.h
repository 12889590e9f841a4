/* src/sim/parts/crossing.h - how packets and signals get from one part of the world to another.
 *
 * What a part sends on a link to another (SLOW_BORDER) is put into a ring with one writer and one reader, and
 * becomes an event of the receiving part.
 */
#ifndef SIM_PARTS_CROSSING_H
#define SIM_PARTS_CROSSING_H

#include "sim/parts/divide.h"
#include "sim/state/state.h"

#include <stdatomic.h>

#define RING_SIZE_MAX (1u << 14)

/* What some worlds write beside a packet. */
struct crossing_more {
    struct lb_tag       tag;
    struct conweave_tag woven;
    struct inband       inband;  /* last: where nobody asks for it, nobody touches it */
};

/* One writer, one reader; numbers go round. What crosses is one cache line, and as few of them as will do are
 * used again and again: each has to get from one processor to the other. */
struct ring {
    _Alignas(64) _Atomic uint32_t put;
    _Alignas(64) _Atomic uint32_t got;
    struct packet        *packet;    /* or a signal: see crossing_write_signal(); NULL: no link leads there */
    struct crossing_more *more;      /* NULL: nothing is written beside packets */
    uint32_t              size;      /* a power of two */
};

void ring_build(struct ring *, const struct packet_pool *, uint32_t ports);
void ring_free(struct ring *);

/* Finds the links of part 's' to others. ahead_ps: from each other part, nothing arrives sooner than that;
 * NEVER: nothing does at all. */
void crossing_build(struct sim *s, uint64_t ahead_ps[PARTS_MAX]);

/* How many links lead from a part to part 's'. */
uint32_t crossing_links(const struct sim *s, uint32_t from);

/* Whether anything more fits into a ring. */
bool ring_has_room(const struct ring *);

/* Lets packet 'id', or a signal, cross; there is room. */
void ring_put_packet(struct ring *, const struct packet_pool *, uint32_t id);
void ring_put_signal(struct ring *, const struct signal *);

/* Takes what has come to part 's'; it arrives at or after its clock. A part that has failed lets it go. */
void crossing_take(struct sim *s, struct ring *);

#endif
