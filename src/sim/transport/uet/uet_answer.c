#include "sim/transport/uet/uet.h"
#include "sim/nic/turn.h"
#include "sim/nic/pacer.h"
#include "sim/nic/sender_spray.h"
#include "sim/transport/transport.h"

#define BACKOFF_MAX 16u          /* largest number of doublings of the timeout, up to rto_ps_max */
#define REORDER_MIN 5u           /* SLEEK: minimum number of packets beyond a gap that make it a loss */

/* The first answer ends the speculative phase: the rest of its initial credit expires. */
static void end_trust(struct uet_tx *t)
{
    if (!t->is_spec)
        return;
    t->is_spec = false;
    t->credit_bytes = t->credit_bytes > 0 ? 0 : t->credit_bytes;
}

/* ---- arrivals ---- */

/* Removes packet n from those to retransmit. */
static APART void cancel_again(struct uet_tx *t, uint32_t n)
{
    uet_flip(uet_again_map(t), t->mask, n);
    t->again--;
    t->again_bytes -= uet_record(t, n)->payload;
}

/* The packets of a bitmap, from packet 'from' on, have arrived. Returns how many of them are new. */
static inline uint32_t note_arrivals(struct uet_tx *t, uint32_t from, uint64_t map)
{
    uint64_t out = map & uet_bits(uet_out_map(t), t->mask, from);
    uint64_t again = t->again ? map & uet_bits(uet_again_map(t), t->mask, from) : 0;
    uint32_t count = 0;

    for (; out; out &= out - 1, count++)
        uet_forget(t, from + (uint32_t)__builtin_ctzll(out));
    for (; again; again &= again - 1, count++)
        cancel_again(t, from + (uint32_t)__builtin_ctzll(again));
    return count;
}

/* All packets before 'expected' have arrived. */
static void note_expected(struct sim *s, struct flow *f, struct uet_tx *t, uint32_t expected)
{
    uint64_t bytes = (uint64_t)expected * s->cfg.mtu_bytes;

    while (t->first < expected) {
        uint32_t count = expected - t->first < 64 ? expected - t->first : 64;

        t->known -= count - note_arrivals(t, t->first, UINT64_MAX >> (64 - count));
        t->first += count;
    }
    bytes = bytes < f->sent ? bytes : f->sent;
    f->acked = bytes > f->acked ? bytes : f->acked;
    f->progress_ps = s->engine.now_ps;
}

/* A stale bitmap may begin before 'first'. */
static void note_map(struct uet_tx *t, uint32_t from, uint64_t map)
{
    uint32_t old = from < t->first ? t->first - from : 0;

    if (old < 64)
        t->known += note_arrivals(t, from + old, map >> old);
}

/* Returns the round trip that an ACK shows, or 0. If a packet was sent several times, the ACK may belong to
 * an earlier copy: only the second copy can be distinguished from the first. */
static uint64_t rtt_of(const struct sim *s, struct uet_tx *t, const struct uet_ack *a)
{
    const struct uet_record *r = uet_record(t, a->number);
    bool                     is_again = a->flags & UET_ACK_AGAIN;

    if (a->flags & UET_ACK_PROBE)
        return a->number == t->probe && t->probe_ps ? s->engine.now_ps - t->probe_ps : 0;
    if (a->number < t->first || a->number >= t->next || !uet_has(uet_out_map(t), t->mask, a->number) ||
        r->times != (is_again ? 2 : 1))
        return 0;
    return s->engine.now_ps - r->sent_ps;
}

/* ---- SLEEK: loss recovery without trimming ---- */

static uint32_t window_packets(const struct sim *s, const struct flow *f)
{
    uint64_t packets = f->out.window_bytes / s->cfg.mtu_bytes;

    return packets < uet_of(s)->ring ? (uint32_t)packets : uet_of(s)->ring;
}

/* Returns how many packets beyond a gap make it a loss: one and a half windows. */
static uint32_t reorder_packets(const struct sim *s, const struct flow *f)
{
    uint32_t most = (uint32_t)(uet_of(s)->window_bytes_max / s->cfg.mtu_bytes),
             packets = window_packets(s, f) * 3 / 2;

    packets = packets < most ? packets : most;
    return packets > REORDER_MIN ? packets : REORDER_MIN;
}

static void await_probe(const struct sim *s, const struct flow *f, struct uet_tx *t)
{
    bool is_all_sent = f->sent >= f->bytes;

    if (t->first == t->next && is_all_sent)
        t->probe_due_ps = NEVER;
    else
        t->probe_due_ps = s->engine.now_ps + (is_all_sent ? 2 : 3) * s->net.base_rtt_ps;
}

