/* src/sim/state/ideal.c - how long a flow takes that is alone in the network, by closed forms. tests/oracle/ holds the
 * simulation against them. */
#include "sim/state/ideal.h"

struct path { uint32_t hops; uint32_t port[IDEAL_HOPS_MAX]; };   /* sending ports from source to destination */

/* One shortest path, the first of those there are. */
static bool find_path(const struct sim *s, uint32_t src, uint32_t dst, struct path *path)
{
    const struct route *r = &s->net.route[0];
    uint32_t            port = s->net.node[src].first_port;

    for (path->hops = 0; path->hops < IDEAL_HOPS_MAX; ) {
        uint32_t node = s->net.port[port].peer->node->id, entry;

        path->port[path->hops++] = port;
        if (node == dst)
            return true;
        if (!s->net.node[node].is_switch)
            return false;
        entry = r->entry[r->row[node] + r->host[dst].group];
        if (entry == ROUTE_LOCAL)
            port = r->host[dst].port;
        else if (entry & ROUTE_ONE)
            port = entry & ~ROUTE_ONE;
        else if (r->hop[entry] > 0)
            port = r->hop[entry + 1];
        else
            return false;
    }
    return false;
}

/* HPCC's scripts: two ways of propagation, one full payload per hop, all bytes at the slowest link; whole
 * nanoseconds. */
static uint64_t ideal_hpcc_ps(const struct sim *s, const struct path *path, uint64_t bytes)
{
    uint32_t header = s->cfg.header_bytes - s->model.telemetry_bytes;
    uint64_t slowest = UINT64_MAX, ns = 0, packets = (bytes + s->cfg.mtu_bytes - 1) / s->cfg.mtu_bytes;

    for (uint32_t i = 0; i < path->hops; i++) {
        const struct port *p = &s->net.port[path->port[i]];

        ns += 2ull * p->delay_ps / PS_PER_NS + s->cfg.mtu_bytes * 8000000000ull / p->rate_bps;
        slowest = p->rate_bps < slowest ? p->rate_bps : slowest;
    }
    ns += (uint64_t)((unsigned __int128)(bytes + header * packets) * 8000000000u / slowest);
    return ns * PS_PER_NS;
}

struct frames { uint32_t payload_bytes, header_bytes, ack_bytes, ack_every; };

/* Exact: when the last packet has arrived, each hop storing and forwarding, and its ACK is back. Of n
 * packets all but the last are full; the last but one has left hop i at the sum of full times up to i plus
 * n - 2 times the longest of them, and the last leaves when it has arrived and the one before it has left.
 * On the way back only the last ACK can have to wait for the one before it, when the last packet was
 * shorter than an ACK. */
static uint64_t ideal_exact_ps(const struct sim *s, const struct path *path, uint64_t bytes,
                               const struct frames *frames)
{
    uint64_t payload = frames->payload_bytes, packets = (bytes + payload - 1) / payload;
    uint32_t full = frames->payload_bytes + frames->header_bytes;
    uint32_t last = (uint32_t)(bytes - (packets - 1) * payload) + frames->header_bytes;
    uint64_t sum = 0, longest = 0, one = 0, two = 0;     /* when the last but one, and the last, arrive */
    bool     is_alone = packets == 1 || (packets - 1) % frames->ack_every != 0;

    for (uint32_t i = 0; i < path->hops; i++) {
        const struct port *p = &s->net.port[path->port[i]];

        sum += p->tx_ps[full];
        longest = p->tx_ps[full] > longest ? p->tx_ps[full] : longest;
        if (packets > 1) {
            one = sum + (packets - 2) * longest;
            two = one > two ? one : two;
        }
        sum += p->delay_ps;
        one += p->delay_ps;
        two += p->tx_ps[last] + p->delay_ps;
    }
    for (uint32_t i = path->hops; i-- > 0; ) {
        const struct port *p = &s->net.port[path->port[i]];
        uint64_t           ack = p->peer->tx_ps[frames->ack_bytes];

        one += ack;
        two = (!is_alone && one > two ? one : two) + ack + p->delay_ps;
        one += p->delay_ps;
    }
    return two;
}

/* With 'telemetry_bytes' of what frames carry left out. */
static uint64_t ideal_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t telemetry_bytes)
{
    struct frames frames = { s->cfg.mtu_bytes, s->cfg.header_bytes - telemetry_bytes, s->cfg.ack_bytes - telemetry_bytes,
                             s->cfg.ack_every };
    struct path   path;

    if (!find_path(s, src, dst, &path))
        return 0;
    return s->model.is_ideal_rough ? ideal_hpcc_ps(s, &path, bytes) : ideal_exact_ps(s, &path, bytes, &frames);
}

/* What a control makes frames carry is its own cost, so that all controls are measured against the same. */
uint64_t sim_ideal_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes)
{
    return ideal_ps(s, src, dst, bytes, s->model.telemetry_bytes);
}

uint64_t sim_ideal_tcp_ps(const struct sim *s, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mss_bytes)
{
    struct frames frames = { mss_bytes, TCP_HEADER_BYTES, TCP_HEADER_BYTES, TCP_ACK_EVERY };
    struct path   path;

    return find_path(s, src, dst, &path) ? ideal_exact_ps(s, &path, bytes, &frames) : 0;
}

uint64_t sim_base_rtt_ps(const struct sim *s, uint32_t src, uint32_t dst)
{
    return ideal_ps(s, src, dst, s->model.rtt_bytes, 0);
}

/* Full queues take longer than propagation wherever this matters, so it is the switches of the longest way that count, and
 * the slowest of all ports. */
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
