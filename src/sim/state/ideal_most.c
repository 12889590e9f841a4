/* src/sim/state/ideal_most.c - the longest paths of a network: visits every pair of racks in a few steps.
 *
 * The round trip of a lone packet is a sum over links. So the part between a switch and the target is stored
 * once it is known, and other paths through that switch stop there.
 */
#include "sim/state/ideal.h"
#include "sim/link/path.h"

#include <stdlib.h>

struct hop {                     /* crossing the link of a port */
    uint64_t ps;                 /* in both directions */
    uint64_t rate_bps;
    uint32_t node;               /* the other end */
};

struct way { uint64_t ps, slowest_bps; uint32_t hops, target; };  /* target: the group it leads to, plus 1 */

struct search {
    const struct sim   *sim;
    const struct route *route;
    struct hop         *hop;     /* by port */
    struct way         *way;     /* by node: path to the switch of the current group */
    struct end         *end;     /* hosts at which a longest path may begin or end, by group */
    uint32_t           *first;   /* by group: its first entry in 'end' */
};

/* Among a group's hosts with equal link rate, the two farthest from their switch suffice: no pair with
 * another host has a longer round trip, or an equally long one at a higher rate. The second counts only for
 * paths within the group. If the model has no BDP, rates do not matter, and two hosts per group suffice. */
struct end {
    uint64_t rate_bps;           /* 0: rates do not matter */
    uint64_t ps;
    uint32_t group, node;
    bool     is_second;
};

static uint64_t hop_ps(const struct sim *s, const struct port *p)
{
    if (s->model.hop_ps)
        return s->model.hop_ps(&s->cfg, p);
    return (uint64_t)path_age(p, s->cfg.mtu_bytes + s->cfg.header_bytes) +
           path_age(p->peer, s->cfg.ack_bytes);
}

static void find_hops(struct search *f)
{
    const struct network *net = &f->sim->net;

    f->hop = xcalloc(net->ports + 1ul, sizeof *f->hop);
    for (uint32_t i = 0; i < net->ports; i++) {
        const struct port *p = &net->port[i];

        f->hop[i] = (struct hop){ hop_ps(f->sim, p), p->rate_bps, p->peer->node->id };
    }
}

/* Sorts by group, then rate, then from the farthest on. */
static int compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->rate_bps != b->rate_bps)
        return a->rate_bps < b->rate_bps ? -1 : 1;
    if (a->ps != b->ps)
        return a->ps > b->ps ? -1 : 1;
    return a->node > b->node ? -1 : 1;
}

static bool is_alike(const struct end *a, const struct end *b)
{
    return a->group == b->group && a->rate_bps == b->rate_bps;
}

static void find_ends(struct search *f)
{
    const struct network *net = &f->sim->net;
    uint32_t              hosts = 0, kept = 0;

    f->end = xcalloc(net->hosts + 1ul, sizeof *f->end);
    f->first = xcalloc(f->route->groups + 1ul, sizeof *f->first);
    for (uint32_t n = 0; n < net->nodes; n++) {
        const struct hop *h = &f->hop[net->node[n].first_port];

        if (!net->node[n].is_switch)
            f->end[hosts++] = (struct end){ f->sim->model.hop_ps ? h->rate_bps : 0, h->ps,
                                            f->route->host[n].group, n, false };
    }
    qsort(f->end, hosts, sizeof *f->end, compare_ends);
    for (uint32_t i = 0; i < hosts; i++) {
        struct end e = f->end[i];

        if (kept > 1 && f->end[kept - 1].is_second && is_alike(&f->end[kept - 1], &e))
            continue;
        e.is_second = kept > 0 && is_alike(&f->end[kept - 1], &e);
        f->end[kept++] = e;
        f->first[e.group + 1] = kept;
    }
}

static void add_hop(struct way *w, const struct hop *h)
{
    w->ps += h->ps;
    w->slowest_bps = h->rate_bps < w->slowest_bps ? h->rate_bps : w->slowest_bps;
    w->hops++;
}

