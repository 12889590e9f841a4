/* src/sim/run.c - the event loop. dispatch() lists all kinds of events. */
#include "sim/run.h"
#include "sim/change.h"
#include "sim/nic/host.h"
#include "sim/nic/nic.h"
#include "sim/nic/np/np.h"
#include "sim/transport/transports.h"
#include "sim/link/path.h"
#include "sim/skip/skip_flow.h"
#include "sim/switch/forward.h"
#include "sim/switch/switch.h"

/* Prefetches the ports and hosts that own the events, the queues of ports that become free, and the second
 * events of buckets. With 'ways', also the cached route of that port. Avoids branches on the kind of event,
 * which would be unpredictable: a useless prefetch repeats a line. */
static inline __attribute__((always_inline))
void prefetch_owners(const struct evq *q, const uint32_t *events, uint32_t count, const struct network *ways)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = evq_event(q, events[i]);
        const char         *owner = owner_of(q, e);
        uint32_t            is_last = e->next >= EVQ_HEAP, next = e->next + is_last * (events[i] - e->next);

        __builtin_prefetch(owner, 1);
        __builtin_prefetch(owner + (owner_kind(e) == EV_SWITCH_FREE) *
                                   offsetof(struct port, mark_from_bytes), 1);
        __builtin_prefetch(evq_event(q, next), 1);
        if (ways) {
            uint64_t port = (uint64_t)(owner - (const char *)ways->port) / sizeof(struct port);

            __builtin_prefetch(&ways->last_way[owner_kind(e) == EV_AT_SWITCH ? port : 0], 1);
        }
    }
}

static void on_near(void *sim, const uint32_t *events, uint32_t count)
{
    const struct sim *s = sim;

    if (s->engine.evq.is_vast)
        prefetch_owners(&s->engine.evq, events, count, &s->net);
    else
        prefetch_owners(&s->engine.evq, events, count, NULL);
}

/* ---- a vast network: the next events ---- */

/* Looks up the route of a packet now and stores it in the port's cache. Several lookups then wait for memory
 * at once, and the egress port is prefetched. If links change meanwhile, the route is looked up again. */
static void prefetch_at_switch(const struct sim *s, const struct port *in, const struct packet *k)
{
    if (k->kind == PFC || s->lb.is_on)
        return;
    const struct port *out = forward_routed(s, in, k);
    if (!out)
        return;
    __builtin_prefetch(out, 1);
    __builtin_prefetch(&out->counters, 1);
    __builtin_prefetch(&out->mark_from_bytes, 1);
    __builtin_prefetch(&in->in[k->prio], 1);
}

static void prefetch_at_host(const struct sim *s, const struct host *h, const struct packet *k)
{
    __builtin_prefetch(h->port, 1);
    if (packet_class(k) < CLASS_CNP)
        __builtin_prefetch(&s->flows.flow[k->flow], 1);
}

/* Prefetches the next packet to leave, assuming it is in the first class with a backlog, as is common. */
static void prefetch_at_free(const struct sim *s, const struct port *p)
{
    const struct queue *queue = &p->queue[p->backlog ? __builtin_ctz(p->backlog) : 0];

    __builtin_prefetch(&s->engine.packets.packet[queue->head], 1);
    __builtin_prefetch(&p->counters, 1);
}

static void on_open(void *sim, struct event *const *events, uint32_t count)
{
    const struct sim *s = sim;
    const struct evq *q = &s->engine.evq;

    for (uint32_t i = 0; i < count; i++) {
        const struct event *e = events[i];

        if (owner_kind(e) == EV_AT_SWITCH)
            prefetch_at_switch(s, owner_of(q, e), (const struct packet *)e);
        else if (owner_kind(e) == EV_AT_HOST)
            prefetch_at_host(s, owner_of(q, e), (const struct packet *)e);
        else if (owner_kind(e) == EV_SWITCH_FREE)
            prefetch_at_free(s, owner_of(q, e));
    }
}

static void look_ahead_begin(struct sim *s)
{
    struct evq *q = &s->engine.evq;

    q->on_near = on_near;
    q->on_open = on_open;
    q->is_vast = s->net.ports >= LOOK_AHEAD_PORTS_VAST;
    q->on_near_arg = s;
}

#define CHECK_EVERY  (1u << 18)  /* events between checks, in builds with assertions */
#define SPAN_MAX_PS  (64 * PS_PER_US)    /* later events wait in the heap, unless most packets are later */
#define EVENT_GAP_PS (80 * PS_PER_NS)    /* typical time between two events of one port */
#define CROWD_MAX    16u         /* events up to which a wider bucket is cheaper than the heap */

