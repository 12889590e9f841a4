#include "sim/skip/skip_flow.h"
#include "base/minmax.h"

#include <string.h>

#define CHANGE_RTTS 4u           /* before links change, no flow is held */

void skip_flow_grow(struct skip *k, const struct sim *s, uint32_t id)
{
    uint32_t was = k->flows;

    k->flows = 2 * id + 64;
    k->flow = xrealloc(k->flow, k->flows * sizeof *k->flow);
    k->end_state = xrealloc(k->end_state, k->flows * s->flows.cc_stride + 1);
    memset(k->flow + was, 0, (k->flows - was) * sizeof *k->flow);
}

uint64_t skip_flow_other_bps(const struct skip *k, const struct host *h)
{
    return min_u64(k->lanes.lane[h->port->id].ack_bps, h->port->rate_bps / 2);
}

uint64_t skip_flow_allowed_bps(const struct skip *k, const struct sim *s, const struct flow *f,
                               uint64_t rate_bps)
{
    const struct host *h = &s->net.host[f->host];

    return min_u64(rate_bps, h->port->rate_bps - skip_flow_other_bps(k, h));
}

void skip_flow_set_bps(struct skip *k, const struct sim *s, struct skip_flow *sf, uint64_t bps)
{
    lanes_change(&k->lanes, s, &sf->path, sf->bps, bps);
    sf->bps = bps;
}

/* ---- frames that skipped ports ---- */

static void count_leapt(struct sim *s, const uint32_t *port, uint32_t hops, int32_t *leapt, uint32_t kind,
                        uint32_t bytes)
{
    int32_t frames = 0;

    for (uint32_t i = 0; i < hops; i++) {
        frames += leapt[i];
        skip_count_frames(&s->net.port[port[i]], kind, (uint64_t)frames, bytes);
    }
    memset(leapt, 0, (hops + 1) * sizeof *leapt);
}

void skip_flow_count_leaps(struct sim *s, struct skip_flow *sf)
{
    count_leapt(s, sf->path.port, sf->path.hops, sf->leapt, PACKET_DATA,
                s->cfg.mtu_bytes + s->cfg.header_bytes);
    count_leapt(s, sf->path.back, sf->path.hops ? sf->path.back_hops : 0, sf->leapt_back, PACKET_ACK,
                s->cfg.ack_bytes);
}

/* ---- paths ---- */

void skip_flow_find_path(struct sim *s, const struct flow *f, struct skip_flow *sf)
{
    if (sf->ports == f->ports && sf->src == f->src && sf->dst == f->dst && sf->path.hops)
        return;
    sf->ports = f->ports;
    sf->src = f->src;
    sf->dst = f->dst;
    lanes_find_path(s, f, &sf->path);
}

/* Links have changed, and routes with them: flows use other ports. */
static void find_paths_again(struct skip *k, struct sim *s)
{
    while (s->net.epoch_ps[k->epoch] < s->engine.now_ps)
        k->epoch++;
    k->lost_ps = k->changed_ps = s->engine.now_ps;
    for (uint32_t i = 0; i < k->flows; i++) {
        struct skip_flow *sf = &k->flow[i];
        struct flow      *f = &s->flows.flow[i];

        if (sf->messages)
            lanes_remove(&k->lanes, s, &sf->path, i, sf->bps);
        skip_flow_count_leaps(s, sf);
        sf->path.hops = 0;
        if (!sf->messages)
            continue;
        skip_flow_find_path(s, f, sf);
        lanes_add(&k->lanes, s, &sf->path, i, sf->bps);
    }
}

void skip_follow_changes(struct skip *k, struct sim *s)
{
    if (s->cfg.changes && s->net.epoch_ps[k->epoch] < s->engine.now_ps)
        find_paths_again(k, s);
}

uint64_t skip_flow_change_ps(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    uint64_t at_ps = s->cfg.changes ? s->net.epoch_ps[k->epoch] : NEVER,
             before_ps = CHANGE_RTTS * sf->path.rtt_ps;

    return at_ps == NEVER ? NEVER : at_ps > before_ps ? at_ps - before_ps : 0;
}
