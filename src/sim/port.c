#include "sim/port.h"
#include "sim/sim.h"

/* Is a frame on this wire hit? */
static bool is_lost(struct sim *s, struct port *p, const struct packet *k)
{
    double survives = (1 - p->loss) * rng_pow(1 - p->ber, 8ull * k->bytes);

    return rng_real(&s->node[p->node].rng) >= survives;
}

void port_transmit(struct sim *s, struct port *p, uint32_t id)
{
    struct packet *k = &s->packets.packet[id];
    struct node   *n = &s->node[p->node];
    uint64_t       free_at = s->now_ps + p->tx_ps[k->bytes];

    p->free_at_ps = free_at;
    p->free_order = sim_order(s, n, free_at);
    k->at_ps = free_at + p->delay_ps;
    k->order = sim_order(s, n, k->at_ps);
    p->counters.tx_packets[k->kind]++;
    p->counters.tx_bytes += k->bytes;
    if (__builtin_expect(p->is_lossy, 0) && is_lost(s, p, k)) {
        s->counters.dropped_wire++;
        sim_drop(s, id);
        return;
    }
    k->next = 0;
    if (p->wire_head) {
        s->packets.packet[p->wire_tail].next = id;
    } else {
        p->wire_head = id;
        evq_add(&s->evq, (uint32_t)(p - s->port), k->at_ps, k->order);
    }
    p->wire_tail = id;
}

void port_enqueue(struct sim *s, struct port *p, uint32_t q, uint32_t id)
{
    struct queue  *queue = &p->queue[q];
    struct packet *k = &s->packets.packet[id];

    k->next = 0;
    if (queue->head)
        s->packets.packet[queue->tail].next = id;
    else
        queue->head = id;
    queue->tail = id;
    queue->bytes += k->bytes;
    p->backlog |= (uint16_t)(1u << q);
    if (queue->bytes > p->counters.queue_bytes_max && q != QUEUE_CONTROL)
        p->counters.queue_bytes_max = queue->bytes;
}

uint32_t port_dequeue(struct sim *s, struct port *p, uint32_t q)
{
    struct queue  *queue = &p->queue[q];
    uint32_t       id = queue->head;
    struct packet *k = &s->packets.packet[id];

    queue->head = k->next;
    queue->bytes -= k->bytes;
    if (!queue->head)
        p->backlog &= (uint16_t)~(1u << q);
    return id;
}

void port_await_free(struct sim *s, struct port *p)
{
    uint32_t slot = s->slot_free + (uint32_t)(p - s->port);

    if (!evq_is_pending(&s->evq, slot))
        evq_add(&s->evq, slot, p->free_at_ps, p->free_order);
}

bool port_on_pfc(struct sim *s, struct port *p, uint32_t prio, bool is_pause)
{
    uint8_t was = p->paused, bit = (uint8_t)(1u << prio);

    if (is_pause) {
        p->counters.pauses++;
        s->counters.pauses++;
        p->paused |= bit;
        if (!was)
            p->paused_since_ps = s->now_ps;
    } else {
        s->counters.resumes++;
        p->paused &= (uint8_t)~bit;
        if (was && !p->paused)
            p->counters.paused_ps += s->now_ps - p->paused_since_ps;
    }
    if (s->hooks.pfc) {
        struct pfc_result r = { .at_ps = s->now_ps, .node = p->node, .port = p->index, .prio = (uint8_t)prio,
                                .is_switch = p->is_switch, .is_pause = is_pause };

        s->hooks.pfc(s->hooks.arg, &r);
    }
    return was != p->paused;
}

uint64_t port_paused_ps(const struct port *p, uint64_t now_ps)
{
    return p->counters.paused_ps + (p->paused ? now_ps - p->paused_since_ps : 0);
}
