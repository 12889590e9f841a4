/* src/cmd/plot_main.c - anole-plot, the program behind `anole plot`. Separate, so that only it links
 * against cairo. */
#include "base/file/outfile.h"
#include "base/print/safe.h"
#include "cmd/cmd.h"
#include "study/plot/charts.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define SCALE 2.0
#define FONT  "DejaVu Sans"

#ifdef __SANITIZE_ADDRESS__
/* fontconfig keeps its font cache until the program ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}
#endif

static cairo_status_t write_bytes(void *arg, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, arg) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void draw_path(cairo_t *c, const struct shape *s)
{
    bool is_open = false;
    int  dashes = 0;

    for (size_t i = 0; i < s->points; i++) {
        double x = s->xy[2 * i], y = s->xy[2 * i + 1];

        if (isnan(x) || isnan(y)) {
            is_open = false;
            continue;
        }
        if (is_open)
            cairo_line_to(c, x, y);
        else
            cairo_move_to(c, x, y);
        is_open = true;
    }
    for (const double *d = s->dash; d && *d > 0; d++)
        dashes++;
    cairo_set_dash(c, s->dash, dashes, 0);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_width(c, s->width);
    cairo_stroke(c);
}

static void draw_text(cairo_t *c, const struct shape *s)
{
    cairo_text_extents_t size;

    cairo_select_font_face(c, FONT, CAIRO_FONT_SLANT_NORMAL,
                           s->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, s->width);
    cairo_text_extents(c, s->text, &size);
    cairo_save(c);
    cairo_translate(c, s->xy[0], s->xy[1]);
    if (s->is_upright)
        cairo_rotate(c, -acos(0));
    cairo_move_to(c, s->anchor == ANCHOR_START ? 0 : s->anchor == ANCHOR_MIDDLE ? -size.x_advance / 2
                  : -size.x_advance, 0);
    cairo_show_text(c, s->text);
    cairo_restore(c);
}

static void draw_shape(cairo_t *c, const struct shape *s)
{
    cairo_set_source_rgba(c, (s->rgb >> 16 & 255) / 255.0, (s->rgb >> 8 & 255) / 255.0,
                          (s->rgb & 255) / 255.0, s->opacity);
    switch (s->kind) {
    case SHAPE_PATH:
        draw_path(c, s);
        break;
    case SHAPE_RECT:
        cairo_rectangle(c, s->xy[0], s->xy[1], s->width, s->height);
        cairo_fill(c);
        break;
    case SHAPE_DOT:
        cairo_new_sub_path(c);
        cairo_arc(c, s->xy[0], s->xy[1], s->width, 0, 4 * acos(0));
        cairo_fill(c);
        break;
    case SHAPE_TEXT:
        draw_text(c, s);
        break;
    }
}

static void draw_picture(cairo_surface_t *surface, const struct picture *p, double scale)
{
    cairo_t *c = cairo_create(surface);

    cairo_scale(c, scale, scale);
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
    for (uint32_t i = 0; i < p->shapes; i++)
        draw_shape(c, &p->shape[i]);
    cairo_show_page(c);
    cairo_destroy(c);
}

static int finish_surface(cairo_surface_t *surface, cairo_status_t status, struct err *err)
{
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS ? 0 : err_set(err, EIO, "cannot draw the picture: %s",
                                                        cairo_status_to_string(status));
}

/* PNG has two pixels per point. No creation date is written: the same picture gives the same bytes on one
 * machine. */
static int raster_png(const struct picture *p, FILE *out, struct err *err)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(p->width * SCALE),
                                                          (int)(p->height * SCALE));

    draw_picture(surface, p, SCALE);
    return finish_surface(surface, cairo_surface_write_to_png_stream(surface, write_bytes, out), err);
}

static int raster_pdf(const struct picture *p, FILE *out, struct err *err)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_bytes, out, p->width, p->height);

    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, p->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, p->source);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    draw_picture(surface, p, 1);
    return finish_surface(surface, CAIRO_STATUS_SUCCESS, err);
}

#define PATH_SIZE  4096

enum format { FORMAT_SVG, FORMAT_PNG, FORMAT_PDF };

static const char *const format_names[] = { "svg", "png", "pdf", NULL };

struct plot_options {
    const char *path, *out;
    enum format format;
    enum chart  chart;           /* CHARTS: all with data */
    bool        is_quiet;
};

static const struct cmd_option option_rows[] = {
    { "as", 'a', "svg|png|pdf", "Format (default: svg)", KEY_AT(struct plot_options, format),
      .choices = format_names },
    { "chart", 'c', "NAME", "Draw one chart: slowdown (by size), fct (distribution), time (with influx), "
      "or pareto (of a sweep)", KEY_AT(struct plot_options, chart), .choices = chart_names },
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

    snprintf(path, sizeof path, "%s/%s.%s", folder, chart_names[chart], format_names[o->format]);
    int rc = outfile_open(&file, path, err);
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

    snprintf(data, sizeof data, is_folder(o->path) ? "%s/charts.json" : "%s", o->path);
    int rc = charts_read(data, &page, err);

    for (enum chart c = 0; c < CHARTS && !rc; c++) {
        struct picture p;

        if ((o->chart != CHARTS && c != o->chart) || !charts_draw(c, page, &p))
            continue;
        if (drawn++ == 0)
            rc = make_folder(o, folder, err);
        rc = rc ? rc : write_chart(o, folder, c, &p, err);
        picture_fini(&p);
    }
    json_decref(page);
    if (!rc && drawn == 0)
        return err_set(err, ENOENT, "%.300s: these results have no data for %s%s", o->path,
                       o->chart != CHARTS ? "the chart " : "any chart",
                       o->chart != CHARTS ? chart_names[o->chart] : "");
    return rc;
}

int main(int argc, char **argv)
{
    struct plot_options o = { .chart = CHARTS };
    struct err          err;

    cmd_parse(&line, argc, argv, &o);
    return cmd_end(plot_results(&o, &err), &err);
}
