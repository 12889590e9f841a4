/* src/twin/advise_page.c - an advice as a page for a browser: one file without scripts, in the style of all
 * reports.
 *
 * The answer card, the knobs that change, every setting that was tested with its interval, other loads,
 * limits.
 */
#include "base/print/form.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "twin/advise.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>

static double percent(double log_ratio)
{
    return 100 * (exp(log_ratio) - 1);
}

/* ---- bars: better is always on the right ---- */

/* The largest change that a picture has to show, to either side, in logarithms. */
static double reach(const struct advice *a, uint32_t load)
{
    double most = 0.1;

    for (uint32_t i = 1; i < a->rows; i++)
        if (a->row[i].has[load])
            most = fmax(most, fmin(1, fabs(advise_gain(a, &a->row[i], &a->row[0], load).mean) * 1.2));
    return most;
}

/* Per cent of the width; what is further away ends at the edge. */
static double place(double gain, double most)
{
    return 50 - 50 * fmax(-1, fmin(1, gain / most));
}

static void put_bar(FILE *out, struct advise_gain g, double most)
{
    bool is_clear = g.high < 0 || g.low > 0;

    fprintf(out, "<svg width=\"100%%\" height=\"20\" role=\"img\" aria-label=\"%+.0f %%, %+.0f to %+.0f\">", percent(g.mean),
            percent(g.low), percent(g.high));
    fputs("<line class=\"zl\" x1=\"50%\" x2=\"50%\" y1=\"-20\" y2=\"40\"/>", out);
    fprintf(out, "<g class=\"hue-%d%s\"><line class=\"bar\" x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"10\" y2=\"10\"/>", g.high < 0 ? 0 : 6,
            is_clear ? "" : " faint", place(g.high, most), place(g.low, most));
    fprintf(out, "<circle class=\"dot\" cx=\"%.1f%%\" cy=\"10\" r=\"5\"/></g></svg>", place(g.mean, most));
}

/* ---- sections ---- */

static void begin_section(FILE *out, const char *id, const char *title, const char *hint)
{
    fprintf(out, "<section id=\"%s\"><h2>%s</h2><p class=\"hint\">%s</p>\n", id, title, hint);
}

static void put_slowdown(FILE *out, double mean)
{
    if (isnan(mean))
        fputs("<td class=\"number\">-</td>", out);
    else
        fprintf(out, "<td class=\"number\">%.2f</td>", mean);
}

static void put_row(FILE *out, const struct advice *a, const struct advise_row *row, uint32_t load, double most)
{
    struct advise_gain g = advise_gain(a, row, &a->row[0], load);
    char               name[64];

    fprintf(out, "<tr%s><td>", row == advised(a) ? " class=\"advised\"" : "");
    html_text(out, advise_name(a, row, name, sizeof(name)));
    fputs("</td>", out);
    for (int part = 0; part < GOAL_PARTS; part++)
        put_slowdown(out, advise_slowdown(row, load, (enum goal_part)part));
    if (row == &a->row[0]) {
        fputs("<td class=\"pl\"></td><td class=\"number\">-</td></tr>\n", out);
        return;
    }
    fputs("<td class=\"pl\">", out);
    put_bar(out, g, most);
    fprintf(out, "</td><td class=\"number\">%+.0f %% [%+.0f, %+.0f]</td></tr>\n", percent(g.mean), percent(g.low), percent(g.high));
}

static void put_load(FILE *out, const struct advice *a, uint32_t load)
{
    double most = reach(a, load);

    fputs("<div class=\"card scroll\"><table class=\"evidence-table\"><tr><th>mean slowdown</th><th class=\"number\">all</th>"
          "<th class=\"number\">&lt; 120 KB</th><th class=\"number\">to 1 MB</th><th class=\"number\">from 1 MB</th>"
          "<th class=\"pl\">&#9666; worse &middot; better &#9656;</th><th class=\"number\">score against yours</th></tr>\n", out);
    for (uint32_t i = 0; i < a->rows; i++)
        if (a->row[i].has[load])
            put_row(out, a, &a->row[i], load, most);
    fputs("</table></div>\n", out);
}

