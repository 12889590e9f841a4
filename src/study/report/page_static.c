/* src/study/report/page_static.c - the page without scripts: answer card, tables of the main figures,
 * warnings. */
#include "base/json.h"
#include "base/print/card.h"
#include "base/print/html.h"
#include "base/text.h"
#include "study/report/page.h"
#include "core/figures.h"
#include "study/report/results_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANKED 8                 /* settings of a sweep that are listed */

static void put_element(FILE *out, const char *tag, const char *text)
{
    fprintf(out, "<%s>", tag);
    html_text(out, text);
    fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

/* Adds a row of texts, up to NULL. The first is the row's header. Numbers are aligned to the right. */
static void put_row(FILE *out, const char *const *text)
{
    fputs("<tr>", out);
    for (int i = 0; text[i]; i++)
        put_element(out, i == 0 ? "th" : strspn(text[i], "+-.0123456789") ? "td class=\"number\"" : "td",
                    text[i]);
    fputs("</tr>\n", out);
}

#define PUT_ROW(out, ...) put_row(out, (const char *const[]){ __VA_ARGS__, NULL })

struct value_text { char buf[64]; };

static struct value_text value_text(const json_t *value, const json_t *metric)
{
    struct value_text t;

    text_figure(t.buf, sizeof(t.buf), json_get_text(metric, "unit"),
                json_is_number(value) ? json_number_value(value) : NAN);
    return t;
}

static void begin_table(FILE *out, const char *title)
{
    put_element(out, "h2", title);
    fputs("<div class=\"card scroll\"><table>\n", out);
}

static void end_table(FILE *out)
{
    fputs("</table></div>\n", out);
}

/* Returns the list element with that name, or NULL. */
static const json_t *find(const json_t *list, const char *name)
{
    const json_t *element;
    size_t        i;

    json_array_foreach(list, i, element)
        if (strcmp(json_get_text(element, "name"), name) == 0)
            return element;
    return NULL;
}

/* ---- a comparison ---- */

/* "better", as in the script's tables. */
static const char *verdict_of(const json_t *metric, const json_t *cell)
{
    if (!json_is_true(json_object_get(cell, "is_significant")))
        return "not clear";
    if (json_is_true(json_object_get(cell, "is_better")))
        return "better";
    return strcmp(json_get_text(metric, "better"), "neither") == 0 ? "different" : "worse";
}

static void put_metric(FILE *out, const json_t *metric, const char *baseline)
{
    const json_t *cell;
    size_t        i;

    json_array_foreach(json_object_get(metric, "variants"), i, cell) {
        const char   *name = json_get_text(cell, "name");
        const json_t *change = json_object_get(cell, "change");
        char          text[64] = "-";

        if (strcmp(name, baseline) == 0)
            snprintf(text, sizeof(text), "baseline");
        else if (json_is_number(change))
            snprintf(text, sizeof(text), "%+.3g %%, %s", 100 * json_number_value(change),
                     verdict_of(metric, cell));
        PUT_ROW(out, i ? "" : json_get_text(metric, "label"), name,
                value_text(json_object_get(cell, "mean"), metric).buf, text);
    }
}

static void put_comparison(FILE *out, const json_t *comparison)
{
    const json_t *name;
    size_t        i;

    begin_table(out, "The figures that decide");
    PUT_ROW(out, "Mean over seeds", "Setting", "Mean", "Change");
    json_array_foreach(json_object_get(comparison, "deciding"), i, name)
        put_metric(out, find(json_object_get(comparison, "metrics"), json_string_value(name)),
                   json_get_text(comparison, "baseline"));
    end_table(out);
}

/* ---- ranking of a sweep ---- */

static void put_setting(FILE *out, const char *rank, const json_t *point, const json_t *best, size_t at)
{
    PUT_ROW(out, rank, json_get_text(point, "name"),
            value_text(json_array_get(json_object_get(point, "figures"), at), best).buf);
}

static void put_sweep(FILE *out, const json_t *sweep)
{
    const json_t *figures = json_object_get(sweep, "figures"), *points = json_object_get(sweep, "points"),
                 *best = find(figures, json_get_text(sweep, "best"));
    size_t        at = 0;

    while (json_array_get(figures, at) && json_array_get(figures, at) != best)
        at++;
    begin_table(out, "All settings");
    PUT_ROW(out, "Rank", "Setting", json_get_text(best, "label"));
    for (size_t i = 0; i < json_array_size(points) && i < RANKED; i++) {
        char rank[32];

        snprintf(rank, sizeof(rank), "%zu", i + 1);
        put_setting(out, rank, json_array_get(points, i), best, at);
    }
    put_setting(out, "own", json_object_get(sweep, "own"), best, at);
    end_table(out);
}

/* ---- result of a search ---- */

static void put_found(FILE *out, const json_t *changes, const json_t *help)
{
    const json_t *change;
    size_t        i;

    begin_table(out, "The setting found");
    PUT_ROW(out, "Knob", "Before", "Found", "Change", "What it does");
    json_array_foreach(changes, i, change) PUT_ROW(
        out, json_get_text(change, "name"), json_get_text(change, "from"), json_get_text(change, "to"),
        json_get_text(change, "change"), json_get_text(help, json_get_text(change, "name")));
    end_table(out);
}

/* ---- one run ---- */

static void put_run(FILE *out, const json_t *metrics)
{
    const json_t *metric;
    size_t        i;

    begin_table(out, "Figures");
    json_array_foreach(metrics, i, metric) PUT_ROW(out, json_get_text(metric, "label"),
                                                   value_text(json_object_get(metric, "value"), metric).buf);
    end_table(out);
}

void page_static(const json_t *page, FILE *out)
{
    const json_t *comparison = json_object_get(page, "comparison"), *sweep = json_object_get(page, "sweep");
    const json_t *own = json_object_get(page, "answer"),
                 *answer = own ? own : json_object_get(comparison, "answer");
    const json_t *search = json_object_get(page, "search");
    struct card   card;

    if (!answer)
        return;
    card_of_json(&card, answer);
    fputs("<div class=\"report\"><main>\n", out);
    card_html(&card, out);
    card_fini(&card);
    if (sweep)
        put_sweep(out, sweep);
    if (search)
        put_found(out, json_object_get(search, "changes"), json_object_get(page, "help"));
    if (comparison)
        put_comparison(out, comparison);
    else if (!search)
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
