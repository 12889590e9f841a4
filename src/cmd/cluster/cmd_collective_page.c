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
    if (us < 1000)
        snprintf(buf, 32, "%.3g µs", us);
    else
        snprintf(buf, 32, us < 1e6 ? "%.3g ms" : "%.3g s", us < 1e6 ? us / 1e3 : us / 1e6);
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
    FILE               *out;
    const struct found *found;
    struct axis         x, y;
    bool                is_beside, is_time;      /* is_time: not the bus bandwidth */
};

/* Points of a curve: 0 alone, 1 next to other traffic, 2 and 3 its fastest and slowest seed. */
static double point_of(const struct plot *p, const struct row *r, int curve)
{
    const double us[] = { r->alone.us, r->beside.us, r->beside.low_us, r->beside.high_us };

    return p->is_time ? us[curve] : bus_of(r, us[curve]);
}

static double x_of(const struct plot *p, const struct row *r)
{
    return place(p->x, (double)r->bytes);
}

static double y_of(const struct plot *p, const struct row *r, int curve)
{
    return place(p->y, point_of(p, r, curve));
}

static void put_points(const struct plot *p, int curve, bool is_backward)
{
    for (uint32_t i = 0; i < p->found->rows; i++) {
        const struct row *r = &p->found->row[is_backward ? p->found->rows - 1 - i : i];

        fprintf(p->out, "%.2f,%.2f ", x_of(p, r), 100 - y_of(p, r, curve));
    }
}

/* The line, a dot for each size, and its name above or below the last one. */
static void put_curve(const struct plot *p, int curve, const char *name, bool is_above)
{
    const struct row *row = p->found->row, *end = row + p->found->rows;

    fprintf(p->out, "<svg class=\"hue-%d\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\">", curve);
    if (curve == 1) {
        fputs("<polygon class=\"band\" points=\"", p->out);
        put_points(p, 2, false);
        put_points(p, 3, true);
        fputs("\"/>", p->out);
    }
    fprintf(p->out, "<polyline class=\"line%s\" points=\"", curve == 1 ? " dashed" : "");
    put_points(p, curve, false);
    fputs("\"/></svg>\n", p->out);
    for (const struct row *r = row; r < end; r++)
        fprintf(p->out, "<i class=\"hue-%d\" style=\"left:%.2f%%;bottom:%.2f%%\"></i>", curve, x_of(p, r),
                y_of(p, r, curve));
    fprintf(p->out, "<span class=\"name hue-%d%s\" style=\"bottom:%.2f%%\">%s</span>\n", curve,
            is_above ? " above" : "", y_of(p, end - 1, curve), name);
}

static void put_tick(const struct plot *p, double value, const char *text)
{
    double at = place(p->y, value);

    fprintf(p->out, "<span class=\"grid\" style=\"bottom:%.2f%%\"></span>"
            "<span class=\"yt\" style=\"bottom:%.2f%%\">%s</span>", at, at, text);
}

/* Two to four sizes are named. */
static void put_sizes(const struct plot *p)
{
    uint32_t rows = p->found->rows, step = rows > 4 ? (rows + 2) / 3 : 1;
    char     text[32];

    for (uint32_t i = 0; i < rows; i += step) {
        const struct row *r = &p->found->row[i + step < rows || i == rows - 1 ? i : rows - 1];

        fprintf(p->out, "<span class=\"xt\" style=\"left:%.2f%%\">%s</span>", x_of(p, r),
                size_words(text, (double)r->bytes));
    }
}

static void begin_figure(const struct plot *p, const char *title, const char *unit, const char *label)
{
    fprintf(p->out, "<figure class=\"card by-size\"><figcaption><h3>%s</h3> <span class=\"muted\">%s</span>"
            "</figcaption><div class=\"area\" role=\"img\" aria-label=\"%s\">\n", title, unit, label);
}

