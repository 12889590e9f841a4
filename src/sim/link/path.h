/* src/sim/link/path.h - the few steps that every packet takes at every port, kept inline.
 *
 * Ownership: path_transmit() takes the packet; it belongs to the wire until it arrives. path_enqueue()
 * takes it; it belongs to the queue until path_dequeue() returns it.
 */
#ifndef SIM_LINK_PATH_H
#define SIM_LINK_PATH_H

#include "sim/observe/queue_telemetry.h"
#include "sim/sim.h"

/* Puts packet 'id' on the wire of an idle port. PFC frames are not lost to errors: a real switch repeats
 * them, ours says a thing once. */
static inline void path_transmit(struct sim *s, struct port *p, uint32_t id, struct packet *k)
{
    uint32_t number = sim_number(s, p->node), tx = p->tx_ps[k->bytes];
    uint32_t age = tx + p->delay_ps;     /* does not overflow: see GRAPH_DELAY_PS_MAX */
    uint64_t arrives = s->now_ps + age, order = sim_order_of_age(age, number + 1);

    p->free_at_ps = s->now_ps + tx;
    p->free_order = sim_order_of_age(tx, number);
    p->counters.tx_packets[k->kind]++;
    p->counters.tx_bytes += k->bytes;
    if (__builtin_expect(p->slow_path & (SLOW_LINK | SLOW_COUNTED), 0)) {
        if (p->slow_path & SLOW_COUNTED)
            telemetry_on_send(s, p, k);
        if (k->kind != PACKET_PFC && p->is_lossy && port_is_hit(p, k->bytes)) {
            s->counters.dropped_wire++;
            sim_drop(s, id);
            return;
        }
    }
    k->next = 0;
    if (p->wire_head) {
        struct packet *tail = &s->packets.packet[p->wire_tail];

        tail->next = id;
        tail->next_at_ps = arrives;
        tail->next_order = order;
    } else {
        p->wire_head = id;
        s->evq.slot[sim_slot_arrive(p)].hint = id;
        evq_add(&s->evq, sim_slot_arrive(p), arrives, order);
    }
    p->wire_tail = id;
}

/* Was the link down when packet 'id', which now arrives at 'to', was on it? Then it is gone. */
static inline bool path_is_cut(struct sim *s, const struct port *to, uint32_t id, const struct packet *k)
{
    uint64_t left_at = s->now_ps - to->peer->delay_ps - to->peer->tx_ps[k->bytes];

    if (!to->was_down || (!to->is_down && left_at >= to->down_at_ps))
        return false;
    s->counters.dropped_down++;
    sim_drop(s, id);
    return true;
}

/* Queues 'id' in queue q without looking at anything else. */
static inline void path_enqueue(struct sim *s, struct port *p, uint32_t q, uint32_t id, struct packet *k)
{
    struct queue *queue = &p->queue[q];

    k->next = 0;
    if (queue->head)
        s->packets.packet[queue->tail].next = id;
    else
        queue->head = id;
    queue->tail = id;
    queue->bytes += k->bytes;
    p->backlog |= (uint16_t)(1u << q);
}

/* Takes the first packet out of queue q. */
static inline uint32_t path_dequeue(struct sim *s, struct port *p, uint32_t q)
{
    struct queue  *queue = &p->queue[q];
    uint32_t       id = queue->head;
    struct packet *k = &s->packets.packet[id];

    queue->head = k->next;
    queue->bytes -= k->bytes;
    if (k->next)
        __builtin_prefetch(&s->packets.packet[k->next], 1);      /* goes next, and may have waited long */
    else
        p->backlog &= (uint16_t)~(1u << q);
    return id;
}

/* Asks for the event at which a busy port becomes free, once. */
static inline void path_await_free(struct sim *s, struct port *p)
{
    uint32_t slot = sim_slot_free(p);

    if (!evq_is_pending(&s->evq, slot))
        evq_add(&s->evq, slot, p->free_at_ps, p->free_order);
}

#endif
