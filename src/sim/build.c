#include "sim/build.h"
#include "sim/change.h"
#include "sim/parts/divide.h"
#include "sim/nic/drain.h"
#include "sim/nic/gaps.h"
#include "sim/nic/hf2t.h"
#include "sim/nic/np/np.h"
#include "sim/nic/flow.h"
#include "sim/nic/probe.h"
#include "sim/nic/send.h"
#include "sim/forks/ns3.h"
#include "sim/nic/sender_spray.h"
#include "sim/transport/transports.h"
#include "sim/rto_default.h"
#include "sim/run.h"
#include "sim/state/ideal.h"
#include "sim/switch/balance.h"
#include "sim/switch/weave.h"
#include "sim/switch/ecn_view.h"
#include "sim/switch/switch.h"

#include <stdlib.h>
#include <string.h>

#define PACKETS_MAX  (1u << 28)  /* per part */
#define PACKETS_OF_HOST 1024u
#define FLOWS_SPARE  (1u << 22) /* per part, in addition to the flows that traffic announces before the run */
#define ALL_PARTS    UINT32_MAX

_Static_assert((uint64_t)PARTS_MAX * (FLOWS_SPARE + TRAFFIC_AT_ONCE_MAX) < UINT32_MAX,
               "indices of flows have 32 bits");

/* ---- nodes ---- */

static void build_nodes(struct sim *s)
{
    uint32_t own_losses = 0;

    s->net.nodes = s->net.graph.nodes;
    s->net.hosts = s->net.graph.hosts;
    s->net.ports = 2 * s->net.graph.links;
    s->net.node = arena_alloc(&s->arena, s->net.nodes, sizeof *s->net.node);
    for (uint32_t i = 0; i < s->net.nodes; i++) {
        struct node *n = &s->net.node[i];

        n->id = i;
        n->is_switch = s->net.graph.node[i].is_switch;
        rng_init(&n->rng, s->cfg.seed, i);
    }
    /* The fork's random streams when the first packet is sent: building its world uses six streams per node
     * and two per error model. */
    s->engine.order_kind = s->cfg.order;
    s->engine.next_number = ENGINE_NUMBER_FIRST;
    if (s->model.build)
        own_losses = s->model.build(s);
    mrg_init(&s->engine.mrg, 1, 6ull * s->net.nodes + 2ull * (1 + own_losses), s->cfg.seed);
    balance_build(s);
}

/* Event numbers of a node lie above those of its streams. */
static int number_nodes(struct sim *s, struct err *err)
{
    program_init(&s->program, s->program.traffic, &s->arena);
    int bits = program_number_streams(&s->program, s->net.nodes, err);
    for (uint32_t i = 0; bits >= 0 && i < s->net.nodes; i++)
        s->net.node[i].next_number = engine_first_number(i << bits);
    s->entry_bytes_done = arena_alloc(&s->arena, traffic_entries(s->program.traffic) + 1ul,
                                      sizeof *s->entry_bytes_done);
    return bits < 0 ? bits : 0;
}

/* ---- ports ---- */

struct speeds {                  /* link speeds seen so far */
    const struct port **port;    /* one port per speed */
    uint32_t            count;
};

/* Returns the transmission time by frame size, with preamble and gap. Ports of one speed share a table. */
static const uint32_t *tx_table(struct sim *s, struct speeds *speeds, const struct port *p)
{
    uint32_t sizes = sim_largest_frame(&s->cfg) + s->cfg.ack_bytes + s->cfg.cnp_bytes + s->cfg.pfc_bytes;

    for (uint32_t i = 0; i < speeds->count; i++)
        if (speeds->port[i]->rate_bps == p->rate_bps)
            return speeds->port[i]->tx_ps;
    uint32_t *t = arena_alloc(&s->arena, sizes + 1, sizeof *t);
    for (uint32_t b = 0; b <= sizes; b++)
        t[b] = (uint32_t)model_frame_ps(&s->model, b, p->rate_bps);
    speeds->port = xrealloc(speeds->port, (speeds->count + 1ul) * sizeof *speeds->port);
    speeds->port[speeds->count++] = p;
    return t;
}

