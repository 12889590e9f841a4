#include "sim/host/tcp.h"
#include "sim/link/path.h"

#include <stdlib.h>
#include <string.h>

/* The loop of events must stay small, or the compiler no longer makes one piece of RDMA's way through it. */
#define APART __attribute__((noinline))

#define LOST_AFTER   3           /* packets that arrived behind it */
#define BURST_SHARE  8           /* a burst is at most this part of a window */
#define RTO_PS_MAX   (60 * PS_PER_S)
#define BLOCK_MAX    64          /* packets that one ACK names */
#define SERVED_SHIFT 8           /* digits of 'served' after the point */
#define RDMA         PRIOS       /* in 'served' */
#define NOBODY       (PRIOS + 1)

/* ---- maps of packets ---- */

static inline bool has_bit(const uint64_t *map, uint64_t n)
{
    return map[n % TCP_PACKETS_MAX / 64] >> (n % 64) & 1;
}

static inline void flip_bit(uint64_t *map, uint64_t n)
{
    map[n % TCP_PACKETS_MAX / 64] ^= 1ull << (n % 64);
}

/* ---- what the window allows ---- */

static inline struct tcp_tx *tx_of(const struct sim *s, const struct flow *f)
{
    return &s->tcp[f - s->flow];
}

static inline struct tcp_host *tcp_host_of(const struct sim *s, const struct host *h)
{
    return &s->tcp_host[h - s->host];
}

static inline uint64_t in_flight(const struct tcp_tx *t)
{
    return t->next - t->first - t->sacked - t->holes;
}

/* Sent and not acknowledged, as algorithms ask for it. What arrived out of order while a loss was repaired
 * does not count: a cut by its measure would be none. */
static uint64_t flight_bytes(const struct tcp_tx *t)
{
    uint64_t sent = (t->next - t->first) * t->window.mss_bytes;

    return sent < t->window.cwnd_bytes ? sent : t->window.cwnd_bytes;
}

/* Packets that the window has room for. */
static uint64_t room(const struct tcp_tx *t)
{
    uint64_t window = t->window.cwnd_bytes / t->window.mss_bytes, flight = in_flight(t);
    uint64_t free = window > flight ? window - flight : 0;

    return free == 0 && (flight == 0 || t->is_urgent) ? 1 : free;
}

/* Packets there are to send: lost ones first, then new ones as far as the receiver has room. */
static uint64_t sendable(const struct tcp_tx *t)
{
    uint64_t limit = t->first + TCP_PACKETS_MAX < t->end ? t->first + TCP_PACKETS_MAX : t->end;

    return t->holes + (limit - t->next);
}

static uint64_t full_burst(const struct tcp_tx *t)
{
    uint64_t most = t->cfg->burst_bytes / t->window.mss_bytes;
    uint64_t share = t->window.cwnd_bytes / t->window.mss_bytes / BURST_SHARE;

    share = share < most ? share : most;
    return share ? share : 1;
}

/* Is there room for a burst? Repairs do not wait for one. */
static bool may_go(const struct tcp_tx *t)
{
    uint64_t there = sendable(t), burst = t->phase == TCP_OPEN ? full_burst(t) : 1;

    return there > 0 && room(t) >= (burst < there ? burst : there);
}

/* ---- turns ---- */

/* Lets a flow that may send wait for its turn. */
static void take_turn(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tx_of(s, f);
    uint32_t         id = (uint32_t)(f - s->flow);

    if (t->is_queued || !may_go(t))
        return;
    t->is_queued = true;
    t->next_ready = 0;
    if (th->turn[f->prio].head)
        s->tcp[th->turn[f->prio].tail].next_ready = id;
    else
        th->turn[f->prio].head = id;
    th->turn[f->prio].tail = id;
    th->ready |= (uint8_t)(1u << f->prio);
    s->port[h->port].backlog |= BACKLOG_TCP;
}

