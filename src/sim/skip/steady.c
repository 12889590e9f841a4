#include "sim/skip/steady.h"
#include "sim/state/owner.h"
#include "sim/host/nic.h"
#include "sim/link/path.h"
#include "sim/skip/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARKS        3u
#define RTTS_AT_END  2u          /* so long before a flow has sent all its packets are followed again */
#define FAR_MAX      64u         /* times the time looked at */
#define TICKS_MIN    16u         /* periods of rpg_time_reset in a quarter */
#define SIGMAS       3           /* of counts that are random */
#define FRAMES_SLACK 2ull        /* a queue has one packet more or less */

struct flow_mark {
    uint32_t flow;
    bool     is_free;            /* nothing but the line limits its rate */
    uint64_t acked, progress_ps;
};

struct mark {                    /* the network at one look */
    uint64_t              at_ps;
    struct sim_counters   counters;
    struct port_counters *port;
    uint64_t             *queued;        /* by port */
    struct flow_mark     *flow;          /* by index of flows */
    uint32_t              flows, flows_max;
    bool                  is_all;        /* every flow is one that can be flown */
};

struct steady {
    struct skip_told   *told;
    uint64_t            base_ps;         /* unit at first */
    uint64_t            unit_ps, since_ps, due_ps;
    uint32_t            units;           /* since since_ps, when due */
    struct sim_counters was;             /* at since_ps */
    struct mark         mark[MARKS];
    uint32_t            marks;           /* taken since */

    bool                is_flying;
    uint64_t            from_ps, at_ps, to_ps;   /* of the flight, in the world's time */
    uint64_t           *flown;           /* by flow of the last mark, until at_ps: bytes */
    uint32_t            flown_max;
};

/* ---- making ---- */

static void start_over(struct steady *d, const struct sim *s, uint64_t unit_ps)
{
    d->unit_ps = unit_ps;
    d->since_ps = s->engine.now_ps;
    d->units = 2;
    d->marks = 0;
    d->due_ps = d->since_ps + d->units * d->unit_ps;
    d->was = s->engine.counters;
}

struct steady *steady_new(struct sim *s, struct skip_told *told)
{
    struct steady *d = xcalloc(1, sizeof *d);

    d->told = told;
    d->base_ps = s->net.base_rtt_ps;
    for (uint32_t i = 0; i < MARKS; i++) {
        d->mark[i].port = xcalloc(s->net.ports + 1ul, sizeof *d->mark[i].port);
        d->mark[i].queued = xcalloc(s->net.ports + 1ul, sizeof *d->mark[i].queued);
    }
    start_over(d, s, d->base_ps);
    return d;
}

void steady_free(struct steady *d)
{
    for (uint32_t i = 0; i < MARKS; i++) {
        free(d->mark[i].port);
        free(d->mark[i].queued);
        free(d->mark[i].flow);
    }
    free(d->flown);
    free(d);
}

/* ---- looking ---- */

/* What must not happen in a steady phase. */
static bool has_changed(const struct steady *d, const struct sim *s)
{
    const struct sim_counters *now = &s->engine.counters, *was = &d->was;

    return now->flows_started != was->flows_started || now->flows_done != was->flows_done ||
           now->nacks_sent != was->nacks_sent || now->timeouts != was->timeouts ||
           now->payload_dropped != was->payload_dropped || now->payload_stale != was->payload_stale;
}

static void mark_flow(struct mark *m, const struct sim *s, uint32_t id)
{
    const struct flow *f = &s->flows.flow[id];

    if (m->flows == m->flows_max) {
        m->flows_max = m->flows_max ? 2 * m->flows_max : 64;
        m->flow = xrealloc(m->flow, m->flows_max * sizeof *m->flow);
    }
    m->flow[m->flows++] = (struct flow_mark){
        .flow = id, .acked = f->acked, .progress_ps = f->progress_ps,
        .is_free = f->out.rate_bps == s->net.host[f->host].port->rate_bps &&
                   f->out.window_bytes == UINT64_MAX,
    };
    m->is_all = m->is_all && !f->tcp && f->sent < f->bytes && f->sent == f->sent_max;
}

