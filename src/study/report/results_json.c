/* src/study/report/results_json.c - the results of a run as one JSON object. Units are part of the keys'
 * names. */
#include "study/report/results_json.h"
#include "base/err.h"
#include "work/traffic/iteration.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>

/* ---- words ---- */

json_t *json_of_us(uint64_t ps)
{
    return JSON((double)ps / (double)PS_PER_US);
}

static void put_setup(json_t *o, const struct results *r)
{
    const struct sim_cfg *cfg = sim_settings(r->sim);
    char controls[SIM_CC_TEXT_MAX];

    JSON_PUT(o, { "seed", json_of_seed(cfg->seed) }, { "model", JSON(sim_model_names[cfg->model]) },
                { "cc", JSON(sim_cc_text(cfg, controls)) }, { "lb", JSON(sim_lb_text(cfg)) });
}

void results_json_print(json_t *o, FILE *out)
{
    json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));
    fputc('\n', out);
    json_decref(o);
}

/* ---- flows ---- */

/* mean, p50, ... of one quantity; null if there is nothing. */
static void put_stats(json_t *object, const char *prefix, struct fct_stats s)
{
    const struct { const char *name; double value; } rows[] = {
        { "mean", s.mean }, { "p50", s.p50 },   { "p95", s.p95 },
        { "p99", s.p99 },   { "p999", s.p999 }, { "max", s.max },
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char key[32];

        snprintf(key, sizeof(key), "%s_%s", prefix, rows[i].name);
        json_put_number(object, key, rows[i].value);
    }
}

static void put_cell(json_t *object, const struct fct_cell *c)
{
    JSON_PUT(object, { "flows", JSON(c->count) }, JSON_FIELD(c, bytes));
    put_stats(object, "slowdown", results_slowdown(c));
    put_stats(object, "fct_us", results_fct_us(c));
}

