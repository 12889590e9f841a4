/* src/sim/run.c - dispatch() is the table of contents of what happens. */
#include "sim/run.h"
#include "sim/change.h"
#include "sim/check.h"
#include "sim/host/host.h"
#include "sim/host/np/np.h"
#include "sim/link/path.h"
#include "sim/look_ahead.h"
#include "sim/state/owner.h"
#include "sim/skip/skip.h"
#include "sim/switch/switch.h"

#define CHECK_EVERY  (1u << 18)  /* events, in builds with assertions */
#define SPAN_MAX_PS  (64 * PS_PER_US)    /* what lies further ahead waits in the heap, but for most of the packets */
#define EVENT_GAP_PS (80 * PS_PER_NS)    /* of one port, about */
#define CROWD_MAX    16u         /* events in a bucket that are still cheaper than all packets of long links in the heap */

/* ---- building ---- */

/* One event for everything that can wait for a moment, but for what begins with its own. Returns how many, if the first has
 * this number. */
static uint32_t number_events(struct sim *s, uint32_t from)
{
    struct event_first *first = &s->engine.first;
    uint32_t            ports = s->net.ports, hosts = s->net.hosts;

    first->timeout = from;
    first->change = first->timeout + hosts;
    first->tcp_timer = first->change + s->net.nodes;
    first->tcp_wake = first->tcp_timer + (s->flows.tcp_tx ? hosts : 0);
    first->turn = first->tcp_wake + (s->flows.tcp_tx ? hosts : 0);
    first->expiry = first->turn + (s->hosts.np->has_turns ? hosts : 0);
    first->refresh = first->expiry + (s->pfc.pause_ps ? ports * PRIOS : 0);
    first->flow = first->refresh + (s->pfc.pause_ps ? ports * PRIOS : 0);
    first->signal = first->flow + s->program.streams;
    first->replay = first->signal + 1;
    return first->replay + 1 - from;
}

uint32_t run_events_most(const struct sim *s)
{
    return 4 * s->net.hosts + s->net.nodes + 2 * PRIOS * s->net.ports + s->program.streams + 2;
}

/* How far ahead most events lie. A ring that long links fit in has wider buckets: where there are many ports and few of these
 * links, everything else would pay for them. */
