/* src/sim/forks/htsim/htsim.c - builds the world in uet-htsim's order, and runs it. */
#include "sim/forks/htsim/htsim.h"

#include "core/units.h"
#include "sim/forks/htsim/htsim_world.h"

#include <errno.h>
#include <stdlib.h>

#define CLOCK_PS          (50 * PS_PER_MS)   /* period of uet-htsim's clock: its last event has no effect */
/* id of the first flow's sender if flows have no ids; the receiver's is the next */
#define FIRST_ID          1000000001u
#define PACER_SHARE       0.99               /* share of the link rate that credit is granted for */
#define RCCC_TARGET_PS    (6 * PS_PER_US)    /* without NSCC */
#define PACKETS_MOST      (1u << 28)
/* start, retransmission and probe, and as many whose work another one of the same instant has done */
#define TIMERS_PER_FLOW   6u
#define MTU_MOST          65535u

/* ---- running ---- */

/* A packet that reaches a host is answered before the pipe goes on. */
static void pipe_ends(struct htsim *w, struct pipe *p)
{
    uint32_t packet = pipe_on_event(w, p);

    if (packet == NONE)
        return;
    if (w->packet[packet].kind <= PACKET_RTS)
        sink_on_packet(w, packet);
    else
        source_on_packet(w, packet);
    pipe_go_on(w, p);
}

/* Offers flows the NIC in rotation until one sends. If all decline, control packets are next. */
static void nic_is_free(struct htsim *w, struct nic *n)
{
    if (!nic_on_event(w, n))
        return;
    for (; n->asking.count; ring_take(&n->asking))
        if (source_on_turn(w, ring_front(&n->asking)))
            return;
    nic_on_declined(w, n);
}

static void dispatch(struct htsim *w, struct event *e)
{
    switch (e->owner) {
    case EV_PIPE:   pipe_ends(w, (struct pipe *)(void *)e); break;
    case EV_QUEUE:  queue_on_event(w, (struct queue *)(void *)e); break;
    case EV_SWITCH: switch_on_event(w, (struct switch_ *)(void *)e); break;
    case EV_HOST:   host_on_event(w, (struct host *)(void *)e); break;
    case EV_NIC:    nic_is_free(w, (struct nic *)(void *)e); break;
    case EV_PACER:  pacer_on_event(w, (struct pacer *)(void *)e); break;
    case EV_OVER:   over_on_event(w, (struct over *)(void *)e); break;
    case EV_TIMER:
        source_on_timer(w, (struct timer *)(void *)e);
        timer_free(w, (struct timer *)(void *)e);
        break;
    default:        break;               /* the clock */
    }
}

bool htsim_run_until(struct htsim *w, uint64_t until_ps)
{
    struct event *e;

    evq_renew(&w->evq);
    while (!w->has_failed) {
        if (w->pendings) {
            source_start(w, w->pending[--w->pendings]);
            continue;
        }
        e = evq_pop(&w->evq, until_ps);
        if (!e)
            return !evq_is_empty(&w->evq);
        w->now_ps = e->at_ps;
        w->counters.events++;
        if (e != w->clock)
            w->active_ps = w->now_ps;
        dispatch(w, e);
    }
    return false;
}

/* ---- building: derived settings ---- */

/* Returns the delay of the longest path. A file without the delay of host links counts as without delays. */
static uint64_t longest_ps(const struct fat_tree *t)
{
    return t->is_given && t->link_ps[0] == 0 ? 0 : fat_tree_longest_ps(t);
}

static uint64_t ceil_of(double x)
{
    return (uint64_t)x + ((double)(uint64_t)x < x);
}

