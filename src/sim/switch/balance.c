#include "sim/switch/balance.h"
#include "sim/lb/conga.h"
#include "sim/switch/forward.h"

#include <stddef.h>
#include <stdlib.h>

#define BALANCE_STREAM (1ull << 40)      /* stream of random numbers, separate from that of marking */

/* A switch's data for its balancer; node.lb_state points to 'state'. */
struct place {
    struct lb_switch  sw;
    _Alignas(64) char state[];
};

static inline struct place *place_of(const struct node *n)
{
    return (struct place *)(void *)((char *)n->lb_state - offsetof(struct place, state));
}

/* ---- state of switches ---- */

void balance_configure(struct sim *s)
{
    const struct lb_algo *lb = s->cfg.lb;

    if (lb->configure)
        lb->configure(s->lb.cfg, &s->cfg.knobs);
    s->lb.is_path = lb->scope && lb->scope(s->lb.cfg) == LB_PATH;
}

/* Routes lead to groups: switches with hosts. */
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

static void build_place(struct sim *s, struct node *n, const struct lb_switch *sw)
{
    const struct lb_algo *lb = s->cfg.lb;
    size_t                state_bytes = lb->state_bytes ? lb->state_bytes(s->lb.cfg, sw) : 0;
    struct place         *place = arena_alloc(&s->arena, 1, sizeof *place + state_bytes);

    place->sw = *sw;
    n->lb_state = place->state;
    if (lb->init)
        lb->init(s->lb.cfg, place->state, sw);
}

static void build_places(struct sim *s)
{
    bool     *has_hosts = xcalloc(s->net.nodes + 1ul, sizeof *has_hosts);
    uint32_t *ports = xcalloc(s->net.nodes + 1ul, sizeof *ports);
    uint32_t  racks = count_racks(&s->net.graph, has_hosts);

    for (uint32_t i = 0; i < s->net.graph.links; i++)
        ports[s->net.graph.link[i].a]++, ports[s->net.graph.link[i].b]++;
    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (s->net.node[i].is_switch)
            build_place(s, &s->net.node[i], &(struct lb_switch){ .ports = ports[i], .racks = racks,
                                                                 .has_hosts = has_hosts[i] });
    free(has_hosts);
    free(ports);
}

/* ---- decisions ---- */

#define FEEDBACK_MASK 14u        /* tests a node's event numbers, which are even: one in eight */

/* Keeps rare functions out of the one that all packets call, which then needs no stack frame. */
#define APART __attribute__((noinline))

/* Decodes the next digit of the path that the first switch has chosen. */
static inline uint32_t follow(struct lb_tag *tag, uint32_t path, const uint32_t *hop)
{
    tag->path = (uint16_t)(path / hop[0]);
    return hop[1 + path % hop[0]];
}

/* Returns the balancer's choice for a data packet to switch 'to': a path or a next hop. */
static inline uint32_t ask(struct sim *s, const struct node *n, const struct packet *k, struct lb_tag *tag,
                           uint32_t to, const uint32_t *hop, bool is_path)
{
    const struct lb_switch *sw = &place_of(n)->sw;
    struct lb_packet        p = { .src = k->src, .dst = k->dst, .ports = k->ports, .bytes = k->bytes,
                                  .to = to,
                                  .choices = is_path ? n->route_paths[to] + 1u : hop[0], .ways = hop[0],
                                  .way = hop + 1, .prio = k->prio,
                                  .tag = tag };

    if (__builtin_expect(s->model.lb_key != NULL, 0))
        s->model.lb_key(&p, k);
    uint32_t choice = s->cfg.lb->pick(s->lb.cfg, n->lb_state, s->engine.now_ps, sw, &p);
    if (__builtin_expect(p.is_flowlet, 0)) {
        s->engine.counters.flowlets++;
        s->engine.counters.reroutes += p.is_reroute;
    }
    return choice;
}

/* Returns the port for data packet 'id' to group 'to'. 'hop' (see struct route) has several next hops or, at
 * a first switch, one with several paths behind it. */
static APART struct port *choose_port(struct sim *s, const struct port *in, uint32_t id, uint32_t to,
                                      const uint32_t *hop)
{
    const struct node   *n = in->node;
    struct lb_tag       *tag = packet_tag(&s->engine.packets, id);
    const struct packet *k = &s->engine.packets.packet[id];

    if (!s->lb.is_path)
        return &s->net.port[hop[1 + ask(s, n, k, tag, to, hop, false)]];
    return &s->net.port[follow(tag, in->peer->is_switch ? tag->path : ask(s, n, k, tag, to, hop, true), hop)];
}

/* ---- balancers that see packets on their path ---- */

static APART struct port *enter(struct sim *s, const struct port *in, uint32_t id, bool is_data, uint32_t to)
{
    const struct node   *n = in->node;
    const struct packet *k = &s->engine.packets.packet[id];
    uint32_t             entry = n->route_entry[to], one[2] = { 1, entry & ~ROUTE_ONE };
    const uint32_t      *hop = entry & ROUTE_ONE ? one : n->route_hop + entry;

    if (hop[0] == 0)
        return NULL;
    if (is_data)
        return choose_port(s, in, id, to, hop);
    if (s->cfg.lb->enter)
        s->cfg.lb->enter(s->lb.cfg, n->lb_state, to, packet_tag(&s->engine.packets, id));
    return &s->net.port[forward_hash(n, k->src, k->dst, k->ports, hop)];
}

