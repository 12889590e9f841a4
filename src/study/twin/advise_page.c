/* src/study/twin/advise_page.c - an advice as a page for a browser, complete without scripts.
 *
 * The answer card, the knobs that change with scripts that set them and put them back, other loads, the
 * settings that were tested, assumptions and limits.
 */
#include "base/print/form.h"
#include "base/print/html.h"
#include "base/text.h"
#include "core/knob_text.h"
#include "core/units.h"
#include "study/report/setting_print.h"
#include "study/twin/advise.h"
#include "version.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_SETTINGS 6  /* rows of the evidence in view; the others are folded */
#define LARGE_CHANGE   10 /* a knob that changes by this factor is marked */

static const char *const part_names[GOAL_PARTS] = { "all messages", "under 120&nbsp;KB",
                                                    "120&nbsp;KB to 1&nbsp;MB", "1&nbsp;MB and more" };

/* "-21 % to -16 %" */
static void put_interval(FILE *out, struct race_gain g)
{
    if (isnan(g.low)) {
        fputs("no interval", out);
        return;
    }
    html_percent(out, advise_percent(g.low));
    fputs(" to ", out);
    html_percent(out, advise_percent(g.high));
}

/* ---- the setting ---- */

static const char *knob_words(char buf[KNOB_TEXT_MAX], enum knob knob, double value)
{
    enum knob_unit unit = knob_info[knob].unit;

    if (unit == KNOB_MBPS && value >= 1000)
        snprintf(buf, KNOB_TEXT_MAX, "%.3g Gb/s", value / 1000);
    else if (unit == KNOB_MBPS || unit == KNOB_US || unit == KNOB_KB)
        snprintf(buf, KNOB_TEXT_MAX, "%.4g %s", value,
                 unit == KNOB_MBPS ? "Mb/s" : unit == KNOB_US ? "µs" : "KB");
    else if (unit == KNOB_RATIO || unit == KNOB_PERCENT)
        snprintf(buf, KNOB_TEXT_MAX, "%.3g %%", unit == KNOB_RATIO ? 100 * value : value);
    else
        return knob_text(buf, knob, value);
    return buf;
}

/* By which factor a knob grows or shrinks; 0: it was or becomes 0. */
static double factor_of(double was, double is)
{
    return was > 0 && is > 0 ? fmax(is / was, was / is) : 0;
}

static void put_knob(FILE *out, enum knob knob, double was, double is)
{
    char from[KNOB_TEXT_MAX], to[KNOB_TEXT_MAX];
    double factor = factor_of(was, is);

    fprintf(out, "<tr><td><code>%s</code></td><td class=\"number old\">%s</td>"
            "<td class=\"number new\">%s</td><td class=\"number %s\">", knob_info[knob].name,
            knob_words(from, knob, was), knob_words(to, knob, is), factor >= LARGE_CHANGE ? "warn" : "muted");
    if (factor > 0)
        fprintf(out, "%s&nbsp;%.*f", is > was ? "&times;" : "&divide;", factor < 10 ? 1 : 0, factor);
    fputs("</td><td class=\"about muted\">", out);
    html_text(out, knob_info[knob].about);
    fputs("</td></tr>\n", out);
}

/* The knobs of switches, or of NICs and hosts, that change. Returns how many. */
static uint32_t put_knobs(FILE *out, const struct advice *a, bool is_switch)
{
    const struct knobs *was = &a->row[0].knobs, *is = &advised(a)->knobs;
    uint32_t count = 0;

    for (int i = 0; i < KNOB_COUNT; i++) {
        if (was->value[i] == is->value[i] || (knob_info[i].where == KNOB_SWITCH) != is_switch)
            continue;
        if (count++ == 0)
            fprintf(out, "<table class=\"diff\"><thead><tr><th>%s</th><th class=\"number\">yours</th>"
                    "<th class=\"number\">advised</th><th class=\"number\">change</th>"
                    "<th class=\"about\">what it does</th></tr></thead><tbody>\n",
                    is_switch ? "Switches (ECN)" : "NICs (DCQCN)");
        put_knob(out, (enum knob)i, was->value[i], is->value[i]);
    }
    if (count)
        fputs("</tbody></table>\n", out);
    return count;
}

