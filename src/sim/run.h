/* src/sim/run.h - what building the world (sim.c) and running it (run.c) share: the kinds of events, and who owns
 * them.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "sim/sim.h"

#include <assert.h>

/* Everything that can happen in the world. */
enum event_kind {
    EV_AT_SWITCH,                /* the first packet on a wire reaches a switch */
    EV_AT_HOST,                  /* or a host */
    EV_SWITCH_FREE,              /* the last byte has left a port, and something waits */
    EV_HOST_FREE,
    EV_WAKE,                     /* a pacer lets a queue pair send */
    EV_TIMEOUT,                  /* a host looks for flows that make no progress; by the slot, that and more */
    EV_CHANGE,                   /* links of a node go down or up */
    EV_FLOW,                     /* a stream starts its next flow */
};

/* A slot's owner is an address and, in its three low bits, the kind of event. */
static inline void run_own(struct sim *s, uint32_t slot, enum event_kind kind, void *owner)
{
    assert(((uintptr_t)owner & 7) == 0 && kind < 8);
    s->evq.slot[slot].owner = (char *)owner + kind;
}

static inline enum event_kind run_kind_of(const struct evq_slot *e)
{
    return (enum event_kind)((uintptr_t)e->owner & 7);
}

static inline void *run_owner_of(const struct evq_slot *e)
{
    return (void *)((uintptr_t)e->owner & ~(uintptr_t)7);    /* NOLINT(performance-no-int-to-ptr): one instruction */
}

/* A bucket of the event queue opens in a network that does not fit the cache. */
void run_look_ahead(void *sim, const uint32_t *slots, uint32_t count);

/* The streams of flows: their room, and the first flow of each. */
void run_allocate_streams(struct sim *);
void run_build_streams(struct sim *);

/* The change of links after 'epoch' of them, at one node. */
void run_schedule_change(struct sim *, uint32_t node, uint32_t epoch);

/* Gives a node the routes of its epoch. */
void sim_use_routes(struct sim *, struct node *);

#endif