/* The knobs of switches, or of NICs and hosts, that change. */
static void put_knobs(FILE *out, const struct advice *a, bool is_switch)
{
    const struct knobs *was = &a->row[0].knobs, *is = &advised(a)->knobs;
    char                from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX], change[KNOB_TEXT_MAX];
    uint32_t            count = 0;

    for (int i = 0; i < KNOB_COUNT; i++)
        if (was->value[i] != is->value[i] && (knob_info[i].where == KNOB_SWITCH) == is_switch) {
            if (count++ == 0)
                fprintf(out, "<table><tr><th>%s</th><th class=\"number\">yours</th><th class=\"number\">advised</th>"
                        "<th class=\"number\">change</th><th>what it does</th></tr>\n", is_switch ? "Switches (ECN)" : "NICs (DCQCN)");
            fprintf(out, "<tr><td><code>%s</code></td><td class=\"number muted\">%s</td><td class=\"number\"><b>%s</b></td>"
                    "<td class=\"number\">%s</td><td class=\"about muted\">", knob_info[i].name,
                    knob_text(from, (enum knob)i, was->value[i]), knob_text(to, (enum knob)i, is->value[i]),
                    knob_change_text(change, was->value[i], is->value[i]));
            html_text(out, knob_info[i].about);
            fputs("</td></tr>\n", out);
        }
    if (count)
        fputs("</table>\n", out);
}

static void put_setting(FILE *out, const struct advice *a)
{
    begin_section(out, "setting", "The setting", "Only what changes.");
    fputs("<div class=\"card scroll\">\n", out);
    put_knobs(out, a, true);
    put_knobs(out, a, false);
    fputs("</div></section>\n", out);
}

static void put_recorded(FILE *out, const struct advice *a)
{
    char  *text = NULL;
    size_t length;
    FILE  *words = open_memstream(&text, &length);

    if (!words)
        die("out of memory");
    advise_print_recorded(a, words);
    fclose(words);
    if (length > 0) {
        fputs("<p class=\"recorded\">", out);
        html_text(out, text);
        fputs("</p>\n", out);
    }
    free(text);
}

static void put_limits(FILE *out, const struct advice *a)
{
    begin_section(out, "limits", "Assumptions and limits", "");
    fputs("<div class=\"card\"><ul>\n<li>This is a simulation. The setting has not run on a real NIC or switch: try it on one rack first.</li>\n"
          "<li>It holds for the network and traffic above; loads that are not in the tables were not tested.</li>\n"
          "<li>ECN must mark before PFC pauses: PFC thresholds must be above kmax.</li>\n", out);
    fprintf(out, "<li>%u trials of %.1f ms: presets, points spread over the space, %u generations of a search around the best, and a race of "
            "%u blocks. The figures above come from %d other seeds. Score: ", a->rehearsal.trials,
            (double)a->twin.until_ps / (double)PS_PER_MS, a->rehearsal.generations, a->rehearsal.race.blocks, ADVISE_SEEDS);
    html_text(out, a->request->goal->about);
    fputs(".</li>\n<li>Slowdown: time of a message over its time in an empty network. Intervals: 95 %, over seeds.</li>\n</ul></div></section>\n", out);
}

/* ---- all of it ---- */

static void put_head(FILE *out, const struct advice *a)
{
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Advice: ", out);
    html_text(out, a->name);
    fputs("</title>\n", out);
    form_print_style(out);
    fputs("</head><body>\n<div id=\"page\" class=\"report\"><header class=\"top\"><p class=\"product\"><strong>Anole</strong> &middot; advice &middot; ", out);
    html_text(out, a->name);
    fputs("</p><nav><a href=\"#answer\">Answer</a>", out);
    if (!advise_keeps_yours(a))
        fputs("<a href=\"#setting\">Setting</a>", out);
    fputs("<a href=\"#evidence\">Evidence</a><a href=\"#limits\">Limits</a></nav></header>\n<main id=\"main\">\n", out);
}

void advise_page(const struct advice *a, const struct card *answer, FILE *out)
{
    char words[40];

    put_head(out, a);
    card_html(answer, out);
    put_recorded(out, a);
    if (!advise_keeps_yours(a))
        put_setting(out, a);
    begin_section(out, "evidence", "Evidence", "At the expected load. Seeds that the search did not use.");
    put_load(out, a, 0);
    fputs("</section>\n", out);
    for (uint32_t i = 1; i < ADVISE_LOADS && a->has_load; i++) {
        fprintf(out, "<section id=\"load-%u\"><h2>At %s%s</h2>\n", i, a->has_range ? "a " : "", advise_load_text(a, i, words, sizeof(words)));
        put_load(out, a, i);
        fputs("</section>\n", out);
    }
    put_limits(out, a);
    fprintf(out, "</main><footer>Made by Anole %s, seed %llu, budget %llu million packet-hops</footer></div>\n</body></html>\n", ANOLE_VERSION,
            (unsigned long long)a->request->seed, (unsigned long long)a->request->budget / 1000000);
}
