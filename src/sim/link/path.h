/* src/sim/link/path.h - what happens to packets at a port: queue, schedule, transmit, arrive; telemetry.
 *
 * The steps that every packet takes are inline. Ownership: path_transmit() takes the packet; it belongs to
 * the wire until it arrives, unless it is lost. path_enqueue() takes it; it belongs to the queue until
 * path_dequeue() returns it.
 */
#ifndef SIM_LINK_PATH_H
#define SIM_LINK_PATH_H

#include "sim/link/port.h"

/* ---- queues ---- */

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

/* Takes the first packet out of queue q, which is not empty. */
static inline uint32_t path_dequeue(struct engine *e, struct port *p, uint32_t q)
{
    struct queue  *queue = &p->queue[q];
    uint32_t       id = queue->head;
    struct packet *k = &e->packets.packet[id];

    queue->head = k->next;
    queue->bytes -= k->bytes;
    if (k->next)
        __builtin_prefetch(&e->packets.packet[k->next], 1);      /* the next to leave; it may have waited
                                                                  * for long */
    else
        p->backlog &= (uint16_t)~(1u << q);
    return id;
}

/* Requests the event at which a busy port becomes free, once. */
static inline void path_await_free(struct engine *e, struct port *p)
{
    if (p->free.next == EVQ_IDLE)
        evq_put(&e->evq, &p->free, evq_id(&e->evq, p));
}

/* ---- scheduling: control first, then strict classes from the highest, then the others in turn ---- */

/* Class c sends a packet. */
static inline void path_take_turn(const struct scheduler_cfg *cfg, struct port *p, uint32_t c)
{
    if (!((cfg->strict_prios | 1u << QUEUE_CONTROL) >> c & 1))
        p->last_prio = (uint8_t)c;
}

/* Chooses among several queues of 'mask'. */
uint32_t path_choose_of_many(const struct engine *, const struct scheduler_cfg *, struct port *,
                             uint32_t mask);

/* Chooses one of the queues in 'mask', which is not 0. */
static inline uint32_t path_choose(const struct engine *e, const struct scheduler_cfg *cfg, struct port *p,
                                   uint32_t mask)
{
    uint32_t c = (uint32_t)__builtin_ctz(mask);

    if (mask & (mask - 1))
        return path_choose_of_many(e, cfg, p, mask);
    path_take_turn(cfg, p, c);
    return c;
}

/* ---- transmit ---- */

enum path_fate { PATH_ARRIVES, PATH_LOST, PATH_CROSSES };    /* crosses: its link leads to another part of
                                                              * the world */

#define PATH_SLOW (SLOW_LINK | SLOW_COUNTED | SLOW_INBAND | SLOW_BORDER | SLOW_TAPPED | SLOW_RECORD | \
                   SLOW_PROBED | SLOW_LEAP | SLOW_CUT)

/* Draws whether a bit error or a random loss hits a frame of this many bytes. */
bool path_is_hit(const struct port *, uint32_t bytes);

/* Time from the start of a frame to its arrival at the other end: with its last byte or, at a switch that
 * cuts through, with the first CUT_BYTES, from when on the switch may send it. Does not overflow: see
 * GRAPH_DELAY_PS_MAX. */
uint32_t path_age(const struct port *, uint32_t bytes);

/* age: path_age() of the frame */
static inline void path_put(struct engine *e, struct port *p, uint32_t id, struct packet *k,
                            enum path_fate fate, uint32_t age)
{
    uint32_t number = engine_number(e, &p->node->next_number);
    uint32_t tx = p->tx_ps[k->bytes];

    p->free_at_ps = e->now_ps + tx;
    p->free_order = engine_order_of_age(tx, number);
    p->counters.tx_packets[k->kind]++;
    p->counters.tx_bytes += k->bytes;
    k->event.at_ps = e->now_ps + age;
    k->event.order = engine_order_of_age(age, number + 1);
    k->event.owner = p->to;
    if (fate == PATH_ARRIVES)
        evq_put(&e->evq, &k->event, id);
    else if (fate == PATH_CROSSES)
        e->border.take(e->border.arg, p, id);
    else
        engine_drop(e, id);
}

/* Puts a packet on the wire of an idle port with a rare case: counts it, writes on it, and decides whether
 * the wire loses it. PFC frames are not lost to errors here, because our switches do not repeat them. With
 * engine.loss_stream, frames are lost on arrival. */
__attribute__((noinline)) void path_transmit_slowly(struct engine *, struct port *, uint32_t id,
                                                    struct packet *);

/* Puts packet 'id' on the wire of an idle port. */
static inline void path_transmit(struct engine *e, struct port *p, uint32_t id, struct packet *k)
{
    if (__builtin_expect_with_probability((p->slow_path & PATH_SLOW) != 0, 0, 0.9999))
        path_transmit_slowly(e, p, id, k);
    else
        path_put(e, p, id, k, PATH_ARRIVES, p->tx_ps[k->bytes] + p->delay_ps);
}

/* ---- arrive ---- */

/* A packet arrives at a port with SLOW_LINK. Returns whether it was lost: the link was down while it was on
 * the wire or, with engine.loss_stream, an error hit it. Each frame that arrives takes one number of that
 * stream. */
bool path_is_gone(struct engine *, const struct port *to, uint32_t id, const struct packet *);

/* ---- telemetry in packets ----
 *
 * A host's port begins with nothing. Every switch adds a record (CC_HOPS), raises one number (CC_DIGEST) or
 * counts itself (CC_PATH) when the packet leaves its queue; queue lengths do not include the packet. A packet
 * that passes more switches than there is room for, which only happens after links have failed, ends with
 * CC_HOPS_MAX + 1 records and is ignored. The receiver sends a copy back; with CC_PATH its port adds how long
 * it had the packet. Packets have room for it in packet_pool.inband. */

/* CC_DIGEST: returns the next random number of a node. */
uint32_t inband_random(struct engine *, uint32_t node);

#endif
