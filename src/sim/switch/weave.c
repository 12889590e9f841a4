#include "sim/switch/weave.h"
#include "sim/switch/forward.h"

#include <errno.h>
#include <stdlib.h>

#define CONTROL_BYTES 64u

enum word { REPLY, CLEAR, NOTIFY };

/* ConWeave state of all switches, by node. */
struct weave {
    struct conweave_tor *tor;
    struct lb_switch    *sw;
    uint32_t             nodes, racks;
};

/* ---- paths ---- */

struct walk {
    const struct network  *net;
    const struct route    *route;
    uint32_t               to, most;
    uint64_t               delay_ps_most;
    bool                   is_deep;          /* some path has too many links, or there are too many paths */
    struct conweave_paths *paths;
};

static void add_path(struct walk *w, uint32_t id, uint64_t delay_ps)
{
    w->paths->id = xgrow(w->paths->id, w->paths->count, &w->most, 16, sizeof *w->paths->id);
    w->paths->id[w->paths->count++] = id;
    w->delay_ps_most = delay_ps > w->delay_ps_most ? delay_ps : w->delay_ps_most;
    w->is_deep |= w->paths->count > UINT16_MAX;
}

/* Follows all paths from a node that is 'depth' links away from the first ToR. */
// NOLINTNEXTLINE(misc-no-recursion)
static void walk_from(struct walk *w, const struct node *n, uint32_t depth, uint32_t id, uint64_t delay_ps)
{
    uint32_t        entry = w->route->entry[w->route->row[n->id] + w->to], one[2] = { 1, entry & ~ROUTE_ONE };
    const uint32_t *hop = entry & ROUTE_ONE ? one : w->route->hop + entry;

    if (entry == ROUTE_LOCAL) {
        add_path(w, id, delay_ps);
        return;
    }
    w->is_deep |= depth == CONWEAVE_HOPS_MAX;
    for (uint32_t i = 0; i < hop[0] && !w->is_deep; i++) {
        const struct port *p = &w->net->port[hop[1 + i]];

        walk_from(w, p->peer->node, depth + 1, id | p->index << 8 * depth, delay_ps + p->delay_ps);
    }
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Returns the paths from a ToR to rack 'to' in the current routes; built on first use. If there are none,
 * ECMP routes the packet: links have failed, and detours are too long. */
static const struct conweave_paths *paths_to(const struct sim *s, struct conweave_tor *tor,
                                             const struct node *n, uint32_t to)
{
    struct walk w;

    if (!tor->paths) {
        tor->paths = xcalloc(s->lb.weave->racks, sizeof *tor->paths);
        tor->avoided = xcalloc(CONWEAVE_ENTRIES, sizeof *tor->avoided);
    }
    struct conweave_paths *paths = &tor->paths[to];
    if (paths->made == n->epoch + 1)
        return paths;
    free(paths->id);
    *paths = (struct conweave_paths){ .made = n->epoch + 1 };
    w = (struct walk){ .net = &s->net, .route = &s->net.route[n->epoch], .to = to, .paths = paths };
    walk_from(&w, n, 0, 0, 0);
    if (w.is_deep)
        paths->count = 0;
    if (paths->count)
        qsort(paths->id, paths->count, sizeof *paths->id, by_id);
    paths->rtt_ps = 2 * w.delay_ps_most;
    return paths;
}

/* ---- control frames between ToRs ---- */

/* Creates a control frame about the flow of data packet 'k'. */
static void add_control(struct sim *s, const struct node *n, const struct packet *k, enum word word,
                        uint32_t value, struct weave_act *a)
{
    uint32_t                 id = engine_new_packet(&s->engine), ports = k->ports >> 16 | k->ports << 16;
    struct packet           *c = &s->engine.packets.packet[id];
    const struct route_host *h = &n->route_host[k->src];
    uint32_t                 entry = n->route_entry[h->group];
    const uint32_t          *hop = n->route_hop + entry;
    struct port             *out = NULL;

    *c = (struct packet){ .in_port = UNBOOKED, .src = k->dst, .dst = k->src, .ports = ports,
                          .seq = (uint64_t)word << 32 | value, .sent_ps = s->engine.now_ps,
                          .bytes = CONTROL_BYTES, .kind = WOVEN,
                          .prio = (s->model.unbooked_prios & 1 ? 0 : s->hosts.np_cfg.cnp_prio) & 7u,
                          .flags = PACKET_NOT_ECT };
    if (entry & ROUTE_ONE && entry != ROUTE_LOCAL)
        out = &s->net.port[entry & ~ROUTE_ONE];
    else if (entry != ROUTE_LOCAL && hop[0])
        out = &s->net.port[forward_hash(n, c->src, c->dst, ports, hop)];
    a->control[a->controls] = id;
    a->control_out[a->controls++] = out;
}

static enum weave_does take_control(struct sim *s, const struct node *n, uint32_t id, const struct packet *k)
{
    struct conweave_tor *tor = &s->lb.weave->tor[n->id];
    struct conweave_key  key = { k->dst, k->src, k->ports >> 16 | k->ports << 16 };
    uint32_t             word = (uint32_t)(k->seq >> 32), value = (uint32_t)k->seq;

    if (word == NOTIFY)
        conweave_notified(s->lb.cfg, tor, s->engine.now_ps, n->salt, value);
    else
        conweave_answered(tor, s->engine.now_ps, &key, value, word == CLEAR, &s->engine.counters.conweave);
    packet_free(&s->engine.packets, id);
    return WEAVE_CONSUMED;
}

/* ---- data ---- */

static struct port *port_of_path(const struct sim *s, const struct node *n, const struct conweave_tag *tag)
{
    struct port *p = &s->net.port[n->first_port + (tag->path >> 8 * tag->hop & 0xff) - 1];

    return p->slow_path & SLOW_LINK && p->is_down ? NULL : p;
}

static enum weave_does enter(struct sim *s, const struct node *n, uint32_t id, const struct packet *k,
                             uint32_t to, struct weave_act *a)
{
    struct conweave_tor         *tor = &s->lb.weave->tor[n->id];
    struct conweave_tag         *tag = packet_woven(&s->engine.packets, id);
    const struct conweave_paths *paths = paths_to(s, tor, n, to);
    struct conweave_key          key = { k->src, k->dst, k->ports };

    *tag = (struct conweave_tag){ 0 };
    if (!paths->count)
        return WEAVE_IGNORED;
    conweave_send(s->lb.cfg, tor, s->engine.now_ps, &s->lb.weave->sw[n->id], &key, paths, tag,
                  &s->engine.counters.conweave);
    a->out = port_of_path(s, n, tag);
    return WEAVE_FORWARDED;
}

/* Returns the next hop of the path. If that link has failed, ECMP routes the packet. */
static enum weave_does follow(const struct sim *s, const struct node *n, uint32_t id, struct weave_act *a)
{
    struct conweave_tag *tag = packet_woven(&s->engine.packets, id);

    if (!tag->path)
        return WEAVE_IGNORED;
    tag->hop++;
    a->out = port_of_path(s, n, tag);
    if (a->out)
        return WEAVE_FORWARDED;
    tag->path = 0;
    return WEAVE_IGNORED;
}

/* Appends a packet to the held packets of its flow; the first one is the event that releases them. */
static void hold(struct sim *s, const struct port *in, uint32_t id, struct packet *k, struct conweave_row *r)
{
    struct conweave_tag *tag = packet_woven(&s->engine.packets, id);

    tag->is_held = true;
    tag->next = 0;
    if (r->first) {
        packet_woven(&s->engine.packets, r->last)->next = id;
        k->in_port = in->id;
    } else {
        r->first = id;
    }
    r->last = id;
}

static void set_release(struct sim *s, struct node *n, uint32_t id, uint64_t at_ps)
{
    if (evq_is_pending(&s->engine.evq, id))
        evq_cancel(&s->engine.evq, id);
    evq_add(&s->engine.evq, id, at_ps, sim_order(s, n, at_ps));
}

static enum weave_does leave(struct sim *s, struct port *in, uint32_t id, struct packet *k,
                             struct weave_act *a)
{
    struct node               *n = in->node;
    const struct conweave_tag *tag = packet_woven(&s->engine.packets, id);
    struct conweave_key        key = { k->src, k->dst, k->ports };
    struct conweave_verdict    v;

    if (!tag->path)
        return WEAVE_IGNORED;
    conweave_receive(s->lb.cfg, &s->lb.weave->tor[n->id], s->engine.now_ps, &key, tag, k->flags & PACKET_ECN,
                     &v, &s->engine.counters.conweave);
    if (v.holds)
        hold(s, in, id, k, v.row);
    if (v.moves && v.row->first)
        set_release(s, n, v.row->first, v.release_ps);
    if (v.notifies)
        add_control(s, n, k, NOTIFY, tag->path, a);
    if (v.replies || v.clears)
        add_control(s, n, k, v.replies ? REPLY : CLEAR, tag->epoch, a);
    if (v.holds)
        return WEAVE_CONSUMED;
    a->out = &s->net.port[n->route_host[k->dst].port];
    return WEAVE_FORWARDED;
}

static enum weave_does release(struct sim *s, const struct node *n, const struct packet *k,
                               struct weave_act *a)
{
    struct conweave_key  key = { k->src, k->dst, k->ports };
    struct conweave_row *r = conweave_release(&s->lb.weave->tor[n->id], s->engine.now_ps, &key,
                                              &s->engine.counters.conweave);

    r->first = r->last = 0;
    a->out = &s->net.port[n->route_host[k->dst].port];
    return WEAVE_RELEASED;
}

/* Handles a packet that arrived at 'in' or is released. PFC frames do not get here. */
static enum weave_does steer(struct sim *s, struct port *in, uint32_t id, struct packet *k,
                             struct weave_act *a)
{
    const struct node *n = in->node;
    uint32_t           to = n->route_host[k->dst].group;
    bool               is_local = n->route_entry[to] == ROUTE_LOCAL;

    a->out = NULL;
    a->controls = 0;
    if (packet_woven(&s->engine.packets, id)->is_held)
        return release(s, n, k, a);
    conweave_note(&s->lb.weave->tor[n->id], s->engine.now_ps);
    if (packet_class(k) != CLASS_DATA)
        return k->kind == WOVEN && is_local ? take_control(s, n, id, k) : WEAVE_IGNORED;
    if (in->peer->is_switch)
        return is_local ? leave(s, in, id, k, a) : follow(s, n, id, a);
    return is_local ? WEAVE_IGNORED : enter(s, n, id, k, to, a);
}

/* ---- building ---- */

static int check_ports(const struct sim *s, struct err *err)
{
    for (uint32_t i = 0; i < s->net.nodes; i++)
        if (s->net.node[i].is_switch && s->net.node[i].ports > CONWEAVE_PORTS_MAX)
            return err_set(err, ENOTSUP,
                           "conweave writes ports of switches in a byte: %s has %u, and there may be %u",
                           s->net.graph.node[i].name, s->net.node[i].ports, CONWEAVE_PORTS_MAX);
    return 0;
}

int weave_build(struct sim *s, uint32_t hops_most, struct err *err)
{
    if (!s->cfg.lb->is_woven)
        return 0;
    if (hops_most > CONWEAVE_HOPS_MAX + 2)
        return err_set(err, ENOTSUP,
                       "conweave knows paths of up to %u links between two switches with hosts, "
                       "and here are %u",
                       CONWEAVE_HOPS_MAX, hops_most - 2);
    if (check_ports(s, err) < 0)
        return -ENOTSUP;
    struct weave *w = arena_alloc(&s->arena, 1, sizeof *w);
    *w = (struct weave){ arena_alloc(&s->arena, s->net.nodes, sizeof *w->tor),
                         arena_alloc(&s->arena, s->net.nodes, sizeof *w->sw), s->net.nodes,
                         s->net.route[0].groups };
    for (uint32_t i = 0; i < s->net.nodes; i++)
        w->sw[i] = (struct lb_switch){ .salt = s->net.node[i].salt, .rng = &s->lb.rng[i],
                                       .crand = s->lb.crand };
    for (uint32_t i = 0; i < s->net.ports; i++)
        if (s->net.port[i].is_switch)
            s->net.port[i].slow_path |= SLOW_WOVEN;
    s->lb.weave = w;
    s->lb.weave_packet = steer;
    return 0;
}

void weave_free(struct sim *s)
{
    for (uint32_t i = 0; s->lb.weave && i < s->lb.weave->nodes; i++)
        conweave_fini(&s->lb.weave->tor[i], s->lb.weave->racks);
}

/* ---- held packets ---- */

uint32_t weave_take_held(struct sim *s, uint32_t id, struct port **in)
{
    struct conweave_tag *tag = packet_woven(&s->engine.packets, id);

    if (!*in)
        *in = &s->net.port[s->engine.packets.packet[id].in_port];
    tag->is_held = false;
    return tag->next;
}

void weave_each_held(const struct sim *s, const struct node *n, void (*see)(void *arg, const struct packet *),
                     void *arg)
{
    const struct conweave_table *t = s->lb.weave ? &s->lb.weave->tor[n->id].rx : NULL;

    for (uint32_t i = 0; t && i < t->size; i++) {
        uint32_t id = t->row[i].is_used ? t->row[i].first : 0;

        while (id && (id = packet_woven(&s->engine.packets, id)->next) != 0)
            see(arg, &s->engine.packets.packet[id]);
    }
}