static void compute_network(struct htsim *w)
{
    const struct htsim_cfg *c = &w->cfg;
    double   g = (double)c->linkspeed_bps / 1000000000.0, links = 2.0 * w->tree.tiers;
    double data_ps = c->mtu_bytes * 8 / g * links * 1000, ack_ps = HTSIM_HEADER_BYTES * 8 / g * links * 1000;
    uint64_t bytes_per_s = c->linkspeed_bps / 8;

    w->mss_bytes = c->mtu_bytes - HTSIM_HEADER_BYTES;
    w->transmit_ps = (uint64_t)(data_ps + ack_ps);
    w->network_rtt_ps = (uint64_t)((double)(2 * longest_ps(&w->tree)) + data_ps + ack_ps);
    uint64_t bdp_packets = ceil_of((double)w->network_rtt_ps / 1e12 * (double)bytes_per_s / c->mtu_bytes);
    uint64_t factor = c->queue_bdp_factor ? c->queue_bdp_factor : c->trim ? 1 : 5;
    w->queue_bytes = (int64_t)((c->queue_packets ? c->queue_packets : bdp_packets * factor) * c->mtu_bytes);
    w->min_rto_ps =
        (uint64_t)((15 + (double)w->queue_bytes * 6.0 * 8 * 1000000 / (double)c->linkspeed_bps) * 1000000);
    if (c->ecn_low_packets || c->ecn_high_packets) {
        w->ecn_low_bytes = (int64_t)c->ecn_low_packets * c->mtu_bytes;
        w->ecn_high_bytes = (int64_t)c->ecn_high_packets * c->mtu_bytes;
    } else {
        w->ecn_low_bytes = (int64_t)(ceil_of((double)bdp_packets * 0.2) * c->mtu_bytes);
        w->ecn_high_bytes = (int64_t)(ceil_of((double)bdp_packets * 0.8) * c->mtu_bytes);
    }
}

static uint32_t draw_for_entropy(void *arg)
{
    return world_draw(arg);
}

static void compute_control(struct htsim *w)
{
    const struct htsim_cfg *c = &w->cfg;
    uint64_t                target_ps = c->target_q_delay_ps;
    uint32_t ratio = w->tree.oversubscribed[0] * (w->tree.tiers > 2 ? w->tree.oversubscribed[1] : 1);

    w->has_nscc = c->control != HTSIM_RCCC;
    w->has_rccc = c->control != HTSIM_NSCC;
    if (!target_ps && !c->trim)
        target_ps = w->network_rtt_ps;
    nscc_configure(&w->nscc, c->linkspeed_bps, c->mtu_bytes, HTSIM_HEADER_BYTES, w->network_rtt_ps,
                   w->has_nscc ? target_ps : RCCC_TARGET_PS);
    w->nscc.qa_gate = c->qa_gate;
    w->nscc.wraps = true;
    if (!w->has_nscc)
        w->nscc.min_cwnd_bytes = 0;
    w->rts_gap_ps = w->has_nscc ? w->network_rtt_ps : 0;
    w->entropy = (struct entropy_cfg){ .kind = c->balancer, .paths = c->route == HTSIM_HASH ? c->paths : 1,
                                       .freezes = c->trim, .draw = draw_for_entropy, .arg = w };
    w->has_over = c->oversubscribed_cc;
    w->over_min = 0.01;
    if (ratio > 1 && c->oversubscribed_auto) {
        w->has_over = true;
        w->over_min = 0.9 / ratio > 0.01 ? 0.9 / ratio : 0.01;
    }
}

/* ---- building: memory ---- */

static void count_queues(struct htsim *w)
{
    const struct fat_tree *t = &w->tree;
    uint32_t               tors = t->pods * t->tors_per_pod, aggs = t->pods * t->aggs_per_pod;

    w->hosts = t->hosts;
    w->switches = tors + aggs + t->cores;
    w->cores_per_agg = t->tiers == 3 ? t->cores / t->aggs_per_pod : 0;
    w->uplinks = t->aggs_per_pod * t->bundle[1];
    w->agg_uplinks = w->cores_per_agg * t->bundle[2];
    w->first_up = t->hosts;
    w->first_agg_down = w->first_up + tors * w->uplinks;
    w->first_agg_up = w->first_agg_down + tors * w->uplinks;
    w->first_core_down = w->first_agg_up + aggs * w->agg_uplinks;
    w->queues = w->first_core_down + aggs * w->agg_uplinks;
}

static void *carve_lines(char **at, uint64_t count, size_t bytes)
{
    void *lines = *at;

    *at += count * bytes;
    return lines;
}