/* ---- scripts ---- */

typedef void print_setting(const struct knobs *, const char *about, FILE *);

/* One tab: how to apply the script, how to undo it, and the script. */
static void put_script(FILE *out, const struct advice *a, const char *id, const char *file,
                       const char *targets, const char *old, print_setting *print, const char *about)
{
    char *text, line[200], name[40];
    FILE *script = text_stream(&text);

    print(&advised(a)->knobs, about, script);
    fclose(script);
    fprintf(out, "<div class=\"tab tab-%s\"><h4>Apply</h4>\n", id);
    snprintf(name, sizeof(name), "%s-apply", id);
    snprintf(line, sizeof(line), "sudo sh %s%s", file, targets);
    html_command(out, name, line);
    fputs("<h4>Undo</h4>\n", out);
    snprintf(name, sizeof(name), "%s-undo", id);
    snprintf(line, sizeof(line), "sudo sh %s --undo%s", file, old);
    html_command(out, name, line);
    fputs("<h4>The script</h4>\n", out);
    snprintf(name, sizeof(name), "%s-script", id);
    html_script(out, name, file, text);
    fputs("</div>\n", out);
    free(text);
}

static void put_tab(FILE *out, const char *id, const char *text, bool is_first)
{
    fprintf(out, "<input type=\"radio\" name=\"script\" class=\"unseen\" id=\"tab-%s\"%s>"
            "<label for=\"tab-%s\">%s</label>\n", id, is_first ? " checked" : "", id, text);
}

static void put_scripts(FILE *out, const struct advice *a, bool has_nics, bool has_switches,
                        const char *about)
{
    fputs("<div class=\"card scripts\"><h3>Scripts to apply and undo it</h3>\n", out);
    if (has_nics)
        put_tab(out, "nics", "NICs (mlx5)", true);
    if (has_switches)
        put_tab(out, "switches", "Switches (SONiC)", !has_nics);
    if (has_nics)
        put_script(out, a, "nics", "set-nics.sh", " INTERFACE...", " INTERFACE...", setting_print_mlx5,
                   about);
    if (has_switches)
        put_script(out, a, "switches", "set-switches.sh", "", " OLD_PROFILE", setting_print_sonic, about);
    fputs("<p class=\"hint\">Both need root and hold until the driver or the switch configuration is loaded "
          "again. The script for NICs saves the old values first and reads every value back.</p></div>\n",
          out);
}

static void put_changes(FILE *out, const struct advice *a)
{
    fputs("<div class=\"card\"><ul>\n", out);
    for (uint32_t i = 0; i < advised(a)->changes; i++) {
        fputs("<li><code>", out);
        html_text(out, advised(a)->change[i]->set);
        fputs("</code> needs ", out);
        html_text(out, advised(a)->change[i]->needs);
        fputs(".</li>\n", out);
    }
    fputs("</ul></div>\n", out);
}

static void put_setting(FILE *out, const struct advice *a, const char *about)
{
    bool     has_mlx5 = setting_differs_in_mlx5(&a->row[0].knobs, &advised(a)->knobs);
    uint32_t switches;

    html_section(out, "setting", "The setting", "Only what changes. Amber: by a factor of 10 or more.");
    if (advised(a)->changes) {
        put_changes(out, a);
        if (advised(a)->control) {
            fputs("</section>\n", out);
            return;
        }
    }
    fputs("<div class=\"setting\"><div class=\"card\">\n", out);
    switches = put_knobs(out, a, true);
    put_knobs(out, a, false);
    fputs("</div>\n", out);
    if (has_mlx5 || switches)
        put_scripts(out, a, has_mlx5, switches > 0, about);
    fputs("</div></section>\n", out);
}

