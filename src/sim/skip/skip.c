#include "sim/skip/skip.h"
#include "base/minmax.h"
#include "sim/nic/pacer.h"
#include "sim/nic/send.h"
#include "sim/link/path.h"
#include "sim/skip/hold.h"
#include "sim/skip/leap.h"

#include <stdlib.h>
#include <string.h>

#define LAST_PACKETS 1u          /* of a message are always sent */
#define SMALL        5u          /* messages of fewer packets are not held */

/* ---- thrift ----
 *
 * Skipping makes simulated frames a fifth dearer. So after every look_frames() of them it must have saved
 * LEAST_SAVED of that many, or it rests: for about twice as long, and twice that if it rests again. If it has
 * saved next to nothing, it rests as long as ever. Looks are long enough for every host to leave a queue
 * behind. When it rests, frames go from port to port, but still wait for those of their flow that skipped
 * ports before. Once these have left their last port, nothing is looked at any more. */

#define LOOK_FRAMES   4096u
#define LEAST_SAVED   0.25
#define NEXT_TO_NONE  0.02
#define PACKET_FRAMES 12u        /* of a data packet and its ACK, in a large network */
#define RESTS_MOST    4u

static uint64_t look_frames(const struct sim *s)
{
    return LOOK_FRAMES + 256ull * s->net.hosts;
}

static bool skip_turn(void *sim, struct flow *);

static void attend(struct sim *s, bool is_on)
{
    s->flow_watch.on_turn = is_on ? skip_turn : NULL;
    send_choose(s);
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port *p = &s->net.port[i];

        p->slow_path = (uint16_t)(is_on ? p->slow_path | SLOW_LEAP : p->slow_path & ~SLOW_LEAP);
    }
}

static void begin_look(struct skip *k)
{
    k->thrift.frames = k->frames;
    k->thrift.hops = k->stats.hops;
    k->thrift.until_packet = 0;
}

static uint64_t simulated_packets(const struct skip *k, const struct sim *s)
{
    return s->engine.counters.data_sent - k->stats.packets;
}

static uint64_t drained_ps(const struct lane_way *w)
{
    uint64_t at_ps = 0;

    for (uint32_t i = 0; i < w->hops; i++)
        at_ps = max_u64(at_ps, w->hop[i].free_ps);
    return at_ps;
}

static void rest(struct skip *k, struct sim *s, uint32_t rests)
{
    uint64_t packets = 2 * look_frames(s) / PACKET_FRAMES << rests;

    k->thrift.drained_ps = s->engine.now_ps + 1;
    k->thrift.until_packet = simulated_packets(k, s) + packets;
    k->thrift.rests = rests + (rests < RESTS_MOST);
    k->stats.rests++;
    for (uint32_t i = 0; i < skip_flows(k, s); i++) {
        hold_break(k, s, &s->flows.flow[i], &k->flow[i]);
        skip_flow_part(k, s, &k->flow[i]);
        k->thrift.drained_ps = max_u64(k->thrift.drained_ps, max_u64(drained_ps(&k->flow[i].path.data),
                                                                     drained_ps(&k->flow[i].path.ack)));
    }
    k->thrift.counted = simulated_packets(k, s);
}

static void count_rest(struct skip *k, const struct sim *s)
{
    k->stats.rest_packets += simulated_packets(k, s) - k->thrift.counted;
    k->thrift.counted = simulated_packets(k, s);
}

static void resume(struct skip *k, struct sim *s)
{
    attend(s, true);
    count_rest(k, s);
    begin_look(k);
    skip_find_paths(k, s);
}

/* Rests or resumes if it is time. Returns true while it rests. */
static bool economize(struct skip *k, struct sim *s)
{
    if (!skip_is_allowed(k, s) && k->thrift.until_packet != UINT64_MAX) {
        if (!skip_is_resting(k))
            rest(k, s, 0);
        k->thrift.until_packet = UINT64_MAX;
    }
    if (skip_is_resting(k)) {
        if (k->thrift.drained_ps && s->engine.now_ps > k->thrift.drained_ps) {
            k->thrift.drained_ps = 0;
            attend(s, false);
        }
        if (!k->thrift.drained_ps && simulated_packets(k, s) >= k->thrift.until_packet)
            resume(k, s);
        return skip_is_resting(k);
    }
    uint64_t frames = k->frames - k->thrift.frames;
    if (frames < look_frames(s))
        return false;
    double saved = (double)(k->stats.hops - k->thrift.hops) / (double)frames;
    if (saved < LEAST_SAVED)
        rest(k, s, saved < NEXT_TO_NONE ? RESTS_MOST : k->thrift.rests);
    else
        k->thrift.rests = 0;
    if (!skip_is_resting(k))
        begin_look(k);
    return skip_is_resting(k);
}

/* ---- turns ---- */

#define QUEUE_FRAMES 2u          /* at most, in a queue that other flows share */

/* Returns true if the next frame finds no queue at a port, or a short one of others. */
static bool is_clear(const struct skip *k, const struct sim *s, const struct lane_hop *hop,
                     const struct port *p)
{
    if (k->lanes.lane[hop->port].count == 1)
        return !lanes_would_mark(&k->lanes, s, hop);
    for (uint32_t q = 0; p->backlog && q < PRIOS; q++)
        if (p->queue[q].bytes > QUEUE_FRAMES * (s->cfg.mtu_bytes + s->cfg.header_bytes))
            return false;
    return true;
}

