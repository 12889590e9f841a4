/* src/live/core/rack.h - messages between relays and controllers: those of many devices in one.
 *
 * Upwards, a relay sends the reports of its devices once per interval. An idle device without news takes a
 * row of numbers; everything else is an item, a message as the agent sent it. Flow sizes are summed over all
 * devices. Message statistics of hosts stay separate, since their size does not depend on the interval.
 * Downwards, a controller answers with the number of the rack it received: each device gets the lease it
 * would have got without a relay. Other messages are items.
 *
 *   life   of the relay, new after each start: slots of an earlier life are invalid
 *   slot   a device behind the relay, in this incarnation: never reused in a life
 *
 * Like messages, racks may be lost, late, duplicated or out of order.
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
struct rack_messages { uint32_t slot; struct seen_part part; };  /* messages of a host, next to its report */

struct rack {
    uint64_t          life;
    uint64_t          number;    /* up: its own; down: of the rack whose reports all arrived, or 0 */
    uint64_t          term;      /* down: the controller's; up: 0 */
    uint32_t          rows, items, gones;
    struct rack_row   row[RACK_DEVICES_MAX];
    uint32_t          gone[RACK_DEVICES_MAX];            /* slots whose agents have left */
    struct fsd        fsd;       /* of all rows together */
    struct rack_item *item;
    uint32_t          items_max;
    struct rack_messages *messages;
    uint32_t              messages_count, messages_max;
};

void rack_init(struct rack *, uint64_t life);
void rack_fini(struct rack *);

void rack_clear(struct rack *);                          /* empties it; life stays */

void rack_add(struct rack *, uint32_t slot, const struct msg *);

/* Space for the statistics of one more host, valid until the next call; at most RACK_DEVICES_MAX. */
struct seen_part *rack_add_messages(struct rack *, uint32_t slot);

bool rack_is_empty(const struct rack *);

#endif
