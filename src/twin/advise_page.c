/* src/twin/advise_page.c - an advice as a page for a browser: one file, without scripts, that can be sent to whoever asks why.
 *
 * What it is worth and whom it costs in words; every preset beside it, with intervals as bars; what happens if the load
 * is off by half; which knobs change; how it was found.
 */
#include "core/knob_text.h"
#include "core/units.h"
#include "twin/advise.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>

#define BAR_WIDTH 320.0          /* of a picture, */
#define BAR_MARGIN 8.0           /* of which so much is empty on both sides */

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b2330;--muted:#5b6678;--line:#d5dae2;--good:#1a7f4b;--bad:#b3372f;--page:#fff}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--muted:#9aa5b5;--line:#3a4453;--good:#5cc98d;--bad:#f08077;--page:#161b22}}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:960px;margin:24px auto;padding:0 16px}"
    "h1{font-size:22px}h2{font-size:17px;margin-top:28px}.verdict{font-size:17px}.muted{color:var(--muted)}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:3px 12px 3px 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}td.about{text-align:left;white-space:normal;color:var(--muted)}th.bars{text-align:center}"
    "tr.advised{font-weight:600}"
    "svg{display:block}.zero{stroke:var(--muted)}.better{stroke:var(--good);fill:var(--good)}.worse{stroke:var(--bad);fill:var(--bad)}"
    ".unsure{stroke:var(--muted);fill:var(--muted)}";

static double percent(double log_ratio)
{
    return 100 * (exp(log_ratio) - 1);
}

/* ---- bars ---- */

/* The largest change that a picture has to show, to either side, in logarithms. */
static double reach(const struct advice *a, uint32_t load)
{
    double most = 0.1;

    for (uint32_t i = 1; i < a->rows; i++)
        if (a->row[i].has[load]) {
            struct advise_gain g = advise_gain(a, &a->row[i], &a->row[0], load);

            most = fmax(most, fmin(3, fmax(fabs(g.low), fabs(g.high))));
        }
    return most;
}

static double place(double gain, double most)
{
    return BAR_WIDTH / 2 + fmax(-1, fmin(1, gain / most)) * (BAR_WIDTH / 2 - BAR_MARGIN);
}

static void put_bar(FILE *out, struct advise_gain g, double most)
{
    const char *kind = g.high < 0 ? "better" : g.low > 0 ? "worse" : "unsure";

    fprintf(out, "<svg width=\"%.0f\" height=\"18\" role=\"img\" aria-label=\"%+.0f %%, %+.0f to %+.0f\">", BAR_WIDTH, percent(g.mean),
            percent(g.low), percent(g.high));
    fprintf(out, "<line class=\"zero\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"18\"/>", BAR_WIDTH / 2, BAR_WIDTH / 2);
    fprintf(out, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"9\" y2=\"9\" stroke-width=\"2\"/>", kind, place(g.low, most),
            place(g.high, most));
    fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"9\" r=\"4\"/></svg>", kind, place(g.mean, most));
}

/* ---- tables ---- */

