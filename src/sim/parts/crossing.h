/* src/sim/parts/crossing.h - how packets and signals get from one part of the world to another.
 *
 * A packet sent on a link to another part (SLOW_BORDER) goes into a ring with one writer and one reader, and
 * becomes an event of the receiving part.
 */
#ifndef SIM_PARTS_CROSSING_H
#define SIM_PARTS_CROSSING_H

#include "sim/parts/divide.h"
#include "sim/state/state.h"

#include <stdatomic.h>

#define RING_SIZE_MAX (1u << 14)

/* Data that some worlds attach to a packet. */
struct crossing_more {
    struct lb_tag       tag;
    struct conweave_tag woven;
    struct inband       inband;  /* last: not touched where it is not used */
};

/* One writer, one reader; numbers wrap around. An entry is one cache line. As few of them as possible are
 * used, because each has to move between processors. */
struct ring {
    _Alignas(64) _Atomic uint32_t put;
    _Alignas(64) _Atomic uint32_t got;
    struct packet        *packet;    /* or a signal: see crossing_write_signal(); NULL: no link leads there */
    struct crossing_more *more;      /* NULL: nothing is attached */
    uint32_t              size;      /* a power of two */
};

void ring_build(struct ring *, const struct packet_pool *, uint32_t ports);
void ring_free(struct ring *);

/* Finds the links of part 's' to others. ahead_ps: the least delay from each other part; NEVER: no link. */
void crossing_build(struct sim *s, uint64_t ahead_ps[PARTS_MAX]);

/* Returns the number of links from a part to part 's'. */
uint32_t crossing_links(const struct sim *s, uint32_t from);

/* Returns whether a ring has room. */
bool ring_has_room(const struct ring *);

/* Lets packet 'id', or a signal, cross; there is room. */
void ring_put_packet(struct ring *, const struct packet_pool *, uint32_t id);
void ring_put_signal(struct ring *, const struct signal *);

/* Takes what has come to part 's'; it arrives at or after its clock. A part that has failed lets it go. */
void crossing_take(struct sim *s, struct ring *);

#endif