static void take_mark(struct mark *m, const struct sim *s)
{
    m->at_ps = s->engine.now_ps;
    m->counters = s->engine.counters;
    m->flows = 0;
    m->is_all = true;
    for (uint32_t i = s->flows.first; i < s->flows.used; i++)
        if (s->flows.flow[i].phase == FLOW_ACTIVE)
            mark_flow(m, s, i);
    tape_copy_ports(m->port, s);
    for (uint32_t i = 0; i < s->net.ports; i++) {
        m->queued[i] = 0;
        for (uint32_t q = 0; q < PRIOS; q++)
            m->queued[i] += s->net.port[i].queue[q].bytes;
    }
}

/* The mark that was taken so many before the last. */
static const struct mark *mark_before(const struct steady *d, uint32_t back)
{
    return &d->mark[(d->marks - 1 - back) % MARKS];
}

static double part_by_which(double a, double b)
{
    double most = a > b ? a : b;

    return most > 0 ? fabs(a - b) / most : 0;
}

/* Bytes a picosecond between two marks; 0: there was no progress. */
static double rate_between(const struct flow_mark *a, const struct flow_mark *b)
{
    double ps = (double)(b->progress_ps - a->progress_ps);

    return b->progress_ps > a->progress_ps ? (double)(b->acked - a->acked) / ps : 0;
}

/* By how much the two quarters differ, of one flow; 1: it must not be flown. */
static double flow_differs(const struct steady *d, const struct sim *s, uint32_t i)
{
    const struct flow_mark *a = &mark_before(d, 2)->flow[i], *b = &mark_before(d, 1)->flow[i];
    const struct flow_mark *c = &mark_before(d, 0)->flow[i];
    double                  first = rate_between(a, b), second = rate_between(b, c);
    double                  tick_ps = s->cfg.knobs.value[KNOB_rpg_time_reset] * (double)PS_PER_US;
    bool                    is_free = a->is_free && b->is_free && c->is_free;
    uint64_t                quarter_ps = mark_before(d, 0)->at_ps - mark_before(d, 1)->at_ps;

    if (first <= 0 || second <= 0 || (!is_free && (double)quarter_ps < TICKS_MIN * tick_ps))
        return 1;
    return part_by_which(first, second);
}

/* Likewise of a queue: by which share of its link's rate it has grown or shrunk. */
static double queue_differs(const struct steady *d, const struct sim *s, uint32_t i)
{
    const struct mark *a = mark_before(d, 2), *c = mark_before(d, 0);
    uint64_t           was = a->queued[i], is = c->queued[i], by = is > was ? is - was : was - is;
    uint64_t           slack = FRAMES_SLACK * sim_largest_frame(&s->cfg);
    double             could = (double)s->net.port[i].rate_bps / 8 * (double)(c->at_ps - a->at_ps) /
                               (double)PS_PER_S;

    return by > slack ? (double)(by - slack) / could : 0;
}

static double differs(const struct steady *d, const struct sim *s)
{
    double most = 0;

    for (uint32_t i = 0; i < mark_before(d, 0)->flows && most < 1; i++)
        most = fmax(most, flow_differs(d, s, i));
    for (uint32_t i = 0; i < s->net.ports && most < 1; i++)
        most = fmax(most, queue_differs(d, s, i));
    return most;
}

static uint64_t marked_until(const struct mark *m, const struct sim *s)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s->net.ports; i++)
        sum += m->port[i].marked_packets;
    return sum;
}

/* Are there more in one quarter than in the other, beyond the error and what chance would do? */
static bool is_uneven(uint64_t a, uint64_t b, uint64_t c, double error)
{
    double first = (double)(b - a), second = (double)(c - b);

    return fabs(first - second) > error * fmax(first, second) + SIGMAS * sqrt(first + second);
}

/* Marks, and what follows from them. */
static bool are_signals_uneven(const struct steady *d, const struct sim *s)
{
    const struct mark *a = mark_before(d, 2), *b = mark_before(d, 1), *c = mark_before(d, 0);
    double             error = s->cfg.fast_error;

    return is_uneven(a->counters.cnps_sent, b->counters.cnps_sent, c->counters.cnps_sent, error) ||
           is_uneven(a->counters.pauses, b->counters.pauses, c->counters.pauses, error) ||
           is_uneven(marked_until(a, s), marked_until(b, s), marked_until(c, s), error);
}

