/* src/sim/host/host_rx.c - the receiver's half of a NIC: acknowledgements, CNPs, what is missing. */
#include "sim/host/host_rx.h"
#include "sim/host/cnp_arbiter.h"
#include "sim/link/path.h"
#include "traffic/traffic.h"

#define APART __attribute__((noinline))  /* keeps what is rare out of the loop, which would not hold it all */

/* Sends a reply to packet 'k', at once if nothing else goes first. */
static void reply(struct sim *s, struct host *h, const struct packet *k, enum packet_kind kind, uint64_t seq,
                  uint32_t prio, uint32_t bytes, uint8_t flags)
{
    uint32_t       id = packet_new(&s->packets);
    struct packet *r = &s->packets.packet[id];
    struct port   *p = &s->port[h->port];

    r->flow = k->flow;
    r->seq = seq;
    r->sent_ps = k->sent_ps;
    r->src = h->node;
    r->dst = k->src;
    r->ports = k->ports >> 16 | k->ports << 16;
    r->bytes = (uint16_t)bytes;
    r->payload = 0;
    r->generation = k->generation;
    r->kind = (uint8_t)kind;
    r->prio = prio & 7;
    r->flags = (uint8_t)flags & 31u;
    if (!p->backlog && !(p->slow_path & SLOW_LINK) && (!p->paused || s->cfg.ack_unpaused) && !port_is_busy(p, s->now_ps, s->order))
        path_transmit(s, p, id, r);
    else
        path_enqueue(s, p, prio, id, r);
}

void host_reply(struct sim *s, struct host *h, const struct packet *k, enum packet_kind kind, uint64_t seq,
                uint32_t bytes, uint8_t flags)
{
    reply(s, h, k, kind, seq, k->prio, bytes, flags);
}

/* Model nic: may the receiver send a CNP for this flow now? If so, notes that it does. */
static bool may_notify(struct sim *s, struct host *h, struct flow_rx *rx, uint32_t source)
{
    const double *knob = s->cfg.knobs.value;
    uint64_t     *next = &rx->cnp_ps;

    if (knob[KNOB_roce_cc_cnp_moderation] == 1)
        next = &h->cnp_by_source[source % CNP_SOURCES];
    else if (knob[KNOB_roce_cc_cnp_moderation] == 2)
        next = &h->cnp_ps;
    if (s->now_ps < *next)
        return false;
    *next = s->now_ps + (uint64_t)(knob[KNOB_min_time_between_cnps] * PS_PER_US);
    return true;
}

static void notify(struct sim *s, struct host *h, const struct packet *k, uint64_t told_ps)
{
    uint32_t prio = (uint32_t)s->cfg.knobs.value[KNOB_cnp_802p_prio];

    s->counters.cnps_sent++;
    reply(s, h, k, PACKET_CNP, told_ps, prio, s->cfg.cnp_bytes, 0);
}

static void on_mark(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k)
{
    if (s->cfg.cc->takes_turns)
        cnp_arbiter_on_mark(s, h, rx, k);
    else if (may_notify(s, h, rx, k->src))
        notify(s, h, k, 0);
}

void host_notify(struct sim *s, struct host *h, const struct packet *k, uint64_t told_ps)
{
    notify(s, h, k, told_ps);
    host_kick(s, h);
}

/* The size of a flow of which something is missing. It may be read here: its source does not know of its end. */
static uint32_t size_of(const struct sim *s, const struct packet *k)
{
    assert(s->flow[k->flow].generation == k->generation);
    return fct_bucket_of(s->flow[k->flow].bytes);
}

static void count_reordered(struct sim *s, const struct packet *k)
{
    s->counters.reordered++;
    s->counters.reordered_by_size[size_of(s, k)]++;
}

static void count_nack(struct sim *s, const struct packet *k)
{
    s->counters.nacks_sent++;
    s->counters.nacks_by_size[size_of(s, k)]++;
}

/* May the receiver tell that it expects this byte, at most once per nack_gap? If so, notes that it does. */
static bool may_answer(const struct sim *s, struct flow_rx *rx, uint64_t expected)
{
    if (rx->nacked_seq == expected && s->now_ps - rx->nacked_ps < s->cfg.nack_gap_ps)
        return false;
    rx->nacked_seq = expected;
    rx->nacked_ps = s->now_ps;
    return true;
}

/* A gap: says which byte is missing. */
static void complain(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k, uint64_t expected,
                     uint8_t flags)
{
    if (s->cfg.nack_is_cnp)
        flags = PACKET_ECHO;
    if (!may_answer(s, rx, expected))
        return;
    count_nack(s, k);
    reply(s, h, k, PACKET_NACK, expected, s->ack_prio[k->prio], s->cfg.ack_bytes, flags);
}

static APART void reply_hole(struct sim *s, struct host *h, const struct packet *k, uint64_t expected,
                             struct selective_hole hole)
{
    struct packet answered = *k;

    answered.sent_ps = (uint64_t)hole.from << 32 | hole.to;
    reply(s, h, &answered, PACKET_NACK, expected, s->ack_prio[k->prio], s->cfg.ack_bytes, PACKET_HOLE);
}

/* Selective repeat: names a hole, if there is one that has lasted long enough. */
static void name_hole(struct sim *s, struct host *h, struct selective_rx *x, const struct packet *k, uint64_t expected)
{
    struct selective_hole hole;

    if (!selective_must_name(x, s->now_ps, s->cfg.reorder_ps, s->cfg.nack_gap_ps, &hole))
        return;
    count_nack(s, k);
    reply_hole(s, h, k, expected, hole);
}