/* Returns the first port towards a group, or UINT32_MAX. */
static uint32_t next_port(const struct search *f, uint32_t node, uint32_t group)
{
    uint32_t entry = f->route->entry[f->route->row[node] + group];

    if (entry & ROUTE_ONE)
        return entry & ~ROUTE_ONE;
    return f->route->hop[entry] ? f->route->hop[entry + 1] : UINT32_MAX;
}

/* Returns the path from a switch to the switch of a group; hops UINT32_MAX: no path. Walks to the first node
 * with a known path, then back, summing up. */
static const struct way *find_way(struct search *f, uint32_t node, uint32_t group, uint32_t *stack)
{
    uint32_t    depth = 0, at = node;
    struct way *w = &f->way[at];

    while (w->target != group + 1) {
        uint32_t port;

        w->target = group + 1;
        if (f->route->entry[f->route->row[at] + group] == ROUTE_LOCAL) {
            *w = (struct way){ .slowest_bps = UINT64_MAX, .target = group + 1 };
            break;
        }
        port = next_port(f, at, group);
        if (port == UINT32_MAX) {
            w->hops = UINT32_MAX;
            break;
        }
        stack[depth++] = at;
        at = f->hop[port].node;
        w = &f->way[at];
    }
    while (depth-- > 0) {
        const struct way *behind = w;

        at = stack[depth];
        w = &f->way[at];
        *w = *behind;
        if (w->hops != UINT32_MAX)
            add_hop(w, &f->hop[next_port(f, at, group)]);
    }
    return &f->way[node];
}

static uint64_t bdp_of(const struct way *w)
{
    return (uint64_t)((unsigned __int128)(w->ps / PS_PER_NS) * w->slowest_bps / 1000000000u) / 8;
}

static void look_at_pair(struct search *f, struct ideal_most *most, uint32_t src, uint32_t dst,
                         uint32_t *stack)
{
    const struct network    *net = &f->sim->net;
    const struct route_host *h = &f->route->host[dst];
    const struct hop        *first = &f->hop[net->node[src].first_port];
    struct way               w = { .slowest_bps = UINT64_MAX };
    uint64_t                 bdp_bytes;

    if (first->node != dst) {
        if (!net->node[first->node].is_switch)
            return;
        w = *find_way(f, first->node, h->group, stack);
        if (w.hops == UINT32_MAX)
            return;
        add_hop(&w, &f->hop[h->port]);
    }
    add_hop(&w, first);
    bdp_bytes = f->sim->model.hop_ps ? bdp_of(&w) : 0;
    if (w.ps > most->rtt_ps || (w.ps == most->rtt_ps && w.hops > most->rtt_hops)) {
        most->rtt_ps = w.ps;
        most->rtt_hops = w.hops;
    }
    most->bdp_bytes = bdp_bytes > most->bdp_bytes ? bdp_bytes : most->bdp_bytes;
    if (w.hops > most->hops) {
        most->hops = w.hops;
        most->from = src;
        most->to = dst;
    }
}

static void look_at_groups(struct search *f, struct ideal_most *most, uint32_t a, uint32_t b, uint32_t *stack)
{
    for (uint32_t i = f->first[a]; i < f->first[a + 1]; i++)
        for (uint32_t j = f->first[b]; j < f->first[b + 1]; j++)
            if (a == b ? i != j : !f->end[i].is_second && !f->end[j].is_second)
                look_at_pair(f, most, f->end[i].node, f->end[j].node, stack);
}

struct ideal_most sim_ideal_most(const struct sim *s)
{
    struct search     f = { .sim = s, .route = &s->net.route[0] };
    uint32_t         *stack = xcalloc(s->net.nodes + 1ul, sizeof *stack);
    struct ideal_most most = { 0 };

    find_hops(&f);
    find_ends(&f);
    f.way = xcalloc(s->net.nodes + 1ul, sizeof *f.way);
    for (uint32_t b = 0; b < f.route->groups; b++)
        for (uint32_t a = 0; a < f.route->groups; a++)
            look_at_groups(&f, &most, a, b, stack);
    free(f.way);
    free(f.first);
    free(f.end);
    free(f.hop);
    free(stack);
    return most;
}
