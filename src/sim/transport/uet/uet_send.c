#include "sim/transport/uet/uet.h"
#include "sim/nic/pacer.h"
#include "sim/nic/flow.h"
#include "sim/nic/receive.h"
#include "sim/nic/sender_spray.h"
#include "sim/link/path.h"

#include <string.h>

void uet_wake(struct sim *s, struct flow *f)
{
    struct uet_tx *t = uet_tx_of(s, f);

    t->is_spec = true;
    t->credit_bytes = (int64_t)uet_of(s)->window_bytes_max;
}

/* A message of a few packets needs only a small ring; a persistent connection may have longer ones later. */
static uint32_t ring_of(const struct sim *s, const struct flow *f)
{
    bool is_small = !f->is_lasting && f->bytes <= (uint64_t)UET_RING_SMALL * s->cfg.mtu_bytes;

    return is_small ? UET_RING_SMALL : uet_of(s)->ring;
}

/* The free list is linked through the first word of each place. Too many flows: fails and returns 0. */
static uint32_t take_place(struct sim *s, uint32_t ring)
{
    struct uet_pool *pool = &uet_of(s)->pool;
    uint32_t        *free = &pool->free[ring > UET_RING_SMALL], at = *free;
    uint32_t         lines = (uint32_t)((uet_tx_bytes(ring) + EVQ_LINE - 1) / EVQ_LINE);

    if (at) {
        *free = *(uint32_t *)(void *)(pool->line + (size_t)at * EVQ_LINE);
        return at;
    }
    if (lines <= pool->limit - pool->used) {
        at = pool->used;
        pool->used += lines;
        return at;
    }
    engine_fail(&s->engine, ENOBUFS,
                "connections at once need more than %u MB: more is sent than the network carries",
                pool->limit / (1000000 / EVQ_LINE));
    return 0;
}

void uet_close(struct sim *s, const struct flow *f)
{
    struct uet_tx *t = uet_tx_of(s, f);
    uint32_t      *free = &uet_of(s)->pool.free[t->mask >= UET_RING_SMALL];

    *(uint32_t *)(void *)t = *free;
    *free = uet_of(s)->at[f - s->flows.flow];
}

void uet_open(struct sim *s, struct flow *f)
{
    uint32_t ring = ring_of(s, f);

    uet_of(s)->at[f - s->flows.flow] = take_place(s, ring);
    struct uet_tx *t = uet_tx_of(s, f);
    *t = (struct uet_tx){ .mask = ring - 1, .oldest = UET_NONE, .newest = UET_NONE, .probe_due_ps = NEVER };
    memset(uet_out_map(t), 0, ring / 4);
    uet_wake(s, f);
}

/* ---- records, in the order of sending ---- */

static inline void add_record(struct sim *s, struct uet_tx *t, uint32_t n, uint32_t payload, uint16_t ev,
                              bool is_again)
{
    struct uet_record *r = uet_record(t, n);
    uint16_t           at = (uint16_t)(n & t->mask);

    *r = (struct uet_record){ .sent_ps = s->engine.now_ps, .payload = payload & 0x3fff, .ev = ev,
                              .older = t->newest,
                              .times = !is_again ? 1 : r->times < 3 ? (r->times + 1) & 3 : 3,
                              .newer = UET_NONE };
    if (t->newest != UET_NONE)
        uet_record(t, 0)[t->newest].newer = at;
    else
        t->oldest = at;
    t->newest = at;
    t->out_bytes += payload;
    uet_flip(uet_out_map(t), t->mask, n);
}

void uet_put_again(struct sim *s, struct flow *f, uint32_t n)
{
    struct uet_tx *t = uet_tx_of(s, f);

    assert(!uet_has(uet_again_map(t), t->mask, n));
    uet_flip(uet_again_map(t), t->mask, n);
    t->again_from = t->again == 0 || n < t->again_from ? n : t->again_from;
    t->again++;
    t->again_bytes += uet_record(t, n)->payload;
}

