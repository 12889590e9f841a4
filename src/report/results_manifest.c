/* src/report/results_manifest.c - manifest.json: what a folder of results is, and how to repeat it.
 *
 * This is the only file with wall times. All others are identical from run to run.
 */
#include "report/results_json.h"
#include "version.h"

static json_t *scenario_json(const struct results *r)
{
    return JSON_OF({ "path", json_of_text(r->scenario->path) },
                   { "text", json_of_bytes(r->text, r->text_bytes) },
                   { "set", json_of_texts(r->set, r->sets) });
}

static json_t *loads_json(const struct results *r)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < r->scenario->entries; i++)
        json_array_append_new(rows, results_json_entry(r, i));
    return rows;
}

void results_print_manifest(const struct results *r, const char *const *files, FILE *out)
{
    json_t *o = json_object();

    json_put_text(o, "version", ANOLE_VERSION);
    json_object_set_new(o, "scenario", scenario_json(r));
    results_json_put_setup(o, r);
    json_object_set_new(o, "network", results_json_network(r));
    json_object_set_new(o, "traffic", loads_json(r));
    json_object_set_new(o, "counts", results_json_figures(r, FIGURE_MANIFEST));
    json_put_us(o, "simulated_us", r->end_ps);
    json_put_us(o, "interval_us", r->interval_ps);
    json_put_number(o, "wall_seconds", r->wall_s);
    json_object_set_new(o, "files", json_of_texts(files, UINT32_MAX));
    results_json_print(o, out);
}
