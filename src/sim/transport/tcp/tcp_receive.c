#include "sim/transport/tcp/tcp.h"
#include "sim/nic/flow.h"
#include "sim/nic/receive.h"

#define BLOCK_MAX 64             /* packets that one ACK may report */

/* Returns the out-of-order block that ends with 'last', as offsets from the acknowledged number. */
static uint64_t block(const struct tcp_rx *x, uint64_t expected, uint64_t last)
{
    uint64_t from = last;

    while (from > expected + 1 && last - from < BLOCK_MAX - 1 && tcp_has_bit(x->has, from - 1))
        from--;
    return (from - expected) << 32 | (last + 1 - expected);
}

static void acknowledge(struct sim *s, struct host *h, const struct packet *k, bool is_gap)
{
    struct flow_rx *rx = &s->flows.rx[k->flow];
    struct tcp_rx  *x = &tcp_of(s)->rx[k->flow];
    struct packet   answered = *k;

    if (is_gap) {
        uint32_t mss = s->cfg.tcp[s->flows.flow[k->flow].tcp - 1].mss_bytes;

        answered.sent_ps = block(x, rx->expected / mss, k->seq / mss);
    }
    x->unacked = 0;
    s->engine.counters.acks_sent++;
    reply_to(s, h, &answered, &(struct answer){ is_gap ? TCP_SACK : TCP_ACK, rx->expected, k->prio,
                                                TCP_HEADER_BYTES + (is_gap ? TCP_SACK_BYTES : 0),
                                                PACKET_NOT_ECT | (x->is_marked ? PACKET_ECHO : 0), false });
}

/* Removes packet n from the kept packets. Returns false if it is not there. */
static bool take(struct tcp_rx *x, uint64_t n)
{
    if (!x->out_of_order || !tcp_has_bit(x->has, n))
        return false;
    tcp_flip_bit(x->has, n);
    x->out_of_order--;
    return true;
}

/* Advances 'expected' over packets that have arrived. */
static void deliver(struct flow_rx *rx, struct tcp_rx *x, uint32_t mss)
{
    uint64_t n = rx->expected / mss;

    do {
        rx->expected += mss;
        if (rx->expected > x->end)
            rx->expected = x->end;
    } while (take(x, ++n));
}

static void on_in_order(struct sim *s, struct host *h, const struct packet *k, uint32_t mss)
{
    struct flow_rx *rx = &s->flows.rx[k->flow];
    struct tcp_rx  *x = &tcp_of(s)->rx[k->flow];
    bool            had_gap = x->out_of_order > 0;

    deliver(rx, x, mss);
    if (rx->expected == x->end)
        flow_on_arrival(s, &s->flows.flow[k->flow]);
    if (++x->unacked >= TCP_ACK_EVERY || had_gap || rx->expected == x->end || k->kind == TCP_PUSH)
        acknowledge(s, h, k, false);
}

/* Handles the first packet of a flow. Returns false if the flow is already done. */
static bool open_flow(struct sim *s, const struct packet *k)
{
    struct flow_rx *rx = &s->flows.rx[k->flow];

    if (rx->generation == k->generation)
        return true;
    if ((int16_t)(k->generation - rx->generation) < 0)
        return false;
    *rx = (struct flow_rx){ .generation = k->generation, .nacked_seq = UINT64_MAX };
    tcp_of(s)->rx[k->flow] = (struct tcp_rx){ .end = UINT64_MAX };
    return true;
}

/* Keeps a packet and acknowledges it. Reads settings of the flow only for bytes that have not arrived: its
 * source does not change them before the flow is done. */
APART enum act tcp_on_data(struct sim *s, struct host *h, struct packet *k)
{
    struct flow_rx *rx = &s->flows.rx[k->flow];
    struct tcp_rx  *x = &tcp_of(s)->rx[k->flow];
    bool            is_marked = k->flags & PACKET_ECN;

    s->engine.counters.data_received++;
    if (!open_flow(s, k)) {
        s->engine.counters.payload_stale += k->payload;
        return ACT_FREE;
    }
    if (is_marked != x->is_marked && x->unacked)
        acknowledge(s, h, k, false);
    x->is_marked = is_marked;
    if (k->seq < rx->expected) {
        s->engine.counters.payload_stale += k->payload;
        acknowledge(s, h, k, false);
        return ACT_FREE;
    }
    uint32_t mss = s->cfg.tcp[s->flows.flow[k->flow].tcp - 1].mss_bytes;
    if (k->flags & PACKET_LAST)
        x->end = k->seq + k->payload;
    if (tcp_has_bit(x->has, k->seq / mss)) {
        s->engine.counters.payload_stale += k->payload;
        acknowledge(s, h, k, true);
        return ACT_FREE;
    }
    s->engine.counters.payload_received += k->payload;
    if (k->seq == rx->expected) {
        on_in_order(s, h, k, mss);
        return ACT_FREE;
    }
    tcp_flip_bit(x->has, k->seq / mss);
    x->out_of_order++;
    acknowledge(s, h, k, true);
    return ACT_FREE;
}