static json_t *fct_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < FCT_BUCKETS; i++) {
        json_t *row = JSON_OF({ "size", JSON(fct_buckets[i].name) });

        put_cell(row, &r->fct->bucket[i]);
        JSON_PUT(row, { "resent_bytes", JSON(r->size[i].resent_bytes) }, { "nacks", JSON(r->size[i].nacks) },
                 { "reordered", JSON(r->size[i].reordered) });
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Leaves out reasons that apply to no flow. */
static json_t *waits_json(const struct results *r)
{
    json_t *o = json_object();

    for (uint32_t i = 0; i < WAITS; i++)
        if (r->waits[i])
            json_put_count(o, wait_names[i], r->waits[i]);
    return o;
}

static json_t *all_json(const struct results *r)
{
    const struct sim_counters *c = sim_counts(r->sim);
    json_t *o = JSON_OF(JSON_FIELD(c, flows_started),
                        { "flows_unfinished", JSON((uint64_t)r->flows_unfinished) });

    if (r->flows_unfinished > 0)
        json_object_set_new(o, "unfinished_waits", waits_json(r));
    json_put_count(o, "flows_stuck", (uint64_t)r->flows_stuck);
    if (r->stuck_why)
        JSON_PUT(o, { "stuck_since_us", json_of_us(r->stuck_ps) }, JSON_FIELD(r, stuck_why));
    if (r->failure)
        json_put_text(o, "failed", r->failure);
    json_put_count(o, "bytes_started", c->bytes_started);
    put_cell(o, &r->fct->all);
    return o;
}

/* Collectives of a training entry, and the message of each that lost most time. */
static json_t *collectives_json(const struct results *r, uint32_t entry)
{
    json_t *rows = json_array();

    for (uint32_t kind = 0; kind < ITERATION_KINDS; kind++) {
        const struct steps_cell *c = steps_cell(r->steps, entry, kind);
        const char              *group, *name = iteration_kind_name(kind, &group);

        if (c->count == 0)
            continue;
        JSON_ADD(rows, { "collective", JSON(name) }, { "group", JSON(group) }, { "messages", JSON(c->count) },
                 { "slowdown", JSON((double)c->fct_ps_sum / (double)c->ideal_ps_sum) },
                 { "worst_from", JSON(sim_graph(r->sim)->node[c->worst.src].name) },
                 { "worst_to", JSON(sim_graph(r->sim)->node[c->worst.dst].name) },
                 { "worst_us", json_of_us(c->worst.fct_ps) },
                 { "worst_alone_us", json_of_us(c->worst.ideal_ps) });
    }
    return rows;
}

/* What fidelity fast expects of packets. */
static void put_expected(json_t *row, const struct results *r, uint32_t entry)
{
    static const char *const names[EXPOSED_COUNT] = { "exposed_us_mean", "exposed_cold_us",
                                                      "exposed_warm_us_mean" };

    for (uint32_t i = 0; r->spread->seeds && i < EXPOSED_COUNT; i++) {
        const struct expected *v = &r->spread->us[entry * EXPOSED_COUNT + i];
        const struct { const char *end; double value; } rows[] = { { "expected", v->mean }, { "low", v->low },
                                                                   { "high", v->high } };

        for (int k = 0; k < 3; k++) {
            char name[48];

            snprintf(name, sizeof name, "%s_%s", names[i], rows[k].end);
            json_put_number(row, name, rows[k].value);
        }
    }
}

static void put_ops(json_t *row, const struct results *r, uint32_t entry)
{
    for (const enum op_kind *k = results_ops_of(r->entry[entry].job); *k != OP_KINDS; k++) {
        const struct ops_cell *c = ops_cell(r->ops, entry, *k);
        json_t *o = JSON_OF(JSON_FIELD(c, count), JSON_FIELD(c, bytes));

        put_stats(o, "us", results_op_us(r, entry, *k));
        json_object_set_new(row, results_op_names[*k], o);
    }
}

static void put_job(json_t *row, const struct results *r, uint32_t entry)
{
    const struct results_entry *e = &r->entry[entry];
    const struct traffic_about *t = &r->scenario->entry[entry];

    put_ops(row, r, entry);
    if (e->job == JOB_TRAINING) {
        JSON_PUT(row, JSON_FIELD(t, workers), JSON_FIELD(t, collective_bytes),
                 JSON_FIELD(e, iteration_us_mean), JSON_FIELD(e, exposed_us_mean),
                 JSON_FIELD(e, exposed_cold_us), JSON_FIELD(e, exposed_warm_us_mean));
        put_expected(row, r, entry);
        JSON_PUT(row, JSON_FIELD(e, algbw_bps), JSON_FIELD(e, busbw_bps), JSON_FIELD(e, bound_share),
                 { "collectives", collectives_json(r, entry) });
    } else if (e->job != JOB_NONE) {
        json_put_number(row, e->job == JOB_STORAGE ? "iops" : "calls_per_s", e->ops_per_s);
        json_put_number(row, "ops_bps", e->ops_bps);
    }
}

/* ---- passes of traces, and the time of their ranks ---- */

static const char *const spent_names[SPENT_COUNT] = {
    [SPENT_WAITING] = "waiting_us", [SPENT_EXPOSED] = "exposed_us", [SPENT_COMPUTING] = "computing_us",
    [SPENT_HIDDEN] = "hidden_us",
};

static json_t *rank_json(const struct results *r, uint32_t entry, uint32_t rank)
{
    double   us[SPENT_COUNT];
    uint32_t host = trace_host(sim_traffic(r->sim), entry, rank);
    json_t  *o = JSON_OF({ "rank", JSON(rank) }, { "host", JSON(sim_graph(r->sim)->node[host].name) });

    spent_of_rank(&r->entry[entry].spent, rank, us);
    for (int i = 0; i < SPENT_COUNT; i++)
        json_put_number(o, spent_names[i], us[i]);
    return o;
}

static json_t *mean_json(const struct results *r, uint32_t entry)
{
    double  us[SPENT_COUNT];
    json_t *o = json_object();

    spent_mean(&r->entry[entry].spent, us);
    for (int i = 0; i < SPENT_COUNT; i++)
        json_put_number(o, spent_names[i], us[i]);
    json_put_number(o, "computing_all_us", us[SPENT_COMPUTING] + us[SPENT_HIDDEN]);
    return o;
}

static json_t *classes_json(const struct results *r, uint32_t entry)
{
    struct trace_class list[TRACE_CLASSES];
    uint32_t           count = trace_classes(sim_traffic(r->sim), entry, list);
    double             passes = r->entry[entry].spent.passes * (double)PS_PER_US;
    json_t            *rows = json_array();

    for (uint32_t i = 0; i < count; i++)
        JSON_ADD(rows, { "collective", JSON(trace_collective_names[list[i].collective]) },
                 { "ranks", JSON(list[i].ranks) }, { "groups", JSON(list[i].groups) },
                 { "us_mean", JSON((double)list[i].sum_ps / passes / list[i].ranks / list[i].groups) },
                 { "us_most", JSON((double)list[i].most_ps / passes) },
                 { "rank_most", JSON(list[i].most_rank) });
    return rows;
}

json_t *results_json_passes(const struct results *r, uint32_t entry)
{
    const struct entry_passes *e = &r->passes->entry[entry];
    uint64_t                   from_ps = r->scenario->entry[entry].start_ps;
    json_t                    *us = json_array(), *ranks = json_array();

    for (uint32_t i = 0; i < e->count && e->pass[i].ended == e->ranks; i++) {
        json_array_append_new(us, json_of_us(e->pass[i].end_ps - from_ps));
        from_ps = e->pass[i].end_ps;
    }
    for (uint32_t i = 0; i < r->entry[entry].spent.ranks; i++)
        json_array_append_new(ranks, rank_json(r, entry, i));
    return JSON_OF({ "iterations_us", us }, { "mean", mean_json(r, entry) }, { "ranks", ranks },
                   { "collectives", classes_json(r, entry) });
}

/* ---- the traffic list ---- */

static json_t *entry_json(const struct results *r, uint32_t entry)
{
    const struct traffic_about *t = &r->scenario->entry[entry];

    return JSON_OF(JSON_FIELD(t, name), JSON_FIELD(t, kind),
                   { "load_asked", JSON(t->load > 0 ? t->load : NAN) },
                   { "load_realised", JSON(t->load > 0 ? r->entry[entry].load : NAN) },
                   { "flows_started", JSON(r->entry[entry].flows_started) },
                   { "bytes_started", JSON(r->entry[entry].bytes_started) });
}

static json_t *traffic_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct traffic_about *t = &r->scenario->entry[i];
        json_t *row = entry_json(r, i);

        if (t->load <= 0) {
            json_object_del(row, "load_asked");
            json_object_del(row, "load_realised");
        }
        json_put_number(row, "goodput_bps", r->entry[i].goodput_bps);
        put_cell(row, &r->fct->entry[i]);
        put_job(row, r, i);
        if (r->entry[i].spent.ranks)
            json_object_set_new(row, "passes", results_json_passes(r, i));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* ---- phases ---- */

static json_t *entry_phases_json(const struct results *r, uint32_t phase)
{
    json_t *rows = json_array();

    for (uint32_t e = 0; e < r->scenario->entries; e++) {
        json_t *row = JSON_OF({ "name", JSON(r->scenario->entry[e].name) },
                              { "goodput_bps", JSON(r->entry_phase_bps[e * PHASES + phase]) });

        put_cell(row, &r->fct->entry_phase[e * PHASES + phase]);
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *phases_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; r->has_phases && i < PHASES; i++) {
        const struct figure_span *p = &r->phase[i];
        enum figure_id list[FIGURE_COUNT];
        uint32_t count = figure_list(FIGURE_HEADLINE, list);
        json_t *row = JSON_OF({ "phase", JSON(phase_names[i]) }, { "us", JSON(p->ps / (double)PS_PER_US) });

        for (uint32_t f = 0; f < count; f++)
            if (figure_is_derived(list[f]))
                json_put_number(row, figure_info[list[f]].name, figure_value(list[f], p));
        put_cell(row, &r->fct->phase[i]);
        json_object_set_new(row, "traffic", entry_phases_json(r, i));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* ---- the network ---- */

json_t *results_json_network(const struct results *r)
{
    const struct graph *g = sim_graph(r->sim);

    return JSON_OF(JSON_FIELD(g, hosts), { "switches", JSON(g->nodes - g->hosts) }, JSON_FIELD(g, links),
                   { "base_rtt_us", json_of_us(sim_idle_rtt_ps(r->sim)) });
}

static json_t *conweave_json(const struct conweave_counters *c)
{
    json_t *o = json_object();

#define CONWEAVE(name, ...) json_put_count(o, #name, c->name);
#include "core/figures.def"
    return o;
}

static json_t *figures_json(const struct results *r, enum figure_output output)
{
    enum figure_id list[FIGURE_COUNT];
    uint32_t count = figure_list(output, list);
    json_t *o = json_object();

    for (uint32_t i = 0; i < count; i++) {
        const struct figure_info *f = &figure_info[list[i]];
        const char *key = output == FIGURE_MANIFEST ? f->name : f->key;
        double value = r->figure[list[i]];

        if (f->unit == UNIT_COUNT || f->unit == UNIT_BYTES)
            json_put_count(o, key, (uint64_t)value);
        else
            json_put_number(o, key, value);
    }
    return o;
}

static json_t *pfc_json(const struct results *r)
{
    json_t *o = figures_json(r, FIGURE_PFC), *worst = json_array();

    for (uint32_t i = 0; i < r->paused_count; i++) {
        struct sim_port p = sim_port(r->sim, r->paused[i]);
        char name[PORT_NAME_MAX];

        JSON_ADD(worst, { "port", JSON(results_port_name(name, r->sim, p.id)) },
                 { "paused_us", json_of_us(sim_port_paused_ps(r->sim, p.id, r->end_ps)) },
                 { "pauses", JSON(p.counters.pauses) });
    }
    json_object_set_new(o, "worst", worst);
    return o;
}

static json_t *queues_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < r->queued_count; i++) {
        struct sim_port p = sim_port(r->sim, r->queued[i]);
        char name[PORT_NAME_MAX];

        JSON_ADD(rows, { "port", JSON(results_port_name(name, r->sim, p.id)) },
                 { "queue_bytes_max", JSON(p.counters.queue_bytes_max) });
    }
    return rows;
}

/* Where packets are sprayed: how evenly links were used, by tier. */
static json_t *paths_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < r->tiers; i++) {
        const struct results_tier *t = &r->tier[i];

        JSON_ADD(rows, { "links", JSON(t->name) }, { "count", JSON(t->links) }, JSON_FIELD(t, busiest),
                 JSON_FIELD(t, median), JSON_FIELD(t, least));
    }
    return rows;
}

