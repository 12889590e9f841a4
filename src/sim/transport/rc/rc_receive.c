#include "sim/transport/rc/rc.h"
#include "sim/nic/flow.h"
#include "sim/nic/np/np.h"
#include "sim/transport/rc/selective_repeat.h"
#include "sim/nic/receive.h"

static void acknowledge(struct sim *s, const struct host *h, const struct packet *k, enum packet_kind kind,
                        uint64_t seq, uint8_t flags)
{
    reply_to(s, h, k, &(struct answer){ kind, seq, s->hosts.ack_prio[k->prio], s->cfg.ack_bytes, flags,
                                         kind != RC_HOLE });
}

void rc_acknowledge(struct sim *s, const struct host *h, const struct packet *k, uint64_t expected,
                    uint8_t flags)
{
    s->engine.counters.acks_sent++;
    acknowledge(s, h, k, RC_ACK, expected, flags);
}

bool rc_may_answer(const struct sim *s, struct flow_rx *rx, uint64_t expected)
{
    if (rx->nacked_seq == expected && s->engine.now_ps - rx->nacked_ps < s->cfg.nack_gap_ps)
        return false;
    rx->nacked_seq = expected;
    rx->nacked_ps = s->engine.now_ps;
    return true;
}

void rc_complain(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k,
                 uint64_t expected, uint8_t flags)
{
    if (s->cfg.nack_is_cnp)
        flags = PACKET_ECHO;
    if (!rc_may_answer(s, rx, expected))
        return;
    receive_count_nack(s, k);
    acknowledge(s, h, k, RC_NACK, expected, flags);
}

static APART void reply_hole(struct sim *s, struct host *h, const struct packet *k, uint64_t expected,
                             struct selective_hole hole)
{
    struct packet answered = *k;

    answered.sent_ps = (uint64_t)hole.from << 32 | hole.to;
    acknowledge(s, h, &answered, RC_HOLE, expected, 0);
}

/* Selective repeat: sends a NACK for a hole that has been open long enough. */
static void name_hole(struct sim *s, struct host *h, struct selective_rx *x, const struct packet *k,
                      uint64_t expected)
{
    struct selective_hole hole;

    if (!selective_must_name(x, s->engine.now_ps, s->cfg.reorder_ps, s->cfg.nack_gap_ps, &hole))
        return;
    receive_count_nack(s, k);
    reply_hole(s, h, k, expected, hole);
}

/* Selective repeat. Every packet is answered, so that no mark in ACKs is lost. */
static void keep_data(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k,
                      uint8_t flags)
{
    const struct flow   *f = &s->flows.flow[k->flow];
    struct selective_rx *x = &rc_of(s)->rx[k->flow];
    enum selective_fate  fate = selective_take(x, (uint32_t)(k->seq / s->cfg.mtu_bytes));
    uint64_t             expected = (uint64_t)x->expected * s->cfg.mtu_bytes;
    bool                 is_new = fate == SELECTIVE_TAKEN || fate == SELECTIVE_KEPT;

    if (k->flags & PACKET_LAST && !f->is_lasting)
        x->end = k->seq + k->payload;
    expected = expected < x->end ? expected : x->end;
    *(is_new ? &s->engine.counters.payload_received : &s->engine.counters.payload_stale) += k->payload;
    if (fate == SELECTIVE_KEPT || fate == SELECTIVE_BEYOND)
        receive_count_reordered(s, k);
    bool is_end = expected == x->end;
    if (fate == SELECTIVE_TAKEN)
        is_end = receive_report_arrivals(s, f, x->end, expected);
    if (++rx->unacked >= s->cfg.ack_every || flags & s->model.ack_flags || fate == SELECTIVE_OLD || is_end) {
        rx->unacked = 0;
        rc_acknowledge(s, h, k, expected, flags);
    }
    if (k->flags & PACKET_LAST && fate != SELECTIVE_BEYOND && expected < k->seq + k->payload) {
        uint32_t n = (uint32_t)(k->seq / s->cfg.mtu_bytes);      /* an empty hole before this packet */

        s->engine.counters.acks_sent++;
        reply_hole(s, h, k, expected, (struct selective_hole){ n, n });
    }
    name_hole(s, h, x, k, expected);
}

/* Handles a flow's first packet. Returns false if the flow is already done. */
static APART bool open_flow(struct sim *s, struct flow_rx *rx, const struct packet *k)
{
    if ((int16_t)(k->generation - rx->generation) < 0) {
        s->engine.counters.payload_stale += k->payload;
        s->engine.counters.payload_spurious += k->seq & SEQ_TIMEOUT ? k->payload : 0;
        return false;
    }
    *rx = (struct flow_rx){ .generation = k->generation, .nacked_seq = UINT64_MAX };
    if (s->cfg.is_selective) {
        selective_open(&rc_of(s)->rx[k->flow]);
        rx->expected = UINT64_MAX;       /* disables the go-back-N path */
    }
    return true;
}

