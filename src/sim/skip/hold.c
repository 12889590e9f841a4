#include "base/minmax.h"
#include "sim/nic/pacer.h"
#include "sim/nic/send.h"
#include "sim/skip/hold.h"
#include "sim/skip/leap.h"

#include <string.h>

#define HELD_MIN   4u            /* packets worth a hold */
#define STEPS_MOST 8192u         /* packets of a hold, as a hold may be planned several times */
#define STEPS_EACH 16u           /* so many packets are stepped in the time of one frame that is simulated */

/* ---- plan ---- */

static struct alone_host host_of(const struct sim *s, const struct flow *f, uint64_t other)
{
    const struct host *h = &s->net.host[f->host];

    return (struct alone_host){ &s->model, h->cc, h->cc_cfg, s->cfg.mtu_bytes + s->cfg.header_bytes,
                                h->port->rate_bps, other, UINT64_MAX };
}

uint64_t hold_crowded_ps(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    uint64_t first = skip_flow_change_ps(k, s, sf);

    for (uint32_t i = 0; i < sf->path.data.hops; i++)
        first = min_u64(first, lanes_crowded_ps(&k->lanes, s, &s->net.port[sf->path.data.hop[i].port]));
    for (uint32_t i = 0; i < sf->path.ack.hops; i++)
        first = k->lanes.lane[sf->path.ack.hop[i].port].is_crowded ? s->engine.now_ps : first;
    return first;
}

/* Returns the rate from which the flow would crowd a port. */
static uint64_t most_bps(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    uint64_t most = UINT64_MAX;

    for (uint32_t i = 0; i < sf->path.data.hops; i++)
        most = min_u64(most, lanes_room_bps(&k->lanes, &s->net.port[sf->path.data.hop[i].port], sf->bps));
    return most;
}

/* Finds when a held flow goes on. Returns the number of packets until then. */
static uint64_t plan(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    void    *state = skip_flow_end_state(k, s, skip_flow_id(s, f));
    uint64_t rate_bps;

    sf->other_bps = skip_flow_other_bps(k, &s->net.host[f->host]);
    struct alone_host h = host_of(s, f, sf->other_bps);
    h.most_bps = most_bps(k, s, sf);
    memcpy(state, flow_cc(s, f), s->flows.cc_stride);
    sf->end = sf->now;
    uint64_t until_ps = hold_crowded_ps(k, s, sf);
    uint64_t packets = alone_send(&h, &sf->end, state, sf->packets, STEPS_MOST, until_ps);
    k->has_drawn |= sf->end.at_ps >= until_ps && until_ps < skip_flow_change_ps(k, s, sf) &&
                    sf->end.out.rate_bps != sf->now.out.rate_bps;       /* others see this rate */
    k->frames += min_u64(packets, STEPS_MOST) / STEPS_EACH;
    sf->end_sent = f->sent + packets * s->cfg.mtu_bytes;
    f->next_ps = sf->end.at_ps;
    rate_bps = min_u64(max_u64(sf->now.out.rate_bps, sf->end.out.rate_bps), h.most_bps);
    skip_flow_set_bps(k, s, sf, skip_flow_allowed_bps(k, s, f, rate_bps));
    return packets;
}

bool hold_begin(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf, uint64_t packets)
{
    uint64_t next_ps = f->next_ps, bps = sf->bps;

    sf->now = (struct alone){ f->out, s->engine.now_ps, s->engine.now_ps, f->gap_rate_bps, s->engine.now_ps };
    sf->packets = packets;
    lanes_hold(&k->lanes, s, &sf->path);
    if (plan(k, s, f, sf) < HELD_MIN) {
        lanes_unhold(&k->lanes, &sf->path);
        skip_flow_set_bps(k, s, sf, bps);
        f->next_ps = next_ps;
        return false;
    }
    sf->is_held = true;
    skip_flow_unsettle(k, sf);
    lanes_list(&k->lanes, &sf->path, skip_flow_id(s, f));
    sf->from = f->sent;
    f->out.due_ps = NEVER;       /* its control has run ahead */
    k->stats.holds++;
    return true;
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
    if (acks && s->engine.rtt_ps_peak < sf->path.rtt_ps)
        s->engine.rtt_ps_peak = sf->path.rtt_ps;
    for (uint32_t i = 0; i < sf->path.data.hops; i++)
        skip_count_frames(&s->net.port[sf->path.data.hop[i].port], CLASS_DATA, packets, full);
    for (uint32_t i = 0; i < sf->path.ack.hops; i++)
        skip_count_frames(&s->net.port[sf->path.ack.hop[i].port], CLASS_ACK, acks, s->cfg.ack_bytes);
    k->stats.packets += packets;
    k->stats.hops += packets * sf->path.data.hops + acks * sf->path.ack.hops;
}

