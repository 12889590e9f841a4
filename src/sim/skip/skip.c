#include "sim/skip/skip.h"
#include "base/minmax.h"
#include "sim/host/pacer.h"
#include "sim/host/send.h"
#include "sim/link/path.h"
#include "sim/skip/alone.h"
#include "sim/skip/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAST_PACKETS 1u          /* of a message are always sent */
#define HELD_MIN     4u          /* packets worth a hold */
#define CHANGE_RTTS  4u          /* before links change, no flow is held */
#define LOSS_RTTS    4u          /* after packets were lost, nor is a flow with packets under way */
#define PATIENCE     32u         /* packets until a flow looks again whether it is alone */
#define CHECK_EVERY  200u        /* holds, by hash: one of them is simulated to measure the error, */
#define CHECK_SHARE  1000u       /* but not more than one in so many packets that are skipped, */
#define CHECK_MIN    100000u     /* and so many packets */

struct way {                     /* of a flow */
    struct lane_path path;
    uint32_t         ports;      /* of the flow when its path was found, and its ends */
    uint32_t         src, dst;
    uint64_t         bps;        /* as counted in the lanes */
    uint32_t         messages;   /* posted, and not arrived; 0: not in the lanes */
    uint32_t         patience;
    bool             is_held;
    bool             is_checked; /* not held, to compare: its packets are simulated until end_sent */
    struct alone     now, end;   /* held: after what is counted; when it goes on */
    uint64_t         other_bps;  /* of others at its host's port, since then */
    uint64_t         packets;    /* at most, of those it has left */
    uint64_t         end_sent, from_ps;
    uint64_t         skipped_to;         /* first byte after those that its sender has skipped */
    uint64_t         free_ps[LANE_HOPS_MAX];     /* when each port has sent the last packet that left it; 0: none */
    int32_t          leapt[LANE_HOPS_MAX + 1], leapt_back[LANE_HOPS_MAX + 1];    /* full packets and ACKs that
                                  * skipped ports and are to be counted: by which more leave a port than the
                                  * one before */
    uint32_t         unacked;    /* packets of them that no counted ACK is for */
};

struct skip {
    struct skip_told told;
    struct lanes     lanes;
    struct way      *way;        /* by flow */
    char            *end_state;  /* of congestion control, when a held flow goes on; by flow */
    uint32_t         ways;
    double           off_ps, off_squares;    /* sums for told */
    bool             is_turn;    /* a host is about to send: no other may, nor may it twice */
    uint64_t         held, checked;      /* packets of messages that were held, and that were checked */
    uint64_t         losses, lost_ps;    /* so far in the whole world; when a flow last saw more of them; 0: never */
    uint32_t         epoch;      /* of the routes by which paths were found: see sim/change.h */
    uint64_t         changed_ps; /* when they were found because links had changed; 0: never */
};

/* ---- conditions ---- */

static const char *why_not_ever(const struct sim *s)
{
    if (s->cfg.model != MODEL_NIC)
        return "only model nic can skip packets";
    if (s->flows.tcp_tx)
        return "TCP fills its window by what comes back";
    if (s->flows.selective_tx)
        return "selective repeat keeps account of every packet";
    if (s->cfg.window_bytes || s->hosts.has_held)
        return "a window waits for every acknowledgement";
    if (s->lb.choose || s->lb.weave || s->spray.kind)
        return "this balancer chooses paths by packet";
    if (s->cfg.drain_bps)
        return "slow receivers count every packet";
    if (s->cfg.ecn_cell_bytes || s->cfg.ecn_lag_ps)
        return "'ecn_cell' and 'ecn_lag' follow every packet";
    if (s->hosts.at_send & (SEND_HF2T | SEND_GAPS | SEND_PROBES | SEND_UET | SEND_FIFO))
        return "HF2T, 'record_gaps', 'tx_fifo' and RTT probes look at every packet";
    for (uint32_t i = 0; i < s->net.hosts; i++)
        if (s->net.host[i].cc->on_ack || s->net.host[i].cc->on_rtt)
            return "its congestion control looks at every acknowledgement";
    return NULL;
}