static uint64_t span_ps(const struct sim *s)
{
    uint64_t span = 0, far = 0;

    for (uint32_t i = 0; i < s->net.ports; i++) {
        uint64_t reach = s->net.port[i].delay_ps + s->net.port[i].tx_ps[sim_largest_frame(&s->cfg)] + PS_PER_US;

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

static void own_events(const struct sim *s, uint32_t events)
{
    const struct evq         *q = &s->engine.evq;
    const struct event_first *first = &s->engine.first;

    for (uint32_t i = 0; i < s->net.ports; i++)
        own_port(s, &s->net.port[i]);
    for (uint32_t i = 0; i < s->net.hosts; i++)
        s->net.host[i].wake = (struct event){ .next = EVQ_IDLE, .owner = owner_make(q, EV_WAKE, &s->net.host[i]) };
    for (uint32_t i = first->timeout; i < first->timeout + events; i++)
        *evq_event(q, i) = (struct event){ .next = EVQ_IDLE, .owner = i < first->change ? EV_TIMER :
                                           i < first->tcp_timer ? EV_CHANGE : i < first->flow ? EV_TIMER : EV_FLOW };
}

/* Does it not fit the cache, so that looking ahead pays? */
static bool is_large(const struct sim *s)
{
    return s->net.graph.links >= LINKS_MANY;
}

/* A busy port has an event or two per packet, every 80 ns or so: one event to a bucket. Ports of a small network are busy at the
 * same moments; its buckets are narrower, as far as that makes them no more. Those of a large one are, because the first event
 * of a bucket is fetched ahead and others are hardly. */
static uint64_t bucket_ps(const struct sim *s)
{
    uint64_t even = EVENT_GAP_PS / (s->net.ports + 1), narrow = even / 8;

    if (is_large(s))
        return even / 2;
    return EVQ_BUCKETS_MIN / 2 * narrow >= span_ps(s) ? narrow : even;
}

/* Ports send full frames and ACKs: the last byte leaves, and then they arrive. */
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

void run_build_events(struct sim *s, struct arena *arena)
{
    uint32_t events = number_events(s, 0), most = events + s->net.ports + s->net.hosts + s->engine.packets.limit - s->engine.packets.first;
    void    *line = arena_alloc(s->lines, events, EVQ_LINE);

    evq_init(&s->engine.evq, arena, s->lines->base, most + PACKETS_SPARE, bucket_ps(s), span_ps(s));
    number_events(s, evq_id(&s->engine.evq, line));
    if (is_large(s)) {
        look_ahead_begin(s);
        expect_frames(s);
    }
    own_events(s, events);
}

/* ---- what happens ---- */

static void on_flow(struct sim *s, uint32_t event)
{
    uint32_t         stream = event - s->engine.first.flow;
    struct flow_spec f;

    if (event == s->engine.first.signal) {
        program_on_signals(&s->engine, &s->program);
        return;
    }
    if (event == s->engine.first.replay) {
        skip_on_event(s);
        return;
    }
    if (s->skip)
        skip_before_flow(s, stream);
    program_take_flow(&s->engine, &s->program, stream, &f);
    if (!f.bytes) {
        program_on_wake(&s->engine, &s->program, stream, f.tag);
        return;
    }
    if (s->skip && skip_take_flow(s, traffic_source(s->program.traffic, stream), &f))
        return;
    host_start_flow(s, &s->net.host[s->net.node[traffic_source(s->program.traffic, stream)].host], &f);
}

/* A pause of a port has ended, or one that it sent is due again. */
static __attribute__((noinline, cold)) void on_pause(struct sim *s, uint32_t event)
{
    uint32_t     place = event - s->engine.first.expiry, prio = place % PRIOS;
    struct port *p = &s->net.port[place / PRIOS % s->net.ports];

    if (event >= s->engine.first.refresh) {
        switch_refresh_pause(s, p, prio);
        return;
    }
    pfc_on_expiry(&s->engine, p, prio);
    change_kick_port(s, p);
}

static void on_timer(struct sim *s, uint32_t event)
{
    const struct event_first *first = &s->engine.first;

    if (event < first->change)
        host_on_timeout(s, &s->net.host[event - first->timeout]);
    else if (event < first->tcp_wake)
        host_on_tcp_timer(s, &s->net.host[event - first->tcp_timer]);
    else if (event < first->turn)
        host_on_tcp_wake(s, &s->net.host[event - first->tcp_wake]);
    else if (event < first->expiry)
        host_on_turn(s, &s->net.host[event - first->turn]);
    else
        on_pause(s, event);
}

static __attribute__((noinline)) void on_rare(struct sim *s, const struct event *event)
{
    uint32_t id = evq_id(&s->engine.evq, event);

    switch (owner_kind(event)) {
    case EV_TIMER:       on_timer(s, id);                             break;
    case EV_CHANGE:      change_on_epoch(s, &s->net.node[id - s->engine.first.change]); break;
    case EV_FLOW:        on_flow(s, id);                              break;
    default:             __builtin_unreachable();
    }
}

/* Most events belong to switches: these need no table of jumps. */
static inline void dispatch(struct sim *s, struct event *event)
{
    const struct evq *q = &s->engine.evq;
    enum event_kind   kind = owner_kind(event);

    if (kind == EV_AT_SWITCH) {
        switch_on_packet(s, owner_of(q, event), (struct packet *)event);
        return;
    }
    if (kind == EV_SWITCH_FREE) {
        switch_on_free(s, (struct port *)event);
        return;
    }
    if (kind == EV_AT_HOST) {
        host_on_packet(s, owner_of(q, event), (struct packet *)event);
        return;
    }
    if (kind == EV_HOST_FREE || kind == EV_WAKE)
        host_on_free(s, owner_of(q, event));
    else
        on_rare(s, event);
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
