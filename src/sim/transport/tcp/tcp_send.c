#include "sim/transport/tcp/tcp.h"
#include "sim/nic/flow.h"
#include "sim/nic/gaps.h"
#include "sim/link/path.h"
#include "sim/state/ideal.h"

#define BURST_SHARE  8           /* a burst is at most this fraction of a window */
#define RTO_PS_MAX   (60 * PS_PER_S)
#define SERVED_SHIFT 8           /* fractional bits of 'served' */
#define RDMA         PRIOS       /* index in 'served' */
#define NO_CLASS       (PRIOS + 1)

static inline struct tcp_host *tcp_host_of(const struct sim *s, const struct host *h)
{
    return &tcp_of(s)->host[h->id];
}

/* ---- window ---- */

/* Returns how many packets the window has room for. */
static uint64_t room(const struct tcp_tx *t)
{
    uint64_t window = t->window.cwnd_bytes / t->window.mss_bytes, flight = tcp_in_flight(t);
    uint64_t free = window > flight ? window - flight : 0;

    return free == 0 && (flight == 0 || t->is_urgent) ? 1 : free;
}

/* Returns the number of packets to send: lost ones, and new ones for which the receiver has room. */
static uint64_t sendable(const struct tcp_tx *t)
{
    uint64_t limit = t->first + TCP_PACKETS_MAX < t->end ? t->first + TCP_PACKETS_MAX : t->end;

    return t->holes + (limit - t->next);
}

uint64_t tcp_full_burst(const struct tcp_tx *t)
{
    uint64_t most = t->cfg->burst_bytes / t->window.mss_bytes;
    uint64_t share = t->window.cwnd_bytes / t->window.mss_bytes / BURST_SHARE;

    share = share < most ? share : most;
    return share ? share : 1;
}

/* Returns true if there is room for a burst. Retransmissions do not wait for one. */
static bool may_go(const struct tcp_tx *t)
{
    uint64_t there = sendable(t), burst = t->phase == TCP_OPEN ? tcp_full_burst(t) : 1;

    return there > 0 && room(t) >= (burst < there ? burst : there);
}

/* ---- turns ---- */

/* Queues a flow that may send for its turn. */
static void take_turn(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tcp_tx_of(s, f);
    uint32_t         id = (uint32_t)(f - s->flows.flow);

    if (t->is_queued || !may_go(t))
        return;
    t->is_queued = true;
    t->next_ready = 0;
    if (th->turn[f->prio].head)
        tcp_of(s)->tx[th->turn[f->prio].tail].next_ready = id;
    else
        th->turn[f->prio].head = id;
    th->turn[f->prio].tail = id;
    th->ready |= (uint8_t)(1u << f->prio);
    h->port->backlog |= BACKLOG_SHARE;
}

/* Removes a flow from the queue of its class. */
static void leave_turn(struct sim *s, struct host *h, const struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tcp_tx_of(s, f);
    uint32_t         id = (uint32_t)(f - s->flows.flow), before = 0;

    if (!t->is_queued)
        return;
    for (uint32_t i = th->turn[f->prio].head; i != id; i = tcp_of(s)->tx[i].next_ready)
        before = i;
    if (before)
        tcp_of(s)->tx[before].next_ready = t->next_ready;
    else
        th->turn[f->prio].head = t->next_ready;
    if (!t->next_ready)
        th->turn[f->prio].tail = before;
    t->is_queued = false;
    t->burst = 0;
    if (!th->turn[f->prio].head)
        th->ready &= (uint8_t)~(1u << f->prio);
    if (!th->ready)
        h->port->backlog &= (uint16_t)~BACKLOG_SHARE;
}

/* Returns the first flow of a class that can send, and begins its burst. Removes flows that no longer can. */
static struct flow *first_in_turn(struct sim *s, struct host *h, uint32_t class)
{
    struct tcp_host *th = tcp_host_of(s, h);

