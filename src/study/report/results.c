/* src/study/report/results.c - sums the counters of ports and flows into results. */
#include "study/report/results.h"
#include "base/err.h"
#include "base/minmax.h"
#include "work/traffic/traffic.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const results_op_names[OP_KINDS] = { "iteration", "read", "write", "call" };

char *results_port_name(char buf[PORT_NAME_MAX], const struct sim *s, uint32_t port)
{
    struct sim_port p = sim_port(s, port);

    snprintf(buf, PORT_NAME_MAX, "%s:%u", sim_graph(s)->node[p.node].name, p.index);
    return buf;
}

static struct fct_stats known(struct fct_stats s, uint64_t count)
{
    return count ? s : (struct fct_stats){ NAN, NAN, NAN, NAN, NAN, NAN };
}

struct fct_stats results_slowdown(const struct fct_cell *c)
{
    return known(fct_slowdown_stats(c), c->count);
}

struct fct_stats results_fct_us(const struct fct_cell *c)
{
    return known(fct_us_stats(c), c->count);
}

struct fct_stats results_op_us(const struct results *r, uint32_t entry, enum op_kind kind)
{
    const struct ops_cell *c = ops_cell(r->ops, entry, kind);

    return known(ops_us_stats(c), c->count);
}

/* Inserts into a list sorted by value, largest first. Equal values keep their order. */
static void keep_worst(uint32_t list[RESULTS_WORST], uint64_t value[RESULTS_WORST], uint32_t *count,
                       uint32_t port, uint64_t is)
{
    uint32_t at = *count;

    while (at > 0 && value[at - 1] < is)
        at--;
    if (is == 0 || at == RESULTS_WORST)
        return;
    if (*count < RESULTS_WORST)
        ++*count;
    for (uint32_t i = *count - 1; i > at; i--) {
        list[i] = list[i - 1];
        value[i] = value[i - 1];
    }
    list[at] = port;
    value[at] = is;
}

static void add_ports(struct results *r, struct figure_span *all)
{
    uint64_t paused[RESULTS_WORST], queued[RESULTS_WORST];

    for (uint32_t i = 0; i < sim_ports(r->sim); i++) {
        struct sim_port p = sim_port(r->sim, i);
        uint64_t        paused_ps = sim_port_paused_ps(r->sim, i, r->end_ps);

        for (int class = 0; class < PACKET_CLASSES; class++)
            r->hops += (double)p.counters.tx_packets[class];
        all->count[FIGURE_marked_packets] += (double)p.counters.marked_packets;
        all->count[FIGURE_queue_bytes_max] =
            fmax(all->count[FIGURE_queue_bytes_max], (double)p.counters.queue_bytes_max);
        all->count[FIGURE_paused_ps] += (double)paused_ps;
        r->paused_ports += p.counters.pauses > 0;
        keep_worst(r->paused, paused, &r->paused_count, i, paused_ps);
        keep_worst(r->queued, queued, &r->queued_count, i, p.counters.queue_bytes_max);
    }
}

/* Only links between switches count, and only those of the same speed are compared. */
static double path_spread(const struct sim *s)
{
    uint64_t rate_bps = 0, most = 0;
    double   sum = 0;
    uint32_t links = 0;

    for (uint32_t i = 0; i < sim_ports(s); i++) {
        struct sim_port p = sim_port(s, i);

        if (!p.is_switch || !p.is_peer_switch || (rate_bps && p.rate_bps != rate_bps))
            continue;
        rate_bps = p.rate_bps;
        most = p.counters.tx_bytes > most ? p.counters.tx_bytes : most;
        sum += (double)p.counters.tx_bytes;
        links++;
    }
    return sum > 0 ? (double)most * links / sum : NAN;
}

/* ---- the traffic list ---- */