/* From then on every packet is simulated: what is in the way of one flow cannot be told by its ports. */
static const char *why_no_more(const struct sim *s)
{
    if (s->watch.arg)
        return "a monitor sees every packet";
    if (s->engine.tap.arg)
        return "every frame is recorded";
    if (s->hosts.hf2t && s->hosts.at_send & SEND_HF2T)
        return "HF2T holds single packets";
    if (s->hosts.after_send & SENT_VERB)
        return "SENDs and datagrams are followed packet by packet";
    return NULL;
}

static bool is_allowed(struct skip *k, const struct sim *s)
{
    if (!k->told.why_not)
        k->told.why_not = why_no_more(s);
    return !k->told.why_not;
}

/* ---- flows ---- */

static uint32_t id_of(const struct sim *s, const struct flow *f)
{
    return (uint32_t)(f - s->flows.flow);
}

static void *end_state(const struct skip *k, const struct sim *s, uint32_t id)
{
    return k->end_state + (size_t)id * s->flows.cc_stride;
}

static struct way *way_of(struct skip *k, const struct sim *s, uint32_t id)
{
    if (id >= k->ways) {
        uint32_t was = k->ways;

        k->ways = 2 * id + 64;
        k->way = xrealloc(k->way, k->ways * sizeof *k->way);
        k->end_state = xrealloc(k->end_state, k->ways * s->flows.cc_stride + 1);
        memset(k->way + was, 0, (k->ways - was) * sizeof *k->way);
    }
    return &k->way[id];
}

/* What others send by a host's port. */
static uint64_t other_bps(const struct skip *k, const struct host *h)
{
    return min_u64(k->lanes.lane[h->port->id].ack_bps, h->port->rate_bps / 2);
}

static struct alone_host host_of(const struct sim *s, const struct flow *f, uint64_t other)
{
    const struct host *h = &s->net.host[f->host];

    return (struct alone_host){ &s->model, h->cc, h->cc_cfg, s->cfg.mtu_bytes + s->cfg.header_bytes,
                                h->port->rate_bps, other, UINT64_MAX };
}

/* What a flow sends at a rate, as its port allows. */
static uint64_t allowed_bps(const struct skip *k, const struct sim *s, const struct flow *f,
                            uint64_t rate_bps)
{
    const struct host *h = &s->net.host[f->host];

    return min_u64(rate_bps, h->port->rate_bps - other_bps(k, h));
}

static void set_bps(struct skip *k, const struct sim *s, struct way *w, uint64_t bps)
{
    lanes_change(&k->lanes, s, &w->path, w->bps, bps);
    w->bps = bps;
}

/* ---- counting what was not sent ---- */

static void count_frames(struct port *p, uint32_t kind, uint64_t frames, uint32_t bytes)
{
    p->counters.tx_packets[kind] += frames;
    p->counters.tx_bytes += frames * bytes;
}

static void count_leapt(struct sim *s, const uint32_t *port, uint32_t hops, int32_t *leapt, uint32_t kind,
                        uint32_t bytes)
{
    int32_t frames = 0;

    for (uint32_t i = 0; i < hops; i++) {
        frames += leapt[i];
        count_frames(&s->net.port[port[i]], kind, (uint64_t)frames, bytes);
    }
    memset(leapt, 0, (hops + 1) * sizeof *leapt);
}

/* Counts frames of a flow that have skipped ports. */
static void count_leaps(struct sim *s, struct way *w)
{
    count_leapt(s, w->path.port, w->path.hops, w->leapt, PACKET_DATA, s->cfg.mtu_bytes + s->cfg.header_bytes);
    count_leapt(s, w->path.back, w->path.hops ? w->path.back_hops : 0, w->leapt_back, PACKET_ACK,
                s->cfg.ack_bytes);
}