static void build_port(struct sim *s, struct speeds *speeds, struct port *p, uint32_t node, uint32_t link,
                       uint32_t index)
{
    const struct graph_link *l = &s->net.graph.link[link];

    *p = (struct port){ .node = &s->net.node[node], .id = (uint32_t)(p - s->net.port), .link = link,
                        .index = index, .rate_bps = l->rate_bps, .delay_ps = (uint32_t)l->delay_ps,
                        .is_switch = s->net.graph.node[node].is_switch, .loss = l->loss, .ber = l->ber,
                        .is_lossy = l->loss > 0 || l->ber > 0 };
    p->slow_path = p->is_lossy ? SLOW_LINK : 0;
    p->tx_ps = tx_table(s, speeds, p);
}

static void build_ports(struct sim *s)
{
    struct graph *g = &s->net.graph;
    uint32_t     *made = xcalloc(g->nodes, sizeof *made), first = 0;
    struct speeds speeds = { 0 };

    s->net.port = arena_alloc(s->lines, s->net.ports, sizeof *s->net.port);
    s->net.last_way = arena_alloc(&s->arena, s->net.ports, sizeof *s->net.last_way);
    for (uint32_t i = 0; i < g->links; i++)
        s->net.node[g->link[i].a].ports++, s->net.node[g->link[i].b].ports++;
    for (uint32_t n = 0; n < g->nodes; n++) {
        s->net.node[n].first_port = first;
        first += s->net.node[n].ports;
    }
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t a = g->link[i].a, b = g->link[i].b;
        uint32_t x = s->net.node[a].first_port + made[a]++, y = s->net.node[b].first_port + made[b]++;

        build_port(s, &speeds, &s->net.port[x], a, i, made[a]);
        build_port(s, &speeds, &s->net.port[y], b, i, made[b]);
        s->net.port[x].peer = &s->net.port[y];
        s->net.port[y].peer = &s->net.port[x];
    }
    free(speeds.port);
    free(made);
}

/* Returns true if a switch may forward an arriving frame of 'in': none of its ports is faster. */
static bool cuts_through(const struct sim *s, const struct port *in)
{
    const struct port *p = &s->net.port[in->node->first_port];

    for (uint32_t i = 0; i < in->node->ports; i++)
        if (p[i].rate_bps > in->rate_bps)
            return false;
    return s->cfg.is_cut_through;
}

/* Adds a switch's latency to the delay of the links that lead to it. */
static void build_chip_delays(struct sim *s)
{
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port *p = &s->net.port[i];

        if (!p->peer->is_switch)
            continue;
        p->delay_ps += (uint32_t)s->cfg.chip_ps;
        p->slow_path |= cuts_through(s, p->peer) ? SLOW_CUT : 0;
    }
}

/* ---- switches ---- */

static void build_switch_port(const struct sim *s, struct port *p, uint64_t host_bps)
{
    uint32_t headroom = s->cfg.headroom_bytes ? (uint32_t)s->cfg.headroom_bytes :
                                                s->model.headroom_bytes(&s->cfg, p);

    p->headroom_bytes_max = s->cfg.is_lossless ? headroom : 0;
    p->shift = (uint8_t)s->cfg.pfc_shift;
    for (uint64_t r = p->rate_bps; r > host_bps && p->shift > 0; r /= 2)
        p->shift--;
    switch_set_ecn_by_knobs(s, p, true);
}

static int build_switch(struct sim *s, struct node *n, uint64_t host_bps, struct err *err)
{
    uint32_t prios = traffic_prios(s->program.traffic) & ~(uint32_t)s->cfg.lossy_prios;
    uint32_t classes = (uint32_t)__builtin_popcount(prios);
    int64_t  set_aside = 0;

    if (s->model.shares)
        classes = s->model.shares;
    for (uint32_t i = 0; i < n->ports; i++) {
        struct port *p = &s->net.port[n->first_port + i];

        build_switch_port(s, p, host_bps);
        set_aside += (int64_t)classes * (p->headroom_bytes_max + s->cfg.reserve_bytes);
    }
    n->shared_bytes_max = (int64_t)s->cfg.buffer_bytes - set_aside;
    if (s->cfg.buffer_wraps)
        n->shared_bytes_max &= UINT32_MAX;
    n->shared_bytes_left = n->shared_bytes_max;
    if (s->model.account)
        s->model.account->init(s, n);
    if (s->cfg.is_lossless && n->shared_bytes_max <= 0)
        return err_set(err, EINVAL,
                       "the buffer of %s (%llu bytes) is smaller than the headroom and reserve "
                       "of its %u ports (%lld bytes)",
                       s->net.graph.node[n->id].name, (unsigned long long)s->cfg.buffer_bytes, n->ports,
                       (long long)((int64_t)s->cfg.buffer_bytes - n->shared_bytes_max));
    return 0;
}

