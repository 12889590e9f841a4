#include "sim/nic/receive.h"
#include "sim/nic/flow.h"
#include "sim/link/path.h"

/* Returns true if nothing has precedence over an answer. */
static inline bool may_go(const struct sim *s, const struct port *p)
{
    return !p->backlog && (!p->paused || s->cfg.ack_unpaused) &&
           !port_is_busy(p, s->engine.now_ps, s->engine.order);
}

inline void reply_send(struct sim *s, const struct host *h, uint32_t id, struct packet *r)
{
    struct port *p = h->port;

    if (!(p->slow_path & SLOW_LINK) && may_go(s, p))
        path_transmit(&s->engine, p, id, r);
    else
        path_enqueue(&s->engine, p, s->hosts.reply_queue[r->prio], id, r);
}

/* Sets the fields that an answer does not copy from the answered packet. */
static inline void fill_in(struct packet *r, const struct answer *a)
{
    r->seq = a->seq;
    r->bytes = (uint16_t)a->bytes;
    r->payload = 0;
    r->kind = (uint8_t)a->kind;
    r->prio = a->prio & 7;
    r->flags = a->flags & PACKET_FLAGS;
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
    if (__builtin_expect(s->engine.packets.inband != NULL, 0) && a->returns_telemetry)
        *packet_inband(&s->engine.packets, id) =
            *packet_inband(&s->engine.packets, (uint32_t)(k - s->engine.packets.packet));
    reply_send(s, h, id, r);
}

enum act reply_with(struct sim *s, const struct host *h, struct packet *k, const struct answer *a)
{
    k->dst = k->src;
    k->src = h->node;
    k->ports = k->ports >> 16 | k->ports << 16;
    fill_in(k, a);
    reply_send(s, h, evq_id(&s->engine.evq, k), k);
    return ACT_KEEP;
}

void reply_cnp(struct sim *s, const struct host *h, const struct packet *k, uint64_t announced_ps)
{
    s->engine.counters.cnps_sent++;
    reply_to(s, h, k,
             &(struct answer){ CNP, announced_ps, s->hosts.np_cfg.cnp_prio, s->cfg.cnp_bytes, 0, false });
}

/* Returns the size class of an unfinished message. Safe: its source does not know of its end yet. */
static uint32_t size_of(const struct sim *s, const struct packet *k)
{
    const struct flow *f = &s->flows.flow[k->flow];

    assert(f->generation == k->generation);
    if (f->is_lasting) {
        const struct posted *m = pair_receiving(s, f);

        return fct_bucket_of(m->end - m->begin);
    }
    return fct_bucket_of(f->bytes);
}

void receive_count_reordered(struct sim *s, const struct packet *k)
{
    s->engine.counters.reordered++;
    s->engine.counters.reordered_by_size[size_of(s, k)]++;
}

void receive_count_nack(struct sim *s, const struct packet *k)
{
    s->engine.counters.nacks_sent++;
    s->engine.counters.nacks_by_size[size_of(s, k)]++;
}

bool receive_report_arrivals(struct sim *s, const struct flow *f, uint64_t message_end, uint64_t expected)
{
    if (!f->is_lasting) {
        if (expected == message_end)
            flow_on_arrival(s, f);
        return expected == message_end;
    }
    uint64_t end = pair_receiving(s, f)->end;
    if (expected < end)
        return false;
    for (;;) {
        flow_on_arrival(s, f);
        if (expected < end + s->cfg.mtu_bytes)
            return true;         /* no packet of the next message has arrived; it may not be posted yet */
        end = pair_receiving(s, f)->end;
        if (expected < end)
            return true;
    }
}