    while (th->turn[class].head) {
        struct flow   *f = &s->flows.flow[th->turn[class].head];
        struct tcp_tx *t = tcp_tx_of(s, f);
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

/* ---- wake-ups of the stack ---- */

static inline uint32_t wake_event(const struct sim *s, uint32_t host)
{
    return transport_event(s, TIMER_TCP_WAKE, host);
}

void tcp_wake(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tcp_tx_of(s, f);
    struct node     *n = &s->net.node[h->node];
    uint32_t         event = wake_event(s, f->host);

    if (t->is_queued || t->is_woken || !may_go(t))
        return;
    if (!t->cfg->wake_ps_max) {
        take_turn(s, h, f);
        return;
    }
    t->is_woken = true;
    t->next_woken = th->woken;
    th->woken = (uint32_t)(f - s->flows.flow);
    if (!evq_is_pending(&s->engine.evq, event)) {
        uint64_t at = s->engine.now_ps + 1 + rng_below(&n->rng, t->cfg->wake_ps_max);

        evq_add(&s->engine.evq, event, at, sim_order(s, n, at));
    }
}

/* Removes a finished flow from the list of flows that the stack will handle. */
static void forget(struct sim *s, struct host *h, const struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tcp_tx_of(s, f);
    uint32_t        *link = &th->woken;

    if (!t->is_woken)
        return;
    while (*link != (uint32_t)(f - s->flows.flow))
        link = &tcp_of(s)->tx[*link].next_woken;
    *link = t->next_woken;
    if (!th->woken)
        evq_cancel(&s->engine.evq, wake_event(s, f->host));
}

APART void tcp_on_wake(struct sim *s, struct host *h)
{
    struct tcp_host *th = tcp_host_of(s, h);

    for (uint32_t id = th->woken; id; id = tcp_of(s)->tx[id].next_woken) {
        tcp_of(s)->tx[id].is_woken = false;
        take_turn(s, h, &s->flows.flow[id]);
    }
    th->woken = 0;
}

/* ---- the timer ---- */

static void arm(struct sim *s, uint32_t host, uint64_t at_ps)
{
    uint32_t event = transport_event(s, TIMER_TCP_RTO, host);

    if (evq_is_pending(&s->engine.evq, event)) {
        if (evq_event(&s->engine.evq, event)->at_ps <= at_ps)
            return;              /* the pending event will find nothing to do and rearm itself */
        evq_cancel(&s->engine.evq, event);
    }
    evq_add(&s->engine.evq, event, at_ps, sim_order(s, &s->net.node[s->net.host[host].node], at_ps));
}

void tcp_restart_timer(struct sim *s, const struct flow *f)
{
    struct tcp_tx *t = tcp_tx_of(s, f);

    t->deadline_ps = s->engine.now_ps + t->rto_ps;
    arm(s, f->host, t->deadline_ps);
}

/* Declares everything that has not arrived lost, sends one packet and doubles the timeout. Further timeouts
 * do not change the slow-start threshold (RFC 5681, 3.1). */
static void time_out(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_tx *t = tcp_tx_of(s, f);

    s->engine.counters.timeouts++;
    if (t->phase != TCP_LOSS)
        t->cfg->algo->on_timeout(&t->window, t->state, s->engine.now_ps, tcp_flight_bytes(t));
    t->window.cwnd_bytes = t->window.mss_bytes;
    t->phase = TCP_LOSS;
    t->recover = t->lost_to = t->next;
    t->resend = t->first;
    t->holes = (uint32_t)(t->next - t->first) - t->sacked;
    t->is_urgent = false;
    t->rto_ps = 2 * t->rto_ps < RTO_PS_MAX ? 2 * t->rto_ps : RTO_PS_MAX;
    t->deadline_ps = s->engine.now_ps + t->rto_ps;
    leave_turn(s, h, f);         /* its burst ends */
    take_turn(s, h, f);
}

APART void tcp_on_timer(struct sim *s, struct host *h)
{
    uint64_t next = NEVER;

    for (uint32_t id = tcp_host_of(s, h)->active; id; id = tcp_of(s)->tx[id].next_active) {
        if (tcp_of(s)->tx[id].deadline_ps <= s->engine.now_ps)
            time_out(s, h, &s->flows.flow[id]);
        next = tcp_of(s)->tx[id].deadline_ps < next ? tcp_of(s)->tx[id].deadline_ps : next;
    }
    if (next != NEVER)
        arm(s, h->id, next);
}

/* ---- sending ---- */

/* Returns the packet to send next: a lost one, or a new one. */
static uint64_t next_number(struct tcp_tx *t)
{
    if (!t->holes)
        return t->next++;
    while (tcp_has_bit(t->is_sacked, t->resend))
        t->resend++;
    t->holes--;
    return t->resend++;
}

/* Returns the frame size. */
static uint32_t send_packet(struct sim *s, struct host *h, struct flow *f, uint64_t number, bool is_push)
{
    const struct tcp_cfg *cfg = tcp_tx_of(s, f)->cfg;
    uint64_t              seq = number * cfg->mss_bytes, left = f->bytes - seq;
    uint32_t              payload = left < cfg->mss_bytes ? (uint32_t)left : cfg->mss_bytes;
    uint32_t              id = engine_new_packet(&s->engine);
    struct packet        *k = &s->engine.packets.packet[id];
    uint32_t              flags = (cfg->is_ecn ? 0 : PACKET_NOT_ECT) | (payload == left ? PACKET_LAST : 0);

    *k = (struct packet){ .flow = (uint32_t)(f - s->flows.flow), .src = f->src, .dst = f->dst,
                          .ports = f->ports, .seq = seq, .sent_ps = s->engine.now_ps,
                          .bytes = (uint16_t)(payload + TCP_HEADER_BYTES), .payload = (uint16_t)payload,
                          .generation = f->generation, .kind = is_push ? TCP_PUSH : TCP_DATA,
                          .prio = f->prio & 7u, .flags = flags & PACKET_FLAGS };
    if (seq + payload > f->sent)
        f->sent = seq + payload;
    else
        f->resent_bytes += payload;
    s->engine.counters.data_sent++;
    s->engine.counters.payload_sent += payload;
    if (s->hosts.gap_record)
        gaps_on_sent(s->hosts.gap_record, f->host, k->flow, true, s->engine.now_ps);
    path_transmit(&s->engine, h->port, id, k);
    return payload + TCP_HEADER_BYTES;
}

static inline uint64_t over_weight(const struct sim *s, uint32_t bytes, uint32_t class)
{
    return ((uint64_t)bytes << SERVED_SHIFT) / s->cfg.weight[class];
}

/* Returns the class with the least service: a class of TCP, RDMA, or none. Skips paused classes. */
static uint32_t choose(struct sim *s, struct host *h, bool has_rdma)
{
    struct tcp_host *th = tcp_host_of(s, h);
    uint32_t         best = NO_CLASS;

    for (uint32_t c = 0; c <= RDMA; c++) {
        if (c < PRIOS ? h->port->paused >> c & 1 || !first_in_turn(s, h, c) : !has_rdma)
            continue;
        if (th->served[c] < th->served_last)
            th->served[c] = th->served_last;     /* an idle class accumulates no credit */
        if (best == NO_CLASS || th->served[c] < th->served[best])
            best = c;
    }
    if (best != NO_CLASS)
        th->served_last = th->served[best];
    return best;
}

/* Sends the next packet of the first flow of a class. */
static void send_of_class(struct sim *s, struct host *h, uint32_t class)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct flow     *f = &s->flows.flow[th->turn[class].head];
    struct tcp_tx   *t = tcp_tx_of(s, f);
    bool             is_repair = t->holes > 0;
    uint64_t         number = next_number(t);

    t->is_urgent = false;
    t->burst--;
    bool is_over = t->burst == 0 || sendable(t) == 0 || room(t) == 0;
    th->served[class] += over_weight(s, send_packet(s, h, f, number, is_over), class);
    if (is_repair)
        t->repair_at = t->next;
    if (t->deadline_ps == NEVER || (is_repair && number == t->first))
        tcp_restart_timer(s, f);
    if (is_over) {
        leave_turn(s, h, f);
        take_turn(s, h, f);
    }
}

static APART bool share(struct sim *s, struct host *h, bool has_others)
{
    struct tcp_host *th = tcp_host_of(s, h);
    uint32_t         class = choose(s, h, has_others);

    if (class < PRIOS)
        send_of_class(s, h, class);
    else if (class == RDMA)
        th->served[RDMA] += over_weight(s, s->cfg.mtu_bytes + s->cfg.header_bytes, h->last_prio);
    return class < PRIOS;
}

/* ---- flows ---- */

static APART void start(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host      *th = tcp_host_of(s, h);
    struct tcp_tx        *t = tcp_tx_of(s, f);
    const struct tcp_cfg *cfg = &s->cfg.tcp[f->tcp - 1];
    uint32_t              id = (uint32_t)(f - s->flows.flow);

    *t = (struct tcp_tx){ .cfg = cfg, .deadline_ps = NEVER,
                          .end = (f->bytes + cfg->mss_bytes - 1) / cfg->mss_bytes,
                          .srtt_ps = s->net.base_rtt_ps, .rttvar_ps = s->net.base_rtt_ps / 2 };
    t->rto_ps = 3 * s->net.base_rtt_ps > cfg->rto_ps_min ? 3 * s->net.base_rtt_ps : cfg->rto_ps_min;
    tcp_window_init(&t->window, cfg->mss_bytes);
    if (cfg->algo->start)
        cfg->algo->start(&t->window, t->state);
    t->next_active = th->active;
    if (th->active)
        tcp_of(s)->tx[th->active].prev_active = id;
    th->active = id;
    take_turn(s, h, f);
}

void tcp_finish(struct sim *s, struct host *h, struct flow *f)
{
    struct tcp_host *th = tcp_host_of(s, h);
    struct tcp_tx   *t = tcp_tx_of(s, f);
    uint32_t         timer = transport_event(s, TIMER_TCP_RTO, f->host);

    leave_turn(s, h, f);
    forget(s, h, f);
    if (t->prev_active)
        tcp_of(s)->tx[t->prev_active].next_active = t->next_active;
    else
        th->active = t->next_active;
    if (t->next_active)
        tcp_of(s)->tx[t->next_active].prev_active = t->prev_active;
    if (!th->active && evq_is_pending(&s->engine.evq, timer))
        evq_cancel(&s->engine.evq, timer);
    flow_end(s, f);
}

/* ---- invariants ---- */

static void check_flow(const struct sim *s, const struct host *h, uint32_t id)
{
    const struct flow   *f = &s->flows.flow[id];
    const struct tcp_tx *t = &tcp_of(s)->tx[id];
    uint32_t             sacked = 0, holes = 0, timer = transport_event(s, TIMER_TCP_RTO, f->host);

    for (uint64_t n = t->first; n < t->next; n++) {
        bool is_sacked = tcp_has_bit(t->is_sacked, n);

        sacked += is_sacked;
        holes += !is_sacked && n >= t->resend && n < t->lost_to;
    }
    expect_of_node(f->phase == FLOW_ACTIVE && &s->net.host[f->host] == h, s, h->node,
                   "a TCP flow is not where its host thinks");
    expect_of_node(f->acked == t->first * t->window.mss_bytes && t->first <= t->next && t->next <= t->end &&
                   t->next - t->first <= TCP_PACKETS_MAX, s, h->node,
                   "a TCP flow has lost count of its packets");
    expect_of_node(t->first <= t->resend && t->resend <= t->lost_to && t->lost_to <= t->next, s, h->node,
                   "a TCP flow has lost what it has not sent");
    expect_of_node(sacked == t->sacked && holes == t->holes, s, h->node,
                   "a TCP flow's map and counts disagree");
    expect_of_node(t->window.cwnd_bytes >= t->window.mss_bytes, s, h->node, "a TCP window is closed");
    expect_of_node(t->is_queued || t->is_woken || !may_go(t), s, h->node,
                   "a TCP flow may send but does not wait for its turn");
    expect_of_node(!t->is_woken || evq_is_pending(&s->engine.evq, wake_event(s, f->host)), s, h->node,
                   "a TCP stack sleeps");
    expect_of_node(t->is_queued || t->is_woken || t->deadline_ps != NEVER, s, h->node,
                   "a TCP flow waits for nothing");
    expect_of_node(t->deadline_ps == NEVER || (evq_is_pending(&s->engine.evq, timer) &&
                    evq_event(&s->engine.evq, timer)->at_ps <= t->deadline_ps), s, h->node,
                   "a TCP flow's timer is not armed");
}

static void check(const struct sim *s, const struct host *h)
{
    uint32_t active = 0, waiting = 0;

    if (!tcp_of(s))
        return;
    const struct tcp_host *th = tcp_host_of(s, h);
    for (uint32_t id = th->active; id; id = tcp_of(s)->tx[id].next_active, active++) {
        check_flow(s, h, id);
        waiting += tcp_of(s)->tx[id].is_queued;
    }
    for (uint32_t c = 0; c < PRIOS; c++) {
        expect_of_node((th->turn[c].head != 0) == (th->ready >> c & 1), s, h->node,
                       "a class of TCP and its bit disagree");
        for (uint32_t id = th->turn[c].head; id; id = tcp_of(s)->tx[id].next_ready, waiting--)
            expect_of_node(tcp_of(s)->tx[id].is_queued && s->flows.flow[id].prio == c, s, h->node,
                           "a TCP flow waits in the wrong place");
    }
    expect_of_node(waiting == 0, s, h->node, "a TCP flow that waits is not on the list");
    expect_of_node((th->ready != 0) == !!(h->port->backlog & BACKLOG_SHARE), s, h->node,
                   "a port does not know of TCP");
}

static void reserve(struct sim *s, uint32_t flows)
{
    if (!s->cfg.tcps)
        return;
    struct tcp *t = arena_alloc(&s->arena, 1, sizeof *t);
    s->hosts.own[TRANSPORT_TCP] = t;
    t->tx = arena_alloc(&s->arena, flows, sizeof *t->tx);
    t->rx = arena_alloc(&s->arena, flows, sizeof *t->rx);
    t->host = arena_alloc(&s->arena, s->net.hosts, sizeof *t->host);
}

static bool has_timers(const struct sim *s)
{
    return s->cfg.tcps > 0;
}

static bool takes(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    (void)s, (void)h;
    return spec->tcp;
}

static uint64_t ideal_ps(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    return sim_ideal_tcp_ps(s, h->node, spec->dst, spec->bytes, s->cfg.tcp[spec->tcp - 1].mss_bytes);
}

static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    (void)h;
    return tcp_tx_of(s, f)->is_queued || tcp_tx_of(s, f)->is_woken;
}

static uint64_t arrived_bytes(const struct sim *s, const struct flow *f)
{
    const struct tcp_tx *t = tcp_tx_of(s, f);

    return f->acked + (uint64_t)t->sacked * t->window.mss_bytes;
}

const struct transport transport_tcp = {
    .name = "tcp", .is_stack = true, .reserve = reserve, .has_timers = has_timers, .takes = takes,
    .ideal_ps = ideal_ps, .start = start, .may_send = may_send, .arrived_bytes = arrived_bytes,
    .share = share, .check = check,
};
