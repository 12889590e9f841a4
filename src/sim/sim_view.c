/* src/sim/sim_view.c - what others see of a world. */
#include "sim/build.h"
#include "sim/forks/htsim_sim.h"
#include "sim/nic/flow.h"
#include "sim/partition.h"
#include "sim/rto_default.h"
#include "sim/sim.h"
#include "sim/skip/skip.h"
#include "sim/transport/transport.h"
#include "work/traffic/traffic.h"

/* ---- what it consists of ---- */

const struct sim_cfg *sim_settings(const struct sim *s)
{
    return &s->cfg;
}

const struct graph *sim_graph(const struct sim *s)
{
    return &s->net.graph;
}

struct traffic *sim_traffic(const struct sim *s)
{
    return s->program.traffic;
}

uint64_t sim_idle_rtt_ps(const struct sim *s)
{
    return s->net.base_rtt_ps;
}

uint64_t sim_full_rtt_with_one_queue_ps(const struct sim *s)
{
    return rto_default_queue_ps(s);
}

bool sim_is_balanced(const struct sim *s)
{
    return s->lb.weave || s->lb.is_on || s->hosts.hf2t;
}

bool sim_echoes_marks(const struct sim *s)
{
    return s->model.echo != 0;
}

uint64_t sim_trim_bytes(const struct sim *s)
{
    return s->sw.trim.classes ? uet_queue_bytes_automatic(s) : 0;
}

struct sim_node sim_node(const struct sim *s, uint32_t node)
{
    const struct node *n = &s->net.node[node];

    return (struct sim_node){ n->first_port, n->ports, n->host, n->is_switch, n->shared_bytes_max };
}

int64_t sim_room_bytes(const struct sim *s, uint32_t node)
{
    if (s->model.account)
        return s->net.conweave[node].egress_bytes_left;
    if (!s->cfg.is_lossless)
        return (int64_t)s->cfg.buffer_bytes;
    return traffic_prios(s->program.traffic) & s->cfg.lossy_prios ? s->net.node[node].shared_bytes_max
                                                                  : INT64_MAX;
}

uint32_t sim_ports(const struct sim *s)
{
    return s->net.ports;
}

static uint64_t queue_bytes(const struct port *p)
{
    uint64_t bytes = 0;

    for (uint32_t class = 0; p->is_switch && class < PRIOS; class++)
        bytes += p->queue[class].bytes;
    return bytes;
}

struct sim_port sim_port(const struct sim *s, uint32_t port)
{
    const struct port *p = &s->net.port[port];

    return (struct sim_port){
        .id = p->id, .node = p->node->id, .link = p->link, .index = p->index, .peer = p->peer->id,
        .peer_node = p->peer->node->id, .is_switch = p->is_switch, .is_peer_switch = p->peer->is_switch,
        .rate_bps = p->rate_bps, .queue_bytes = queue_bytes(p),
        .ecn = { p->ecn.kmin_bytes, p->ecn.kmax_bytes, p->ecn.pmax }, .counters = p->counters,
    };
}

uint64_t sim_port_paused_ps(const struct sim *s, uint32_t port, uint64_t now_ps)
{
    return port_paused_ps(&s->net.port[port], now_ps);
}

/* Each ingress port may take a share alpha of the free buffer. */
uint64_t sim_pfc_bytes(const struct sim *s, uint32_t port, uint32_t ports)
{
    const struct port *in = &s->net.port[port];
    double             alpha = 1.0 / (double)(1u << in->shift);

    return (uint64_t)((double)in->node->shared_bytes_max * ports * alpha / (1 + ports * alpha));
}

/* ---- progress ---- */

uint64_t sim_now_ps(const struct sim *s)
{
    return s->now_ps;
}

uint64_t sim_link_cut(const struct sim *s, uint32_t link)
{
    const uint64_t *ends = s->engine.cut_packets;

    return ends ? ends[2ul * link] + ends[2ul * link + 1] : 0;
}

uint64_t sim_first_start_ps(const struct sim *s)
{
    return s->first_start_ps;
}