static void put_row(FILE *out, const struct advice *a, const struct advise_row *row, uint32_t load, double most)
{
    char name[64];

    fprintf(out, "<tr%s><td>", row == advised(a) ? " class=\"advised\"" : "");
    html_text(out, advise_name(a, row, name, sizeof(name)));
    fputs("</td>", out);
    for (int part = 0; part < GOAL_PARTS; part++) {
        double mean = advise_slowdown(row, load, (enum goal_part)part);

        if (isnan(mean))
            fputs("<td>-</td>", out);
        else
            fprintf(out, "<td>%.2f</td>", mean);
    }
    if (row == &a->row[0])
        fputs("<td>-</td><td></td>", out);
    else {
        struct advise_gain g = advise_gain(a, row, &a->row[0], load);

        fprintf(out, "<td>%+.0f %% [%+.0f, %+.0f]</td><td>", percent(g.mean), percent(g.low), percent(g.high));
        put_bar(out, g, most);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void put_load(FILE *out, const struct advice *a, uint32_t load)
{
    double most = reach(a, load);

    fputs("<div class=\"scroll\"><table><tr><th>mean slowdown</th><th>all</th><th>&lt; 120 KB</th><th>to 1 MB</th><th>from 1 MB</th>"
          "<th>against yours</th><th class=\"bars\">better &larr; &rarr; worse</th></tr>\n", out);
    for (uint32_t i = 0; i < a->rows; i++)
        if (a->row[i].has[load])
            put_row(out, a, &a->row[i], load, most);
    fputs("</table></div>\n", out);
}

static void put_changes(FILE *out, const struct advice *a)
{
    const struct knobs *was = &a->row[0].knobs, *is = &advised(a)->knobs;
    char                from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX];

    fputs("<h2>What changes</h2>\n<div class=\"scroll\"><table><tr><th>knob</th><th>yours</th><th>advised</th><th></th></tr>\n", out);
    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i]) {
            fprintf(out, "<tr><td>%s</td><td>%s</td><td>%s</td><td class=\"about\">", knob_info[i].name,
                    knob_text(from, (enum knob)i, was->value[i]), knob_text(to, (enum knob)i, is->value[i]));
            html_text(out, knob_info[i].about);
            fputs("</td></tr>\n", out);
        }
    fputs("</table></div>\n", out);
}

/* ---- all of it ---- */

/* A paragraph of what is told in words elsewhere too. */
static void put_words(FILE *out, const struct advice *a, const char *kind, void (*print)(const struct advice *, FILE *))
{
    char  *text = NULL;
    size_t length;
    FILE  *words = open_memstream(&text, &length);

    if (!words)
        die("out of memory");
    print(a, words);
    fclose(words);
    if (length > 0) {
        fprintf(out, "<p class=\"%s\">", kind);
        html_text(out, text);
        fputs("</p>\n", out);
    }
    free(text);
}

static void put_method(FILE *out, const struct advice *a)
{
    fprintf(out, "<h2>How it was found</h2>\n<p>%u trials by simulation of %.1f ms each: presets, points spread over the space, %u "
            "generations of a search around the best, and a race of %u blocks on fresh messages at loads that are a fifth off. What is told above is of "
            "%d seeds that the search has not seen: means of slowdowns, a message's time over its time alone in the network. Changes are of the goal "
            "<b>%s</b> (", a->rehearsal.trials, (double)a->twin.until_ps / (double)PS_PER_MS, a->rehearsal.generations, a->rehearsal.race.blocks,
            ADVISE_SEEDS, a->request->goal->name);
    html_text(out, a->request->goal->about);
    fputs("), with 95 % intervals over seeds. It is a simulation of the traffic that was described: try the setting on a part of the network first.</p>\n", out);
}

void advise_page(const struct advice *a, const struct card *answer, FILE *out)
{
    char words[40];

    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Advice: ", out);
    html_text(out, a->name);
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>Advice for ", style);
    html_text(out, a->name);
    fputs("</h1>\n", out);
    card_html(answer, out);
    put_words(out, a, "recorded", advise_print_recorded);
    fputs("<h2>At the load that is expected</h2>\n", out);
    put_load(out, a, 0);
    for (uint32_t i = 1; i < ADVISE_LOADS && a->has_load; i++) {
        fprintf(out, "<h2>With %s%s</h2>\n", a->has_range ? "a " : "", advise_load_text(a, i, words, sizeof(words)));
        put_load(out, a, i);
    }
    if (!advise_keeps_yours(a))
        put_changes(out, a);
    put_method(out, a);
    fprintf(out, "<p class=\"muted\">Anole %s, seed %llu, budget %llu million packet-hops</p>\n</body></html>\n", ANOLE_VERSION,
            (unsigned long long)a->request->seed, (unsigned long long)a->request->budget / 1000000);
}