/* Selective repeat. Every packet is answered: where ACKs carry marks, none is lost. */
static void keep_data(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k, uint8_t flags)
{
    struct selective_rx *x = &s->selective_rx[k->flow];
    enum selective_fate  fate = selective_take(x, (uint32_t)(k->seq / s->cfg.mtu_bytes));
    uint64_t          expected = (uint64_t)x->expected * s->cfg.mtu_bytes;
    bool              is_new = fate == SELECTIVE_TAKEN || fate == SELECTIVE_KEPT;

    if (k->flags & PACKET_LAST)
        x->end = k->seq + k->payload;
    expected = expected < x->end ? expected : x->end;
    *(is_new ? &s->counters.payload_received : &s->counters.payload_stale) += k->payload;
    if (fate == SELECTIVE_KEPT || fate == SELECTIVE_BEYOND)
        count_reordered(s, k);
    if (fate == SELECTIVE_TAKEN && expected == x->end)
        host_on_arrival(s, &s->flow[k->flow]);
    if (++rx->unacked >= s->cfg.ack_every || fate == SELECTIVE_OLD || expected == x->end) {
        rx->unacked = 0;
        s->counters.acks_sent++;
        reply(s, h, k, PACKET_ACK, expected, s->ack_prio[k->prio], s->cfg.ack_bytes, flags);
    }
    if (k->flags & PACKET_LAST && fate != SELECTIVE_BEYOND && expected < x->end) {
        uint32_t n = x->top - 1;         /* itself */

        s->counters.acks_sent++;
        reply_hole(s, h, k, expected, (struct selective_hole){ n, n });
    }
    name_hole(s, h, x, k, expected);
}

/* The first packet of a flow, or one of a flow that is over: then false. */
static APART bool open_flow(struct sim *s, struct flow_rx *rx, const struct packet *k)
{
    if ((int16_t)(k->generation - rx->generation) < 0) {
        s->counters.payload_stale += k->payload;
        return false;
    }
    *rx = (struct flow_rx){ .generation = k->generation, .nacked_seq = UINT64_MAX };
    if (s->selective_rx) {
        selective_open(&s->selective_rx[k->flow]);
        rx->expected = UINT64_MAX;       /* so that the usual way knows nothing of it */
    }
    return true;
}

/* Model conweave, order node: a copy of a flow of which all has come. The fork's receiver forgets a flow when the sender
 * knows of its end, then answers copies as if byte 0 were missing, spaced as NACKs are, and the sender ignores it. A
 * receiver that runs beside the sender cannot know that instant. It spaces its answers alike from the last byte
 * on, but acknowledges: should the last ACK be lost, the sender needs another. */
static bool is_spaced_out(const struct sim *s, struct flow_rx *rx, const struct packet *k)
{
    return s->cfg.model == MODEL_CONWEAVE && s->cfg.order == ORDER_NODE && rx->expected == s->flow[k->flow].bytes &&
           !may_answer(s, rx, rx->expected);
}

/* Model conweave, order ns3: a copy of a flow that is over meets a state that knows nothing of it. The sender does not
 * care, but these answers are frames like others. */
static void answer_copy(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k, uint8_t flags)
{
    if (k->seq > rx->again) {
        complain(s, h, rx, k, rx->again, flags);
        return;
    }
    if (k->seq == rx->again)
        rx->again += k->payload;
    s->counters.acks_sent++;
    reply(s, h, k, PACKET_ACK, rx->again, s->ack_prio[k->prio], s->cfg.ack_bytes, flags);
}

/* Not the packet that was expected: one that comes before it, or after it. */
static APART void on_disorder(struct sim *s, struct host *h, struct flow_rx *rx, const struct packet *k, uint8_t flags)
{
    if (s->selective_rx) {
        keep_data(s, h, rx, k, flags);
        return;
    }
    s->counters.payload_stale += k->payload;
    if (k->seq > rx->expected) {
        count_reordered(s, k);
        complain(s, h, rx, k, rx->expected, flags);
    } else if (rx->expected == UINT64_MAX) {
        answer_copy(s, h, rx, k, flags);
    } else if (!is_spaced_out(s, rx, k) && (s->cfg.model != MODEL_HPCC || s->cfg.rto_ps)) {
        /* The HPCC fork is silent about what it has already; with its missing timer added, a lost ACK
         * must be repeated. */
        s->counters.acks_sent++;
        reply(s, h, k, PACKET_ACK, rx->expected, s->ack_prio[k->prio], s->cfg.ack_bytes,
              s->cfg.model == MODEL_CONWEAVE ? flags : 0);
    }
}

void host_on_data(struct sim *s, struct host *h, const struct packet *k)
{
    struct flow_rx *rx = &s->flow_rx[k->flow];
    bool            is_marked = k->flags & PACKET_ECN, is_hpcc = s->cfg.model != MODEL_NIC;
    uint8_t         flags = is_hpcc && is_marked ? PACKET_ECHO : 0;

    s->counters.data_received++;
    if (rx->generation != k->generation && !open_flow(s, rx, k))
        return;
    if (is_marked && !is_hpcc && (uint32_t)s->cfg.knobs.value[KNOB_roce_cc_prio_mask] >> k->prio & 1)
        on_mark(s, h, rx, k);
    if (k->seq == rx->expected) {
        rx->expected += k->payload;
        s->counters.payload_received += k->payload;
        if (k->flags & PACKET_LAST)
            host_on_arrival(s, &s->flow[k->flow]);
        if (++rx->unacked >= s->cfg.ack_every || k->flags & PACKET_LAST) {
            rx->unacked = 0;
            s->counters.acks_sent++;
            reply(s, h, k, PACKET_ACK, rx->expected, s->ack_prio[k->prio], s->cfg.ack_bytes, flags);
        }
    } else {
        on_disorder(s, h, rx, k, flags);
    }
}