/* core/meter/fct has counted finished flows. Unfinished ones are still in the simulation. */
static void add_flows(struct results *r)
{
    const struct sim *s = r->sim;

    r->resent_bytes = (double)r->fct->all.resent_bytes;
    for (uint32_t i = 0; i < FCT_BUCKETS; i++)
        r->size[i] = (struct results_size){ r->fct->bucket[i].resent_bytes,
                                            sim_counts(s)->nacks_by_size[i],
                                            sim_counts(s)->reordered_by_size[i] };
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct fct_cell *done = &r->fct->entry[i];

        r->entry[i].flows_started = done->count;
        r->entry[i].bytes_started = done->bytes;
        r->entry[i].first_ps = done->count ? done->first_ps : NEVER;
        r->entry[i].last_ps = done->last_ps;
    }
    for (uint32_t i = 0; (i = sim_next_active(s, i)) != 0; ) {
        struct sim_flow       f = sim_flow(s, i);
        struct results_entry *e = &r->entry[f.traffic];

        r->resent_bytes += (double)f.bytes_resent;
        r->size[fct_bucket_of(f.bytes)].resent_bytes += f.bytes_resent;
        e->flows_started += sim_flow_waiting(s, i, &e->bytes_started);
        e->first_ps = f.start_ps < e->first_ps ? f.start_ps : e->first_ps;
        e->last_ps = r->end_ps;
    }
    r->resent_share = r->sent_bytes > 0 ? r->resent_bytes / r->sent_bytes : NAN;
}

/* Per second; NAN if the time is 0. */
static double rate(double amount, uint64_t ps)
{
    return ps ? amount * (double)PS_PER_S / (double)ps : NAN;
}

static double entry_goodput_bps(const struct results *r, uint32_t entry)
{
    const struct results_entry *e = &r->entry[entry];
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < r->series->points; i++)
        bytes += r->series->entry_bytes[(size_t)i * r->series->entries + entry];
    return e->flows_started ? rate((double)bytes * 8, e->last_ps - e->first_ps) : NAN;
}

static double realised_load(const struct traffic_about *t, uint64_t bytes, uint64_t end_ps)
{
    uint64_t stop_ps = t->stop_ps < end_ps ? t->stop_ps : end_ps;

    if (t->load == 0 || stop_ps <= t->start_ps)
        return 0;
    double asked_bits = t->bps_per_host * t->hosts * ((double)(stop_ps - t->start_ps) / (double)PS_PER_S);
    return t->load * (double)bytes * 8 / asked_bits;
}

/* ---- jobs ---- */

static enum results_job job_of(const struct traffic_about *t)
{
    if (t->workers)
        return JOB_TRAINING;
    if (strcmp(t->kind, "storage") == 0)
        return JOB_STORAGE;
    return strcmp(t->kind, "rpc") == 0 || strcmp(t->kind, "kv_cache") == 0 ? JOB_RPC : JOB_NONE;
}

const enum op_kind *results_ops_of(enum results_job job)
{
    static const enum op_kind none[] = { OP_KINDS }, training[] = { OP_ITERATION, OP_KINDS },
                              storage[] = { OP_READ, OP_WRITE, OP_KINDS }, rpc[] = { OP_CALL, OP_KINDS };

    switch (job) {
    case JOB_TRAINING: return training;
    case JOB_STORAGE:  return storage;
    case JOB_RPC:      return rpc;
    case JOB_NONE:     break;
    }
    return none;
}

static void add_training(struct results_entry *e, const struct traffic_about *t, const struct ops_cell *c)
{
    double mean_us = ops_us_stats(c).mean, mean_s = mean_us / 1e6, exposed[EXPOSED_COUNT];

    e->iteration_us_mean = e->algbw_bps = e->busbw_bps = e->bound_share = NAN;
    exposed_us(t, c, exposed);
    e->exposed_us_mean = exposed[EXPOSED_MEAN];
    e->exposed_cold_us = exposed[EXPOSED_COLD];
    e->exposed_warm_us_mean = exposed[EXPOSED_WARM];
    if (c->count == 0 || mean_us <= 0)
        return;
    e->iteration_us_mean = mean_us + (double)t->compute_ps / (double)PS_PER_US;
    if (t->collective_bytes) {
        e->algbw_bps = (double)t->collective_bytes * 8 / mean_s;
        e->busbw_bps = e->algbw_bps * t->bus_factor;
    }
    if (t->bound_ps)
        e->bound_share = (double)t->bound_ps / (double)PS_PER_US / mean_us;
}