/* ---- other loads ---- */

/* Mean slowdowns up to here fit on the scale of all loads: 2, 3, 5, 10, ... */
static double scale_of(const struct advice *a)
{
    static const double steps[] = { 1.5, 2, 3, 5, 10, 20, 50, 100, 1000 };
    double most = 1;
    uint32_t i = 0;

    for (uint32_t load = 0; load < ADVISE_TESTS; load++)
        for (int part = 0; part < GOAL_PARTS; part++)        /* NAN, if there were none, does not count */
            most = fmax(most, fmax(advise_slowdown(&a->row[0], load, (enum goal_part)part),
                                   advise_slowdown(advised(a), load, (enum goal_part)part)));
    while (i + 1 < sizeof(steps) / sizeof(*steps) && steps[i] < most)
        i++;
    return steps[i];
}

static double place_of(double mean, double scale)
{
    return 100 * fmin(1, (mean - 1) / (scale - 1));
}

static void put_part(FILE *out, const struct advice *a, uint32_t load, enum goal_part part, double scale)
{
    double was = advise_slowdown(&a->row[0], load, part), is = advise_slowdown(advised(a), load, part);

    if (isnan(was) || isnan(is))
        return;
    fprintf(out, "<tr><th scope=\"row\">%s</th><td class=\"span\"><svg width=\"100%%\" height=\"16\" "
            "aria-hidden=\"true\"><line class=\"gl\" x1=\"0\" x2=\"100%%\" y1=\"8\" y2=\"8\"/>"
            "<line class=\"bar\" x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"8\" y2=\"8\"/>"
            "<circle class=\"was\" cx=\"%.1f%%\" cy=\"8\" r=\"4\"/>"
            "<circle class=\"dot\" cx=\"%.1f%%\" cy=\"8\" r=\"4\"/></svg></td><td class=\"number\">"
            "<span class=\"muted\">%.2f &rarr;</span> <b>%.2f</b></td></tr>\n", part_names[part],
            place_of(was, scale), place_of(is, scale), place_of(was, scale), place_of(is, scale), was, is);
}

static void put_load(FILE *out, const struct advice *a, uint32_t load, double scale)
{
    struct race_gain g = advise_gain(a, advised(a), &a->row[0], load);
    bool             is_other = load > 0 && load != ADVISE_PROOF;
    char             words[48] = "The expected load";

    if (is_other)
        advise_load_text(a, load, words, sizeof(words));
    words[0] = (char)toupper((unsigned char)words[0]);
    fputs("<div class=\"card load\"><h3>", out);
    html_text(out, words);
    if (a->described.load > 0 && !(is_other && a->has_range))
        fprintf(out, " <span class=\"muted\">%.3g&nbsp;%%</span>", 100 * a->load[load] * a->described.load);
    fprintf(out, "</h3><p class=\"big %s\">", g.high < 0 ? "better" : g.low > 0 ? "worse" : "muted");
    html_percent(out, advise_percent(g.mean));
    fputs("<span> ", out);
    put_interval(out, g);
    fprintf(out, "%s</span></p><table>\n", g.low <= 0 && g.high >= 0 ? ", not clear" : "");
    for (int part = 0; part < GOAL_PARTS; part++)
        put_part(out, a, load, (enum goal_part)part, scale);
    fputs("</table></div>\n", out);
}

