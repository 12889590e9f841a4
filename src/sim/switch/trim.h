/* src/sim/switch/trim.h - queues of Ultra Ethernet: two classes at each port.
 *
 * Data has a limit. If a packet does not fit, either it or the last one in the queue, by a coin, loses its
 * payload: what is left joins the queue of headers, which goes first and has twice the limit. Without
 * trimming the packet is dropped.
 */
#ifndef SIM_SWITCH_TRIM_H
#define SIM_SWITCH_TRIM_H

#include "sim/state/state.h"

/* Books a packet for port 'out' if it fits: the usual case. Returns false if it does not, or is not of
 * UET. */
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

/* Books packet 'id' for port 'out', or what is left of it once it is trimmed. Afterwards it may be another
 * one, in another class: the one that was last in the queue. Returns false if there is no room. */
bool trim_admit(struct sim *, struct port *out, uint32_t id);

#endif
