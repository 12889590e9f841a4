#include "sim/switch/switch.h"
#include "lb/ecmp.h"
#include "sim/switch/balance.h"
#include "sim/switch/conweave_buffer.h"
#include "sim/link/path.h"
#include "sim/observe/watch.h"

#include <stdlib.h>

/* ---- the account of the buffer ---- */

static inline uint32_t shared_used(const struct sim *s, const struct ingress *in)
{
    return in->bytes > s->cfg.reserve_bytes ? in->bytes - s->cfg.reserve_bytes : 0;
}

/* What one class of one ingress port may take of the shared buffer now. */
static inline int64_t threshold(const struct node *n, const struct port *in)
{
    return n->shared_bytes_left > 0 ? n->shared_bytes_left >> in->shift : 0;
}

enum admission { REFUSED, ADMITTED, ADMITTED_FULL };     /* full: the class is at its limit, its sender must pause */

/* May a packet be refused that overruns the headroom? Where hosts do not stop their ACKs, those may fill
 * it (model hpcc); the fork then drops what comes next, we do so only where results must equal its. */
static inline bool is_droppable(const struct sim *s, const struct packet *k)
{
    return s->cfg.ack_droppable || (k->kind == PACKET_DATA && !s->cfg.ack_unpaused);
}

/* Books a packet in if there is room for it. */
static inline enum admission admit_lossless(struct sim *s, struct node *n, struct port *port, const struct packet *k)
{
    struct ingress *in = &port->in[k->prio];
    uint32_t        booked = in->bytes + k->bytes, over = booked - s->cfg.reserve_bytes;
    int64_t         limit = threshold(n, port);

    if (!in->bytes)
        port->held |= (uint8_t)(1u << k->prio);
    if (booked <= s->cfg.reserve_bytes) {
        in->bytes = booked;
        return in->headroom_bytes > 0 || limit == 0 ? ADMITTED_FULL : ADMITTED;
    }
    if (over <= limit) {
        in->bytes = booked;
        n->shared_bytes_left -= over < k->bytes ? over : k->bytes;
        return in->headroom_bytes > 0 || over >= threshold(n, port) ? ADMITTED_FULL : ADMITTED;
    }
    if (k->bytes + in->headroom_bytes > port->headroom_bytes_max && k->bytes + shared_used(s, in) > limit &&
        is_droppable(s, k))
        return REFUSED;
    in->headroom_bytes += k->bytes;
    return ADMITTED_FULL;
}

/* Is there room for a packet of a class without PFC? */
static bool fits_lossy(const struct sim *s, const struct node *n, const struct port *out, const struct packet *k)
{
    int64_t  left = s->cfg.is_lossless ? n->shared_bytes_left : (int64_t)s->cfg.buffer_bytes - n->used_bytes;
    uint64_t queue = (uint64_t)out->queue[k->prio].bytes + k->bytes;

    return k->bytes <= left && (double)queue <= s->cfg.lossy_alpha * (double)left &&
           (!s->cfg.lossy_queue_bytes || queue <= s->cfg.lossy_queue_bytes);
}

/* From the headroom first, then from the shared buffer, last from the reserve. */
static inline void book_out(struct sim *s, struct node *n, struct port *port, const struct packet *k)
{
    struct ingress *in = &port->in[k->prio];
    uint32_t        rest = k->bytes, shared;

    if (in->headroom_bytes) {
        uint32_t part = in->headroom_bytes < rest ? in->headroom_bytes : rest;

        in->headroom_bytes -= part;
        rest -= part;
    }
    shared = shared_used(s, in);
    in->bytes -= rest;
    if (!(in->bytes | in->headroom_bytes))
        port->held &= (uint8_t)~(1u << k->prio);
    n->shared_bytes_left += rest < shared ? rest : shared;
}

/* ---- PFC ---- */

