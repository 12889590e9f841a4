#include "sim/transport/rc/rc.h"
#include "sim/nic/flow.h"
#include "sim/nic/hf2t.h"
#include "sim/nic/pacer.h"
#include "sim/transport/rc/selective_repeat.h"
#include "sim/nic/sender_spray.h"
#include "sim/nic/turn.h"

/* ---- timer ---- */

static void go_back(struct sim *s, struct host *h, struct flow *f)
{
    f->sent = f->acked;
    f->asked = 0;
    if (f->is_lasting)
        pair_go_back(s, f);
    pacer_sort_in(s, h, f);
}

/* Selective repeat: packets [from, to) have not arrived. */
static void add_hole(struct sim *s, struct host *h, struct flow *f, struct selective_hole hole)
{
    selective_add(&rc_of(s)->tx[f - s->flows.flow], hole);
    f->asked = 0;
    rc_find_next(s, f);
    pacer_sort_in(s, h, f);
}

static void report_loss(struct sim *s, struct host *h, struct flow *f, enum cc_loss loss)
{
    if (!f->controlled || !h->cc->on_loss)
        return;
    h->cc->on_loss(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), loss, &f->out);
    assert(f->out.rate_bps > 0);
    pacer_on_decision(s, h, f);
}

APART void rc_resend(struct sim *s, struct host *h, struct flow *f)
{
    uint32_t mtu = s->cfg.mtu_bytes;

    f->timeout_sent = f->sent_max;
    report_loss(s, h, f, CC_TIMEOUT);
    if (!s->cfg.is_selective) {
        go_back(s, h, f);
        return;
    }
    selective_all(&rc_of(s)->tx[f - s->flows.flow], (uint32_t)(f->acked / mtu),
                  (uint32_t)((f->sent_max + mtu - 1) / mtu));
    f->asked = 0;
    rc_find_next(s, f);
    pacer_sort_in(s, h, f);
}

/* Returns the timeout of a flow: with pair_rto_ps_max, twice as long after each consecutive one. */
static uint64_t patience_ps(const struct sim *s, const struct flow *f)
{
    uint64_t ps = s->hosts.pair_rto_ps, most = s->hosts.pair_rto_ps_max;

    for (uint32_t i = 0; f->acked == f->timeout_acked && i < f->timeouts && ps < most; i++)
        ps = 2 * ps < most ? 2 * ps : most;
    return ps;
}

static void count_timeout(struct sim *s, struct flow *f)
{
    s->engine.counters.timeouts++;
    f->timeouts = f->acked != f->timeout_acked ? 1 : (uint16_t)(f->timeouts + (f->timeouts < UINT16_MAX));
    f->timeout_acked = f->acked;
    f->progress_ps = s->engine.now_ps;
}

uint64_t rc_timer(struct sim *s, struct host *h, struct flow *f)
{
    if (f->sent == f->acked || (s->flow_watch.arg && s->flow_watch.is_held(s->flow_watch.arg, f)))
        f->progress_ps = s->engine.now_ps;       /* nothing in flight */
    uint64_t at = f->progress_ps + patience_ps(s, f);
    if (at > s->engine.now_ps)
        return at;
    count_timeout(s, f);
    rc_resend(s, h, f);
    return s->engine.now_ps + s->cfg.rto_ps;
}

/* ---- answers ---- */

/* The NIC has lost its setting: its queue pairs use the rest until the next setting is applied. */
static void forget_setting(struct sim *s, struct host *h)
{
    pacer_catch_up(s, h);
    h->cc_cfg = s->hosts.cc_forgot + (size_t)h->cc_at * CC_CFG_MAX;
}

/* A packet of the flow was marked. announced_ps: see CNP. */
static void on_mark(struct sim *s, struct host *h, struct flow *f, uint64_t announced_ps)
{
    s->engine.counters.cnps_received++;
    if (s->flow_watch.arg)
        s->flow_watch.on_signal(s->flow_watch.arg, f);
    if (s->hosts.hf2t)
        s->hosts.hf2t->qp[f - s->flows.flow].cnp_ps = s->engine.now_ps;
    if (f->controlled && h->cc->on_cnp)
        h->cc->on_cnp(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), announced_ps, &f->out);
    if (f->out.forgets) {
        f->out.forgets = false;
        forget_setting(s, h);
    }
    pacer_on_decision(s, h, f);
}

/* The flow may be an idle queue pair. */
APART enum act rc_on_cnp(struct sim *s, struct host *h, struct packet *k)
{
    struct flow *f = &s->flows.flow[k->flow];

    if ((f->phase != FLOW_ACTIVE && f->phase != FLOW_IDLE) || f->generation != k->generation)
        return ACT_FREE;
    on_mark(s, h, f, k->seq);
    if (spray_has_pairs(s))
        spray_learn(s, f, spray_ev(f, k), ENTROPY_MARKED);
    return ACT_FREE;
}

/* All bytes before 'seq' have arrived. Returns how many of them are new. */
static inline uint64_t take_ack(struct sim *s, const struct host *h, struct flow *f, uint64_t seq)
{
    uint64_t acked = seq > f->acked ? seq - f->acked : 0;

    if (acked) {
        f->acked = seq;
        if (f->sent < f->acked && !s->model.sends_acked)
            f->sent = f->acked;
    }
    if (s->model.on_answer)
        s->model.on_answer(s, h, f);
    else if (acked)
        f->progress_ps = s->engine.now_ps;
    return acked;
}

