/* src/sim/state/owner.h - the kinds of events, and who owns an event: a line and, in the three low bits, the kind.
 *
 * Ports and hosts begin lines with small numbers. What has no owner is known by the number of its event. */
#ifndef SIM_STATE_OWNER_H
#define SIM_STATE_OWNER_H

#include "sim/state/state.h"

/* Everything that can happen in the world. */
enum event_kind {
    EV_AT_SWITCH,                /* a packet, the event itself, reaches a switch by the port that owns it */
    EV_AT_HOST,                  /* or the host that owns it */
    EV_SWITCH_FREE,              /* the last byte has left a port, the event itself, and something waits */
    EV_HOST_FREE,
    EV_WAKE,                     /* a pacer lets a queue pair send */
    EV_TIMER,                    /* one of many, by its number: see on_timer() */
    EV_CHANGE,                   /* links of a node go down or up */
    EV_FLOW,                     /* a stream starts its next flow, or signals act */
};

#define OWNER_LINES (1u << 29)   /* lines that can own events */

/* What is written into an event; NULL: it has no owner. */
static inline uint32_t owner_make(const struct evq *q, enum event_kind kind, const void *owner)
{
    uint32_t line = owner ? evq_id(q, owner) : 0;

    assert(line < OWNER_LINES && kind < 8);
    return line << 3 | kind;
}

static inline enum event_kind owner_kind(const struct event *e)
{
    return (enum event_kind)(e->owner & 7);
}

/* Is it a packet that arrives? */
static inline bool owner_is_packet(const struct event *e)
{
    return owner_kind(e) <= EV_AT_HOST;
}

static inline void *owner_of(const struct evq *q, const struct event *e)
{
    return q->line + (size_t)(e->owner & ~7u) * (EVQ_LINE / 8);
}

#endif
