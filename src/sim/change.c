#include "sim/change.h"
#include "sim/nic/host.h"
#include "sim/link/path.h"
#include "sim/link/pfc.h"
#include "sim/switch/switch.h"

#include <string.h>

/* ---- building ---- */

uint32_t change_build(struct sim *s)
{
    const struct link_change *c = s->cfg.change;
    uint32_t                  epochs = 1, e = 0;

    if (s->cfg.changes)
        s->engine.cut_packets = arena_alloc(&s->arena, 2ul * s->net.graph.links,
                                            sizeof *s->engine.cut_packets);
    for (uint32_t i = 0; i < s->cfg.changes; i++)
        epochs += i == 0 || c[i].at_ps != c[i - 1].at_ps;
    s->net.epoch_ps = arena_alloc(&s->arena, epochs, sizeof *s->net.epoch_ps);
    s->net.epoch_change = arena_alloc(&s->arena, epochs, sizeof *s->net.epoch_change);
    for (uint32_t i = 0; i < s->cfg.changes; i++)
        if (i == 0 || c[i].at_ps != c[i - 1].at_ps) {
            s->net.epoch_change[e] = i;
            s->net.epoch_ps[e++] = c[i].at_ps;
        }
    s->net.epoch_ps[e] = NEVER;
    return epochs;
}

void change_use_routes(const struct network *net, struct node *n, uint32_t epoch)
{
    const struct route *r = &net->route[epoch];

    n->epoch = epoch;
    n->route_host = r->host;
    n->route_entry = r->entry + r->row[n->id];
    n->route_hop = r->hop;
    n->route_paths = r->paths ? r->paths + r->row[n->id] : NULL;
    for (uint32_t i = 0; i < n->ports; i++)
        memset(net->last_way[n->first_port + i], 0xff, sizeof *net->last_way);     /* matches no packet */
}

void change_await(struct sim *s, struct node *n)
{
    uint64_t at = s->net.epoch_ps[n->epoch];

    if (at == NEVER)
        return;
    evq_add(&s->engine.evq, s->engine.first_event[EV_CHANGE] + n->id, at, sim_order(s, n, at));
}

/* ---- during the run ---- */

static __attribute__((noinline)) void kick_port(struct sim *s, struct port *p)
{
    if (port_is_busy(p, s->engine.now_ps, s->engine.order))
        path_await_free(&s->engine, p);
    else if (p->is_switch)
        switch_kick(s, p);
    else
        host_kick(s, &s->net.host[p->node->host]);
}

__attribute__((cold)) void change_on_pause_end(struct sim *s, struct port *p, uint32_t prio)
{
    pfc_on_expiry(&s->engine, p, prio);
    kick_port(s, p);
}

static void go_down(struct sim *s, struct port *p)
{
    p->was_down = true;
    p->slow_path |= SLOW_LINK;
    p->down_at_ps = s->engine.now_ps;
    if (p->is_switch && s->model.on_down)
        s->model.on_down(s, p);
    else if (p->is_switch)
        switch_flush(s, p);
}

/* When a link comes up, each end holds its classes until the other has sent its PFC state: pauses may have
 * been lost with the link, and the buffers they protect may still be full. Among hosts only slow ones send
 * pauses, and no switch waits for them. */
static void come_up(struct sim *s, struct port *p)
{
    if (p->peer->is_switch && s->cfg.is_lossless) {
        p->paused = s->pfc.queue == 0 ? 0xfe : 0xff;     /* PFC frames use class 0 and must pass */
        p->paused_since_ps = PORT_HELD;
    }
    for (uint32_t c = 0; (p->is_switch || p->pausing) && s->cfg.is_lossless && c < PRIOS; c++)
        switch_send_pfc(s, p, c, p->pausing >> c & 1);
    kick_port(s, p);
}

static void change_port(struct sim *s, struct port *p, bool is_up)
{
    if (is_up == !p->is_down)
        return;
    pfc_forget(&s->engine, &s->pfc, p);
    p->is_down = !is_up;
    if (is_up)
        come_up(s, p);
    else
        go_down(s, p);
}

/* Returns the port of a node at a link, or NULL. */
static struct port *find_port(const struct network *net, const struct node *n, uint32_t link)
{
    const struct graph_link *l = &net->graph.link[link];
    struct port             *p = &net->port[n->first_port];

    if (l->a != n->id && l->b != n->id)
        return NULL;
    while (p->link != link)
        p++;
    return p;
}

/* Out of line, to keep the event loop small. */
__attribute__((noinline)) void change_on_epoch(struct sim *s, struct node *n)
{
    const struct network     *net = &s->net;
    const struct link_change *c = &s->cfg.change[net->epoch_change[n->epoch]],
                             *end = &s->cfg.change[s->cfg.changes];

    change_use_routes(net, n, n->epoch + 1);
    for (uint64_t at_ps = c->at_ps; c < end && c->at_ps == at_ps; c++) {
        struct port *p = find_port(net, n, c->link);

        if (p)
            change_port(s, p, c->is_up);
    }
    if (s->model.list && !n->is_switch)
        s->model.list->on_change(s, &net->host[n->host]);
    change_await(s, n);
}