/* Takes a flow, first or not, out of those that wait. */
static void leave_turn(struct sim *s, struct host *h, const struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tx_of(s, f);
    uint32_t         id = (uint32_t)(f - s->flow), before = 0;

    if (!t->is_queued)
        return;
    for (uint32_t i = th->turn[f->prio].head; i != id; i = s->tcp[i].next_ready)
        before = i;
    if (before)
        s->tcp[before].next_ready = t->next_ready;
    else
        th->turn[f->prio].head = t->next_ready;
    if (!t->next_ready)
        th->turn[f->prio].tail = before;
    t->is_queued = false;
    t->burst = 0;
    if (!th->turn[f->prio].head)
        th->ready &= (uint8_t)~(1u << f->prio);
    if (!th->ready)
        s->port[h->port].backlog &= (uint16_t)~BACKLOG_TCP;
}

/* The first flow of a class that can send; those that no longer can are sent away. Begins its burst. */
static struct flow *first_in_turn(struct sim *s, struct host *h, uint32_t class)
{
    struct tcp_host *th = tcp_host_of(s, h);

    while (th->turn[class].head) {
        struct flow   *f = &s->flow[th->turn[class].head];
        struct tcp_tx *t = tx_of(s, f);
        uint64_t       now = room(t), there = sendable(t), most = t->cfg->burst_bytes / t->window.mss_bytes;

        now = now < there ? now : there;
        if (!t->burst)
            t->burst = (uint32_t)(now < most ? now : most ? most : 1);
        if (now > 0)
            return f;
        leave_turn(s, h, f);
    }
    return NULL;
}

/* ---- the stack wakes up ---- */

static inline uint32_t wake_slot(const struct sim *s, uint32_t host)
{
    return s->slot_tcp + s->hosts + host;
}

/* Lets the stack look at a flow soon, if there will be something to do. */
static void wake(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tx_of(s, f);
    struct node     *n = &s->node[h->node];
    uint32_t         slot = wake_slot(s, f->host);

    if (t->is_queued || t->is_woken || !may_go(t))
        return;
    if (!t->cfg->wake_ps_max) {
        take_turn(s, h, f);
        return;
    }
    t->is_woken = true;
    t->next_woken = th->woken;
    th->woken = (uint32_t)(f - s->flow);
    if (!evq_is_pending(&s->evq, slot)) {
        uint64_t at = s->now_ps + 1 + rng_below(&n->rng, t->cfg->wake_ps_max);

        evq_add(&s->evq, slot, at, sim_order(s, n, at));
    }
}

/* A flow is over: takes it out of those that the stack will look at. */
static void forget(struct sim *s, struct host *h, const struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tx_of(s, f);
    uint32_t        *link = &th->woken;

    if (!t->is_woken)
        return;
    while (*link != (uint32_t)(f - s->flow))
        link = &s->tcp[*link].next_woken;
    *link = t->next_woken;
    if (!th->woken)
        evq_cancel(&s->evq, wake_slot(s, f->host));
}

APART void tcp_on_wake(struct sim *s, uint32_t host)
{
    struct tcp_host *th = &s->tcp_host[host];

    for (uint32_t id = th->woken; id; id = s->tcp[id].next_woken) {
        s->tcp[id].is_woken = false;
        take_turn(s, &s->host[host], &s->flow[id]);
    }
    th->woken = 0;
    host_kick(s, &s->host[host]);
}

/* ---- the timer ---- */

static void arm(struct sim *s, uint32_t host, uint64_t at_ps)
{
    uint32_t slot = s->slot_tcp + host;

    if (evq_is_pending(&s->evq, slot)) {
        if (s->evq.slot[slot].at_ps <= at_ps)
            return;              /* it will look, and see that there is nothing to do yet */
        evq_cancel(&s->evq, slot);
    }
    evq_add(&s->evq, slot, at_ps, sim_order(s, &s->node[s->host[host].node], at_ps));
}

static void restart_timer(struct sim *s, const struct flow *f)
{
    struct tcp_tx *t = tx_of(s, f);

    t->deadline_ps = s->now_ps + t->rto_ps;
    arm(s, f->host, t->deadline_ps);
}

