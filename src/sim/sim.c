/* src/sim/sim.c - builds the world, turns its knobs and checks it. run.c lets it run. */
#include "sim/sim.h"
#include "sim/switch/balance.h"
#include "sim/host/cnp_arbiter.h"
#include "sim/switch/conweave_buffer.h"
#include "core/hpcc_time.h"
#include "sim/partition.h"
#include "sim/run.h"
#include "sim/switch/switch.h"
#include "traffic/traffic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX    (1u << 20)  /* what the order of events has bits for */
#define PACKETS_MAX  (1u << 26)
#define FLOWS_MAX    (1u << 22)
#define SPAN_MAX_PS  (64 * PS_PER_US)    /* what lies further ahead waits in the heap */
#define EVENT_GAP_PS (80 * PS_PER_NS)   /* of one port, about */
#define LINKS_MANY   2048u       /* 2 MB of ports */
#define ALL_PARTS    UINT32_MAX

const char *const sim_model_names[] = { "nic", "hpcc", "conweave", NULL };

/* ---- building ---- */

static uint32_t largest_frame(const struct sim *s)
{
    uint32_t most = s->cfg.mtu_bytes + s->cfg.header_bytes;

    for (uint32_t i = 0; i < s->cfg.tcps; i++) {
        uint32_t bytes = s->cfg.tcp[i].mss_bytes + TCP_HEADER_BYTES;

        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Time on the wire for every size of frame, one table per speed. In model hpcc whole nanoseconds,
 * truncated; otherwise exact (rounded up where a speed does not divide a picosecond), preamble and gap
 * included. */
static const uint32_t *tx_table(struct sim *s, uint64_t rate_bps)
{
    uint32_t  sizes = largest_frame(s) + s->cfg.ack_bytes + s->cfg.cnp_bytes + s->cfg.pfc_bytes;
    uint32_t *t;

    for (uint32_t i = 0; i < s->ports; i++)
        if (s->port[i].tx_ps && s->port[i].rate_bps == rate_bps)
            return s->port[i].tx_ps;
    t = arena_alloc(&s->arena, sizes + 1, sizeof *t);
    for (uint32_t b = 0; b <= sizes; b++)
        t[b] = (uint32_t)(s->cfg.model != MODEL_NIC
                              ? hpcc_tx_ns(b, rate_bps) * PS_PER_NS
                              : ((uint64_t)(b + s->cfg.spacing_bytes) * 8 * PS_PER_S + rate_bps - 1) / rate_bps);
    return t;
}

static void build_port(struct sim *s, struct port *p, uint32_t node, uint32_t link, uint32_t index)
{
    const struct graph_link *l = &s->graph.link[link];

    *p = (struct port){ .node = &s->node[node], .id = (uint32_t)(p - s->port), .link = link, .index = index,
                        .rate_bps = l->rate_bps, .delay_ps = (uint32_t)l->delay_ps,
                        .is_switch = s->graph.node[node].is_switch, .loss = l->loss, .ber = l->ber,
                        .is_lossy = l->loss > 0 || l->ber > 0 };
    p->slow_path = p->is_lossy ? SLOW_LINK : 0;
    p->tx_ps = tx_table(s, l->rate_bps);
}

static void build_ports(struct sim *s)
{
    struct graph *g = &s->graph;
    uint32_t     *made = xcalloc(g->nodes, sizeof *made), first = 0;

    s->ports = 2 * g->links;
    s->port = arena_alloc(&s->arena, s->ports, sizeof *s->port);
    for (uint32_t i = 0; i < g->links; i++)
        s->node[g->link[i].a].ports++, s->node[g->link[i].b].ports++;
    for (uint32_t n = 0; n < g->nodes; n++) {
        s->node[n].first_port = first;
        first += s->node[n].ports;
    }
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t a = g->link[i].a, b = g->link[i].b;
        uint32_t x = s->node[a].first_port + made[a]++, y = s->node[b].first_port + made[b]++;

        build_port(s, &s->port[x], a, i, made[a]);
        build_port(s, &s->port[y], b, i, made[b]);
        s->port[x].peer = &s->port[y];
        s->port[y].peer = &s->port[x];
    }
    free(made);
}

/* What may still come in after a pause frame was ordered: the frame waits for one full packet, both ways
 * of the wire are full, the peer finishes a packet; two more for what overran the threshold. Model hpcc:
 * three times rate x delay. */
static uint32_t headroom(const struct sim *s, const struct port *p)
{
    uint64_t full = largest_frame(s) + s->cfg.spacing_bytes;

    if (s->cfg.headroom_bytes)
        return (uint32_t)s->cfg.headroom_bytes;
    if (s->cfg.model == MODEL_HPCC)
        return (uint32_t)(p->rate_bps * (p->delay_ps / PS_PER_NS) / 8 / 1000000000 * 3);
    full *= 4;
    return (uint32_t)((unsigned __int128)p->rate_bps * p->delay_ps * 2 / 8 / PS_PER_S + full + s->cfg.pfc_bytes +
                      s->cfg.spacing_bytes);
}

static void put_ecn(const struct sim *s, struct port *p, const struct ecn_cfg *ecn)
{
    uint32_t kmin;

    p->ecn = *ecn;
    if (!s->cfg.ecn_on)
        p->ecn.kmin_bytes = UINT32_MAX;
    kmin = p->ecn.kmin_bytes;
    for (uint32_t c = 0; c < PRIOS; c++)         /* the least: mark() looks closer */
        if (s->ecn_prios >> c & 1 && s->ecn_class[c].kmin_bytes < kmin)
            kmin = s->ecn_class[c].kmin_bytes;
    p->mark_above_bytes = kmin < UINT32_MAX - s->unmarked_bytes ? kmin + s->unmarked_bytes : UINT32_MAX;
    if (s->cfg.ecn_at_enqueue)
        p->mark_above_bytes = UINT32_MAX;
}

/* As the knobs say, or the table of port speeds. */
static void set_ecn(struct sim *s, struct port *p, bool use_table)
{
    const double   *k = s->cfg.knobs.value;
    struct ecn_rate e = { 0, k[KNOB_kmin], k[KNOB_kmax], k[KNOB_pmax] };

    for (uint32_t i = 0; use_table && i < s->cfg.ecn_rates; i++)
        if (s->cfg.ecn_rate[i].rate_bps == p->rate_bps)
            e = s->cfg.ecn_rate[i];
    put_ecn(s, p, &(struct ecn_cfg){ (uint32_t)(e.kmin_kb * 1000), (uint32_t)(e.kmax_kb * 1000), e.pmax });
}

void sim_set_ecn(struct sim *s, uint32_t port, const struct ecn_cfg *ecn)
{
    put_ecn(s, &s->port[port], ecn);
}

/* Thresholds of classes are the same at every port, and stay when the knobs change. */
static void build_ecn_classes(struct sim *s)
{
    for (uint32_t c = 0; c < PRIOS && s->cfg.ecn_on; c++) {
        const struct ecn_class *e = &s->cfg.ecn_class[c];

        if (!e->is_set)
            continue;
        s->ecn_prios |= (uint8_t)(1u << c);
        s->ecn_class[c] = (struct ecn_cfg){ (uint32_t)(e->kmin_kb * 1000), (uint32_t)(e->kmax_kb * 1000), e->pmax };
    }
}

/* Which classes have PFC. */
static void build_classes(struct sim *s)
{
    if (s->cfg.lossy_by_traffic)
        s->cfg.lossy_prios = traffic_prios_tcp(s->traffic);
    s->lossless_prios = s->cfg.is_lossless ? (uint8_t)~s->cfg.lossy_prios : 0;
    if (s->cfg.model != MODEL_NIC)
        s->lossless_prios &= (uint8_t)~1u;       /* there class 0 is not booked at all */
    if (s->cfg.model == MODEL_CONWEAVE)
        s->lossless_prios = 0;                   /* see conweave_buffer.h */
    s->pfc_queue = s->cfg.model == MODEL_CONWEAVE ? 0 : QUEUE_CONTROL;       /* there with ACKs, in turn */
    s->unmarked_bytes = s->cfg.model == MODEL_CONWEAVE ? CONWEAVE_QUEUE_BYTES : 0;
    for (uint32_t c = 0; c < PRIOS; c++)
        s->ack_prio[c] = s->cfg.has_ack_prio ? s->cfg.ack_prio : (uint8_t)c;
    build_ecn_classes(s);
    s->queue_prios = (uint8_t)((s->lossless_prios ? s->lossless_prios : 0xff) & ~s->ecn_prios);
}

static int build_switch(struct sim *s, struct node *n, uint64_t host_bps, struct err *err)
{
    uint32_t classes = (uint32_t)__builtin_popcount(traffic_prios(s->traffic) & ~(uint32_t)s->cfg.lossy_prios);
    int64_t  set_aside = 0;

    if (s->cfg.model == MODEL_HPCC)
        classes = 1;             /* the fork sets one share aside, whatever is used */
    for (uint32_t i = 0; i < n->ports; i++) {
        struct port *p = &s->port[n->first_port + i];

        p->headroom_bytes_max = s->cfg.is_lossless ? headroom(s, p) : 0;
        set_aside += (int64_t)classes * (p->headroom_bytes_max + s->cfg.reserve_bytes);
        p->shift = (uint8_t)s->cfg.pfc_shift;
        for (uint64_t r = p->rate_bps; r > host_bps && p->shift > 0; r /= 2)
            p->shift--;
        set_ecn(s, p, true);
    }
    n->shared_bytes_max = (int64_t)s->cfg.buffer_bytes - set_aside;
    n->shared_bytes_left = n->shared_bytes_max;
    if (s->cfg.model == MODEL_CONWEAVE) {
        conweave_buffer_init(s, n);
        set_aside = (int64_t)s->cfg.buffer_bytes - n->shared_bytes_max;
    }
    if (s->cfg.is_lossless && n->shared_bytes_max <= 0)
        return err_set(err, EINVAL,
                       "the buffer of %s (%llu bytes) is smaller than the headroom and reserve of its %u ports "
                       "(%lld bytes)",
                       s->graph.node[n->id].name, (unsigned long long)s->cfg.buffer_bytes, n->ports,
                       (long long)set_aside);
    return 0;
}

/* One configuration of congestion control per speed of host links. */
static void configure_cc(struct sim *s)
{
    for (uint32_t i = 0; i < s->cc_cfgs; i++) {
        struct cc_link link = { s->cc_rate[i], s->base_rtt_ps, s->cfg.mtu_bytes };

        s->cfg.cc->configure(s->cc_cfg + (size_t)i * CC_CFG_MAX, &s->cfg.knobs, &link);
    }
}

static void build_hosts(struct sim *s)
{
    s->host = arena_alloc(&s->arena, s->hosts, sizeof *s->host);
    s->cc_cfg = arena_alloc(&s->arena, s->hosts, CC_CFG_MAX);
    s->cc_rate = arena_alloc(&s->arena, s->hosts, sizeof *s->cc_rate);
    for (uint32_t n = 0, i = 0; n < s->nodes; n++) {
        struct host *h = &s->host[i];
        uint32_t     c = 0;

        if (s->node[n].is_switch)
            continue;
        s->node[n].host = i++;
        *h = (struct host){ .node = n, .port = s->node[n].first_port, .rtt_due_ps = NEVER };
        while (c < s->cc_cfgs && s->cc_rate[c] != s->port[h->port].rate_bps)
            c++;
        if (c == s->cc_cfgs)
            s->cc_rate[s->cc_cfgs++] = s->port[h->port].rate_bps;
        h->cc_cfg = s->cc_cfg + (size_t)c * CC_CFG_MAX;
        if (s->cfg.model == MODEL_HPCC)
            h->pair_sport = arena_alloc(&s->list_arena, s->hosts, sizeof *h->pair_sport);
        else
            h->cnp_by_source = arena_alloc(&s->list_arena, CNP_SOURCES, sizeof *h->cnp_by_source);
    }
}

void sim_use_routes(struct sim *s, struct node *n)
{
    const struct route *r = &s->route[n->epoch];

    n->route_host = r->host;
    n->route_entry = r->entry + r->row[n->id];
    n->route_hop = r->hop;
    n->route_paths = r->paths ? r->paths + r->row[n->id] : NULL;
}

/* Do links between switches differ in speed, those that are down having none? If not, next hops are taken for
 * equal: nobody would weigh them. */
static bool links_differ(const struct graph *g, const bool *down)
{
    uint64_t rate_bps = 0;

    for (uint32_t i = 0; i < g->links; i++) {
        const struct graph_link *l = &g->link[i];

        if (!g->node[l->a].is_switch || !g->node[l->b].is_switch)
            continue;
        if (down[i] || (rate_bps && l->rate_bps != rate_bps))
            return true;
        rate_bps = l->rate_bps;
    }
    return false;
}

/* Both forks sort next hops by the addresses of their objects. HPCC's switches are so large that each is mapped by
 * itself, from the top down; ConWeave's lie on the heap, in the order in which they were made. */
static void build_epoch(struct sim *s, struct route *r, const uint32_t *first_port, const bool *down)
{
    struct route_cfg cfg = { .first_port = first_port, .down = down,
                             .is_weighted = s->cfg.lb_weighted && links_differ(&s->graph, down),
                             .with_paths = s->is_balanced, .is_ascending = s->cfg.model == MODEL_CONWEAVE };

    route_build(r, &s->arena, &s->graph, &cfg);
}

/* One set of routes for every moment at which links change, made before the run. */
static void build_routes(struct sim *s)
{
    struct link_change *c = s->cfg.change;
    uint32_t           *first_port = xcalloc(s->nodes + 1, sizeof *first_port);
    bool               *down = xcalloc(s->graph.links + 1, sizeof *down);
    uint32_t            epochs = 1, e = 0;

    for (uint32_t i = 0; i < s->cfg.changes; i++)
        epochs += i == 0 || c[i].at_ps != c[i - 1].at_ps;
    for (uint32_t n = 0; n < s->nodes; n++)
        first_port[n] = s->node[n].first_port;
    s->route = arena_alloc(&s->arena, epochs, sizeof *s->route);
    build_epoch(s, &s->route[0], first_port, down);
    for (uint32_t i = 0; i < s->cfg.changes; i++) {
        down[c[i].link] = !c[i].is_up;
        if (i + 1 == s->cfg.changes || c[i + 1].at_ps != c[i].at_ps)
            build_epoch(s, &s->route[++e], first_port, down);
    }
    for (uint32_t n = 0; n < s->nodes; n++)
        sim_use_routes(s, &s->node[n]);
    free(down);
    free(first_port);
}

/* One slot for everything that can wait for a moment: see dispatch(). */
static void build_slots(struct sim *s, struct arena *arena)
{
    uint64_t span = 0;
    bool     is_large;

    s->slot_wake = 2 * s->ports;
    s->slot_timeout = s->slot_wake + s->hosts;
    s->slot_change = s->slot_timeout + s->hosts;
    s->slot_tcp = s->slot_change + s->nodes;
    s->slot_turn = s->slot_tcp + (s->tcp ? 2 * s->hosts : 0);
    s->slot_pause = s->slot_turn + (s->cfg.cc->takes_turns ? s->hosts : 0);
    s->slot_flow = s->slot_pause + (s->cfg.pause_ps ? 2 * s->ports * PRIOS : 0);
    for (uint32_t i = 0; i < s->ports; i++) {
        uint64_t reach = s->port[i].delay_ps + s->port[i].tx_ps[largest_frame(s)];

        span = reach > span ? reach : span;
    }
    span += PS_PER_US;
    /* A busy port has an event or two per packet, every 80 ns or so: one event to a bucket. In a large
     * network some to a bucket, so that it can be looked ahead. */
    is_large = s->graph.links >= LINKS_MANY;
    s->slot_signal = s->slot_flow + traffic_streams(s->traffic);
    evq_init(&s->evq, arena, s->slot_signal + 1,
             is_large ? 256 : EVENT_GAP_PS / (s->ports + 1), span < SPAN_MAX_PS ? span : SPAN_MAX_PS);
    if (is_large) {
        s->evq.on_open = run_look_ahead;
        s->evq.on_open_arg = s;
    }
    for (uint32_t i = 0; i < s->ports; i++) {
        struct port *p = &s->port[i];

        run_own(s, sim_slot_arrive(p), p->peer->is_switch ? EV_AT_SWITCH : EV_AT_HOST, p);
        if (p->is_switch)
            run_own(s, sim_slot_free(p), EV_SWITCH_FREE, p);
        else
            run_own(s, sim_slot_free(p), EV_HOST_FREE, &s->host[p->node->host]);
    }
    for (uint32_t i = 0; i < s->hosts; i++) {
        run_own(s, s->slot_wake + i, EV_WAKE, &s->host[i]);
        run_own(s, s->slot_timeout + i, EV_TIMEOUT, &s->host[i]);
    }
    for (uint32_t i = 0; i < s->nodes; i++)
        run_own(s, s->slot_change + i, EV_CHANGE, &s->node[i]);
    for (uint32_t i = s->slot_tcp; i < s->slot_flow; i++)
        run_own(s, i, EV_TIMEOUT, s);
    for (uint32_t i = s->slot_flow; i < s->evq.slots; i++)
        run_own(s, i, EV_FLOW, s);
}

/* All switches of that fork draw from the same stream, each for itself: the first of those that are asked for by
 * number. What other people choose is the seed, not the run. */
static void build_conweave(struct sim *s)
{
    uint32_t seed = (uint32_t)s->cfg.seed;

    s->pausing_until_ps = arena_alloc(&s->arena, 2ul * s->graph.links * PRIOS, sizeof *s->pausing_until_ps);
    s->conweave = arena_alloc(&s->arena, s->nodes, sizeof *s->conweave);
    mrg_init(&s->conweave[0].mrg, seed ? seed : 1, 1ull << 63, 1);
    for (uint32_t i = 1; i < s->nodes; i++)
        s->conweave[i].mrg = s->conweave[0].mrg;
}

static void build_nodes(struct sim *s)
{
    s->nodes = s->graph.nodes;
    s->hosts = s->graph.hosts;
    s->node = arena_alloc(&s->arena, s->nodes, sizeof *s->node);
    for (uint32_t i = 0; i < s->nodes; i++) {
        struct node *n = &s->node[i];

        n->id = i;
        n->next_number = i << 12;
        n->is_switch = s->graph.node[i].is_switch;
        rng_init(&n->rng, s->cfg.seed, i);
    }
    /* Where the fork's streams stand when the first packet is sent: six per node were taken while
     * building. */
    mrg_init(&s->mrg, 1, 6ull * s->nodes + 2, s->cfg.seed);
    if (s->cfg.model == MODEL_CONWEAVE)
        build_conweave(s);
    balance_build(s);
}

/* As many packets as can be at once: full buffers and full wires of the smallest frames, and some in hosts. */
static uint32_t packets_at_once(const struct sim *s, uint32_t part)
{
    uint64_t count = 1u << 16;

    for (uint32_t i = 0; i < s->nodes; i++)
        if (part == ALL_PARTS || s->node[i].part == part)
            count += s->node[i].is_switch ? s->cfg.buffer_bytes / s->cfg.pfc_bytes : 0;
    for (uint32_t i = 0; i < s->graph.links; i++)
        if (part == ALL_PARTS || s->node[s->graph.link[i].a].part == part || s->node[s->graph.link[i].b].part == part)
            count += (uint64_t)((double)s->graph.link[i].rate_bps * (double)s->graph.link[i].delay_ps / (4 * PS_PER_S)) /
                     s->cfg.pfc_bytes + 4096;
    return count < PACKETS_MAX ? (uint32_t)count : PACKETS_MAX;
}

static void build_packets(struct sim *s, uint32_t packets)
{
    size_t tag_bytes = s->is_balanced ? sizeof(struct lb_tag) : 0;

    arena_init(&s->packet_arena, (size_t)packets * (sizeof(struct packet) + tag_bytes) + 64);
    s->packets = (struct packet_pool){ .packet = arena_alloc(&s->packet_arena, packets, sizeof(struct packet)),
                                       .used = 1, .limit = packets };
    if (tag_bytes)
        s->packets.tag = arena_alloc(&s->packet_arena, packets, tag_bytes);
}

/* Addresses are reserved, not memory; but emulators and analysers keep books of what is reserved too. */
static void build_pools(struct sim *s)
{
    bool     is_large = s->graph.links >= LINKS_MANY;
    uint32_t packets = packets_at_once(s, ALL_PARTS), flows = FLOWS_MAX;

    if (!is_large && s->cfg.threads < 8)
        flows = FLOWS_MAX / 8 * (s->cfg.threads ? s->cfg.threads : 1);       /* parts divide them */

    build_packets(s, packets);
    arena_init(&s->flow_arena, (size_t)flows * sizeof(struct flow));
    arena_init(&s->rx_arena, (size_t)flows * sizeof(struct flow_rx));
    /* Model hpcc has a table of all pairs of hosts. */
    arena_init(&s->list_arena, !is_large ? 256ul << 20 : s->cfg.model == MODEL_HPCC ? 8ul << 30 : 2ul << 30);
    s->flow = arena_alloc(&s->flow_arena, flows, sizeof *s->flow);
    s->flow_rx = arena_alloc(&s->rx_arena, flows, sizeof *s->flow_rx);
    s->flow_first = s->flow_used = 1;
    s->flow_limit = flows;
    if (s->cfg.is_selective) {
        arena_init(&s->selective_arena, (size_t)flows * (sizeof *s->selective_tx + sizeof *s->selective_rx) + 128);
        s->selective_tx = arena_alloc(&s->selective_arena, flows, sizeof *s->selective_tx);
        s->selective_rx = arena_alloc(&s->selective_arena, flows, sizeof *s->selective_rx);
        s->at_send |= SEND_SELECTIVE;
    }
    if (!s->cfg.tcps)
        return;
    arena_init(&s->tcp_arena, (size_t)flows * (sizeof(struct tcp_tx) + sizeof(struct tcp_rx)));
    s->tcp = arena_alloc(&s->tcp_arena, flows, sizeof *s->tcp);
    s->tcp_rx = arena_alloc(&s->tcp_arena, flows, sizeof *s->tcp_rx);
    s->tcp_host = arena_alloc(&s->arena, s->hosts, sizeof *s->tcp_host);
}

static void divide(struct sim *s, uint32_t threads)
{
    uint32_t parts = partition_of(s, threads);

    if (parts > 1)
        partition_new(s, parts, threads < parts ? threads : parts);
}

/* What was to be taken over remains the caller's. */
static int abandon(struct sim *s, int rc)
{
    s->graph = (struct graph){ 0 };
    s->traffic = NULL;
    s->cfg.change = NULL;
    sim_free(s);
    return rc;
}

/* A pause is sent again after half of its time, and then waits for the packet on the wire. */
static int check_pause(const struct sim *s, struct err *err)
{
    uint64_t longest_ps = 0;

    for (uint32_t i = 0; i < s->ports; i++) {
        const struct port *p = &s->port[i];
        uint64_t           ps = p->tx_ps[largest_frame(s)] + p->tx_ps[s->cfg.pfc_bytes];

        longest_ps = ps > longest_ps ? ps : longest_ps;
    }
    if (s->cfg.pause_ps / 2 > longest_ps)
        return 0;
    return err_set(err, EINVAL, "a pause_time of %llu ns is too short: sent again after half of it, a pause can come "
                   "%llu ns later", (unsigned long long)(s->cfg.pause_ps / PS_PER_NS),
                   (unsigned long long)(longest_ps / PS_PER_NS));
}

int sim_new(struct sim **out, struct graph *g, const struct sim_cfg *cfg, struct traffic *traffic, struct err *err)
{
    struct sim *s;
    uint64_t    host_bps;
    int         rc;

    if (g->nodes > NODES_MAX || 2ull * g->links > UINT32_MAX / 4)
        return err_set(err, EINVAL, "a network of %u nodes and %u links is too large", g->nodes, g->links);
    for (uint32_t i = 0; i < g->links; i++)
        assert(g->link[i].delay_ps <= GRAPH_DELAY_PS_MAX);
    s = xcalloc(1, sizeof *s);
    s->self = s;
    s->cfg = *cfg;
    s->graph = *g;
    s->traffic = traffic;
    arena_init(&s->arena, g->links >= LINKS_MANY ? 16ul << 30 : (256ul + 32ul * cfg->changes) << 20);
    build_nodes(s);
    build_classes(s);
    build_pools(s);
    build_ports(s);
    balance_connect(s);
    build_hosts(s);
    build_routes(s);
    build_slots(s, &s->arena);
    host_bps = s->hosts ? s->port[s->host[0].port].rate_bps : 0;
    for (uint32_t i = 0; i < s->nodes; i++)
        if (s->node[i].is_switch && (rc = build_switch(s, &s->node[i], host_bps, err)) < 0)
            return abandon(s, rc);
    if (s->cfg.pause_ps && s->cfg.model != MODEL_CONWEAVE && (rc = check_pause(s, err)) < 0)
        return abandon(s, rc);
    s->pass_bytes_max = s->cfg.is_lossless ? s->cfg.reserve_bytes : 0;
    s->base_rtt_ps = sim_longest_rtt_ps(s);
    if (s->cfg.window_bytes == UINT64_MAX)
        s->cfg.window_bytes = (uint64_t)((double)s->base_rtt_ps / (double)PS_PER_S * (double)host_bps / 8);
    configure_cc(s);
    hf2t_configure(s);
    if (s->cfg.record_gaps)
        gaps_record(s);
    run_allocate_streams(s);
    divide(s, s->cfg.threads ? s->cfg.threads : 1);
    run_build_streams(s);
    for (uint32_t i = 0; i < s->nodes && s->cfg.changes; i++)
        run_schedule_change(sim_of(s, i), i, 0);
    s->is_done = s->streams_live == 0;
    *out = s;
    return 0;
}

void sim_free(struct sim *s)
{
    if (!s)
        return;
    partition_free(s->parts);
    free(s->signal);
    if (s->tcp)
        arena_fini(&s->tcp_arena);
    if (s->is_balanced && s->cfg.lb->state_bytes)
        arena_fini(&s->lb_arena);
    arena_fini(&s->selective_arena);
    hf2t_free(s);
    gaps_record_free(s);
    arena_fini(&s->list_arena);
    arena_fini(&s->rx_arena);
    arena_fini(&s->flow_arena);
    arena_fini(&s->packet_arena);
    arena_fini(&s->arena);
    free(s->cfg.change);
    free(s->cc_own);
    traffic_free(s->traffic);
    graph_fini(&s->graph);
    free(s);
}

/* ---- parts ---- */

struct sim *sim_of(const struct sim *s, uint32_t node)
{
    return s->parts ? partition_sim(s->parts, s->node[node].part) : s->self;
}

void sim_own_wire(struct sim *s, uint32_t port, struct port *wire)
{
    run_own(s, sim_slot_arrive(&s->port[port]), wire->peer->is_switch ? EV_AT_SWITCH : EV_AT_HOST, wire);
}

struct sim *sim_new_part(const struct sim *whole, struct arena *arena, uint32_t part, uint32_t parts)
{
    uint32_t    packets = packets_at_once(whole, part), flows = whole->flow_limit / parts;
    struct sim *s = arena_alloc(arena, 1, sizeof *s);

    *s = *whole;
    s->self = s;
    s->is_part = true;
    s->part = part;
    memset(s->list_free, 0, sizeof s->list_free);
    build_packets(s, packets);
    arena_init(&s->list_arena, whole->list_arena.size / parts);
    s->flow_first = s->flow_used = 1 + part * flows;
    s->flow_limit = (part + 1) * flows;
    s->entry_bytes_done = arena_alloc(arena, traffic_entries(s->traffic) + 1ul, sizeof *s->entry_bytes_done);
    build_slots(s, arena);
    return s;
}

void sim_free_part(struct sim *s)
{
    free(s->signal);
    arena_fini(&s->packet_arena);
    arena_fini(&s->list_arena);
}

/* The first unfinished flow from 'id' on among those of one part. */
static uint32_t next_active_of(const struct sim *s, uint32_t id)
{
    for (id = id > s->flow_first ? id : s->flow_first; id < s->flow_used; id++)
        if (s->flow[id].phase == FLOW_ACTIVE)
            return id;
    return 0;
}

uint32_t sim_next_active(const struct sim *s, uint32_t after)
{
    if (!s->parts)
        return next_active_of(s, after + 1);
    for (uint32_t i = 0; i < partition_count(s->parts); i++) {
        uint32_t id = next_active_of(partition_sim(s->parts, i), after + 1);

        if (id)
            return id;
    }
    return 0;
}

/* ---- turning knobs ---- */

/* All hosts of a speed have the same again. */
static void share_cc(struct sim *s)
{
    for (uint32_t i = 0; i < s->hosts; i++)
        for (uint32_t c = 0; c < s->cc_cfgs; c++)
            if (s->cc_rate[c] == s->port[s->host[i].port].rate_bps)
                s->host[i].cc_cfg = s->cc_cfg + (size_t)c * CC_CFG_MAX;
}

void sim_apply_host(struct sim *s, uint32_t host, const struct knobs *knobs)
{
    struct host   *h = &s->host[host];
    struct cc_link link = { s->port[h->port].rate_bps, s->base_rtt_ps, s->cfg.mtu_bytes };
    char          *own;

    if (!s->cc_own)
        s->cc_own = xcalloc(s->hosts, CC_CFG_MAX);
    own = s->cc_own + (size_t)host * CC_CFG_MAX;
    if (s->cfg.cc->on_due)
        host_catch_up(sim_of(s, h->node), h);
    s->cfg.cc->configure(own, knobs, &link);
    h->cc_cfg = own;
}

void sim_apply(struct sim *s, const struct knobs *knobs)
{
    const double *was = s->cfg.knobs.value, *is = knobs->value;
    bool          new_ecn = was[KNOB_kmin] != is[KNOB_kmin] || was[KNOB_kmax] != is[KNOB_kmax] ||
                            was[KNOB_pmax] != is[KNOB_pmax];

    if (s->cfg.cc->on_due)
        for (uint32_t i = 0; i < s->hosts; i++)
            host_catch_up(sim_of(s, s->host[i].node), &s->host[i]);
    s->cfg.knobs = *knobs;
    configure_cc(s);
    share_cc(s);
    hf2t_configure(s);
    balance_configure(s);
    for (uint32_t i = 0; s->parts && i < partition_count(s->parts); i++) {
        partition_sim(s->parts, i)->cfg.knobs = *knobs;
        partition_sim(s->parts, i)->lb_is_path = s->lb_is_path;
    }
    for (uint32_t i = 0; new_ecn && i < s->ports; i++)
        if (s->port[i].is_switch)
            set_ecn(s, &s->port[i], false);
}

/* ---- invariants ---- */

static void expect(bool holds, const struct sim *s, const char *what)
{
    if (!holds) {
        fprintf(stderr, "at %llu ps: %s\n", (unsigned long long)s->now_ps, what);
        abort();
    }
}

/* What a port has on its wire and in its queues. A wire to another part is not its own. */
static void check_port(const struct sim *s, const struct port *p, uint64_t *packets, uint64_t *payload)
{
    const struct packet *packet = s->packets.packet;
    uint64_t             last = s->now_ps;

    for (uint32_t id = p->wire_head; id && p->node->part == p->peer->node->part; id = packet[id].next, ++*packets) {
        const struct packet *k = &packet[id];

        expect(!k->next || k->next_at_ps >= last, s, "packets on a wire are out of order");
        last = k->next ? k->next_at_ps : last;
        *payload += k->payload;
    }
    expect(p->node->part != p->peer->node->part ||
               (p->wire_head != 0) == evq_is_pending(&s->evq, sim_slot_arrive(p)),
           s, "a wire and its event disagree");
    for (uint32_t q = 0; q <= PRIOS; q++)
        for (uint32_t id = p->queue[q].head; id; id = packet[id].next, ++*packets)
            *payload += packet[id].payload;
}

static uint64_t live_packets(const struct sim *s)
{
    uint64_t live = s->packets.live;

    evq_check(&s->evq);
    for (uint32_t i = 0; s->parts && i < partition_count(s->parts); i++)
        live += live_packets(partition_sim(s->parts, i));
    return live;
}

void sim_check(const struct sim *s)
{
    const struct sim_counters *c = &s->counters;
    uint64_t payload = 0, packets = 0;

    for (uint32_t i = 0; i < s->ports; i++)
        check_port(sim_of(s, s->port[i].node->id), &s->port[i], &packets, &payload);
    if (s->parts)
        partition_check(s, &packets, &payload);
    expect(packets == live_packets(s), s, "packets are neither on a wire nor in a queue");
    expect(c->payload_sent == c->payload_received + c->payload_stale + c->payload_dropped + payload, s,
           "bytes sent are not bytes received, dropped and in flight");
    expect(!s->cfg.is_lossless || s->cfg.ack_droppable || s->cfg.headroom_bytes || s->cfg.model == MODEL_CONWEAVE ||
               c->dropped_buffer == c->dropped_lossy, s,
           "a lossless network has dropped a packet");
    for (uint32_t i = 0; i < s->nodes; i++)
        if (s->node[i].is_switch)
            switch_check(sim_of(s, i), &s->node[i]);
    for (uint32_t i = 0; i < s->hosts; i++)
        host_check(sim_of(s, s->host[i].node), &s->host[i]);
}