static void put_loads(FILE *out, const struct advice *a)
{
    double scale = scale_of(a);
    char hint[240];

    snprintf(hint, sizeof(hint), "Mean slowdown from 1 (empty network) to %g: \u25cb yours, \u25cf advised. "
             "Large figure: score; less is better.", scale);
    html_section(out, "loads",
                 a->has_range ? "At both ends of the range" : "If the load is not the expected one", hint);
    fputs("<div class=\"thirds\">\n", out);
    for (uint32_t load = 0; load < ADVISE_LOADS; load++) /* the smallest first */
        if (a->load[load] < 1 && advised(a)->seeds[load])
            put_load(out, a, load, scale);
    put_load(out, a, advise_test(a), scale);
    for (uint32_t load = 1; load < ADVISE_LOADS; load++)
        if (a->load[load] >= 1 && advised(a)->seeds[load])
            put_load(out, a, load, scale);
    fputs("</div></section>\n", out);
}

/* ---- evidence: better is always on the right ---- */

/* The largest change that a picture has to show, to either side, in logarithms. */
static double reach(const struct advice *a, uint32_t load)
{
    double most = 0.1;

    for (uint32_t i = 1; i < a->rows; i++)
        if (a->row[i].seeds[load])
            most = fmax(most, fmin(0.5, fabs(advise_gain(a, &a->row[i], &a->row[0], load).mean) * 1.2));
    return most;
}

/* Percent of the width; values beyond it end at the edge. */
static double place(double gain, double most)
{
    return 50 - 50 * fmax(-1, fmin(1, gain / most));
}

static void put_arrow(FILE *out, struct race_gain g, double most)
{
    if (g.high > most)
        fputs("<path class=\"arrow\" d=\"M5 6L-1 10L5 14\"/>", out);
    if (g.low < -most)
        fputs("<svg x=\"100%\" overflow=\"visible\"><path class=\"arrow\" d=\"M-5 6L1 10L-5 14\"/></svg>",
              out);
}

static void put_bar(FILE *out, struct race_gain g, double most)
{
    bool is_clear = g.high < 0 || g.low > 0;

    if (isnan(g.low))
        g.low = g.high = g.mean;
    fprintf(out, "<svg width=\"100%%\" height=\"20\" role=\"img\" aria-label=\"%+.0f %%, %+.0f to %+.0f\">",
            advise_percent(g.mean), advise_percent(g.low), advise_percent(g.high));
    fputs("<line class=\"zl\" x1=\"50%\" x2=\"50%\" y1=\"-20\" y2=\"40\"/>", out);
    fprintf(out, "<g class=\"hue-%d%s\"><line class=\"bar\" x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"10\" "
            "y2=\"10\"/>", g.high < 0 ? 0 : 6, is_clear ? "" : " faint", place(g.high, most),
            place(g.low, most));
    put_arrow(out, g, most);
    fprintf(out, "<circle class=\"dot\" cx=\"%.1f%%\" cy=\"10\" r=\"5\"/></g></svg>", place(g.mean, most));
}

static void put_slowdowns(FILE *out, const struct advise_row *row, uint32_t load)
{
    static const char *const labels[GOAL_PARTS] = { "all", "&lt; 120 KB", "to 1 MB", "from 1 MB" };

    for (int part = 0; part < GOAL_PARTS; part++) {
        double mean = advise_slowdown(row, load, (enum goal_part)part);

        fprintf(out, "<td class=\"number\" data-label=\"%s\">", labels[part]);
        fprintf(out, isnan(mean) ? "&ndash;</td>" : "%.2f</td>", mean);
    }
}

static void put_row(FILE *out, const struct advice *a, const struct advise_row *row, uint32_t load,
                    double most)
{
    struct race_gain g = advise_gain(a, row, &a->row[0], load);
    char name[64];

    fprintf(out, "<tr%s><th scope=\"row\">", row == advised(a) ? " class=\"advised\"" : "");
    html_text(out, advise_name(a, row, name, sizeof(name)));
    fputs("</th>", out);
    put_slowdowns(out, row, load);
    fputs("<td class=\"pl\">", out);
    if (row == &a->row[0]) {
        fputs("</td><td class=\"number\">&ndash;</td><td></td></tr>\n", out);
        return;
    }
    put_bar(out, g, most);
    fputs("</td><td class=\"number\" data-label=\"score\"><b>", out);
    html_percent(out, advise_percent(g.mean));
    fputs("</b></td><td class=\"number muted iv\">", out);
    put_interval(out, g);
    fputs("</td></tr>\n", out);
}

