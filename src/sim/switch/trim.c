#include "sim/switch/trim.h"

#include <string.h>

/* A class may also carry TCP packets and CNPs, which cannot be trimmed. */
static bool is_uet(const struct packet *k)
{
    return k->kind == PACKET_DATA && k->flags & PACKET_TCP && k->seq & UET;
}

static bool has_last(const struct sim *s, const struct port *out, const struct packet *k)
{
    const struct queue *queue = &out->queue[k->prio];

    return queue->head && is_uet(&s->engine.packets.packet[queue->tail]);
}

/* Swaps a packet with the last one of its queue. Both keep their positions in lists. */
static void exchange(struct sim *s, struct port *out, uint32_t id)
{
    struct packet *k = &s->engine.packets.packet[id];
    struct queue  *queue = &out->queue[k->prio];
    struct packet *last = &s->engine.packets.packet[queue->tail], was = *last;
    int64_t        more = (int64_t)k->bytes - last->bytes;

    *last = *k;
    last->next = was.next;
    last->in_port = was.in_port;
    *k = was;
    if (s->engine.packets.tag) {
        struct lb_tag *a = packet_tag(&s->engine.packets, id),
                      *b = packet_tag(&s->engine.packets, queue->tail), tag = *a;

        *a = *b;
        *b = tag;
    }
    queue->bytes = (uint32_t)(queue->bytes + more);
    out->node->used_bytes += more;
    out->node->shared_bytes_left -= s->cfg.is_lossless ? more : 0;
}

static void trim(struct sim *s, const struct port *out, struct packet *k)
{
    s->engine.counters.trimmed++;
    s->engine.counters.payload_dropped += k->payload;
    k->payload = 0;
    k->bytes = (uint16_t)(k->bytes < s->uet.trim_bytes ? k->bytes : s->uet.trim_bytes);
    k->prio = s->uet.head_prio & 7u;
    k->seq |= UET_TRIMMED | (out->peer->is_switch ? 0 : UET_AT_LAST);
}

bool trim_admit(struct sim *s, struct port *out, uint32_t id)
{
    struct packet *k = &s->engine.packets.packet[id];

    if (trim_book(s, out, k))
        return true;
    if (k->prio != s->uet.head_prio) {
        if (!s->uet.has_trim || !is_uet(k))
            return false;
        if (has_last(s, out, k) && rng_next(&out->node->rng) >> 63)
            exchange(s, out, id);
        trim(s, out, k);
        if (trim_book(s, out, k))
            return true;
    }
    s->engine.counters.dropped_headers++;
    return false;
}
