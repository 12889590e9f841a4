/* src/plot/out/main.c - anole-plot, the program behind `anole plot`. Separate, so that only it links against
 * cairo. */
#include "base/file/outfile.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "plot/charts.h"
#include "plot/out/raster.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPORT_MAX ((size_t)512 << 20)
#define PATH_SIZE  4096

enum format { FORMAT_SVG, FORMAT_PNG, FORMAT_PDF };

static const char *const format_names[] = { "svg", "png", "pdf", NULL };

struct plot_options {
    const char *path, *out;
    enum format format;
    int         chart;           /* -1: all with data */
    bool        is_quiet;
};

enum { KEY_AS = 'a', KEY_CHART = 'c', KEY_OUT = 'o', KEY_QUIET = 'q' };

static const struct argp_option option_rows[] = {
    { "as", KEY_AS, "svg|png|pdf", 0, "The format (default: svg)", 0 },
    { "chart", KEY_CHART, "NAME", 0,
      "One alone: slowdown (by size), fct (distribution), time (with influx), pareto (of a sweep)", 0 },
    { "out", KEY_OUT, "FOLDER", 0, "Where the files go (default: DIR/plots)", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Do not name the files", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct plot_options *o = state->input;

    switch (key) {
    case KEY_AS:    o->format = (enum format)cmd_choice("--as", arg, format_names); return 0;
    case KEY_CHART: o->chart = cmd_choice("--chart", arg, chart_names); return 0;
    case KEY_OUT:   o->out = arg;                                                   return 0;
    case KEY_QUIET: o->is_quiet = true;                                             return 0;
    case ARGP_KEY_ARG: cmd_take_one(&o->path, arg, "folder"); return 0;
    case ARGP_KEY_NO_ARGS:
        cmd_usage("which results? anole plot DIR; see anole plot --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "DIR",
    .doc = "Draws the usual charts of results, without a browser: slowdown by flow size, completion times, "
           "goodput, RTT and queues "
           "over time with the influx shaded, and of a sweep its settings with their Pareto front. DIR is "
           "what run, compare or "
           "sweep --out has written, or a report.html. Each picture says which scenario, seeds and version "
           "it is of."
           "\v"
           "Examples:\n"
           "  anole plot results --as pdf\n"
           "      results/plots/slowdown.pdf and others.\n"
           "  anole plot results --chart time --as png --out slides",
};

static int read_page(const char *path, json_t **page, struct err *err)
{
    char        report[PATH_SIZE], *html;
    struct stat st;
    size_t      length;
    int         rc;

    snprintf(report, sizeof report, stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? "%s/report.html" : "%s",
             path);
    rc = text_read_file(report, REPORT_MAX, &html, &length, err);
    if (rc)
        return rc;
    rc = charts_read(report, html, length, page, err);
    free(html);
    return rc;
}

static int write_chart(const struct plot_options *o, const char *folder, enum chart chart,
                       const struct picture *p, struct err *err)
{
    struct outfile file = { 0 };
    char           path[PATH_SIZE + 64];
    int            rc;

    snprintf(path, sizeof path, "%s/%s.%s", folder, chart_names[chart], format_names[o->format]);
    rc = outfile_open(&file, path, err);
    if (!rc && o->format == FORMAT_SVG)
        picture_svg(p, file.stream);
    if (!rc && o->format != FORMAT_SVG)
        rc = o->format == FORMAT_PNG ? raster_png(p, file.stream, err) : raster_pdf(p, file.stream, err);
    if (!rc)
        rc = outfile_close(&file, err);
    if (!rc)
        rc = outfile_commit(&file, err);
    if (rc)
        outfile_abort(&file);
    else if (!o->is_quiet)
        printf("%s\n", safe_name(path).buf);
    return rc;
}

/* Returns the output folder; creates it if needed. */
static int make_folder(const struct plot_options *o, char folder[PATH_SIZE], struct err *err)
{
    struct stat st;
    bool        is_dir = stat(o->path, &st) == 0 && S_ISDIR(st.st_mode);

    if (o->out)
        snprintf(folder, PATH_SIZE, "%s", o->out);
    else
        snprintf(folder, PATH_SIZE, is_dir ? "%s/plots" : "%s.plots", o->path);
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return 0;
    return err_set(err, errno, "%.300s: %s", folder, strerror(errno));
}

static int plot_results(const struct plot_options *o, struct err *err)
{
    char     folder[PATH_SIZE];
    json_t  *page = NULL;
    uint32_t drawn = 0;
    int      rc = read_page(o->path, &page, err);

    for (enum chart c = 0; c < CHARTS && !rc; c++) {
        struct picture p;

        if ((o->chart >= 0 && (int)c != o->chart) || !charts_draw(c, page, &p))
            continue;
        if (drawn++ == 0)
            rc = make_folder(o, folder, err);
        if (!rc)
            rc = write_chart(o, folder, c, &p, err);
        picture_fini(&p);
    }
    json_decref(page);
    if (!rc && drawn == 0)
        return err_set(err, ENOENT, "%.300s: these results have no data for %s%s", o->path,
                       o->chart >= 0 ? "the chart " : "any chart",
                       o->chart >= 0 ? chart_names[o->chart] : "");
    return rc;
}

int main(int argc, char **argv)
{
    static char         name[] = "anole plot";
    struct plot_options o = { .chart = -1 };
    struct err          err;

    argv[0] = name;
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    return cmd_end(plot_results(&o, &err), &err);
}