static void count(struct skip *k, struct sim *s, struct flow *f, struct way *w, uint64_t packets)
{
    struct sim_counters *c = &s->engine.counters;
    uint32_t             full = s->cfg.mtu_bytes + s->cfg.header_bytes;
    uint64_t             bytes = packets * s->cfg.mtu_bytes, acks = (w->unacked + packets) / s->cfg.ack_every;

    w->unacked = (uint32_t)((w->unacked + packets) % s->cfg.ack_every);
    w->packets -= packets;
    f->sent += bytes;
    w->skipped_to = f->sent;
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
    c->rtt_ps_sum += acks * w->path.rtt_ps;
    for (uint32_t i = 0; i < w->path.hops; i++)
        count_frames(&s->net.port[w->path.port[i]], PACKET_DATA, packets, full);
    for (uint32_t i = 0; i < w->path.back_hops; i++)
        count_frames(&s->net.port[w->path.back[i]], PACKET_ACK, acks, s->cfg.ack_bytes);
    k->told.packets += packets;
    k->told.hops += packets * w->path.hops + acks * w->path.back_hops;
}

/* A held flow has sent what it would have until now; it stays held. */
static void settle(struct skip *k, struct sim *s, struct flow *f, struct way *w)
{
    struct alone_host h = host_of(s, f, w->other_bps);
    uint64_t          packets = (w->end_sent - f->sent) / s->cfg.mtu_bytes;

    if (s->engine.now_ps < w->end.at_ps) {
        count(k, s, f, w, alone_send(&h, &w->now, flow_cc(s, f), packets, s->engine.now_ps));
        return;
    }
    memcpy(flow_cc(s, f), end_state(k, s, id_of(s, f)), s->flows.cc_stride);
    w->now = w->end;
    count(k, s, f, w, packets);
}

/* ---- holding ---- */

/* When flows must be simulated because links change: packets in flight may be lost then. */
static uint64_t change_ps(const struct skip *k, const struct sim *s, const struct way *w)
{
    uint64_t at_ps = s->cfg.changes ? s->net.epoch_ps[k->epoch] : NEVER, before_ps = CHANGE_RTTS * w->path.rtt_ps;

    return at_ps == NEVER ? NEVER : at_ps > before_ps ? at_ps - before_ps : 0;
}

/* When the first port on its way will be full, or links change. */
static uint64_t full_ps(const struct skip *k, const struct sim *s, const struct way *w)
{
    uint64_t first = change_ps(k, s, w);

    for (uint32_t i = 0; i < w->path.hops; i++)
        first = min_u64(first, lanes_full_ps(&k->lanes, s, &s->net.port[w->path.port[i]]));
    return first;
}

/* The rate at which the first port that it shares would be full. */
static uint64_t most_bps(const struct skip *k, const struct sim *s, const struct way *w)
{
    uint64_t most = UINT64_MAX;

    for (uint32_t i = 0; i < w->path.hops; i++)
        most = min_u64(most, lanes_room_bps(&k->lanes, &s->net.port[w->path.port[i]], w->bps));
    return most;
}

/* Finds when a held flow goes on. */
static void plan(struct skip *k, struct sim *s, struct flow *f, struct way *w)
{
    struct alone_host h;
    void             *state = end_state(k, s, id_of(s, f));
    uint64_t          packets;

    w->other_bps = other_bps(k, &s->net.host[f->host]);
    h = host_of(s, f, w->other_bps);
    h.most_bps = most_bps(k, s, w);
    memcpy(state, flow_cc(s, f), s->flows.cc_stride);
    w->end = w->now;
    packets = alone_send(&h, &w->end, state, w->packets, full_ps(k, s, w));
    w->end_sent = f->sent + packets * s->cfg.mtu_bytes;
    f->next_ps = w->end.at_ps;
    set_bps(k, s, w, allowed_bps(k, s, f, w->now.out.rate_bps > w->end.out.rate_bps ? w->now.out.rate_bps
                                                                                      : w->end.out.rate_bps));
}

