/* src/cmd/list_figures.c - counters and figures as a table, as JSON and as a manual page. */
#include "cmd/list_figures.h"
#include "core/figures.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 200

struct row {
    const char *of;
    struct figure_info info;
    const char *prometheus;      /* name for Prometheus; NULL: not exported */
    bool        is_first;        /* of those of 'of' */
};

static const struct row others[] = {
#define CONWEAVE(name, help) \
    { "conweave", { #name, FIGURE_SUM, UNIT_COUNT, BETTER_NEITHER, #name, help, .key = #name }, NULL, false },
#include "core/figures.def"
#define AGENT(name, family, unit, better, label, help) \
    { "device", { #name, FIGURE_SUM, UNIT_##unit, BETTER_##better, label, help, .key = NULL }, family, \
      false },
#include "core/figures.def"
};

/* Calls 'visit' for every row, network first. */
static void each_row(void (*visit)(void *arg, const struct row *), void *arg)
{
    const char *last = "";

    for (size_t i = 0; i < FIGURE_COUNT + PORT_COUNTS + sizeof(others) / sizeof(*others); i++) {
        struct row row = { .of = "port" };

        if (i < FIGURE_COUNT)
            row = (struct row){ .of = figure_info[i].how < FIGURE_ONCE ? "network" : "run",
                                .info = figure_info[i] };
        else if (i < FIGURE_COUNT + PORT_COUNTS)
            row.info = port_info[i - FIGURE_COUNT];
        else
            row = others[i - FIGURE_COUNT - PORT_COUNTS];
        row.is_first = strcmp(last, row.of) != 0;
        last = row.of;
        visit(arg, &row);
    }
}

/* How intervals are combined, or the formula of a derived figure. */
static const char *how_text(char buf[TEXT_MAX], const struct figure_info *f)
{
    const char *of = f->of < FIGURE_COUNTS ? figure_info[f->of].name : "";
    const char *over = f->over < FIGURE_COUNTS ? figure_info[f->over].name : "";

    switch (f->how) {
    case FIGURE_SUM:     return "sum";
    case FIGURE_MAX:     return "largest";
    case FIGURE_LAST:    return "last";
    case FIGURE_ONCE:    return "one value";
    case FIGURE_STATS:   return "mean, p50, p99, p999";
    case FIGURE_RATE:    snprintf(buf, TEXT_MAX, "8 x %s / time", of);            break;
    case FIGURE_MEAN:    snprintf(buf, TEXT_MAX, "%s / %s", of, over);            break;
    case FIGURE_SHARE:   snprintf(buf, TEXT_MAX, "%s / %s, at most 1", of, over); break;
    case FIGURE_OF_TIME: snprintf(buf, TEXT_MAX, "%s / (ports x time)", of);      break;
    case FIGURE_SAME:
    case FIGURE_PEAK:    snprintf(buf, TEXT_MAX, "%s", of);                       break;
    }
    return buf;
}

/* Files and pages that contain it. */
static const char *places_text(char buf[TEXT_MAX], const struct row *r)
{
    const uint8_t *place = r->info.place;
    bool is_detail = r->info.how >= FIGURE_ONCE && !place[FIGURE_PFC] && !place[FIGURE_MANIFEST];
    const struct { bool is_there; const char *file, *key; } rows[] = {
        { place[FIGURE_INTERVALS], "intervals.csv", "" },
        { place[FIGURE_CHART], "page", "" },
        { place[FIGURE_HEADLINE] || place[FIGURE_METRIC] || is_detail, "metrics", "" },
        { place[FIGURE_PACKETS], "packets.", r->info.key },
        { place[FIGURE_PFC], "pfc.", r->info.key },
        { place[FIGURE_MANIFEST], "manifest.json", "" },
        { strcmp(r->of, "port") == 0, "ports.csv: ", r->info.key },
        { strcmp(r->of, "conweave") == 0, "conweave.", r->info.key },
        { r->prometheus, r->prometheus, "" },
    };
    size_t used = 0;

    *buf = '\0';
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && used < TEXT_MAX; i++)
        if (rows[i].is_there)
            used += (size_t)snprintf(buf + used, TEXT_MAX - used, "%s%s%s", used ? ", " : "", rows[i].file,
                                     rows[i].key);
    return buf;
}

static void add_row(void *list, const struct row *r)
{
    struct list *l = list;
    char         how[TEXT_MAX], places[TEXT_MAX];
    const char  *unit = metric_unit_name(r->info.unit), *better = metric_better_name(r->info.better);
    const char  *over_time = how_text(how, &r->info), *shown_in = places_text(places, r);
    const char  *texts[] = { r->of, unit, over_time, better, shown_in, r->info.help };

    JSON_ADD(l->array, { "name", JSON(r->info.name) }, { "about", JSON(r->info.help) }, JSON_FIELD(r, of),
             { "unit", JSON(unit) }, { "over_time", JSON(over_time) }, { "better", JSON(better) },
             { "label", JSON(r->info.label) }, { "shown_in", JSON(shown_in) });
    table_cell(l->table, "%s%s", r->info.name, r->info.how == FIGURE_STATS ? "_*" : "");
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        table_cell(l->table, "%s", *texts[i] ? texts[i] : "-");
}

void list_figures(struct list *l)
{
    each_row(add_row, l);
}

/* Adds a part to the line: "*bytes", then ", lower is better". */
static void add_part(FILE *out, bool *is_open, const char *text)
{
    fprintf(out, "%s%s", *is_open ? ", " : "*", text);
    *is_open = true;
}

/* Prints unit, sum and direction where they differ from the usual: a count, summed over intervals, without
 * a direction. */
static void print_facts(FILE *out, const struct row *r)
{
    char how[TEXT_MAX], places[TEXT_MAX];
    bool is_open = false;

    if (r->info.unit != UNIT_COUNT)
        add_part(out, &is_open, metric_unit_name(r->info.unit));
    if (r->info.how != FIGURE_SUM && r->info.how != FIGURE_ONCE)
        add_part(out, &is_open, how_text(how, &r->info));
    if (r->info.better != BETTER_NEITHER)
        add_part(out, &is_open, r->info.better == BETTER_LOWER ? "lower is better" : "higher is better");
    if (*places_text(places, r))
        fprintf(out, "%s%s", is_open ? "; in " : "*in ", places);
    if (is_open || *places)
        fputs("*\n", out);
}

/* One heading per figure, so that other pages can link to it: figures.md#goodput_bps,
 * figures.md#port-tx_bytes. */
static void print_entry(void *stream, const struct row *r)
{
    static const char *const titles[][3] = {      /* of the section that begins with this row */
        { "network", "Network: intervals and runs", "" }, { "run", "Runs", "" }, { "port", "Ports", "port " },
        { "conweave", "ToRs with ConWeave", "conweave " }, { "device", "Real devices", "device " },
    };
    FILE  *out = stream;
    size_t i = 0, end = strlen(r->info.help) - 1;

    while (strcmp(titles[i][0], r->of) != 0)
        i++;
    if (r->is_first)
        fprintf(out, "\n## %s\n", titles[i][1]);
    fprintf(out, "\n### %s%s\n\n%c%s%s\n", titles[i][2], r->info.name, toupper((unsigned char)*r->info.help),
            r->info.help + 1, r->info.help[end] == '.' ? "" : ".");
    print_facts(out, r);
}

void list_figures_markdown(FILE *out)
{
    fputs("# Figures\n\n"
          "Every counter and every figure of a result. [results.md](results.md) explains the files. `anole "
          "list figure` prints a table.\n\n"
          "The line below the meaning has, where they apply:\n\n"
          "- the unit, if it is not a count;\n"
          "- how values of neighboring intervals become one, if they are not added, or the formula;\n"
          "- the better direction, by which `anole compare` judges;\n"
          "- where it is shown. `packets.`, `pfc.` and `conweave.` are objects of summary.json, *metrics* is "
          "its last list,\n"
          "  and `anole_...` is the name for Prometheus.\n\n"
          "Metrics of a traffic entry, a size range, a phase or a monitor begin with its name: "
          "`during.goodput_bps`.\n\n"
          "<!-- Printed by `anole list figure --markdown` from src/core/figures.def. -->\n", out);
    each_row(print_entry, out);
}
