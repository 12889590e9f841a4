#include "sim/look_ahead.h"
#include "sim/host/nic.h"
#include "sim/state/owner.h"

/* Both are part of look_ahead(), since gcc 12 leaves calls of functions out that only prefetch. First the ports and hosts that own the events, and queues. */
static inline __attribute__((always_inline)) void look_at_owner(const struct sim *s, const struct event *e)
{
    const struct port *p = owner_of(&s->engine.evq, e);

    __builtin_prefetch(p, 1);
    if (owner_kind(e) == EV_SWITCH_FREE) {
        __builtin_prefetch(&p->mark_above_bytes, 1);
        __builtin_prefetch(&p->counters, 1);
    }
    if (e->next < EVQ_HEAP)
        __builtin_prefetch(evq_event(&s->engine.evq, e->next), 1);
}

/* Then what leaves next. The ports and flows that arriving packets lead to are not asked for: finding them costs more than it gains. */
static inline __attribute__((always_inline)) void look_further(const struct sim *s, const struct event *e)
{
    const struct port *p = (const struct port *)e;

    if (owner_kind(e) == EV_SWITCH_FREE && p->backlog)
        __builtin_prefetch(&s->engine.packets.packet[p->queue[__builtin_ctz(p->backlog)].head], 1);
}

/* A network that does not fit the cache: asks for what the coming events will touch before the first of them
 * needs it, in two rounds, since each leads to the next. */
void look_ahead(void *sim, const uint32_t *events, uint32_t count, uint32_t nearness)
{
    const struct sim *s = sim;

    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = evq_event(&s->engine.evq, events[i]);

        if (nearness == 2)
            look_at_owner(s, e);
        else
            look_further(s, e);
    }
}