/* Somebody wants to know of every PFC frame, and there are some. */
static bool is_pfc_asked_for(const struct steady *d, const struct sim *s)
{
    return s->engine.hooks.pfc &&
           mark_before(d, 2)->counters.pfc_sent != mark_before(d, 0)->counters.pfc_sent;
}

/* ---- taking off ---- */

/* How long until a flow has so little left that it is not flown any further. */
static double flow_reach_ps(const struct steady *d, const struct sim *s, uint32_t i)
{
    const struct flow_mark *a = &mark_before(d, 2)->flow[i], *c = &mark_before(d, 0)->flow[i];
    const struct flow      *f = &s->flows.flow[c->flow];
    double                  rate = rate_between(a, c);
    double                  left = (double)(f->bytes - f->sent) - 2.0 * s->cfg.mtu_bytes;

    return left / rate - (double)(RTTS_AT_END * d->base_ps);
}

/* How long until something happens by the world's clock. */
static uint64_t world_reach_ps(const struct sim *s)
{
    const struct evq *q = &s->engine.evq;
    const uint32_t   *first = s->engine.first_event;
    uint64_t          at = NEVER;

    for (uint32_t i = first[EV_CHANGE]; i < first[EV_CHANGE + 1]; i++)
        if (evq_is_pending(q, i) && evq_event(q, i)->at_ps < at)
            at = evq_event(q, i)->at_ps;
    for (uint32_t i = first[EV_FLOW]; i < first[EV_KINDS]; i++)
        if (evq_is_pending(q, i) && evq_event(q, i)->at_ps < at)
            at = evq_event(q, i)->at_ps;
    return at == NEVER ? NEVER : at - s->engine.now_ps;
}

static double reach_ps(const struct steady *d, const struct sim *s, double difference)
{
    double quarter_ps = (double)(mark_before(d, 0)->at_ps - mark_before(d, 1)->at_ps);
    double reach = fmin((double)world_reach_ps(s), FAR_MAX * (double)(s->engine.now_ps - d->since_ps));

    if (difference > 0)
        reach = fmin(reach, 2 * s->cfg.fast_error * quarter_ps / difference);
    for (uint32_t i = 0; i < mark_before(d, 0)->flows; i++)
        reach = fmin(reach, flow_reach_ps(d, s, i));
    return reach;
}

/* In that time the first flow sends whole packets: flows that go in step, as a collective's do, are not off
 * by a part of one. */
static uint64_t in_packets(const struct steady *d, const struct sim *s, double reach_ps)
{
    double rate = rate_between(&mark_before(d, 2)->flow[0], &mark_before(d, 0)->flow[0]);
    double packet_ps = s->cfg.mtu_bytes / rate, packets = floor(reach_ps / packet_ps);

    return packets >= 1 ? (uint64_t)(packets * packet_ps) : (uint64_t)reach_ps;
}

/* By how much the progress of flows may be wrong: by a drift, and by half a packet of the slowest. */
static double error_of(const struct steady *d, const struct sim *s, double difference, double reach_ps)
{
    double quarter_ps = (double)(mark_before(d, 0)->at_ps - mark_before(d, 1)->at_ps), least = INFINITY;

    for (uint32_t i = 0; i < mark_before(d, 0)->flows; i++)
        least = fmin(least, reach_ps *
                            rate_between(&mark_before(d, 2)->flow[i], &mark_before(d, 0)->flow[i]));
    return difference * reach_ps / (2 * quarter_ps) + s->cfg.mtu_bytes / 2.0 / least;
}

static void take_off(struct steady *d, const struct sim *s)
{
    double difference = differs(d, s), reach;

    if (difference > s->cfg.fast_error || are_signals_uneven(d, s) || is_pfc_asked_for(d, s))
        return;
    reach = reach_ps(d, s, difference);
    if (reach < (double)d->base_ps || error_of(d, s, difference, reach) > s->cfg.fast_error)
        return;
    if (mark_before(d, 0)->flows > d->flown_max) {
        d->flown_max = mark_before(d, 0)->flows;
        d->flown = xrealloc(d->flown, d->flown_max * sizeof *d->flown);
    }
    memset(d->flown, 0, mark_before(d, 0)->flows * sizeof *d->flown);
    d->from_ps = d->at_ps = engine_world_ps(&s->engine);
    d->to_ps = d->from_ps + in_packets(d, s, reach);
    d->is_flying = true;
    d->told->flights++;
}