/* A trace says when ranks compute, and nothing else that an iteration needs. */
static void add_trace(struct results *r, uint32_t entry)
{
    struct results_entry  *e = &r->entry[entry];
    const struct ops_cell *c = ops_cell(r->ops, entry, OP_ITERATION);
    double                 us[SPENT_COUNT], computing;

    spent_mean(&e->spent, us);
    computing = us[SPENT_COMPUTING] + us[SPENT_HIDDEN];
    e->exposed_us_mean = e->iteration_us_mean - computing;
    e->exposed_cold_us = (double)c->first_took_ps / (double)PS_PER_US - computing;
    e->exposed_warm_us_mean = ops_later_us_mean(c) - computing;
}

static void add_job(struct results *r, uint32_t entry)
{
    struct results_entry *e = &r->entry[entry];
    uint64_t first_ps = NEVER, last_ps = 0, count = 0, bytes = 0;

    e->job = job_of(&r->scenario->entry[entry]);
    for (const enum op_kind *k = results_ops_of(e->job); *k != OP_KINDS; k++) {
        const struct ops_cell *c = ops_cell(r->ops, entry, *k);

        if (c->count == 0)
            continue;
        count += c->count;
        bytes += c->bytes;
        first_ps = c->first_ps < first_ps ? c->first_ps : first_ps;
        last_ps = c->last_ps > last_ps ? c->last_ps : last_ps;
    }
    e->ops_per_s = count ? rate((double)count, last_ps - first_ps) : NAN;
    e->ops_bps = count ? rate((double)bytes * 8, last_ps - first_ps) : NAN;
    if (e->job == JOB_TRAINING)
        add_training(e, &r->scenario->entry[entry], ops_cell(r->ops, entry, OP_ITERATION));
    e->spent = spent_job(r->sim, r->ops, entry, r->end_ps);
    if (e->spent.ranks && isfinite(e->iteration_us_mean))
        add_trace(r, entry);
}

/* ---- phases ---- */

static void add_phases(struct results *r)
{
    uint32_t entries = r->scenario->entries;

    r->has_phases = r->series->phases.windows > 0;
    r->entry_phase_bps = xcalloc((entries + 1ul) * PHASES, sizeof(*r->entry_phase_bps));
    for (uint32_t i = 0; i < PHASES; i++) {
        const struct series_phase *p = &r->series->phase[i];

        r->phase[i] = (struct figure_span){ .ps = (double)p->ps, .ports = sim_ports(r->sim) };
        memcpy(r->phase[i].count, p->count, sizeof(p->count));
        for (uint32_t e = 0; e < entries; e++)
            r->entry_phase_bps[e * PHASES + i] =
                rate(r->series->phase_entry_bytes[e * PHASES + i] * 8, p->ps);
    }
}

/* ---- load of links between switches ---- */

struct alike {                   /* the links of a tier */
    struct sim_port first;
    uint32_t        plane;
    double         *load;
    uint32_t        count, room;
};

/* The letters of a node's name. */
static int kind_length(const struct graph_node *n)
{
    int length = 0;

    while (isalpha((unsigned char)n->name[length]))
        length++;
    return length;
}

static bool is_same_kind(const struct graph_node *a, const struct graph_node *b)
{
    return kind_length(a) == kind_length(b) && strncmp(a->name, b->name, (size_t)kind_length(a)) == 0;
}

static bool is_fabric(const struct graph_node *n)
{
    return n->is_switch && !n->is_nic;
}

static uint32_t root_of(const uint32_t *of, uint32_t node)
{
    while (of[node] != node)
        node = of[node];
    return node;
}

