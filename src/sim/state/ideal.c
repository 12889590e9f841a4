/* src/sim/state/ideal.c - the flow completion time of a lone flow, in closed form. tests/oracle/ compares the
 * simulation with it.
 */
#include "sim/state/ideal.h"
#include "sim/link/path.h"

#include <stdlib.h>

struct path {                    /* sending ports from source to destination */
    uint32_t        hops;
    uint32_t        port[IDEAL_HOPS_MAX];
    const uint32_t *ways;        /* by hop: links that a sprayed flow uses; NULL: one each */
};

/* Finds the next hops from a switch to a host. Returns their number. */
static uint32_t hops_from(const struct route *r, uint32_t node, uint32_t dst, const uint32_t **hop,
                          uint32_t *one)
{
    uint32_t entry = r->entry[r->row[node] + r->host[dst].group];

    *hop = one;
    if (entry == ROUTE_LOCAL)
        *one = r->host[dst].port;
    else if (entry & ROUTE_ONE)
        *one = entry & ~ROUTE_ONE;
    else
        *hop = &r->hop[entry + 1];
    return entry == ROUTE_LOCAL || entry & ROUTE_ONE ? 1 : r->hop[entry];
}

/* Finds the first shortest path in the routes of an epoch. Returns false if there is none. */
static bool find_path_at(const struct sim *s, uint32_t epoch, uint32_t src, uint32_t dst, struct path *path)
{
    const struct route *r = &s->net.route[epoch];
    uint32_t            port = s->net.node[src].first_port;

    for (path->hops = 0; path->hops < IDEAL_HOPS_MAX; ) {
        uint32_t        node = s->net.port[port].peer->node->id, one;
        const uint32_t *hop;

        path->port[path->hops++] = port;
        if (node == dst)
            return true;
        if (!s->net.node[node].is_switch || !hops_from(r, node, dst, &hop, &one))
            return false;
        port = *hop;
    }
    return false;
}

static bool find_path(const struct sim *s, uint32_t src, uint32_t dst, struct path *path)
{
    return find_path_at(s, 0, src, dst, path);
}

static uint64_t slowest_bps(const struct sim *s, const struct path *path)
{
    uint64_t slowest = UINT64_MAX;

    for (uint32_t i = 0; i < path->hops; i++) {
        uint64_t rate = s->net.port[path->port[i]].rate_bps;

        slowest = rate < slowest ? rate : slowest;
    }
    return slowest;
}

/* The forks' scripts: a sum over the links of the path, plus the rest at the slowest link. */
static uint64_t rough_ps(const struct sim *s, const struct path *path, uint64_t bytes, uint64_t slowest)
{
    uint64_t ps = 0;

    for (uint32_t i = 0; i < path->hops; i++)
        ps += s->model.hop_ps(&s->cfg, &s->net.port[path->port[i]]);
    return ps + s->model.rest_ps(s, bytes, slowest);
}

struct frames { uint32_t payload_bytes, header_bytes, ack_bytes, ack_every; };

/* Exact time until the last packet has arrived and its ACK is back.
 *
 * Of n packets all but the last are full. The last but one has left hop i when the first has, plus n - 2
 * times the longest transmission time so far. The last leaves when it has arrived and the one before it has
 * left. On the return path only the last ACK can be delayed by the one before it, if the last packet was
 * shorter than an ACK. Sprayed packets use the links of a hop in rotation: the last waits for the previous
 * packet on its own link. */