static void send_gaps_again(struct sim *s, struct flow *f, struct uet_tx *t)
{
    uint32_t end = t->first + window_packets(s, f), n = t->recovered > t->first ? t->recovered : t->first;

    for (end = end < t->recovery_end ? end : t->recovery_end; n < end; n++) {
        if (!uet_has(uet_out_map(t), t->mask, n))
            continue;
        uet_forget(t, n);
        uet_put_again(s, f, n);
        t->recovered = n + 1;
    }
}

static APART void recover(struct sim *s, struct flow *f, const struct uet_ack *a, uint64_t rtt_ps)
{
    struct uet_tx *t = uet_tx_of(s, f);

    await_probe(s, f, t);
    if (a->flags & UET_ACK_PROBE && rtt_ps && rtt_ps < 2 * s->net.base_rtt_ps) {
        t->is_recovering = true;
        t->recovery_end = t->next;
        t->recovered = t->first;
    }
    if (t->is_recovering && t->first >= t->recovery_end)
        t->is_recovering = false;
    if (!t->is_recovering && (a->kept < reorder_packets(s, f) || t->again))
        return;
    if (!t->is_recovering) {
        t->is_recovering = true;
        t->recovery_end = t->next;
    }
    send_gaps_again(s, f, t);
}

/* ---- answers ---- */

static void control(struct sim *s, struct host *h, struct flow *f, const struct cc_ack *a)
{
    if (f->controlled && s->cfg.cc->on_ack)
        s->cfg.cc->on_ack(uet_cfg(s, h), flow_cc(s, f), engine_cc_now(&s->engine), a, &f->out);
}

static void report_loss(struct sim *s, struct host *h, struct flow *f, enum cc_loss loss)
{
    if (f->controlled && s->cfg.cc->on_loss)
        s->cfg.cc->on_loss(uet_cfg(s, h), flow_cc(s, f), engine_cc_now(&s->engine), loss, &f->out);
}

/* Handles what every ACK and NACK says about arrived packets. Returns the new bytes. */
static uint64_t note_answer(struct sim *s, struct flow *f, struct uet_tx *t, const struct packet *k,
                            const struct uet_ack *a)
{
    uint32_t arrived = a->expected + a->kept, newly = arrived > t->arrived ? arrived - t->arrived : 0;

    t->arrived += newly;
    if (newly)
        t->timeouts = 0;
    note_expected(s, f, t, a->expected);
    if (k->sent_ps)
        note_map(t, uet_map_begin(a), k->sent_ps);
    return (uint64_t)newly * s->cfg.mtu_bytes;
}

static void go_on(struct sim *s, struct host *h, struct flow *f)
{
    if (f->acked >= f->end && !f->is_lasting) {
        finish_flow(s, h, f);
        uet_close(s, f);
    } else if (f->acked < f->end || !finish_messages(s, h, f)) {
        pacer_sort_in_unpaced(s, h, f);
        if (uet_of(s)->has_credit)
            uet_ask(s, h, f, false);
    }
}

static void on_ack(struct sim *s, struct host *h, struct flow *f, const struct packet *k,
                   const struct uet_ack *a)
{
    struct uet_tx *t = uet_tx_of(s, f);
    uint64_t       rtt_ps = rtt_of(s, t, a);
    bool           is_marked = k->flags & PACKET_ECHO;

    if (rtt_ps && !(a->flags & UET_ACK_PROBE))
        nic_count_rtt(s, h, f, rtt_ps);
    uint64_t newly = note_answer(s, f, t, k, a);
    spray_learn(s, f, spray_ev(f, k), is_marked ? ENTROPY_MARKED : ENTROPY_GOOD);
    control(s, h, f, &(struct cc_ack){ .rtt_ps = rtt_ps, .acked_bytes = newly,
                                       .inflight_bytes = uet_in_flight(s, t), .is_marked = is_marked });
    if (s->cfg.is_sleek)
        recover(s, f, a, rtt_ps);
    end_trust(t);
    go_on(s, h, f);
}

