/* src/plot/out/plot_main.c - anole-plot, the program behind `anole plot`. Separate, so that only it links
 * against cairo. */
#include "base/file/outfile.h"
#include "base/print/safe.h"
#include "cmd/cmd.h"
#include "plot/charts.h"
#include "plot/out/raster.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE  4096

enum format { FORMAT_SVG, FORMAT_PNG, FORMAT_PDF };

static const char *const format_names[] = { "svg", "png", "pdf", NULL };

struct plot_options {
    const char *path, *out;
    enum format format;
    int         chart;           /* -1: all with data */
    bool        is_quiet;
};

static void set_chart(void *options, const char *word)
{
    ((struct plot_options *)options)->chart = cmd_choice("--chart", word, chart_names);
}

static const struct cmd_option option_rows[] = {
    { "as", 'a', "svg|png|pdf", "Format (default: svg)", KEY_AT(struct plot_options, format),
      .choices = format_names },
    { "chart", 'c', "NAME", "Draw one chart: slowdown (by size), fct (distribution), time (with influx), "
      "or pareto (of a sweep)", .add = set_chart },
    { "out", 'o', "FOLDER", "Where to write the files (default: DIR/plots)",
      KEY_AT(struct plot_options, out) },
    { "quiet", 'q', NULL, "Do not print the names of the files", KEY_AT(struct plot_options, is_quiet) },
    { 0 },
};

static const struct cmd_line line = {
    .options = option_rows,
    .argument = { "folder", KEY_AT(struct plot_options, path) },
    .missing = "which results? anole plot DIR; see anole plot --help",
    .args = "DIR",
    .help = "Draws the usual charts of results: slowdown by flow size; completion times; goodput, RTT and "
            "queues over time with the influx shaded; and of a sweep its settings with their Pareto front. "
            "DIR is what run, compare or sweep --out has written. Each picture names its scenario, seeds "
            "and version, and says what it averages."
            "\v"
            "Examples:\n"
            "  anole plot results --as pdf\n"
            "      Write results/plots/slowdown.pdf and others.\n"
            "  anole plot results --chart time --as png --out slides",
};

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
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
    rc = outfile_end(&file, rc, err);
    if (!rc && !o->is_quiet)
        printf("%s\n", safe_name(path).buf);
    return rc;
}

/* Returns the output folder; creates it if needed. */
static int make_folder(const struct plot_options *o, char folder[PATH_SIZE], struct err *err)
{
    if (o->out)
        snprintf(folder, PATH_SIZE, "%s", o->out);
    else
        snprintf(folder, PATH_SIZE, is_folder(o->path) ? "%s/plots" : "%s.plots", o->path);
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return 0;
    return err_set(err, errno, "%.300s: %s", folder, strerror(errno));
}

static int plot_results(const struct plot_options *o, struct err *err)
{
    char     folder[PATH_SIZE], data[PATH_SIZE];
    json_t  *page = NULL;
    uint32_t drawn = 0;
    int      rc;

    snprintf(data, sizeof data, is_folder(o->path) ? "%s/charts.json" : "%s", o->path);
    rc = charts_read(data, &page, err);

    for (enum chart c = 0; c < CHARTS && !rc; c++) {
        struct picture p;

        if ((o->chart >= 0 && (int)c != o->chart) || !charts_draw(c, page, &p))
            continue;
        if (drawn++ == 0)
            rc = make_folder(o, folder, err);
        rc = rc ? rc : write_chart(o, folder, c, &p, err);
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
    struct plot_options o = { .chart = -1 };
    struct err          err;

    cmd_parse(&line, argc, argv, &o);
    return cmd_end(plot_results(&o, &err), &err);
}
