/* src/sim/link/path.h - the few steps that every packet takes at every port, kept inline.
 *
 * Ownership: path_transmit() takes the packet; it belongs to the wire until it arrives, unless it is lost there.
 * path_enqueue() takes it; it belongs to the queue until path_dequeue() returns it.
 */
#ifndef SIM_LINK_PATH_H
#define SIM_LINK_PATH_H

#include "sim/link/inband.h"
#include "sim/link/port.h"

/* A frame leaves by a slow path: counts it, writes on it, and tells whether the wire loses it; if so, it is gone. PFC frames
 * are not lost to errors: a real switch repeats them, ours says a thing once. Where there is a loss_stream, frames are lost
 * when they arrive. */
bool path_is_lost(struct engine *, struct port *, uint32_t id, const struct packet *);

/* Both halves of path_transmit(), and those of a port with nothing rare about it but that its link leads to another part. */
enum path_way { PATH_USUAL, PATH_BORDER, PATH_ANY };

static inline void path_put(struct engine *e, struct port *p, uint32_t id, struct packet *k, enum path_way way)
{
    uint32_t number = way == PATH_BORDER ? engine_node_number(&p->node->next_number) : engine_number(e, &p->node->next_number);
    uint32_t tx = p->tx_ps[k->bytes];
    uint32_t age = tx + p->delay_ps;     /* does not overflow: see GRAPH_DELAY_PS_MAX */
    uint64_t arrives = e->now_ps + age, order = engine_order_of_age(age, number + 1);

    p->free_at_ps = e->now_ps + tx;
    p->free_order = engine_order_of_age(tx, number);
    p->counters.tx_packets[k->kind]++;
    p->counters.tx_bytes += k->bytes;
    if (way == PATH_ANY && path_is_lost(e, p, id, k))
        return;
    k->event.at_ps = arrives;
    k->event.order = order;
    k->event.owner = p->to;
    if (way == PATH_BORDER || (way == PATH_ANY && p->slow_path & SLOW_BORDER))
        e->border.take(e->border.arg, p, id);
    else
        evq_put(&e->evq, &k->event, id);
}

/* What SLOW_RECORD and SLOW_PROBED are for. */
static inline void path_write(struct engine *e, struct port *p, uint32_t id, struct packet *k)
{
    if (p->slow_path & SLOW_RECORD && k->kind == PACKET_DATA)
        inband_record(e, p, id, k);
    if (p->slow_path & SLOW_PROBED)
        inband_stamp(e, k);
}

__attribute__((noinline)) void path_put_slowly(struct engine *, struct port *, uint32_t id, struct packet *);

#define PATH_SLOW (SLOW_LINK | SLOW_COUNTED | SLOW_INBAND | SLOW_BORDER | SLOW_TAPPED)

/* Puts packet 'id' on the wire of an idle port. */
static inline void path_transmit(struct engine *e, struct port *p, uint32_t id, struct packet *k)
{
    if (__builtin_expect_with_probability((p->slow_path & (PATH_SLOW | SLOW_RECORD | SLOW_PROBED)) != 0, 0, 0.9999)) {
        if (p->slow_path & PATH_SLOW) {
            path_put_slowly(e, p, id, k);
            return;
        }
        path_write(e, p, id, k);
    }
    path_put(e, p, id, k, PATH_USUAL);
}

/* Was the link down when packet 'id', which now arrives at 'to', was on it? Then it is gone. */
static inline bool path_is_cut(struct engine *e, const struct port *to, uint32_t id, const struct packet *k)
{
    uint64_t left_at = e->now_ps - to->peer->delay_ps - to->peer->tx_ps[k->bytes];

    if (!to->was_down || (!to->is_down && left_at >= to->down_at_ps))
        return false;
    e->counters.dropped_down++;
    engine_drop(e, id);
    return true;
}

/* loss_stream: is the frame lost that now arrives, be it a PFC frame? Then it is gone. Every frame that arrives takes one number. */
bool path_is_corrupt(struct engine *, const struct port *to, uint32_t id, const struct packet *);

/* Of a port with SLOW_LINK: is what now arrives lost with the link, or by an error? */
static inline bool path_is_gone(struct engine *e, const struct port *to, uint32_t id, const struct packet *k)
{
    return path_is_cut(e, to, id, k) || (e->loss_stream && path_is_corrupt(e, to, id, k));
}

/* Queues 'id' in queue q without looking at anything else. */
static inline void path_enqueue(struct engine *e, struct port *p, uint32_t q, uint32_t id, struct packet *k)
{
    struct queue *queue = &p->queue[q];

    k->next = 0;
    if (queue->head)
        e->packets.packet[queue->tail].next = id;
    else
        queue->head = id;
    queue->tail = id;
    queue->bytes += k->bytes;
    p->backlog |= (uint16_t)(1u << q);
}

/* Takes the first packet out of queue q. */
static inline uint32_t path_dequeue(struct engine *e, struct port *p, uint32_t q)
{
    struct queue  *queue = &p->queue[q];
    uint32_t       id = queue->head;
    struct packet *k = &e->packets.packet[id];

    queue->head = k->next;
    queue->bytes -= k->bytes;
    if (k->next)
        __builtin_prefetch(&e->packets.packet[k->next], 1);      /* goes next, and may have waited long */
    else
        p->backlog &= (uint16_t)~(1u << q);
    return id;
}

/* Asks for the event at which a busy port becomes free, once. */
static inline void path_await_free(struct engine *e, struct port *p)
{
    if (p->free.next == EVQ_IDLE)
        evq_put(&e->evq, &p->free, evq_id(&e->evq, p));
}

#endif
