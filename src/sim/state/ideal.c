/* src/sim/state/ideal.c - how long a flow takes that is alone in the network, by closed forms. tests/oracle/
 * holds the simulation against them. */
#include "sim/state/ideal.h"
#include "sim/link/path.h"

struct path {                    /* sending ports from source to destination */
    uint32_t        hops;
    uint32_t        port[IDEAL_HOPS_MAX];
    const uint32_t *ways;        /* by hop: links that the packets of a flow share; NULL: one each */
};

/* The next hops at a switch to a host, as many as the result. */
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

/* One shortest path, the first of those there are, by the routes of an epoch. */
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

/* The forks' scripts: a sum over the links of the path, and the rest at the slowest. */
static uint64_t rough_ps(const struct sim *s, const struct path *path, uint64_t bytes, uint64_t slowest)
{
    uint64_t ps = 0;

    for (uint32_t i = 0; i < path->hops; i++)
        ps += s->model.hop_ps(&s->cfg, &s->net.port[path->port[i]]);
    return ps + s->model.rest_ps(s, bytes, slowest);
}

struct frames { uint32_t payload_bytes, header_bytes, ack_bytes, ack_every; };

/* Exact: when the last packet has arrived and its ACK is back. Of n packets all but the last are full; the
 * last but one has left hop i when the first has, plus n - 2 times the longest time on a wire so far, and
 * the last leaves when it has arrived and the one before it has left. On the way back only the last ACK
 * can have to wait for the one before it, when the last packet was shorter than an ACK. Packets that are
 * sprayed share the links of a hop, in turn: the last waits for the one before it on its own link. */
static uint64_t ideal_exact_ps(const struct sim *s, const struct path *path, uint64_t bytes,
                               const struct frames *frames)
{
    uint64_t payload = frames->payload_bytes, packets = (bytes + payload - 1) / payload;
    uint32_t full = frames->payload_bytes + frames->header_bytes;
    uint32_t last = (uint32_t)(bytes - (packets - 1) * payload) + frames->header_bytes;
    uint64_t first = 0, one = 0, two = 0;    /* when the first, the last but one, and the last arrive */
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

/* ---- where paths differ ---- */

#define PATHS_MAX 256u            /* that are compared for one flow */

struct best {
    const struct sim    *s;
    const struct frames *frames;
    uint64_t             bytes, ps;
    uint32_t             dst, paths;
    struct path          path;
};

/* Every way on from 'port', the last of the path. */
static void try_paths(struct best *b, uint32_t port)
{
    uint32_t        node = b->s->net.port[port].peer->node->id, one, hops;
    const uint32_t *hop;

    b->path.port[b->path.hops++] = port;
    if (node == b->dst) {
        uint64_t ps = ideal_exact_ps(b->s, &b->path, b->bytes, b->frames);

        b->ps = b->paths++ == 0 || ps < b->ps ? ps : b->ps;
    } else if (b->s->net.node[node].is_switch && b->path.hops < IDEAL_HOPS_MAX) {
        hops = hops_from(&b->s->net.route[0], node, b->dst, &hop, &one);
        for (uint32_t i = 0; i < hops && b->paths < PATHS_MAX; i++)
            try_paths(b, hop[i]);
    }
    b->path.hops--;
}

/* Whether a switch may choose between links that differ. */
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

            if (entry == last || entry & ROUTE_ONE)      /* of ROUTE_LOCAL, too, that bit is set */
                continue;
            if (is_set_uneven(s, &r->hop[entry]))
                return true;
            last = entry;
        }
    return false;
}

/* ---- where packets take several paths ---- */

/* Is a link between switches slower than that of the host? Otherwise further links are of no use to a lone
 * flow. */
static bool is_narrow(const struct sim *s, const struct path *path)
{
    for (uint32_t i = 1; i + 1 < path->hops; i++)
        if (s->net.port[path->port[i]].rate_bps < s->net.port[path->port[0]].rate_bps)
            return true;
    return false;
}

/* How many links all shortest paths have at each hop, behind the first PATHS_MAX switches. */
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

/* Which way a flow goes is the balancer's business: it is held against the best. 'is_sprayed': against all
 * of them. */
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

/* With 'telemetry_bytes' of what frames carry left out. */
static struct frames frames_of(const struct sim *s, uint32_t telemetry_bytes)
{
    return (struct frames){ s->cfg.mtu_bytes, s->cfg.header_bytes - telemetry_bytes,
                            s->cfg.ack_bytes - telemetry_bytes,
                            s->cfg.ack_every };
}

/* What a control makes frames carry is its own cost, so that all controls are measured against the same. */
uint64_t sim_ideal_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct frames frames = frames_of(s, s->model.telemetry_bytes);
    struct path   path;

    if (s->model.hop_ps)
        return find_path(s, src, dst, &path) ? rough_ps(s, &path, bytes, slowest_bps(s, &path)) : 0;
    return exact_ps(s, src, dst, bytes, &frames, s->spray.kind || (s->uet.classes && s->lb.is_on));
}

/* The request is acknowledged before the data. */
uint64_t sim_ideal_read_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t wait_ps)
{
    struct frames frames = frames_of(s, s->model.telemetry_bytes);
    bool          is_sprayed = s->spray.kind || (s->uet.classes && s->lb.is_on);
    uint64_t      ack_ps = s->net.port[s->net.node[dst].first_port].tx_ps[frames.ack_bytes];

    frames.ack_bytes = 0;
    return exact_ps(s, src, dst, READ_REQUEST_BYTES, &frames, false) + (wait_ps > ack_ps ? wait_ps : ack_ps) +
           exact_ps(s, dst, src, bytes, &frames, is_sprayed);
}

bool sim_has_way(const struct sim *s, uint32_t epoch, uint32_t src, uint32_t dst)
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

/* Full queues take longer than propagation wherever this matters, so it is the switches of the longest way
 * that count, and the slowest of all ports. */
uint64_t sim_full_rtt_ps(const struct sim *s, uint64_t queue_bytes, uint32_t queues)
{
    uint64_t slowest = UINT64_MAX, drain_ps;
    uint32_t hops = s->net.base_rtt_hops;

    if (!hops)
        return 0;
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (s->net.port[i].is_switch && s->net.port[i].rate_bps < slowest)
            slowest = s->net.port[i].rate_bps;
    drain_ps = (uint64_t)((unsigned __int128)queue_bytes * 8 * PS_PER_S / slowest);
    return s->net.base_rtt_ps + drain_ps * (queues < hops - 1 ? queues : hops - 1);
}
