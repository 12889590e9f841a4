/* src/sim/state/ideal.c - the flow completion time of a lone flow, in closed form. tests/oracle/ compares the
 * simulation with it.
 */
#include "sim/state/ideal.h"
#include "sim/link/path.h"

struct path {                    /* sending ports from source to destination */
    uint32_t        hops;
    uint32_t        port[IDEAL_HOPS_MAX];
    const uint32_t *ways;        /* by hop: number of links that the packets
                                  * of a sprayed flow share; NULL: one each */
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
    uint64_t first = 0, one = 0, two = 0;    /* arrivals of the first, the last but one, and the last
                                              * packet */
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

/* Returns true if a link between switches is slower than that of the host. Otherwise further links do not
 * help a lone flow. */
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
                            s->cfg.ack_bytes - telemetry_bytes,
                            s->cfg.ack_every };
}

/* The ideal excludes the telemetry of a congestion control, so that all controls are compared with the same
 * value. */
uint64_t sim_ideal_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct frames frames = frames_of(s, s->model.telemetry_bytes);
    struct path   path;

    if (s->model.hop_ps)
        return find_path(s, src, dst, &path) ? rough_ps(s, &path, bytes, slowest_bps(s, &path)) : 0;
    return exact_ps(s, src, dst, bytes, &frames, s->spray.kind || (s->uet.classes && s->lb.is_on));
}

/* The request is acknowledged before the data is sent. */
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

/* If this matters, full queues take longer than propagation. So the number of switches on the longest path
 * and the slowest port decide. */
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
