#include "sim/skip/skip.h"
#include "base/minmax.h"
#include "sim/host/pacer.h"
#include "sim/link/path.h"
#include "sim/skip/skip_flow.h"

#include <stdlib.h>
#include <string.h>

#define LAST_PACKETS 1u          /* of a message are always sent */
#define HELD_MIN     4u          /* packets worth a hold */

/* Returns true if no packets of others wait on the path, none are lost, and no port needs every frame. */
static bool is_drained(struct skip *k, const struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 0; i < path->data.hops; i++) {
        const struct port *p = &s->net.port[path->data.port[i]];

        if (p->slow_path & PATH_SLOW & ~(SLOW_CUT | SLOW_LINK | SLOW_LEAP))
            k->stats.why_not = "switches count every frame";
        if (p->paused || p->is_lossy || p->is_down || k->stats.why_not)
            return false;
        for (uint32_t q = 0; p->is_switch && p->backlog && q < PRIOS; q++)
            if (p->queue[q].bytes > 2 * (s->cfg.mtu_bytes + s->cfg.header_bytes))
                return false;
    }
    return true;
}

static bool is_alone(struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    return sf->path.data.hops && hold_full_ps(k, s, sf) > s->engine.now_ps && is_drained(k, s, &sf->path);
}

/* Returns true if no packet in flight can be lost: there is none, or all that were in flight at the last loss
 * or link change are acknowledged. */
static bool is_whole(struct skip *k, const struct sim *s, const struct flow *f, const struct skip_flow *sf)
{
    const struct sim_counters *c = &s->engine.counters;
    uint64_t                   losses = c->payload_dropped + c->timeouts + c->nacks_sent;

    if (losses != k->losses)
        k->lost_ps = s->engine.now_ps;
    k->losses = losses;
    return f->sent >= f->sent_max && (f->sent == f->acked || !k->lost_ps ||
            s->engine.now_ps > k->lost_ps + SKIP_LOSS_RTTS * sf->path.rtt_ps);
}

static bool take_turn(struct skip *k, struct sim *s, struct flow *f)
{
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));
    uint64_t          packets = (f->bytes - f->sent + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;

    skip_follow_changes(k, s);
    if (sf->is_held) {
        hold_end(k, s, f, sf);
        sf->patience = 0;
        packets = (f->bytes - f->sent + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;
    }
    if (sf->is_checked && f->sent < sf->end_sent)
        return false;
    if (sf->is_checked)
        hold_end_check(k, s, f, sf);
    if (sf->patience > 0) {
        sf->patience--;
        return false;
    }
    if (s->engine.now_ps >= f->out.due_ps)
        s->net.host[f->host].cc->on_due(s->net.host[f->host].cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine),
                                        &f->out);
    if (sf->messages) {
        uint64_t was_bps = sf->bps;

        skip_flow_set_bps(k, s, sf, skip_flow_allowed_bps(k, s, f, f->out.rate_bps));
        if (sf->bps > was_bps)
            hold_break_all(k, s, &sf->path);
    }
    lanes_look(&k->lanes, s, &sf->path);
    sf->patience = (uint32_t)min_u64(packets - 1, SKIP_PATIENCE - 1);
    if (packets < HELD_MIN + LAST_PACKETS || !is_whole(k, s, f, sf) || !sf->messages ||
        !skip_is_allowed(k, s) || !is_alone(k, s, sf) || k->lanes.lane[sf->path.ack.port[0]].checked)
        return false;
    sf->patience = 0;
    if (hold_is_to_check(k, s, f, packets)) {
        hold_check(k, s, f, sf, packets - LAST_PACKETS);
        return false;
    }
    hold_begin(k, s, f, sf, packets - LAST_PACKETS);
    pacer_sort_in(s, &s->net.host[f->host], f);
    return true;
}

/* The flow may send. Returns true if it is held. */
static bool skip_turn(void *sim, struct flow *f)
{
    struct sim *s = sim;
    bool        was_turn = s->skip->is_turn;

    s->skip->is_turn = true;
    bool is_held = take_turn(s->skip, s, f);
    s->skip->is_turn = was_turn;
    return is_held;
}

/* ---- arrival times ---- */

/* When a frame that leaves port 'from' now arrives behind port 'to' - 1. It does not overtake a full one,
 * which port 'from' had sent at free_ps; 0: there was none. */
static uint64_t arrival_ps(const struct sim *s, const struct lane_way *w, uint32_t from, uint32_t to,
                           uint32_t bytes, uint64_t free_ps)
{
    uint32_t full = s->cfg.mtu_bytes + s->cfg.header_bytes;
    uint64_t at_ps = s->engine.now_ps, before_ps = free_ps - s->net.port[w->port[from]].tx_ps[full];
    bool     has_before = free_ps > 0;

    for (uint32_t i = from; i < to; i++) {
        const struct port *p = &s->net.port[w->port[i]];

        free_ps = before_ps + p->tx_ps[full];
        at_ps = (has_before && i > from && free_ps > at_ps ? free_ps : at_ps) + path_age(p, bytes);
        before_ps += path_age(p, full);
    }
    return at_ps;
}