/* Returns true if no packets wait on the path, none are lost, and no port needs every frame. */
static bool is_drained(struct skip *k, const struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 0; i < path->data.hops; i++) {
        const struct port *p = &s->net.port[path->data.hop[i].port];

        if (p->slow_path & PATH_SLOW & ~(SLOW_CUT | SLOW_LINK | SLOW_LEAP))
            k->stats.why_not = "switches count every frame";
        if (p->paused || p->is_lossy || p->is_down || k->stats.why_not ||
            (p->is_switch && !is_clear(k, s, &path->data.hop[i], p)))
            return false;
    }
    return true;
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

static void follow_rate(struct skip *k, struct sim *s, struct flow *f, struct skip_flow *sf)
{
    uint64_t was_bps = sf->bps;

    if (s->engine.now_ps >= f->out.due_ps)
        s->net.host[f->host].cc->on_due(s->net.host[f->host].cc_cfg, flow_cc(s, f), engine_cc_now(&s->engine),
                                        &f->out);
    if (!sf->messages || f->out.rate_bps == sf->rate_bps)
        return;
    sf->rate_bps = f->out.rate_bps;
    skip_flow_set_bps(k, s, sf, skip_flow_allowed_bps(k, s, f, f->out.rate_bps));
    if (sf->bps > was_bps)
        hold_break_all(k, s, &sf->path);
}

static uint64_t packets_left(const struct sim *s, const struct flow *f)
{
    return (f->bytes - f->sent + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;
}

static bool take_turn(struct skip *k, struct sim *s, struct flow *f)
{
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));

    skip_follow_changes(k, s);
    if (sf->is_held) {
        hold_end(k, s, f, sf);
        sf->patience = 0;
    }
    follow_rate(k, s, f, sf);
    if (sf->patience > 0) {
        sf->patience--;
        return false;
    }
    if (economize(k, s))
        return false;
    uint64_t packets = packets_left(s, f);
    if (packets >= SMALL && sf->messages && sf->path.data.hops && is_whole(k, s, f, sf) &&
        is_drained(k, s, &sf->path) && hold_begin(k, s, f, sf, packets - LAST_PACKETS)) {
        pacer_sort_in(s, &s->net.host[f->host], f);
        return true;
    }
    sf->patience = (uint32_t)min_u64(packets - 1, SKIP_PATIENCE - 1);
    return false;
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

/* ---- events of flows ---- */

static void plan_again_at(struct skip *k, struct sim *s, const struct lane_way *acks)
{
    for (uint32_t i = 0; i < acks->hops; i++)
        if (i == 0 || k->lanes.lane[acks->hop[i].port].marks_left >= 0)
            hold_plan_again(k, s, acks->hop[i].port);
}

/* A message has been posted: its flow uses the ports of its path from now on. */
static void on_start(void *sim, const struct flow *f)
{
    struct sim       *s = sim;
    struct skip      *k = s->skip;
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));
    bool              is_off = economize(k, s);

    if (!is_off)
        skip_follow_changes(k, s);

    if (!f->is_lasting) {
        sf->skipped_to = sf->untracked = sf->messages = 0;
        sf->path.data.hops = sf->path.ack.hops = 0;
    }
    if (sf->messages++ > 0 || is_off)
        return;
    if (f->is_lasting && k->losses > 0 && f->acked == f->sent) {
        sf->path.data.hops = 0;          /* forget frames that were lost on their way to a port */
        sf->untracked = f->sent;
    }
    skip_flow_join(k, s, f, sf);
    hold_break_all(k, s, &sf->path);
    plan_again_at(k, s, &sf->path.ack);
}

/* A message has arrived. */
static void on_arrival(void *sim, const struct flow *f)
{
    struct sim       *s = sim;
    struct skip      *k = s->skip;
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));

    if (!sf->messages || --sf->messages > 0 || skip_is_resting(k))
        return;
    skip_flow_part(k, s, sf);
    plan_again_at(k, s, &sf->path.ack);
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

    for (uint32_t i = lane->held_data; i-- > 0;)
        if (i < lane->held_data)
            hold_break(s->skip, s, &s->flows.flow[lane->held[i]], &s->skip->flow[lane->held[i]]);
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
    s->engine.leaper = (struct engine_leaper){ s, leap_frame };
    s->flow_watch = (struct flow_watcher){ s, on_start, on_arrival, NULL, on_gap, on_signal, on_pause,
                                           is_held };
    attend(s, true);
}

void skip_free(struct sim *s)
{
    if (!s->skip)
        return;
    lanes_fini(&s->skip->lanes, s);
    free(s->skip->flow);
    free(s->skip->end_state);
    free(s->skip->unsettled);
    free(s->skip);
    s->skip = NULL;
}

void skip_settle(struct sim *s)
{
    struct skip *k = s->skip;
    uint32_t     kept = 0;

    if (!k)
        return;
    if (skip_is_resting(k))
        count_rest(k, s);
    for (uint32_t i = 0; i < k->unsettled_count; i++) {
        uint32_t          id = k->unsettled[i];
        struct skip_flow *sf = &k->flow[id];

        if (sf->is_held)
            hold_settle(k, s, &s->flows.flow[id], sf);
        skip_flow_count_leaps(s, sf);
        sf->is_unsettled = sf->is_held;
        k->unsettled[kept] = id;
        kept += sf->is_held;
    }
    k->unsettled_count = kept;
}

void skip_on_change(struct sim *s)
{
    for (uint32_t i = 0; s->skip && i < skip_flows(s->skip, s); i++)
        hold_break(s->skip, s, &s->flows.flow[i], &s->skip->flow[i]);
}

bool skip_has_drawn(const struct sim *s)
{
    return s->skip && s->skip->has_drawn;
}

const struct skip_stats *skip_stats(const struct sim *s)
{
    return s->skip ? &s->skip->stats : NULL;
}
