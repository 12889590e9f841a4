/* src/sim/state/owner.h - the kinds of events, and who owns an event: an address and, in its three low bits, the kind. */
#ifndef SIM_STATE_OWNER_H
#define SIM_STATE_OWNER_H

#include "sim/state/state.h"

/* Everything that can happen in the world. */
enum event_kind {
    EV_AT_SWITCH,                /* the first packet on a wire reaches a switch */
    EV_AT_HOST,                  /* or a host */
    EV_SWITCH_FREE,              /* the last byte has left a port, and something waits */
    EV_HOST_FREE,
    EV_WAKE,                     /* a pacer lets a queue pair send */
    EV_TIMER,                    /* one of many, by its number: see on_timer() */
    EV_CHANGE,                   /* links of a node go down or up */
    EV_FLOW,                     /* a stream starts its next flow, or signals act */
};

static inline void owner_set(struct engine *e, uint32_t event, enum event_kind kind, void *owner)
{
    assert(((uintptr_t)owner & 7) == 0 && kind < 8);
    e->evq.event[event].owner = (char *)owner + kind;
}

static inline enum event_kind owner_kind(const struct event *e)
{
    return (enum event_kind)((uintptr_t)e->owner & 7);
}

/* Of an event whose kind is known. */
static inline void *owner_as(const struct event *e, enum event_kind kind)
{
    assert(owner_kind(e) == kind);
    return e->owner - kind;
}

static inline void *owner_of(const struct event *e)
{
    return (void *)((uintptr_t)e->owner & ~(uintptr_t)7);    /* NOLINT(performance-no-int-to-ptr): one instruction */
}

#endif