/* Units after which it is looked again: 2, 3, 4, 6, 8, 12 .. */
static uint32_t next_units(uint32_t units)
{
    return units & (units - 1) ? units / 3 * 4 : units / 2 * 3;
}

/* While no flow is there nothing is looked at: the next comes with an event. */
static void await_flow(struct steady *d, const struct sim *s)
{
    uint64_t next = evq_next_ps(&s->engine.evq);

    start_over(d, s, d->base_ps);
    d->due_ps = next == UINT64_MAX ? NEVER : next + d->units * d->unit_ps;
}

void steady_look(struct steady *d, struct sim *s)
{
    bool is_due = d->units >= 4 && (d->units & (d->units - 1)) == 0;

    if (s->engine.counters.flows_started == s->engine.counters.flows_done || s->flows.selective_tx ||
        s->watch.arg) {
        await_flow(d, s);
        return;
    }
    if (has_changed(d, s)) {
        start_over(d, s, d->base_ps);
        return;
    }
    take_mark(&d->mark[d->marks++ % MARKS], s);
    if (is_due && mark_before(d, 0)->is_all && mark_before(d, 0)->flows)
        take_off(d, s);
    d->units = next_units(d->units);
    d->due_ps = d->units < 1u << 24 ? d->since_ps + d->units * d->unit_ps : NEVER;
}

uint64_t steady_due_ps(const struct steady *d)
{
    return d->due_ps;
}

bool steady_is_flying(const struct steady *d)
{
    return d->is_flying;
}

/* ---- flying ---- */

/* So many bytes that a flow is further by so long after the start; whole packets, the nearest number. */
static uint64_t flown_by(const struct steady *d, const struct sim *s, uint32_t i, uint64_t ps)
{
    const struct flow_mark *a = &mark_before(d, 2)->flow[i], *c = &mark_before(d, 0)->flow[i];
    uint64_t                mtu = s->cfg.mtu_bytes;

    return (tape_share(c->acked - a->acked, ps, c->progress_ps - a->progress_ps) + mtu / 2) / mtu * mtu;
}

/* Returns by how many bytes all of them are further than before. */
static uint64_t fly_flows(struct steady *d, struct sim *s, uint64_t ps)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < mark_before(d, 0)->flows; i++) {
        struct flow *f = &s->flows.flow[mark_before(d, 0)->flow[i].flow];
        uint64_t     by = flown_by(d, s, i, ps), more = by - d->flown[i];

        assert(f->sent + more < f->bytes);
        f->sent += more;
        f->acked += more;
        f->sent_max += more;
        f->asked += more;
        d->flown[i] = by;
        sum += more;
    }
    return sum;
}

/* Advances the counters from 'was' to 'is' after the start. */
static void fly_counters(const struct steady *d, struct sim *s, uint64_t was, uint64_t is, uint64_t bytes)
{
    const struct mark *a = mark_before(d, 2), *c = mark_before(d, 0);
    uint64_t          *now = (uint64_t *)&s->engine.counters, span = c->at_ps - a->at_ps;
    const uint64_t    *from = (const uint64_t *)&a->counters, *to = (const uint64_t *)&c->counters;
    struct sim_counters kept = s->engine.counters;

    for (size_t i = COUNTERS_FIRST; i < COUNTERS; i++)
        now[i] += tape_share(to[i] - from[i], is, span) - tape_share(to[i] - from[i], was, span);
    s->engine.counters.payload_sent = kept.payload_sent + bytes;
    s->engine.counters.payload_received = kept.payload_received + bytes;
    s->engine.counters.acks_sent = kept.acks_sent + bytes / s->cfg.mtu_bytes / s->cfg.ack_every;
    s->engine.counters.data_sent = kept.data_sent + bytes / s->cfg.mtu_bytes;
    s->engine.counters.data_received = kept.data_received + bytes / s->cfg.mtu_bytes;
    d->told->events_saved += tape_share(c->counters.events - a->counters.events, is, span) -
                             tape_share(c->counters.events - a->counters.events, was, span);
}