static void hold(struct skip *k, struct sim *s, struct flow *f, struct way *w, uint64_t packets)
{
    w->is_held = true;
    w->now = (struct alone){ f->out, s->engine.now_ps, s->engine.now_ps, f->gap_rate_bps, s->engine.now_ps };
    w->packets = packets;
    k->held += packets;
    f->out.due_ps = NEVER;       /* its control has run ahead */
    plan(k, s, f, w);
    k->told.holds++;
}

static void release(struct skip *k, struct sim *s, struct flow *f, struct way *w)
{
    settle(k, s, f, w);
    w->is_held = false;
    w->free_ps[0] = w->now.free_ps;
    f->out = w->now.out;
    f->next_ps = w->now.at_ps;
    f->gap_rate_bps = w->now.gap_rate_bps;
    f->gap_bytes = 0;
}

static void end_checking(struct skip *k, const struct sim *s, const struct flow *f, struct way *w)
{
    if (w->is_checked)
        k->lanes.lane[s->net.host[f->host].port->id].checked--;
    w->is_checked = false;
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

/* Another flow is in its way, or it is told of one: it goes on packet by packet. */
static void let_go(struct skip *k, struct sim *s, struct flow *f, struct way *w)
{
    struct host *h = &s->net.host[f->host];

    end_checking(k, s, f, w);
    if (!w->is_held)
        return;
    release(k, s, f, w);
    w->patience = PATIENCE;
    k->told.breaks++;
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

/* ---- checking ---- */

/* Chosen by what reports do not change. */
static bool is_to_check(const struct skip *k, const struct sim *s, const struct flow *f, uint64_t packets)
{
    uint64_t h = (uint64_t)f->src << 32 ^ f->dst ^ (f->sent + s->cfg.seed) * 0x9e3779b97f4a7c15ull ^
                 f->start_ps * 0x94d049bb133111ebull;

    h ^= h >> 31;
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    return h % CHECK_EVERY == 0 && k->checked + packets < CHECK_MIN + k->held / CHECK_SHARE;
}

/* A flow that could be held is simulated, and so are those to its host, for their ACKs; a copy of its
 * state is held. */
static void check(struct skip *k, struct sim *s, struct flow *f, struct way *w, uint64_t packets)
{
    const struct port *p = s->net.host[f->host].port;
    const struct lane *in = &k->lanes.lane[p->peer->id];

    w->is_checked = true;
    k->checked += packets;
    k->lanes.lane[p->id].checked++;
    for (uint32_t i = 0; i < in->count; i++)
        let_go(k, s, &s->flows.flow[in->flow[i]], &k->way[in->flow[i]]);
    w->from_ps = s->engine.now_ps;
    w->now = (struct alone){ f->out, s->engine.now_ps, s->engine.now_ps, f->gap_rate_bps, s->engine.now_ps };
    w->other_bps = other_bps(k, &s->net.host[f->host]);
    w->packets = packets;
    w->end_sent = f->sent + packets * s->cfg.mtu_bytes;
    memcpy(end_state(k, s, id_of(s, f)), flow_cc(s, f), s->flows.cc_stride);
}

static void advance_check(struct skip *k, struct sim *s, struct flow *f, struct way *w, uint64_t until_ps)
{
    struct alone_host h = host_of(s, f, w->other_bps);

    w->packets -= alone_send(&h, &w->now, end_state(k, s, id_of(s, f)), w->packets, until_ps);
    w->other_bps = other_bps(k, &s->net.host[f->host]);
}

/* It is the turn of the packet up to which it would have been held. */
static void end_check(struct skip *k, struct sim *s, struct flow *f, struct way *w)
{
    struct skip_told *t = &k->told;
    double            took_ps = (double)(s->engine.now_ps - w->from_ps), off;

    end_checking(k, s, f, w);
    advance_check(k, s, f, w, NEVER);
    off = ((double)s->engine.now_ps - (double)w->now.at_ps) / took_ps;
    t->checks++;
    t->checked_ps += took_ps;
    k->off_ps += off * took_ps;
    k->off_squares += off * off * took_ps;
    t->off_mean = k->off_ps / t->checked_ps;
    t->off_rms = sqrt(k->off_squares / t->checked_ps);
}

/* Acknowledgements take another share of a port. */
static void plan_again(struct skip *k, struct sim *s, uint32_t port)
{
    const struct lane *lane = &k->lanes.lane[port];

    for (uint32_t i = 0; i < lane->count; i++) {
        struct flow *f = &s->flows.flow[lane->flow[i]];
        struct way  *w = &k->way[lane->flow[i]];
        struct host *h = &s->net.host[f->host];

        if (w->is_checked)
            advance_check(k, s, f, w, s->engine.now_ps);
        if (!w->is_held)
            continue;
        settle(k, s, f, w);
        plan(k, s, f, w);
        pacer_sort_in(s, h, f);
        send_kick(s, h, h->port);
    }
}

/* Nothing of others waits on its way, nothing is lost there, and no port must see every frame. */
static bool is_drained(struct skip *k, const struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 0; i < path->hops; i++) {
        const struct port *p = &s->net.port[path->port[i]];

        if (p->slow_path & PATH_SLOW & ~(SLOW_CUT | SLOW_LINK | SLOW_LEAP))
            k->told.why_not = "switches count every frame";
        if (p->paused || p->is_lossy || p->is_down || k->told.why_not)
            return false;
        for (uint32_t q = 0; p->is_switch && p->backlog && q < PRIOS; q++)
            if (p->queue[q].bytes > 2 * (s->cfg.mtu_bytes + s->cfg.header_bytes))
                return false;
    }
    return true;
}

static bool is_alone(struct skip *k, const struct sim *s, const struct way *w)
{
    return w->path.hops && full_ps(k, s, w) > s->engine.now_ps && is_drained(k, s, &w->path);
}

/* It has lost nothing that is under way: it has nothing under way, or what was when packets were last lost or
 * links changed has been acknowledged. */
static bool is_whole(struct skip *k, const struct sim *s, const struct flow *f, const struct way *w)
{
    const struct sim_counters *c = &s->engine.counters;
    uint64_t                   losses = c->payload_dropped + c->timeouts + c->nacks_sent;

    if (losses != k->losses)
        k->lost_ps = s->engine.now_ps;
    k->losses = losses;
    return f->sent >= f->sent_max &&
           (f->sent == f->acked || !k->lost_ps || s->engine.now_ps > k->lost_ps + LOSS_RTTS * w->path.rtt_ps);
}

/* More goes through a port than before. */
static void let_others_go(struct skip *k, struct sim *s, uint32_t port)
{
    const struct lane *lane = &k->lanes.lane[port];

    for (uint32_t i = 0; i < lane->count; i++) {
        struct way *w = &k->way[lane->flow[i]];

        if ((w->is_held || w->is_checked) &&
            lanes_full_ps(&k->lanes, s, &s->net.port[port]) <= s->engine.now_ps)
            let_go(k, s, &s->flows.flow[lane->flow[i]], w);
    }
}

static void let_all_go(struct skip *k, struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 0; i < path->hops; i++)
        let_others_go(k, s, path->port[i]);
}

