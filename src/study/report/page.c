/* src/study/report/page.c - the data of report.html, in the order of web/src/data.ts. */
#include "study/report/page.h"
#include "base/err.h"
#include "base/text.h"
#include "study/report/metrics.h"
#include "study/report/results_json.h"
#include "version.h"
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_traffic_row(json_t *rows, const char *label, const char *unit, double value)
{
    JSON_ADD(rows, { "label", JSON(label) }, { "value", JSON(value) }, { "unit", JSON(unit) });
}

static void add_op_rows(json_t *rows, const struct results *r, uint32_t entry)
{
    static const char *const labels[OP_KINDS][4] = {
        { "iterations", "collective, mean", "collective, p50", "collective, p99" },
        { "reads", "read, mean", "read, p50", "read, p99" },
        { "writes", "write, mean", "write, p50", "write, p99" },
        { "calls", "call, mean", "call, p50", "call, p99" },
    };

    for (const enum op_kind *k = results_ops_of(r->entry[entry].job); *k != OP_KINDS; k++) {
        struct fct_stats s = results_op_us(r, entry, *k);

        add_traffic_row(rows, labels[*k][0], "count", (double)ops_cell(r->ops, entry, *k)->count);
        add_traffic_row(rows, labels[*k][1], "us", s.mean);
        add_traffic_row(rows, labels[*k][2], "us", s.p50);
        add_traffic_row(rows, labels[*k][3], "us", s.p99);
    }
}

static void add_job_rows(json_t *rows, const struct results *r, uint32_t entry)
{
    const struct results_entry *e = &r->entry[entry];

    if (e->job == JOB_TRAINING) {
        add_traffic_row(rows, "iteration, mean", "us", e->iteration_us_mean);
        add_traffic_row(rows, "not hidden by computing", "us", e->exposed_us_mean);
        add_traffic_row(rows, "of that, first iteration", "us", e->exposed_cold_us);
        add_traffic_row(rows, "of that, later iterations", "us", e->exposed_warm_us_mean);
        if (r->spread->seeds) {
            const struct expected *v = &r->spread->us[entry * EXPOSED_COUNT + EXPOSED_MEAN];

            add_traffic_row(rows, "not hidden, packet by packet: expected", "us", v->mean);
            add_traffic_row(rows, "not hidden, packet by packet: at least (95 %)", "us", v->low);
            add_traffic_row(rows, "not hidden, packet by packet: at most (95 %)", "us", v->high);
        }
        add_traffic_row(rows, "algbw", "bus", e->algbw_bps);
        add_traffic_row(rows, "busbw", "bus", e->busbw_bps);
        add_traffic_row(rows, "of line rate", "share", e->bound_share);
    } else if (e->job != JOB_NONE) {
        add_traffic_row(rows, e->job == JOB_STORAGE ? "IOPS" : "calls a second", "per_s", e->ops_per_s);
        add_traffic_row(rows, "throughput", "bps", e->ops_bps);
    }
    add_op_rows(rows, r, entry);
}

static void add_flow_rows(json_t *rows, const struct results *r, uint32_t entry)
{
    const struct traffic_about *t = &r->scenario->entry[entry];
    const struct results_entry *e = &r->entry[entry];
    struct fct_stats s = results_slowdown(&r->fct->entry[entry]), f = results_fct_us(&r->fct->entry[entry]);

    add_traffic_row(rows, "flows", "count", (double)e->flows_started);
    add_traffic_row(rows, "bytes", "bytes", (double)e->bytes_started);
    if (t->load > 0) {
        add_traffic_row(rows, "load asked", "share", t->load);
        add_traffic_row(rows, "load realised", "share", e->load);
    }
    add_traffic_row(rows, "goodput", "bps", e->goodput_bps);
    add_traffic_row(rows, "slowdown, mean", "", s.mean);
    add_traffic_row(rows, "slowdown, p99", "", s.p99);
    add_traffic_row(rows, "FCT, p50", "us", f.p50);
    add_traffic_row(rows, "FCT, p99", "us", f.p99);
}