/* RFC 6298. */
static void measure(struct tcp_tx *t, uint64_t rtt_ps)
{
    uint64_t off = t->srtt_ps > rtt_ps ? t->srtt_ps - rtt_ps : rtt_ps - t->srtt_ps;

    t->rttvar_ps = (3 * t->rttvar_ps + off) / 4;
    t->srtt_ps = (7 * t->srtt_ps + rtt_ps) / 8;
    t->rto_ps = t->srtt_ps + 4 * t->rttvar_ps;
    if (t->rto_ps < t->cfg->rto_ps_min)
        t->rto_ps = t->cfg->rto_ps_min;
}

/* All that has not arrived is lost; one packet goes, and the next time-out comes later. Further time-outs
 * leave the threshold alone (RFC 5681, 3.1). */
static void time_out(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_tx *t = tx_of(s, f);

    s->counters.timeouts++;
    if (t->phase != TCP_LOSS)
        t->cfg->algo->on_timeout(&t->window, t->state, s->now_ps, flight_bytes(t));
    t->window.cwnd_bytes = t->window.mss_bytes;
    t->phase = TCP_LOSS;
    t->recover = t->lost_to = t->next;
    t->resend = t->first;
    t->holes = (uint32_t)(t->next - t->first) - t->sacked;
    t->is_urgent = false;
    t->rto_ps = 2 * t->rto_ps < RTO_PS_MAX ? 2 * t->rto_ps : RTO_PS_MAX;
    t->deadline_ps = s->now_ps + t->rto_ps;
    leave_turn(s, h, f);         /* its burst is over */
    take_turn(s, h, f);
}

APART void tcp_on_timer(struct sim *s, uint32_t host)
{
    struct host *h = &s->host[host];
    uint64_t     next = NEVER;

    for (uint32_t id = s->tcp_host[host].active; id; id = s->tcp[id].next_active) {
        if (s->tcp[id].deadline_ps <= s->now_ps)
            time_out(s, h, &s->flow[id]);
        next = s->tcp[id].deadline_ps < next ? s->tcp[id].deadline_ps : next;
    }
    if (next != NEVER)
        arm(s, host, next);
    host_kick(s, h);
}

/* ---- sending ---- */

/* Which packet goes next: one that is lost, or a new one. */
static uint64_t next_number(struct tcp_tx *t)
{
    if (!t->holes)
        return t->next++;
    while (has_bit(t->is_sacked, t->resend))
        t->resend++;
    t->holes--;
    return t->resend++;
}

/* Returns the bytes of the frame. */
static uint32_t send_packet(struct sim *s, struct host *h, struct flow *f, uint64_t number, bool is_push)
{
    const struct tcp_cfg *cfg = tx_of(s, f)->cfg;
    uint64_t              seq = number * cfg->mss_bytes, left = f->bytes - seq;
    uint32_t              payload = left < cfg->mss_bytes ? (uint32_t)left : cfg->mss_bytes;
    uint32_t              id = packet_new(&s->packets);
    struct packet        *k = &s->packets.packet[id];
    uint32_t              flags = PACKET_TCP | (cfg->is_ecn ? 0 : PACKET_NOT_ECT);

    flags |= (is_push ? PACKET_PUSH : 0) | (payload == left ? PACKET_LAST : 0);
    k->flow = (uint32_t)(f - s->flow);
    k->seq = seq;
    k->sent_ps = s->now_ps;
    k->src = f->src;
    k->dst = f->dst;
    k->ports = f->ports;
    k->bytes = (uint16_t)(payload + TCP_HEADER_BYTES);
    k->payload = (uint16_t)payload;
    k->generation = f->generation;
    k->kind = PACKET_DATA;
    k->prio = f->prio & 7u;
    k->flags = flags & 31;
    if (seq + payload > f->sent)
        f->sent = seq + payload;
    else
        f->resent_bytes += payload;
    s->counters.data_sent++;
    s->counters.payload_sent += payload;
    if (s->gap_record)
        gaps_on_sent(s->gap_record, f->host, k->flow, true, s->now_ps);
    path_transmit(s, &s->port[h->port], id, k);
    return payload + TCP_HEADER_BYTES;
}

static inline uint64_t over_weight(const struct sim *s, uint32_t bytes, uint32_t class)
{
    return ((uint64_t)bytes << SERVED_SHIFT) / s->cfg.weight[class];
}