static APART struct port *pass(struct sim *s, const struct port *in, uint32_t id, uint32_t to)
{
    const struct node *n = in->node;
    uint32_t           entry = n->route_entry[to];
    struct port       *out;

    if (entry & ROUTE_ONE)
        out = &s->net.port[entry & ~ROUTE_ONE];
    else if (n->route_hop[entry])
        out = choose_port(s, in, id, to, n->route_hop + entry);
    else
        return NULL;
    s->cfg.lb->forward(s->lb.cfg, n->lb_state, s->engine.now_ps, &place_of(n)->sw, out->id,
                       s->engine.packets.packet[id].bytes, packet_tag(&s->engine.packets, id));
    return out;
}

static APART void leave(struct sim *s, const struct node *n, uint32_t id, bool is_data)
{
    const struct packet *k = &s->engine.packets.packet[id];

    s->cfg.lb->leave(s->lb.cfg, n->lb_state, s->engine.now_ps, n->route_host[k->src].group,
                     is_data, packet_tag(&s->engine.packets, id));
}

/* ---- entry points ---- */

/* Passes packets to a balancer. The first switch passes data, and one in eight other packets, which carry
 * feedback; switches in between pass data; the last switch passes data, and other packets with feedback.
 * Returns false if routing decides on the port. */
static bool see(struct sim *s, const struct port *in, uint32_t id, bool is_data, uint32_t to,
                struct port **out)
{
    const struct node *n = in->node;
    bool               is_local = n->route_entry[to] == ROUTE_LOCAL;
    struct lb_tag     *tag = packet_tag(&s->engine.packets, id);

    if (!in->peer->is_switch) {
        *tag = (struct lb_tag){ 0 };
        if (is_local && is_data && s->cfg.lb->stay)
            s->cfg.lb->stay(n->lb_state, s->engine.now_ps);
        if (is_local || !(is_data || (engine_turn_number(n->next_number) & FEEDBACK_MASK) == 0))
            return false;
        *out = enter(s, in, id, is_data, to);
        return true;
    }
    if (is_local) {
        if (is_data || tag->feedback_name)
            leave(s, n, id, is_data);
        return false;
    }
    if (is_data)
        *out = pass(s, in, id, to);
    return is_data;
}

/* Balancers that only choose among several next hops for data. */
static bool choose(struct sim *s, const struct port *in, uint32_t id, const struct packet *k, bool is_data,
                   struct port **out)
{
    const struct node *n = in->node;
    uint32_t           to = n->route_host[k->dst].group, way = n->route_entry[to];

    if (way == ROUTE_LOCAL || way & ROUTE_ONE || !is_data || n->route_hop[way] == 0)
        return false;
    *out = choose_port(s, in, id, to, n->route_hop + way);
    return true;
}

static bool see_and_choose(struct sim *s, const struct port *in, uint32_t id, const struct packet *k,
                           bool is_data, struct port **out)
{
    return see(s, in, id, is_data, in->node->route_host[k->dst].group, out) ||
           choose(s, in, id, k, is_data, out);
}

/* ---- building ---- */

void balance_build(struct sim *s)
{
    const struct lb_algo *lb = s->cfg.lb = s->cfg.lb == &lb_conga &&
                               s->model.conga ? s->model.conga : s->cfg.lb;
    struct rng            salts;

    rng_init(&salts, s->cfg.lb_seed, BALANCE_STREAM);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        s->net.node[i].salt = s->cfg.lb_seed ? (uint32_t)rng_next(&salts) : i;
    s->lb.cfg = lb->cfg_size ? arena_alloc(&s->arena, 1, lb->cfg_size) : NULL;
    balance_configure(s);
    s->spray.kind = lb->entropy;
    s->lb.is_on = lb != &lb_ecmp && !lb->is_woven && !lb->entropy;
    s->lb.choose = !s->lb.is_on ? NULL : lb->leave ? see_and_choose : choose;
    if (lb == &lb_ecmp || lb->entropy)
        return;
    s->lb.rng = arena_alloc(&s->arena, s->net.nodes, sizeof *s->lb.rng);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        rng_init(&s->lb.rng[i], s->cfg.seed ^ s->cfg.lb_seed * 0x9e3779b97f4a7c15ull, BALANCE_STREAM + 1 + i);
    if (s->lb.is_on)
        build_places(s);
}

void balance_connect(struct sim *s)
{
    for (uint32_t i = 0; s->lb.is_on && i < s->net.nodes; i++) {
        const struct node *n = &s->net.node[i];
        struct lb_switch  *sw = n->is_switch ? &place_of(n)->sw : NULL;

        if (!sw)
            continue;
        sw->first_port = n->first_port;
        sw->salt = n->salt;
        sw->rng = &s->lb.rng[i];
        sw->crand = s->lb.crand;
        sw->queue_bytes = (const char *)&s->net.port[0].queue[0].bytes;
        sw->rate_bps = (const char *)&s->net.port[0].rate_bps;
        sw->port_stride = sizeof(struct port);
        sw->class_stride = sizeof(struct queue);
    }
}
