/* src/report/page_static.c - what a page says without scripts: its answer card, and its main figures as a table. */
#include "base/json.h"
#include "base/print/card.h"
#include "report/metrics.h"
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum metric_unit unit_of(const json_t *metric)
{
    const char *name = json_get_text(metric, "unit");

    for (enum metric_unit unit = UNIT_NONE; unit <= UNIT_PER_S; unit++)
        if (strcmp(metric_unit_name(unit), name) == 0)
            return unit;
    return UNIT_NONE;
}

static void put_value(FILE *out, const json_t *value, enum metric_unit unit)
{
    char text[64];

    fputs("<td class=\"number\">", out);
    html_text(out, metric_text(text, sizeof(text), unit, json_is_number(value) ? json_number_value(value) : NAN));
    fputs("</td>", out);
}

static void put_head(FILE *out, const char *text)
{
    fputs("<th>", out);
    html_text(out, text);
    fputs("</th>", out);
}

static void put_comparison(FILE *out, const json_t *metrics)
{
    const json_t *metric, *variant;
    size_t        i, n;

    fputs("<table><tr><th>Mean over seeds</th>", out);
    json_array_foreach(json_object_get(json_array_get(metrics, 0), "variants"), n, variant)
        put_head(out, json_get_text(variant, "name"));
    fputs("</tr>\n", out);
    json_array_foreach(metrics, i, metric) {
        if (!json_is_true(json_object_get(metric, "is_shown")))
            continue;
        fputs("<tr>", out);
        put_head(out, json_get_text(metric, "label"));
        json_array_foreach(json_object_get(metric, "variants"), n, variant)
            put_value(out, json_object_get(variant, "mean"), unit_of(metric));
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void put_run(FILE *out, const json_t *metrics)
{
    const json_t *metric;
    size_t        i;

    fputs("<table>\n", out);
    json_array_foreach(metrics, i, metric) {
        fputs("<tr>", out);
        put_head(out, json_get_text(metric, "label"));
        put_value(out, json_object_get(metric, "value"), unit_of(metric));
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

void page_static(const json_t *page, FILE *out)
{
    const json_t *comparison = json_object_get(page, "comparison");
    const json_t *own = json_object_get(page, "answer"), *answer = own ? own : json_object_get(comparison, "answer");
    struct card   card;

    card_of_json(&card, answer);
    fputs("<main>\n", out);
    if (*card_text(&card, CARD_FINDING))
        card_html(&card, out);
    card_fini(&card);
    if (comparison)
        put_comparison(out, json_object_get(comparison, "metrics"));
    else
        put_run(out, json_object_get(json_array_get(json_object_get(page, "runs"), 0), "metrics"));
    fputs("</main>\n", out);
}