static void init_host(struct htsim *w, uint32_t i)
{
    struct host *h = &w->host[i];
    uint64_t     unit_ps = (uint64_t)(8 * 256 * 1e12 / (double)w->cfg.linkspeed_bps / PACER_SHARE);

    *h = (struct host){
        .event = { .next = EVQ_IDLE, .owner = EV_HOST }, .sending = NONE,
        .nic = { .event = { .next = EVQ_IDLE, .owner = EV_NIC }, .host = i, .control = { NONE, NONE } },
        .pacer = { .event = { .next = EVQ_IDLE, .owner = EV_PACER }, .unit_ps = unit_ps,
                   .unit_ps_first = unit_ps },
        .over = { .event = { .next = EVQ_IDLE, .owner = EV_OVER }, .pacer = &h->pacer },
    };
    for (int class = 0; class < CLASSES; class++)
        h->turns[class].at = NONE;
}

static void init_timers(struct htsim *w, uint32_t timers)
{
    w->free_timer = NONE;
    for (uint32_t i = timers; i-- > 0;) {
        w->timer_line[i].event = (struct event){ .next = EVQ_IDLE, .owner = EV_TIMER };
        timer_free(w, &w->timer_line[i]);
    }
}

/* Allocates all objects with events in one array of lines. */
static void lay_out(struct htsim *w, uint32_t flows)
{
    uint32_t timers = TIMERS_PER_FLOW * flows + 16;
    uint64_t bytes = (uint64_t)w->queues * sizeof(struct queue) +
                     (uint64_t)w->switches * sizeof(struct switch_) +
                     (uint64_t)w->hosts * sizeof(struct host) +
                     (uint64_t)timers * sizeof(struct timer) + EVQ_LINE;
    uint64_t lines = bytes / EVQ_LINE;
    char    *at, *row;

    row = at = arena_alloc(&w->arena, lines, EVQ_LINE);
    w->queue = carve_lines(&at, w->queues, sizeof(struct queue));
    w->sw = carve_lines(&at, w->switches, sizeof(struct switch_));
    w->host = carve_lines(&at, w->hosts, sizeof(struct host));
    w->timer_line = carve_lines(&at, timers, sizeof(struct timer));
    w->clock = carve_lines(&at, 1, EVQ_LINE);
    *w->clock = (struct event){ .next = EVQ_IDLE, .owner = EV_CLOCK };
    /* Most events are a link's delay or a packet's transmission ahead. Many are simultaneous, so a word of
     * buckets must be shorter than the shortest transmission: events added to an open word are inserted one
     * by one. */
    uint64_t width_ps = PS_PER_S * 8 * HTSIM_HEADER_BYTES / w->cfg.linkspeed_bps / 2 / EVQ_WORD + 1;
    uint64_t span_ps = w->transmit_ps / w->tree.tiers;
    for (uint32_t i = 0; i < w->tree.tiers; i++)
        span_ps = w->tree.link_ps[i] + PS_PER_NS > span_ps ? w->tree.link_ps[i] + PS_PER_NS : span_ps;
    evq_init(&w->evq, &w->arena, row, (uint32_t)lines, width_ps, span_ps);
    init_timers(w, timers);
    for (uint32_t i = 0; i < w->hosts; i++)
        init_host(w, i);
}

static void lay_out_tables(struct htsim *w, const struct flow_matrix *m)
{
    uint64_t window = (uint64_t)(1.5 * (double)w->network_rtt_ps / 1e12 * (double)w->cfg.linkspeed_bps / 8)
                      / w->cfg.mtu_bytes;
    uint64_t most =
        m->conns * (2 * (window > w->cfg.cwnd_packets ? window : w->cfg.cwnd_packets) + 64) + 65536;

    w->tor_of = arena_alloc(&w->arena, w->hosts, sizeof *w->tor_of);
    w->pod_of = arena_alloc(&w->arena, w->hosts, sizeof *w->pod_of);
    for (uint32_t i = 0; i < w->hosts; i++) {
        w->tor_of[i] = i / w->tree.hosts_per_tor;
        w->pod_of[i] = w->tor_of[i] / w->tree.tors_per_pod;
    }
    w->hops = 1;
    w->hops_room = 1024;
    w->hop = xmalloc(w->hops_room * sizeof *w->hop);
    w->packets_max = most < PACKETS_MOST ? (uint32_t)most : PACKETS_MOST;
    w->packet = arena_alloc(&w->arena, w->packets_max, sizeof *w->packet);
    w->free_packet = w->free_ack = NONE;
    w->flow = arena_alloc(&w->arena, m->conns + 1ul, sizeof *w->flow);
}

