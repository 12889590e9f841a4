#include "sim/skip/skip_turn.h"
#include "base/minmax.h"
#include "sim/host/pacer.h"
#include "sim/link/path.h"
#include "sim/skip/hold.h"
#include "sim/skip/skip_allowed.h"

#define LAST_PACKETS 1u          /* of a message are always sent */
#define HELD_MIN     4u          /* packets worth a hold */

/* On its path no packets of others wait, none are lost, and no port must see every frame. */
static bool is_drained(struct skip *k, const struct sim *s, const struct lane_path *path)
{
    for (uint32_t i = 0; i < path->hops; i++) {
        const struct port *p = &s->net.port[path->port[i]];

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
    return sf->path.hops && hold_full_ps(k, s, sf) > s->engine.now_ps && is_drained(k, s, &sf->path);
}

/* No packet of the flow that is in flight can be lost: it has none in flight, or those that were when packets
 * were last lost or links changed have been acknowledged. */
static bool is_whole(struct skip *k, const struct sim *s, const struct flow *f, const struct skip_flow *sf)
{
    const struct sim_counters *c = &s->engine.counters;
    uint64_t                   losses = c->payload_dropped + c->timeouts + c->nacks_sent;

    if (losses != k->losses)
        k->lost_ps = s->engine.now_ps;
    k->losses = losses;
    return f->sent >= f->sent_max &&
           (f->sent == f->acked || !k->lost_ps ||
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
        !skip_is_allowed(k, s) || !is_alone(k, s, sf) || k->lanes.lane[sf->path.back[0]].checked)
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

bool skip_turn(void *sim, struct flow *f)
{
    struct sim *s = sim;
    bool        was_turn = s->skip->is_turn, is_held;

    s->skip->is_turn = true;
    is_held = take_turn(s->skip, s, f);
    s->skip->is_turn = was_turn;
    return is_held;
}
