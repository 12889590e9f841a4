/* src/sim/nic/turn.h - round robin over the ready queue pairs of a host.
 *
 * Positions follow the list of the HPCC ns-3 fork. The list keeps finished queue pairs until a scan passes
 * them, because the order of service depends on it.
 */
#ifndef SIM_NIC_TURN_H
#define SIM_NIC_TURN_H

#include "sim/nic/nic.h"

/* Appends a new flow to the list. */
void turn_add(struct sim *, struct host *, struct flow *);

/* turn_clear() empties the list; turn_put() appends a flow again. */
void turn_clear(struct sim *, struct host *);
void turn_put(struct sim *, struct host *, struct flow *);

/* Marks a flow as finished. It must be neither ready nor waiting. */
void turn_finish(struct sim *, struct host *, const struct flow *);

/* Removes finished entries from position 'from' on. Returns the new position of 'keep'. */
uint32_t turn_compact(struct sim *, struct host *, uint32_t from, uint32_t keep);

uint32_t turn_next_of_many(struct sim *, struct host *, uint8_t paused);

/* Returns the position of the flow to serve after the one served last, or UINT32_MAX. Skips the classes in
 * 'paused'. Optimised for a few flows that are neither paused nor blocked. */
static inline uint32_t turn_next(struct sim *s, struct host *h, uint8_t paused)
{
    uint32_t start = h->last + 1;

    if (!h->ready_count && !h->dead)
        return UINT32_MAX;
    if (h->count > 63 || start > h->count || h->dead | paused || s->hosts.has_held)
        return turn_next_of_many(s, h, paused);
    uint64_t word = h->ready[0] >> start << start;
    h->last = (uint32_t)__builtin_ctzll(word ? word : h->ready[0]);
    return h->last;
}

/* ---- completion of acknowledged messages ---- */

/* Ends a flow that is not persistent and completely acknowledged. */
void finish_flow(struct sim *, struct host *, struct flow *);

/* Completes the acknowledged messages of a persistent queue pair. Returns true if it is idle now. */
bool finish_messages(struct sim *, struct host *, struct flow *);

#endif