/* ---- all ---- */

json_t *results_json_metrics(const struct metric *list, uint32_t count)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < count; i++) {
        JSON_ADD(rows, { "name", JSON(list[i].name) }, { "label", JSON(list[i].label) },
                 { "unit", JSON(metric_unit_name(list[i].unit)) }, { "value", JSON(list[i].value) },
                 { "better", JSON(metric_better_name(list[i].better)) });
    }
    return rows;
}

static json_t *metrics_json(const struct results *r)
{
    uint32_t       count;
    struct metric *list = metrics_new(r, &count);
    json_t        *made = results_json_metrics(list, count);

    free(list);
    return made;
}

/* For runs with fidelity fast. */
static json_t *fidelity_json(const struct results *r, const struct skip_stats *k)
{
    json_t *o = JSON_OF({ "kind", JSON("fast") });

    if (k->why_not)
        json_put_text(o, "why_not", k->why_not);
    JSON_PUT(o, { "packets_skipped", JSON(k->packets) },
             { "hops_skipped_share", JSON(r->hops > 0 ? (double)k->hops / r->hops : 0) },
             { "times_alone", JSON(k->holds) }, { "times_disturbed", JSON(k->breaks) },
             { "rests", JSON(k->rests) }, { "packets_at_rest", JSON(k->rest_packets) });
    if (r->spread->seeds)
        JSON_PUT(o, { "seeds", JSON(r->spread->seeds) }, { "model_share", JSON(r->spread->model) },
                 { "interval_of", JSON("one run packet by packet, with any seed") });
    else if (r->spread->why_not)
        json_put_text(o, "why_no_interval", r->spread->why_not);
    return o;
}

