#include "sim/look_ahead.h"
#include "sim/state/owner.h"

/* The ports and hosts that own the events, the queues of ports that will be free, and the second events of buckets. Kinds come in
 * no order, so that a branch on them would be guessed wrong too often: what is not of use asks for a line twice.
 *
 * What lies behind these is not asked for, neither the ports and flows that arriving packets lead to nor the packets that leave
 * next: finding them costs more than it gains. */
void look_ahead(void *sim, const uint32_t *events, uint32_t count)
{
    const struct evq *q = &((const struct sim *)sim)->engine.evq;

    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = evq_event(q, events[i]);
        const char         *owner = owner_of(q, e);
        uint32_t            is_last = e->next >= EVQ_HEAP, next = e->next + is_last * (events[i] - e->next);

        __builtin_prefetch(owner, 1);
        __builtin_prefetch(owner + (owner_kind(e) == EV_SWITCH_FREE) * offsetof(struct port, mark_above_bytes), 1);
        __builtin_prefetch(evq_event(q, next), 1);
    }
}
