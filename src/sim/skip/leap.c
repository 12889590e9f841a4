/* src/sim/skip/leap.c - frames that skip ports where nothing waits.
 *
 * A frame that leaves a port arrives behind the last port before the next one where it must stop: a crowded
 * port, a port with a backlog, or one that an earlier frame of the same flow has not left. So no frame
 * overtakes another of its flow.
 */
#include "base/minmax.h"
#include "sim/link/path.h"
#include "sim/skip/leap.h"

/* A frame that would leave a port at at_ps waits for those that skip the port then. */
static uint64_t pass(struct lane *a, uint64_t at_ps, uint32_t tx_ps)
{
    if (at_ps >= a->from_ps && at_ps < a->to_ps)
        at_ps = a->to_ps;
    if (at_ps > a->to_ps)
        a->from_ps = at_ps;
    if (at_ps >= a->to_ps)
        a->to_ps = at_ps + tx_ps;
    return at_ps;
}

uint64_t leap_ps(const struct skip *k, const struct sim *s, struct lane_way *w, uint32_t from, uint32_t to,
                 uint64_t seq, uint32_t bytes, uint64_t at_ps)
{
    for (uint32_t i = from; i < to; i++) {
        struct lane_hop   *hop = &w->hop[i];
        const struct port *p = &s->net.port[hop->port];
        bool               is_next = seq >= hop->seq;    /* otherwise held packets follow it */

        if (i > from)
            at_ps = max_u64(at_ps + lanes_wait_ps(&k->lanes, s, p), p->free_at_ps);
        if (is_next && (i > from || from == 0))
            at_ps = max_u64(at_ps, hop->free_ps);
        if (i > from)
            at_ps = pass(&k->lanes.lane[hop->port], at_ps, p->tx_ps[bytes]);
        if (is_next && (i > from || from == 0))
            hop->free_ps = at_ps + p->tx_ps[bytes];
        if (is_next)
            hop->seq = seq;
        at_ps += path_age(p, bytes);
    }
    return at_ps;
}

/* Full packets and ACKs. */
static bool is_usual(const struct sim *s, const struct packet *p)
{
    return packet_class(p) == CLASS_DATA ? p->bytes == s->cfg.mtu_bytes + s->cfg.header_bytes
                                         : packet_class(p) == CLASS_ACK && p->bytes == s->cfg.ack_bytes;
}

/* A frame that skips ports cannot be paused on its way. So the buffer behind them must have room for twice
 * what may arrive until then. */
static bool has_room(const struct sim *s, const struct port *before, const struct packet *p,
                     uint64_t after_ps)
{
    const struct port *in = before->peer;
    double             in_flight = (double)before->rate_bps / 8 * (double)after_ps / PS_PER_S;
    int64_t            limit = in->node->shared_bytes_left >> in->shift;

    return !s->cfg.is_lossless || packet_class(p) != CLASS_DATA ||
           (double)in->in[p->prio].bytes + in_flight < (double)limit / 2;
}

/* Returns true for data and ACKs of the flow's current message that take the path that was found, and were
 * not in flight when that was. Other frames go from port to port. */
static bool is_tracked(const struct skip_flow *sf, const struct packet *p)
{
    uint64_t seq = p->seq & SEQ_BITS;

    if (p->generation != sf->generation)
        return false;
    if (packet_class(p) == CLASS_DATA)
        return seq >= sf->untracked && p->src == sf->src && p->ports == sf->ports;
    return packet_class(p) == CLASS_ACK && seq > sf->untracked && p->src == sf->dst &&
           p->ports == (sf->ports >> 16 | sf->ports << 16);
}

/* Returns the port at which the frame must stop; the number of ports: none. */
static uint32_t next_stop(struct skip *k, const struct sim *s, const struct skip_flow *sf,
                          const struct lane_way *w, uint32_t from, const struct packet *p)
{
    uint32_t to = from + 1;

    if (skip_is_resting(k) || (sf->untracked && s->flows.flow[p->flow].acked < sf->untracked) ||
        (s->cfg.changes && s->engine.now_ps >= skip_flow_change_ps(k, s, sf)))
        return to;
    while (to < w->hops && !w->hop[to].waiting &&
           !lanes_must_stop(&k->lanes, &s->net.port[w->hop[to].port]))
        to++;
    if (to > from + 1 && to < w->hops &&
        !has_room(s, &s->net.port[w->hop[to - 1].port], p, w->hop[to].ps - w->hop[from].ps))
        return from + 1;
    return to;
}

/* Counts usual frames when counters are read, others immediately. */
static void count(const struct sim *s, struct skip_flow *sf, struct lane_way *w, uint32_t from, uint32_t to,
                  const struct packet *p)
{
    if (sf->is_joined && is_usual(s, p)) {
        skip_flow_unsettle(s->skip, sf);
        w->hop[from].leapt++;
        if (to < w->hops)
            w->hop[to].leapt--;
        return;
    }
    for (uint32_t i = from; i < to; i++)
        skip_count_frames(&s->net.port[w->hop[i].port], packet_class(p), 1, p->bytes);
}

/* A frame that leaves the first port until free_ps, if that is later than usual, arrives behind the last at
 * at_ps. */
static void leap(struct sim *s, struct port *first, uint64_t free_ps, const struct port *last,
                 struct packet *p, uint64_t at_ps)
{
    uint32_t number = engine_number(&s->engine, &first->node->next_number);

    first->free_at_ps = max_u64(s->engine.now_ps + first->tx_ps[p->bytes], free_ps);
    first->free_order = engine_order_of_age((uint32_t)(first->free_at_ps - s->engine.now_ps), number);
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
    struct lane_way  *w = packet_class(p) == CLASS_DATA ? &sf->path.data : &sf->path.ack;
    uint32_t          from = 0;

    s->skip->frames++;
    if (s->cfg.changes)
        skip_follow_changes(s->skip, s);
    if (!is_tracked(sf, p))
        return false;
    while (from < w->hops && w->hop[from].port != first->id)
        from++;
    if (from >= w->hops)
        return false;
    w->hop[from].waiting -= from > 0 && w->hop[from].waiting > 0;
    if (sf->marks && packet_class(p) == CLASS_DATA && from == 0) {
        p->flags |= PACKET_ECN;
        sf->marks->counters.marked_packets++;
        sf->marks = NULL;
    }
    bool     is_safe = !(first->slow_path & SLOW_LINK && (first->is_lossy || first->is_down));
    uint32_t to = is_safe ? next_stop(s->skip, s, sf, w, from, p) : from + 1;
    uint64_t seq = p->seq & SEQ_BITS;
    uint64_t at_ps = leap_ps(s->skip, s, w, from, to, seq, p->bytes, s->engine.now_ps);
    bool     is_late = false;
    if (to < w->hops) {
        struct lane_hop *stop = &w->hop[to];

        stop->waiting++;
        is_late = is_safe && seq >= stop->seq && stop->free_ps > at_ps;
        if (is_late)
            at_ps = stop->free_ps++;     /* the next frame arrives later, whatever their sizes */
        stop->queued_ps = max_u64(stop->queued_ps, at_ps) + s->net.port[stop->port].tx_ps[p->bytes];
    }
    if (to == from + 1 && !is_late)
        return false;
    leap(s, first, seq >= w->hop[from].seq ? w->hop[from].free_ps : 0, &s->net.port[w->hop[to - 1].port], p,
         at_ps);
    count(s, sf, w, from, to, p);
    s->skip->stats.hops += to - from - 1;
    return true;
}
