/* src/report/page_charts.c - charts.json: the data for anole plot, from the data of a page. */
#include "report/page.h"
#include "core/figures.h"
#include "report/results_json.h"

#include <string.h>

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