/* ---- building ---- */

/* Numbers the events that do not begin a packet, port or host, from 'from' on. Returns how many there are. */
static uint32_t number_events(struct sim *s, uint32_t from)
{
    uint32_t hosts = s->net.hosts;
    uint32_t pauses = s->pfc.pause_ps ? s->net.ports * PRIOS : 0;
    const uint32_t count[EV_KINDS] = {
        [EV_TIMEOUT] = hosts,
        [EV_CHANGE] = s->net.nodes,
        [EV_TIMER] = transports_have_timers(s) ? TRANSPORT_TIMERS * hosts : 0,
        [EV_CNP_TURN] = s->hosts.np->has_turns ? hosts : 0,
        [EV_PAUSE_END] = pauses,
        [EV_PAUSE_REFRESH] = pauses,
        [EV_FLOW] = s->program.streams,
        [EV_SIGNAL] = 1,
        [EV_DRAIN] = s->cfg.drain_bps ? hosts : 0,
    };
    uint32_t next = from;

    for (uint32_t kind = EV_FIRST_NUMBERED; kind < EV_KINDS; kind++) {
        s->engine.first_event[kind] = next;
        next += count[kind];
    }
    s->engine.first_event[EV_KINDS] = next;
    return next - from;
}

uint32_t run_events_most(const struct sim *s)
{
    return (3 + TRANSPORT_TIMERS) * s->net.hosts + s->net.nodes + 2 * PRIOS * s->net.ports +
           s->program.streams + 2;
}

#define LEAP_LINKS 6u            /* a frame that skips ports arrives after several links */

/* Returns how far ahead most events are. A ring that covers long links needs wider buckets. With many ports
 * and few such links, all other events would pay for them. */
static uint64_t span_ps(const struct sim *s)
{
    uint64_t span = 0, far = 0;
    bool     skips = s->cfg.is_fast && !skip_why_never(s);

    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];
        uint64_t           reach = p->delay_ps + p->tx_ps[sim_largest_frame(&s->cfg)] + PS_PER_US;

        reach *= skips ? LEAP_LINKS : 1;
        span = reach > span ? reach : span;
        far += reach > SPAN_MAX_PS;
    }
    if (span <= SPAN_MAX_PS || 8 * far >= s->net.ports ||
        span / EVQ_BUCKETS_MAX * (s->net.ports + 1) <= CROWD_MAX * EVENT_GAP_PS)
        return span;
    return SPAN_MAX_PS;
}

static void own_port(const struct sim *s, struct port *p)
{
    const struct evq *q = &s->engine.evq;

    p->to = p->peer->is_switch ? owner_make(q, EV_AT_SWITCH, p->peer) :
                                 owner_make(q, EV_AT_HOST, &s->net.host[p->peer->node->host]);
    p->free.owner = p->is_switch ? owner_make(q, EV_SWITCH_FREE, p) :
                                   owner_make(q, EV_HOST_FREE, &s->net.host[p->node->host]);
    p->free.next = EVQ_IDLE;
}

static void own_events(const struct sim *s)
{
    const struct evq *q = &s->engine.evq;
    const uint32_t   *first = s->engine.first_event;

    for (uint32_t i = 0; i < s->net.ports; i++)
        own_port(s, &s->net.port[i]);
    for (uint32_t i = 0; i < s->net.hosts; i++)
        s->net.host[i].wake = (struct event){ .next = EVQ_IDLE,
                                              .owner = owner_make(q, EV_WAKE, &s->net.host[i]) };
    for (uint32_t kind = EV_FIRST_NUMBERED; kind < EV_KINDS; kind++)
        for (uint32_t i = first[kind]; i < first[kind + 1]; i++)
            *evq_event(q, i) = (struct event){ .next = EVQ_IDLE, .owner = owner_make(q, kind, NULL) };
}

static bool is_large(const struct sim *s)
{
    return s->net.graph.links >= LINKS_MANY;
}

/* Returns the bucket width. A busy port has one or two events per packet, about every 80 ns; the aim is one
 * event per bucket. Ports of a small network are busy at the same times, so its buckets are narrower, as long
 * as this needs no more of them. In a large network they are narrower because only the first event of a
 * bucket is prefetched. */
static uint64_t bucket_ps(const struct sim *s)
{
    uint64_t even = EVENT_GAP_PS / (s->net.ports + 1), narrow = even / 8;

    if (is_large(s))
        return even / 2;
    return EVQ_BUCKETS_MIN / 2 * narrow >= span_ps(s) ? narrow : even;
}