/* Returns true for full packets and ACKs, whose times the path has stored. */
static bool is_usual(const struct sim *s, const struct packet *p)
{
    return p->kind == PACKET_DATA ? p->bytes == s->cfg.mtu_bytes + s->cfg.header_bytes
                                  : p->kind == PACKET_ACK && p->bytes == s->cfg.ack_bytes;
}

/* Returns when a frame of a flow arrives. Only a short one can catch up with the one before it. */
static uint64_t frame_ps(const struct sim *s, const struct skip_flow *sf, const struct lane_way *w,
                         uint32_t from, uint32_t to, const struct packet *p)
{
    if (is_usual(s, p))
        return s->engine.now_ps + w->ps[to] - w->ps[from];
    return arrival_ps(s, w, from, to, p->bytes, p->kind == PACKET_DATA ? sf->free_ps[from] : 0);
}

/* ---- permission to skip ports ---- */

/* A frame that skips ports cannot be paused on its way. So the buffer behind them must have room for twice
 * what may arrive until then. */
static bool has_room(const struct sim *s, const struct port *before, const struct packet *p, uint64_t at_ps)
{
    const struct port *in = before->peer;
    double             seconds = (double)(at_ps - s->engine.now_ps) / PS_PER_S,
                       in_flight = (double)before->rate_bps / 8 * seconds;
    int64_t            limit = in->node->shared_bytes_left >> in->shift;

    return !s->cfg.is_lossless || p->kind != PACKET_DATA ||
           (double)in->in[p->prio].bytes + in_flight < (double)limit / 2;
}

/* Returns true if the packet takes the path that was found. */
static bool is_on_path(const struct skip_flow *sf, const struct packet *p)
{
    return p->kind == PACKET_DATA ? p->src == sf->src && p->dst == sf->dst && p->ports == sf->ports
                                  : p->src == sf->dst && p->dst == sf->src &&
                                    p->ports == (sf->ports >> 16 | sf->ports << 16);
}

/* Returns true if links neither change soon nor have just changed. */
static bool is_settled(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    return s->engine.now_ps < skip_flow_change_ps(k, s, sf) &&
           (!k->changed_ps || s->engine.now_ps > k->changed_ps + SKIP_LOSS_RTTS * sf->path.rtt_ps);
}

static bool may_leap(struct skip *k, struct sim *s, const struct skip_flow *sf, const struct port *from,
                     const struct packet *p)
{
    skip_follow_changes(k, s);
    return sf->path.data.hops && is_on_path(sf, p) && skip_is_allowed(k, s) && !from->is_lossy &&
           !from->is_down && is_settled(k, s, sf);
}

/* ---- skipping ---- */

/* Counts usual frames when counters are read, others immediately. */
static void count_leap(const struct sim *s, struct skip_flow *sf, const struct lane_way *w, uint32_t from,
                       uint32_t to, const struct packet *p)
{
    int32_t *leapt = p->kind == PACKET_DATA ? sf->leapt : sf->leapt_back;

    if (sf->messages && is_usual(s, p)) {
        leapt[from]++;
        leapt[to]--;
        return;
    }
    for (uint32_t i = from; i < to; i++)
        skip_count_frames(&s->net.port[w->port[i]], p->kind, 1, p->bytes);
}

/* A frame that leaves the first port now arrives behind the last at at_ps. */
static void leap(struct sim *s, struct port *first, const struct port *last, struct packet *p, uint64_t at_ps)
{
    uint32_t number = engine_number(&s->engine, &first->node->next_number), tx_ps = first->tx_ps[p->bytes];

    first->free_at_ps = s->engine.now_ps + tx_ps;
    first->free_order = engine_order_of_age(tx_ps, number);
    p->event.at_ps = at_ps;
    p->event.order = engine_order_of_age(path_age(last, p->bytes), number + 1);
    p->event.owner = last->to;
    evq_put(&s->engine.evq, &p->event, evq_id(&s->engine.evq, p));
}

/* A packet leaves a port. Returns true if it skips others; false: it goes to the next, as usual. */
static bool leap_frame(void *sim, struct port *first, uint32_t id)
{
    struct sim            *s = sim;
    struct packet         *p = &s->engine.packets.packet[id];
    struct skip_flow      *sf = skip_flow_of(s->skip, s, p->flow);
    const struct lane_way *w = p->kind == PACKET_DATA ? &sf->path.data : &sf->path.ack;
    uint32_t               from = 0, to;

    if (p->kind == PACKET_PFC || !may_leap(s->skip, s, sf, first, p))
        return false;
    while (from < w->hops && w->port[from] != first->id)
        from++;
    for (to = from + 1; to < w->hops && !s->skip->lanes.is_full[w->port[to]]; to++)
        ;
    if (to > w->hops)
        return false;
    uint64_t at_ps = frame_ps(s, sf, w, from, to, p);
    if (p->kind == PACKET_DATA)
        sf->free_ps[from] = s->engine.now_ps + first->tx_ps[p->bytes];
    if (to == from + 1 || (to < w->hops && !has_room(s, &s->net.port[w->port[to - 1]], p, at_ps)))
        return false;
    leap(s, first, &s->net.port[w->port[to - 1]], p, at_ps);
    count_leap(s, sf, w, from, to, p);
    s->skip->stats.hops += to - from - 1;
    return true;
}