/* ---- paths ---- */

static void find_path(struct sim *s, const struct flow *f, struct way *w)
{
    if (w->ports == f->ports && w->src == f->src && w->dst == f->dst && w->path.hops)
        return;
    w->ports = f->ports;
    w->src = f->src;
    w->dst = f->dst;
    lanes_find_path(s, f, &w->path);
}

/* Links have changed, and routes with them: flows are in the way of others elsewhere. */
static void find_paths_again(struct skip *k, struct sim *s)
{
    while (s->net.epoch_ps[k->epoch] < s->engine.now_ps)
        k->epoch++;
    k->lost_ps = k->changed_ps = s->engine.now_ps;
    for (uint32_t i = 0; i < k->ways; i++) {
        struct way  *w = &k->way[i];
        struct flow *f = &s->flows.flow[i];

        if (w->messages)
            lanes_remove(&k->lanes, s, &w->path, i, w->bps);
        count_leaps(s, w);
        w->path.hops = 0;
        if (!w->messages)
            continue;
        find_path(s, f, w);
        lanes_add(&k->lanes, s, &w->path, i, w->bps);
    }
}

static void follow_changes(struct skip *k, struct sim *s)
{
    if (s->cfg.changes && s->net.epoch_ps[k->epoch] < s->engine.now_ps)
        find_paths_again(k, s);
}