/* Announces when most events are due: the last byte of a full frame or ACK leaves, and it arrives. */
static void expect_frames(struct sim *s)
{
    struct evq *q = &s->engine.evq;
    uint32_t    full = s->cfg.mtu_bytes + s->cfg.header_bytes;

    for (uint32_t i = 0; i < s->net.ports && q->aheads < EVQ_AHEADS; i++) {
        const struct port *p = &s->net.port[i];

        evq_expect(q, p->tx_ps[full]);
        evq_expect(q, p->delay_ps + p->tx_ps[full]);
        evq_expect(q, p->delay_ps + p->tx_ps[s->cfg.ack_bytes]);
    }
}

void run_build_events(struct sim *s)
{
    uint32_t events = number_events(s, 0), packets = s->engine.packets.limit - s->engine.packets.first;
    uint32_t most = events + s->net.ports + s->net.hosts + packets;
    void    *line = arena_alloc(s->lines, events, EVQ_LINE);

    evq_init(&s->engine.evq, &s->arena, s->lines->base, most + PACKETS_SPARE, bucket_ps(s), span_ps(s));
    number_events(s, evq_id(&s->engine.evq, line));
    if (is_large(s)) {
        evq_allow_cells(&s->engine.evq, &s->arena);
        look_ahead_begin(s);
        expect_frames(s);
    }
    own_events(s);
}

/* ---- events ---- */

static void on_flow(struct sim *s, uint32_t stream)
{
    struct flow_spec f;

    program_take_flow(&s->engine, &s->program, stream, &f);
    if (!f.bytes) {
        program_on_wake(&s->engine, &s->program, stream, f.tag);
        return;
    }
    host_start_flow(s, &s->net.host[s->net.node[traffic_source(s->program.traffic, stream)].host], &f);
}

/* Handles a numbered event. Returns a packet that host 'index' receives now, or NULL. */
static __attribute__((noinline)) struct packet *on_numbered(struct sim *s, enum event_kind kind,
                                                            uint32_t index)
{
    switch (kind) {
    case EV_FLOW:          on_flow(s, index);                                                    break;
    case EV_SIGNAL:        program_on_signals(&s->engine, &s->program);                          break;
    case EV_PAUSE_END:     change_on_pause_end(s, &s->net.port[index / PRIOS], index % PRIOS);   break;
    case EV_PAUSE_REFRESH: switch_refresh_pause(s, &s->net.port[index / PRIOS], index % PRIOS);  break;
    case EV_CHANGE:        change_on_epoch(s, &s->net.node[index]);                              break;
    case EV_TIMER:
        host_on_timer(s, &s->net.host[index % s->net.hosts], (enum transport_timer)(index / s->net.hosts));
        break;
    default:               return host_on_numbered(s, &s->net.host[index], kind);
    }
    return NULL;
}

/* Most events belong to switches, so these are tested first instead of using a jump table. host_on_packet()
 * has a single caller, so that the compiler inlines it into the loop. */
static inline void dispatch(struct sim *s, struct event *event)
{
    const struct evq *q = &s->engine.evq;
    enum event_kind   kind = owner_kind(event);
    struct packet    *k = (struct packet *)event;
    struct host      *h;

    if (kind == EV_AT_SWITCH) {
        switch_on_packet(s, owner_of(q, event), evq_id(q, event), k);
        return;
    }
    if (kind == EV_SWITCH_FREE) {
        switch_on_free(s, (struct port *)event);
        return;
    }
    if (kind == EV_AT_HOST) {
        h = owner_of(q, event);
    } else if (kind == EV_HOST_FREE || kind == EV_WAKE) {
        host_on_free(s, owner_of(q, event));
        return;
    } else {
        uint32_t index = evq_id(q, event) - s->engine.first_event[kind];

        k = on_numbered(s, kind, index);
        if (!k)
            return;
        h = &s->net.host[index];
    }
    host_on_packet(s, h, k);
}

#ifndef NDEBUG
static void check_world(const struct sim *s)
{
    struct check_sums sums = { 0 };

    check_part(s, &sums);
    check_totals(s, &sums);
}
#endif

void run_part(struct sim *s, uint64_t until_ps)
{
    struct engine *e = &s->engine;
    uint64_t       events = 0;
    struct event  *event;

    evq_renew(&e->evq);
    while ((event = evq_pop(&e->evq, until_ps)) != NULL) {
        e->now_ps = event->at_ps;
        e->order = event->order;
        dispatch(s, event);
        events++;
#ifndef NDEBUG
        if (events % CHECK_EVERY == 0 && !s->is_part)
            check_world(s);
#endif
    }
    e->counters.events += events;
}