static void put_rows(FILE *out, const struct advice *a, uint32_t load, const uint32_t *which, uint32_t count)
{
    double most = reach(a, load);

    fputs("<table class=\"evidence-table\"><thead><tr><th>Mean slowdown, by message size</th>"
          "<th class=\"number\">all</th><th class=\"number\">&lt; 120&nbsp;KB</th>"
          "<th class=\"number\">to 1&nbsp;MB</th><th class=\"number\">from 1&nbsp;MB</th><th class=\"pl\">"
          "<span class=\"ends\"><span>&#9666; worse</span><span>yours</span><span>better &#9656;</span>"
          "</span></th><th class=\"number\">Score (less is better)</th>"
          "<th class=\"number iv\">95&nbsp;% interval</th></tr>"
          "</thead><tbody>\n", out);
    for (uint32_t i = 0; i < count; i++)
        put_row(out, a, &a->row[which[i]], load, most);
    fputs("</tbody></table>\n", out);
}

/* The advised row first, then yours, then the others from the best score to the worst. Returns how many. */
static uint32_t rank(const struct advice *a, uint32_t load, uint32_t which[ADVISE_SETTINGS])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < a->rows; i++) {
        uint32_t at = count;

        if (!a->row[i].seeds[load])
            continue;
        if (i == a->choice || i == 0)
            at = i == a->choice ? 0 : count < 1 ? count : 1;
        else
            while (at > 0 && which[at - 1] != 0 && which[at - 1] != a->choice &&
                   advise_gain(a, &a->row[i], &a->row[which[at - 1]], load).mean < 0)
                at--;
        memmove(&which[at + 1], &which[at], (count - at) * sizeof(*which));
        which[at] = i;
        count++;
    }
    return count;
}

static void put_evidence(FILE *out, const struct advice *a)
{
    uint32_t which[ADVISE_SETTINGS + 1], count = rank(a, 0, which);
    uint32_t shown = count < SHOWN_SETTINGS ? count : SHOWN_SETTINGS;
    char hint[120], words[48];

    snprintf(hint, sizeof(hint), "At the expected load, against yours: %d seeds that the search did not use, "
             "to choose what is confirmed.", ADVISE_SEEDS);
    html_section(out, "evidence", "Evidence", hint);
    fputs("<div class=\"card\">\n", out);
    put_rows(out, a, 0, which, shown);
    if (count > shown) {
        fprintf(out, "<details class=\"more\"><summary>%u more setting%s</summary>\n", count - shown,
                count - shown == 1 ? "" : "s");
        put_rows(out, a, 0, which + shown, count - shown);
        fputs("</details>\n", out);
    }
    for (uint32_t load = 1; load < ADVISE_TESTS; load++) {
        if (!a->row[0].seeds[load])
            continue;
        if (load == ADVISE_PROOF)
            fprintf(out, "<details class=\"more\"><summary>Confirmed on %u other seeds</summary>\n",
                    a->row[0].seeds[load]);
        else
            fprintf(out, "<details class=\"more\"><summary>Settings at %s%s</summary>\n",
                    a->has_range ? "a " : "", advise_load_text(a, load, words, sizeof(words)));
        put_rows(out, a, load, which, rank(a, load, which));
        fputs("</details>\n", out);
    }
    fputs("</div></section>\n", out);
}

/* ---- assumptions and limits ---- */

static void put_assumed(FILE *out, const char *what, const char *value, bool is_assumed, const char *source,
                        const char *change)
{
    fputs("<tr>", out);
    html_element(out, "th", NULL, what);
    html_prose(out, "td", NULL, value);
    html_element(out, "td", is_assumed ? "from warn" : "from", is_assumed ? "assumed" : source);
    fputs("<td>", out);
    html_element(out, "code", NULL, change);
    fputs("</td></tr>\n", out);
}