void port_send_pfc(struct sim *s, struct port *p, uint32_t prio, bool is_pause)
{
    uint32_t       id;
    struct packet *k;

    if (p->is_down)
        return;                  /* the peer will be told when the link is up again */
    if (s->cfg.order == ORDER_NS3)
        mrg_next(&s->mrg);       /* the fork draws a number for the frame's IP id */
    id = packet_new(&s->packets);
    k = &s->packets.packet[id];
    s->counters.pfc_sent++;
    *k = (struct packet){ .kind = PACKET_PFC, .prio = (uint8_t)(prio & 7), .seq = is_pause, .in_port = UNBOOKED,
                          .bytes = (uint16_t)s->cfg.pfc_bytes, .src = p->node->id, .dst = p->peer->node->id };
    path_enqueue(s, p, s->pfc_queue, id, k);
    if (port_is_busy(p, s->now_ps, s->order))
        path_await_free(s, p);
    else
        switch_kick(s, p);
}

/* In the middle of a pause it is sent again, so that it does not end while it is needed. */
static __attribute__((noinline, cold)) void await_refresh(struct sim *s, struct port *port, uint32_t prio)
{
    uint64_t at = s->now_ps + s->cfg.pause_ps / 2;

    evq_add(&s->evq, sim_slot_refresh(s, port, prio), at, sim_order(s, port->node, at));
}

static __attribute__((noinline, cold)) void end_refresh(struct sim *s, struct port *port, uint32_t prio)
{
    evq_cancel(&s->evq, sim_slot_refresh(s, port, prio));
}

static inline void pause(struct sim *s, struct port *port, uint32_t prio)
{
    if (port->pausing >> prio & 1)
        return;
    port->pausing |= (uint8_t)(1u << prio);
    port_send_pfc(s, port, prio, true);
    if (s->cfg.pause_ps)
        await_refresh(s, port, prio);
}

void switch_refresh_pause(struct sim *s, struct port *port, uint32_t prio)
{
    port_send_pfc(s, port, prio, true);
    await_refresh(s, port, prio);
}

static void resume_if_room(struct sim *s, struct node *n, struct port *port, uint32_t prio)
{
    struct ingress *in = &port->in[prio];
    uint32_t        used = shared_used(s, in);

    if (in->headroom_bytes == 0 && (used == 0 || used + s->cfg.resume_bytes <= threshold(n, port))) {
        port->pausing &= (uint8_t)~(1u << prio);
        port_send_pfc(s, port, prio, false);
        if (s->cfg.pause_ps)
            end_refresh(s, port, prio);
    }
}

/* ---- ECN ---- */

static void mark(struct sim *s, struct node *n, struct port *p, struct packet *k, uint32_t queue_bytes)
{
    const struct ecn_cfg *e = s->ecn_prios >> k->prio & 1 ? &s->ecn_class[k->prio] : &p->ecn;

    queue_bytes -= queue_bytes < s->unmarked_bytes ? queue_bytes : s->unmarked_bytes;
    if (queue_bytes <= e->kmin_bytes || k->flags & PACKET_NOT_ECT)
        return;
    if (queue_bytes <= e->kmax_bytes) {
        double probability = e->pmax * (double)(queue_bytes - e->kmin_bytes) /
                             (double)(e->kmax_bytes - e->kmin_bytes);

        if (sim_random(s, n) >= probability)
            return;
    }
    /* What counts is data that is told of congestion, once; the fork counts every mark, ACKs' included. */
    p->counters.marked_packets += s->cfg.model != MODEL_NIC || (k->kind == PACKET_DATA && !(k->flags & PACKET_ECN));
    k->flags |= PACKET_ECN;
}

/* ---- sending ---- */

/* Deficit weighted round robin over the classes in 'mask', more than one. */
static uint32_t choose_by_weight(struct sim *s, struct port *p, uint32_t mask)
{
    uint32_t c = p->last_prio;

    if (s->cfg.model != MODEL_NIC) {        /* one packet each */
        do
            c = (c + 1) % PRIOS;
        while (!(mask >> c & 1));
        return c;
    }
    for (;;) {
        if (mask >> c & 1) {
            uint32_t bytes = s->packets.packet[p->queue[c].head].bytes;

            if (p->deficit[c] >= bytes) {
                p->deficit[c] -= bytes;
                return c;
            }
        } else {
            p->deficit[c] = 0;   /* a class that has nothing to send saves nothing up */
        }
        c = (c + 1) % PRIOS;
        if (mask >> c & 1)
            p->deficit[c] += s->cfg.weight[c] * (s->cfg.mtu_bytes + s->cfg.header_bytes);
    }
}