/* ---- building: flows ---- */

static void build_triggers(struct htsim *w, const struct flow_matrix *m)
{
    uint32_t next = 0;

    w->trigger = arena_alloc(&w->arena, m->triggers + 1ul, sizeof *w->trigger);
    w->target = arena_alloc(&w->arena, m->conns + 1ul, sizeof *w->target);
    w->pending = arena_alloc(&w->arena, m->conns + 1ul, sizeof *w->pending);
    for (uint32_t i = 0; i < m->conns; i++)
        if (m->conn[i].trigger != MATRIX_NO_TRIGGER)
            w->trigger[m->conn[i].trigger].count++;
    for (uint32_t i = 0; i < m->triggers; i++) {
        struct trigger *t = &w->trigger[i];

        t->kind = m->trigger[i].kind;
        t->left = m->trigger[i].count;
        t->first = next;
        next += t->count;
        t->count = 0;
    }
    for (uint32_t i = 0; i < m->conns; i++)
        if (m->conn[i].trigger != MATRIX_NO_TRIGGER) {
            struct trigger *t = &w->trigger[m->conn[i].trigger];

            w->target[t->first + t->count++] = i;
        }
}

/* Returns twice the delay of the pair's path. Without a topology file, the switch counts once per link. */
static uint64_t pair_rtt_ps(const struct htsim *w, uint32_t a, uint32_t b)
{
    const struct fat_tree *t = &w->tree;
    uint64_t rack = 2 * t->link_ps[0] + t->switch_ps[0], one = 2 * (t->link_ps[0] + t->switch_ps[0]);
    uint64_t               pod = rack + t->switch_ps[0] + 2 * t->link_ps[1] + t->switch_ps[1];

    if (longest_ps(t) == 0)
        return w->transmit_ps;
    if (w->tor_of[a] == w->tor_of[b])
        return 2 * (t->is_given ? rack : one) + w->transmit_ps;
    if (t->tiers == 3 && w->pod_of[a] == w->pod_of[b])
        return 2 * (t->is_given ? pod : 2 * one) + w->transmit_ps;
    return 2 * longest_ps(t) + w->transmit_ps;
}

static void build_flow(struct htsim *w, uint32_t i, const struct matrix_conn *c)
{
    struct flow *f = &w->flow[i];

    f->src = c->src;
    f->dst = c->dst;
    f->bytes = c->bytes;
    f->id = c->id ? c->id : FIRST_ID + 2 * i;
    f->sink_id = c->id ? c->id : f->id + 1;
    f->end_trigger = c->send_done;
    entropy_init(&f->entropy, &w->entropy);
    source_init(w, i, w->cfg.accurate_base_rtt ? pair_rtt_ps(w, c->src, c->dst) : w->network_rtt_ps);
    sink_init(w, i);
    if (c->trigger == MATRIX_NO_TRIGGER)
        timer_enter(w, i, c->start_ps);
}

static int check(const struct htsim_cfg *c, const struct fat_tree *t, const struct flow_matrix *m,
                 struct err *err)
{
    if (c->mtu_bytes <= HTSIM_HEADER_BYTES || c->mtu_bytes > MTU_MOST)
        return err_set(err, EINVAL, "an MTU of %u bytes is not within %u .. %u", c->mtu_bytes,
                       HTSIM_HEADER_BYTES + 1, MTU_MOST);
    if (c->paths == 0 || c->paths & (c->paths - 1) || c->paths > ENTROPY_PATHS_MAX)
        return err_set(err, EINVAL, "%u paths: it must be a power of two up to %u", c->paths,
                       ENTROPY_PATHS_MAX);
    if (c->ecn_low_packets > c->ecn_high_packets)
        return err_set(err, EINVAL, "the low ECN threshold, %u packets, is above the high one, %u",
                       c->ecn_low_packets, c->ecn_high_packets);
    if (m->nodes != t->hosts)
        return err_set(err, EINVAL, "the connection matrix is for %u hosts, the network has %u", m->nodes,
                       t->hosts);
    return 0;
}