static void put_curves(const struct plot *p, bool is_alone_above)
{
    put_sizes(p);
    put_curve(p, 0, "alone", is_alone_above);
    if (p->is_beside)
        put_curve(p, 1, "next to other traffic", !is_alone_above);
    fputs("</div></figure>\n", p->out);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double value)
{
    double ten = pow(10, floor(log10(value)));

    return ten * (value / ten < 2 ? 1 : value / ten < 5 ? 2 : 5);
}

static void put_bandwidth(struct plot p)
{
    const struct row *last = &p.found->row[p.found->rows - 1];
    double            most = last->ideal;
    char              text[160];

    for (uint32_t i = 0; i < p.found->rows; i++)
        most = fmax(most, fmax(p.found->row[i].busbw, p.found->row[i].ideal));
    p.y = (struct axis){ 0, 1.1 * most, false };
    snprintf(text, sizeof(text), "Bus bandwidth by size; the largest reaches %.3g GB/s of %.3g",
             last->busbw, last->ideal);
    begin_figure(&p, "Bus bandwidth", "GB/s, as nccl-tests define it", text);
    double step = round_step(most / 2);
    for (uint32_t tick = 0; tick * step <= p.y.high; tick++) {
        snprintf(text, sizeof(text), "%.4g", tick * step);
        put_tick(&p, tick * step, text);
    }
    fprintf(p.out,
            "<span class=\"bound\" style=\"bottom:%.2f%%\"><span>what the links allow: %.3g</span></span>\n",
            place(p.y, last->ideal), last->ideal);
    put_curves(&p, false);
}

static void put_times(struct plot p)
{
    double low = INFINITY, high = 0;
    char   text[32];

    for (uint32_t i = 0; i < p.found->rows; i++) {
        const struct row *r = &p.found->row[i];

        low = fmin(low, r->alone.us);
        high = fmax(high, fmax(r->alone.us, r->beside.high_us));
    }
    p.y = (struct axis){ low / 1.3, high * 1.3, true };
    p.is_time = true;
    begin_figure(&p, "Time of one collective", "logarithmic", "Time of one collective by size");
    for (int digits = (int)ceil(log10(p.y.low)); pow(10, digits) <= p.y.high; digits++)
        put_tick(&p, pow(10, digits), time_words(text, pow(10, digits)));
    put_curves(&p, !p.is_beside);
}

/* ---- the table by size ---- */

#define NUMBER "<th class=\"number\">"