static json_t *traffic_json(const struct results *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        json_t *rows = json_array();

        add_job_rows(rows, r, i);
        add_flow_rows(rows, r, i);
        JSON_ADD(list, { "name", JSON(r->scenario->entry[i].name) },
                 { "kind", JSON(r->scenario->entry[i].kind) }, { "rows", rows });
    }
    return list;
}

#define ENTRIES_MAX 24           /* traffic entries with their own curves */
#define CHANGES_MAX 512          /* of one knob */

static uint32_t entries_shown(const struct results *r)
{
    return r->scenario->entries < ENTRIES_MAX ? r->scenario->entries : ENTRIES_MAX;
}

/* ---- distributions ---- */

static json_t *sizes_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < FCT_SIZES; i++) {
        const struct fct_cell *c = &r->fct->size[i];
        struct fct_stats s = fct_slowdown_stats(c);

        if (c->count == 0)
            continue;
        JSON_ADD(rows, { "bytes_min", JSON(fct_size_min(i)) },
                 { "bytes_end", i + 1 < FCT_SIZES ? JSON(fct_size_min(i + 1)) : json_null() },
                 { "flows", JSON(c->count) },
                 { "bytes_mean", json_of_rounded((double)c->bytes / (double)c->count) },
                 { "mean", json_of_rounded(s.mean) }, { "p50", json_of_rounded(s.p50) },
                 { "p95", json_of_rounded(s.p95) }, { "p99", json_of_rounded(s.p99) },
                 { "p999", json_of_rounded(s.p999) });
    }
    return rows;
}

/* The same shares in every page, so that a comparison can pool the flows of all seeds. */
enum { CDF_POINTS = 104 };

static double cdf_share(uint32_t i)
{
    static const double last[] = { 0.995, 0.999, 0.9999, 1 };

    return i < 100 ? i / 100.0 : last[i - 100];
}

static void add_cdf(json_t *list, const char *quantity, const char *of, const char *unit,
                    const struct hist *h, double scale)
{
    char label[128];

    if (!h || h->count == 0)
        return;
    json_t *x = json_array(), *p = json_array();
    for (uint32_t i = 0; i < CDF_POINTS; i++) {
        json_array_append_new(x, json_of_rounded(hist_quantile(h, cdf_share(i)) * scale));
        json_array_append_new(p, json_real(cdf_share(i)));
    }
    snprintf(label, sizeof(label), "%s, %s", quantity, of);
    JSON_ADD(list, { "label", JSON(label) }, { "quantity", JSON(quantity) }, { "unit", JSON(unit) },
             JSON_FIELD(h, count), { "x", x }, { "p", p });
}

static void add_op_cdfs(json_t *list, const struct results *r, uint32_t entry)
{
    static const char *const quantities[OP_KINDS] = { "collective time", "read latency", "write latency",
                                                      "call latency" };
    const char *name = r->scenario->entry[entry].name;

    for (const enum op_kind *k = results_ops_of(r->entry[entry].job); *k != OP_KINDS; k++)
        add_cdf(list, quantities[*k], name, "us", ops_cell(r->ops, entry, *k)->took_ns, 1e-3);
}

static json_t *cdfs_json(const struct results *r)
{
    json_t *list = json_array();

    add_cdf(list, "FCT", "all flows", "us", r->fct->all.fct_ns, 1e-3);
    for (uint32_t i = 0; r->scenario->entries > 1 && i < entries_shown(r); i++)
        add_cdf(list, "FCT", r->scenario->entry[i].name, "us", r->fct->entry[i].fct_ns, 1e-3);
    add_cdf(list, "slowdown", "all flows", "", r->fct->all.slowdown, 1);
    add_cdf(list, "slowdown", "flows under 120KB", "", r->fct->mice.slowdown, 1);
    add_cdf(list, "slowdown", "flows from 1MB", "", r->fct->elephants.slowdown, 1);
    for (uint32_t i = 0; i < entries_shown(r); i++)
        add_op_cdfs(list, r, i);
    return list;
}

