/* src/sim/run.c - lets the world run, event by event. dispatch() is its table of contents. */
#include "sim/run.h"
#include "sim/host/cnp_arbiter.h"
#include "sim/partition.h"
#include "sim/link/path.h"
#include "sim/switch/switch.h"
#include "traffic/traffic.h"

#include <stdlib.h>

#define CHECK_EVERY  (1u << 18)  /* events, in builds with assertions */

/* ---- flows that start ---- */

void sim_drop(struct sim *s, uint32_t id)
{
    s->counters.payload_dropped += s->packets.packet[id].payload;
    packet_free(&s->packets, id);
}

/* Flows start after everything else that happens in the same instant, as in the HPCC fork. */
static void schedule_flow(struct sim *s, uint32_t stream)
{
    struct flow_spec *f = &s->next_flow[stream];
    uint32_t          place;

    if (!traffic_next(s->traffic, stream, f))
        return;
    place = s->cfg.order == ORDER_NS3 ? f->rank : s->stream_place[stream];
    evq_add(&s->evq, s->slot_flow + stream, f->at_ps, ORDER_AGE_MAX << 32 | place);
    s->streams_live++;
}

/* A worker's flow is taken when it starts: until then an earlier one may come before it. */
static void schedule_worker(struct sim *s, uint32_t stream)
{
    uint32_t slot = s->slot_flow + stream;
    uint64_t at = traffic_due_ps(s->traffic, stream);

    if (evq_is_pending(&s->evq, slot)) {
        if (s->evq.slot[slot].at_ps == at)
            return;
        evq_cancel(&s->evq, slot);
        s->streams_live--;
    }
    if (at == NEVER)
        return;
    assert(at >= s->now_ps);
    evq_add(&s->evq, slot, at,
            ORDER_AGE_MAX << 32 | (s->cfg.order == ORDER_NS3 ? traffic_rank(s->traffic, stream)
                                                             : s->stream_place[stream]));
    s->streams_live++;
}

static bool is_signal_before(const struct signal *a, const struct signal *b)
{
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps;
    if (a->entry != b->entry)
        return a->entry < b->entry;
    return a->worker != b->worker ? a->worker < b->worker : a->value < b->value;
}

/* Signals act before flows start, and after all else of their moment. */
static void schedule_signals(struct sim *s)
{
    if (evq_is_pending(&s->evq, s->slot_signal))
        evq_cancel(&s->evq, s->slot_signal);
    if (s->signals)
        evq_add(&s->evq, s->slot_signal, s->signal[s->signals - 1].at_ps, (ORDER_AGE_MAX << 32) - 1);
}

void sim_add_signal(struct sim *s, const struct signal *made)
{
    uint32_t i = s->signals++;

    if (i == s->signals_max) {
        s->signals_max = s->signals_max ? 2 * s->signals_max : 64;
        s->signal = xrealloc(s->signal, s->signals_max * sizeof *s->signal);
    }
    for (; i > 0 && is_signal_before(&s->signal[i - 1], made); i--)
        s->signal[i] = s->signal[i - 1];
    s->signal[i] = *made;
    s->streams_live++;
    if (i + 1 == s->signals)
        schedule_signals(s);
}

static void on_signals(struct sim *s)
{
    while (s->signals && s->signal[s->signals - 1].at_ps == s->now_ps) {
        struct signal next = s->signal[--s->signals];

        s->streams_live--;
        traffic_on_signal(s->traffic, s->part, &next);
    }
    s->counters.events -= s->part > 0;       /* it happens in every part: is counted once */
    schedule_signals(s);
    sim_schedule_workers(s);
}

static void schedule_touched(struct sim *s, uint32_t part)
{
    struct sim   *in = s->parts ? partition_sim(s->parts, part) : s;
    struct signal signal;
    uint32_t      stream;

    while (traffic_touched(s->traffic, part, &stream))
        schedule_worker(in, stream);
    while (traffic_signal(s->traffic, part, &signal)) {
        sim_add_signal(in, &signal);
        if (s->is_part)
            partition_send_signal(s, &signal);
    }
}

