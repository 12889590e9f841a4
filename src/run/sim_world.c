#include "run/sim_world.h"
#include "base/minmax.h"
#include "sim/observe/queue_telemetry.h"
#include "sim/build.h"

#include <stdio.h>
#include <stdlib.h>

/* The length of an egress queue at which a switch starts to pause, if 'ports' ports fill it evenly: each may
 * take a share alpha of the free buffer. */
static uint64_t pfc_bytes(const struct node *n, const struct port *in, uint32_t ports)
{
    double alpha = 1.0 / (double)(1u << in->shift);

    return (uint64_t)((double)n->shared_bytes_max * ports * alpha / (1 + ports * alpha));
}

static void add_devices(struct world *w, const struct sim *s)
{
    uint32_t *tier = xcalloc(s->net.nodes + 1ul, sizeof *tier);

    telemetry_tiers(s, tier);
    for (uint32_t i = 0; i < s->net.nodes; i++)
        w->device[i] = (struct world_device){ .name = xstrdup(s->net.graph.node[i].name), .tier = tier[i],
                                              .first_port = s->net.node[i].first_port,
                                                  .ports = s->net.node[i].ports };
    free(tier);
}

static void add_ports(struct world *w, const struct sim *s)
{
    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];
        char               name[16];

        snprintf(name, sizeof name, "%u", p->index);
        w->port[i] = (struct world_port){ .name = xstrdup(name), .device = p->node->id, .peer = p->peer->id,
                                          .rate_bps = p->rate_bps };
    }
}

static void add_hosts(struct world *w, const struct sim *s)
{
    for (uint32_t i = 0; i < s->net.hosts; i++) {
        const struct port *p = s->net.host[i].port;
        uint64_t           one = pfc_bytes(p->peer->node, p->peer, 1),
                           two = pfc_bytes(p->peer->node, p->peer, 2);

        w->host_bps = max_u64(w->host_bps, p->rate_bps);
        if (!s->cfg.is_lossless || !p->peer->is_switch)
            continue;
        w->pfc_bytes_one = !w->pfc_bytes_one || one < w->pfc_bytes_one ? one : w->pfc_bytes_one;
        w->pfc_bytes_two = !w->pfc_bytes_two || two < w->pfc_bytes_two ? two : w->pfc_bytes_two;
    }
}

void sim_world_init(struct world *w, const struct sim *s, uint64_t interval_ps)
{
    world_init(w, s->net.nodes, s->net.ports, telemetry_list(s, NULL));
    w->seed = s->cfg.seed;
    w->interval_ps = interval_ps;
    w->base_rtt_ps = s->net.base_rtt_ps;
    w->mtu_bytes = s->cfg.mtu_bytes;
    w->start = s->cfg.knobs;
    w->knobs = s->cfg.cc->knobs;
    w->trim_bytes = s->uet.classes ? uet_queue_bytes_automatic(s) : 0;
    w->has_paths = s->spray.kind;
    telemetry_list(s, w->queue);
    add_devices(w, s);
    add_ports(w, s);
    add_hosts(w, s);
}

/* ---- checks ---- */

/* Thresholds are of switches. Parameters of the sender's rate control, the first in the table, are of hosts;
 * those of receivers apply to all hosts. */
static bool can_set(const struct world *w, struct scope scope, enum knob k)
{
    bool has_host = false, has_switch = scope.kind == SCOPE_QUEUE;

    if (scope.kind == SCOPE_FABRIC)
        return true;
    for (uint32_t i = 0; i < w->devices; i++) {
        bool is_in = scope_has_device(scope, w, i);

        has_host |= is_in && w->device[i].tier == WORLD_HOSTS;
        has_switch |= is_in && w->device[i].tier != WORLD_HOSTS;
    }
    return k == KNOB_kmin || k == KNOB_kmax || k == KNOB_pmax ? has_switch :
           k <= KNOB_initial_alpha_value && has_host;
}

static bool is_refused(const struct applier *a, const struct decision *d, struct outcome *o)
{
    char where[80];

    for (uint32_t i = 0; d->has_knobs && i < d->parts; i++) {
        const struct scoped_set *p = &d->part[i];

        if (!scope_is_of(p->scope, a->world)) {
            snprintf(o->why, sizeof o->why, "a setting is for a part of the network that is not there");
            return true;
        }
        for (enum knob k = 0; k < KNOB_COUNT; k++)
            if (p->set.is_named[k] && !can_set(a->world, p->scope, k)) {
                snprintf(o->why, sizeof o->why, "'%s' cannot be set for %s alone in a simulated network",
                         knob_info[k].name, scope_text(where, sizeof where, p->scope, a->world));
                return true;
            }
    }
    return false;
}

/* ---- apply ---- */

/* The setting of a device: all scopes that include it, in order. */
static struct knobs knobs_at(const struct applier *a, const struct decision *d, uint32_t device)
{
    struct knobs k = d->knobs;

    for (uint32_t i = 0; i < d->parts; i++)
        if (scope_has_device(d->part[i].scope, a->world, device))
            knob_set_put(&d->part[i].set, &k);
    return k;
}

static void set_queue(const struct applier *a, uint32_t port, struct ecn e)
{
    sim_set_ecn(a->sim, port, &(struct ecn_cfg){ e.kmin_bytes, e.kmax_bytes, e.pmax });
}

static void set_device(const struct applier *a, uint32_t device, const struct knobs *k)
{
    const struct world_device *w = &a->world->device[device];

    if (w->tier == WORLD_HOSTS) {
        sim_apply_host(a->sim, a->sim->net.node[device].host, k);
        return;
    }
    for (uint32_t i = w->first_port; i < w->first_port + w->ports; i++) {
        double       share = (double)a->world->port[i].rate_bps / (double)a->world->host_bps;
        struct knobs here = knobs_at_speed(k, share);

        set_queue(a, i, ecn_of_knobs(&here));
    }
}

/* Sets devices first, then single queues. */
static void set_parts(const struct applier *a, const struct decision *d)
{
    for (uint32_t i = 0; i < a->world->devices; i++) {
        struct knobs k = knobs_at(a, d, i);

        set_device(a, i, &k);
    }
    for (const struct scoped_set *p = d->part; p < d->part + d->parts; p++)
        if (p->scope.kind == SCOPE_QUEUE) {
            uint32_t     port = a->world->queue[p->scope.index].port;
            struct knobs k = knobs_at(a, d, a->world->port[port].device);

            knob_set_put(&p->set, &k);
            set_queue(a, port, ecn_of_knobs(&k));
        }
}

void apply_decision(struct applier *a, const struct decision *d, struct outcome *o)
{
    *o = (struct outcome){ .number = d->number, .kind = OUTCOME_APPLIED, .at_ps = a->sim->now_ps };
    if (is_refused(a, d, o)) {
        o->kind = OUTCOME_REFUSED;
        return;
    }
    if (d->has_knobs)
        sim_apply(a->sim, &d->knobs);
    if (d->has_knobs && (d->parts || a->had_parts))
        set_parts(a, d);
    if (d->has_knobs)
        a->had_parts = d->parts > 0;
    if (d->queue)
        telemetry_set(a->sim, d->queue);
}