static double mean_slowdown(const struct outage_flows *f)
{
    return f->count ? f->slowdowns / (double)f->count : NAN;
}

json_t *results_json_outages(const struct results *r)
{
    const struct graph *g = sim_graph(r->sim);
    json_t *list = json_array();

    for (const struct outage *o = r->outages->list; o < r->outages->list + r->outages->count; o++) {
        const struct graph_link *l = &g->link[o->link];

        if (o->start_ps >= r->end_ps)
            continue;
        JSON_ADD(list, { "a", JSON(g->node[l->a].name) }, { "b", JSON(g->node[l->b].name) },
                 { "start_us", json_of_us(o->start_ps) },
                 { "stop_us", json_of_us(outage_end_ps(o, r->end_ps)) },
                 { "link_lost_packets", JSON((double)sim_link_cut(r->sim, o->link)) },
                 { "flows_hit", JSON((double)o->hit.count) },
                 { "flows_spared", JSON((double)o->spared.count) },
                 { "slowdown_hit", JSON(mean_slowdown(&o->hit)) },
                 { "slowdown_spared", JSON(mean_slowdown(&o->spared)) });
    }
    return list;
}

json_t *results_json(const struct results *r)
{
    json_t *o = json_object();

    JSON_PUT(o, { "answer", card_end_json(results_answer(r, EMPTY_CARD, false)) },
                { "version", JSON(ANOLE_VERSION) }, { "scenario", JSON(r->scenario->path) },
                { "set", json_of_texts(r->set, r->sets) });
    put_setup(o, r);
    json_object_set_new(o, "is_random", json_boolean(r->is_random));
    if (r->outages->count)
        json_object_set_new(o, "outages", results_json_outages(r));
    if (sim_skipped(r->sim))
        json_object_set_new(o, "fidelity", fidelity_json(r, sim_skipped(r->sim)));
    JSON_PUT(o, { "simulated_us", json_of_us(r->end_ps) }, { "network", results_json_network(r) },
                { "all", all_json(r) }, { "sizes", fct_json(r) }, { "traffic", traffic_json(r) },
                { "phases", phases_json(r) }, { "packets", figures_json(r, FIGURE_PACKETS) });
    if (sim_settings(r->sim)->lb->is_woven)
        json_object_set_new(o, "conweave", conweave_json(&sim_counts(r->sim)->conweave));
    JSON_PUT(o, { "pfc", pfc_json(r) }, { "queues", queues_json(r) });
    if (r->tiers)
        json_object_set_new(o, "paths", paths_json(r));
    json_object_set_new(o, "metrics", metrics_json(r));
    return o;
}