static uint64_t ideal_exact_ps(const struct sim *s, const struct path *path, uint64_t bytes,
                               const struct frames *frames)
{
    uint64_t payload = frames->payload_bytes, packets = (bytes + payload - 1) / payload;
    uint32_t full = frames->payload_bytes + frames->header_bytes;
    uint32_t last = (uint32_t)(bytes - (packets - 1) * payload) + frames->header_bytes;
    uint64_t first = 0, one = 0, two = 0;    /* arrivals of first, last but one, last */
    uint64_t longest = 0;
    bool     is_alone = packets == 1 || (packets - 1) % frames->ack_every != 0;

    for (uint32_t i = 0; i < path->hops; i++) {
        const struct port *p = &s->net.port[path->port[i]];
        uint32_t           ways = path->ways ? path->ways[i] : 1;
        uint64_t           each = ways > 1 ? p->tx_ps[full] / ways : p->tx_ps[full];

        longest = each > longest ? each : longest;
        if (packets > ways) {
            one = first + (packets - 1 - ways) * longest;
            two = one + p->tx_ps[full] > two ? one + p->tx_ps[full] : two;
        }
        first += path_age(p, full);
        one += path_age(p, full);
        two += path_age(p, last);
    }
    for (uint32_t i = frames->ack_bytes ? path->hops : 0; i-- > 0; ) {
        const struct port *p = &s->net.port[path->port[i]];
        uint64_t ack = p->peer->tx_ps[frames->ack_bytes], age = path_age(p->peer, frames->ack_bytes);

        two = (!is_alone && one + ack > two ? one + ack : two) + age;
        one += age;
    }
    return two;
}

/* ---- paths of different speed ---- */

#define PATHS_MAX 256u            /* paths compared per flow */

struct best {
    const struct sim    *s;
    const struct frames *frames;
    uint64_t             bytes, ps;
    uint32_t             dst, paths;
    struct path          path;
};

/* Tries every continuation of the path after 'port', its last port. */
static void try_paths(struct best *b, uint32_t port)
{
    uint32_t        node = b->s->net.port[port].peer->node->id, one;
    const uint32_t *hop;

    b->path.port[b->path.hops++] = port;
    if (node == b->dst) {
        uint64_t ps = ideal_exact_ps(b->s, &b->path, b->bytes, b->frames);

        b->ps = b->paths++ == 0 || ps < b->ps ? ps : b->ps;
    } else if (b->s->net.node[node].is_switch && b->path.hops < IDEAL_HOPS_MAX) {
        uint32_t hops = hops_from(&b->s->net.route[0], node, b->dst, &hop, &one);
        for (uint32_t i = 0; i < hops && b->paths < PATHS_MAX; i++)
            try_paths(b, hop[i]);
    }
    b->path.hops--;
}

/* Returns true if a switch may choose between links of different speed or delay. */
static bool is_set_uneven(const struct sim *s, const uint32_t *hop)
{
    for (uint32_t i = 1; i < hop[0]; i++) {
        const struct port *a = &s->net.port[hop[1]], *b = &s->net.port[hop[1 + i]];

        if (a->rate_bps != b->rate_bps || a->delay_ps != b->delay_ps)
            return true;
    }
    return false;
}

bool sim_ideal_is_uneven(const struct sim *s)
{
    const struct route *r = &s->net.route[0];

    for (uint32_t n = 0; n < s->net.nodes; n++)
        for (uint32_t group = 0, last = ROUTE_LOCAL; s->net.node[n].is_switch && group < r->groups; group++) {
            uint32_t entry = r->entry[r->row[n] + group];

            if (entry == last || entry & ROUTE_ONE)      /* ROUTE_LOCAL also has that bit */
                continue;
            if (is_set_uneven(s, &r->hop[entry]))
                return true;
            last = entry;
        }
    return false;
}

/* ---- sprayed packets ---- */

/* Returns true if a switch link is slower than the host's: only then do more links help a lone flow. */
static bool is_narrow(const struct sim *s, const struct path *path)
{
    for (uint32_t i = 1; i + 1 < path->hops; i++)
        if (s->net.port[path->port[i]].rate_bps < s->net.port[path->port[0]].rate_bps)
            return true;
    return false;
}

/* Counts the links of all shortest paths at each hop, for at most PATHS_MAX switches per hop. */
static void count_ways(const struct sim *s, const struct path *path, uint32_t dst, uint32_t *ways)
{
    uint32_t nodes[2][PATHS_MAX], count = 1;

    ways[0] = 1;
    nodes[1][0] = s->net.port[path->port[0]].peer->node->id;
    for (uint32_t i = 1; i < path->hops; i++) {
        uint32_t *at = nodes[i & 1], *next = nodes[~i & 1], found = 0;

        ways[i] = 0;
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t *hop;
            uint32_t        one, hops = hops_from(&s->net.route[0], at[n], dst, &hop, &one);

            ways[i] += hops;
            for (uint32_t h = 0, seen; h < hops && i + 1 < path->hops; h++) {
                uint32_t node = s->net.port[hop[h]].peer->node->id;

                for (seen = 0; seen < found && next[seen] != node; seen++);
                if (seen == found && found < PATHS_MAX)
                    next[found++] = node;
            }
        }
        count = found;
    }
}