uint32_t switch_choose_of_many(struct sim *s, struct port *p, uint32_t mask)
{
    uint32_t strict = mask & s->cfg.strict_prios;

    if (mask >> QUEUE_CONTROL & 1)
        return QUEUE_CONTROL;
    if (strict)
        return 31 - (uint32_t)__builtin_clz(strict);
    return p->last_prio = choose_by_weight(s, p, mask);
}

static inline uint32_t sendable(const struct port *p)
{
    return p->backlog & ~(uint32_t)p->paused;
}

/* Is this packet booked in the buffer? Not CNPs, a few small frames of a class of their own, nor PFC
 * frames; in model hpcc class 0 is the control class. */
static inline bool is_booked(const struct sim *s, const struct packet *k)
{
    return k->kind < PACKET_CNP && (k->prio != 0 || s->cfg.model == MODEL_NIC);
}

/* A packet leaves the buffer: that may make room for the peer it came from. */
static inline void release(struct sim *s, struct node *n, const struct port *out, const struct packet *k, uint32_t q)
{
    if (k->in_port < BOOKED_APART) {
        struct port *in = &s->port[k->in_port];

        n->used_bytes -= k->bytes;
        book_out(s, n, in, k);
        if (in->pausing >> q & 1)
            resume_if_room(s, n, in, q);
    } else if (k->in_port == BOOKED_LOSSY) {
        n->used_bytes -= k->bytes;
        n->shared_bytes_left += s->cfg.is_lossless ? k->bytes : 0;
    } else {
        conweave_buffer_release(s, out, k);
    }
}

/* Packet 'id' leaves queue q for the wire: it is booked out and may be marked. */
static inline void send(struct sim *s, struct port *p, uint32_t q)
{
    struct node   *n = p->node;
    uint32_t       id = path_dequeue(s, p, q);
    struct packet *k = &s->packets.packet[id];

    if (k->in_port != UNBOOKED) {
        if (p->queue[q].bytes > p->mark_above_bytes)
            mark(s, n, p, k, p->queue[q].bytes);
        release(s, n, p, k, q);
    }
    path_transmit(s, p, id, k);
    if (sendable(p))
        path_await_free(s, p);
}

void switch_kick(struct sim *s, struct port *p)
{
    uint32_t mask = sendable(p);

    if (mask && !(p->slow_path & SLOW_LINK && p->is_down))
        send(s, p, switch_choose(s, p, mask));
}

/* ---- receiving ---- */

/* Shows a packet to a balancer that looks on; false: its way is for the rest of us to find. */
static inline bool is_shown(struct sim *s, const struct node *n, const struct port *in, uint32_t id,
                            const struct packet *k, uint32_t to, struct port **out)
{
    bool is_local = n->route_entry[to] == ROUTE_LOCAL, is_data = k->kind == PACKET_DATA;

    if (!in->peer->is_switch) {
        s->packets.tag[id] = (struct lb_tag){ 0 };
        if (is_local || !(is_data || (n->next_number & BALANCE_TELL_MASK) == 0))
            return false;
        *out = balance_enter(s, n, id, to);
        return true;
    }
    if (is_local) {
        if (is_data || s->packets.tag[id].told_name)
            balance_leave(s, n, id);
        return false;
    }
    if (is_data)
        *out = balance_forward(s, n, id, to);
    return is_data;
}

/* The port a packet leaves by, or NULL if there is no way. */
static inline struct port *find_way(struct sim *s, struct node *n, const struct port *in, uint32_t id,
                                    const struct packet *k)
{
    const struct route_host *h = &n->route_host[k->dst];
    uint32_t                 way = n->route_entry[h->group];
    const uint32_t          *hop;
    struct port             *out;

    if (__builtin_expect(s->lb_is_shown, 0) && is_shown(s, n, in, id, k, h->group, &out))
        return out;
    if (way == ROUTE_LOCAL)      /* routes avoid links that are down, but the last one cannot be avoided */
        return s->port[h->port].slow_path & SLOW_LINK && s->port[h->port].is_down ? NULL : &s->port[h->port];
    if (way & ROUTE_ONE)
        return &s->port[way & ~ROUTE_ONE];
    hop = n->route_hop + way;
    if (hop[0] == 0)
        return NULL;
    if (__builtin_expect(s->is_balanced, 0) && k->kind == PACKET_DATA)
        return balance_way(s, n, in, id, h->group, hop);
    return &s->port[hop[1 + ecmp_hash(n->salt, sim_ip(k->src), sim_ip(k->dst), k->ports) % hop[0]]];
}