/* Removes and returns the first packet to retransmit. */
static uint32_t take_again(struct uet_tx *t)
{
    uint64_t *map = uet_again_map(t);
    uint32_t  n = t->again_from < t->first ? t->first : t->again_from;

    while (!uet_has(map, t->mask, n)) {
        uint64_t rest = map[(n & t->mask) / 64] >> (n & 63);

        n = rest ? n + (uint32_t)__builtin_ctzll(rest) : (n | 63) + 1;
    }
    uet_flip(map, t->mask, n);
    t->again--;
    t->again_from = n + 1;
    t->again_bytes -= uet_record(t, n)->payload;
    return n;
}

/* ---- credit ---- */

/* Returns roughly the bytes on the wire of this much payload. */
static uint64_t wire_bytes(const struct sim *s, uint64_t payload)
{
    uint64_t packets = (payload + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;

    return payload + packets * s->cfg.header_bytes;
}

/* Returns how much credit a flow needs in units, as a total since its start. */
static uint64_t target_of(const struct sim *s, const struct host *h, const struct flow *f,
                          const struct uet_tx *t)
{
    int64_t mtu = s->cfg.mtu_bytes + s->cfg.header_bytes, most = (int64_t)uet_of(s)->window_bytes_max;
    int64_t window = f->out.window_bytes < (uint64_t)most ? (int64_t)f->out.window_bytes + mtu : most;
    int64_t need = (int64_t)wire_bytes(s, f->bytes - f->sent + t->again_bytes);

    need = need < window ? need : window;
    need = need < most ? need : most;
    need -= t->credit_bytes;
    if (t->is_spec && need < mtu && f->sent < f->bytes)
        need = mtu;
    if (h->ready_count > 1)
        need /= h->ready_count;
    return t->pulled + (need > 0 ? ((uint64_t)need + UET_CREDIT_UNIT - 1) / UET_CREDIT_UNIT : 0);
}

static uint64_t request_credit(const struct sim *s, const struct host *h, const struct flow *f,
                               struct uet_tx *t)
{
    uint64_t target = target_of(s, h, f, t);

    t->requested = target > t->requested ? target : t->requested;
    return target;
}

static APART uint64_t spend_credit(const struct sim *s, const struct host *h, const struct flow *f,
                                   uint32_t bytes)
{
    struct uet_tx *t = uet_tx_of(s, f);

    t->credit_bytes -= bytes;
    return request_credit(s, h, f, t);
}

/* ---- packets ---- */

static inline void fill_in(const struct sim *s, uint32_t flow, struct packet *k, uint16_t ev)
{
    const struct flow *f = &s->flows.flow[flow];

    k->flow = flow;
    k->src = f->src;
    k->dst = f->dst;
    k->ports = f->ports ^ ev;
    k->generation = f->generation;
    k->prio = f->prio & 7u;
}

/* Returns true if the packet requests an ACK: it is sent again, the last, or the sender then waits. */
static bool must_ask(const struct sim *s, const struct flow *f, const struct uet_tx *t, bool is_again)
{
    return is_again || f->sent >= f->bytes || (uet_of(s)->has_credit && t->credit_bytes <= 0) ||
           uet_in_flight(s, t) + s->cfg.mtu_bytes >= f->out.window_bytes || t->next - t->first > t->mask;
}

/* Sends packet n. */
static __attribute__((always_inline)) inline void
emit(struct sim *s, struct host *h, uint32_t flow, uint32_t n, uint32_t payload, bool is_last, bool is_again)
{
    struct flow   *f = &s->flows.flow[flow];
    struct uet_tx *t = uet_tx_at(s, flow);
    uint16_t       ev = spray_next(s, flow, t->next);
    uint32_t       id = engine_new_packet(&s->engine);
    struct packet *k = &s->engine.packets.packet[id];

    fill_in(s, flow, k, ev);
    k->kind = UET_DATA;
    k->flags = is_last ? PACKET_LAST : 0;
    k->bytes = (uint16_t)(payload + s->cfg.header_bytes);
    k->payload = (uint16_t)payload;
    add_record(s, t, n, payload, ev, is_again);
    k->sent_ps = uet_of(s)->has_credit ? spend_credit(s, h, f, k->bytes) : 0;
    if (is_last && f->is_lasting)
        pair_go_on(s, f);        /* the next message begins with the next packet */
    t->is_asked = must_ask(s, f, t, is_again);
    k->seq = n | (is_again ? UET_AGAIN : 0) | (t->is_asked ? UET_ASKS : 0);
    s->engine.counters.data_sent++;
    s->engine.counters.payload_sent += payload;
    path_transmit(&s->engine, h->port, id, k);
    /* If the packet did not have to request an ACK, another one may follow. */
    if (t->is_asked && !uet_may_send(s, f, t)) {
        bit_clear(h->ready, f->position);
        h->ready_count--;
    }
}

static APART void send_again(struct sim *s, struct host *h, uint32_t flow)
{
    struct flow   *f = &s->flows.flow[flow];
    struct uet_tx *t = uet_tx_at(s, flow);
    uint32_t       n = take_again(t), payload = uet_record(t, n)->payload;

    f->resent_bytes += payload;
    s->engine.counters.sent_again++;
    emit(s, h, flow, n, payload, !f->is_lasting && (uint64_t)n * s->cfg.mtu_bytes + payload == f->bytes,
         true);
}

bool uet_next(struct sim *s, struct host *h, uint32_t flow)
{
    struct flow   *f = &s->flows.flow[flow];
    struct uet_tx *t = uet_tx_at(s, flow);
    uint64_t       left = f->bytes - f->sent;
    uint32_t       payload = left < s->cfg.mtu_bytes ? (uint32_t)left : s->cfg.mtu_bytes;

    if (t->again) {
        send_again(s, h, flow);
        return true;
    }
    f->sent += payload;
    f->sent_max = f->sent;
    emit(s, h, flow, t->next++, payload, payload == left, false);
    return true;
}

static void send_request(struct sim *s, struct host *h, struct flow *f, enum packet_kind kind,
                         uint32_t number, uint64_t requested, uint8_t prio)
{
    uint32_t       id = engine_new_packet(&s->engine), flow = (uint32_t)(f - s->flows.flow);
    struct packet *k = &s->engine.packets.packet[id];

    fill_in(s, flow, k, spray_next(s, flow, uet_tx_at(s, flow)->next));
    k->kind = (uint8_t)kind;
    k->flags = 0;
    k->bytes = (uint16_t)s->cfg.trim_bytes;
    k->payload = 0;
    k->prio = prio & 7u;
    k->seq = number;
    k->sent_ps = requested;
    reply_send(s, h, id, k);
}

APART void uet_ask(struct sim *s, struct host *h, struct flow *f, bool must)
{
    struct uet_tx *t = uet_tx_of(s, f);
    uint64_t       requested = t->requested;

    if (!uet_of(s)->has_credit || t->credit_bytes > 0 || !uet_has_more(f, t))
        return;
    if (!must && t->rts_ps && s->engine.now_ps - t->rts_ps < s->net.base_rtt_ps)
        return;
    if (!must && t->is_asked && target_of(s, h, f, t) <= requested)
        return;
    t->is_asked = true;
    t->rts_ps = s->engine.now_ps;
    s->engine.counters.rts_sent++;
    send_request(s, h, f, UET_RTS, 0, request_credit(s, h, f, t), s->cfg.head_prio);
}

APART void uet_probe(struct sim *s, struct host *h, struct flow *f)
{
    struct uet_tx *t = uet_tx_of(s, f);

    t->probe = (t->probe + 1) & 8191;
    t->probe_ps = s->engine.now_ps;
    t->probe_due_ps = s->engine.now_ps + 5 * s->net.base_rtt_ps;
    send_request(s, h, f, UET_PROBE, t->probe, 0, f->prio);
}
