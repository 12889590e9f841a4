/* src/cmd/cluster/cmd_collective_page.c - the results of anole collective as a page, complete without
 * scripts.
 *
 * The answer card, charts and a table by size, the NICs that hold it back, what presets change, limits.
 */
#include "base/print/form.h"
#include "base/print/html.h"
#include "base/text.h"
#include "cmd/cluster/cmd_collective.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN       6  /* rows of a table in view */
#define RAILS_MAX   16 /* of a picture of all NICs */
#define SERVERS_MAX 32
#define SHADES      6

const char *collective_kind_text(const struct row *row)
{
    static const char *const names[COLLECTIVE_KINDS] = {
        [COLLECTIVE_ALL_TO_ALL] = "all-to-all",      [COLLECTIVE_RING_ALL_REDUCE] = "all-reduce",
        [COLLECTIVE_TREE_ALL_REDUCE] = "all-reduce", [COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE] = "all-reduce",
        [COLLECTIVE_ALL_GATHER] = "all-gather",      [COLLECTIVE_REDUCE_SCATTER] = "reduce-scatter",
        [COLLECTIVE_SEND_NEXT] = "send to the next", [COLLECTIVE_SEND_PREVIOUS] = "send to the previous",
    };

    return names[row->kind];
}

static const char *size_words(char buf[32], double bytes)
{
    static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
    unsigned i = 0;

    for (; bytes >= 1000 && i < 4; i++)
        bytes /= 1000;
    snprintf(buf, 32, "%.3g %s", bytes, units[i]);
    return buf;
}

static const char *time_words(char buf[32], double us)
{
    snprintf(buf, 32,
             us < 1000  ? "%.3g µs"
             : us < 1e6 ? "%.3g ms"
                        : "%.3g s",
             us < 1000  ? us
             : us < 1e6 ? us / 1e3
                        : us / 1e6);
    return buf;
}

static double bus_of(const struct row *r, double us)
{
    return us > 0 ? r->busbw * r->alone.us / us : 0;
}

/* ---- charts by size ---- */

struct axis {
    double low, high;
    bool is_log;
};

static double place(struct axis a, double value)
{
    double at = a.is_log ? log(value / a.low) / log(a.high / a.low) : (value - a.low) / (a.high - a.low);

    return 100 * fmax(0, fmin(1, at));
}

struct plot {
    FILE *out;
    const struct found *found;
    struct axis x, y;
    double (*value)(const struct row *, double us);
};

static double us_of(const struct row *r, double us)
{
    (void)r;
    return us;
}

/* Points of a curve: 0 alone, 1 next to other traffic, 2 and 3 its fastest and slowest seed. */
static double point_of(const struct plot *p, const struct row *r, int curve)
{
    return p->value(r, curve == 0   ? r->alone.us
                       : curve == 1 ? r->beside.us
                       : curve == 2 ? r->beside.low_us
                                    : r->beside.high_us);
}

static void put_points(const struct plot *p, int curve, bool is_backward)
{
    for (uint32_t i = 0; i < p->found->rows; i++) {
        const struct row *r = &p->found->row[is_backward ? p->found->rows - 1 - i : i];

        fprintf(p->out, "%.2f,%.2f ", place(p->x, (double)r->bytes),
                100 - place(p->y, point_of(p, r, curve)));
    }
}