void results_print_json(const struct results *r, FILE *out, bool with_wall)
{
    json_t *o = results_json(r), *wall = JSON_OF({ "seconds", JSON(r->wall_s) });

    if (r->wall_s > 0)
        JSON_PUT(wall, { "hops_per_second", JSON(r->hops / r->wall_s) },
                 { "events_per_second", JSON(r->events / r->wall_s) });
    if (with_wall)
        json_object_set(o, "wall", wall);
    json_decref(wall);
    results_json_print(o, out);
}

/* ---- manifest.json ---- */

void results_print_manifest(const struct results *r, const char *const *files, FILE *out)
{
    json_t *loads = json_array();
    json_t *o = JSON_OF({ "version", JSON(ANOLE_VERSION) },
                        { "scenario", JSON_OF({ "path", JSON(r->scenario->path) },
                                              { "text", json_of_bytes(r->text, r->text_bytes) },
                                              { "set", json_of_texts(r->set, r->sets) }) });

    for (uint32_t i = 0; i < r->scenario->entries; i++)
        json_array_append_new(loads, entry_json(r, i));
    put_setup(o, r);
    JSON_PUT(o, { "network", results_json_network(r) }, { "traffic", loads },
                { "counts", figures_json(r, FIGURE_MANIFEST) },
                { "simulated_us", json_of_us(r->end_ps) }, { "interval_us", json_of_us(r->interval_ps) },
                { "wall_seconds", JSON(r->wall_s) }, { "files", json_of_texts(files, UINT32_MAX) });
    results_json_print(o, out);
}
