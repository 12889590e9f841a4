#include "sim/balance.h"
#include "lb/ecmp.h"

#include <stddef.h>
#include <stdlib.h>

#define BALANCE_STREAM (1ull << 40)      /* of random numbers: apart from those that marking takes */

/* What a switch has for its balancer; node.lb_state is 'state'. */
struct place {
    struct lb_switch  sw;
    _Alignas(64) char state[];
};

static inline struct place *place_of(const struct node *n)
{
    return (struct place *)(void *)((char *)n->lb_state - offsetof(struct place, state));
}

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

static size_t place_bytes(const struct sim *s, const struct lb_switch *sw)
{
    const struct lb_algo *lb = s->cfg.lb;
    size_t                bytes = sizeof(struct place) + (lb->state_bytes ? lb->state_bytes(s->lb_cfg, sw) : 0);

    return (bytes + 63) / 64 * 64;
}

static void build_place(struct sim *s, struct node *n, const struct lb_switch *sw, struct arena *arena)
{
    struct place *place = arena_alloc(arena, 1, place_bytes(s, sw));

    place->sw = *sw;
    n->lb_state = place->state;
    if (s->cfg.lb->init)
        s->cfg.lb->init(s->lb_cfg, place->state, sw);
}

static void build_places(struct sim *s)
{
    bool     *has_hosts = xcalloc(s->nodes + 1ul, sizeof *has_hosts);
    uint32_t *ports = xcalloc(s->nodes + 1ul, sizeof *ports), racks = count_racks(&s->graph, has_hosts);
    size_t    total = 64;

    for (uint32_t i = 0; i < s->graph.links; i++)
        ports[s->graph.link[i].a]++, ports[s->graph.link[i].b]++;
    for (int round = 0; round < 2; round++) {
        if (round == 1 && s->cfg.lb->state_bytes)
            arena_init(&s->lb_arena, total);
        for (uint32_t i = 0; i < s->nodes; i++) {
            struct lb_switch sw = { .ports = ports[i], .racks = racks, .has_hosts = has_hosts[i] };

            if (!s->node[i].is_switch)
                continue;
            if (round == 0)
                total += place_bytes(s, &sw);
            else
                build_place(s, &s->node[i], &sw, s->cfg.lb->state_bytes ? &s->lb_arena : &s->arena);
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
    s->lb_rng = arena_alloc(&s->arena, s->nodes, sizeof *s->lb_rng);
    for (uint32_t i = 0; i < s->nodes; i++)
        rng_init(&s->lb_rng[i], s->cfg.seed ^ s->cfg.lb_seed * 0x9e3779b97f4a7c15ull, BALANCE_STREAM + 1 + i);
    build_places(s);
}

/* ---- deciding ---- */

/* Functions that few packets need are kept out of the one that all packets call: it then needs no stack. */
#define APART __attribute__((noinline))

static APART void connect(const struct sim *s, const struct node *n, struct lb_switch *sw)
{
    sw->first_port = n->first_port;
    sw->salt = n->salt;
    sw->rng = &s->lb_rng[n->id];
    sw->queue_bytes = (const char *)&s->port[0].queue[0].bytes;
    sw->rate_bps = (const char *)&s->port[0].rate_bps;
    sw->port_stride = sizeof(struct port);
    sw->class_stride = sizeof(struct queue);
}

/* Ports are built after balancers, so a switch is told of its own when the first packet comes. */
static inline const struct lb_switch *switch_of(const struct sim *s, const struct node *n)
{
    struct lb_switch *sw = &place_of(n)->sw;

    if (__builtin_expect(!sw->rng, 0))
        connect(s, n, sw);
    return sw;
}

struct ways { const uint32_t *way; uint32_t count; };

static inline struct ways ways_of(const struct node *n, uint32_t entry, uint32_t *one)
{
    if (entry & ROUTE_ONE) {
        *one = entry & ~ROUTE_ONE;
        return (struct ways){ one, 1 };
    }
    return (struct ways){ n->route_hop + entry + 1, n->route_hop[entry] };
}

static inline uint32_t ecmp_way(const struct node *n, const struct packet *k, struct ways w)
{
    return w.way[w.count == 1 ? 0 : ecmp_hash(n->salt, sim_ip(k->src), sim_ip(k->dst), k->ports) % w.count];
}

/* The next digit of the path that the first switch has chosen. */
static inline uint32_t follow(struct lb_tag *tag, uint32_t path, struct ways w)
{
    tag->path = (uint16_t)(path / w.count);
    return w.way[path % w.count];
}

/* A data packet to switch 'to', for which there is a way: asks the balancer. */
static inline uint32_t ask(struct sim *s, const struct node *n, const struct packet *k, struct lb_tag *tag, uint32_t to,
                           struct ways w)
{
    struct lb_packet p;
    uint32_t         choice;

    p.src = k->src;
    p.dst = k->dst;
    p.ports = k->ports;
    p.bytes = k->bytes;
    p.to = to;
    p.paths = n->route_paths[to] + 1u;
    p.ways = w.count;
    p.way = w.way;
    p.prio = k->prio;
    p.tag = tag;
    p.is_flowlet = p.is_reroute = false;
    choice = s->cfg.lb->pick(s->lb_cfg, n->lb_state, s->now_ps, switch_of(s, n), &p);
    if (__builtin_expect(p.is_flowlet, 0)) {
        s->counters.flowlets++;
        s->counters.reroutes += p.is_reroute;
    }
    return s->lb_is_path ? follow(tag, choice, w) : w.way[choice];
}

static APART struct port *asked(struct sim *s, const struct node *n, const struct packet *k, struct lb_tag *tag)
{
    uint32_t to = n->route_host[k->dst].group, one;

    return &s->port[ask(s, n, k, tag, to, ways_of(n, n->route_entry[to], &one))];
}

static inline struct port *to_host(struct sim *s, const struct node *n, const struct packet *k)
{
    struct port *out = &s->port[n->route_host[k->dst].port];

    return out->odd & ODD_LINK && out->is_down ? NULL : out;
}

/* At its last switch a packet is shown to the balancer, unless that is its first. */
static APART struct port *shown_last(struct sim *s, const struct node *n, uint32_t id, bool is_first)
{
    const struct packet *k = &s->packets.packet[id];
    struct port         *out = to_host(s, n, k);

    if (out && !is_first)
        s->cfg.lb->leave(s->lb_cfg, n->lb_state, s->now_ps, n->route_host[k->src].group, k->kind == PACKET_DATA,
                         &s->packets.tag[id]);
    return out;
}

static APART struct port *shown_first(struct sim *s, const struct node *n, uint32_t id, uint32_t to)
{
    const struct packet *k = &s->packets.packet[id];
    struct lb_tag       *tag = &s->packets.tag[id];
    uint32_t             one;
    struct ways          w = ways_of(n, n->route_entry[to], &one);

    *tag = (struct lb_tag){ 0 };
    if (k->kind == PACKET_DATA)
        return &s->port[ask(s, n, k, tag, to, w)];
    s->cfg.lb->enter(s->lb_cfg, n->lb_state, to, tag);
    return &s->port[ecmp_way(n, k, w)];
}

static APART struct port *shown_between(struct sim *s, const struct node *n, uint32_t id, uint32_t to)
{
    const struct packet *k = &s->packets.packet[id];
    struct lb_tag       *tag = &s->packets.tag[id];
    uint32_t             one, port;
    struct ways          w = ways_of(n, n->route_entry[to], &one);

    if (s->lb_is_path)
        port = follow(tag, tag->path, w);
    else
        port = w.count == 1 ? w.way[0] : ask(s, n, k, tag, to, w);
    s->cfg.lb->forward(s->lb_cfg, n->lb_state, s->now_ps, switch_of(s, n), port, k->bytes, tag);
    return &s->port[port];
}

APART struct port *balance_way(struct sim *s, struct node *n, const struct port *in, uint32_t id)
{
    const struct packet *k = &s->packets.packet[id];
    uint32_t             to = n->route_host[k->dst].group, entry = n->route_entry[to], one;
    bool                 is_shown = s->cfg.lb->leave, is_data = k->kind == PACKET_DATA;
    struct lb_tag       *tag = &s->packets.tag[id];
    struct ways          w;

    if (entry == ROUTE_LOCAL)
        return is_shown ? shown_last(s, n, id, !in->peer->is_switch) : to_host(s, n, k);
    w = ways_of(n, entry, &one);
    if (w.count == 0)
        return NULL;
    if (is_shown && !in->peer->is_switch)
        return shown_first(s, n, id, to);
    if (!is_data)
        return &s->port[ecmp_way(n, k, w)];
    if (is_shown)
        return shown_between(s, n, id, to);
    if (s->lb_is_path)
        return in->peer->is_switch ? &s->port[follow(tag, tag->path, w)] : asked(s, n, k, tag);
    return w.count == 1 ? &s->port[w.way[0]] : asked(s, n, k, tag);
}
