/* src/report/results_manifest.c - manifest.json: enough to know what a folder of results is, and to make it again.
 *
 * The only file of a run that says how long it took: all others are the same from run to run.
 */
#include "report/results_json.h"
#include "version.h"

static json_t *scenario_json(const struct results *r)
{
    json_t *o = json_object();

    json_put_text(o, "path", r->scenario->path);
    json_object_set_new(o, "text", json_of_bytes(r->text, r->text_bytes));
    json_object_set_new(o, "set", results_json_set(r));
    return o;
}

static json_t *loads_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < r->scenario->entries; i++) {
        const struct traffic_about *t = &r->scenario->entry[i];
        json_t *row = json_object();

        json_put_text(row, "name", t->name);
        json_put_text(row, "kind", t->kind);
        json_object_set_new(row, "load_asked", t->load > 0 ? json_real(t->load) : json_null());
        json_object_set_new(row, "load_realised", t->load > 0 ? json_of_number(r->entry[i].load) : json_null());
        json_put_count(row, "flows_started", r->entry[i].flows_started);
        json_put_count(row, "bytes_started", r->entry[i].bytes_started);
        json_array_append_new(rows, row);
    }
    return rows;
}

void results_print_manifest(const struct results *r, const char *const *files, FILE *out)
{
    const struct sim_cfg *cfg = &r->sim->cfg;
    json_t *o = json_object(), *names = json_array();
    char    controls[SIM_CC_TEXT_MAX];

    for (; *files; files++)
        json_array_append_new(names, json_of_text(*files));
    json_put_text(o, "version", ANOLE_VERSION);
    json_object_set_new(o, "scenario", scenario_json(r));
    json_object_set_new(o, "seed", json_of_seed(cfg->seed));
    json_put_text(o, "model", results_model_name(r));
    json_put_text(o, "cc", sim_cc_text(cfg, controls));
    json_put_text(o, "lb", cfg->lb->name);
    json_object_set_new(o, "network", results_json_network(r));
    json_object_set_new(o, "traffic", loads_json(r));
    json_object_set_new(o, "counts", results_json_figures(r, FIGURE_MANIFEST));
    json_put_us(o, "simulated_us", r->end_ps);
    json_put_us(o, "interval_us", r->interval_ps);
    json_put_number(o, "wall_seconds", r->wall_s);
    json_object_set_new(o, "files", names);
    json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));
    fputc('\n', out);
    json_decref(o);
}
