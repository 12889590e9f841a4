#include "sim/skip/leap.h"
#include "sim/link/path.h"
#include "sim/skip/skip_allowed.h"

/* ---- when it arrives ---- */

/* When a frame that leaves port 'from' now arrives behind port 'to' - 1. It does not overtake a full one,
 * which port 'from' had sent at free_ps; 0: there was none. */
static uint64_t arrival_ps(const struct sim *s, const uint32_t *port, uint32_t from, uint32_t to,
                           uint32_t bytes, uint64_t free_ps)
{
    uint32_t full = s->cfg.mtu_bytes + s->cfg.header_bytes;
    uint64_t at_ps = s->engine.now_ps, before_ps = free_ps - s->net.port[port[from]].tx_ps[full];
    bool     has_before = free_ps > 0;

    for (uint32_t i = from; i < to; i++) {
        const struct port *p = &s->net.port[port[i]];

        free_ps = before_ps + p->tx_ps[full];
        at_ps = (has_before && i > from && free_ps > at_ps ? free_ps : at_ps) + path_age(p, bytes);
        before_ps += path_age(p, full);
    }
    return at_ps;
}

/* The path has the times of frames of the usual size. */
static bool is_usual(const struct sim *s, const struct packet *p)
{
    return p->kind == PACKET_DATA ? p->bytes == s->cfg.mtu_bytes + s->cfg.header_bytes
                                  : p->kind == PACKET_ACK && p->bytes == s->cfg.ack_bytes;
}

/* When a frame of a flow arrives. Only a short one can catch up with the one before it. */
static uint64_t frame_ps(const struct sim *s, const struct skip_flow *sf, const uint32_t *port, uint32_t from,
                         uint32_t to, const struct packet *p)
{
    const uint64_t *usual_ps = p->kind == PACKET_DATA ? sf->path.port_ps : sf->path.back_ps;

    if (is_usual(s, p))
        return s->engine.now_ps + usual_ps[to] - usual_ps[from];
    return arrival_ps(s, port, from, to, p->bytes, p->kind == PACKET_DATA ? sf->free_ps[from] : 0);
}

/* ---- whether it may skip ports ---- */

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

/* The packet takes the path that was found. */
static bool is_on_path(const struct skip_flow *sf, const struct packet *p)
{
    return p->kind == PACKET_DATA ? p->src == sf->src && p->dst == sf->dst && p->ports == sf->ports
                                  : p->src == sf->dst && p->dst == sf->src &&
                                    p->ports == (sf->ports >> 16 | sf->ports << 16);
}

/* Links do not change soon, nor have they just changed. */
static bool is_settled(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    return s->engine.now_ps < skip_flow_change_ps(k, s, sf) &&
           (!k->changed_ps || s->engine.now_ps > k->changed_ps + SKIP_LOSS_RTTS * sf->path.rtt_ps);
}

static bool may_leap(struct skip *k, struct sim *s, const struct skip_flow *sf, const struct port *from,
                     const struct packet *p)
{
    skip_follow_changes(k, s);
    return sf->path.hops && is_on_path(sf, p) && skip_is_allowed(k, s) && !from->is_lossy && !from->is_down &&
           is_settled(k, s, sf);
}

/* ---- it does ---- */

/* Counts frames of the usual size when the numbers are read, others at once. */
static void count_leap(const struct sim *s, struct skip_flow *sf, const uint32_t *port, uint32_t from,
                       uint32_t to, const struct packet *p)
{
    int32_t *leapt = p->kind == PACKET_DATA ? sf->leapt : sf->leapt_back;

    if (sf->messages && is_usual(s, p)) {
        leapt[from]++;
        leapt[to]--;
        return;
    }
    for (uint32_t i = from; i < to; i++)
        skip_count_frames(&s->net.port[port[i]], p->kind, 1, p->bytes);
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

bool leap_frame(void *sim, struct port *first, uint32_t id)
{
    struct sim       *s = sim;
    struct packet    *p = &s->engine.packets.packet[id];
    struct skip_flow *sf = skip_flow_of(s->skip, s, p->flow);
    const uint32_t   *port = p->kind == PACKET_DATA ? sf->path.port : sf->path.back;
    uint32_t          hops = p->kind == PACKET_DATA ? sf->path.hops : sf->path.back_hops, from = 0, to;
    uint64_t          at_ps;

    if (p->kind == PACKET_PFC || !may_leap(s->skip, s, sf, first, p))
        return false;
    while (from < hops && port[from] != first->id)
        from++;
    for (to = from + 1; to < hops && !s->skip->lanes.is_full[port[to]]; to++)
        ;
    if (to > hops)
        return false;
    at_ps = frame_ps(s, sf, port, from, to, p);
    if (p->kind == PACKET_DATA)
        sf->free_ps[from] = s->engine.now_ps + first->tx_ps[p->bytes];
    if (to == from + 1 || (to < hops && !has_room(s, &s->net.port[port[to - 1]], p, at_ps)))
        return false;
    leap(s, first, &s->net.port[port[to - 1]], p, at_ps);
    count_leap(s, sf, port, from, to, p);
    s->skip->stats.hops += to - from - 1;
    return true;
}