/* Returns the ideal over the best path, since the balancer chooses the path. 'is_sprayed': over all paths. */
static uint64_t exact_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes,
                         const struct frames *frames, bool is_sprayed)
{
    struct best best = { .s = s, .frames = frames, .bytes = bytes, .dst = dst };
    uint32_t    ways[IDEAL_HOPS_MAX];

    if (is_sprayed && find_path(s, src, dst, &best.path) && is_narrow(s, &best.path)) {
        count_ways(s, &best.path, dst, ways);
        best.path.ways = ways;
    }
    if (!s->net.is_uneven)
        return find_path(s, src, dst, &best.path) ? ideal_exact_ps(s, &best.path, bytes, frames) : 0;
    best.path.hops = 0;
    try_paths(&best, s->net.node[src].first_port);
    return best.ps;
}

/* Returns frame sizes without 'telemetry_bytes'. */
static struct frames frames_of(const struct sim *s, uint32_t telemetry_bytes)
{
    return (struct frames){ s->cfg.mtu_bytes, s->cfg.header_bytes - telemetry_bytes,
                            s->cfg.ack_bytes - telemetry_bytes, s->cfg.ack_every };
}

/* Excludes telemetry, so that all congestion controls are compared with the same value. */
uint64_t sim_ideal_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct frames frames = frames_of(s, s->model.telemetry_bytes);
    struct path   path;

    if (s->model.hop_ps)
        return find_path(s, src, dst, &path) ? rough_ps(s, &path, bytes, slowest_bps(s, &path)) : 0;
    return exact_ps(s, src, dst, bytes, &frames, s->spray.kind || (s->sw.trim.classes && s->lb.is_on));
}

/* The request is acknowledged before the data is sent. */
uint64_t sim_ideal_read_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t wait_ps)
{
    struct frames frames = frames_of(s, s->model.telemetry_bytes);
    bool          is_sprayed = s->spray.kind || (s->sw.trim.classes && s->lb.is_on);
    uint64_t      ack_ps = s->net.port[s->net.node[dst].first_port].tx_ps[frames.ack_bytes];

    frames.ack_bytes = 0;
    return exact_ps(s, src, dst, READ_REQUEST_BYTES, &frames, false) + (wait_ps > ack_ps ? wait_ps : ack_ps) +
           exact_ps(s, dst, src, bytes, &frames, is_sprayed);
}

uint64_t sim_ideal_message_ps(const struct sim *s, uint32_t src, const struct flow_spec *spec)
{
    if (spec->op.verb == VERB_READ)
        return sim_ideal_read_ps(s, spec->dst, src, spec->bytes, spec->op.wait_ps);
    return sim_ideal_ps(s, src, spec->dst, spec->bytes);
}

bool sim_has_path(const struct sim *s, uint32_t epoch, uint32_t src, uint32_t dst)
{
    struct path path;

    return find_path_at(s, epoch, src, dst, &path);
}

uint64_t sim_ideal_rerouted_ps(const struct sim *s, uint32_t epoch, uint32_t src, uint32_t dst,
                               uint64_t bytes)
{
    struct path first, now;

    if (!find_path(s, src, dst, &first))
        return 0;
    return rough_ps(s, &first, bytes, slowest_bps(s, find_path_at(s, epoch, src, dst, &now) ? &now : &first));
}

uint64_t sim_ideal_tcp_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mss_bytes)
{
    struct frames frames = { mss_bytes, TCP_HEADER_BYTES, TCP_HEADER_BYTES, TCP_ACK_EVERY };

    return exact_ps(s, src, dst, bytes, &frames, false);
}

uint64_t sim_base_rtt_ps(const struct sim *s, uint32_t src, uint32_t dst)
{
    struct frames frames = frames_of(s, 0);
    struct path   path = { 0 };

    if (!find_path(s, src, dst, &path))
        return 0;
    return s->model.hop_ps ? rough_ps(s, &path, 0, slowest_bps(s, &path)) :
                             ideal_exact_ps(s, &path, s->cfg.mtu_bytes, &frames);
}