void sim_schedule_workers(struct sim *s)
{
    for (uint32_t i = 0; s->parts && i < partition_count(s->parts); i++)
        schedule_touched(s, i);
    if (!s->parts)
        schedule_touched(s, s->part);
}

void run_allocate_streams(struct sim *s)
{
    s->streams = traffic_streams(s->traffic);
    s->entry_bytes_done = arena_alloc(&s->arena, traffic_entries(s->traffic) + 1ul, sizeof *s->entry_bytes_done);
    s->next_flow = arena_alloc(&s->arena, s->streams, sizeof *s->next_flow);
    s->stream_place = arena_alloc(&s->arena, s->streams, sizeof *s->stream_place);
}

/* The first flow of every stream; the streams of a node are numbered from 0. */
void run_build_streams(struct sim *s)
{
    uint32_t *count = xcalloc(s->nodes, sizeof *count);

    for (uint32_t i = 0; i < s->streams; i++) {
        uint32_t node = traffic_source(s->traffic, i);

        s->stream_place[i] = node << 12 | (count[node]++ & 0xfff);
        if (!traffic_is_worker(s->traffic, i))
            schedule_flow(sim_of(s, node), i);
    }
    free(count);
    sim_schedule_workers(s);
    for (uint32_t i = 0; s->parts && i < partition_count(s->parts); i++)
        s->streams_live += partition_sim(s->parts, i)->streams_live;
}

static void on_flow(struct sim *s, uint32_t stream)
{
    struct flow_spec f;
    struct node     *n;

    if (stream == s->streams) {
        on_signals(s);
        return;
    }
    f = s->next_flow[stream];
    n = &s->node[traffic_source(s->traffic, stream)];
    s->streams_live--;
    if (traffic_is_worker(s->traffic, stream)) {
        traffic_next(s->traffic, stream, &f);
        schedule_worker(s, stream);
    } else {
        schedule_flow(s, stream);
    }
    host_start_flow(s, &s->host[n->host], &f);
}

/* The port a packet will leave a switch by, where that is plain to see. */
static const struct port *next_port(const struct sim *s, const struct node *n, const struct packet *k)
{
    const struct route_host *h = &n->route_host[k->dst];
    uint32_t                 way = n->route_entry[h->group];

    if (way == ROUTE_LOCAL)
        return &s->port[h->port];
    return way & ROUTE_ONE ? &s->port[way & ~ROUTE_ONE] : NULL;
}

static inline void look_at_packet(const struct sim *s, const struct evq_slot *e)
{
    const struct packet *k = &s->packets.packet[e->hint];
    const struct port   *p = ((const struct port *)run_owner_of(e))->peer;

    if (run_kind_of(e) == EV_AT_HOST) {
        __builtin_prefetch(&s->host[p->node->host], 1);
        if (k->kind == PACKET_DATA)
            __builtin_prefetch(&s->flow_rx[k->flow], 1);
        else
            __builtin_prefetch(&s->flow[k->flow], 1);
    } else if (k->kind != PACKET_PFC && (p = next_port(s, p->node, k))) {
        __builtin_prefetch(p, 1);
        __builtin_prefetch(&p->counters, 1);
        __builtin_prefetch(&s->evq.slot[sim_slot_arrive(p)], 1);
    }
}

/* A network that does not fit the cache: asks for what the coming events will touch before the first of them
 * needs it, in three rounds, since each leads to the next: ports and packets; the ports at the other end, and
 * queues; what the packets lead to. */