/* By node: the first node of its plane. */
static uint32_t *find_planes(const struct graph *g)
{
    uint32_t *of = xcalloc(g->nodes + 1ul, sizeof *of);

    for (uint32_t i = 0; i < g->nodes; i++)
        of[i] = i;
    for (uint32_t i = 0; i < g->links; i++) {
        uint32_t a = root_of(of, g->link[i].a), b = root_of(of, g->link[i].b);

        if (is_fabric(&g->node[g->link[i].a]) && is_fabric(&g->node[g->link[i].b]))
            of[max_u32(a, b)] = min_u32(a, b);
    }
    for (uint32_t i = 0; i < g->nodes; i++)
        of[i] = root_of(of, i);
    return of;
}

/* "tor to spine", behind the number of the plane if there are several. */
static void name_tier(char name[48], const struct graph *g, const uint32_t *plane, const struct alike *t)
{
    const struct graph_node *from = &g->node[t->first.node], *to = &g->node[t->first.peer_node];
    uint32_t                 number = 0, count = 0;
    int                      length = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        if (is_fabric(&g->node[i]) && plane[i] == i) {
            number += i < t->plane;
            count++;
        }
    if (count > 1)
        length = snprintf(name, 48, "plane %u: ", number);
    snprintf(name + length, 48 - (size_t)length, "%.*s to %.*s", kind_length(from), from->name,
             kind_length(to), to->name);
}

static bool belongs(const struct graph *g, const struct alike *t, const struct sim_port *p, uint32_t plane)
{
    return t->plane == plane && t->first.rate_bps == p->rate_bps &&
           is_same_kind(&g->node[t->first.node], &g->node[p->node]) &&
           is_same_kind(&g->node[t->first.peer_node], &g->node[p->peer_node]);
}

static uint32_t find_alike(const struct results *r, const uint32_t *plane, struct alike *tier)
{
    const struct graph *g = sim_graph(r->sim);
    uint32_t            tiers = 0;

    for (uint32_t i = 0; i < sim_ports(r->sim); i++) {
        struct sim_port p = sim_port(r->sim, i);
        struct alike   *t = tier;

        if (!is_fabric(&g->node[p.node]) || !is_fabric(&g->node[p.peer_node]))
            continue;
        while (t < tier + tiers && !belongs(g, t, &p, plane[p.node]))
            t++;
        if (t == tier + RESULTS_TIERS)
            continue;
        if (t == tier + tiers)
            tier[tiers++] = (struct alike){ .first = p, .plane = plane[p.node] };
        t->load = xgrow(t->load, t->count, &t->room, 16, sizeof *t->load);
        t->load[t->count++] = (double)p.counters.tx_bytes * 8 /
                              ((double)p.rate_bps * (double)r->span_ps / (double)PS_PER_S);
    }
    return tiers;
}

/* Finds the tiers, in the order of their switches, up to RESULTS_TIERS. */
static void find_tiers(struct results *r)
{
    const struct graph *g = sim_graph(r->sim);
    struct alike        tier[RESULTS_TIERS] = { 0 };
    uint32_t           *plane = find_planes(g), tiers = r->span_ps ? find_alike(r, plane, tier) : 0;

    for (const struct alike *t = tier; t < tier + tiers; t++) {
        struct results_tier *made = &r->tier[r->tiers];
        const double        *middle = &t->load[t->count / 2];

        qsort(t->load, t->count, sizeof *t->load, compare_reals);
        if (t->count > 1) {
            *made = (struct results_tier){ .links = t->count, .busiest = t->load[t->count - 1],
                                           .median = t->count % 2 ? *middle : (middle[-1] + *middle) / 2,
                                           .least = t->load[0] };
            name_tier(made->name, g, plane, t);
            r->tiers++;
        }
        free(t->load);
    }
    free(plane);
}

/* ---- the network ---- */