/* Who has had least goes next: a class of TCP, RDMA, or nobody. Classes that are paused do not. */
static uint32_t choose(struct sim *s, struct host *h, bool has_rdma)
{
    struct tcp_host *th = tcp_host_of(s, h);
    uint32_t         best = NOBODY;

    for (uint32_t c = 0; c <= RDMA; c++) {
        if (c < PRIOS ? s->port[h->port].paused >> c & 1 || !first_in_turn(s, h, c) : !has_rdma)
            continue;
        if (th->served[c] < th->served_last)
            th->served[c] = th->served_last;     /* who had nothing to send saves nothing up */
        if (best == NOBODY || th->served[c] < th->served[best])
            best = c;
    }
    if (best != NOBODY)
        th->served_last = th->served[best];
    return best;
}

/* The next packet of the flow whose turn it is in a class. */
static void send_of_class(struct sim *s, struct host *h, uint32_t class)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct flow     *f = &s->flow[th->turn[class].head];
    struct tcp_tx   *t = tx_of(s, f);
    bool             is_repair = t->holes > 0, is_over;
    uint64_t         number = next_number(t);

    t->is_urgent = false;
    t->burst--;
    is_over = t->burst == 0 || sendable(t) == 0 || room(t) == 0;
    th->served[class] += over_weight(s, send_packet(s, h, f, number, is_over), class);
    if (is_repair)
        t->repair_at = t->next;
    if (t->deadline_ps == NEVER || (is_repair && number == t->first))
        restart_timer(s, f);
    if (is_over) {
        leave_turn(s, h, f);
        take_turn(s, h, f);
    }
}

APART bool tcp_send(struct sim *s, struct host *h, bool has_rdma)
{
    struct tcp_host *th = tcp_host_of(s, h);
    uint32_t         class = choose(s, h, has_rdma);

    if (class < PRIOS)
        send_of_class(s, h, class);
    else if (class == RDMA)
        th->served[RDMA] += over_weight(s, s->cfg.mtu_bytes + s->cfg.header_bytes, th->rdma_prio);
    return class < PRIOS;
}

/* ---- flows ---- */

APART void tcp_start(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host      *th = tcp_host_of(s, h);
    struct tcp_tx        *t = tx_of(s, f);
    const struct tcp_cfg *cfg = &s->cfg.tcp[f->tcp - 1];
    uint32_t              id = (uint32_t)(f - s->flow);

    *t = (struct tcp_tx){ .cfg = cfg, .deadline_ps = NEVER,
                          .end = (f->bytes + cfg->mss_bytes - 1) / cfg->mss_bytes,
                          .srtt_ps = s->base_rtt_ps, .rttvar_ps = s->base_rtt_ps / 2 };
    t->rto_ps = 3 * s->base_rtt_ps > cfg->rto_ps_min ? 3 * s->base_rtt_ps : cfg->rto_ps_min;
    tcp_window_init(&t->window, cfg->mss_bytes);
    if (cfg->algo->start)
        cfg->algo->start(&t->window, t->state);
    t->next_active = th->active;
    if (th->active)
        s->tcp[th->active].prev_active = id;
    th->active = id;
    take_turn(s, h, f);
}

static void finish(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tx_of(s, f);
    uint32_t         timer = s->slot_tcp + f->host;

    leave_turn(s, h, f);
    forget(s, h, f);
    if (t->prev_active)
        s->tcp[t->prev_active].next_active = t->next_active;
    else
        th->active = t->next_active;
    if (t->next_active)
        s->tcp[t->next_active].prev_active = t->prev_active;
    if (!th->active && evq_is_pending(&s->evq, timer))
        evq_cancel(&s->evq, timer);
    host_end_flow(s, f);
}

/* ---- acknowledgements ---- */

/* All before packet 'to' has arrived. */
static void advance(struct tcp_tx *t, uint64_t to)
{
    for (uint64_t n = t->first; n < to; n++)
        if (has_bit(t->is_sacked, n)) {
            flip_bit(t->is_sacked, n);
            t->sacked--;
        } else if (n >= t->resend && n < t->lost_to) {
            t->holes--;
        }
    t->first = to;
    t->lost_to = t->lost_to > to ? t->lost_to : to;
    t->resend = t->resend > to ? t->resend : to;
}

