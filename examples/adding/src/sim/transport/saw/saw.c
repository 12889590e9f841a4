/* examples/adding/src/sim/transport/saw/saw.c - an example: stop and wait, for messages of class 7.
 *
 * A sender has one packet in flight. The receiver answers each with the byte that it expects next. A packet
 * whose answer does not arrive within the retransmission timeout is sent again.
 */
#include "sim/nic/flow.h"
#include "sim/nic/pacer.h"
#include "sim/nic/receive.h"
#include "sim/nic/send.h"
#include "sim/nic/turn.h"
#include "sim/state/ideal.h"

#define SAW_PRIO 7u

/* ---- sender ---- */

static bool takes(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    (void)s, (void)h;
    return spec->prio == SAW_PRIO && !spec->qps;
}

static uint64_t ideal_ps(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    return sim_ideal_message_ps(s, h->node, spec);
}

static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    (void)s, (void)h;
    return f->sent == f->acked;
}

static bool next(struct sim *s, struct host *h, uint32_t flow)
{
    struct flow *f = &s->flows.flow[flow];
    uint64_t     left = f->bytes - f->sent;
    uint32_t     payload = left < s->cfg.mtu_bytes ? (uint32_t)left : s->cfg.mtu_bytes;
    uint32_t     id = engine_new_packet(&s->engine);
    struct packet *k = &s->engine.packets.packet[id];

    *k = (struct packet){ .flow = flow, .src = f->src, .dst = f->dst, .ports = f->ports, .seq = f->sent,
                          .sent_ps = s->engine.now_ps, .bytes = (uint16_t)(payload + s->cfg.header_bytes),
                          .payload = (uint16_t)payload, .generation = f->generation, .kind = SAW_DATA,
                          .prio = SAW_PRIO, .flags = payload == left ? PACKET_LAST : 0 };
    s->engine.counters.data_sent++;
    s->engine.counters.payload_sent += payload;
    f->resent_bytes += f->sent < f->sent_max ? payload : 0;
    f->sent += payload;
    f->sent_max = f->sent > f->sent_max ? f->sent : f->sent_max;
    f->progress_ps = s->engine.now_ps;
    path_transmit(&s->engine, h->port, id, k);
    f->next_ps = s->engine.now_ps + pacer_gap_ps(s, f, payload + s->cfg.header_bytes);
    pacer_sort_in(s, h, f);
    return true;
}

static uint64_t timer(struct sim *s, struct host *h, struct flow *f)
{
    uint64_t at = f->progress_ps + s->cfg.rto_ps;

    if (f->sent == f->acked || at > s->engine.now_ps)
        return f->sent == f->acked ? s->engine.now_ps + s->cfg.rto_ps : at;
    s->engine.counters.timeouts++;
    f->sent = f->acked;
    pacer_sort_in(s, h, f);
    return s->engine.now_ps + s->cfg.rto_ps;
}

APART enum act saw_on_ack(struct sim *s, struct host *h, struct packet *k)
{
    struct flow *f = flow_answered(s, k);

    if (!f || k->seq <= f->acked)
        return ACT_FREE;
    nic_count_rtt(s, h, f, s->engine.now_ps - k->sent_ps);
    f->acked = f->sent = k->seq;
    if (f->acked >= f->end)
        finish_flow(s, h, f);
    else
        pacer_sort_in(s, h, f);
    return ACT_FREE;
}

/* ---- receiver ---- */

/* A copy of a flow that is done is of an older generation than the flow that uses its index now. */
APART enum act saw_on_data(struct sim *s, struct host *h, struct packet *k)
{
    struct flow_rx *rx = &s->flows.rx[k->flow];
    bool            is_next;

    s->engine.counters.data_received++;
    if ((int16_t)(k->generation - rx->generation) > 0)
        *rx = (struct flow_rx){ .generation = k->generation };
    is_next = k->generation == rx->generation && k->seq == rx->expected;
    *(is_next ? &s->engine.counters.payload_received : &s->engine.counters.payload_stale) += k->payload;
    if (is_next) {
        rx->expected += k->payload;
        if (k->flags & PACKET_LAST)
            flow_on_arrival(s, &s->flows.flow[k->flow]);
    }
    s->engine.counters.acks_sent++;
    return reply_with(s, h, k, &(struct answer){ SAW_ACK, rx->expected, SAW_PRIO, s->cfg.ack_bytes, 0, false });
}

const struct transport transport_saw = {
    .name = "saw", .is_paced = true, .takes = takes, .ideal_ps = ideal_ps, .may_send = may_send, .next = next,
    .timer = timer,
};
