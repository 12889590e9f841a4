#include "sim/host/reply.h"
#include "sim/link/path.h"

/* Returns true if nothing has precedence over an answer. */
static inline bool may_go(const struct sim *s, const struct port *p)
{
    return !p->backlog && (!p->paused || s->cfg.ack_unpaused) &&
           !port_is_busy(p, s->engine.now_ps, s->engine.order);
}

static inline void send(struct sim *s, const struct host *h, uint32_t id, struct packet *r)
{
    struct port *p = h->port;

    if (!(p->slow_path & SLOW_LINK) && may_go(s, p))
        path_transmit(&s->engine, p, id, r);
    else
        path_enqueue(&s->engine, p, s->hosts.reply_queue[r->prio], id, r);
}

void reply_send(struct sim *s, const struct host *h, uint32_t id, struct packet *r)
{
    send(s, h, id, r);
}

/* Sets the fields that an answer does not copy from the answered packet. */
static inline void fill_in(struct packet *r, const struct answer *a)
{
    r->seq = a->seq;
    r->bytes = (uint16_t)a->bytes;
    r->payload = 0;
    r->kind = (uint8_t)a->kind;
    r->prio = a->prio & 7;
    r->flags = a->flags & 31u;
}

void reply_to(struct sim *s, const struct host *h, const struct packet *k, const struct answer *a)
{
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *r = &s->engine.packets.packet[id];

    r->flow = k->flow;
    r->generation = k->generation;
    r->sent_ps = k->sent_ps;
    r->src = h->node;
    r->dst = k->src;
    r->ports = k->ports >> 16 | k->ports << 16;
    fill_in(r, a);
    if (__builtin_expect(s->engine.packets.inband != NULL, 0) && a->kind != PACKET_CNP &&
        !(a->flags & PACKET_HOLE))
        *packet_inband(&s->engine.packets, id) =
            *packet_inband(&s->engine.packets, (uint32_t)(k - s->engine.packets.packet));
    send(s, h, id, r);
}

void reply_with(struct sim *s, const struct host *h, uint32_t id, struct packet *k, const struct answer *a)
{
    k->dst = k->src;
    k->src = h->node;
    k->ports = k->ports >> 16 | k->ports << 16;
    fill_in(k, a);
    send(s, h, id, k);
}

void reply_cnp(struct sim *s, const struct host *h, const struct packet *k, uint64_t told_ps)
{
    s->engine.counters.cnps_sent++;
    reply_to(s, h, k, &(struct answer){ PACKET_CNP, told_ps, s->hosts.np_cfg.cnp_prio, s->cfg.cnp_bytes, 0 });
}
