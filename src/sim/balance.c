#include "sim/balance.h"
#include "lb/ecmp.h"

#include <stdlib.h>

#define BALANCE_STREAM (1ull << 40)      /* of random numbers: apart from those that marking takes */

/* ---- building ---- */

void balance_configure(struct sim *s)
{
    const struct lb_algo *lb = s->cfg.lb;

    if (lb->configure)
        lb->configure(s->lb_cfg, &s->cfg.knobs);
    s->lb_is_path = lb->scope && lb->scope(s->lb_cfg) == LB_PATH;
}

/* Switches with hosts are what routes lead to: groups. */
static uint32_t count_racks(const struct graph *g, bool *has_hosts)
{
    uint32_t racks = 0;

    for (uint32_t i = 0; i < g->links; i++)
        for (int end = 0; end < 2; end++) {
            uint32_t host = end ? g->link[i].b : g->link[i].a, near = end ? g->link[i].a : g->link[i].b;

            if (g->node[host].is_switch || has_hosts[near])
                continue;
            has_hosts[near] = true;
            racks++;
        }
    return racks;
}

static void build_states(struct sim *s)
{
    bool            *has_hosts = xcalloc(s->nodes + 1ul, sizeof *has_hosts);
    uint32_t        *ports = xcalloc(s->nodes + 1ul, sizeof *ports), racks = count_racks(&s->graph, has_hosts);
    size_t           total = 0;

    for (uint32_t i = 0; i < s->graph.links; i++)
        ports[s->graph.link[i].a]++, ports[s->graph.link[i].b]++;
    for (int round = 0; round < 2; round++) {
        if (round == 1)
            arena_init(&s->lb_arena, total + 64);
        for (uint32_t i = 0; i < s->nodes; i++) {
            struct lb_switch sw = { ports[i], racks, has_hosts[i] };
            size_t           bytes = s->node[i].is_switch ? s->cfg.lb->state_bytes(s->lb_cfg, &sw) : 0;

            total += (bytes + 63) / 64 * 64;
            if (round == 1 && bytes)
                s->node[i].lb_state = arena_alloc(&s->lb_arena, 1, bytes);
        }
    }
    free(has_hosts);
    free(ports);
}

void balance_build(struct sim *s)
{
    const struct lb_algo *lb = s->cfg.lb;
    struct rng            salts;

    rng_init(&salts, s->cfg.lb_seed, BALANCE_STREAM);
    for (uint32_t i = 0; i < s->nodes; i++)
        s->node[i].salt = s->cfg.lb_seed ? (uint32_t)rng_next(&salts) : i;
    s->lb_cfg = lb->cfg_size ? arena_alloc(&s->arena, 1, lb->cfg_size) : NULL;
    balance_configure(s);
    s->is_balanced = lb != &lb_ecmp;
    if (!s->is_balanced)
        return;
    if (lb->state_bytes)
        build_states(s);
    s->lb_rng = arena_alloc(&s->arena, s->nodes, sizeof *s->lb_rng);
    for (uint32_t i = 0; i < s->nodes; i++)
        rng_init(&s->lb_rng[i], s->cfg.seed ^ s->cfg.lb_seed * 0x9e3779b97f4a7c15ull, BALANCE_STREAM + 1 + i);
}

/* ---- deciding ---- */

static inline void describe(struct sim *s, const struct node *n, const struct packet *k, struct lb_tag *tag,
                            struct lb_packet *p)
{
    p->src_ip = sim_ip(k->src);
    p->dst_ip = sim_ip(k->dst);
    p->ports = k->ports;
    p->bytes = k->bytes;
    p->salt = n->salt;
    p->first_port = n->first_port;
    p->from = n->route_host[k->src].group;
    p->to = n->route_host[k->dst].group;
    p->paths = n->route_paths[p->to] + 1u;
    p->is_data = k->kind == PACKET_DATA;
    p->queue_bytes = (const char *)&s->port[0].queue[k->prio].bytes;
    p->rate_bps = (const char *)&s->port[0].rate_bps;
    p->port_stride = sizeof(struct port);
    p->tag = tag;
    p->rng = &s->lb_rng[n->id];
    p->is_flowlet = p->is_reroute = false;
}

static inline uint32_t ask(struct sim *s, const struct node *n, struct lb_packet *p)
{
    uint32_t choice = s->cfg.lb->pick(s->lb_cfg, n->lb_state, s->now_ps, p);

    s->counters.flowlets += p->is_flowlet;
    s->counters.reroutes += p->is_reroute;
    return choice;
}

/* The way of a data packet where there are several, or of one at its first switch, which then has its whole path
 * to choose though there be one way from here. */
static inline uint32_t choose(struct sim *s, const struct node *n, const struct packet *k, struct lb_tag *tag,
                              bool is_first, const uint32_t *way, uint32_t ways)
{
    struct lb_packet p;
    uint32_t         path = tag->path;

    if (!s->lb_is_path || is_first) {
        describe(s, n, k, tag, &p);
        p.is_first = is_first;
        p.is_last = false;
        p.way = way;
        p.ways = ways;
        path = ask(s, n, &p);
    }
    if (!s->lb_is_path)
        return way[path];
    tag->path = (uint16_t)(path / ways);
    return way[path % ways];
}

static void tell(struct sim *s, struct node *n, const struct packet *k, struct lb_tag *tag, bool is_first, bool is_last,
                 uint32_t port)
{
    struct lb_packet p;

    describe(s, n, k, tag, &p);
    p.is_first = is_first;
    p.is_last = is_last;
    p.way = &port;
    p.ways = 1;
    s->cfg.lb->pass(s->lb_cfg, n->lb_state, s->now_ps, &p);
}

__attribute__((noinline)) struct port *balance_way(struct sim *s, struct node *n, const struct port *in, uint32_t id)
{
    struct packet           *k = &s->packets.packet[id];
    struct lb_tag           *tag = &s->packets.tag[id];
    const struct route_host *h = &n->route_host[k->dst];
    uint32_t                 entry = n->route_entry[h->group], port;
    bool                     is_first = !in->peer->is_switch, is_data = k->kind == PACKET_DATA;

    if (is_first)
        *tag = (struct lb_tag){ 0 };
    if (entry == ROUTE_LOCAL) {
        port = h->port;
        if (s->port[port].odd & ODD_LINK && s->port[port].is_down)
            return NULL;
        if (is_first)
            return &s->port[port];
    } else if (entry & ROUTE_ONE) {
        port = entry & ~ROUTE_ONE;
        if (is_data && is_first && s->lb_is_path)
            choose(s, n, k, tag, true, &port, 1);
    } else {
        const uint32_t *hop = n->route_hop + entry;

        if (hop[0] == 0)
            return NULL;
        port = is_data ? choose(s, n, k, tag, is_first, hop + 1, hop[0])
                       : hop[1 + ecmp_hash(n->salt, sim_ip(k->src), sim_ip(k->dst), k->ports) % hop[0]];
    }
    if (s->cfg.lb->pass)
        tell(s, n, k, tag, is_first, entry == ROUTE_LOCAL, port);
    return &s->port[port];
}