static void put_table(FILE *out, const struct collective_options *o, const struct found *f)
{
    char size[32], alone[32], beside[32], low[32], high[32];

    fprintf(out, "<table class=\"sizes stack\"><thead><tr><th>Size</th><th>Algorithm</th><th>Protocol</th>"
            NUMBER "Alone</th>" NUMBER "GB/s</th>" NUMBER "Of ideal</th>%s</tr></thead><tbody>\n",
            o->beside ? NUMBER "Next to other traffic</th>" NUMBER "Seeds</th>" NUMBER "GB/s</th>" NUMBER
                        "Longer</th>" : "");
    for (uint32_t i = 0; i < f->rows; i++) {
        const struct row *r = &f->row[i];

        fprintf(out,
                "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td>"
                "<td class=\"number\" data-head=\"Alone\">%s</td>"
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
    struct plot p = { .out = out, .found = f, .is_beside = o->beside,
                      .x = { (double)f->row[0].bytes, (double)f->row[f->rows - 1].bytes, true } };
    char        hint[160] = "";

    if (o->beside)
        snprintf(hint, sizeof(hint), "Next to %.3g %% %s traffic: mean of %u seed%s; the band spans them.",
                 100 * o->beside_load, o->beside, o->seeds, o->seeds == 1 ? "" : "s");
    html_section(out, "sizes", "By size", hint);
    if (f->rows > 1) {
        fputs("<div class=\"halves top\">\n", out);
        put_bandwidth(p);
        put_times(p);
        fputs("</div>\n", out);
    }
    fprintf(out, "<details class=\"more\"%s><summary>The numbers</summary><div class=\"card scroll\" "
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

static void put_worst(FILE *out, const struct collective_options *o, const struct found *f, double all)
{
    struct nic_seen *worst = xcopy(f->nic, f->nics, sizeof(*worst));
    char             queue[32], other[32];

    qsort(worst, f->nics, sizeof(*worst), compare_lost);
    fprintf(out, "<table class=\"worst\"><thead><tr><th>Receiving NIC</th><th class=\"share\" colspan=\"2\">"
            "Share of all time lost</th>%s" NUMBER "Longest queue</th></tr></thead><tbody>\n",
            o->beside ? NUMBER "Other traffic</th>" : "");
    for (const struct nic_seen *n = worst; n < worst + f->nics && n < worst + SHOWN && n->lost_ps > 0; n++) {
        fputs("<tr><th scope=\"row\">", out);
        html_element(out, "b", NULL, n->name);
        fprintf(out, " <span class=\"muted\">server %u, NIC %u; from ", n->server, n->rail);
        html_text(out, n->from);
        fprintf(out,
                "</span></th><td class=\"share\"><span class=\"even\" style=\"left:%.1f%%\"></span><span "
                "class=\"bar%s\" style=\"width:%.1f%%\"></span></td>"
                "<td class=\"number\"><b>%.0f&nbsp;%%</b></td>",
                100 * all / f->nics / worst[0].lost_ps, n->lost_ps > 2 * all / f->nics ? " most" : "",
                100 * n->lost_ps / worst[0].lost_ps, 100 * n->lost_ps / all);
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
    fputs("<div class=\"card\"><h3>Where</h3><p class=\"hint\">Share of the time lost in %, by receiving "
          "NIC</p>\n<table class=\"where\"><thead><tr><td></td>", out);
    for (uint32_t i = 0; i < f->network.each; i++)
        fprintf(out, NUMBER "NIC %u</th>", i);
    fputs("</tr></thead><tbody>\n", out);
    for (const struct nic_seen *n = f->nic; n < f->nic + f->nics; n++) {
        unsigned shade = most > 0 ? (unsigned)fmin(SHADES - 1, SHADES * n->lost_ps / most) : 0;

        if (n->rail == 0)
            fprintf(out, "%s<tr><th scope=\"row\">server %u</th>", n > f->nic ? "</tr>\n" : "", n->server);
        fprintf(out, "<td class=\"shade-%u\">%.0f</td>", shade, 100 * n->lost_ps / all);
    }
    fputs("</tr>\n</tbody></table>\n</div>\n", out);
}

static void put_who(FILE *out, const struct collective_options *o, const struct found *f)
{
    const struct nccl_cluster *c = &f->network.cluster;
    uint32_t each = f->network.each;
    bool     has_where = c->servers > 1 && c->servers <= SERVERS_MAX && each > 1 && each <= RAILS_MAX;
    double   all = 0;
    char     hint[200], size[32];

    for (uint32_t i = 0; i < f->nics; i++)
        all += f->nic[i].lost_ps;
    snprintf(hint, sizeof(hint),
             "%s between servers, seed %llu%s. Time lost: above that in the idle network.",
             size_words(size, (double)f->row[f->rows - 1].bytes), (unsigned long long)o->seed,
             o->beside ? ", next to other traffic" : "");
    html_section(out, "who", "Who holds it back", hint);
    if (!(all > 0)) {
        fputs("<div class=\"card\"><p class=\"nothing\">No message between servers took longer than in the "
              "idle network.</p></div></section>\n", out);
        return;
    }
    fprintf(out, "<div class=\"%s\"><div class=\"card\">\n", has_where ? "who" : "");
    put_worst(out, o, f, all);
    fputs("<p class=\"hint\">The thin line is an even share.</p></div>\n", out);
    if (has_where)
        put_where(out, f, all);
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
    double alone = f->row[f->rows - 1].alone.us, at = place(x, alone);
    char   mean[32], low[32], high[32], slowdown[32];

    fputs("<table class=\"helps\"><thead><tr><th>Setting</th><th class=\"span\">alone, and with each "
          "setting</th>" NUMBER "Mean</th>" NUMBER "Times alone</th>" NUMBER "Seeds</th>" NUMBER
          "Slowdown of other traffic</th></tr></thead><tbody>\n", out);
    for (uint32_t i = 0; i < count; i++, p++) {
        const struct timing *t = &p->time;

        snprintf(slowdown, sizeof(slowdown), isfinite(t->slowdown) ? "%.3g&nbsp;&times;" : "-", t->slowdown);
        fprintf(out, "<tr%s><th scope=\"row\">", strcmp(p->name, "current") == 0 ? " class=\"advised\"" : "");
        html_element(out, "b", NULL, p->name);
        html_element(out, "span", "muted", p->about);
        fprintf(out,
                "</th><td class=\"span\"><svg width=\"100%%\" height=\"16\" "
                "aria-hidden=\"true\"><line class=\"gl\" x1=\"0\" x2=\"100%%\" y1=\"8\" y2=\"8\"/>"
                "<line class=\"zl\" x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"0\" y2=\"16\"/><line class=\"bar\" "
                "x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"8\" y2=\"8\"/>"
                "<circle class=\"dot\" cx=\"%.1f%%\" cy=\"8\" r=\"4\"/></svg></td>",
                at, at, place(x, t->low_us), place(x, t->high_us), place(x, t->us));
        fprintf(out,
                "<td class=\"number\" data-label=\"mean\"><b>%s</b></td><td class=\"number\" "
                "data-label=\"times alone\">%.2g&nbsp;&times;</td>"
                "<td class=\"number muted\" data-label=\"seeds\">%s to %s</td><td class=\"number\" "
                "data-label=\"other traffic\">%s</td></tr>\n",
                time_words(mean, t->us), t->us / alone, time_words(low, t->low_us),
                time_words(high, t->high_us), slowdown);
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
    fprintf(out, "<div class=\"halves top\"><div class=\"card\"><ul>\n"
            "<li>This is a simulation of the network. GPU kernels and memory copies are not modeled: small "
            "sizes take longer on real GPUs.</li>\n"
            "<li>Of ideal: bus bandwidth over that of full links, headers included.</li>\n"
            "<li>Channels, algorithm and protocol are those of NCCL's model for this network, unless options "
            "say otherwise. NVLS, CollNet and PAT are not simulated.</li>\n%s"
            "</ul></div><div class=\"card\"><details class=\"more\"><summary>The scenario of %s</summary>\n",
            o->beside ? "<li>Other traffic goes between all NICs, at random times, in the same traffic class."
                        "</li>\n" : "",
            size_words(size, (double)f->row[f->rows - 1].bytes));
    html_script(out, "scenario", "collective.yaml", scenario);
    fputs("</details></div></div></section>\n", out);
}

void collective_page(const struct collective_options *o, const struct found *f, const struct card *answer,
                     const char *scenario, FILE *out)
{
    static const char *const without[] = { "--format", NULL };
    const struct html_link links[] = { { "answer", "Answer" }, { "sizes", "By size" },
                                       { "who", "Who holds it back" }, { "helps", "What helps" },
                                       { "limits", "Limits" }, { NULL, NULL } };
    const struct html_link brief[] = { links[0], links[1], links[2], links[4], links[5] };
    struct card again = { 0 };
    char       *html, name[160], title[180];
    FILE       *page = text_stream(&html);

    snprintf(name, sizeof(name), "%s on %s", collective_kind_text(&f->row[f->rows - 1]), o->topology);
    snprintf(title, sizeof(title), "%s - Anole", name);
    html_begin(page, "collective", name, f->presets ? links : brief);
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
    form_print_still(title, html, out);
    card_fini(&again);
    free(html);
}