/* A packet that meets an idle port and fits the reserve of its ingress account, with nothing else in it,
 * passes through: booking it in and out again would change nothing, nor would it be marked. True when that
 * is so. */
static inline bool passes(const struct sim *s, const struct node *n, const struct port *in, const struct port *out,
                          const struct packet *k)
{
    return !out->backlog && !port_is_busy(out, s->now_ps, s->order) && !out->paused && !in->pausing &&
           !(in->held >> k->prio & 1) && k->bytes <= s->pass_bytes_max && n->shared_bytes_left >> in->shift > 0;
}

static void on_pfc(struct sim *s, struct port *in, uint32_t id, const struct packet *k)
{
    port_on_pfc(s, in, k->prio, k->seq);
    packet_free(&s->packets, id);
    if (!port_is_busy(in, s->now_ps, s->order))
        switch_kick(s, in);
    else if (sendable(in))
        path_await_free(s, in);
}

static void drop(struct sim *s, uint32_t id, uint64_t *cause)
{
    (*cause)++;
    sim_drop(s, id);
}

/* A packet of a class without PFC: is on no account of a port's, but beside lossless classes it takes from what
 * they share. Or a packet in model conweave, which has its own account. False: it was dropped. Apart from the rest,
 * which must stay small. */
static __attribute__((noinline)) bool take_apart(struct sim *s, struct port *in, struct port *out, uint32_t id)
{
    struct packet *k = &s->packets.packet[id];
    struct node   *n = in->node;

    if (s->cfg.model == MODEL_CONWEAVE) {
        if (conweave_buffer_take(s, in, out, k))
            return true;
        drop(s, id, &s->counters.dropped_buffer);
        return false;
    }
    if (!fits_lossy(s, n, out, k)) {
        s->counters.dropped_lossy++;
        drop(s, id, &s->counters.dropped_buffer);
        return false;
    }
    k->in_port = BOOKED_LOSSY;
    n->used_bytes += k->bytes;
    if (s->cfg.is_lossless)
        n->shared_bytes_left -= k->bytes;
    if (s->cfg.ecn_at_enqueue)
        mark(s, n, out, k, out->queue[k->prio].bytes);
    return true;
}

static inline void note_queue(struct port *out, uint32_t prio)
{
    if (out->queue[prio].bytes > out->counters.queue_bytes_max)
        out->counters.queue_bytes_max = out->queue[prio].bytes;
}

void switch_on_packet(struct sim *s, struct port *in, uint32_t id)
{
    struct packet *k = &s->packets.packet[id];
    struct node   *n = in->node;
    struct port   *out;
    uint32_t       prio = k->prio;

    if (__builtin_expect(in->slow_path, 0)) {
        if (in->slow_path & SLOW_LINK && path_is_cut(s, in, id, k))
            return;
        if (in->slow_path & SLOW_WATCHED && k->kind == PACKET_DATA && !(k->flags & (PACKET_TCP | PACKET_COUNTED)))
            watch_on_packet(s, n, k);
    }
    if (k->kind == PACKET_PFC) {
        on_pfc(s, in, id, k);
        return;
    }
    out = find_way(s, n, in, id, k);
    if (!out) {
        drop(s, id, &s->counters.dropped_no_route);
        return;
    }
    if (passes(s, n, in, out, k)) {
        path_transmit(s, out, id, k);
        return;
    }
    if (k->kind < PACKET_CNP && s->lossless_prios >> prio & 1) {
        enum admission a = admit_lossless(s, n, in, k);

        if (a == REFUSED) {
            drop(s, id, &s->counters.dropped_buffer);
            return;
        }
        k->in_port = in->id;
        n->used_bytes += k->bytes;
        if (s->cfg.ecn_at_enqueue)
            mark(s, n, out, k, out->queue[prio].bytes);
        if (a == ADMITTED_FULL)
            pause(s, in, prio);
    } else if (!is_booked(s, k)) {
        k->in_port = UNBOOKED;
    } else if (!take_apart(s, in, out, id)) {
        return;
    }
    path_enqueue(s, out, prio, id, k);
    if (!port_is_busy(out, s->now_ps, s->order)) {
        switch_kick(s, out);
        if (__builtin_expect(out->paused, 0))
            note_queue(out, prio);       /* it may have stayed where it was */
        return;
    }
    note_queue(out, prio);
    if (!(out->paused >> prio & 1))
        path_await_free(s, out);
}