/* The line, a dot for each size, and its name above or below the last one. */
static void put_curve(const struct plot *p, int curve, const char *name, bool is_above)
{
    const struct row *last = &p->found->row[p->found->rows - 1];

    fprintf(
        p->out,
        "<svg class=\"hue-%d\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
        curve);
    if (curve == 1) {
        fputs("<polygon class=\"band\" points=\"", p->out);
        put_points(p, 2, false);
        put_points(p, 3, true);
        fputs("\"/>", p->out);
    }
    fprintf(p->out, "<polyline class=\"line%s\" points=\"", curve == 1 ? " dashed" : "");
    put_points(p, curve, false);
    fputs("\"/></svg>\n", p->out);
    for (uint32_t i = 0; i < p->found->rows; i++) {
        const struct row *r = &p->found->row[i];

        fprintf(p->out, "<i class=\"hue-%d\" style=\"left:%.2f%%;bottom:%.2f%%\"></i>", curve,
                place(p->x, (double)r->bytes), place(p->y, point_of(p, r, curve)));
    }
    fprintf(p->out, "<span class=\"name hue-%d%s\" style=\"bottom:%.2f%%\">%s</span>\n", curve,
            is_above ? " above" : "", place(p->y, point_of(p, last, curve)), name);
}

static void put_tick(const struct plot *p, double value, const char *text)
{
    double at = place(p->y, value);

    fprintf(p->out,
            "<span class=\"grid\" style=\"bottom:%.2f%%\"></span><span class=\"yt\" style=\"bottom:%.2f%%\">",
            at, at);
    html_text(p->out, text);
    fputs("</span>", p->out);
}

/* Two to four sizes are named. */
static void put_sizes(const struct plot *p)
{
    uint32_t rows = p->found->rows, step = rows > 4 ? (rows + 2) / 3 : 1;
    char text[32];

    for (uint32_t i = 0; i < rows; i += step) {
        const struct row *r = &p->found->row[i + step < rows || i == rows - 1 ? i : rows - 1];

        fprintf(p->out, "<span class=\"xt\" style=\"left:%.2f%%\">", place(p->x, (double)r->bytes));
        html_text(p->out, size_words(text, (double)r->bytes));
        fputs("</span>", p->out);
    }
}

static void begin_figure(const struct plot *p, const char *title, const char *unit, const char *label)
{
    fprintf(
        p->out,
        "<figure class=\"card by-size\"><figcaption><h3>%s</h3> <span class=\"muted\">%s</span></figcaption>"
        "<div class=\"area\" role=\"img\" aria-label=\"",
        title, unit);
    html_text(p->out, label);
    fputs("\">\n", p->out);
}

static void put_curves(const struct plot *p, bool is_beside, bool is_alone_above)
{
    put_sizes(p);
    put_curve(p, 0, "alone", is_alone_above);
    if (is_beside)
        put_curve(p, 1, "next to other traffic", !is_alone_above);
    fputs("</div></figure>\n", p->out);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double value)
{
    double ten = pow(10, floor(log10(value)));

    return ten * (value / ten < 2 ? 1 : value / ten < 5 ? 2 : 5);
}

static void put_bandwidth(struct plot p, bool is_beside)
{
    const struct row *last = &p.found->row[p.found->rows - 1];
    double most = last->ideal, step;
    char text[32], label[160];

    for (uint32_t i = 0; i < p.found->rows; i++)
        most = fmax(most, fmax(p.found->row[i].busbw, p.found->row[i].ideal));
    p.y = (struct axis){ 0, 1.1 * most, false };
    p.value = bus_of;
    step = round_step(most / 2);
    snprintf(label, sizeof(label), "Bus bandwidth by size; the largest reaches %.3g GB/s of %.3g",
             last->busbw, last->ideal);
    begin_figure(&p, "Bus bandwidth", "GB/s, as nccl-tests define it", label);
    for (uint32_t tick = 0; tick * step <= p.y.high; tick++) {
        snprintf(text, sizeof(text), "%.4g", tick * step);
        put_tick(&p, tick * step, text);
    }
    fprintf(p.out,
            "<span class=\"bound\" style=\"bottom:%.2f%%\"><span>what the links allow: %.3g</span></span>\n",
            place(p.y, last->ideal), last->ideal);
    put_curves(&p, is_beside, false);
}

