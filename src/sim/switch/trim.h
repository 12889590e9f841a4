/* src/sim/switch/trim.h - queues of Ultra Ethernet: two classes at each port.
 *
 * The data queue has a limit. If a packet does not fit, a coin toss selects either it or the last packet in
 * the queue, and the selected packet loses its payload. The remaining header joins the header queue, which
 * has priority and twice the limit. Without trimming the packet is dropped.
 */
#ifndef SIM_SWITCH_TRIM_H
#define SIM_SWITCH_TRIM_H

#include "sim/state/state.h"

/* Common case: charges a packet to the buffer if it fits the queue of 'out'. Returns false if it does not fit
 * or is not a UET packet. */
static inline bool trim_book(const struct sim *s, const struct port *out, struct packet *k)
{
    struct node *n = out->node;
    int64_t room = s->cfg.is_lossless ? n->shared_bytes_left : (int64_t)s->cfg.buffer_bytes - n->used_bytes;

    if ((uint64_t)out->queue[k->prio].bytes + k->bytes > s->uet.queue_bytes_max[k->prio] || k->bytes > room)
        return false;
    k->in_port = BOOKED_LOSSY;
    n->used_bytes += k->bytes;
    if (s->cfg.is_lossless)
        n->shared_bytes_left -= k->bytes;
    return true;
}

/* Admits packet 'id' to port 'out', trimmed if necessary. On return 'id' may hold another packet in another
 * class: the one that was last in the queue. Returns false if there is no room. */
bool trim_admit(struct sim *, struct port *out, uint32_t id);

#endif
