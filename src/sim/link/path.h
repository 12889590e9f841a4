/* src/sim/link/path.h - a packet's steps at a port: queue, schedule, transmit, arrive; and telemetry.
 *
 * The steps that every packet takes are inline. Ownership: path_transmit() takes the packet; the wire owns it
 * until it arrives or is lost. path_enqueue() takes the packet; the queue owns it until path_dequeue()
 * returns it.
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

/* Removes the first packet of queue q, which must not be empty. */
static inline uint32_t path_dequeue(struct engine *e, struct port *p, uint32_t q)
{
    struct queue  *queue = &p->queue[q];
    uint32_t       id = queue->head;
    struct packet *k = &e->packets.packet[id];

    queue->head = k->next;
    queue->bytes -= k->bytes;
    if (k->next)
        __builtin_prefetch(&e->packets.packet[k->next], 1);      /* it leaves next; may have left the cache */
    else
        p->backlog &= (uint16_t)~(1u << q);
    return id;
}

/* Schedules the event at which a busy port becomes free, unless it is pending. */
static inline void path_await_free(struct engine *e, struct port *p)
{
    if (p->free.next == EVQ_IDLE)
        evq_put(&e->evq, &p->free, evq_id(&e->evq, p));
}

/* ---- scheduling: control first, then strict classes from the highest, then round robin ---- */

/* Updates the round robin state: class c sends a packet. */
static inline void path_take_turn(const struct scheduler_cfg *cfg, struct port *p, uint32_t c)
{
    if (!((cfg->strict_prios | 1u << QUEUE_CONTROL) >> c & 1))
        p->last_prio = (uint8_t)c;
}

/* Chooses one of several queues in 'mask'. */
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

enum path_fate { PATH_ARRIVES, PATH_LOST, PATH_CROSSES };    /* CROSSES: to another part */

#define PATH_SLOW (SLOW_LINK | SLOW_COUNTED | SLOW_INBAND | SLOW_BORDER | SLOW_TAPPED | SLOW_RECORD | \
                   SLOW_PROBED | SLOW_LEAP | SLOW_CUT)

/* Draws whether a bit error or a random loss hits a frame of this size. */
bool path_is_hit(const struct port *, uint32_t bytes);

/* Returns the time from the start of a frame to its arrival at the other end: the arrival of its last byte
 * or, at a cut-through switch, of its first CUT_BYTES, after which the switch may forward it. Does not
 * overflow: see GRAPH_DELAY_PS_MAX. */
static inline uint32_t path_age(const struct port *p, uint32_t bytes)
{
    return p->tx_ps[p->slow_path & SLOW_CUT && bytes > CUT_BYTES ? CUT_BYTES : bytes] + p->delay_ps;
}

/* Puts a packet on the wire. 'age': path_age() of the frame. */
static inline void path_put(struct engine *e, struct port *p, uint32_t id, struct packet *k,
                            enum path_fate fate, uint32_t age)
{
    uint32_t number = engine_number(e, &p->node->next_number);
    uint32_t tx = p->tx_ps[k->bytes];

    p->free_at_ps = e->now_ps + tx;
    p->free_order = engine_order_of_age(tx, number);
    p->counters.tx_packets[packet_class(k)]++;
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

/* Slow path of path_transmit(): counts the packet, writes telemetry, and decides whether the wire loses it.
 * PFC frames are never lost to errors here, because our switches do not repeat them. With engine.loss_stream,
 * frames are lost on arrival instead. */
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

/* Counts a packet that is lost because the link of this port went down. */
void path_count_cut(struct engine *, const struct port *);

/* Handles the arrival of a packet at a port with SLOW_LINK. Returns true if it was lost: the link went down
 * while it was on the wire or, with engine.loss_stream, an error hit it. Each arriving frame takes one number
 * of that stream. */
bool path_is_gone(struct engine *, const struct port *to, uint32_t id, const struct packet *);

/* ---- telemetry in packets ----
 *
 * A host's port starts with an empty record. When a packet leaves a switch queue, the switch adds a record
 * (CC_HOPS), raises one number (CC_DIGEST) or counts itself (CC_PATH). Queue lengths do not include the
 * packet. The receiver sends a copy back; with CC_PATH its port adds how long it held the packet.
 *
 * After link failures a packet may pass more switches than there is room for. It then ends with CC_HOPS_MAX +
 * 1 records and is ignored. The records are in packet_pool.inband. */

/* CC_DIGEST: returns the next random number of a node. */
uint32_t inband_random(struct engine *, uint32_t node);

#endif
