#include "sim/skip/skip_flow.h"
#include "base/minmax.h"
#include "sim/nic/hf2t.h"

#include <string.h>

#define CHANGE_RTTS 4u           /* before links change, no flow is held */
#define JOIN_FRAMES 4u           /* a message takes as long as so many frames that are simulated */

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
    if (bps != sf->bps)
        lanes_change(&k->lanes, s, &sf->path, sf->bps, bps);
    sf->bps = bps;
}

/* ---- frames that skipped ports ---- */

static void count_leapt(struct sim *s, struct lane_way *w, enum packet_class class, uint32_t bytes)
{
    int32_t frames = 0;

    for (uint32_t i = 0; i < w->hops; i++) {
        frames += w->hop[i].leapt;
        w->hop[i].leapt = 0;
        skip_count_frames(&s->net.port[w->hop[i].port], class, (uint64_t)frames, bytes);
    }
}

void skip_flow_count_leaps(struct sim *s, struct skip_flow *sf)
{
    count_leapt(s, &sf->path.data, CLASS_DATA, s->cfg.mtu_bytes + s->cfg.header_bytes);
    count_leapt(s, &sf->path.ack, CLASS_ACK, s->cfg.ack_bytes);
}

/* ---- paths ---- */

void skip_flow_join(struct skip *k, struct sim *s, const struct flow *f, struct skip_flow *sf)
{
    if (sf->ports != f->ports || sf->src != f->src || sf->dst != f->dst || !sf->path.data.hops) {
        sf->ports = f->ports;
        sf->src = f->src;
        sf->dst = f->dst;
        lanes_find_path(s, f, &sf->path);
    }
    sf->generation = f->generation;
    sf->rate_bps = f->out.rate_bps;
    sf->bps = skip_flow_allowed_bps(k, s, f, sf->rate_bps);
    sf->patience = 0;
    k->frames += JOIN_FRAMES;
    lanes_add(&k->lanes, s, &sf->path, sf->bps);
    sf->is_joined = true;
}

void skip_flow_part(struct skip *k, struct sim *s, struct skip_flow *sf)
{
    if (!sf->is_joined)
        return;
    skip_flow_count_leaps(s, sf);
    lanes_remove(&k->lanes, s, &sf->path, sf->bps);
    sf->is_joined = false;
}

void skip_find_paths(struct skip *k, struct sim *s)
{
    while (s->cfg.changes && s->net.epoch_ps[k->epoch] < s->engine.now_ps)
        k->epoch++;
    for (uint32_t i = 0; i < skip_flows(k, s); i++) {
        struct skip_flow *sf = &k->flow[i];
        struct flow      *f = &s->flows.flow[i];

        skip_flow_part(k, s, sf);
        sf->path.data.hops = sf->path.ack.hops = 0;
        sf->untracked = f->sent_max;
        if (sf->messages)
            skip_flow_join(k, s, f, sf);
    }
}

void skip_follow_changes(struct skip *k, struct sim *s)
{
    if (!s->cfg.changes || s->net.epoch_ps[k->epoch] >= s->engine.now_ps)
        return;
    k->lost_ps = s->engine.now_ps;
    skip_find_paths(k, s);
}

uint64_t skip_flow_change_ps(const struct skip *k, const struct sim *s, const struct skip_flow *sf)
{
    uint64_t at_ps = s->cfg.changes ? s->net.epoch_ps[k->epoch] : NEVER,
             before_ps = CHANGE_RTTS * sf->path.rtt_ps;

    return at_ps == NEVER ? NEVER : at_ps > before_ps ? at_ps - before_ps : 0;
}

const char *skip_why_never(const struct sim *s)
{
    if (s->cfg.model != MODEL_NIC)
        return "only model nic can skip packets";
    if (s->cfg.tcps)
        return "TCP fills its window by what comes back";
    if (s->cfg.is_selective)
        return "selective repeat keeps account of every packet";
    if (s->cfg.window_bytes || s->hosts.has_held)
        return "a window waits for every acknowledgement";
    if (s->lb.choose || s->lb.weave || s->spray.kind)
        return "this balancer chooses paths by packet";
    if (s->cfg.drain_bps)
        return "slow receivers count every packet";
    if (s->cfg.ecn_cell_bytes || s->cfg.ecn_lag_ps)
        return "'ecn_cell' and 'ecn_lag' follow every packet";
    if (hf2t_is_on(s) || s->hosts.gap_record || s->flows.probe || s->cfg.tx_fifo_bytes)
        return "HF2T, 'record_gaps', 'tx_fifo' and RTT probes look at every packet";
    for (uint32_t i = 0; i < s->net.hosts; i++)
        if (s->net.host[i].cc->on_ack || s->net.host[i].cc->on_rtt)
            return "its congestion control looks at every acknowledgement";
    return NULL;
}

/* What may come during the run. From then on every packet is simulated. */
static const char *why_no_more(const struct sim *s)
{
    if (s->watch.arg)
        return "a monitor sees every packet";
    if (s->engine.tap.arg)
        return "every frame is recorded";
    if (hf2t_is_on(s))
        return "HF2T holds single packets";
    if (s->flows.pairs.has_verbs)
        return "SENDs and datagrams are followed packet by packet";
    return NULL;
}

bool skip_is_allowed(struct skip *k, const struct sim *s)
{
    if (!k->stats.why_not)
        k->stats.why_not = why_no_more(s);
    return !k->stats.why_not;
}
