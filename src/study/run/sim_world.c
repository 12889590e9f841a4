#include "study/run/sim_world.h"
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
    w->control = cc_is_tuned_alone(s->cfg.cc) ? s->cfg.cc->name : NULL;
    w->reads_marks = s->cfg.cc->reads_marks || s->cfg.cc->needs_uet;
    w->trim_bytes = s->uet.classes ? uet_queue_bytes_automatic(s) : 0;
    w->has_paths = s->spray.kind;
    telemetry_list(s, w->queue);
    add_devices(w, s);
    add_ports(w, s);
    add_hosts(w, s);
}

void apply_decision(struct sim *s, struct loop *loop, const struct decision *d)
{
    if (!d->number)
        return;
    if (d->has_knobs)
        sim_apply(s, &d->knobs);
    if (d->queue)
        telemetry_set(s, d->queue);
    loop_on_applied(loop, &(struct outcome){ .number = d->number, .kind = OUTCOME_APPLIED });
}