uint64_t sim_pair_bdp_bytes(const struct sim *s, uint32_t src, uint32_t dst)
{
    uint64_t    rtt_ns = sim_base_rtt_ps(s, src, dst) / PS_PER_NS;
    struct path path;

    if (!find_path(s, src, dst, &path))
        return 0;
    return (uint64_t)((unsigned __int128)rtt_ns * slowest_bps(s, &path) / 1000000000u) / 8;
}

/* If this matters, full queues take longer than propagation. So the number of switches on the longest path
 * and the slowest port decide. */
uint64_t sim_full_rtt_ps(const struct sim *s, uint64_t queue_bytes, uint32_t queues)
{
    uint64_t slowest = UINT64_MAX;
    uint32_t hops = s->net.base_rtt_hops;

    if (!hops)
        return 0;
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (s->net.port[i].is_switch && s->net.port[i].rate_bps < slowest)
            slowest = s->net.port[i].rate_bps;
    uint64_t drain_ps = (uint64_t)((unsigned __int128)queue_bytes * 8 * PS_PER_S / slowest);
    return s->net.base_rtt_ps + drain_ps * (queues < hops - 1 ? queues : hops - 1);
}

/* the longest paths of a network: visits every pair of racks in a few steps.
 *
 * The round trip of a lone packet is a sum over links. So the part between a switch and the target is stored
 * once it is known, and other paths through that switch stop there.
 */

struct way { uint64_t ps, slowest_bps; uint32_t hops, target; };  /* target: the group it leads to, plus 1 */

struct search {
    const struct sim   *sim;
    const struct route *route;
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

/* Returns the time to cross a link in both directions. */
static uint64_t hop_ps(const struct sim *s, const struct port *p)
{
    if (s->model.hop_ps)
        return s->model.hop_ps(&s->cfg, p);
    return (uint64_t)path_age(p, s->cfg.mtu_bytes + s->cfg.header_bytes) +
           path_age(p->peer, s->cfg.ack_bytes);
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
        const struct port *p = &net->port[net->node[n].first_port];

        if (!net->node[n].is_switch)
            f->end[hosts++] = (struct end){ f->sim->model.hop_ps ? p->rate_bps : 0, hop_ps(f->sim, p),
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

static void add_hop(const struct search *f, struct way *w, const struct port *p)
{
    w->ps += hop_ps(f->sim, p);
    w->slowest_bps = p->rate_bps < w->slowest_bps ? p->rate_bps : w->slowest_bps;
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
        w->target = group + 1;
        if (f->route->entry[f->route->row[at] + group] == ROUTE_LOCAL) {
            *w = (struct way){ .slowest_bps = UINT64_MAX, .target = group + 1 };
            break;
        }
        uint32_t port = next_port(f, at, group);
        if (port == UINT32_MAX) {
            w->hops = UINT32_MAX;
            break;
        }
        stack[depth++] = at;
        at = f->sim->net.port[port].peer->node->id;
        w = &f->way[at];
    }
    while (depth-- > 0) {
        const struct way *behind = w;

        at = stack[depth];
        w = &f->way[at];
        *w = *behind;
        if (w->hops != UINT32_MAX)
            add_hop(f, w, &f->sim->net.port[next_port(f, at, group)]);
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
    const struct port       *first = &net->port[net->node[src].first_port];
    const struct node       *near = first->peer->node;
    struct way               w = { .slowest_bps = UINT64_MAX };

    if (near->id != dst) {
        if (!near->is_switch)
            return;
        w = *find_way(f, near->id, h->group, stack);
        if (w.hops == UINT32_MAX)
            return;
        add_hop(f, &w, &net->port[h->port]);
    }
    add_hop(f, &w, first);
    uint64_t bdp_bytes = f->sim->model.hop_ps ? bdp_of(&w) : 0;
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

    find_ends(&f);
    f.way = xcalloc(s->net.nodes + 1ul, sizeof *f.way);
    for (uint32_t b = 0; b < f.route->groups; b++)
        for (uint32_t a = 0; a < f.route->groups; a++)
            look_at_groups(&f, &most, a, b, stack);
    free(f.way);
    free(f.first);
    free(f.end);
    free(stack);
    return most;
}