/* ---- over time ---- */

static double span_ps(const struct series_point *p)
{
    return (double)(p->end_ps - p->start_ps);
}

static json_t *column_json(const char *name, const char *label, const char *group, const char *unit,
                           json_t *values)
{
    return JSON_OF({ "name", JSON(name) }, { "label", JSON(label) },
                   { "group", JSON(group) }, { "unit", JSON(unit) }, { "values", values });
}

static json_t *entry_column_json(const struct results *r, uint32_t entry)
{
    const struct series *s = r->series;
    json_t *values = json_array();
    char name[96];

    for (uint32_t i = 0; i < s->points; i++)
        json_array_append_new(values, json_of_rounded((double)s->entry_bytes[(size_t)i * s->entries + entry] *
                                                      8 * (double)PS_PER_S / span_ps(&s->point[i])));
    snprintf(name, sizeof(name), "%s.goodput_bps", r->scenario->entry[entry].name);
    return column_json(name, r->scenario->entry[entry].name, "throughput", "bps", values);
}

static json_t *columns_json(const struct results *r)
{
    const struct series *s = r->series;
    enum figure_id column[FIGURE_COUNT];
    uint32_t columns = figure_list(FIGURE_CHART, column);
    json_t *list = json_array();

    for (uint32_t c = 0; c < columns; c++) {
        const struct figure_info *f = &figure_info[column[c]];
        json_t *values = json_array();

        for (uint32_t i = 0; i < s->points; i++) {
            struct figure_span seen = series_span(s, &s->point[i]);

            json_array_append_new(values, json_of_rounded(figure_value(column[c], &seen)));
        }
        json_array_append_new(list,
                              column_json(f->name, f->chart, f->group, metric_unit_name(f->unit), values));
        for (uint32_t e = 0; c == 0 && r->scenario->entries > 1 && e < entries_shown(r); e++)
            json_array_append_new(list, entry_column_json(r, e));
    }
    return list;
}

static json_t *series_json(const struct results *r)
{
    const struct series *s = r->series;

    if (s->points == 0)
        return json_null();
    json_t *at = json_array();
    for (uint32_t i = 0; i < s->points; i++)
        json_array_append_new(at, json_of_us(s->point[i].end_ps));
    return JSON_OF({ "at_us", at }, { "interval_us", json_of_us(s->interval_ps * s->merged) },
                   { "columns", columns_json(r) });
}

/* ---- influx ---- */

static json_t *windows_json(const struct results *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct traffic_about *t = &r->scenario->entry[i];

        if (!t->is_influx || t->start_ps >= r->end_ps)
            continue;
        JSON_ADD(list, JSON_FIELD(t, name), { "start_us", json_of_us(t->start_ps) },
                 { "stop_us", json_of_us(t->stop_ps < r->end_ps ? t->stop_ps : r->end_ps) });
    }
    return list;
}

/* When the first window begins and the last ends, within the run. */
static void edges(const struct results *r, uint64_t edge_ps[PHASES + 1])
{
    const struct phases *p = &r->series->phases;
    uint64_t first_ps = r->end_ps, last_ps = 0;

    for (uint32_t i = 0; i < p->windows; i++) {
        first_ps = p->window[i].start_ps < first_ps ? p->window[i].start_ps : first_ps;
        last_ps = p->window[i].stop_ps > last_ps ? p->window[i].stop_ps : last_ps;
    }
    edge_ps[0] = 0;
    edge_ps[1] = first_ps;
    edge_ps[2] = last_ps < r->end_ps ? last_ps : r->end_ps;
    edge_ps[3] = r->end_ps;
}

static json_t *phases_json(const struct results *r)
{
    struct metric *metrics = xcalloc(METRICS_MAX, sizeof(*metrics));
    json_t *list = json_array();
    uint64_t edge_ps[PHASES + 1];

    edges(r, edge_ps);
    for (uint32_t i = 0; r->has_phases && i < PHASES; i++)
        JSON_ADD(list, { "name", JSON(phase_names[i]) }, { "start_us", json_of_us(edge_ps[i]) },
                 { "stop_us", json_of_us(edge_ps[i + 1]) },
                 { "metrics", results_json_metrics(metrics, metrics_of_phase(r, (enum phase)i, metrics)) });
    free(metrics);
    return list;
}

