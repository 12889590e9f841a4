#include "sim/skip/skip_flow.h"
#include "base/minmax.h"
#include "sim/host/pacer.h"
#include "sim/host/send.h"

#include <math.h>
#include <string.h>

#define CHECK_EVERY 200u         /* one hold in this many, by hash, is simulated to measure the error, .. */
#define CHECK_SHARE 1000u        /* .. up to CHECK_MIN packets and one in this many skipped packets */
#define CHECK_MIN   100000u

static struct alone_host host_of(const struct sim *s, const struct flow *f, uint64_t other)
{
    const struct host *h = &s->net.host[f->host];

    return (struct alone_host){ &s->model, h->cc, h->cc_cfg, s->cfg.mtu_bytes + s->cfg.header_bytes,
                                h->port->rate_bps, other, UINT64_MAX };
}

/* ---- begin ---- */

uint64_t hold_full_ps(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    uint64_t first = skip_flow_change_ps(k, s, sf);

    for (uint32_t i = 0; i < sf->path.data.hops; i++)
        first = min_u64(first, lanes_full_ps(&k->lanes, s, &s->net.port[sf->path.data.port[i]]));
    return first;
}

/* Returns the rate at which the first shared port would be full. */
static uint64_t most_bps(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    uint64_t most = UINT64_MAX;

    for (uint32_t i = 0; i < sf->path.data.hops; i++)
        most = min_u64(most, lanes_room_bps(&k->lanes, &s->net.port[sf->path.data.port[i]], sf->bps));
    return most;
}

/* Finds when a held flow goes on. */
static void plan(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    void    *state = skip_flow_end_state(k, s, skip_flow_id(s, f));
    uint64_t rate_bps;

    sf->other_bps = skip_flow_other_bps(k, &s->net.host[f->host]);
    struct alone_host h = host_of(s, f, sf->other_bps);
    h.most_bps = most_bps(k, s, sf);
    memcpy(state, flow_cc(s, f), s->flows.cc_stride);
    sf->end = sf->now;
    uint64_t packets = alone_send(&h, &sf->end, state, sf->packets, hold_full_ps(k, s, sf));
    sf->end_sent = f->sent + packets * s->cfg.mtu_bytes;
    f->next_ps = sf->end.at_ps;
    rate_bps = sf->now.out.rate_bps > sf->end.out.rate_bps ? sf->now.out.rate_bps : sf->end.out.rate_bps;
    skip_flow_set_bps(k, s, sf, skip_flow_allowed_bps(k, s, f, rate_bps));
}

void hold_begin(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf, uint64_t packets)
{
    sf->is_held = true;
    sf->now = (struct alone){ f->out, s->engine.now_ps, s->engine.now_ps, f->gap_rate_bps, s->engine.now_ps };
    sf->packets = packets;
    k->held += packets;
    f->out.due_ps = NEVER;       /* its control has run ahead */
    plan(k, s, f, sf);
    k->stats.holds++;
}

/* ---- progress ---- */

static void count(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf, uint64_t packets)
{
    struct sim_counters *c = &s->engine.counters;
    uint32_t             full = s->cfg.mtu_bytes + s->cfg.header_bytes;
    uint64_t             bytes = packets * s->cfg.mtu_bytes,
                         acks = (sf->unacked + packets) / s->cfg.ack_every;

    sf->unacked = (uint32_t)((sf->unacked + packets) % s->cfg.ack_every);
    sf->packets -= packets;
    f->sent += bytes;
    sf->skipped_to = f->sent;
    if (!f->is_lasting || f->end == f->bytes)
        f->acked = f->sent;      /* otherwise an older message is still to be acknowledged */
    f->sent_max = f->sent > f->sent_max ? f->sent : f->sent_max;
    f->progress_ps = s->engine.now_ps;
    c->data_sent += packets;
    c->data_received += packets;
    c->payload_sent += bytes;
    c->payload_received += bytes;
    c->acks_sent += acks;
    c->rtt_samples += acks;
    c->rtt_ps_sum += acks * sf->path.rtt_ps;
    for (uint32_t i = 0; i < sf->path.data.hops; i++)
        skip_count_frames(&s->net.port[sf->path.data.port[i]], PACKET_DATA, packets, full);
    for (uint32_t i = 0; i < sf->path.ack.hops; i++)
        skip_count_frames(&s->net.port[sf->path.ack.port[i]], PACKET_ACK, acks, s->cfg.ack_bytes);
    k->stats.packets += packets;
    k->stats.hops += packets * sf->path.data.hops + acks * sf->path.ack.hops;
}

void hold_settle(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    struct alone_host h = host_of(s, f, sf->other_bps);
    uint64_t          packets = (sf->end_sent - f->sent) / s->cfg.mtu_bytes;

    if (s->engine.now_ps < sf->end.at_ps) {
        count(k, s, f, sf, alone_send(&h, &sf->now, flow_cc(s, f), packets, s->engine.now_ps));
        return;
    }
    memcpy(flow_cc(s, f), skip_flow_end_state(k, s, skip_flow_id(s, f)), s->flows.cc_stride);
    sf->now = sf->end;
    count(k, s, f, sf, packets);
}

/* ---- end ---- */

void hold_end(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    hold_settle(k, s, f, sf);
    sf->is_held = false;
    sf->free_ps[0] = sf->now.free_ps;
    f->out = sf->now.out;
    f->next_ps = sf->now.at_ps;
    f->gap_rate_bps = sf->now.gap_rate_bps;
    f->gap_bytes = 0;
}

static void end_checking(struct skip *k, const struct sim *s, const struct flow *f, struct skip_flow *sf)
{
    if (sf->is_checked)
        k->lanes.lane[s->net.host[f->host].port->id].checked--;
    sf->is_checked = false;
}