static void add_network(struct results *r)
{
    const struct sim_counters *c = sim_counts(r->sim);
    struct figure_span all = { .ps = (double)r->span_ps, .ports = sim_ports(r->sim) };

    for (int i = 0; i < FIGURE_COUNTERS; i++)
        all.count[i] = (double)c->count[i];
    add_ports(r, &all);
    for (uint32_t i = 0; i < r->series->points; i++)
        all.count[FIGURE_rtt_ps_peak] =
            fmax(all.count[FIGURE_rtt_ps_peak], (double)r->series->point[i].rtt_ps_peak);
    all.count[FIGURE_dropped_packets] = (double)(c->dropped_buffer + c->dropped_wire + c->dropped_down +
                                                      c->dropped_no_route + c->dropped_host);
    all.count[FIGURE_flows_active] = r->flows_unfinished = (double)(c->flows_started - c->flows_done);
    for (int i = 0; i < FIGURE_COUNT; i++)
        if (figure_info[i].how < FIGURE_ONCE)
            r->figure[i] = figure_value((enum figure_id)i, &all);
    r->goodput_bps = all.ps > 0 ? figure_value(FIGURE_goodput_bps, &all) : 0;
    if (c->flows_done > 0 && c->data_sent == 0)
        r->goodput_bps = NAN;    /* all bytes stayed inside servers */
    r->flows = (double)r->fct->all.count;
    r->path_spread = path_spread(r->sim);
    if (sim_settings(r->sim)->model == MODEL_UET || sim_settings(r->sim)->lb->entropy)
        find_tiers(r);
    r->flows_stuck = r->stuck_why ? r->flows_unfinished : 0;
    if (r->flows_unfinished > 0) {
        struct waits *waits = waits_new(r->sim);

        waits_count(waits, r->waits);
        waits_free(waits);
    }
    r->failure = sim_failure(r->sim) ? sim_failure(r->sim)->text : NULL;
    r->cnps_are_flags = sim_echoes_marks(r->sim);
}

static double started_iteration_us(const struct simulation *run, uint32_t entry)
{
    struct job_progress p = { 0 };

    if (strcmp(run->scenario.entry[entry].kind, "training") == 0)
        p = simulation_job(run, entry);
    return p.iterations > 0 ? 1e6 * p.seconds / p.iterations : NAN;
}

void results_init(struct results *r, const struct simulation *run)
{
    bool     has_intervals = simulation_has_intervals(run);
    uint64_t first_ps = sim_first_start_ps(run->sim);

    *r = (struct results){
        .scenario = &run->scenario, .sim = run->sim, .fct = &run->fct, .ops = &run->ops, .steps = &run->steps,
        .series = &run->series, .scores = &run->scores, .tuning = &run->loop.tuning, .queues = &run->queues,
        .outages = &run->outages, .passes = &run->passes, .spread = &run->spread,
        .text = run->input.text, .text_bytes = run->input.text_bytes,
        .set = run->input.set, .sets = run->input.sets, .end_ps = run->end_ps,
        .span_ps = first_ps < run->end_ps ? run->end_ps - first_ps : first_ps == NEVER ? run->end_ps : 0,
        .interval_ps = has_intervals ? run->scenario.interval_ps
                                     : run->series.interval_ps * run->series.merged,
        .stuck_why = run->is_stuck ? run->stuck_why : NULL, .stuck_ps = run->stuck_ps, .wall_s = run->wall_s,
        .entry = xcalloc(run->scenario.entries + 1ul, sizeof(*r->entry)),
    };
    r->is_random = sim_has_drawn(run->sim) || traffic_has_drawn(sim_traffic(run->sim)) ||
                   run->loop.tuning.algo;
    r->intervals = has_intervals ? (double)run->intervals : r->series->points;
    add_network(r);
    add_flows(r);
    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        r->entry[i].load = realised_load(&r->scenario->entry[i], r->entry[i].bytes_started, r->end_ps);
        r->entry[i].goodput_bps = entry_goodput_bps(r, i);
        add_job(r, i);
        r->entry[i].iteration_started_us_mean = started_iteration_us(run, i);
    }
    add_phases(r);
}

void results_fini(struct results *r)
{
    free(r->entry);
    free(r->entry_phase_bps);
}