void switch_flush(struct sim *s, struct port *p)
{
    struct node *n = p->node;

    for (uint32_t q = 0; q <= PRIOS; q++)
        while (p->queue[q].head) {
            uint32_t       id = path_dequeue(s, p, q);
            struct packet *k = &s->packets.packet[id];

            if (k->in_port != UNBOOKED)
                release(s, n, p, k, q);
            s->counters.dropped_down += k->kind != PACKET_PFC;
            sim_drop(s, id);
        }
}

/* ---- invariants ---- */

static void expect(bool holds, const struct node *n, const struct sim *s, const char *what)
{
    if (!holds) {
        fprintf(stderr, "switch %s at %llu ps: %s\n", s->graph.node[n->id].name, (unsigned long long)s->now_ps, what);
        abort();
    }
}

void switch_check(const struct sim *s, const struct node *n)
{
    int64_t  used = 0, shared = 0;
    uint64_t came_in = 0;        /* lossy ones are on no account of a port's, but take from what is shared */

    for (uint32_t i = 0; i < n->ports; i++) {
        const struct port *p = &s->port[n->first_port + i];

        for (uint32_t q = 0; q <= PRIOS; q++) {
            uint32_t bytes = 0;

            for (uint32_t id = p->queue[q].head; id; id = s->packets.packet[id].next) {
                const struct packet *k = &s->packets.packet[id];

                bytes += k->bytes;
                used += k->in_port != UNBOOKED ? k->bytes : 0;
                shared += k->in_port == BOOKED_LOSSY ? k->bytes : 0;
                came_in += k->in_port == BOOKED_LOSSY ? k->bytes : 0;
            }
            expect(bytes == p->queue[q].bytes, n, s, "a queue is not the sum of its packets");
            expect((bytes > 0) == (p->backlog >> q & 1), n, s, "backlog bits do not match the queues");
        }
        for (uint32_t c = 0; c < PRIOS && s->cfg.model != MODEL_CONWEAVE; c++) {
            shared += shared_used(s, &p->in[c]);
            came_in += p->in[c].bytes + p->in[c].headroom_bytes;
            expect(!s->cfg.is_lossless || (p->held >> c & 1) == (p->in[c].bytes + p->in[c].headroom_bytes > 0), n, s,
                   "a port does not know which classes it holds");
            if (!s->cfg.ack_droppable && s->cfg.ack_unpaused)
                continue;        /* ACKs that cannot be stopped may overrun the headroom */
            expect(p->in[c].headroom_bytes <= p->headroom_bytes_max, n, s, "more in the headroom than it holds");
        }
        expect(!(sendable(p) && !p->is_down) || evq_is_pending(&s->evq, sim_slot_free(p)), n, s,
               "packets wait at a port that will not send");
    }
    expect(used == n->used_bytes, n, s, "the buffer account is not the sum of the queues");
    if (s->cfg.model == MODEL_CONWEAVE) {
        const char *why = conweave_buffer_check(s, n);

        expect(!why, n, s, why);
    } else if (s->cfg.is_lossless) {
        expect(shared == n->shared_bytes_max - n->shared_bytes_left, n, s,
               "the shared buffer is not the sum over ingress ports");
        expect(came_in == (uint64_t)used, n, s, "ingress and egress accounts differ");
    }
}