void hold_settle(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    struct alone_host h = host_of(s, f, sf->other_bps);
    uint64_t          packets = (sf->end_sent - f->sent) / s->cfg.mtu_bytes;

    if (s->engine.now_ps < sf->end.at_ps) {
        count(k, s, f, sf, alone_send(&h, &sf->now, flow_cc(s, f), packets, UINT64_MAX, s->engine.now_ps));
        return;
    }
    memcpy(flow_cc(s, f), skip_flow_end_state(k, s, skip_flow_id(s, f)), s->flows.cc_stride);
    sf->now = sf->end;
    count(k, s, f, sf, packets);
}

/* ---- end ---- */

/* Finds when ports have sent the last packet that was skipped, and the last ACK for such packets. */
static void occupy_path(struct skip *k, struct sim *s, const struct flow *f, struct skip_flow *sf)
{
    uint32_t full = s->cfg.mtu_bytes + s->cfg.header_bytes;
    uint64_t sent_ps = sf->now.free_ps - s->net.host[f->host].port->tx_ps[full],
             arrives_ps = leap_ps(k, s, &sf->path.data, 0, sf->path.data.hops, f->sent, full, sent_ps),
             before_ps = sf->unacked * (sf->now.at_ps - sf->now.seen_ps);

    if (before_ps < arrives_ps - sent_ps)
        leap_ps(k, s, &sf->path.ack, 0, sf->path.ack.hops, f->sent, s->cfg.ack_bytes, arrives_ps - before_ps);
}

void hold_end(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    hold_settle(k, s, f, sf);
    sf->is_held = false;
    lanes_unlist(&k->lanes, &sf->path, skip_flow_id(s, f));
    sf->rate_bps = 0;            /* counted anew before it sends */
    if (f->sent > sf->from)
        occupy_path(k, s, f, sf);
    sf->marks = lanes_release(&k->lanes, s, &sf->path);
    k->has_drawn |= sf->marks != NULL;
    f->out = sf->now.out;
    f->next_ps = sf->now.at_ps;
    f->gap_rate_bps = sf->now.gap_rate_bps;
    f->gap_bytes = 0;
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

/* Ends holds at a port if it is crowded now. */
static void break_at_port(struct skip *k, struct sim *s, uint32_t port)
{
    const struct lane *lane = &k->lanes.lane[port];

    for (uint32_t i = lane->held_all; i-- > 0;)
        if (i < lane->held_all && lanes_crowded_ps(&k->lanes, s, &s->net.port[port]) <= s->engine.now_ps)
            hold_break(k, s, &s->flows.flow[lane->held[i]], &k->flow[lane->held[i]]);
}

void hold_break_all(struct skip *k, struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 0; i < path->data.hops; i++)
        break_at_port(k, s, path->data.hop[i].port);
    for (uint32_t i = 0; i < path->ack.hops; i++)
        break_at_port(k, s, path->ack.hop[i].port);
}

/* ---- changed rates of ACKs ---- */

void hold_plan_again(struct skip *k, struct sim *s, uint32_t port)
{
    const struct lane *lane = &k->lanes.lane[port];

    for (uint32_t i = lane->held_data; i-- > 0;) {
        if (i >= lane->held_data)
            continue;            /* holds have ended meanwhile */
        struct flow      *f = &s->flows.flow[lane->held[i]];
        struct skip_flow *sf = &k->flow[lane->held[i]];
        struct host      *h = &s->net.host[f->host];

        hold_settle(k, s, f, sf);
        plan(k, s, f, sf);
        pacer_sort_in(s, h, f);
        send_kick(s, h, h->port);
    }
}