static void put_times(struct plot p, bool is_beside)
{
    double low = INFINITY, high = 0;
    char text[32];

    for (uint32_t i = 0; i < p.found->rows; i++) {
        const struct row *r = &p.found->row[i];

        low = fmin(low, r->alone.us);
        high = fmax(high, fmax(r->alone.us, is_beside ? r->beside.high_us : 0));
    }
    p.y = (struct axis){ low / 1.3, high * 1.3, true };
    p.value = us_of;
    begin_figure(&p, "Time of one collective", "logarithmic", "Time of one collective by size");
    for (int digits = (int)ceil(log10(p.y.low)); pow(10, digits) <= p.y.high; digits++)
        put_tick(&p, pow(10, digits), time_words(text, pow(10, digits)));
    put_curves(&p, is_beside, !is_beside);
}

/* ---- the table by size ---- */

static void put_table(FILE *out, const struct collective_options *o, const struct found *f)
{
    char size[32], alone[32], beside[32], low[32], high[32];

    fputs("<table class=\"sizes stack\"><thead><tr><th>Size</th><th>Algorithm</th><th>Protocol</th><th "
          "class=\"number\">Alone</th><th class=\"number\">GB/s</th>"
          "<th class=\"number\">Of ideal</th>",
          out);
    if (o->beside)
        fputs("<th class=\"number\">Next to other traffic</th><th class=\"number\">Seeds</th><th "
              "class=\"number\">GB/s</th><th class=\"number\">Longer</th>",
              out);
    fputs("</tr></thead><tbody>\n", out);
    for (uint32_t i = 0; i < f->rows; i++) {
        const struct row *r = &f->row[i];

        fprintf(out,
                "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td class=\"number\" data-head=\"Alone\">%s</td>"
                "<td class=\"number\" data-head=\"GB/s\">%.3g</td>"
                "<td class=\"number\" data-head=\"Of ideal\"><b>%.0f&nbsp;%%</b></td>",
                size_words(size, (double)r->bytes), collective_names[r->kind],
                nccl_protocol_names[r->protocol], time_words(alone, r->alone.us), r->busbw,
                100 * r->busbw / r->ideal);
        if (o->beside)
            fprintf(out,
                    "<td class=\"number\" data-head=\"Next to other\">%s</td>"
                    "<td class=\"number muted\" data-head=\"Seeds\">%s to %s</td>"
                    "<td class=\"number\" data-head=\"GB/s\">%.3g</td>"
                    "<td class=\"number\" data-head=\"Longer\"><b>%.2g&nbsp;&times;</b></td>",
                    time_words(beside, r->beside.us), time_words(low, r->beside.low_us),
                    time_words(high, r->beside.high_us), bus_of(r, r->beside.us), r->beside.us / r->alone.us);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void put_by_size(FILE *out, const struct collective_options *o, const struct found *f)
{
    struct plot p = { .out = out,
                      .found = f,
                      .x = { (double)f->row[0].bytes, (double)f->row[f->rows - 1].bytes, true } };
    char hint[160] = "";

    if (o->beside)
        snprintf(hint, sizeof(hint), "Next to %.3g %% %s traffic: mean of %u seeds; the band spans them.",
                 100 * o->beside_load, o->beside, o->seeds);
    html_section(out, "sizes", "By size", hint);
    if (f->rows > 1) {
        fputs("<div class=\"halves top\">\n", out);
        put_bandwidth(p, o->beside);
        put_times(p, o->beside);
        fputs("</div>\n", out);
    }
    fprintf(out,
            "<details class=\"more\"%s><summary>The numbers</summary><div class=\"card scroll\" "
            "tabindex=\"0\" role=\"region\" aria-label=\"Results by size\">\n",
            f->rows <= SHOWN ? " open" : "");
    put_table(out, o, f);
    fputs("</div></details></section>\n", out);
}

/* ---- who holds it back ---- */

static int compare_lost(const void *a, const void *b)
{
    const struct nic_seen *x = a, *y = b;

    return (x->lost_ps < y->lost_ps) - (x->lost_ps > y->lost_ps);
}

static double lost_of_all(const struct found *f)
{
    double sum = 0;

    for (uint32_t i = 0; i < f->nics; i++)
        sum += f->nic[i].lost_ps;
    return sum;
}

static void put_worst(FILE *out, const struct collective_options *o, const struct found *f, double all)
{
    struct nic_seen *worst = xcalloc(f->nics, sizeof(*worst));
    char queue[32], other[32];

    memcpy(worst, f->nic, f->nics * sizeof(*worst));
    qsort(worst, f->nics, sizeof(*worst), compare_lost);
    fputs("<table class=\"worst\"><thead><tr><th>Receiving NIC</th><th class=\"share\" colspan=\"2\">Share "
          "of all time lost</th>",
          out);
    fprintf(out, "%s<th class=\"number\">Longest queue</th></tr></thead><tbody>\n",
            o->beside ? "<th class=\"number\">Other traffic</th>" : "");
    for (uint32_t i = 0; i < f->nics && i < SHOWN && worst[i].lost_ps > 0; i++) {
        const struct nic_seen *n = &worst[i];

        fputs("<tr><th scope=\"row\"><b>", out);
        html_text(out, n->name);
        fprintf(out, "</b> <span class=\"muted\">server %u, NIC %u; from ", n->server, n->rail);
        html_text(out, n->from);
        fprintf(out,
                "</span></th><td class=\"share\"><span class=\"even\" style=\"left:%.1f%%\"></span><span "
                "class=\"bar%s\" style=\"width:%.1f%%\"></span></td>",
                100 * all / f->nics / worst[0].lost_ps, n->lost_ps > 2 * all / f->nics ? " most" : "",
                100 * n->lost_ps / worst[0].lost_ps);
        fprintf(out, "<td class=\"number\"><b>%.0f&nbsp;%%</b></td>", 100 * n->lost_ps / all);
        if (o->beside)
            fprintf(out, "<td class=\"number\">%s</td>", size_words(other, (double)n->other_bytes));
        fprintf(out, "<td class=\"number\">%s</td></tr>\n", size_words(queue, (double)n->queue_bytes_max));
    }
    fputs("</tbody></table>\n", out);
    free(worst);
}

/* All NICs, a row for each server. */
static void put_where(FILE *out, const struct found *f, double all)
{
    double most = 0;

    for (uint32_t i = 0; i < f->nics; i++)
        most = fmax(most, f->nic[i].lost_ps);
    fputs("<table class=\"where\"><thead><tr><td></td>", out);
    for (uint32_t i = 0; i < f->network.each; i++)
        fprintf(out, "<th class=\"number\">NIC %u</th>", i);
    fputs("</tr></thead><tbody>\n", out);
    for (uint32_t i = 0; i < f->nics; i++) {
        const struct nic_seen *n = &f->nic[i];
        unsigned shade = most > 0 ? (unsigned)fmin(SHADES - 1, SHADES * n->lost_ps / most) : 0;

        if (n->rail == 0)
            fprintf(out, "%s<tr><th scope=\"row\">server %u</th>", i ? "</tr>\n" : "", n->server);
        fprintf(out, "<td class=\"shade-%u\">%.0f</td>", shade, 100 * n->lost_ps / all);
    }
    fputs("</tr>\n</tbody></table>\n", out);
}

static void put_who(FILE *out, const struct collective_options *o, const struct found *f)
{
    const struct cluster_network *n = &f->network;
    double all = lost_of_all(f);
    bool has_where =
        n->cluster.servers > 1 && n->cluster.servers <= SERVERS_MAX && n->each > 1 && n->each <= RAILS_MAX;
    char hint[200], size[32];

    snprintf(hint, sizeof(hint),
             "%s between servers, seed %llu%s. Time lost: above that in the idle network.",
             size_words(size, (double)f->row[f->rows - 1].bytes), (unsigned long long)o->seed,
             o->beside ? ", next to other traffic" : "");
    html_section(out, "who", "Who holds it back", hint);
    if (!(all > 0)) {
        fputs("<div class=\"card\"><p class=\"nothing\">No message between servers took longer than in the "
              "idle network.</p></div></section>\n",
              out);
        return;
    }
    fprintf(out, "<div class=\"%s\"><div class=\"card\">\n", has_where ? "who" : "");
    put_worst(out, o, f, all);
    fputs("<p class=\"hint\">The thin line is an even share.</p></div>\n", out);
    if (has_where) {
        fputs("<div class=\"card\"><h3>Where</h3><p class=\"hint\">Share of the time lost in %, by receiving "
              "NIC</p>\n",
              out);
        put_where(out, f, all);
        fputs("</div>\n", out);
    }
    fputs("</div></section>\n", out);
}

/* ---- what helps ---- */

static int compare_presets(const void *a, const void *b)
{
    const struct preset_seen *x = a, *y = b;

    return (x->time.us > y->time.us) - (x->time.us < y->time.us);
}

static void put_presets(FILE *out, const struct found *f, const struct preset_seen *p, uint32_t count,
                        struct axis x)
{
    double alone = f->row[f->rows - 1].alone.us;
    char mean[32], low[32], high[32];

    fputs("<table class=\"helps\"><thead><tr><th>Setting</th><th class=\"span\">alone, and with each "
          "setting</th><th class=\"number\">Mean</th>"
          "<th class=\"number\">Times alone</th><th class=\"number\">Seeds</th><th class=\"number\">Slowdown "
          "of other traffic</th></tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i < count; i++, p++) {
        fprintf(out, "<tr%s><th scope=\"row\"><b>",
                strcmp(p->name, "current") == 0 ? " class=\"advised\"" : "");
        html_text(out, p->name);
        fputs("</b><span class=\"muted\">", out);
        html_text(out, p->about);
        fprintf(out,
                "</span></th><td class=\"span\"><svg width=\"100%%\" height=\"16\" "
                "aria-hidden=\"true\"><line class=\"gl\" x1=\"0\" x2=\"100%%\" y1=\"8\" y2=\"8\"/>"
                "<line class=\"zl\" x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"0\" y2=\"16\"/><line class=\"bar\" "
                "x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"8\" y2=\"8\"/>"
                "<circle class=\"dot\" cx=\"%.1f%%\" cy=\"8\" r=\"4\"/></svg></td>",
                place(x, alone), place(x, alone), place(x, p->time.low_us), place(x, p->time.high_us),
                place(x, p->time.us));
        fprintf(out,
                "<td class=\"number\" data-label=\"mean\"><b>%s</b></td><td class=\"number\" "
                "data-label=\"times alone\">%.2g&nbsp;&times;</td>"
                "<td class=\"number muted\" data-label=\"seeds\">%s to %s</td><td class=\"number\" "
                "data-label=\"other traffic\">%.3g&nbsp;&times;</td></tr>\n",
                time_words(mean, p->time.us), p->time.us / alone, time_words(low, p->time.low_us),
                time_words(high, p->time.high_us), p->time.slowdown);
    }
    fputs("</tbody></table>\n", out);
}

static void put_helps(FILE *out, const struct found *f)
{
    struct preset_seen list[PRESETS_MAX];
    uint32_t shown = f->presets < SHOWN ? f->presets : SHOWN, own = 0;
    struct axis x = { f->row[f->rows - 1].alone.us * 0.9, 0, true };
    char hint[200], size[32];

    memcpy(list, f->preset, f->presets * sizeof(*list));
    qsort(list, f->presets, sizeof(*list), compare_presets);
    for (uint32_t i = 0; i < f->presets; i++) {
        x.high = fmax(x.high, list[i].time.high_us * 1.05);
        own = strcmp(list[i].name, "current") == 0 ? i : own;
    }
    if (own >= shown) { /* the current setting is always in view */
        struct preset_seen is = list[own];

        memmove(&list[shown], &list[shown - 1], (own - shown + 1) * sizeof(*list));
        list[shown - 1] = is;
    }
    snprintf(
        hint, sizeof(hint),
        "Time of %s next to other traffic, fastest first: \u25cf mean, the bar spans the seeds, | alone.",
        size_words(size, (double)f->row[f->rows - 1].bytes));
    html_section(out, "helps", "What helps", hint);
    fputs("<div class=\"card\">\n", out);
    put_presets(out, f, list, shown, x);
    if (f->presets > shown) {
        fprintf(out, "<details class=\"more\"><summary>%u more presets</summary>\n", f->presets - shown);
        put_presets(out, f, list + shown, f->presets - shown, x);
        fputs("</details>\n", out);
    }
    fputs("<p class=\"hint\">Not tried: a traffic class of its own for other traffic, other congestion "
          "controls, a search (anole advise).</p></div></section>\n",
          out);
}

/* ---- limits, all of it ---- */

static void put_limits(FILE *out, const struct collective_options *o, const struct found *f,
                       const char *scenario)
{
    char size[32];

    html_section(out, "limits", "Scenario and limits", "");
    fputs("<div class=\"halves top\"><div class=\"card\"><ul>\n<li>This is a simulation of the network. GPU "
          "kernels and memory copies are not modeled: small sizes "
          "take longer on real GPUs.</li>\n"
          "<li>Of ideal: bus bandwidth over that of full links, headers included.</li>\n"
          "<li>Channels, algorithm and protocol are those of NCCL's model for this network, unless options "
          "say otherwise. NVLS, CollNet and PAT "
          "are not simulated.</li>\n",
          out);
    if (o->beside)
        fputs("<li>Other traffic goes between all NICs, at random times, in the same traffic class.</li>\n",
              out);
    fprintf(out,
            "</ul></div><div class=\"card\"><details class=\"more\"><summary>The scenario of %s</summary>\n",
            size_words(size, (double)f->row[f->rows - 1].bytes));
    html_script(out, "scenario", "collective.yaml", scenario);
    fputs("</details></div></div></section>\n", out);
}

void collective_page(const struct collective_options *o, const struct found *f, const struct card *answer,
                     const char *scenario, FILE *out)
{
    static const char *const without[] = { "--format", NULL };
    struct html_link links[] = { { "answer", "Answer" },
                                 { "sizes", "By size" },
                                 { "who", "Who holds it back" },
                                 { f->presets ? "helps" : "limits", f->presets ? "What helps" : "Limits" },
                                 { f->presets ? "limits" : NULL, "Limits" },
                                 { NULL, NULL } };
    struct card again = { 0 };
    char *html, name[160];
    FILE *page = text_stream(&html);

    snprintf(name, sizeof(name), "%s on %s", collective_kind_text(&f->row[f->rows - 1]), o->topology);
    html_begin(page, "collective", name, links);
    card_html(answer, page);
    put_by_size(page, o, f);
    put_who(page, o, f);
    if (f->presets)
        put_helps(page, f);
    put_limits(page, o, f, scenario);
    fputs("</main><footer><dl>", page);
    snprintf(name, sizeof(name), "Anole " ANOLE_VERSION ", packet-level simulation, seed %llu%s",
             (unsigned long long)o->seed, o->beside ? " and the next ones" : "");
    html_footer(page, "Made by", name);
    card_add_command(&again, o->argc, o->argv, without);
    html_footer(page, "Repeat it", card_text(&again, CARD_COMMAND));
    html_end(page);
    fclose(page);
    snprintf(name, sizeof(name), "%s on %s - Anole", collective_kind_text(&f->row[f->rows - 1]), o->topology);
    form_print_still(name, html, out);
    card_fini(&again);
    free(html);
}
