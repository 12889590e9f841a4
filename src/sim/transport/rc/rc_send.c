#include "sim/transport/rc/rc.h"
#include "sim/nic/flow.h"
#include "sim/nic/pacer.h"
#include "sim/nic/probe.h"
#include "sim/transport/rc/selective_repeat.h"
#include "sim/nic/send.h"
#include "sim/nic/sender_spray.h"
#include "sim/nic/turn.h"
#include "sim/link/path.h"

/* Counts a retransmission. */
static void send_again(struct flow *f, struct packet *k, uint32_t payload)
{
    f->resent_bytes += payload;
    if (k->seq < f->timeout_sent)
        k->seq |= SEQ_TIMEOUT;
}

/* A packet requests an ACK if it fills the window. With selective repeat also if it is a retransmission, as
 * the receiver may have counted earlier copies. The last packet of a message is always acknowledged. */
static void ask(const struct sim *s, const struct host *h, struct flow *f, struct packet *k)
{
    bool is_again = f->sent < f->sent_max && s->cfg.is_selective;

    if (!pacer_is_limited(s, f) ||
        (pacer_has_window(s, h, f) && !is_again && !(k->flags & PACKET_LAST)))
        return;
    f->asked = f->sent;
    if (!(k->flags & PACKET_LAST))
        k->seq |= SEQ_ASKS;
}

/* Marks the first packet of a SEND that needs a receive. */
static void mark_send(const struct sim *s, const struct flow *f, struct packet *k)
{
    if (!f->is_lasting || !s->cfg.receives)
        return;
    const struct posted *m = &s->flows.pairs.posted[pair_of(s, f)->sending];
    if (m->op.verb == VERB_SEND && (k->seq & SEQ_BITS) == m->begin)
        k->seq |= SEQ_SEND;
}

/* Completes a packet in a world where that takes more than numbers. */
static APART void complete(struct sim *s, const struct host *h, struct flow *f, struct packet *k)
{
    if (s->model.on_sent)
        s->model.on_sent(s, h, f);
    if (rc_of(s)->asks)
        ask(s, h, f, k);
    if (spray_has_pairs(s))
        k->ports ^= spray_next(s, k->flow, f->sent_max / s->cfg.mtu_bytes);
    mark_send(s, f, k);
}

/* The last packet of a queue pair, or of a finished flow, has left. True: the round robin is up to date. */
static APART bool on_last(struct sim *s, struct host *h, struct flow *f)
{
    if (f->phase != FLOW_DONE) {
        pair_go_on(s, f);
        return false;
    }
    pacer_sort_in(s, h, f);
    turn_finish(s, h, f);
    flow_retire(s, f);
    return true;
}

static void send_data(struct sim *s, struct host *h, struct flow *f, uint32_t flow)
{
    uint64_t       left = f->bytes - f->sent;
    uint32_t       payload = left < s->cfg.mtu_bytes ? (uint32_t)left : s->cfg.mtu_bytes;
    uint32_t       bytes = payload + s->cfg.header_bytes;
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *k = &s->engine.packets.packet[id];

    assert(f->next_ps <= s->engine.now_ps);
    if (s->engine.now_ps >= f->out.due_ps)
        h->cc->on_due(h->cc_cfg, flow_cc_at(s, flow), engine_cc_now(&s->engine), &f->out);
    k->flow = flow;
    k->seq = f->sent;
    k->sent_ps = s->engine.now_ps;
    k->src = f->src;
    k->dst = f->dst;
    k->ports = f->ports;
    k->bytes = (uint16_t)bytes;
    k->payload = (uint16_t)payload;
    k->generation = f->generation;
    k->kind = RC_DATA;
    k->prio = f->prio & 7u;
    k->flags = payload == left ? PACKET_LAST : 0;
    if (f->sent == f->acked)
        f->progress_ps = s->engine.now_ps;   /* nothing was in flight: the timeout starts here */
    f->sent += payload;
    if (f->sent > f->sent_max)
        f->sent_max = f->sent;
    else
        send_again(f, k, payload);
    if (__builtin_expect(rc_of(s) != NULL, 0))
        complete(s, h, f, k);
    s->engine.counters.data_sent++;
    s->engine.counters.payload_sent += payload;
    send_packet(s, h, f, id, k, bytes);
    if (f->out.counts_bytes)
        h->cc->on_sent(h->cc_cfg, flow_cc_at(s, flow), engine_cc_now(&s->engine), bytes, &f->out);
    if (payload == left && (f->is_lasting || f->phase == FLOW_DONE) && on_last(s, h, f))
        return;
    /* The flow stays ready if it may send when the port becomes free: no flow is served before that. */
    if (payload == left || pacer_is_limited(s, f))
        pacer_sort_in(s, h, f);
    else if (f->next_ps > (s->hosts.has_fifo ? s->engine.now_ps : h->port->free_at_ps))
        pacer_put_off(s, h, f);
}

void rc_find_next(struct sim *s, struct flow *f)
{
    uint32_t mtu = s->cfg.mtu_bytes;
    /* All packets are full, except the last of the message. */
    uint64_t fresh = (f->sent_max + mtu - 1) / mtu;
    uint64_t next = selective_next(&rc_of(s)->tx[f - s->flows.flow],
                                   (uint32_t)((f->sent + mtu - 1) / mtu),
                                (uint32_t)((f->acked + mtu - 1) / mtu), (uint32_t)fresh);

    f->sent = next == fresh && !f->is_lasting ? f->sent_max : next * mtu;
    if (f->is_lasting)
        pair_go_back(s, f);
}

bool rc_seek(struct sim *s, struct host *h, struct flow *f)
{
    if (!s->cfg.is_selective)
        return true;
    rc_find_next(s, f);
    if (f->sent < f->bytes)
        return true;
    pacer_sort_in(s, h, f);
    return false;
}

bool rc_next(struct sim *s, struct host *h, uint32_t flow)
{
    struct flow *f = &s->flows.flow[flow];

    if (send_must_wait(s, h, f))
        return false;
    send_data(s, h, f, flow);
    return true;
}
