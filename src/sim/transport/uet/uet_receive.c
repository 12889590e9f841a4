#include "sim/nic/receive.h"
#include "sim/transport/uet/uet.h"

#include <string.h>

/* ---- answers ---- */

/* Reuses the packet as its answer. */
static enum act answer(struct sim *s, struct host *h, struct uet_rx *x, struct packet *k,
                       enum packet_kind kind, uint32_t ack_flags, uint8_t flags)
{
    struct uet_ack a = { x->expected, x->kept, (uint32_t)(k->seq & UET_NUMBER),
                         ack_flags | (k->seq & UET_AGAIN ? UET_ACK_AGAIN : 0) };

    k->sent_ps = x->kept ? uet_bits(x->has, uet_of(s)->ring - 1, uet_map_begin(&a)) : 0;
    return reply_with(s, h, k,
                      &(struct answer){ kind, uet_ack_pack(&a), s->cfg.head_prio, s->cfg.ack_bytes, flags,
                                        false });
}

static enum act acknowledge(struct sim *s, struct host *h, struct uet_rx *x, struct packet *k,
                            uint32_t ack_flags, uint8_t flags)
{
    x->unacked = 0;
    s->engine.counters.acks_sent++;
    return answer(s, h, x, k, UET_ACK, ack_flags, flags);
}

static uint8_t echo_of(const struct packet *k)
{
    return k->flags & PACKET_ECN ? PACKET_ECHO : 0;
}

/* ---- packets ---- */

static bool is_there(const struct sim *s, const struct uet_rx *x, uint32_t n)
{
    return n < x->expected || (x->kept && uet_has(x->has, uet_of(s)->ring - 1, n));
}

/* Opens the flow if this is its first packet. Returns false if the flow is already done. */
static bool is_open(struct sim *s, const struct packet *k)
{
    struct flow_rx *rx = &s->flows.rx[k->flow];
    struct uet_rx  *x = uet_rx_of(s, k->flow);

    if (rx->generation == k->generation)
        return true;
    if ((int16_t)(k->generation - rx->generation) < 0)
        return false;
    *rx = (struct flow_rx){ .generation = k->generation, .nacked_seq = UINT64_MAX };
    memset(x, 0, uet_rx_bytes(uet_of(s)->ring));
    x->end = UINT64_MAX;
    return true;
}

/* Packet n was expected: delivers it and those kept behind it. */
static void deliver(struct sim *s, struct host *h, const struct packet *k, struct uet_rx *x)
{
    const struct flow *f = &s->flows.flow[k->flow];
    uint32_t           mask = uet_of(s)->ring - 1;

    for (x->expected++; x->kept && uet_has(x->has, mask, x->expected); x->expected++, x->kept--)
        uet_flip(x->has, mask, x->expected);
    uint64_t bytes = (uint64_t)x->expected * s->cfg.mtu_bytes;
    bytes = bytes < x->end ? bytes : x->end;
    receive_report_arrivals(s, f, x->end, bytes);
    if (f->is_lasting || bytes != x->end)
        return;
    x->is_over = true;
    if (uet_of(s)->has_credit)
        credit_leave(s, h, k->flow);
}

/* Keeps a new packet. Returns true if it is answered immediately. */
static bool take(struct sim *s, struct host *h, struct uet_rx *x, const struct packet *k, uint32_t n)
{
    bool must = !x->has_any || k->seq & UET_ASKS;

    s->engine.counters.payload_received += k->payload;
    x->has_any = true;
    x->is_asked |= (k->seq & UET_ASKS) != 0;
    if (k->flags & PACKET_LAST && !s->flows.flow[k->flow].is_lasting)
        x->end = (uint64_t)n * s->cfg.mtu_bytes + k->payload;
    if (n == x->expected) {
        deliver(s, h, k, x);
    } else {
        receive_count_reordered(s, k);
        uet_flip(x->has, uet_of(s)->ring - 1, n);
        x->kept++;
    }
    if (x->kept == 0 && x->is_asked) {
        x->is_asked = false;
        must = true;
    }
    return must;
}

APART enum act uet_on_data(struct sim *s, struct host *h, struct packet *k)
{
    struct uet_rx *x = uet_rx_of(s, k->flow);
    uint32_t       n = (uint32_t)(k->seq & UET_NUMBER);

    s->engine.counters.data_received++;
    if (!is_open(s, k)) {
        s->engine.counters.payload_stale += k->payload;
        return ACT_FREE;
    }
    if (uet_of(s)->has_credit)
        credit_ask(s, h, k, false);
    if (is_there(s, x, n)) {
        s->engine.counters.payload_stale += k->payload;
    } else {
        assert(n - x->expected < uet_of(s)->ring);
        bool must = take(s, h, x, k, n);
        if (++x->unacked < s->cfg.ack_every && !must && !(k->flags & PACKET_ECN))
            return ACT_FREE;
    }
    return acknowledge(s, h, x, k, 0, echo_of(k));
}

APART enum act uet_on_trimmed(struct sim *s, struct host *h, struct packet *k)
{
    struct uet_rx *x = uet_rx_of(s, k->flow);

    if (!is_open(s, k))
        return ACT_FREE;
    if (uet_of(s)->has_credit)
        credit_ask(s, h, k, true);
    if (is_there(s, x, (uint32_t)(k->seq & UET_NUMBER)))
        return acknowledge(s, h, x, k, 0, 0);
    receive_count_nack(s, k);
    return answer(s, h, x, k, UET_NACK, k->kind == UET_TRIMMED_AT_LAST ? UET_ACK_AT_LAST : 0, echo_of(k));
}

APART enum act uet_on_request(struct sim *s, struct host *h, struct packet *k)
{
    if (!is_open(s, k))
        return ACT_FREE;
    if (uet_of(s)->has_credit)
        credit_ask(s, h, k, true);
    return acknowledge(s, h, uet_rx_of(s, k->flow), k, UET_ACK_PROBE, echo_of(k));
}