/* ---- knobs ---- */

/* A tuner may change a knob at every interval. Of more than CHANGES_MAX changes, the last one in each of
 * CHANGES_MAX equal parts of the run is kept. */
static json_t *knob_json(const struct results *r, uint32_t knob, uint32_t changes)
{
    const struct series *s = r->series;
    json_t *at = json_array(), *values = json_array();
    uint64_t part_ps = r->end_ps / CHANGES_MAX + 1;

    for (uint32_t i = 0, left = changes; i < s->knobs; i++) {
        const struct series_knob *k = &s->knob[i];
        uint32_t next = i + 1;

        if (k->knob != knob)
            continue;
        left--;
        while (next < s->knobs && s->knob[next].knob != knob)
            next++;
        if (changes > CHANGES_MAX && left && s->knob[next].at_ps / part_ps == k->at_ps / part_ps)
            continue;
        json_array_append_new(at, json_of_us(k->at_ps));
        json_array_append_new(values, json_real(k->value));
    }
    return JSON_OF({ "name", JSON(knob_info[knob].name) },
                   { "unit", JSON(knob_unit_name(knob_info[knob].unit)) }, { "at_us", at },
                   { "values", values });
}

static json_t *knobs_json(const struct results *r)
{
    uint32_t changes[KNOB_COUNT] = { 0 };
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->series->knobs; i++)
        changes[r->series->knob[i].knob]++;
    for (int is_fixed = 0; is_fixed < 2; is_fixed++)
        for (uint32_t i = 0; i < KNOB_COUNT; i++)
            if ((changes[i] == 1) == is_fixed && changes[i])
                json_array_append_new(list, knob_json(r, i, changes[i]));
    return list;
}

/* ---- all ---- */

/* The main figures, and the names of the deciding ones that have a value, most important first. */
static void put_metrics(json_t *o, const struct results *r)
{
    uint32_t       count, headlines = metrics_headlines(r);
    struct metric *list = metrics_new(r, &count);
    json_t        *names = json_array();

    for (uint32_t rank = 0; rank < METRIC_RANKS; rank++)
        for (uint32_t i = 0; i < count && json_array_size(names) < METRICS_DECIDING; i++)
            if (metric_rank(list[i].name) == rank && isfinite(list[i].value))
                json_array_append_new(names, JSON(list[i].name));
    JSON_PUT(o, { "metrics", results_json_metrics(list, count < headlines ? count : headlines) },
             { "deciding", names });
    free(list);
}

/* Sentences that say why the figures are not those of a complete run. */
static json_t *partial_json(const struct results *r)
{
    json_t *list = json_array();
    char    text[600], when[32];

    if (r->stuck_why) {
        snprintf(text, sizeof(text), "Nothing moves any more after %s. %s",
                 text_from_time(when, sizeof(when), r->stuck_ps), r->stuck_why);
        json_array_append_new(list, JSON(text));
    }
    if (r->failure) {
        snprintf(text, sizeof(text), "The run ended before its time: %s", r->failure);
        json_array_append_new(list, JSON(text));
    }
    return list;
}

