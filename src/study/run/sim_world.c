#include "study/run/sim_world.h"
#include "base/minmax.h"
#include "sim/observe/queue_telemetry.h"

#include <stdio.h>
#include <stdlib.h>

static void add_devices(struct world *w, const struct sim *s)
{
    const struct graph *g = sim_graph(s);
    uint32_t           *tier = xcalloc(g->nodes + 1ul, sizeof *tier);

    telemetry_tiers(s, tier);
    for (uint32_t i = 0; i < g->nodes; i++) {
        struct sim_node n = sim_node(s, i);

        w->device[i] = (struct world_device){ .name = xstrdup(g->node[i].name), .tier = tier[i],
                                              .first_port = n.first_port, .ports = n.ports };
    }
    free(tier);
}

static void add_ports(struct world *w, const struct sim *s)
{
    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port p = sim_port(s, i);
        char            name[16];

        snprintf(name, sizeof name, "%u", p.index);
        w->port[i] = (struct world_port){ .name = xstrdup(name), .device = p.node, .peer = p.peer,
                                          .rate_bps = p.rate_bps };
    }
}

static void add_hosts(struct world *w, const struct sim *s)
{
    for (uint32_t i = 0; i < sim_graph(s)->nodes; i++) {
        struct sim_node n = sim_node(s, i);

        if (n.is_switch || !n.ports)
            continue;
        struct sim_port p = sim_port(s, n.first_port);
        uint64_t        one = sim_pfc_bytes(s, p.peer, 1), two = sim_pfc_bytes(s, p.peer, 2);

        w->host_bps = max_u64(w->host_bps, p.rate_bps);
        if (!sim_settings(s)->is_lossless || !p.is_peer_switch)
            continue;
        w->pfc_bytes_one = !w->pfc_bytes_one || one < w->pfc_bytes_one ? one : w->pfc_bytes_one;
        w->pfc_bytes_two = !w->pfc_bytes_two || two < w->pfc_bytes_two ? two : w->pfc_bytes_two;
    }
}

void sim_world_init(struct world *w, const struct sim *s, uint64_t interval_ps)
{
    world_init(w, sim_graph(s)->nodes, sim_ports(s), telemetry_list(s, NULL));
    w->seed = sim_settings(s)->seed;
    w->interval_ps = interval_ps;
    w->base_rtt_ps = sim_idle_rtt_ps(s);
    w->mtu_bytes = sim_settings(s)->mtu_bytes;
    w->start = sim_settings(s)->knobs;
    w->control = cc_is_tuned_alone(sim_settings(s)->cc) ? sim_settings(s)->cc->name : NULL;
    w->reads_marks = sim_settings(s)->cc->reads_marks || sim_settings(s)->cc->needs_uet;
    w->trim_bytes = sim_trim_bytes(s);
    w->has_paths = sim_settings(s)->lb->entropy;
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