/* The order of steps determines random numbers and the order of simultaneous events. */
int htsim_new(struct htsim **out, const struct htsim_cfg *cfg, const struct fat_tree *tree,
              const struct flow_matrix *m, struct err *err)
{
    int rc = check(cfg, tree, m, err);

    if (rc)
        return rc;
    struct htsim *w = xcalloc(1, sizeof *w);
    w->cfg = *cfg;
    w->tree = *tree;
    arena_init(&w->arena, 1ul << 24);
    mt_init(&w->mt, (uint32_t)cfg->seed);
    compute_network(w);
    compute_control(w);
    count_queues(w);
    lay_out(w, m->conns);
    lay_out_tables(w, m);
    w->cfg.end_ps = 0;
    world_enter(w, w->clock, CLOCK_PS);
    w->cfg.end_ps = cfg->end_ps;
    network_build(w);
    for (uint32_t i = 0; i < w->hosts; i++) {
        if (w->has_over)
            over_start(w, &w->host[i].over);
        world_draw(w);           /* drawn for the NIC, which does not use it */
    }
    build_triggers(w, m);
    w->counters.flows = w->counters.unfinished = m->conns;
    for (uint32_t i = 0; i < m->conns; i++)
        build_flow(w, i, &m->conn[i]);
    *out = w;
    return 0;
}

void htsim_free(struct htsim *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->counters.flows; i++) {
        entropy_fini(&w->flow[i].entropy);
        free(w->flow[i].record);
        free(w->flow[i].arrived);
    }
    for (uint32_t i = 0; i < w->hosts; i++) {
        for (int class = 0; class < CLASSES; class++)
            free(w->host[i].turns[class].entry);
        free(w->host[i].nic.asking.item);
        free(w->host[i].pacer.active.item);
        free(w->host[i].pacer.idle.item);
    }
    free(w->hop);
    arena_fini(&w->arena);
    free(w);
}

/* ---- results ---- */

void htsim_follow(struct htsim *w, void *arg, void (*finished)(void *arg, const struct htsim_flow *))
{
    w->finished_arg = arg;
    w->finished = finished;
}

int htsim_failure_code(const struct htsim *w)
{
    return w->failure_code;
}

const struct err *htsim_failure(const struct htsim *w)
{
    return w->has_failed ? &w->failure : NULL;
}

void htsim_count(const struct htsim *w, struct htsim_counters *out)
{
    *out = w->counters;
    out->draws = w->mt.draws;
    out->now_ps = w->active_ps;
}

void htsim_link(const struct htsim *w, uint32_t link, struct htsim_port *up, struct htsim_port *down)
{
    const struct link *l = link < w->hosts ? NULL : &w->link[link - w->hosts];

    *up = l ? w->queue[l->up].sent : w->host[link].sent;
    *down = w->queue[l ? l->down : link].sent;
}

/* All packets leave the host back to back. The last one then waits at each switch for the one before it,
 * which is no shorter. Its ACK takes the same path back. */
uint64_t htsim_ideal_ps(const struct htsim *w, const struct htsim_flow *f)
{
    const struct fat_tree *t = &w->tree;
    uint64_t packets = (f->bytes + w->mss_bytes - 1) / w->mss_bytes,
             wire = f->bytes + packets * HTSIM_HEADER_BYTES;
    uint64_t before = packets > 1 ? w->cfg.mtu_bytes : wire, ps = 0;
    uint32_t top = w->tor_of[f->src] == w->tor_of[f->dst]   ? 0
                   : w->pod_of[f->src] == w->pod_of[f->dst] ? 1
                                                            : 2;

    for (uint32_t i = 0; i <= top; i++) {
        uint64_t byte = (uint64_t)(1e12 * 8 / (double)t->rate_bps[i]);

        ps += 4 * t->link_ps[i] + (i < top ? 4 : 2) * t->switch_ps[i];
        ps += (i ? 2 * before : before + wire) * byte + 2 * byte * HTSIM_HEADER_BYTES;
    }
    return ps;
}