/* Fails if a pause could expire before it is repeated. It is repeated after half of its duration, and may
 * then wait for the packet on the wire. */
static int check_pause(const struct sim *s, struct err *err)
{
    uint64_t longest_ps = 0;

    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];
        uint64_t           ps = p->tx_ps[sim_largest_frame(&s->cfg)] + p->tx_ps[s->cfg.pfc_bytes];

        longest_ps = ps > longest_ps ? ps : longest_ps;
    }
    if (s->cfg.pause_ps / 2 > longest_ps)
        return 0;
    return err_set(err, EINVAL,
                   "a pause_time of %llu ns is too short: sent again after half of it, a pause can come "
                   "%llu ns later", (unsigned long long)(s->cfg.pause_ps / PS_PER_NS),
                   (unsigned long long)(longest_ps / PS_PER_NS));
}

static int build_switches(struct sim *s, uint64_t host_bps, struct err *err)
{
    for (uint32_t i = 0; i < s->net.nodes; i++) {
        int rc = s->net.node[i].is_switch ? build_switch(s, &s->net.node[i], host_bps, err) : 0;

        if (rc < 0)
            return rc;
    }
    return s->pfc.is_refreshed ? check_pause(s, err) : 0;
}

/* ---- hosts ---- */

static void build_hosts(struct sim *s)
{
    s->net.host = arena_alloc(s->lines, s->net.hosts, sizeof *s->net.host);
    control_build(s);
    for (uint32_t n = 0, i = 0; n < s->net.nodes; n++) {
        struct host *h = &s->net.host[i];

        if (s->net.node[n].is_switch)
            continue;
        s->net.node[n].host = i++;
        *h = (struct host){ .id = s->net.node[n].host, .node = n,
                            .port = &s->net.port[s->net.node[n].first_port], .rtt_due_ps = NEVER };
        control_add_host(s, h);
        if (s->model.source_port)
            h->pair_sport = arena_alloc(&s->pair_arena, s->net.hosts, sizeof *h->pair_sport);
    }
}

void build_configure_hosts(struct sim *s)
{
    control_configure(s);
    s->hosts.np_cfg = np_configure(&s->cfg.knobs);
}

/* ---- routes ---- */

/* Returns true if links between switches differ in speed; a link that is down has speed 0. Otherwise next
 * hops are equal and need no weights. */
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

static void build_epoch(struct sim *s, struct route *r, const uint32_t *first_port, const bool *down)
{
    struct route_cfg cfg = s->model.route;

    cfg.first_port = first_port;
    cfg.down = down;
    cfg.is_weighted = s->cfg.lb_weighted && links_differ(&s->net.graph, down);
    cfg.with_paths = s->lb.is_on;
    route_build(r, &s->arena, &s->net.graph, &cfg);
}

/* Builds one set of routes per epoch, before the run. */
static void build_routes(struct sim *s)
{
    const struct link_change *c = s->cfg.change;
    uint32_t                 *first_port = xcalloc(s->net.nodes + 1ul, sizeof *first_port);
    uint32_t                  epochs = change_build(s), e = 0;
    bool                     *down = xcalloc(s->net.graph.links + 1ul, sizeof *down);

    for (uint32_t n = 0; n < s->net.nodes; n++)
        first_port[n] = s->net.node[n].first_port;
    s->net.route = arena_alloc(&s->arena, epochs, sizeof *s->net.route);
    build_epoch(s, &s->net.route[0], first_port, down);
    for (uint32_t i = 0; i < s->cfg.changes; i++) {
        down[c[i].link] = !c[i].is_up;
        if (i + 1 == s->cfg.changes || c[i + 1].at_ps != c[i].at_ps)
            build_epoch(s, &s->net.route[++e], first_port, down);
    }
    for (uint32_t n = 0; n < s->net.nodes; n++)
        change_use_routes(&s->net, &s->net.node[n], 0);
    free(down);
    free(first_port);
}