inline bool rc_is_acked_at_once(const struct sim *s, uint64_t expected, const struct packet *k,
                                uint8_t flags)
{
    if (s->cfg.ack_from_bytes)
        return expected >= s->cfg.ack_from_bytes || expected % s->cfg.ack_chunk_bytes == 0;
    return k->flags & PACKET_LAST || flags & s->model.ack_flags;
}

void rc_ack_copy(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k, uint8_t flags)
{
    (void)flags;
    rc_acknowledge(s, h, k, rx->expected, 0);
}

/* Handles a packet before or after the expected one. */
static void on_other(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k, uint8_t flags)
{
    if (s->cfg.is_selective) {
        keep_data(s, h, rx, k, flags);
        return;
    }
    s->engine.counters.payload_stale += k->payload;
    if (k->seq > rx->expected) {
        receive_count_reordered(s, k);
        rc_complain(s, h, rx, k, rx->expected, flags);
    } else if (rx->expected == UINT64_MAX) {
        s->model.on_forgotten(s, h, rx, k, flags);
    } else if (s->model.on_copy) {
        s->model.on_copy(s, h, rx, k, flags);
    }
}

/* Refuses a SEND whose first packet finds no receive. The packets behind it are refused too. */
static void refuse_send(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k)
{
    s->engine.counters.payload_stale += k->payload;
    s->engine.counters.rnr_nacks++;
    rx->nacked_seq = rx->expected;
    rx->nacked_ps = s->engine.now_ps;
    acknowledge(s, h, k, RC_RNR, rx->expected, 0);
}

/* Handles a packet that is out of order or has a flag in its number. Returns true if it was the expected one
 * after all. A retransmission after a timeout was spurious if the first copy has arrived: it is before the
 * expected byte or, with selective repeat, not new. */
static APART bool on_disorder(struct sim *s, struct host *h, struct flow_rx *rx, struct packet *k,
                              uint8_t flags)
{
    uint64_t stale = s->engine.counters.payload_stale;
    bool     is_again = k->seq & SEQ_TIMEOUT, is_send = k->seq & SEQ_SEND;

    if (k->seq & SEQ_ASKS)
        rx->unacked = s->cfg.ack_every;
    k->seq &= SEQ_BITS;
    if (k->seq > rx->expected && s->flow_watch.arg)
        s->flow_watch.on_gap(s->flow_watch.arg, k->flow, rx, k->seq);
    if (k->seq == rx->expected && is_send && !pair_has_receive(s, k->flow)) {
        refuse_send(s, h, rx, k);
        return false;
    }
    if (k->seq == rx->expected)
        return true;
    bool is_old = k->seq < rx->expected;
    on_other(s, h, rx, k, flags);
    if (s->cfg.is_selective)
        is_old = s->engine.counters.payload_stale != stale;
    s->engine.counters.payload_spurious += is_again && is_old ? k->payload : 0;
    return false;
}

static void on_mark(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k)
{
    if (s->hosts.np_cfg.cc_prios >> k->prio & 1 && s->hosts.np->on_mark(s, h, rx, k))
        reply_cnp(s, h, k, 0);
}

enum act rc_on_data(struct sim *s, struct host *h, struct packet *k)
{
    struct flow_rx *rx = &s->flows.rx[k->flow];
    bool            is_marked = k->flags & PACKET_ECN;
    uint8_t         flags = is_marked ? s->model.echo : 0;

    s->engine.counters.data_received++;
    if (rx->generation != k->generation && !open_flow(s, rx, k))
        return ACT_FREE;
    if (is_marked && !s->model.echo)
        on_mark(s, h, rx, k);
    if (k->seq != rx->expected && !on_disorder(s, h, rx, k, flags))
        return ACT_FREE;
    rx->expected += k->payload;
    s->engine.counters.payload_received += k->payload;
    if (k->flags & PACKET_LAST)
        flow_on_arrival(s, &s->flows.flow[k->flow]);
    if (++rx->unacked < s->cfg.ack_every && !rc_is_acked_at_once(s, rx->expected, k, flags))
        return ACT_FREE;
    rx->unacked = 0;
    s->engine.counters.acks_sent++;
    return reply_with(s, h, k,
                      &(struct answer){ RC_ACK, rx->expected, s->hosts.ack_prio[k->prio], s->cfg.ack_bytes,
                                        flags, false });
}