static void fly_ports(const struct steady *d, struct sim *s, uint64_t was, uint64_t is)
{
    const struct mark *a = mark_before(d, 2), *c = mark_before(d, 0);
    uint64_t           span = c->at_ps - a->at_ps;

    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port_counters       *p = &s->net.port[i].counters;
        const struct port_counters *from = &a->port[i], *to = &c->port[i];

        for (int n = 0; n < PORT_COUNTS; n++)
            if (port_info[n].how == FIGURE_SUM)
                p->count[n] += tape_share(to->count[n] - from->count[n], is, span) -
                               tape_share(to->count[n] - from->count[n], was, span);
    }
}

/* ---- landing ---- */

static int by_flow(const void *a, const void *b)
{
    const struct flow_mark *f = a, *g = b;

    return f->flow < g->flow ? -1 : f->flow > g->flow;
}

static void move_packet(const struct steady *d, const struct sim *s, struct packet *k)
{
    const struct mark      *c = mark_before(d, 0);
    struct flow_mark        wanted = { .flow = k->flow };
    const struct flow_mark *f;

    if (k->kind != PACKET_DATA && k->kind != PACKET_ACK && k->kind != PACKET_NACK)
        return;
    f = bsearch(&wanted, c->flow, c->flows, sizeof *c->flow, by_flow);
    if (f && s->flows.flow[k->flow].generation == k->generation)
        k->seq += d->flown[f - c->flow];
}

struct landing { const struct steady *steady; const struct sim *sim; };

/* One that is on a wire. */
static void move_on_wire(void *arg, struct event *e)
{
    const struct landing *l = arg;

    if (owner_is_packet(e))
        move_packet(l->steady, l->sim, (struct packet *)e);
}

/* An event of the world's clock comes nearer. */
static void move_event(struct evq *q, uint32_t id, uint64_t by_ps)
{
    uint64_t at = evq_event(q, id)->at_ps, order = evq_event(q, id)->order;

    if (!evq_is_pending(q, id))
        return;
    evq_cancel(q, id);
    evq_add(q, id, at - by_ps, order);
}

static void land(struct steady *d, struct sim *s)
{
    const struct mark *c = mark_before(d, 0);
    const uint32_t    *first = s->engine.first_event;
    uint64_t           by_ps = d->at_ps - d->from_ps;

    d->is_flying = false;
    for (uint32_t i = 0; i < c->flows; i++)
        s->flows.rx[c->flow[i].flow].expected += d->flown[i];
    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];

        for (uint32_t q = 0; q <= PRIOS; q++)
            for (uint32_t id = p->queue[q].head; id; id = s->engine.packets.packet[id].next)
                move_packet(d, s, &s->engine.packets.packet[id]);
    }
    evq_each(&s->engine.evq, move_on_wire, &(struct landing){ d, s });
    for (uint32_t i = first[EV_CHANGE]; i < first[EV_CHANGE + 1]; i++)
        move_event(&s->engine.evq, i, by_ps);
    for (uint32_t i = first[EV_FLOW]; i < first[EV_KINDS]; i++)
        move_event(&s->engine.evq, i, by_ps);
    start_over(d, s, (s->engine.now_ps - d->since_ps) / 2);
}

void steady_fly(struct steady *d, struct sim *s, uint64_t world_ps)
{
    uint64_t to = world_ps < d->to_ps ? world_ps : d->to_ps;
    uint64_t was = d->at_ps - d->from_ps, is = to - d->from_ps;
    uint64_t bytes = fly_flows(d, s, is);

    assert(to >= d->at_ps);
    fly_counters(d, s, was, is, bytes);
    fly_ports(d, s, was, is);
    s->engine.skipped_ps += to - d->at_ps;
    d->told->steady_ps += to - d->at_ps;
    d->at_ps = to;
    if (to == d->to_ps)
        land(d, s);
}

void steady_on_change(struct steady *d, struct sim *s)
{
    if (d->is_flying)
        land(d, s);
    start_over(d, s, d->base_ps);
}
