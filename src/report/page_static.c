/* src/report/page_static.c - what a page shows without scripts, and the data of charts alone. */
#include "base/json.h"
#include "base/print/card.h"
#include "base/print/html.h"
#include "report/metrics.h"
#include "report/page.h"
#include "core/figures.h"
#include "report/results_json.h"

#include <math.h>
#include <string.h>

static enum metric_unit unit_of(const json_t *metric)
{
    const char *name = json_get_text(metric, "unit");

    for (enum metric_unit unit = UNIT_NONE; unit <= UNIT_PER_S; unit++)
        if (strcmp(metric_unit_name(unit), name) == 0)
            return unit;
    return UNIT_NONE;
}

/* Adds a table of the main figures of a run. */
static void put_run(FILE *out, const json_t *metrics)
{
    const json_t *metric, *value;
    size_t        i;

    fputs("<h2>Figures</h2><div class=\"card scroll\"><table>\n", out);
    json_array_foreach(metrics, i, metric) {
        char text[64];

        value = json_object_get(metric, "value");
        metric_text(text, sizeof(text), unit_of(metric),
                    json_is_number(value) ? json_number_value(value) : NAN);
        fputs("<tr><th>", out);
        html_text(out, json_get_text(metric, "label"));
        fputs("</th><td class=\"number\">", out);
        html_text(out, text);
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

void page_static(const json_t *page, FILE *out)
{
    const json_t *comparison = json_object_get(page, "comparison"), *own = json_object_get(page, "answer"),
                 *answer = own ? own : json_object_get(comparison, "answer");
    struct card   card;

    if (!answer)
        return;
    card_of_json(&card, answer);
    fputs("<div class=\"report\"><main>\n", out);
    card_html(&card, out);
    card_fini(&card);
    if (!comparison && !json_object_get(page, "search"))
        put_run(out, json_object_get(json_array_get(json_object_get(page, "runs"), 0), "metrics"));
    fputs("<h2>Limits</h2>\n<ul><li>This is a simulation: no setting here has run on a real NIC or "
          "switch.</li>\n"
          "<li>It holds for this network and this traffic. Other loads, sizes and topologies were not "
          "tested.</li></ul>\n"
          "</main></div>\n", out);
}

/* ---- charts.json ---- */

static void copy(json_t *to, const json_t *from, const char *const *keys)
{
    for (int i = 0; keys[i]; i++)
        if (json_object_get(from, keys[i]))
            json_object_set(to, keys[i], json_object_get(from, keys[i]));
}

/* The columns of a time series that are drawn. */
static json_t *drawn_series(const json_t *series)
{
    static const enum figure_id drawn[] = FIGURES_OVER_TIME;
    json_t       *made = json_object(), *columns = json_array(), *column;
    size_t        i;

    copy(made, series, (const char *const[]){ "at_us", "interval_us", NULL });
    json_array_foreach(json_object_get(series, "columns"), i, column)
        for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++)
            if (strcmp(json_string_value(json_object_get(column, "name")), figure_info[drawn[k]].name) == 0)
                json_array_append(columns, column);
    json_object_set_new(made, "columns", columns);
    return made;
}

void page_print_charts(const json_t *page, FILE *out)
{
    json_t       *made = json_object(), *runs = json_array();
    const json_t *run;
    size_t        i;

    copy(made, page, (const char *const[]){ "kind", "version", "title", "sweep", NULL });
    json_array_foreach(json_object_get(page, "runs"), i, run) {
        json_t *one = json_object();

        copy(one, run, (const char *const[]){ "name", "seeds", "sizes", "cdfs", "windows", NULL });
        if (json_is_object(json_object_get(run, "series")))
            json_object_set_new(one, "series", drawn_series(json_object_get(run, "series")));
        json_array_append_new(runs, one);
    }
    json_object_set_new(made, "runs", runs);
    results_json_print(made, out);
}