/* Packets from .. to - 1 have arrived out of order. */
static void note_sacks(struct tcp_tx *t, uint64_t from, uint64_t to)
{
    for (uint64_t n = from > t->first ? from : t->first; n < to && n < t->next; n++) {
        if (has_bit(t->is_sacked, n))
            continue;
        flip_bit(t->is_sacked, n);
        t->sacked++;
        if (n >= t->resend && n < t->lost_to)
            t->holes--;
        t->top = n > t->top ? n : t->top;
    }
}

/* All up to 'to' that has not arrived is lost. */
static void lose(struct tcp_tx *t, uint64_t to)
{
    for (; t->lost_to < to; t->lost_to++)
        t->holes += !has_bit(t->is_sacked, t->lost_to);
}

/* New packets go when all repairs are made. If three of them have arrived, repairs that have not were lost
 * too: there is still too much under way (RFC 6675, 5.1). */
static void repeat_repairs(struct sim *s, struct tcp_tx *t)
{
    t->cfg->algo->on_loss(&t->window, t->state, s->now_ps, flight_bytes(t));
    t->resend = t->first;
    for (uint64_t n = t->first; n < t->lost_to; n++)
        t->holes += !has_bit(t->is_sacked, n);
    t->repair_at = t->next;
}

/* Looks for packets with three arrived behind them. */
static void find_losses(struct sim *s, struct tcp_tx *t)
{
    uint32_t behind = 0;

    if (t->sacked < LOST_AFTER)
        return;
    if (!t->holes && t->resend > t->first && t->top >= t->repair_at + LOST_AFTER - 1)
        repeat_repairs(s, t);
    for (uint64_t n = t->top; n > t->lost_to; n--)
        if (has_bit(t->is_sacked, n) && ++behind == LOST_AFTER) {
            lose(t, n);
            return;
        }
}

/* Follows the phases; a loss in open water cuts the window and sends the first repair at once. */
static void judge(struct sim *s, struct tcp_tx *t, bool is_new)
{
    if (t->phase != TCP_OPEN && t->first >= t->recover)
        t->phase = TCP_OPEN;
    if (t->phase == TCP_RECOVERY && is_new && t->first >= t->lost_to)
        lose(t, t->first + 1);   /* what lies before 'recover' and was not repaired is missing too */
    if (t->phase != TCP_OPEN || !t->holes)
        return;
    t->cfg->algo->on_loss(&t->window, t->state, s->now_ps, flight_bytes(t));
    t->phase = TCP_RECOVERY;
    t->recover = t->next;
    t->is_urgent = true;
}

/* Does the window limit this sender, rather than the link of its host? */
static bool is_limited(const struct tcp_tx *t, uint64_t flight)
{
    uint64_t window = t->window.cwnd_bytes / t->window.mss_bytes;

    if (t->window.cwnd_bytes < t->window.ssthresh_bytes)
        return window < 2 * flight;
    return window <= flight + full_burst(t);
}

/* A mark cuts the window once per window, unless a loss has done so. */
static void on_mark(struct sim *s, struct tcp_tx *t)
{
    const struct tcp_algo *a = t->cfg->algo;

    if (t->phase != TCP_OPEN || t->first <= t->cut_at)
        return;
    (a->on_ecn ? a->on_ecn : a->on_loss)(&t->window, t->state, s->now_ps, flight_bytes(t));
    t->cut_at = t->next;
}

static void grow(struct sim *s, struct tcp_tx *t, const struct packet *k, uint64_t acked_bytes,
                 uint64_t flight)
{
    bool           is_marked = k->flags & PACKET_ECHO;
    struct tcp_ack a = { s->now_ps, t->srtt_ps, acked_bytes, is_marked ? acked_bytes : 0,
                         !is_marked && t->phase != TCP_RECOVERY && is_limited(t, flight),
                         t->first > t->round_at };

    if (a.ends_round)
        t->round_at = t->next;
    t->cfg->algo->on_ack(&t->window, t->state, &a);
    if (is_marked)
        on_mark(s, t);
}