/* ---- pools ---- */

/* Returns the largest number of simultaneous packets: full buffers and wires with the smallest frames, plus
 * some in hosts, where a paused class keeps its ACKs. */
static uint32_t packets_at_once(const struct sim *s, uint32_t part)
{
    uint64_t count = 1u << 16;

    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (part == ALL_PARTS || s->net.node[i].part == part)
            count += s->net.node[i].is_switch ? s->cfg.buffer_bytes / s->cfg.pfc_bytes : PACKETS_OF_HOST;
    count += s->cfg.buffer_wraps ? 1u << 20 : 0;     /* the buffer of a switch is then unlimited */
    count *= s->cfg.lb->is_woven ? 2 : 1;            /* packets held by ConWeave are not in a buffer */
    for (uint32_t i = 0; i < s->net.graph.links; i++) {
        const struct graph_link *l = &s->net.graph.link[i];

        if (part == ALL_PARTS || s->net.node[l->a].part == part || s->net.node[l->b].part == part)
            count += 4096 + (uint64_t)((double)l->rate_bps * (double)l->delay_ps / (4 * PS_PER_S)) /
                            s->cfg.pfc_bytes;
    }
    return count < PACKETS_MAX ? (uint32_t)count : PACKETS_MAX;
}

/* Reserves all cache lines: ports, hosts, and events and packets of all parts. No line has number 0. */
static void reserve_lines(struct sim *s)
{
    uint64_t parts = 1ull + divide_most(s, s->cfg.threads ? s->cfg.threads : 1);
    uint64_t fixed = 2 + s->net.ports * (sizeof(struct port) / EVQ_LINE) +
                     s->net.hosts * (sizeof(struct host) / EVQ_LINE);
    uint64_t events = run_events_most(s), packets = packets_at_once(s, ALL_PARTS);

    if (fixed + parts * (events + packets + PACKETS_SPARE) > EVQ_HEAP)
        packets = (EVQ_HEAP - fixed) / parts - events - PACKETS_SPARE;
    s->packets_most = (uint32_t)packets;
    s->lines = &s->line_arena;
    arena_init(s->lines, (fixed + parts * (events + packets + PACKETS_SPARE)) * EVQ_LINE);
    arena_alloc(s->lines, 1, EVQ_LINE);
}

static void build_packets(struct sim *s, uint32_t packets)
{
    uint32_t       most = packets < s->packets_most ? packets : s->packets_most;
    size_t         room = (size_t)most + PACKETS_SPARE;
    struct packet *all = (struct packet *)(void *)s->lines->base;

    uint32_t first = (uint32_t)((struct packet *)arena_alloc(s->lines, room, sizeof(struct packet)) - all);
    s->engine.packets = (struct packet_pool){ .packet = all, .first = first, .used = first,
                                              .limit = first + most };
    if (s->lb.is_on)
        s->engine.packets.tag = arena_alloc(&s->arena, room, sizeof(struct lb_tag));
    if (s->cfg.lb->is_woven)
        s->engine.packets.woven = arena_alloc(&s->arena, room, sizeof(struct conweave_tag));
    if (sim_cc_telemetry(&s->cfg) >= CC_PATH)
        s->engine.packets.inband = arena_alloc(&s->arena, room, sizeof(struct inband));
}