static void on_nack(struct sim *s, struct host *h, struct flow *f, const struct packet *k,
                    const struct uet_ack *a)
{
    struct uet_tx *t = uet_tx_of(s, f);
    bool           is_at_last = a->flags & UET_ACK_AT_LAST;

    note_answer(s, f, t, k, a);
    end_trust(t);
    if (a->number >= t->first && a->number < t->next && uet_has(uet_out_map(t), t->mask, a->number)) {
        report_loss(s, h, f, is_at_last ? CC_NACK_AT_LAST_HOP : CC_NACK);
        t->is_asked &= t->newest != (a->number & t->mask);     /* that packet had requested an ACK */
        uet_forget(t, a->number);
        uet_put_again(s, f, a->number);
    }
    spray_learn(s, f, spray_ev(f, k),
                !is_at_last              ? ENTROPY_TRIMMED
                : k->flags & PACKET_ECHO ? ENTROPY_MARKED
                                         : ENTROPY_GOOD);
    go_on(s, h, f);
}

static void on_pull(struct sim *s, struct host *h, struct flow *f, uint64_t granted)
{
    struct uet_tx *t = uet_tx_of(s, f);
    int64_t        most = (int64_t)uet_of(s)->window_bytes_max;

    end_trust(t);
    if (granted > t->pulled) {
        t->credit_bytes += (int64_t)((granted - t->pulled) * UET_CREDIT_UNIT);
        t->credit_bytes = t->credit_bytes < most ? t->credit_bytes : most;
        t->pulled = granted;
    }
    go_on(s, h, f);
}

/* An idle persistent connection: credit may still arrive. */
static void take_credit_idle(struct sim *s, struct flow *f, const struct packet *k)
{
    struct uet_tx *t = uet_tx_of(s, f);

    if (k->kind == UET_PULL && k->sent_ps > t->pulled)
        t->pulled = k->sent_ps;
}

APART enum act uet_on_answer(struct sim *s, struct host *h, struct packet *k)
{
    struct flow   *f = &s->flows.flow[k->flow];
    struct uet_ack a = uet_ack_unpack(k->seq);

    if (f->generation != k->generation || (f->phase != FLOW_ACTIVE && f->phase != FLOW_IDLE))
        return ACT_IGNORE;
    if (f->phase == FLOW_IDLE) {
        take_credit_idle(s, f, k);
        return ACT_FREE;
    }
    switch (k->kind) {
    case UET_NACK: on_nack(s, h, f, k, &a);       break;
    case UET_PULL: on_pull(s, h, f, k->sent_ps);  break;
    default:       on_ack(s, h, f, k, &a);        break;
    }
    return ACT_FREE;
}

/* ---- the timer ---- */

static void time_out(struct sim *s, struct host *h, struct flow *f, struct uet_tx *t)
{
    const struct uet_record *r = uet_record(t, t->oldest);
    uint32_t                 n = t->first + ((t->oldest - t->first) & t->mask);

    s->engine.counters.timeouts++;
    spray_learn(s, f, r->ev, ENTROPY_TIMEOUT);
    uet_forget(t, n);
    report_loss(s, h, f, CC_TIMEOUT);
    uet_put_again(s, f, n);
    t->is_asked = false;
}

static uint64_t patience_ps(const struct sim *s, const struct uet_tx *t)
{
    uint64_t ps = s->cfg.rto_ps << t->timeouts;

    return ps < s->cfg.rto_ps_max ? ps : s->cfg.rto_ps_max;
}

APART uint64_t uet_on_timeout(struct sim *s, struct host *h, struct flow *f)
{
    struct uet_tx *t = uet_tx_of(s, f);
    uint64_t       now = s->engine.now_ps, rto = patience_ps(s, t), next = now + s->cfg.rto_ps;
    bool           is_late = t->oldest != UET_NONE && uet_record(t, t->oldest)->sent_ps + rto <= now;

    while (t->oldest != UET_NONE && uet_record(t, t->oldest)->sent_ps + rto <= now)
        time_out(s, h, f, t);
    if (is_late && t->timeouts < BACKOFF_MAX)
        t->timeouts++, rto = patience_ps(s, t);
    if (t->oldest == UET_NONE && now - t->rts_ps >= rto)
        uet_ask(s, h, f, true);
    else
        uet_ask(s, h, f, false);
    if (t->probe_due_ps <= now && t->oldest != UET_NONE)
        uet_probe(s, h, f);
    pacer_sort_in(s, h, f);
    if (t->oldest != UET_NONE && uet_record(t, t->oldest)->sent_ps + rto < next)
        next = uet_record(t, t->oldest)->sent_ps + rto;
    if (s->cfg.is_sleek && now + s->net.base_rtt_ps < next)
        next = now + s->net.base_rtt_ps;
    return next;
}