/* ---- turns ---- */

static bool take_turn(struct skip *k, struct sim *s, struct flow *f)
{
    struct way  *w = way_of(k, s, id_of(s, f));
    uint64_t     packets = (f->bytes - f->sent + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;

    follow_changes(k, s);
    if (w->is_held) {
        release(k, s, f, w);
        w->patience = 0;
        packets = (f->bytes - f->sent + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;
    }
    if (w->is_checked && f->sent < w->end_sent)
        return false;
    if (w->is_checked)
        end_check(k, s, f, w);
    if (w->patience > 0) {
        w->patience--;
        return false;
    }
    if (s->engine.now_ps >= f->out.due_ps)
        s->net.host[f->host].cc->on_due(s->net.host[f->host].cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine),
                                        &f->out);
    if (w->messages) {
        uint64_t was_bps = w->bps;

        set_bps(k, s, w, allowed_bps(k, s, f, f->out.rate_bps));
        if (w->bps > was_bps)
            let_all_go(k, s, &w->path);
    }
    lanes_look(&k->lanes, s, &w->path);
    w->patience = (uint32_t)min_u64(packets - 1, PATIENCE - 1);
    if (packets < HELD_MIN + LAST_PACKETS || !is_whole(k, s, f, w) || !w->messages || !is_allowed(k, s) ||
        !is_alone(k, s, w) || k->lanes.lane[w->path.back[0]].checked)
        return false;
    w->patience = 0;
    if (is_to_check(k, s, f, packets)) {
        check(k, s, f, w, packets - LAST_PACKETS);
        return false;
    }
    hold(k, s, f, w, packets - LAST_PACKETS);
    pacer_sort_in(s, &s->net.host[f->host], f);
    return true;
}

/* It is a flow's turn to send. Returns true if it is held. */
static bool on_turn(void *sim, struct flow *f)
{
    struct sim *s = sim;
    bool        was_turn = s->skip->is_turn, is_held;

    s->skip->is_turn = true;
    is_held = take_turn(s->skip, s, f);
    s->skip->is_turn = was_turn;
    return is_held;
}

/* ---- frames that skip ports ---- */

/* When a frame arrives behind ports 'from' to 'to' - 1 that leaves the first of them now. It does not overtake a
 * full one, which that port had sent at free_ps; 0: there was none. */
static uint64_t arrival_ps(const struct sim *s, const uint32_t *port, uint32_t from, uint32_t to, uint32_t bytes,
                           uint64_t free_ps)
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

/* Frames of the usual size, of whose times the path knows. */
static bool is_usual(const struct sim *s, const struct packet *p)
{
    return p->kind == PACKET_DATA ? p->bytes == s->cfg.mtu_bytes + s->cfg.header_bytes
                                  : p->kind == PACKET_ACK && p->bytes == s->cfg.ack_bytes;
}

/* When a frame of a flow arrives. Only a short one can come up to the one before it. */
static uint64_t frame_ps(const struct sim *s, const struct way *w, const uint32_t *port, uint32_t from, uint32_t to,
                         const struct packet *p)
{
    const uint64_t *usual_ps = p->kind == PACKET_DATA ? w->path.port_ps : w->path.back_ps;

    if (is_usual(s, p))
        return s->engine.now_ps + usual_ps[to] - usual_ps[from];
    return arrival_ps(s, port, from, to, p->bytes, p->kind == PACKET_DATA ? w->free_ps[from] : 0);
}

/* What leaves now and arrives behind a port cannot be paused before it is there: there is room for as much again. */
static bool has_room(const struct sim *s, const struct port *before, const struct packet *p, uint64_t at_ps)
{
    const struct port *in = before->peer;
    double             under_way = (double)before->rate_bps / 8 * (double)(at_ps - s->engine.now_ps) / PS_PER_S;
    int64_t            limit = in->node->shared_bytes_left >> in->shift;

    return !s->cfg.is_lossless || p->kind != PACKET_DATA ||
           (double)in->in[p->prio].bytes + under_way < (double)limit / 2;
}

/* The packet is one of those that the way was found for. */
static bool is_on_way(const struct way *w, const struct packet *p)
{
    return p->kind == PACKET_DATA ? p->src == w->src && p->dst == w->dst && p->ports == w->ports
                                  : p->src == w->dst && p->dst == w->src &&
                                    p->ports == (w->ports >> 16 | w->ports << 16);
}

/* Links do not change soon, nor have they just changed. */
static bool is_settled(const struct skip *k, const struct sim *s, const struct way *w)
{
    return s->engine.now_ps < change_ps(k, s, w) &&
           (!k->changed_ps || s->engine.now_ps > k->changed_ps + LOSS_RTTS * w->path.rtt_ps);
}

static bool may_leap(struct skip *k, struct sim *s, const struct way *w, const struct port *from,
                     const struct packet *p)
{
    follow_changes(k, s);
    return w->path.hops && is_on_way(w, p) && is_allowed(k, s) && !from->is_lossy && !from->is_down &&
           is_settled(k, s, w);
}

/* Counts frames of the usual size when the numbers are read, others at once. */
static void count_leap(const struct sim *s, struct way *w, const uint32_t *port, uint32_t from, uint32_t to,
                       const struct packet *p)
{
    int32_t *leapt = p->kind == PACKET_DATA ? w->leapt : w->leapt_back;

    if (w->messages && is_usual(s, p)) {
        leapt[from]++;
        leapt[to]--;
        return;
    }
    for (uint32_t i = from; i < to; i++)
        count_frames(&s->net.port[port[i]], p->kind, 1, p->bytes);
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

/* A frame leaves a port. It skips those behind it that are not full. */
static bool on_leave(void *sim, struct port *first, uint32_t id)
{
    struct sim     *s = sim;
    struct packet  *p = &s->engine.packets.packet[id];
    struct way     *w = way_of(s->skip, s, p->flow);
    const uint32_t *port = p->kind == PACKET_DATA ? w->path.port : w->path.back;
    uint32_t        hops = p->kind == PACKET_DATA ? w->path.hops : w->path.back_hops, from = 0, to;
    uint64_t        at_ps;

    if (p->kind == PACKET_PFC || !may_leap(s->skip, s, w, first, p))
        return false;
    while (from < hops && port[from] != first->id)
        from++;
    for (to = from + 1; to < hops && !s->skip->lanes.is_full[port[to]]; to++)
        ;
    if (to > hops)
        return false;
    at_ps = frame_ps(s, w, port, from, to, p);
    if (p->kind == PACKET_DATA)
        w->free_ps[from] = s->engine.now_ps + first->tx_ps[p->bytes];
    if (to == from + 1 || (to < hops && !has_room(s, &s->net.port[port[to - 1]], p, at_ps)))
        return false;
    leap(s, first, &s->net.port[port[to - 1]], p, at_ps);
    count_leap(s, w, port, from, to, p);
    s->skip->told.hops += to - from - 1;
    return true;
}

/* ---- what happens to flows ---- */

/* A message has been posted: its flow is in the way of others from now on. */
static void on_start(void *sim, const struct flow *f)
{
    struct sim       *s = sim;
    struct skip      *k = s->skip;
    struct way       *w = way_of(k, s, id_of(s, f));

    follow_changes(k, s);
    if (!f->is_lasting) {
        w->skipped_to = w->messages = 0;
        memset(w->free_ps, 0, sizeof w->free_ps);
    }
    if (w->messages++ > 0)
        return;
    find_path(s, f, w);
    w->bps = allowed_bps(k, s, f, f->out.rate_bps);
    w->patience = 0;
    lanes_add(&k->lanes, s, &w->path, id_of(s, f), w->bps);
    let_all_go(k, s, &w->path);
    for (uint32_t i = 0; w->path.hops && i < w->path.back_hops; i++)
        plan_again(k, s, w->path.back[i]);
}

/* A message has arrived. */
static void on_arrival(void *sim, const struct flow *f)
{
    struct sim  *s = sim;
    struct skip *k = s->skip;
    struct way  *w = way_of(k, s, id_of(s, f));

    if (!w->messages || --w->messages > 0)
        return;
    count_leaps(s, w);
    lanes_remove(&k->lanes, s, &w->path, id_of(s, f), w->bps);
    if (w->path.hops)
        plan_again(k, s, w->path.back[0]);
}

/* Its receiver misses bytes. Those before skipped_to have not been sent. */
static void on_gap(void *sim, uint32_t flow, struct flow_rx *rx, uint64_t seq)
{
    struct sim *s = sim;
    uint64_t    to = min_u64(seq, way_of(s->skip, s, flow)->skipped_to);

    if (to <= rx->expected)
        return;
    rx->unacked = (uint32_t)((rx->unacked + (to - rx->expected) / s->cfg.mtu_bytes) % s->cfg.ack_every);
    rx->expected = to;
}

static void on_signal(void *sim, struct flow *f)
{
    struct sim *s = sim;
    struct way *w = way_of(s->skip, s, id_of(s, f));

    let_go(s->skip, s, f, w);
}

static void on_pause(void *sim, const struct port *p)
{
    struct sim        *s = sim;
    const struct lane *lane = &s->skip->lanes.lane[p->id];

    s->skip->lanes.is_full[p->id] = true;
    for (uint32_t i = 0; i < lane->count; i++)
        let_go(s->skip, s, &s->flows.flow[lane->flow[i]], &s->skip->way[lane->flow[i]]);
}

static bool is_held(void *sim, const struct flow *f)
{
    struct sim *s = sim;

    return way_of(s->skip, s, id_of(s, f))->is_held;
}

/* ---- the world ---- */

void skip_new(struct sim *s)
{
    struct skip *k = xcalloc(1, sizeof *k);

    s->skip = k;
    k->told.why_not = why_not_ever(s);
    if (k->told.why_not)
        return;
    lanes_init(&k->lanes, s);
    s->hosts.at_send |= SEND_HELD;
    for (uint32_t i = 0; i < s->net.ports; i++)
        s->net.port[i].slow_path |= SLOW_LEAP;
    s->engine.leaper = (struct engine_leaper){ s, on_leave };
    s->flow_watch = (struct flow_watcher){ s, on_start, on_arrival, on_turn, on_gap, on_signal, on_pause,
                                           is_held };
}

void skip_free(struct sim *s)
{
    if (!s->skip)
        return;
    lanes_fini(&s->skip->lanes, s);
    free(s->skip->way);
    free(s->skip->end_state);
    free(s->skip);
    s->skip = NULL;
}

void skip_settle(struct sim *s)
{
    for (uint32_t i = 0; s->skip && i < s->skip->ways; i++) {
        if (s->skip->way[i].is_held)
            settle(s->skip, s, &s->flows.flow[i], &s->skip->way[i]);
        count_leaps(s, &s->skip->way[i]);
    }
}

void skip_on_change(struct sim *s)
{
    for (uint32_t i = 0; s->skip && i < s->skip->ways; i++)
        let_go(s->skip, s, &s->flows.flow[i], &s->skip->way[i]);
}

const struct skip_told *skip_told(const struct sim *s)
{
    return s->skip ? &s->skip->told : NULL;
}