/* Every part has memory for all flows at once, so that results do not depend on the number of parts. */
static void build_flows(struct sim *s)
{
    uint64_t      each = FLOWS_SPARE + traffic_flows_room(s->program.traffic);
    uint32_t      flows = (uint32_t)each * divide_count(s, s->cfg.threads ? s->cfg.threads : 1);
    struct flows *all = &s->flows;

    all->cc_stride = (control_state_bytes(s) + 15) / 16 * 16;
    all->flow = arena_alloc(&s->arena, flows, sizeof *all->flow);
    all->cc_state = arena_alloc(&s->arena, flows, all->cc_stride);
    all->rx = arena_alloc(&s->arena, flows, sizeof *all->rx);
    all->first = all->used = 1;
    all->limit = flows;
    drain_build(s);
    if (sim_cc_probes(&s->cfg)) {
        all->probe = arena_alloc(&s->arena, flows, sizeof *all->probe);
        s->hosts.busy_ps = arena_alloc(&s->arena, s->net.hosts, sizeof *s->hosts.busy_ps);
    }
    if (traffic_has_pairs(s->program.traffic))
        pair_build(s, flows);
    spray_build(s, flows);
    transports_reserve(s, flows);
}

/* ---- telemetry ---- */

/* The fork can encode only some link speeds. */
static int check_rates(const struct sim *s, struct err *err)
{
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (!s->model.knows_rate(s->net.port[i].rate_bps))
            return err_set(err, ENOTSUP,
                           "telemetry of %s knows links of 25, 50, 100, 200 and 400 Gb/s, not of %g Gb/s",
                           s->cfg.cc->name, (double)s->net.port[i].rate_bps / 1e9);
    return 0;
}

static int check_hops(const struct sim *s, uint32_t most, struct err *err)
{
    if (most > CC_HOPS_MAX)
        return err_set(err, ENOTSUP,
                       "packets have room for telemetry of %u switches (%s), and there are %u on a way",
                       CC_HOPS_MAX, s->cfg.cc->name, most);
    return s->model.knows_rate ? check_rates(s, err) : 0;
}

/* In the order of ns-3, all switches and hosts draw from one stream, which starts like C's rand(). */
static void build_digests(struct sim *s, struct inband_ports *t)
{
    uint32_t rows = s->cfg.order == ORDER_NS3 ? 1 : s->net.nodes;

    t->digest = (struct pint_cfg){ s->cfg.fork.pint_base > 0 ? s->cfg.fork.pint_base : PINT_BASE,
                                   s->net.base_rtt_ps / PS_PER_NS };
    t->digest_mask = s->model.takes_digest ? pint_mask(t->digest.base) : 0xffff;
    t->pint = arena_alloc(&s->arena, s->net.ports, sizeof *t->pint);
    t->random = arena_alloc(&s->arena, rows, sizeof *t->random);
    for (uint32_t i = 0; i < rows; i++)
        crand_init(&t->random[i], i + 1);
}

static int build_telemetry(struct sim *s, uint32_t switches, struct err *err)
{
    enum cc_telemetry kind = sim_cc_telemetry(&s->cfg);
    bool              has_probes = sim_cc_probes(&s->cfg);

    if (kind < CC_PATH && !has_probes)
        return 0;
    struct inband_ports *t = arena_alloc(&s->arena, 1, sizeof *t);
    *t = (struct inband_ports){ .kind = kind, .spacing_bytes = s->model.spacing_bytes };
    s->engine.inband = t;
    for (uint32_t i = 0; i < s->net.ports; i++) {
        struct port *p = &s->net.port[i];

        p->slow_path |= t->kind == CC_HOPS ? SLOW_RECORD : 0;
        p->slow_path |= t->kind == CC_PATH || t->kind == CC_DIGEST ? SLOW_INBAND : 0;
        p->slow_path |= has_probes && !p->is_switch ? SLOW_PROBED : 0;
    }
    if (t->kind == CC_DIGEST)
        build_digests(s, t);
    return t->kind == CC_HOPS ? check_hops(s, switches, err) : 0;
}

/* ---- the world ---- */

