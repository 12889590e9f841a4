/* src/live/core/rack.h - what relays and controllers say to each other: the messages of many devices in one.
 *
 * Up, a relay sends once per interval what its devices have reported. A device that is idle and has nothing
 * special to say takes a row of numbers; all else is an item, a message as the agent sent it. Flow sizes of
 * all are one sum; what hosts tell of their messages stays that of each, since it is as long as it is however
 * long the interval was. Down, a controller answers with the number of what it has heard: each device gets
 * the lease that it would have got without a relay. Other messages are items.
 *
 *   life   of the relay, another one after each start: its slots mean nothing to those who knew an earlier
 *          one
 *   slot   a device behind the relay, in this incarnation: never given twice in a life
 *
 * As with messages, these may be lost, late, doubled or out of order.
 */
#ifndef LIVE_CORE_RACK_H
#define LIVE_CORE_RACK_H

#include "live/core/msg.h"

#define RACK_DEVICES_MAX 256     /* behind one relay */

/* a report of a device that is idle, neither frozen nor broken, with no guardrail broken */
struct rack_row {
    uint32_t          slot;
    uint64_t          stamp_us;
    struct msg_sample sample;    /* without detail */
};

struct rack_item { uint32_t slot; struct msg msg; };     /* without detail */
struct rack_told { uint32_t slot; struct seen_part part; };      /* messages of a host, beside its report */

struct rack {
    uint64_t          life;
    uint64_t          number;    /* up: of this one; down: of the one whose reports have all been heard; 0:
                                  * none */
    uint64_t          term;      /* down: the controller's; up: 0, because a relay does not speak for its
                                  * devices */
    uint32_t          rows, items, gones;
    struct rack_row   row[RACK_DEVICES_MAX];
    uint32_t          gone[RACK_DEVICES_MAX];            /* slots whose agents have left */
    struct fsd        fsd;       /* of all rows together */
    struct rack_item *item;
    uint32_t          items_max;
    struct rack_told *told;
    uint32_t          tolds, tolds_max;
};

void rack_init(struct rack *, uint64_t life);
void rack_fini(struct rack *);

/* Empties it; life stays. */
void rack_clear(struct rack *);

void rack_add(struct rack *, uint32_t slot, const struct msg *);

/* Room for what one more host tells, good until the next; RACK_DEVICES_MAX at most. */
struct seen_part *rack_tell(struct rack *, uint32_t slot);

/* Makes 'to', which holds nothing, another of the same. */
void rack_copy(struct rack *to, const struct rack *from);

bool rack_is_empty(const struct rack *);

#endif