APART void tcp_on_ack(struct sim *s, struct host *h, struct flow *f, const struct packet *k)
{
    struct tcp_tx *t = tx_of(s, f);
    uint64_t       acked = k->seq > f->acked ? k->seq - f->acked : 0, flight = in_flight(t);
    uint32_t       mss = t->window.mss_bytes;

    if (acked) {
        f->acked = k->seq;
        if (f->acked >= f->bytes) {
            finish(s, h, f);
            return;
        }
        advance(t, f->acked / mss);
    }
    if (k->flags & PACKET_SACK)
        note_sacks(t, k->seq / mss + (k->sent_ps >> 32), k->seq / mss + (uint32_t)k->sent_ps);
    else if (acked)
        measure(t, s->now_ps - k->sent_ps);
    find_losses(s, t);
    judge(s, t, acked > 0);
    if (acked)
        grow(s, t, k, acked, flight);
    if (t->next == t->first)
        t->deadline_ps = NEVER;
    else if (acked)
        restart_timer(s, f);
    wake(s, h, f);
}

/* ---- receiving ---- */

/* Packet 'last', out of order, and those just before it: as offsets from what is acknowledged. */
static uint64_t block(const struct tcp_rx *x, uint64_t expected, uint64_t last)
{
    uint64_t from = last;

    while (from > expected + 1 && last - from < BLOCK_MAX - 1 && has_bit(x->has, from - 1))
        from--;
    return (from - expected) << 32 | (last + 1 - expected);
}

static void acknowledge(struct sim *s, struct host *h, const struct packet *k, bool is_gap)
{
    struct flow_rx *rx = &s->flow_rx[k->flow];
    struct tcp_rx  *x = &s->tcp_rx[k->flow];
    struct packet   answered = *k;
    uint32_t        flags = PACKET_TCP | PACKET_NOT_ECT | (x->is_marked ? PACKET_ECHO : 0);

    if (is_gap) {
        uint32_t mss = s->cfg.tcp[s->flow[k->flow].tcp - 1].mss_bytes;

        answered.sent_ps = block(x, rx->expected / mss, k->seq / mss);
        flags |= PACKET_SACK;
    }
    x->unacked = 0;
    s->counters.acks_sent++;
    host_reply(s, h, &answered, PACKET_ACK, rx->expected, TCP_HEADER_BYTES + (is_gap ? TCP_SACK_BYTES : 0),
               (uint8_t)flags);
}

/* Takes packet n from those that are kept, if it is there. */
static bool take(struct tcp_rx *x, uint64_t n)
{
    if (!x->out_of_order || !has_bit(x->has, n))
        return false;
    flip_bit(x->has, n);
    x->out_of_order--;
    return true;
}

/* Moves on over what is there. */
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
    struct flow_rx *rx = &s->flow_rx[k->flow];
    struct tcp_rx  *x = &s->tcp_rx[k->flow];
    bool            had_gap = x->out_of_order > 0;

    deliver(rx, x, mss);
    if (rx->expected == x->end)
        host_on_arrival(s, &s->flow[k->flow]);
    if (++x->unacked >= TCP_ACK_EVERY || had_gap || rx->expected == x->end || k->flags & PACKET_PUSH)
        acknowledge(s, h, k, false);
}

/* False: a packet of a flow that is over. */
static bool open_flow(struct sim *s, const struct packet *k)
{
    struct flow_rx *rx = &s->flow_rx[k->flow];

    if (rx->generation == k->generation)
        return true;
    if ((int16_t)(k->generation - rx->generation) < 0)
        return false;
    *rx = (struct flow_rx){ .generation = k->generation, .nacked_seq = UINT64_MAX };
    s->tcp_rx[k->flow] = (struct tcp_rx){ .end = UINT64_MAX };
    return true;
}

/* Settings are read from the flow only for bytes that have not come yet: so it is not over at its source,
 * which does not change them. */