/* At line rate a flow waits for its port, not for its pacer: its last packet is still leaving. */
static void occupy_port(struct sim *s, struct host *h, struct flow *f)
{
    struct port *p = h->port;
    uint32_t     tx_ps = p->tx_ps[s->cfg.mtu_bytes + s->cfg.header_bytes];

    if (f->out.rate_bps < p->rate_bps || f->next_ps <= s->engine.now_ps || p->free.next != EVQ_IDLE ||
        port_is_busy(p, s->engine.now_ps, s->engine.order))
        return;
    p->free_at_ps = f->next_ps;
    p->free_order = engine_order_of_age(tx_ps, engine_number(&s->engine, &p->node->next_number));
    f->next_ps = s->engine.now_ps;
}

void hold_break(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    struct host *h = &s->net.host[f->host];

    end_checking(k, s, f, sf);
    if (!sf->is_held)
        return;
    hold_end(k, s, f, sf);
    sf->patience = SKIP_PATIENCE;
    k->stats.breaks++;
    if (k->is_turn) {            /* at the next instant at the earliest */
        f->next_ps = f->next_ps > s->engine.now_ps ? f->next_ps : s->engine.now_ps + 1;
        pacer_sort_in(s, h, f);
        pacer_await(s, h, s->engine.now_ps);
        return;
    }
    occupy_port(s, h, f);
    pacer_sort_in(s, h, f);
    send_kick(s, h, h->port);
}

/* Ends holds at a port if it is full now. */
static void break_at_port(struct skip *k, struct sim *s, uint32_t port)
{
    const struct lane *lane = &k->lanes.lane[port];

    for (uint32_t i = 0; i < lane->count; i++) {
        struct skip_flow *sf = &k->flow[lane->flow[i]];

        if ((sf->is_held || sf->is_checked) &&
            lanes_full_ps(&k->lanes, s, &s->net.port[port]) <= s->engine.now_ps)
            hold_break(k, s, &s->flows.flow[lane->flow[i]], sf);
    }
}

void hold_break_all(struct skip *k, struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 0; i < path->data.hops; i++)
        break_at_port(k, s, path->data.port[i]);
}

/* ---- checks: holds that are simulated as well ---- */

/* Hashes values that do not depend on when reports are read. */
bool hold_is_to_check(const struct skip *k, const struct sim *s, const struct flow *f, uint64_t packets)
{
    uint64_t h = (uint64_t)f->src << 32 ^ f->dst ^ (f->sent + s->cfg.seed) * 0x9e3779b97f4a7c15ull ^
                 f->start_ps * 0x94d049bb133111ebull;

    h ^= h >> 31;
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    return h % CHECK_EVERY == 0 && k->checked + packets < CHECK_MIN + k->held / CHECK_SHARE;
}

void hold_check(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf, uint64_t packets)
{
    const struct port *p = s->net.host[f->host].port;
    const struct lane *in = &k->lanes.lane[p->peer->id];

    sf->is_checked = true;
    k->checked += packets;
    k->lanes.lane[p->id].checked++;
    for (uint32_t i = 0; i < in->count; i++)
        hold_break(k, s, &s->flows.flow[in->flow[i]], &k->flow[in->flow[i]]);
    sf->from_ps = s->engine.now_ps;
    sf->now = (struct alone){ f->out, s->engine.now_ps, s->engine.now_ps, f->gap_rate_bps, s->engine.now_ps };
    sf->other_bps = skip_flow_other_bps(k, &s->net.host[f->host]);
    sf->packets = packets;
    sf->end_sent = f->sent + packets * s->cfg.mtu_bytes;
    memcpy(skip_flow_end_state(k, s, skip_flow_id(s, f)), flow_cc(s, f), s->flows.cc_stride);
}

/* Advances the held copy to until_ps. */
static void advance_check(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf,
                          uint64_t until_ps)
{
    struct alone_host h = host_of(s, f, sf->other_bps);
    void             *state = skip_flow_end_state(k, s, skip_flow_id(s, f));

    sf->packets -= alone_send(&h, &sf->now, state, sf->packets, until_ps);
    sf->other_bps = skip_flow_other_bps(k, &s->net.host[f->host]);
}

void hold_end_check(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    struct skip_stats *t = &k->stats;
    double             took_ps = (double)(s->engine.now_ps - sf->from_ps);

    end_checking(k, s, f, sf);
    advance_check(k, s, f, sf, NEVER);
    double off = ((double)s->engine.now_ps - (double)sf->now.at_ps) / took_ps;
    t->checks++;
    t->checked_ps += took_ps;
    k->off_ps += off * took_ps;
    k->off_squares += off * off * took_ps;
    t->off_mean = k->off_ps / t->checked_ps;
    t->off_rms = sqrt(k->off_squares / t->checked_ps);
}

/* ---- changed rates of ACKs ---- */

void hold_plan_again(struct skip *k, struct sim *s, uint32_t port)
{
    const struct lane *lane = &k->lanes.lane[port];

    for (uint32_t i = 0; i < lane->count; i++) {
        struct flow      *f = &s->flows.flow[lane->flow[i]];
        struct skip_flow *sf = &k->flow[lane->flow[i]];
        struct host      *h = &s->net.host[f->host];

        if (sf->is_checked)
            advance_check(k, s, f, sf, s->engine.now_ps);
        if (!sf->is_held)
            continue;
        hold_settle(k, s, f, sf);
        plan(k, s, f, sf);
        pacer_sort_in(s, h, f);
        send_kick(s, h, h->port);
    }
}