json_t *page_run(const struct results *r, const char *name, const char *const *files)
{
    const struct sim_cfg *cfg = sim_settings(r->sim);
    json_t               *o = json_object();
    char                  controls[SIM_CC_TEXT_MAX];

    JSON_PUT(o, { "name", JSON(name) }, { "scenario", json_of_bytes(r->text, r->text_bytes) },
             { "set", json_of_texts(r->set, r->sets) },
             { "seeds", json_pack("[o]", json_sprintf("%llu", (unsigned long long)cfg->seed)) },
             { "model", JSON(sim_model_names[cfg->model]) },
             { "fidelity", JSON(cfg->is_fast ? "fast" : "packet") }, { "partial", partial_json(r) },
             { "cc", JSON(sim_cc_text(cfg, controls)) }, { "lb", JSON(sim_lb_text(cfg)) },
             { "simulated_us", json_of_us(r->end_ps) }, { "network", results_json_network(r) },
             { "summary", results_json(r) });
    put_metrics(o, r);
    JSON_PUT(o, { "sizes", sizes_json(r) }, { "cdfs", cdfs_json(r) }, { "series", series_json(r) },
             { "windows", windows_json(r) }, { "outages", results_json_outages(r) },
             { "phases", phases_json(r) },
             { "knobs", knobs_json(r) }, { "tuning", page_tuning(r->tuning) });
    if (r->queues->first && r->tuning->algo)
        json_object_set_new(json_object_get(o, "tuning"), "queues", page_queues(r));
    JSON_PUT(o, { "topology", page_topology(r) }, { "traffic", traffic_json(r) },
                { "files", json_of_texts(files, UINT32_MAX) });
    return o;
}

static json_t *command_json(struct card *card)
{
    json_t *made = JSON(card_text(card, CARD_COMMAND));

    card_fini(card);
    return made;
}

/* "anole run demo.yaml --seed 1 --until 9ms --set kmin=40KB" */
static json_t *repeat_json(const struct results *r)
{
    struct card card = { 0 };
    uint64_t    ps, run_ps = r->scenario->run_ps;
    char        until[32];

    card_add(&card, CARD_COMMAND, "anole run");
    card_add_argument(&card, r->scenario->path);
    card_add(&card, CARD_COMMAND, "--seed %llu", (unsigned long long)sim_settings(r->sim)->seed);
    text_from_time(until, sizeof(until), run_ps);
    const char *blank = strchr(until, ' ');
    if (text_to_time(until, &ps, NULL) == 0 && ps == run_ps)
        card_add(&card, CARD_COMMAND, "--until %.*s%s", (int)(blank - until), until, blank + 1);
    else if (run_ps != NEVER)
        card_add(&card, CARD_COMMAND, "--until %" PRIu64 "ps", run_ps);
    for (uint32_t i = 0; i < r->sets; i++) {
        card_add(&card, CARD_COMMAND, "--set");
        card_add_argument(&card, r->set[i]);
    }
    return command_json(&card);
}

void page_put_command(json_t *page, int argc, char *const *argv)
{
    struct card card = { 0 };

    if (argc == 0)
        return;
    card_add_command(&card, argc, argv, (const char *const[]){ "--out", "-o", "--store", "--report",
                     "--history", "--format", "-f", "--jobs", "-j", "--threads", "--top", "!--quiet", "!-q",
                     NULL });
    json_object_set_new(page, "repeat", command_json(&card));
}

json_t *page_of_run(const struct results *r, const char *const *files)
{
    return JSON_OF({ "answer", card_end_json(results_answer(r, EMPTY_CARD, false)) }, { "kind", JSON("run") },
                   { "version", JSON(ANOLE_VERSION) }, { "title", JSON(text_base_name(r->scenario->path)) },
                   { "runs", json_pack("[o]", page_run(r, "", files)) }, { "repeat", repeat_json(r) });
}

/* One sentence of help per figure and knob. The page shows it when a name is clicked. */
static json_t *help_json(void)
{
    json_t *help = json_object();

    for (int i = 0; i < FIGURE_COUNT; i++)
        json_put_text(help, figure_info[i].name, figure_info[i].help);
    for (int i = 0; i < KNOB_COUNT; i++)
        json_put_text(help, knob_info[i].name, knob_info[i].about);
    return help;
}

void page_print(json_t *page, FILE *out)
{
    char *json, *html;
    FILE *words = text_stream(&html);

    json_object_set_new(page, "help", help_json());
    page_static(page, words);
    fclose(words);
    json = json_dumps(page, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));
    if (!json)
        die("out of memory");
    form_print(json, html, out);
    free(html);
    free(json);
}