APART void tcp_on_data(struct sim *s, struct host *h, const struct packet *k)
{
    struct flow_rx *rx = &s->flow_rx[k->flow];
    struct tcp_rx  *x = &s->tcp_rx[k->flow];
    bool            is_marked = k->flags & PACKET_ECN;
    uint32_t        mss;

    s->counters.data_received++;
    if (!open_flow(s, k)) {
        s->counters.payload_stale += k->payload;
        return;
    }
    if (is_marked != x->is_marked && x->unacked)
        acknowledge(s, h, k, false);
    x->is_marked = is_marked;
    if (k->seq < rx->expected) {
        s->counters.payload_stale += k->payload;
        acknowledge(s, h, k, false);
        return;
    }
    mss = s->cfg.tcp[s->flow[k->flow].tcp - 1].mss_bytes;
    if (k->flags & PACKET_LAST)
        x->end = k->seq + k->payload;
    if (has_bit(x->has, k->seq / mss)) {
        s->counters.payload_stale += k->payload;
        acknowledge(s, h, k, true);
        return;
    }
    s->counters.payload_received += k->payload;
    if (k->seq == rx->expected) {
        on_in_order(s, h, k, mss);
        return;
    }
    flip_bit(x->has, k->seq / mss);
    x->out_of_order++;
    acknowledge(s, h, k, true);
}

/* ---- invariants ---- */

static void expect(bool holds, const struct host *h, const struct sim *s, const char *what)
{
    if (!holds) {
        fprintf(stderr, "host %s at %llu ps: %s\n", s->graph.node[h->node].name, (unsigned long long)s->now_ps,
                what);
        abort();
    }
}

static void check_flow(const struct sim *s, const struct host *h, uint32_t id)
{
    const struct flow   *f = &s->flow[id];
    const struct tcp_tx *t = &s->tcp[id];
    uint32_t             sacked = 0, holes = 0, timer = s->slot_tcp + f->host;

    for (uint64_t n = t->first; n < t->next; n++) {
        bool is_sacked = has_bit(t->is_sacked, n);

        sacked += is_sacked;
        holes += !is_sacked && n >= t->resend && n < t->lost_to;
    }
    expect(f->phase == FLOW_ACTIVE && &s->host[f->host] == h, h, s,
           "a TCP flow is not where its host thinks");
    expect(f->acked == t->first * t->window.mss_bytes && t->first <= t->next && t->next <= t->end &&
               t->next - t->first <= TCP_PACKETS_MAX, h, s, "a TCP flow has lost count of its packets");
    expect(t->first <= t->resend && t->resend <= t->lost_to && t->lost_to <= t->next, h, s,
           "a TCP flow has lost what it has not sent");
    expect(sacked == t->sacked && holes == t->holes, h, s, "a TCP flow's map and counts disagree");
    expect(t->window.cwnd_bytes >= t->window.mss_bytes, h, s, "a TCP window is closed");
    expect(t->is_queued || t->is_woken || !may_go(t), h, s,
           "a TCP flow may send but does not wait for its turn");
    expect(!t->is_woken || evq_is_pending(&s->evq, wake_slot(s, f->host)), h, s, "a TCP stack sleeps");
    expect(t->is_queued || t->is_woken || t->deadline_ps != NEVER, h, s, "a TCP flow waits for nothing");
    expect(t->deadline_ps == NEVER ||
               (evq_is_pending(&s->evq, timer) && s->evq.slot[timer].at_ps <= t->deadline_ps), h, s,
           "a TCP flow's timer is not armed");
}

void tcp_check(const struct sim *s, const struct host *h)
{
    const struct tcp_host *th = tcp_host_of(s, h);
    uint32_t               active = 0, waiting = 0;

    for (uint32_t id = th->active; id; id = s->tcp[id].next_active, active++) {
        check_flow(s, h, id);
        waiting += s->tcp[id].is_queued;
    }
    for (uint32_t c = 0; c < PRIOS; c++) {
        expect((th->turn[c].head != 0) == (th->ready >> c & 1), h, s, "a class of TCP and its bit disagree");
        for (uint32_t id = th->turn[c].head; id; id = s->tcp[id].next_ready, waiting--)
            expect(s->tcp[id].is_queued && s->flow[id].prio == c, h, s,
                   "a TCP flow waits in the wrong place");
    }
    expect(waiting == 0, h, s, "a TCP flow that waits is not on the list");
    expect((th->ready != 0) == !!(s->port[h->port].backlog & BACKLOG_TCP), h, s,
           "a port does not know of TCP");
}