static void put_described(FILE *out, const struct advice *a)
{
    const struct described *d = &a->described;
    const char *assumed = a->request->assumed, *record = a->request->record ? "record" : "you";
    char text[80];

    if (a->has_range)
        snprintf(text, sizeof(text), "%.3g to %.3g %% of host links", 100 * a->load[1] * d->load,
                 100 * a->load[2] * d->load);
    else
        snprintf(text, sizeof(text), "%.3g %% of host links", 100 * d->load);
    put_assumed(out, "Load", text, false,
                a->request->counters || a->request->record || a->request->messages ? "record" : "you",
                "--load");
    snprintf(text, sizeof(text), "%.4g µs", (double)d->rtt_ps / (double)PS_PER_US);
    put_assumed(out, "Round trip, idle", text, strstr(assumed, "--rtt"), "you", "--rtt");
    snprintf(text, sizeof(text), "%.4g Gb/s", (double)d->rate_bps / 1e9);
    put_assumed(out, "Link speed", text, strstr(assumed, "--rate"), record, "--rate");
    put_assumed(out, "Message sizes", a->request->messages ? "as recorded" : d->sizes,
                strstr(assumed, "--sizes"), a->request->messages ? "record" : "you",
                a->request->messages ? "--messages FILE" : "--sizes, --messages FILE");
    snprintf(text, sizeof(text), "%.3g : 1", d->oversubscription);
    put_assumed(out, "Oversubscription", text, strstr(assumed, "--oversubscription"), "you",
                "--oversubscription");
    put_assumed(out, "Network", "4 racks of 8 hosts", true, "", "a scenario file");
}

static void put_assumptions(FILE *out, const struct advice *a)
{
    const struct host_record *h = a->request->record;
    bool is_read = h && h->device[0].has_settings;
    bool is_default = !a->request->goal && !a->has_goal;

    html_section(out, "assumed", "What was assumed", "");
    fputs("<div class=\"card\"><table class=\"assumed\"><thead><tr><th>What</th><th>Value</th><th>From</th>"
          "<th>To change it</th></tr></thead><tbody>\n", out);
    if (a->request->path) {
        put_assumed(out, "Network", card_text(&a->about, CARD_NETWORK), false, "scenario", "--set KEY=VALUE");
        put_assumed(out, "Traffic", card_text(&a->about, CARD_TRAFFIC), false, "scenario", "--set KEY=VALUE");
    } else {
        put_described(out, a);
    }
    put_assumed(out, "Your setting",
                is_read ? h->device[0].name : advise_has_default(a) ? "NVIDIA's default" : "as given",
                !is_read && advise_has_default(a),
                is_read ? "record" : a->request->path ? "scenario" : "you", "--set KEY=VALUE");
    put_assumed(out, "Goal", a->goal.name, is_default, a->has_goal ? "scenario" : "you", "--goal");
    fputs("</tbody></table></div></section>\n", out);
}

static void put_setting_limits(FILE *out, const struct advice *a)
{
    const struct knobs *was = &a->row[0].knobs, *is = &advised(a)->knobs;
    unsigned large = 0;

    for (int i = 0; i < KNOB_COUNT; i++)
        large += factor_of(was->value[i], is->value[i]) >= LARGE_CHANGE;
    if (large)
        fprintf(out, "<li>%u knob%s change%s by a factor of %d or more. Check that your firmware accepts the "
                "values; the script stops, and puts everything back, if it does not.</li>\n", large,
                large == 1 ? "" : "s", large == 1 ? "s" : "", LARGE_CHANGE);
    if (was->value[KNOB_dce_tcp_g] != is->value[KNOB_dce_tcp_g])
        fputs("<li>Vendor texts disagree on the direction of <code>dce_tcp_g</code>. Try it on one port "
              "first.</li>\n", out);
    fprintf(out, "<li>ECN must mark before PFC pauses: PFC thresholds must be above %.4g&nbsp;KB.</li>\n",
            is->value[KNOB_kmax]);
}

