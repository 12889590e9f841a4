/* src/sim/host/host.c - the sender's half of a NIC; host_rx.c is the receiver's. */
#include "sim/host/host.h"
#include "sim/host/cnp_arbiter.h"
#include "sim/host/host_rx.h"
#include "core/hpcc_time.h"
#include "sim/link/path.h"
#include "sim/switch/switch.h"
#include "traffic/traffic.h"
#include "sim/observe/watch.h"

#include <stdlib.h>
#include <string.h>

#define NOT_IN_HEAP   UINT32_MAX
#define CAPACITY_MIN  64
#define APART         __attribute__((noinline))   /* keeps what is rare out of the loop, which would not hold it all */
#define FLOW_REST_PS  (PS_PER_S / 10)      /* longer than a packet is ever under way */

/* ---- tables that grow without an allocation ---- */

static size_t table_bytes(uint32_t capacity)
{
    return 2 * sizeof(uint32_t) * capacity + 2 * sizeof(uint64_t) * (capacity / 64);
}

static void set_tables(struct host *h, char *memory, uint32_t capacity)
{
    h->capacity = capacity;
    h->ready = (uint64_t *)memory;
    h->finished = h->ready + capacity / 64;
    h->list = (uint32_t *)(h->finished + capacity / 64);
    h->heap = h->list + capacity;
}

/* Twice the room; the old table is kept for the next host that grows to its size. */
static void grow(struct sim *s, struct host *h)
{
    struct host old = *h;
    uint32_t    capacity = h->capacity ? 2 * h->capacity : CAPACITY_MIN;
    int         size = __builtin_ctz(capacity);
    char       *memory = (char *)s->list_free[size];

    if (memory) {
        memcpy(&s->list_free[size], memory, sizeof(uint32_t *));
        memset(memory, 0, table_bytes(capacity));
    } else {
        memory = arena_alloc(&s->list_arena, 1, table_bytes(capacity));
    }
    set_tables(h, memory, capacity);
    if (!old.capacity)
        return;
    memcpy(h->ready, old.ready, old.capacity / 8);
    memcpy(h->finished, old.finished, old.capacity / 8);
    memcpy(h->list, old.list, old.count * sizeof *h->list);
    memcpy(h->heap, old.heap, old.heap_count * sizeof *h->heap);
    memcpy(old.ready, &s->list_free[size - 1], sizeof(uint32_t *));
    s->list_free[size - 1] = (uint32_t *)old.ready;
}

/* ---- bitmaps ---- */

static inline void set_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

static inline void clear_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(1ull << (i % 64));
}

/* The first set bit in [from, to), or 'to'. */
static uint32_t next_bit(const uint64_t *bits, uint32_t from, uint32_t to)
{
    uint32_t w = from / 64;
    uint64_t word;

    if (from >= to)
        return to;
    word = bits[w] & ~0ull << (from % 64);
    while (!word) {
        if (++w * 64 >= to)
            return to;
        word = bits[w];
    }
    from = w * 64 + (uint32_t)__builtin_ctzll(word);
    return from < to ? from : to;
}

/* ---- the heap of flows that wait for their pacer ---- */

static inline void heap_put(struct sim *s, struct host *h, uint32_t at, uint32_t flow)
{
    h->heap[at] = flow;
    s->flow[flow].heap_at = at;
}

