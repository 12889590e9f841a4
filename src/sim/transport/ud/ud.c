/* src/sim/transport/ud/ud.c - datagrams of RoCE.
 *
 * A datagram is one packet. It is not acknowledged or retransmitted and has no congestion control. For its
 * sender it is done when its last byte has left; the receiver's job is notified if it arrives. Each queue
 * pair for datagrams is a separate persistent flow. As the sender forgets a datagram at once, the packet
 * identifies it: see UD_DATA.
 */
#include "sim/nic/flow.h"
#include "sim/nic/pacer.h"
#include "sim/nic/send.h"
#include "sim/nic/sender_spray.h"
#include "sim/nic/turn.h"
#include "sim/link/path.h"

static bool takes(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    (void)s, (void)h;
    return spec->op.verb == VERB_UD;
}

static uint64_t ideal_ps(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    return h->port->tx_ps[spec->bytes + s->cfg.header_bytes];
}

static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    (void)s, (void)h, (void)f;
    return true;
}

static bool next(struct sim *s, struct host *h, uint32_t flow)
{
    struct flow         *f = &s->flows.flow[flow];
    const struct posted *m = &s->flows.pairs.posted[pair_of(s, f)->sending];
    uint32_t             payload = (uint32_t)(f->bytes - f->sent), ports = f->ports;

    if (send_must_wait(s, h, f))
        return false;
    if (spray_has_pairs(s))
        ports ^= spray_next(s, flow, f->bytes / s->cfg.mtu_bytes);
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *k = &s->engine.packets.packet[id];
    k->flow = flow;
    k->seq = m->start_ps;
    k->sent_ps = m->tag;
    k->src = f->src;
    k->dst = f->dst;
    k->ports = ports;
    k->bytes = (uint16_t)(payload + s->cfg.header_bytes);
    k->payload = (uint16_t)payload;
    k->generation = f->generation;
    k->kind = UD_DATA;
    k->prio = f->prio & 7u;
    k->flags = PACKET_LAST;
    s->engine.counters.data_sent++;
    s->engine.counters.payload_sent += payload;
    send_packet(s, h, f, id, k, payload + s->cfg.header_bytes);
    f->sent = f->sent_max = f->acked = f->bytes;
    finish_messages(s, h, f);
    return true;
}

/* Nothing is ever retransmitted. */
static uint64_t timer(struct sim *s, struct host *h, struct flow *f)
{
    (void)h, (void)f;
    return s->engine.now_ps + s->hosts.pair_rto_ps;
}

/* A datagram has arrived: reports it to its receiver. */
APART enum act ud_on_data(struct sim *s, struct host *h, struct packet *k)
{
    const struct flow *f = &s->flows.flow[k->flow];
    struct message     m = { f->src, f->dst, f->traffic, k->payload, k->sent_ps, k->seq,
                             { .verb = VERB_UD } };

    (void)h;
    assert(f->transport == TRANSPORT_UD && f->generation == k->generation);
    s->engine.counters.data_received++;
    s->engine.counters.datagrams_received++;
    s->engine.counters.payload_received += k->payload;
    if (f->is_answered)
        program_on_arrival(&s->engine, &s->program, &m);
    return ACT_FREE;
}

const struct transport transport_ud = {
    .name = "ud", .is_paced = true, .is_done_when_sent = true, .takes = takes, .ideal_ps = ideal_ps,
    .may_send = may_send, .next = next, .timer = timer,
};