/* ---- events of flows ---- */

/* A message has been posted: its flow uses the ports of its path from now on. */
static void on_start(void *sim, const struct flow *f)
{
    struct sim       *s = sim;
    struct skip      *k = s->skip;
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));

    skip_follow_changes(k, s);
    if (!f->is_lasting) {
        sf->skipped_to = sf->messages = 0;
        memset(sf->free_ps, 0, sizeof sf->free_ps);
    }
    if (sf->messages++ > 0)
        return;
    skip_flow_find_path(s, f, sf);
    sf->bps = skip_flow_allowed_bps(k, s, f, f->out.rate_bps);
    sf->patience = 0;
    lanes_add(&k->lanes, s, &sf->path, skip_flow_id(s, f), sf->bps);
    hold_break_all(k, s, &sf->path);
    for (uint32_t i = 0; i < sf->path.ack.hops; i++)
        hold_plan_again(k, s, sf->path.ack.port[i]);
}

/* A message has arrived. */
static void on_arrival(void *sim, const struct flow *f)
{
    struct sim       *s = sim;
    struct skip      *k = s->skip;
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));

    if (!sf->messages || --sf->messages > 0)
        return;
    skip_flow_count_leaps(s, sf);
    lanes_remove(&k->lanes, s, &sf->path, skip_flow_id(s, f), sf->bps);
    if (sf->path.ack.hops)
        hold_plan_again(k, s, sf->path.ack.port[0]);
}

/* The receiver misses bytes. Those before skipped_to were skipped, not lost. */
static void on_gap(void *sim, uint32_t flow, struct flow_rx *rx, uint64_t seq)
{
    struct sim *s = sim;
    uint64_t    to = min_u64(seq, skip_flow_of(s->skip, s, flow)->skipped_to);

    if (to <= rx->expected)
        return;
    rx->unacked = (uint32_t)((rx->unacked + (to - rx->expected) / s->cfg.mtu_bytes) % s->cfg.ack_every);
    rx->expected = to;
}

static void on_signal(void *sim, struct flow *f)
{
    struct sim *s = sim;

    hold_break(s->skip, s, f, skip_flow_of(s->skip, s, skip_flow_id(s, f)));
}

static void on_pause(void *sim, const struct port *p)
{
    struct sim        *s = sim;
    const struct lane *lane = &s->skip->lanes.lane[p->id];

    s->skip->lanes.is_full[p->id] = true;
    for (uint32_t i = 0; i < lane->count; i++)
        hold_break(s->skip, s, &s->flows.flow[lane->flow[i]], &s->skip->flow[lane->flow[i]]);
}

static bool is_held(void *sim, const struct flow *f)
{
    struct sim *s = sim;

    return skip_flow_of(s->skip, s, skip_flow_id(s, f))->is_held;
}

/* ---- the world ---- */

void skip_new(struct sim *s)
{
    struct skip *k = xcalloc(1, sizeof *k);

    s->skip = k;
    k->stats.why_not = skip_why_never(s);
    if (k->stats.why_not)
        return;
    lanes_init(&k->lanes, s);
    s->hosts.at_send |= SEND_HELD;
    for (uint32_t i = 0; i < s->net.ports; i++)
        s->net.port[i].slow_path |= SLOW_LEAP;
    s->engine.leaper = (struct engine_leaper){ s, leap_frame };
    s->flow_watch = (struct flow_watcher){ s, on_start, on_arrival, skip_turn, on_gap, on_signal, on_pause,
                                           is_held };
}

void skip_free(struct sim *s)
{
    if (!s->skip)
        return;
    lanes_fini(&s->skip->lanes, s);
    free(s->skip->flow);
    free(s->skip->end_state);
    free(s->skip);
    s->skip = NULL;
}

void skip_settle(struct sim *s)
{
    for (uint32_t i = 0; s->skip && i < s->skip->flows; i++) {
        if (s->skip->flow[i].is_held)
            hold_settle(s->skip, s, &s->flows.flow[i], &s->skip->flow[i]);
        skip_flow_count_leaps(s, &s->skip->flow[i]);
    }
}

void skip_on_change(struct sim *s)
{
    for (uint32_t i = 0; s->skip && i < s->skip->flows; i++)
        hold_break(s->skip, s, &s->flows.flow[i], &s->skip->flow[i]);
}

const struct skip_stats *skip_stats(const struct sim *s)
{
    return s->skip ? &s->skip->stats : NULL;
}
