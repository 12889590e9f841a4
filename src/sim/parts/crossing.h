/* src/sim/parts/crossing.h - passes packets and signals between parts of the world.
 *
 * A packet sent on a link to another part (SLOW_BORDER) is written to a ring with one writer and one reader,
 * and becomes an event of the receiving part.
 */
#ifndef SIM_PARTS_CROSSING_H
#define SIM_PARTS_CROSSING_H

#include "sim/parts/divide.h"
#include "sim/state/state.h"

#include <stdatomic.h>

#define RING_SIZE_MAX (1u << 14)

/* Optional data attached to a packet. */
struct crossing_more {
    struct lb_tag       tag;
    struct conweave_tag woven;
    struct inband       inband;  /* last, so that worlds without telemetry do not touch it */
};

/* Single-producer, single-consumer ring; indices wrap around. An entry is one cache line. As few entries as
 * possible are in use, because each must move between processors. */
struct ring {
    _Alignas(64) _Atomic uint32_t put;
    _Alignas(64) _Atomic uint32_t got;
    struct packet        *packet;    /* or signals: see crossing_write_signal(); NULL: no such link */
    struct crossing_more *more;      /* NULL: no attached data */
    uint32_t              size;      /* a power of two */
};

/* Returns zeroed memory in cache lines of its own. */
void *crossing_alloc(size_t bytes);

void ring_build(struct ring *, const struct packet_pool *, uint32_t ports);
void ring_free(struct ring *);

/* Finds the links of part 's' to others. ahead_ps: least delay from each other part; NEVER: no link. */
void crossing_build(struct sim *s, uint64_t ahead_ps[PARTS_MAX]);

/* Returns the number of links from a part to part 's'. */
uint32_t crossing_links(const struct sim *s, uint32_t from);

/* Returns true if a ring has room. */
bool ring_has_room(const struct ring *);

/* Writes packet 'id', or a signal, to the ring, which must have room. */
void ring_put_packet(struct ring *, const struct packet_pool *, uint32_t id);
void ring_put_signal(struct ring *, const struct signal *);

/* Takes packets and signals out of the ring and schedules them in part 's'. They are never before its clock.
 * A part that has failed discards them. */
void crossing_take(struct sim *s, struct ring *);

#endif
