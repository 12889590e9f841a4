/* src/cmd/list_figures.c - counters and figures as a table, as JSON and as a manual page. */
#include "cmd/list_figures.h"
#include "base/print/terminal.h"
#include "core/figures.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 200

struct row {
    const char *of;
    struct figure_info info;
    const char *prometheus;      /* name for Prometheus; NULL: not exported */
};

static const struct row others[] = {
#define CONWEAVE(name, help) \
    { "conweave", { #name, FIGURE_SUM, UNIT_COUNT, BETTER_NEITHER, #name, help, .key = #name }, NULL },
#include "core/figures.def"
#define AGENT(name, family, unit, better, label, help) \
    { "device", { #name, FIGURE_SUM, UNIT_##unit, BETTER_##better, label, help, .key = NULL }, family },
#include "core/figures.def"
};

/* Calls 'visit' for every row, network first. */
static void each_row(void (*visit)(void *arg, const struct row *), void *arg)
{
    for (int i = 0; i < FIGURE_COUNT; i++)
        visit(arg, &(struct row){ figure_info[i].how < FIGURE_ONCE ? "network" : "run", figure_info[i],
                                  NULL });
    for (int i = 0; i < PORT_COUNTS; i++)
        visit(arg, &(struct row){ "port", port_info[i], NULL });
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        visit(arg, &others[i]);
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

static void add_place(char buf[TEXT_MAX], const char *file, const char *key)
{
    size_t used = strlen(buf);

    snprintf(buf + used, TEXT_MAX - used, "%s%s%s", used ? ", " : "", file, key);
}

/* Files and pages that contain it. */
static const char *places_text(char buf[TEXT_MAX], const struct row *r)
{
    const uint8_t *place = r->info.place;
    bool is_detail = r->info.how >= FIGURE_ONCE && !place[FIGURE_PFC] && !place[FIGURE_MANIFEST];

    *buf = '\0';
    if (place[FIGURE_INTERVALS])
        add_place(buf, "intervals.csv", "");
    if (place[FIGURE_CHART])
        add_place(buf, "page", "");
    if (place[FIGURE_HEADLINE] || place[FIGURE_METRIC] || is_detail)
        add_place(buf, "metrics", "");
    if (place[FIGURE_PACKETS])
        add_place(buf, "packets.", r->info.key);
    if (place[FIGURE_PFC])
        add_place(buf, "pfc.", r->info.key);
    if (place[FIGURE_MANIFEST])
        add_place(buf, "manifest.json", "");
    if (strcmp(r->of, "port") == 0)
        add_place(buf, "ports.csv: ", r->info.key);
    if (strcmp(r->of, "conweave") == 0)
        add_place(buf, "conweave.", r->info.key);
    if (r->prometheus)
        add_place(buf, r->prometheus, "");
    return buf;
}

static const char *const heads[] = { "name", "of", "unit", "over time", "better", "shown in", "what it is" };

#define COLUMNS (sizeof(heads) / sizeof(*heads))

static void fill(const struct row *r, char cell[COLUMNS][TEXT_MAX])
{
    char how[TEXT_MAX], places[TEXT_MAX];
    const char *texts[COLUMNS] = { r->info.name, r->of, metric_unit_name(r->info.unit),
                                   how_text(how, &r->info),
                                   metric_better_name(r->info.better), places_text(places, r), r->info.help };

    for (size_t i = 0; i < COLUMNS; i++)
        snprintf(cell[i], TEXT_MAX, "%s%s", *texts[i] ? texts[i] : "-", i == 0 && r->info.how == FIGURE_STATS
                 ? "_*" : "");
}

static void add_row(void *table, const struct row *r)
{
    char cell[COLUMNS][TEXT_MAX];

    fill(r, cell);
    for (size_t i = 0; i < COLUMNS; i++)
        table_cell(table, "%s", cell[i]);
}

void list_print_fitted(struct table *t, int width_for_all, const char *order)
{
    int width = terminal_width(stdout);

    table_end_fitted(t, stdout, 0, width < width_for_all ? width : 0, order);
}

void list_figures(void)
{
    struct table *t = table_new("lllllll");

    for (size_t i = 0; i < COLUMNS; i++)
        table_cell(t, "%s", heads[i]);
    each_row(add_row, t);
    list_print_fitted(t, 200, "0236480");
}

/* Adds a part to the line: "*bytes", then ", lower is better". */
static void add_part(bool *is_open, const char *text)
{
    printf("%s%s", *is_open ? ", " : "*", text);
    *is_open = true;
}

/* Prints unit, sum and direction where they differ from the usual: a count, summed over intervals, without
 * a direction. */
static void print_facts(const struct row *r)
{
    char how[TEXT_MAX], places[TEXT_MAX];
    bool is_open = false;

    if (r->info.unit != UNIT_COUNT)
        add_part(&is_open, metric_unit_name(r->info.unit));
    if (r->info.how != FIGURE_SUM && r->info.how != FIGURE_ONCE)
        add_part(&is_open, how_text(how, &r->info));
    if (r->info.better != BETTER_NEITHER)
        add_part(&is_open, r->info.better == BETTER_LOWER ? "lower is better" : "higher is better");
    if (*places_text(places, r))
        printf("%s%s", is_open ? "; in " : "*in ", places);
    if (is_open || *places)
        puts("*");
}

/* One heading per figure, so that other pages can link to it: figures.md#goodput_bps,
 * figures.md#port-tx_bytes. */
static void print_entry(void *last_of, const struct row *r)
{
    static const char *const titles[][2] = {
        { "network", "Network: intervals and runs" }, { "run", "Runs" }, { "port", "Ports" },
        { "conweave", "ToRs with ConWeave" }, { "device", "Real devices" },
    };
    const char **last = last_of;
    bool         is_main = strcmp(r->of, "network") == 0 || strcmp(r->of, "run") == 0;
    size_t       end = strlen(r->info.help) - 1;

    for (size_t i = 0; strcmp(*last, r->of) != 0 && i < sizeof(titles) / sizeof(*titles); i++)
        if (strcmp(titles[i][0], r->of) == 0)
            printf("\n## %s\n", titles[i][1]);
    *last = r->of;
    printf("\n### %s%s%s\n\n%c%s%s\n", is_main ? "" : r->of, is_main ? "" : " ", r->info.name,
           toupper((unsigned char)*r->info.help), r->info.help + 1, r->info.help[end] == '.' ? "" : ".");
    print_facts(r);
}

void list_figures_markdown(void)
{
    const char *last = "";

    puts("# Figures\n\n"
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
         "<!-- Printed by `anole list figure --markdown` from src/core/figures.def. -->");
    each_row(print_entry, &last);
}

static void add_json(void *list, const struct row *r)
{
    char    how[TEXT_MAX], places[TEXT_MAX];

    json_array_append_new(list, JSON_OF(
        { "name", json_of_text(r->info.name) }, { "about", json_of_text(r->info.help) },
        { "of", json_of_text(r->of) }, { "unit", json_of_text(metric_unit_name(r->info.unit)) },
        { "over_time", json_of_text(how_text(how, &r->info)) },
        { "better", json_of_text(metric_better_name(r->info.better)) },
        { "label", json_of_text(r->info.label) }, { "shown_in", json_of_text(places_text(places, r)) }));
}

void list_figures_json(json_t *list)
{
    each_row(add_json, list);
}