void run_look_ahead(void *sim, const uint32_t *slots, uint32_t count)
{
    const struct sim *s = sim;

    for (uint32_t i = 0; i < count; i++) {
        const struct evq_slot *e = &s->evq.slot[slots[i]];

        __builtin_prefetch(run_owner_of(e), 1);
        __builtin_prefetch(&s->packets.packet[e->hint], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct evq_slot *e = &s->evq.slot[slots[i]];
        const struct port     *p = run_owner_of(e);

        if (run_kind_of(e) == EV_AT_SWITCH || run_kind_of(e) == EV_AT_HOST) {
            __builtin_prefetch(p->peer, 1);
        } else if (run_kind_of(e) == EV_SWITCH_FREE) {
            __builtin_prefetch(&p->queue[3], 1);
            __builtin_prefetch(&p->counters, 1);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct evq_slot *e = &s->evq.slot[slots[i]];

        if (run_kind_of(e) == EV_AT_SWITCH || run_kind_of(e) == EV_AT_HOST)
            look_at_packet(s, e);
        else if (run_kind_of(e) == EV_SWITCH_FREE)
            __builtin_prefetch(&s->packets.packet[((const struct port *)run_owner_of(e))->queue[3].head], 1);
    }
}

/* Takes the first packet off a wire and awaits the one behind it. */
static inline uint32_t take_first(struct sim *s, struct port *from, uint32_t slot)
{
    uint32_t             id = from->wire_head;
    const struct packet *k = &s->packets.packet[id];

    from->wire_head = k->next;
    if (k->next) {
        __builtin_prefetch(&s->packets.packet[k->next], 1);      /* has left the cache it was sent from */
        s->evq.slot[slot].hint = k->next;
        evq_add(&s->evq, slot, k->next_at_ps, k->next_order);
    }
    return id;
}

/* Moments at which links change, by epoch. */
static uint64_t change_at_ps(const struct sim *s, uint32_t epoch)
{
    for (uint32_t i = 0; i < s->cfg.changes; i++)
        if ((i == 0 || s->cfg.change[i].at_ps != s->cfg.change[i - 1].at_ps) && epoch-- == 0)
            return s->cfg.change[i].at_ps;
    return NEVER;
}

void run_schedule_change(struct sim *s, uint32_t node, uint32_t epoch)
{
    uint64_t at = change_at_ps(s, epoch);

    if (at != NEVER)
        evq_add(&s->evq, s->slot_change + node, at, sim_order(s, &s->node[node], at));
}

/* Something that a port waited for has come. */
static __attribute__((noinline)) void kick_port(struct sim *s, struct port *p)
{
    if (port_is_busy(p, s->now_ps, s->order))
        path_await_free(s, p);
    else if (p->is_switch)
        switch_kick(s, p);
    else
        host_kick(s, &s->host[p->node->host]);
}

/* When a link comes up, each end holds its classes until the other has said which of them it may send: the
 * pauses of before may have been lost with the link, and the buffers they protect may still be full. Hosts
 * do not pause anybody. */
static void change_port(struct sim *s, struct port *p, bool is_up)
{
    if (is_up == !p->is_down)
        return;
    if (p->paused)
        p->counters.paused_ps += s->now_ps - p->paused_since_ps;
    p->paused = 0;
    for (uint32_t c = 0; s->cfg.pause_ps && c < PRIOS; c++)
        if (evq_is_pending(&s->evq, sim_slot_expiry(s, p, c)))
            evq_cancel(&s->evq, sim_slot_expiry(s, p, c));
    p->is_down = !is_up;
    if (!is_up) {
        p->was_down = true;
        p->slow_path |= SLOW_LINK;
        p->down_at_ps = s->now_ps;
        if (p->is_switch)
            switch_flush(s, p);
        return;
    }
    if (p->peer->is_switch && s->cfg.is_lossless) {
        p->paused = s->pfc_queue == 0 ? 0xfe : 0xff;     /* what tells it must get through */
        p->paused_since_ps = s->now_ps;
    }
    for (uint32_t c = 0; p->is_switch && s->cfg.is_lossless && c < PRIOS; c++)
        port_send_pfc(s, p, c, p->pausing >> c & 1);
    kick_port(s, p);
}

/* Every node learns of a change at the moment it happens: its ports go down or up and its routes follow. Rare events
 * stay out of line, so that what happens often is small enough to be one function. */
static __attribute__((noinline)) void on_change(struct sim *s, struct node *n)
{
    n->epoch++;
    sim_use_routes(s, n);
    for (uint32_t i = 0; i < s->cfg.changes; i++) {
        const struct link_change *c = &s->cfg.change[i];

        for (uint32_t j = 0; c->at_ps == s->now_ps && j < n->ports; j++)
            if (s->port[n->first_port + j].link == c->link)
                change_port(s, &s->port[n->first_port + j], c->is_up);
    }
    run_schedule_change(s, n->id, n->epoch);
}

/* By the slot: a pause of a port has ended, or one that it sent is due again. */
static __attribute__((noinline, cold)) void on_pause(struct sim *s, uint32_t slot)
{
    uint32_t     place = slot - s->slot_pause, prio = place % PRIOS;
    struct port *p = &s->port[place / PRIOS % s->ports];

    if (slot == sim_slot_refresh(s, p, prio)) {
        switch_refresh_pause(s, p, prio);
        return;
    }
    port_on_expiry(s, p, prio);
    kick_port(s, p);
}

static __attribute__((noinline)) void on_timeout(struct sim *s, void *owner, uint32_t slot)
{
    if (slot < s->slot_tcp)
        host_on_timeout(s, owner);
    else if (slot >= s->slot_pause)
        on_pause(s, slot);
    else if (slot >= s->slot_turn)
        cnp_arbiter_on_turn(s, &s->host[slot - s->slot_turn]);
    else if (slot < s->slot_tcp + s->hosts)
        tcp_on_timer(s, slot - s->slot_tcp);
    else
        tcp_on_wake(s, slot - s->slot_tcp - s->hosts);
}

/* Most events belong to switches: these need no table of jumps. */
static inline void dispatch(struct sim *s, uint32_t slot)
{
    enum event_kind kind = run_kind_of(&s->evq.slot[slot]);
    void           *owner = run_owner_of(&s->evq.slot[slot]);

    if (kind == EV_AT_SWITCH) {
        switch_on_packet(s, ((struct port *)owner)->peer, take_first(s, owner, slot));
        return;
    }
    if (kind == EV_SWITCH_FREE) {
        switch_kick(s, owner);
        return;
    }
    switch (kind) {
    case EV_AT_HOST:     host_on_packet(s, ((struct port *)owner)->peer, take_first(s, owner, slot));     break;
    case EV_HOST_FREE:
    case EV_WAKE:        host_kick(s, owner);                            break;
    case EV_TIMEOUT:     on_timeout(s, owner, slot);                     break;
    case EV_CHANGE:      on_change(s, owner);                            break;
    case EV_FLOW:        on_flow(s, slot - s->slot_flow);                break;
    default:             __builtin_unreachable();
    }
}

void sim_run_part(struct sim *s, uint64_t until_ps)
{
    uint64_t events = 0;
    uint32_t slot;

    evq_renew(&s->evq);
    while ((slot = evq_pop(&s->evq, until_ps)) != EVQ_NONE) {
        s->now_ps = s->evq.slot[slot].at_ps;
        s->order = s->evq.slot[slot].order;
        dispatch(s, slot);
        events++;
#ifndef NDEBUG
        if (events % CHECK_EVERY == 0 && !s->is_part)
            sim_check(s);
#endif
    }
    s->counters.events += events;
}

static bool run_world(struct sim *s, uint64_t until_ps)
{
    if (s->parts)
        return partition_run_until(s, until_ps);
    sim_run_part(s, until_ps);
    s->is_done = s->streams_live == 0 && s->counters.flows_done == s->counters.flows_started;
    if (!evq_pending(&s->evq))
        return false;            /* time stands still */
    s->now_ps = until_ps;
    s->order = UINT64_MAX;
    return true;
}

bool sim_run_until(struct sim *s, uint64_t until_ps)
{
    while (s->hf2t && s->hf2t->stop_ps <= until_ps) {
        if (!run_world(s, s->hf2t->stop_ps))
            return false;
        hf2t_on_stop(s);
    }
    return run_world(s, until_ps);
}