static void put_limits(FILE *out, const struct advice *a)
{
    html_section(out, "limits", "Limits", "");
    fputs("<div class=\"card\"><ul>\n<li>This is a simulation. The setting has not run on a real NIC or "
          "switch: try it on one rack first.</li>\n", out);
    if (!a->request->path)
        fputs("<li>It is not known who talks to whom, nor bursts and dependencies between messages: hosts "
              "send alike, at random times.</li>\n", out);
    if (a->has_load)
        fputs("<li>Loads outside those shown were not tested.</li>\n", out);
    if (!advise_keeps_yours(a))
        put_setting_limits(out, a);
    fputs("<li>Slowdown: time of a message over its time in an empty network. Intervals: 95&nbsp;%, over "
          "seeds. Score: ", out);
    html_text(out, a->goal.about);
    fputs(".</li>\n</ul></div></section>\n", out);
}

/* ---- all of it ---- */

static void put_recorded(FILE *out, const struct advice *a)
{
    char *text;
    FILE *words = text_stream(&text);

    advise_print_recorded(a, words);
    fclose(words);
    html_element(out, "p", "recorded", text);
    free(text);
}

static void put_footer(FILE *out, const struct advice *a)
{
    static const char *const without[] = { "--format", "-f", "--as", "--jobs", "-j", NULL };
    struct card again = { 0 };
    char text[400];

    snprintf(text, sizeof(text), "Anole " ANOLE_VERSION ", seed %llu, budget %llu million packet-hops. %u "
             "trials of %.1f ms: presets, points spread over the space, %u generations of a search around "
             "the best, and a race of %u blocks; then %d other seeds.",
             (unsigned long long)a->request->seed, (unsigned long long)a->request->budget / 1000000,
             a->rehearsal.trials, (double)a->twin.input.until_ps / (double)PS_PER_MS,
             a->rehearsal.generations, a->rehearsal.race.blocks, ADVISE_SEEDS);
    fputs("</main><footer><dl>", out);
    html_footer(out, "Made by", text);
    if (a->request->argc > 0)
        card_add_command(&again, a->request->argc, a->request->argv, without);
    html_footer(out, "Repeat it", card_text(&again, CARD_COMMAND));
    html_end(out);
    card_fini(&again);
}

void advise_page(const struct advice *a, const struct card *answer, FILE *out)
{
    bool is_kept = advise_keeps_yours(a), has_loads = a->has_load && !is_kept;
    struct html_link links[7], *link = links;
    char *html, title[200];
    FILE *page = text_stream(&html);

    *link++ = (struct html_link){ "answer", "Answer" };
    if (!is_kept)
        *link++ = (struct html_link){ "setting", "Setting" };
    if (has_loads)
        *link++ = (struct html_link){ "loads", "Other loads" };
    if (!a->is_short)
        *link++ = (struct html_link){ "evidence", "Evidence" };
    *link++ = (struct html_link){ "assumed", "Assumptions and limits" };
    *link = (struct html_link){ NULL, NULL };
    html_begin(page, "advice", a->name, links);
    card_html(answer, page);
    put_recorded(page, a);
    if (!is_kept)
        put_setting(page, a, card_text(answer, CARD_FINDING));
    if (has_loads)
        put_loads(page, a);
    if (!a->is_short)
        put_evidence(page, a);
    fputs("<div class=\"halves\">\n", page);
    put_assumptions(page, a);
    put_limits(page, a);
    fputs("</div>\n", page);
    put_footer(page, a);
    fclose(page);
    snprintf(title, sizeof(title), "Advice: %s - Anole", a->name);
    form_print_still(title, html, out);
    free(html);
}
