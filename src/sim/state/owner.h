/* src/sim/state/owner.h - the owner word of an event: the owner's line and, in the low bits, the event's
 * kind.
 *
 * Ports and hosts own events; their lines have small numbers. Numbered events have no owner.
 */
#ifndef SIM_STATE_OWNER_H
#define SIM_STATE_OWNER_H

#include "sim/state/state.h"

#define OWNER_KIND_BITS 4
#define OWNER_KINDS     ((1u << OWNER_KIND_BITS) - 1)
#define OWNER_LINES (1u << (32 - OWNER_KIND_BITS))   /* lines that can own events */

_Static_assert(EV_KINDS <= 1 << OWNER_KIND_BITS, "a kind fits its bits");

/* Returns the owner word of an event. NULL: a numbered event. */
static inline uint32_t owner_make(const struct evq *q, enum event_kind kind, const void *owner)
{
    uint32_t line = owner ? evq_id(q, owner) : 0;

    assert(line < OWNER_LINES);
    return line << OWNER_KIND_BITS | kind;
}

static inline enum event_kind owner_kind(const struct event *e)
{
    return (enum event_kind)(e->owner & OWNER_KINDS);
}

/* Returns true if the event is the arrival of a packet. */
static inline bool owner_is_packet(const struct event *e)
{
    return owner_kind(e) <= EV_AT_HOST;
}

static inline void *owner_of(const struct evq *q, const struct event *e)
{
    return q->line + (size_t)(e->owner & ~OWNER_KINDS) * (EVQ_LINE >> OWNER_KIND_BITS);
}

#endif