uint64_t sim_last_arrival_ps(const struct sim *s)
{
    uint64_t last_ps = 0;

    if (s->htsim)
        return s->now_ps;        /* model htsim: packets do not use these ports */
    for (uint32_t i = 0; i < s->net.ports; i++) {
        const struct port *p = &s->net.port[i];
        uint64_t           at_ps = p->counters.tx_bytes ? p->free_at_ps + p->delay_ps : 0;

        last_ps = at_ps > last_ps ? at_ps : last_ps;
    }
    return last_ps;
}

uint64_t sim_done_ps(const struct sim *s)
{
    return s->done_ps;
}

bool sim_is_done(const struct sim *s)
{
    return s->is_done;
}

const uint64_t *sim_clock(const struct sim *s)
{
    return s->htsim ? &s->now_ps : &s->engine.now_ps;
}

const struct sim_counters *sim_counts(const struct sim *s)
{
    return &s->engine.counters;
}

uint64_t sim_hops(const struct sim *s)
{
    uint64_t hops = 0;

    for (uint32_t i = 0; i < s->net.ports; i++)
        for (int class = 0; class < PACKET_CLASSES; class++)
            hops += s->net.port[i].counters.tx_packets[class];
    return hops;
}

const struct skip_stats *sim_skipped(const struct sim *s)
{
    return skip_stats(s);
}

uint32_t sim_threads(const struct sim *s)
{
    return s->parts ? partition_threads(s->parts) : 1;
}

struct sim_thread sim_thread_time(const struct sim *s, uint32_t thread)
{
    return s->parts ? partition_time(s->parts, thread) : (struct sim_thread){ 0 };
}

void sim_set_hooks(struct sim *s, const struct sim_hooks *hooks)
{
    s->engine.hooks = hooks ? *hooks : (struct sim_hooks){ 0 };
}

void sim_tap(struct sim *s, sim_on_frame *on_frame, void *arg)
{
    s->engine.tap = (struct engine_tap){ arg, on_frame };
    for (uint32_t i = 0; i < s->net.ports && !on_frame; i++)
        s->net.port[i].slow_path &= (uint16_t)~SLOW_TAPPED;
}

void sim_tap_port(struct sim *s, uint32_t port)
{
    s->net.port[port].slow_path |= SLOW_TAPPED;
}

/* ---- flows ---- */

/* Returns the first unfinished flow from 'id' on in one part, or 0. */
static uint32_t next_active_of(const struct flows *all, uint32_t id)
{
    for (id = id > all->first ? id : all->first; id < all->used; id++)
        if (all->flow[id].phase == FLOW_ACTIVE)
            return id;
    return 0;
}

uint32_t sim_next_active(const struct sim *s, uint32_t after)
{
    for (uint32_t i = 0; i < partition_parts(s); i++) {
        uint32_t id = next_active_of(&partition_part(s, i)->flows, after + 1);

        if (id)
            return id;
    }
    return 0;
}

struct sim_flow sim_flow(const struct sim *s, uint32_t flow)
{
    const struct flow *f = &s->flows.flow[flow];

    return (struct sim_flow){
        .id = flow, .generation = f->generation, .sport = (uint16_t)f->ports,
        .dport = (uint16_t)(f->ports >> 16), .src = f->src, .dst = f->dst, .traffic = f->traffic,
        .prio = f->prio, .is_tcp = f->transport == TRANSPORT_TCP, .rate_bps = f->out.rate_bps,
        .acked = f->acked,
        .start_ps = f->start_ps, .bytes = pair_bytes(s, f), .bytes_acked = pair_acked(s, f),
        .bytes_resent = f->resent_bytes,
    };
}

uint32_t sim_flow_waiting(const struct sim *s, uint32_t flow, uint64_t *bytes)
{
    return pair_waiting(s, &s->flows.flow[flow], bytes);
}

uint64_t sim_entry_bytes(const struct sim *s, uint32_t entry)
{
    uint64_t bytes = s->entry_bytes_done[entry];

    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; )
        if (s->flows.flow[i].traffic == entry)
            bytes += pair_acked(s, &s->flows.flow[i]);
    return bytes;
}
