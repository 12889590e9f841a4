#include "sim/host/reply.h"
#include "sim/link/path.h"

void reply_to(struct sim *s, const struct host *h, const struct packet *k, const struct answer *a)
{
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *r = &s->engine.packets.packet[id];
    struct port   *p = &s->net.port[h->port];

    r->flow = k->flow;
    r->seq = a->seq;
    r->sent_ps = k->sent_ps;
    r->src = h->node;
    r->dst = k->src;
    r->ports = k->ports >> 16 | k->ports << 16;
    r->bytes = (uint16_t)a->bytes;
    r->payload = 0;
    r->generation = k->generation;
    r->kind = (uint8_t)a->kind;
    r->prio = a->prio & 7;
    r->flags = a->flags & 31u;
    if (__builtin_expect(s->engine.packets.inband != NULL, 0) && a->kind != PACKET_CNP && !(a->flags & PACKET_HOLE))
        s->engine.packets.inband[id] = s->engine.packets.inband[k - s->engine.packets.packet];
    if (!p->backlog && !(p->slow_path & SLOW_LINK) && (!p->paused || s->cfg.ack_unpaused) &&
        !port_is_busy(p, s->engine.now_ps, s->engine.order))
        path_transmit(&s->engine, p, id, r);
    else
        path_enqueue(&s->engine, p, a->prio, id, r);
}

void reply_cnp(struct sim *s, const struct host *h, const struct packet *k, uint64_t told_ps)
{
    s->engine.counters.cnps_sent++;
    reply_to(s, h, k, &(struct answer){ PACKET_CNP, told_ps, s->hosts.np_cfg.cnp_prio, s->cfg.cnp_bytes, 0 });
}
