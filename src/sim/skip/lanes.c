#include "sim/skip/lanes.h"
#include "sim/link/path.h"
#include "sim/switch/forward.h"

#include <stdlib.h>

void lanes_init(struct lanes *l, const struct sim *s)
{
    uint32_t spacing = s->model.spacing_bytes;

    l->lane = xcalloc(s->net.ports + 1ul, sizeof *l->lane);
    l->is_full = xcalloc(s->net.ports + 1ul, sizeof *l->is_full);
    l->ack_share = (double)(s->cfg.ack_bytes + spacing) / s->cfg.ack_every /
                   (s->cfg.mtu_bytes + s->cfg.header_bytes + spacing);
}

void lanes_fini(struct lanes *l, const struct sim *s)
{
    for (uint32_t i = 0; l->lane && i < s->net.ports; i++)
        free(l->lane[i].flow);
    free(l->lane);
    free(l->is_full);
}

/* Finds the way of frames of this size. No hops: there is none, or it is too long. */
static void find_way(const struct sim *s, struct lane_way *w, uint32_t src, uint32_t dst, uint32_t ports,
                     uint32_t bytes)
{
    struct packet k = { .src = src, .dst = dst, .ports = ports };
    uint32_t      at = s->net.host[s->net.node[src].host].port->id, way = 1;

    w->ps[0] = 0;
    for (w->hops = 0; way && w->hops < LANE_HOPS_MAX; at = way - 1) {
        const struct port *p = &s->net.port[at];
        const struct node *n = p->peer->node;

        w->ps[w->hops + 1] = w->ps[w->hops] + path_age(p, bytes);
        w->port[w->hops++] = at;
        if (n->id == dst)
            return;
        way = n->is_switch ? forward_by_routes(n, &n->route_host[dst], &k) : 0;
    }
    w->hops = 0;
}

void lanes_find_path(const struct sim *s, const struct flow *f, struct lane_path *p)
{
    find_way(s, &p->data, f->src, f->dst, f->ports, s->cfg.mtu_bytes + s->cfg.header_bytes);
    find_way(s, &p->ack, f->dst, f->src, f->ports >> 16 | f->ports << 16, s->cfg.ack_bytes);
    if (!p->data.hops || !p->ack.hops)
        p->data.hops = p->ack.hops = 0;
    p->rtt_ps = p->data.ps[p->data.hops] + p->ack.ps[p->ack.hops];
}

static uint64_t ack_bps(const struct lanes *l, uint64_t bps)
{
    return (uint64_t)(l->ack_share * (double)bps);
}

/* Returns by how many bytes per picosecond the queue of a port grows. */
static double growth(const struct lane *a, const struct port *p)
{
    return ((double)(a->data_bps + a->ack_bps) - (double)p->rate_bps) / 8 / (double)PS_PER_S;
}

static double queue_now(const struct lane *a, const struct port *p, uint64_t now_ps)
{
    double bytes = a->queue_bytes + growth(a, p) * (double)(now_ps - a->since_ps);

    return p->is_switch && bytes > 0 ? bytes : 0;
}

static struct lane *lane_now(struct lanes *l, const struct sim *s, uint32_t port)
{
    struct lane *a = &l->lane[port];

    a->queue_bytes = queue_now(a, &s->net.port[port], s->engine.now_ps);
    a->since_ps = s->engine.now_ps;
    return a;
}

void lanes_add(struct lanes *l, const struct sim *s, const struct lane_path *p, uint32_t flow, uint64_t bps)
{
    for (uint32_t i = 0; i < p->data.hops; i++) {
        struct lane *a = &l->lane[p->data.port[i]];

        a->flow = xgrow(a->flow, a->count, &a->max, 4, sizeof *a->flow);
        a->flow[a->count++] = flow;
    }
    lanes_change(l, s, p, 0, bps);
}

void lanes_remove(struct lanes *l, const struct sim *s, const struct lane_path *p, uint32_t flow,
                  uint64_t bps)
{
    for (uint32_t i = 0; i < p->data.hops; i++) {
        struct lane *a = &l->lane[p->data.port[i]];
        uint32_t     at = 0;

        while (a->flow[at] != flow)
            at++;
        a->flow[at] = a->flow[--a->count];
    }
    lanes_change(l, s, p, bps, 0);
}

void lanes_change(struct lanes *l, const struct sim *s, const struct lane_path *p, uint64_t was_bps,
                  uint64_t bps)
{
    if (bps == was_bps)
        return;
    for (uint32_t i = 0; i < p->data.hops; i++)
        lane_now(l, s, p->data.port[i])->data_bps += bps - was_bps;
    for (uint32_t i = 0; i < p->ack.hops; i++)
        lane_now(l, s, p->ack.port[i])->ack_bps += ack_bps(l, bps) - ack_bps(l, was_bps);
    lanes_look(l, s, p);
}

uint64_t lanes_room_bps(const struct lanes *l, const struct port *p, uint64_t bps)
{
    const struct lane *a = &l->lane[p->id];
    uint64_t others = a->data_bps - bps + a->ack_bps, most = (uint64_t)(LANE_SHARE * (double)p->rate_bps);

    if (a->count < 2)
        return UINT64_MAX;
    return most > others ? most - others : 0;
}

uint64_t lanes_full_ps(const struct lanes *l, const struct sim *s, const struct port *p)
{
    const struct lane *a = &l->lane[p->id];
    uint64_t           now_ps = s->engine.now_ps;

    if (a->count > 1)
        return (double)(a->data_bps + a->ack_bps) > LANE_SHARE * (double)p->rate_bps ? now_ps : NEVER;
    if (!p->is_switch || growth(a, p) <= 0)
        return NEVER;            /* a host's own ACKs only slow its data down */
    double ps = (p->ecn.kmin_bytes - queue_now(a, p, now_ps)) / growth(a, p);
    return ps <= 0 ? now_ps : ps < (double)PS_PER_S ? now_ps + (uint64_t)ps : NEVER;
}

static void look(struct lanes *l, const struct sim *s, const struct lane_way *w)
{
    for (uint32_t i = 0; i < w->hops; i++) {
        const struct port *p = &s->net.port[w->port[i]];

        l->is_full[p->id] = p->backlog || p->paused || p->is_lossy || p->is_down ||
                            lanes_full_ps(l, s, p) <= s->engine.now_ps;
    }
}

void lanes_look(struct lanes *l, const struct sim *s, const struct lane_path *p)
{
    look(l, s, &p->data);
    look(l, s, &p->ack);
}