int build_world(struct sim *s, struct err *err)
{
    /* Reserves address space, not memory; but emulators and analysers also track reserved ranges. */
    arena_init(&s->arena,
               s->net.graph.links >= LINKS_MANY ? 16ul << 30 : (256ul + 32ul * s->cfg.changes) << 20);
    model_build(s);
    build_nodes(s);
    int rc = number_nodes(s, err);
    reserve_lines(s);
    if (s->model.source_port)    /* a table of all pairs of hosts is large and sparse */
        arena_init_sparse(&s->pair_arena, s->net.hosts * ((size_t)s->net.hosts * sizeof(uint16_t) + 64) + 64);
    build_ports(s);
    switch_build_marking(s);
    build_chip_delays(s);
    balance_connect(s);
    build_hosts(s);
    build_routes(s);
    uint64_t host_bps = s->net.hosts ? s->net.host[0].port->rate_bps : 0;
    if (rc < 0 || (rc = build_switches(s, host_bps, err)) < 0)
        return rc;
    struct ideal_most most = sim_ideal_most(s);
    if (most.hops > IDEAL_HOPS_MAX)
        return err_set(err, EINVAL, "the way from %s to %s has %u links; there may be %u",
                       s->net.graph.node[most.from].name,
                       s->net.graph.node[most.to].name, most.hops, IDEAL_HOPS_MAX);
    s->net.base_rtt_ps = most.rtt_ps;
    s->net.base_rtt_hops = most.rtt_hops;
    s->net.is_uneven = sim_ideal_is_uneven(s);
    s->net.bdp_bytes = most.bdp_bytes;
    if (s->cfg.window_bytes == WINDOW_AUTO) {
        s->cfg.window_bytes = !s->model.repace ? s->net.bdp_bytes :
            (uint64_t)((double)s->net.base_rtt_ps / (double)PS_PER_S * (double)host_bps / 8);
        s->hosts.bdp_bps = s->model.repace ? host_bps : 0;
    }
    uet_build(s);
    rto_default_settle(s);
    s->hosts.has_fifo = s->cfg.tx_fifo_bytes;
    s->hosts.has_held = !s->model.repace && s->cfg.window_bytes;
    s->hosts.paces_window = s->model.repace && s->cfg.window_by_rate;
    s->hosts.window_bytes_max = !s->model.repace ? 0 : s->cfg.window_bytes ? CC_NO_WINDOW : CC_NO_WINDOW - 1;
    rc = build_telemetry(s, most.hops ? most.hops - 1 : 0, err);
    if (rc == 0)
        rc = weave_build(s, most.hops, err);
    if (rc < 0)
        return rc;
    s->hosts.np = control_takes_turns(&s->cfg) ? &cnp_arbiter : &np_spacing;
    build_configure_hosts(s);
    uet_configure(s);
    build_flows(s);
    build_packets(s, packets_at_once(s, ALL_PARTS));
    run_build_events(s);
    if (s->cfg.record_gaps)
        gaps_record(s);
    send_choose(s);
    return 0;
}

void build_free(struct sim *s)
{
    program_fini(&s->program);
    weave_free(s);
    transports_release(s);
    ecn_view_free(s);
    qp_order_free(s);
    arena_fini(&s->pair_arena);
    arena_fini(&s->line_arena);
    arena_fini(&s->arena);
}

/* ---- parts ---- */

struct sim *build_part(const struct sim *whole, uint32_t part, uint32_t parts)
{
    uint32_t     flows = whole->flows.limit / parts;
    struct arena arena;

    arena_init(&arena, 1ul << 30);
    struct sim *s = arena_alloc(&arena, 1, sizeof *s);
    *s = *whole;
    s->arena = arena;            /* from now on, it alone is used */
    s->is_part = true;
    s->program.part = part;
    s->program.has_others = true;
    memset(s->hosts.list_free, 0, sizeof s->hosts.list_free);
    build_packets(s, packets_at_once(whole, part));
    s->flows.first = s->flows.used = 1 + part * flows;
    s->flows.limit = (part + 1) * flows;
    if (s->flows.pairs.pair)
        pair_build_part(s, part, parts);
    transports_reserve_part(s);
    s->entry_bytes_done = arena_alloc(&s->arena, traffic_entries(s->program.traffic) + 1ul,
                                      sizeof *s->entry_bytes_done);
    run_build_events(s);
    return s;
}

void build_free_part(struct sim *s)
{
    struct arena arena = s->arena;       /* holds *s too */

    program_fini(&s->program);
    transports_release(s);
    arena_fini(&arena);
}
