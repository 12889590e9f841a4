/* src/report/page_traffic.c - page data: a table per traffic entry. */
#include "report/page.h"
#include "base/json.h"
#include "report/results_json.h"

#include <math.h>

static void add_row(json_t *rows, const char *label, const char *unit, double value)
{
    json_array_append_new(rows, JSON_OF(
        { "label", json_of_text(label) }, { "value", json_of_number(value) },
        { "unit", json_of_text(unit) }));
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
        const struct ops_cell *c = ops_cell(r->ops, entry, *k);
        struct fct_stats s = ops_us_stats(c);

        add_row(rows, labels[*k][0], "count", (double)c->count);
        add_row(rows, labels[*k][1], "us", c->count ? s.mean : NAN);
        add_row(rows, labels[*k][2], "us", c->count ? s.p50 : NAN);
        add_row(rows, labels[*k][3], "us", c->count ? s.p99 : NAN);
    }
}

static void add_job_rows(json_t *rows, const struct results *r, uint32_t entry)
{
    const struct results_entry *e = &r->entry[entry];

    if (e->job == JOB_TRAINING) {
        add_row(rows, "iteration, mean", "us", e->iteration_us_mean);
        add_row(rows, "not hidden by computing", "us", e->exposed_us_mean);
        add_row(rows, "of that, first iteration", "us", e->exposed_cold_us);
        add_row(rows, "of that, later iterations", "us", e->exposed_warm_us_mean);
        if (r->spread->seeds) {
            const struct expected *v = &r->spread->us[entry * EXPOSED_COUNT + EXPOSED_MEAN];

            add_row(rows, "not hidden, packet by packet: expected", "us", v->mean);
            add_row(rows, "not hidden, packet by packet: at least (95 %)", "us", v->low);
            add_row(rows, "not hidden, packet by packet: at most (95 %)", "us", v->high);
        }
        add_row(rows, "algbw", "bus", e->algbw_bps);
        add_row(rows, "busbw", "bus", e->busbw_bps);
        add_row(rows, "of line rate", "share", e->bound_share);
    } else if (e->job != JOB_NONE) {
        add_row(rows, e->job == JOB_STORAGE ? "IOPS" : "calls a second", "per_s", e->ops_per_s);
        add_row(rows, "throughput", "bps", e->ops_bps);
    }
    add_op_rows(rows, r, entry);
}

static void add_flow_rows(json_t *rows, const struct results *r, uint32_t entry)
{
    const struct traffic_about *t = &r->scenario->entry[entry];
    const struct results_entry *e = &r->entry[entry];
    const struct fct_cell *c = &r->fct->entry[entry];
    struct fct_stats s = fct_slowdown_stats(c), f = fct_us_stats(c);

    add_row(rows, "flows", "count", (double)e->flows_started);
    add_row(rows, "bytes", "bytes", (double)e->bytes_started);
    if (t->load > 0) {
        add_row(rows, "load asked", "share", t->load);
        add_row(rows, "load realised", "share", e->load);
    }
    add_row(rows, "goodput", "bps", e->goodput_bps);
    add_row(rows, "slowdown, mean", "", c->count ? s.mean : NAN);
    add_row(rows, "slowdown, p99", "", c->count ? s.p99 : NAN);
    add_row(rows, "FCT, p50", "us", c->count ? f.p50 : NAN);
    add_row(rows, "FCT, p99", "us", c->count ? f.p99 : NAN);
}

json_t *page_traffic(const struct results *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        json_t *rows = json_array();

        add_job_rows(rows, r, i);
        add_flow_rows(rows, r, i);
        json_array_append_new(list, JSON_OF(
            { "name", json_of_text(r->scenario->entry[i].name) },
            { "kind", json_of_text(r->scenario->entry[i].kind) }, { "rows", rows }));
    }
    return list;
}