static void heap_up(struct sim *s, struct host *h, uint32_t at, uint32_t flow)
{
    while (at > 0 && s->flow[h->heap[(at - 1) / 2]].look_ps > s->flow[flow].look_ps) {
        heap_put(s, h, at, h->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(s, h, at, flow);
}

static void heap_down(struct sim *s, struct host *h, uint32_t at, uint32_t flow)
{
    uint32_t child;

    while ((child = 2 * at + 1) < h->heap_count) {
        if (child + 1 < h->heap_count && s->flow[h->heap[child + 1]].look_ps < s->flow[h->heap[child]].look_ps)
            child++;
        if (s->flow[h->heap[child]].look_ps >= s->flow[flow].look_ps)
            break;
        heap_put(s, h, at, h->heap[child]);
        at = child;
    }
    heap_put(s, h, at, flow);
}

static void heap_remove(struct sim *s, struct host *h, uint32_t at)
{
    uint32_t last = h->heap[--h->heap_count];

    s->flow[h->heap[at]].heap_at = NOT_IN_HEAP;
    if (at == h->heap_count)
        return;
    if (at > 0 && s->flow[h->heap[(at - 1) / 2]].look_ps > s->flow[last].look_ps)
        heap_up(s, h, at, last);
    else
        heap_down(s, h, at, last);
}

/* ---- who may send ---- */

static inline bool has_window(const struct sim *s, const struct host *h, const struct flow *f)
{
    uint64_t window = f->out.window_bytes;

    if (s->cfg.window_bytes) {
        uint64_t w = s->cfg.window_bytes;

        if (s->cfg.window_by_rate)
            w = (uint64_t)((double)w * ((double)f->out.rate_bps / (double)s->port[h->port].rate_bps));
        w = w ? w : 1;           /* one packet may always be on its way */
        window = w < window ? w : window;
    }
    return f->sent - f->acked < window;
}

/* When to look at a flow that waits: when its pacer lets it go or, in model nic, when its rate changes
 * before that. */
static inline uint64_t look_at(const struct sim *s, const struct flow *f)
{
    if (s->cfg.model != MODEL_NIC || f->out.due_ps >= f->next_ps)
        return f->next_ps;
    return f->out.due_ps > s->now_ps ? f->out.due_ps : s->now_ps + 1;
}

/* Puts a flow where it belongs: ready, waiting for its pacer, or neither. */
static void sort_in(struct sim *s, struct host *h, struct flow *f)
{
    uint32_t id = (uint32_t)(f - s->flow);
    bool     is_ready = h->ready[f->position / 64] >> (f->position % 64) & 1;

    if (s->cfg.window_by_rate && s->now_ps >= f->out.due_ps)
        s->cfg.cc->on_due(h->cc_cfg, f->cc, sim_cc_now(s), &f->out);
    if (f->sent >= f->bytes || !has_window(s, h, f)) {
        if (is_ready)
            clear_bit(h->ready, f->position), h->ready_count--;
        if (f->heap_at != NOT_IN_HEAP)
            heap_remove(s, h, f->heap_at);
    } else if (f->next_ps > s->now_ps) {
        if (is_ready)
            clear_bit(h->ready, f->position), h->ready_count--;
        if (f->heap_at != NOT_IN_HEAP)
            heap_remove(s, h, f->heap_at);
        f->look_ps = look_at(s, f);
        heap_up(s, h, h->heap_count++, id);
    } else if (!is_ready) {
        if (f->heap_at != NOT_IN_HEAP)
            heap_remove(s, h, f->heap_at);
        set_bit(h->ready, f->position), h->ready_count++;
    }
}

/* The rate has changed while the pacer works off a packet: what is left of it takes as much longer or
 * shorter. A packet that is held stays where it is. */
static void repace(const struct sim *s, struct flow *f)
{
    unsigned __int128 left = (unsigned __int128)(f->next_ps - s->now_ps) * f->gap_rate_bps;

    if (s->hf2t && s->hf2t->qp[f - s->flow].is_held)
        return;
    f->next_ps = s->now_ps + (uint64_t)((left + f->out.rate_bps - 1) / f->out.rate_bps);
    f->gap_rate_bps = f->out.rate_bps;
    f->gap_bytes = 0;            /* gap_ps is not of this rate */
}

/* Congestion control has spoken: a flow that waits may have a new rate, or a new time at which it will
 * change. */
static void on_decision(struct sim *s, struct host *h, struct flow *f)
{
    if (f->heap_at == NOT_IN_HEAP || s->cfg.model != MODEL_NIC)
        return;
    if (f->out.rate_bps != f->gap_rate_bps && f->next_ps > s->now_ps)
        repace(s, f);
    sort_in(s, h, f);
}

/* Those whose pacer lets them send by now become ready. */
static inline void release(struct sim *s, struct host *h)
{
    while (h->heap_count && s->flow[h->heap[0]].look_ps <= s->now_ps) {
        struct flow *f = &s->flow[h->heap[0]];

        heap_remove(s, h, 0);
        if (f->next_ps > s->now_ps) {
            s->cfg.cc->on_due(h->cc_cfg, f->cc, sim_cc_now(s), &f->out);
            repace(s, f);
            sort_in(s, h, f);
        } else {
            set_bit(h->ready, f->position), h->ready_count++;
        }
    }
}

/* The first ready position in [from, to) whose class is not paused, or 'to'. */
static uint32_t next_ready(const struct sim *s, const struct host *h, uint8_t paused, uint32_t from, uint32_t to)
{
    uint32_t at = next_bit(h->ready, from, to);

    while (paused && at < to && paused >> s->flow[h->list[at]].prio & 1)
        at = next_bit(h->ready, at + 1, to);
    return at;
}

/* Takes finished entries from position 'from' on out of the list; returns the new position of 'keep'. */
static uint32_t compact(struct sim *s, struct host *h, uint32_t from, uint32_t keep)
{
    uint32_t to = from, kept = keep;

    for (uint32_t i = from; i < h->count; i++) {
        bool is_ready = h->ready[i / 64] >> (i % 64) & 1;

        if (h->finished[i / 64] >> (i % 64) & 1) {
            clear_bit(h->finished, i);
            h->dead--;
            continue;
        }
        if (i == keep)
            kept = to;
        clear_bit(h->ready, i);
        if (is_ready)
            set_bit(h->ready, to);
        h->list[to] = h->list[i];
        s->flow[h->list[to]].position = to;
        to++;
    }
    h->count = to;
    return kept;
}

/* Model conweave: that fork keeps finished entries for ever. We do not, but nobody's turn may depend on it. */
static void tidy(struct sim *s, struct host *h)
{
    uint32_t passed = 0;         /* entries up to the one served last that stay */

    if (h->dead < 64 || 2 * h->dead < h->count)
        return;
    for (uint32_t i = 0; i < h->last + 1 && i < h->count; i++)
        passed += !(h->finished[i / 64] >> (i % 64) & 1);
    compact(s, h, 0, UINT32_MAX);
    h->last = passed - 1;        /* none: the turn begins with the first */
}

/* Round robin: the position of the flow to serve, or UINT32_MAX. The scan starts behind the one served
 * last; if it passes finished entries, the list is compacted from the lowest of them on. When nothing is
 * found 'last' is not adjusted to that: the HPCC fork does the same. */
static uint32_t scan(struct sim *s, struct host *h, uint8_t paused)
{
    uint32_t n = h->count, start, found, dead;

    if (!h->ready_count && (!h->dead || s->cfg.model == MODEL_CONWEAVE))
        return UINT32_MAX;
    assert(n > 0);
    start = h->last + 1 < n ? h->last + 1 : (h->last + 1) % n;
    found = next_ready(s, h, paused, start, n);
    if (found == n) {
        found = next_ready(s, h, paused, 0, start);
        if (found == start)
            found = UINT32_MAX;
        if (h->dead && s->cfg.model != MODEL_CONWEAVE) {
            dead = next_bit(h->finished, 0, found == UINT32_MAX ? start : found);
            if (dead == (found == UINT32_MAX ? start : found))
                dead = next_bit(h->finished, start, n);
            if (dead < n)
                found = compact(s, h, dead, found);
        }
    } else if (h->dead && s->cfg.model != MODEL_CONWEAVE) {
        dead = next_bit(h->finished, start, found);
        if (dead < found)
            found = compact(s, h, dead, found);
    }
    if (found != UINT32_MAX)
        h->last = found;
    return found;
}

/* ---- sending ---- */

/* Time between the start of this packet and the earliest start of the flow's next. */
static inline uint64_t pacing_gap(const struct sim *s, struct flow *f, uint32_t bytes)
{
    if (f->gap_rate_bps != f->out.rate_bps || f->gap_bytes != bytes) {
        f->gap_rate_bps = f->out.rate_bps;
        f->gap_bytes = (uint16_t)bytes;
        if (s->cfg.model != MODEL_NIC)
            f->gap_ps = hpcc_tx_ns(bytes, f->out.rate_bps) * PS_PER_NS;
        else     /* rounded up: no flow exceeds its rate */
            f->gap_ps = ((uint64_t)(bytes + s->cfg.spacing_bytes) * 8 * PS_PER_S + f->out.rate_bps - 1) /
                        f->out.rate_bps;
    }
    return f->gap_ps;
}

/* In model conweave the host's timer comes in the order of an event that was set 'rto' before: then the queue pair that
 * it is for set it, whenever the host has looked for who is next. */
static void arm_timeout(struct sim *s, struct host *h, uint64_t at_ps)
{
    uint32_t slot = s->slot_timeout + (uint32_t)(h - s->host);
    uint64_t order;

    if (!s->cfg.rto_ps || evq_is_pending(&s->evq, slot))
        return;
    order = sim_order(s, &s->node[h->node], s->cfg.model == MODEL_CONWEAVE ? s->now_ps + s->cfg.rto_ps : at_ps);
    evq_add(&s->evq, slot, at_ps, order);
}

/* Model conweave: the time-out of a queue pair counts from now. */
static APART void restart_timer(struct sim *s, struct host *h, struct flow *f)
{
    f->progress_ps = s->now_ps;
    arm_timeout(s, h, s->now_ps + s->cfg.rto_ps);
}

static void send_data(struct sim *s, struct host *h, uint32_t flow)
{
    struct flow   *f = &s->flow[flow];
    struct port   *p = &s->port[h->port];
    uint64_t       left = f->bytes - f->sent;
    uint32_t       payload = left < s->cfg.mtu_bytes ? (uint32_t)left : s->cfg.mtu_bytes;
    uint32_t       id = packet_new(&s->packets);
    struct packet *k = &s->packets.packet[id];

    assert(f->next_ps <= s->now_ps);
    if (s->now_ps >= f->out.due_ps)
        s->cfg.cc->on_due(h->cc_cfg, f->cc, sim_cc_now(s), &f->out);
    k->flow = flow;
    k->seq = f->sent;
    k->sent_ps = s->now_ps;
    k->src = f->src;
    k->dst = f->dst;
    k->ports = f->ports;
    k->bytes = (uint16_t)(payload + s->cfg.header_bytes);
    k->payload = (uint16_t)payload;
    k->generation = f->generation;
    k->kind = PACKET_DATA;
    k->prio = f->prio & 7u;
    k->flags = payload == left ? PACKET_LAST : 0;
    if (s->cfg.model == MODEL_CONWEAVE)
        restart_timer(s, h, f);
    else if (f->sent == f->acked)
        f->progress_ps = s->now_ps;      /* nothing was on its way: the time-out counts from here */
    f->sent += payload;
    if (f->sent > f->sent_max)
        f->sent_max = f->sent;
    else
        f->resent_bytes += payload;
    s->counters.data_sent++;
    s->counters.payload_sent += payload;
    path_transmit(s, p, id, k);
    f->next_ps = s->now_ps + pacing_gap(s, f, payload + s->cfg.header_bytes);
    if (f->controlled && s->cfg.cc->on_sent)
        s->cfg.cc->on_sent(h->cc_cfg, f->cc, sim_cc_now(s), payload + s->cfg.header_bytes, &f->out);
    /* It stays ready if its pacer lets it go by the time the port is free: nobody is served before. */
    if (payload == left || f->next_ps > p->free_at_ps || s->cfg.window_bytes || f->out.window_bytes != UINT64_MAX)
        sort_in(s, h, f);
}

/* Selective repeat: the byte to send next. */
static void find_next(const struct sim *s, struct flow *f)
{
    uint32_t mtu = s->cfg.mtu_bytes;
    /* All of them are whole packets, but for the end of the message. */
    uint64_t fresh = (f->sent_max + mtu - 1) / mtu;
    uint64_t next = selective_next(&s->selective_tx[f - s->flow], (uint32_t)((f->sent + mtu - 1) / mtu),
                                (uint32_t)((f->acked + mtu - 1) / mtu), (uint32_t)fresh);

    f->sent = next == fresh ? f->sent_max : next * mtu;
}

/* What else there is to do before a flow sends. Returns whether it does not send after all: there is nothing to
 * repeat any more, or its packet must wait (HF2T) and the pacer has it again. */
static APART bool hold(struct sim *s, struct host *h, uint32_t id)
{
    struct flow *f = &s->flow[id];

    if (s->at_send & SEND_SELECTIVE) {
        find_next(s, f);
        if (f->sent >= f->bytes) {
            sort_in(s, h, f);
            return true;
        }
    }
    if (!(s->at_send & SEND_HF2T) || !hf2t_must_wait(s->hf2t, id, f->out.rate_bps, s->now_ps)) {
        if (s->at_send & SEND_GAPS)
            gaps_on_sent(s->gap_record, f->host, id, false, s->now_ps);
        return false;
    }
    s->counters.delayed++;
    f->next_ps = s->hf2t->qp[id].sent_ps + s->hf2t->host[f->host].hold_ps;
    sort_in(s, h, f);
    return true;
}

static inline bool has_work(const struct host *h, const struct port *p)
{
    return (p->backlog | h->ready_count | h->heap_count | h->dead) != 0;
}

/* Nothing may go now: arm the pacer's wake-up. */
static void await_pacer(struct sim *s, struct host *h)
{
    uint32_t slot = s->slot_wake + (uint32_t)(h - s->host);
    uint64_t at;

    if (!h->heap_count)
        return;
    at = s->flow[h->heap[0]].look_ps;
    if (evq_is_pending(&s->evq, slot)) {
        /* The HPCC fork leaves a wake-up that is armed where it is, even if somebody may go earlier. */
        if ((s->cfg.model != MODEL_NIC && !s->hf2t) || s->evq.slot[slot].at_ps <= at)
            return;
        evq_cancel(&s->evq, slot);
    } else if (s->cfg.model == MODEL_HPCC && !s->hf2t && h->ready_count) {
        return;      /* nor does it arm one while a stopped queue pair could go now */
    }
    evq_add(&s->evq, slot, at, sim_order(s, &s->node[h->node], at));
}

/* Sends one packet from an idle port, if there is one that may go. */
static void send_next(struct sim *s, struct host *h, struct port *p)
{
    uint32_t mask = s->cfg.ack_unpaused ? p->backlog : p->backlog & ~(uint32_t)p->paused, position;

    release(s, h);
    if (mask & (BACKLOG_TCP - 1)) {
        uint32_t id = path_dequeue(s, p, switch_choose(s, p, mask & (BACKLOG_TCP - 1)));

        path_transmit(s, p, id, &s->packets.packet[id]);
    } else if (!mask || !tcp_send(s, h, h->ready_count > 0)) {
        do
            position = scan(s, h, p->paused);
        while (__builtin_expect(s->at_send, 0) && position != UINT32_MAX &&
               !(s->at_send == SEND_HF2T && hf2t_may_go(s->hf2t, h->list[position], s->now_ps)) &&
               hold(s, h, h->list[position]));
        if (position != UINT32_MAX) {
            send_data(s, h, h->list[position]);
        } else if (!mask || !tcp_send(s, h, false)) {
            await_pacer(s, h);
            return;
        }
    }
    if (has_work(h, p))
        path_await_free(s, p);
}

static inline void kick(struct sim *s, struct host *h, struct port *p)
{
    if (__builtin_expect(p->slow_path & SLOW_LINK, 0) && p->is_down)
        return;
    if (!port_is_busy(p, s->now_ps, s->order))
        send_next(s, h, p);
    else if (has_work(h, p))
        path_await_free(s, p);
}

void host_kick(struct sim *s, struct host *h)
{
    kick(s, h, &s->port[h->port]);
}

/* ---- flows ---- */

static uint32_t source_port(struct sim *s, struct host *h, uint32_t dst)
{
    if (s->cfg.model == MODEL_CONWEAVE)
        return (10000 + h->sport++) & 0xffff;
    if (s->cfg.model == MODEL_HPCC) {    /* 10000, 10001, ... for each pair of hosts */
        uint16_t *next = &h->pair_sport[s->node[dst].host];

        if (*next == 0)
            *next = 10000;
        return (*next)++;
    }
    return 0xc000 + (h->sport++ & 0x3fff);   /* RoCEv2 uses 0xC000 .. 0xFFFF for entropy */
}

static void add_to_list(struct sim *s, struct host *h, struct flow *f)
{
    if (h->count == h->capacity)
        grow(s, h);
    f->position = h->count++;
    h->list[f->position] = (uint32_t)(f - s->flow);
    h->active++;
    if (s->tcp)
        s->tcp_host[f->host].rdma_prio = f->prio;
    if (s->cfg.model == MODEL_CONWEAVE)
        f->progress_ps = NEVER;          /* until it sends */
    else
        arm_timeout(s, h, s->now_ps + s->cfg.rto_ps);
    sort_in(s, h, f);
}

/* Model conweave: the receiver forgets a flow in the instant in which the sender knows of its end; copies that come later
 * find a fresh state. Order ns3 only, where both are in one part: for order node see host_rx.c. */
static void forget_rx(struct sim *s, const struct flow *f)
{
    if (s->cfg.model == MODEL_CONWEAVE && s->cfg.order == ORDER_NS3 && !f->tcp && !s->selective_rx)
        s->flow_rx[f - s->flow] =
            (struct flow_rx){ .expected = UINT64_MAX, .generation = f->generation, .nacked_seq = UINT64_MAX };
}

/* Gives a flow's index back. While copies of its packets may be under way their receiver must find the state
 * that goes with them, so a flow that has sent something twice keeps its index for a while. */
static void retire(struct sim *s, struct flow *f)
{
    uint32_t id = (uint32_t)(f - s->flow);

    f->next_free = 0;
    if (!f->resent_bytes) {
        f->next_free = s->flow_free;
        s->flow_free = id;
        return;
    }
    forget_rx(s, f);
    f->progress_ps = s->now_ps;
    if (s->flow_resting_last)
        s->flow[s->flow_resting_last].next_free = id;
    else
        s->flow_resting = id;
    s->flow_resting_last = id;
}

/* An index for a new flow. */
static uint32_t take_flow(struct sim *s)
{
    uint32_t id = s->flow_free;

    if (id) {
        s->flow_free = s->flow[id].next_free;
        return id;
    }
    id = s->flow_resting;
    if (id && s->now_ps - s->flow[id].progress_ps > FLOW_REST_PS) {
        s->flow_resting = s->flow[id].next_free;
        if (!s->flow_resting)
            s->flow_resting_last = 0;
        return id;
    }
    id = s->flow_used++;
    if (id >= s->flow_limit)
        die("more than %u flows at once", s->flow_limit);
    return id;
}

void host_start_flow(struct sim *s, struct host *h, const struct flow_spec *spec)
{
    uint32_t     id = take_flow(s);
    struct flow *f = &s->flow[id];
    uint16_t     generation = (uint16_t)(f->generation + 1);

    memset(f, 0, sizeof *f);
    f->bytes = spec->bytes;
    f->next_ps = f->start_ps = f->progress_ps = s->now_ps;
    f->generation = generation;
    f->host = (uint32_t)(h - s->host);
    f->heap_at = NOT_IN_HEAP;
    f->prio = spec->prio;
    f->phase = FLOW_ACTIVE;
    f->tcp = spec->tcp;
    f->controlled = !spec->tcp && (uint32_t)s->cfg.knobs.value[KNOB_roce_cc_prio_mask] >> spec->prio & 1;
    f->src = h->node;
    f->dst = spec->dst;
    f->ports = source_port(s, h, spec->dst) | (uint32_t)spec->dport << 16;
    f->traffic = spec->traffic;
    f->is_answered = spec->is_answered;
    f->tag = spec->tag;
    f->ideal_ps = spec->tcp ? sim_ideal_tcp_ps(s, h->node, spec->dst, spec->bytes, s->cfg.tcp[spec->tcp - 1].mss_bytes)
                            : sim_ideal_ps(s, h->node, spec->dst, spec->bytes);
    f->out = (struct cc_out){ s->port[h->port].rate_bps, UINT64_MAX, NEVER };
    if (f->controlled)
        s->cfg.cc->start(h->cc_cfg, f->cc, sim_cc_now(s), &f->out);
    if (!s->counters.flows_started++)
        s->first_start_ps = s->now_ps;
    s->counters.bytes_started += spec->bytes;
    if (s->hf2t)
        hf2t_on_start(s, id);
    if (s->gap_record)
        s->gap_record->sent_ps[id] = 0;
    if (s->selective_tx)
        s->selective_tx[id] = (struct selective_tx){ 0 };
    if (spec->tcp)
        tcp_start(s, h, f);
    else
        add_to_list(s, h, f);
    if (s->watch && !spec->tcp)
        watch_on_request(s, f);
    host_kick(s, h);
}

/* Tells traffic of the end of a flow: at the destination (is_arrival) or at the source. What is read here of a
 * flow does not change from its start until the source knows of its end, so the destination may look. */
static void tell_traffic(struct sim *s, const struct flow *f, bool is_arrival)
{
    struct message m = { f->src, f->dst, f->traffic, f->bytes, f->tag, f->start_ps };

    if (is_arrival)
        traffic_on_arrival(s->traffic, s->now_ps, &m);
    else
        traffic_on_sent(s->traffic, s->now_ps, &m);
    sim_schedule_workers(s);
}

void host_on_arrival(struct sim *s, const struct flow *f)
{
    if (f->is_answered)
        tell_traffic(s, f, true);
}

void host_end_flow(struct sim *s, struct flow *f)
{
    f->phase = FLOW_DONE;
    s->counters.flows_done++;
    s->counters.bytes_done += f->bytes;
    s->entry_bytes_done[f->traffic] += f->bytes;
    if (s->hooks.flow_done) {
        struct flow_result r = {
            .src = f->src, .dst = f->dst, .sport = (uint16_t)f->ports, .dport = (uint16_t)(f->ports >> 16),
            .prio = f->prio, .traffic = f->traffic, .bytes = f->bytes, .start_ps = f->start_ps,
            .fct_ps = s->now_ps - f->start_ps, .ideal_ps = f->ideal_ps, .resent_bytes = f->resent_bytes,
        };

        s->hooks.flow_done(s->hooks.arg, &r);
    }
    if (f->is_answered)
        tell_traffic(s, f, false);
    retire(s, f);
    s->done_ps = s->now_ps;
}

static void finish_flow(struct sim *s, struct host *h, struct flow *f)
{
    uint32_t timeout = s->slot_timeout + (uint32_t)(h - s->host);

    f->sent = f->bytes;
    sort_in(s, h, f);            /* neither ready nor waiting any more */
    set_bit(h->finished, f->position);
    h->dead++;
    if (s->cfg.model == MODEL_CONWEAVE)
        tidy(s, h);
    if (--h->active == 0 && evq_is_pending(&s->evq, timeout))
        evq_cancel(&s->evq, timeout);
    host_end_flow(s, f);
}

/* Goes back to the first byte that is not acknowledged. */
static void go_back(struct sim *s, struct host *h, struct flow *f)
{
    f->sent = f->acked;
    sort_in(s, h, f);
}

/* Selective repeat: packets [from, to) have not arrived. */
static void selective_hole(struct sim *s, struct host *h, struct flow *f, struct selective_hole hole)
{
    selective_add(&s->selective_tx[f - s->flow], hole);
    find_next(s, f);
    sort_in(s, h, f);
}

/* The timer: nothing has been acknowledged for long. */
static APART void start_again(struct sim *s, struct host *h, struct flow *f)
{
    uint32_t mtu = s->cfg.mtu_bytes;

    if (!s->selective_tx) {
        go_back(s, h, f);
        return;
    }
    selective_all(&s->selective_tx[f - s->flow], (uint32_t)(f->acked / mtu), (uint32_t)((f->sent_max + mtu - 1) / mtu));
    find_next(s, f);
    sort_in(s, h, f);
}

/* Model conweave: every queue pair has a timer, set by what it sends and by answers while something is under way. It
 * fires once and is not set again before the next packet; only then does the NIC look for something to send. */
static void on_timers(struct sim *s, struct host *h)
{
    uint64_t next = NEVER;
    bool     is_fired = false;

    for (uint32_t i = 0; i < h->count; i++) {
        struct flow *f = &s->flow[h->list[i]];

        if (h->finished[i / 64] >> (i % 64) & 1 || f->progress_ps == NEVER)
            continue;
        if (f->progress_ps + s->cfg.rto_ps <= s->now_ps) {
            s->counters.timeouts += f->sent > f->acked;
            f->progress_ps = NEVER;
            start_again(s, h, f);
            is_fired = true;
        } else if (f->progress_ps + s->cfg.rto_ps < next) {
            next = f->progress_ps + s->cfg.rto_ps;
        }
    }
    if (next != NEVER)
        arm_timeout(s, h, next);
    if (is_fired)
        host_kick(s, h);
}

void host_on_timeout(struct sim *s, struct host *h)
{
    uint64_t next = NEVER;

    if (s->cfg.model == MODEL_CONWEAVE) {
        on_timers(s, h);
        return;
    }
    for (uint32_t i = 0; i < h->count; i++) {
        struct flow *f = &s->flow[h->list[i]];
        uint64_t     at;

        if (h->finished[i / 64] >> (i % 64) & 1)
            continue;
        if (f->sent == f->acked)
            f->progress_ps = s->now_ps;      /* nothing on its way: nothing to wait for */
        at = f->progress_ps + s->cfg.rto_ps;
        if (at <= s->now_ps) {
            s->counters.timeouts++;
            f->progress_ps = s->now_ps;
            at = s->now_ps + s->cfg.rto_ps;
            start_again(s, h, f);
        }
        next = at < next ? at : next;
    }
    if (next != NEVER)
        arm_timeout(s, h, next);
    host_kick(s, h);
}

void host_catch_up(struct sim *s, struct host *h)
{
    for (uint32_t i = 0; i < h->count; i++) {
        struct flow *f = &s->flow[h->list[i]];

        if (h->finished[i / 64] >> (i % 64) & 1 || !f->controlled)
            continue;
        s->cfg.cc->on_due(h->cc_cfg, f->cc, sim_cc_now(s), &f->out);
        on_decision(s, h, f);
    }
    if (s->cfg.model == MODEL_NIC)
        host_kick(s, h);         /* somebody may now go earlier than the pacer's wake-up */
}

/* ---- receiving what answers ---- */

static void on_cnp(struct sim *s, struct host *h, struct flow *f, uint64_t told_ps)
{
    s->counters.cnps_received++;
    if (s->hf2t)
        s->hf2t->qp[f - s->flow].told_ps = s->now_ps;
    if (f->controlled && s->cfg.cc->on_cnp)
        s->cfg.cc->on_cnp(h->cc_cfg, f->cc, sim_cc_now(s), told_ps, &f->out);
    on_decision(s, h, f);
}

/* Up to 'seq' all has arrived; returns how much of it is new. In model conweave every answer starts the timer anew,
 * progress or not, if something is still under way. */
static inline uint64_t take_ack(struct sim *s, struct host *h, struct flow *f, uint64_t seq)
{
    uint64_t acked = seq > f->acked ? seq - f->acked : 0;

    if (acked) {
        f->acked = seq;
        if (f->sent < f->acked)
            f->sent = f->acked;
    }
    if (s->cfg.model == MODEL_CONWEAVE) {
        if (f->sent > f->acked)
            restart_timer(s, h, f);
    } else if (acked) {
        f->progress_ps = s->now_ps;
    }
    return acked;
}

static void on_ack(struct sim *s, struct host *h, struct flow *f, const struct packet *k)
{
    uint64_t acked, rtt = s->now_ps - k->sent_ps;

    s->counters.rtt_ps_sum += rtt;
    s->counters.rtt_samples++;
    if (rtt > s->rtt_ps_peak)
        s->rtt_ps_peak = rtt;
    if (s->now_ps >= h->rtt_due_ps)
        watch_on_rtt(s, h, f, rtt);

    acked = take_ack(s, h, f, k->seq);
    if (f->acked >= f->bytes) {
        finish_flow(s, h, f);
        return;
    }
    if (k->kind == PACKET_NACK)
        go_back(s, h, f);
    if (k->flags & PACKET_ECHO)
        on_cnp(s, h, f, 0);
    if (f->controlled && s->cfg.cc->on_ack) {
        struct cc_ack a = { rtt, acked, f->sent - f->acked };

        s->cfg.cc->on_ack(h->cc_cfg, f->cc, sim_cc_now(s), &a, &f->out);
        on_decision(s, h, f);
    }
    if (s->cfg.window_bytes || f->out.window_bytes != UINT64_MAX)
        sort_in(s, h, f);
}

/* Selective repeat: a hole is named. It tells what was acknowledged as well, but no round trip. */
static APART void on_hole(struct sim *s, struct host *h, struct flow *f, const struct packet *k)
{
    take_ack(s, h, f, k->seq);
    selective_hole(s, h, f, (struct selective_hole){ (uint32_t)(k->sent_ps >> 32), (uint32_t)k->sent_ps });
}

void host_on_packet(struct sim *s, struct port *in, uint32_t id)
{
    struct packet *k = &s->packets.packet[id];
    struct host   *h = &s->host[in->node->host];
    struct flow   *f = &s->flow[k->flow];

    if (__builtin_expect(in->slow_path & SLOW_LINK, 0) && path_is_cut(s, in, id, k))
        return;
    if (k->kind == PACKET_DATA) {
        if (__builtin_expect(k->flags & PACKET_TCP, 0))
            tcp_on_data(s, h, k);
        else
            host_on_data(s, h, k);
    } else if (k->kind == PACKET_PFC) {
        port_on_pfc(s, in, k->prio, k->seq);
    } else if (f->phase == FLOW_ACTIVE && f->generation == k->generation) {
        if (k->kind == PACKET_CNP)
            on_cnp(s, h, f, k->seq);
        else if (__builtin_expect(k->flags & PACKET_TCP, 0) && k->kind == PACKET_NACK)
            on_hole(s, h, f, k);
        else if (__builtin_expect(k->flags & PACKET_TCP, 0))
            tcp_on_ack(s, h, f, k);
        else
            on_ack(s, h, f, k);
    } else if (s->cfg.model == MODEL_CONWEAVE) {
        packet_free(&s->packets, id);    /* the flow is over: that fork's NIC does not even look */
        return;
    }
    packet_free(&s->packets, id);
    kick(s, h, in);
}

/* ---- invariants ---- */

static void expect(bool holds, const struct host *h, const struct sim *s, const char *what)
{
    if (!holds) {
        fprintf(stderr, "host %s at %llu ps: %s\n", s->graph.node[h->node].name, (unsigned long long)s->now_ps, what);
        abort();
    }
}

void host_check(const struct sim *s, const struct host *h)
{
    uint32_t    ready = 0, dead = 0, active = 0;
    const char *why = cnp_arbiter_check(s, h);

    for (uint32_t i = 0; i < h->count; i++) {
        const struct flow *f = &s->flow[h->list[i]];
        bool is_ready = h->ready[i / 64] >> (i % 64) & 1, is_finished = h->finished[i / 64] >> (i % 64) & 1;

        ready += is_ready;
        dead += is_finished;
        if (is_finished) {
            expect(!is_ready, h, s, "a finished flow is ready to send");
            continue;
        }
        active++;
        expect(f->phase == FLOW_ACTIVE && f->position == i, h, s, "a flow is not where its host thinks");
        expect(f->acked <= f->sent && f->sent <= f->bytes, h, s, "a flow has more acknowledged than sent");
        expect(!(is_ready && f->heap_at != NOT_IN_HEAP), h, s, "a flow is ready and waiting");
        expect(is_ready || f->heap_at != NOT_IN_HEAP || f->sent == f->bytes || !has_window(s, h, f), h, s,
               "a flow has bytes left but will not send");
    }
    expect(ready == h->ready_count && dead == h->dead && active == h->active, h, s, "counts of flows are off");
    for (uint32_t i = 1; i < h->heap_count; i++)
        expect(s->flow[h->heap[(i - 1) / 2]].look_ps <= s->flow[h->heap[i]].look_ps, h, s,
               "the pacer's heap is no heap");
    expect(!why, h, s, why);
    if (s->tcp)
        tcp_check(s, h);
}