/* Adds the telemetry of an ACK, if it did fit the packet. Returns false if the sender ignores this ACK. */
static bool add_telemetry(struct sim *s, const struct host *h, const struct packet *k, struct cc_ack *a)
{
    const struct inband *t = packet_inband(&s->engine.packets, (uint32_t)(k - s->engine.packets.packet));

    a->records = t->records <= CC_HOPS_MAX ? t->records : 0;
    a->hop = t->hop;
    a->digest = t->digest;
    a->hops = t->hops;
    a->endpoint_ps = t->stay_ps;
    return h->cc->telemetry != CC_DIGEST || !s->model.takes_digest || s->model.takes_digest(s, h);
}

/* Passes an ACK to congestion control. */
static APART void control(struct sim *s, struct host *h, struct flow *f, const struct packet *k,
                          uint64_t acked)
{
    struct cc_ack a = { .rtt_ps = s->engine.now_ps - k->sent_ps, .acked_bytes = acked,
                        .inflight_bytes = f->sent - f->acked, .seq = k->seq, .sent_seq = f->sent,
                        .is_marked = k->flags & PACKET_ECHO,
                        .pair_rtt_ps = f->pair_rtt_ps, .pair_bdp_bytes = f->pair_bdp_bytes };

    bool     repaces = !s->model.repace && h->cc->repaces;
    uint64_t was_bps = f->out.rate_bps;

    if (s->engine.packets.inband && !add_telemetry(s, h, k, &a))
        return;
    if (repaces)
        f->out.rate_bps = 0;     /* no congestion control sets 0, so this shows whether it has set a rate */
    h->cc->on_ack(h->cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine), &a, &f->out);
    if (repaces && f->out.rate_bps)
        pacer_repace_last(s, h, f);
    else if (repaces)
        f->out.rate_bps = was_bps;
    assert(f->out.rate_bps > 0);
    pacer_on_decision(s, h, f);
}

static void retreat(struct sim *s, struct host *h, struct flow *f, enum packet_kind kind)
{
    f->timeout_sent = 0;         /* further retransmissions are due to the NACK */
    if (kind == RC_RNR) {
        f->held_ps = f->next_ps = s->engine.now_ps + s->cfg.rnr_ps;
        go_back(s, h, f);
        return;
    }
    go_back(s, h, f);
    report_loss(s, h, f, CC_NACK);
}

/* The last message of a persistent queue pair is acknowledged: its congestion control still sees the ACK. */
static APART void answer_idle(struct sim *s, struct host *h, struct flow *f, const struct packet *k,
                              uint64_t acked)
{
    if (k->flags & PACKET_ECHO)
        on_mark(s, h, f, 0);
    if (f->controlled && h->cc->on_ack)
        control(s, h, f, k, acked);
}

/* Handles an ACK, or a NACK that makes the sender go back. */
static __attribute__((always_inline)) inline enum act
on_answer(struct sim *s, struct host *h, const struct packet *k, enum packet_kind kind)
{
    struct flow *f = flow_answered(s, k);

    if (!f)
        return ACT_IGNORE;
    nic_count_rtt(s, h, f, s->engine.now_ps - k->sent_ps);
    if (__builtin_expect(spray_has_pairs(s), 0))
        spray_learn(s, f, spray_ev(f, k), k->flags & PACKET_ECHO ? ENTROPY_MARKED : ENTROPY_GOOD);
    uint64_t acked = take_ack(s, h, f, k->seq);
    if (f->acked >= f->end && f->is_lasting) {
        if (finish_messages(s, h, f)) {
            answer_idle(s, h, f, k, acked);
            return ACT_FREE;
        }
    } else if (f->acked >= f->end) {
        if (!s->model.repace && f->controlled && h->cc->repaces)
            control(s, h, f, k, acked);
        finish_flow(s, h, f);
        return ACT_FREE;
    }
    if (kind != RC_ACK)
        retreat(s, h, f, kind);
    if (k->flags & PACKET_ECHO)
        on_mark(s, h, f, 0);
    if (f->controlled && h->cc->on_ack)
        control(s, h, f, k, acked);
    if (pacer_is_limited(s, f))
        pacer_sort_in(s, h, f);
    return ACT_FREE;
}

enum act rc_on_ack(struct sim *s, struct host *h, struct packet *k)
{
    return on_answer(s, h, k, RC_ACK);
}

/* A separate copy, so that the usual one is inlined into the event loop. */
APART enum act rc_on_nack(struct sim *s, struct host *h, struct packet *k)
{
    return on_answer(s, h, k, k->kind);
}

/* Selective repeat: handles a NACK that names a hole. It also acknowledges, but yields no round trip. */
APART enum act rc_on_hole(struct sim *s, struct host *h, struct packet *k)
{
    struct flow *f = flow_answered(s, k);

    if (!f)
        return ACT_IGNORE;
    take_ack(s, h, f, k->seq);
    if (f->acked >= f->end && f->is_lasting && finish_messages(s, h, f))
        return ACT_FREE;
    report_loss(s, h, f, CC_NACK);
    add_hole(s, h, f, (struct selective_hole){ (uint32_t)(k->sent_ps >> 32), (uint32_t)k->sent_ps });
    return ACT_FREE;
}
