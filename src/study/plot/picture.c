#include "study/plot/picture.h"
#include "base/err.h"
#include "base/print/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INK 0x222222

void picture_init(struct picture *p, double width, double height, const char *title, const char *source)
{
    *p = (struct picture){ .width = width, .height = height, .title = xstrdup(title),
                           .source = xstrdup(source) };
}

void picture_fini(struct picture *p)
{
    for (uint32_t i = 0; i < p->shapes; i++) {
        free(p->shape[i].xy);
        free(p->shape[i].text);
    }
    free(p->shape);
    free(p->title);
    free(p->source);
    *p = (struct picture){ 0 };
}

static struct shape *add_shape(struct picture *p, struct shape shape, const double *xy, uint32_t points)
{
    if ((p->shapes & (p->shapes + 1)) == 0)
        p->shape = xrealloc(p->shape, (2ul * p->shapes + 2) * sizeof *p->shape);
    shape.xy = xcalloc(2ul * points + 1, sizeof *shape.xy);
    memcpy(shape.xy, xy, 2ul * points * sizeof *xy);
    shape.points = points;
    p->shape[p->shapes] = shape;
    return &p->shape[p->shapes++];
}

/* Draws a line through points; a NAN as y breaks it. */
static void add_path(struct picture *p, const double *xy, uint32_t points, uint32_t rgb, double width,
                     const double *dash)
{
    add_shape(p, (struct shape){ .kind = SHAPE_PATH, .rgb = rgb, .width = width, .dash = dash, .opacity = 1 },
              xy, points);
}

static void add_dot(struct picture *p, double x, double y, double radius, uint32_t rgb)
{
    add_shape(p, (struct shape){ .kind = SHAPE_DOT, .rgb = rgb, .width = radius, .opacity = 1 },
              (const double[]){ x, y }, 1);
}

static void add_text(struct picture *p, struct shape shape, double x, double y, const char *text)
{
    shape.kind = SHAPE_TEXT;
    shape.rgb = INK;
    shape.opacity = 1;
    add_shape(p, shape, (const double[]){ x, y }, 1)->text = xstrdup(text);
}

void picture_text(struct picture *p, double x, double y, double size, enum anchor anchor, const char *text)
{
    add_text(p, (struct shape){ .width = size, .anchor = anchor }, x, y, text);
}

void picture_heading(struct picture *p, double x, double y, double size, const char *text)
{
    add_text(p, (struct shape){ .width = size, .is_bold = true }, x, y, text);
}

/* ---- SVG ---- */

static void print_path(const struct shape *s, FILE *out)
{
    bool is_open = false;

    fputs("<path d=\"", out);
    for (size_t i = 0; i < s->points; i++) {
        if (isnan(s->xy[2 * i]) || isnan(s->xy[2 * i + 1])) {
            is_open = false;
            continue;
        }
        fprintf(out, "%c%.2f %.2f", is_open ? 'L' : 'M', s->xy[2 * i], s->xy[2 * i + 1]);
        is_open = true;
    }
    fprintf(out, "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.2f\" stroke-linejoin=\"round\"", s->rgb,
            s->width);
    for (const double *d = s->dash; d && *d > 0; d++)
        fprintf(out, "%s%.1f", d == s->dash ? " stroke-dasharray=\"" : " ", *d);
    fputs(s->dash && *s->dash > 0 ? "\"/>\n" : "/>\n", out);
}

static void print_text(const struct shape *s, FILE *out)
{
    static const char *const anchors[] = { "start", "middle", "end" };

    fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"#%06x\"", s->xy[0],
            s->xy[1], s->width, anchors[s->anchor], s->rgb);
    if (s->is_bold)
        fputs(" font-weight=\"bold\"", out);
    if (s->is_upright)
        fprintf(out, " transform=\"rotate(-90 %.2f %.2f)\"", s->xy[0], s->xy[1]);
    fputc('>', out);
    html_text(out, s->text);
    fputs("</text>\n", out);
}

static void print_shape(const struct shape *s, FILE *out)
{
    switch (s->kind) {
    case SHAPE_PATH:
        print_path(s, out);
        break;
    case SHAPE_RECT:
        fprintf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\" "
                "fill-opacity=\"%.2f\"/>\n", s->xy[0], s->xy[1], s->width, s->height, s->rgb, s->opacity);
        break;
    case SHAPE_DOT:
        fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\"/>\n", s->xy[0], s->xy[1],
                s->width, s->rgb);
        break;
    case SHAPE_TEXT:
        print_text(s, out);
        break;
    }
}

void picture_svg(const struct picture *p, FILE *out)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"DejaVu Sans, Helvetica, Arial, "
            "sans-serif\">\n<title>", p->width, p->height, p->width, p->height);
    html_text(out, p->title);
    fputs("</title>\n<desc>", out);
    html_text(out, p->source);
    fprintf(out, "</desc>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", p->width, p->height);
    for (uint32_t i = 0; i < p->shapes; i++)
        print_shape(&p->shape[i], out);
    fputs("</svg>\n", out);
}

/* ---- axes ---- */

#define MARKS_MAX 24
#define TEXT      11.0
#define GRID      0xe3e6e8
#define LINE      0x555555
#define SHADE     0x78828f

/* Palette by Okabe and Ito, distinguishable with any color vision. */
static const uint32_t colours[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xb0468c, 0xc98a00, 0x3f9fe0, 0x4d4d4d,
                                    0x7a5a2e };
static const double   dashes[][5] = { { 0 }, { 6, 3, 0 }, { 2, 2, 0 }, { 8, 3, 2, 3, 0 } };

#define COLOURS (sizeof(colours) / sizeof(*colours))

static uint32_t colour(uint32_t i)
{
    return colours[i % COLOURS];
}

/* ---- one axis ---- */

struct axis axis_new(const char *label, const char *unit, bool is_log)
{
    return (struct axis){ label, unit, is_log, INFINITY, -INFINITY };
}

void axis_fit(struct axis *a, const double *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(value[i]) || (a->is_log && value[i] <= 0))
            continue;
        a->low = value[i] < a->low ? value[i] : a->low;
        a->high = value[i] > a->high ? value[i] : a->high;
    }
}

/* Units, largest first, with their size in base units. */
static const struct { const char *unit, *name; double one; } steps[] = {
    { "us", "s", 1e6 },     { "us", "ms", 1e3 },    { "us", "\302\265s", 1 },  { "us", "ns", 1e-3 },
    { "bytes", "GB", 1e9 }, { "bytes", "MB", 1e6 }, { "bytes", "KB", 1e3 },    { "bytes", "B", 1 },
    { "bps", "Tb/s", 1e12 }, { "bps", "Gb/s", 1e9 }, { "bps", "Mb/s", 1e6 },   { "bps", "Kb/s", 1e3 },
    { "share", "%", 0.01 },
};

#define STEPS (sizeof(steps) / sizeof(*steps))

/* Returns the largest unit that is not above 'value', or STEPS if the unit has no steps. */
static size_t step_of(const char *unit, double value)
{
    size_t last = STEPS;

    for (size_t i = 0; i < STEPS; i++)
        if (strcmp(steps[i].unit, unit) == 0) {
            last = i;
            if (fabs(value) >= steps[i].one * (1 - 1e-9))
                break;
        }
    return last;
}

/* The unit of all marks of a linear axis. */
static size_t axis_step(const struct axis *a)
{
    return step_of(a->unit, fmax(fabs(a->low), fabs(a->high)));
}

/* Each mark of a logarithmic axis has its own unit. */
char *axis_text(char buf[32], const struct axis *a, double value)
{
    size_t step = a->is_log ? step_of(a->unit, value) : axis_step(a);

    if (step == STEPS)
        snprintf(buf, 32, "%.6g", value);
    else
        snprintf(buf, 32, a->is_log ? "%.6g %s" : "%.6g", value / steps[step].one, steps[step].name);
    return buf;
}

static void format_label(char buf[96], const struct axis *a)
{
    size_t step = a->is_log ? STEPS : axis_step(a);

    snprintf(buf, 96, step == STEPS ? "%s" : "%s (%s)", a->label, step == STEPS ? "" : steps[step].name);
}

/* Returns 1, 2 or 5 times a power of ten that is at least 'value'. */
static double nice_above(double value)
{
    double ten = pow(10, floor(log10(value) + 1e-9));

    return value <= ten * (1 + 1e-9) ? ten : value <= 2 * ten * (1 + 1e-9) ? 2 * ten
           : value <= 5 * ten * (1 + 1e-9) ? 5 * ten : 10 * ten;
}

static double nice_below(double value)
{
    double ten = pow(10, floor(log10(value) + 1e-9));

    return value >= 5 * ten ? 5 * ten : value >= 2 * ten ? 2 * ten : ten;
}

/* The distance of marks of a linear axis: a round number in the displayed unit. */
static double mark_size(const struct axis *a)
{
    double one = axis_step(a) == STEPS ? 1 : steps[axis_step(a)].one;

    return nice_above((a->high - a->low) / one / 6) * one;
}

/* Rounds the range to marks. */
static void round_axis(struct axis *a)
{
    if (!(a->high >= a->low))
        a->low = a->is_log ? 1 : 0, a->high = a->is_log ? 10 : 1;
    if (a->is_log) {
        a->low = nice_below(a->low);
        a->high = nice_above(a->high > a->low ? a->high : a->low * 1.01);
        return;
    }
    if (a->low > 0 && a->low < 0.6 * a->high)
        a->low = 0;
    if (a->high <= a->low)
        a->high = a->low + (a->low != 0 ? fabs(a->low) : 1);
    double size = mark_size(a);
    a->high = ceil(a->high / size - 1e-9) * size;
    a->low = floor(a->low / size + 1e-9) * size;
}

/* The marks of a logarithmic axis: 1, 2 and 5 times powers of ten, or the powers alone if there are many. */
static uint32_t log_marks(const struct axis *a, double mark[MARKS_MAX])
{
    static const int factors[] = { 1, 2, 5 };
    int              shown = log10(a->high / a->low) <= 2.5 ? 3 : 1, power = (int)floor(log10(a->low) + 1e-9);
    uint32_t         n = 0;

    for (; n < MARKS_MAX && pow(10, power) <= a->high * 1.001; power++)
        for (int i = 0; i < shown && n < MARKS_MAX; i++) {
            double at = factors[i] * pow(10, power);

            if (at >= a->low * 0.999 && at <= a->high * 1.001)
                mark[n++] = at;
        }
    return n;
}

/* Computes the positions of marks. Returns their number. */
static uint32_t compute_marks(const struct axis *a, double mark[MARKS_MAX])
{
    if (a->is_log)
        return log_marks(a, mark);
    double   size = mark_size(a);
    uint32_t n = 0;
    for (long i = lround(a->low / size); n < MARKS_MAX && (double)i * size <= a->high * (1 + 1e-9); i++)
        mark[n++] = (double)i * size;
    return n;
}

/* Returns the position on the axis, from 0 to 1. */
static double axis_position(const struct axis *a, double value)
{
    if (a->is_log)
        return value > 0 ? log(value / a->low) / log(a->high / a->low) : NAN;
    return (value - a->low) / (a->high - a->low);
}

/* ---- frame ---- */

void axes_init(struct axes *a, struct picture *p, double x, double y, double width, double height,
               struct axis across, struct axis up)
{
    *a = (struct axes){ .picture = p, .x = x, .y = y, .width = width, .height = height,
                        .across = across, .up = up };
    round_axis(&a->across);
    round_axis(&a->up);
}

void axes_fini(struct axes *a)
{
    for (uint32_t i = 0; i < a->names; i++)
        free(a->name[i]);
    a->names = 0;
}

static double at_x(const struct axes *a, double value)
{
    return a->x + a->width * axis_position(&a->across, value);
}

static double at_y(const struct axes *a, double value)
{
    return a->y + a->height * (1 - axis_position(&a->up, value));
}

void axes_shade(const struct axes *a, double from, double to, const char *name)
{
    double left = at_x(a, from), right = at_x(a, to);

    left = left < a->x ? a->x : left;
    right = right > a->x + a->width ? a->x + a->width : right;
    if (right <= left)
        return;
    add_shape(a->picture, (struct shape){ .kind = SHAPE_RECT, .rgb = SHADE, .width = right - left,
                                          .height = a->height, .opacity = 0.18 },
              (const double[]){ left, a->y }, 1);
    picture_text(a->picture, left + 3, a->y + 11, 9, ANCHOR_START, name);
}

void axes_frame(const struct axes *a)
{
    double   mark[MARKS_MAX], bottom = a->y + a->height;
    char     text[96];
    uint32_t n = compute_marks(&a->across, mark);

    for (uint32_t i = 0; i < n; i++) {
        double x = at_x(a, mark[i]);

        add_path(a->picture, (const double[]){ x, a->y, x, bottom }, 2, GRID, 0.7, NULL);
        picture_text(a->picture, x, bottom + 14, TEXT, ANCHOR_MIDDLE, axis_text(text, &a->across, mark[i]));
    }
    n = compute_marks(&a->up, mark);
    for (uint32_t i = 0; i < n; i++) {
        double y = at_y(a, mark[i]);

        add_path(a->picture, (const double[]){ a->x, y, a->x + a->width, y }, 2, GRID, 0.7, NULL);
        picture_text(a->picture, a->x - 6, y + 4, TEXT, ANCHOR_END, axis_text(text, &a->up, mark[i]));
    }
    add_path(a->picture, (const double[]){ a->x, a->y, a->x, bottom, a->x + a->width, bottom }, 3, LINE,
                 1, NULL);
    format_label(text, &a->across);
    picture_text(a->picture, a->x + a->width / 2, bottom + 31, TEXT, ANCHOR_MIDDLE, text);
    format_label(text, &a->up);
    add_text(a->picture, (struct shape){ .width = TEXT, .anchor = ANCHOR_MIDDLE, .is_upright = true },
             a->x - 50, a->y + a->height / 2, text);
}

void axes_curve(struct axes *a, const double *x, const double *y, uint32_t count, bool has_points,
                const char *name)
{
    double       *xy = xcalloc(2ul * count + 2, sizeof *xy);
    const double *dash = dashes[a->names / COLOURS % (sizeof dashes / sizeof *dashes)];
    uint32_t      rgb = colour(a->names);

    for (size_t i = 0; i < count; i++) {
        xy[2 * i] = at_x(a, x[i]);
        xy[2 * i + 1] = isfinite(y[i]) ? at_y(a, y[i]) : NAN;
        if (has_points && isfinite(xy[2 * i + 1]))
            add_dot(a->picture, xy[2 * i], xy[2 * i + 1], 2.4, rgb);
    }
    add_path(a->picture, xy, count, rgb, 1.6, *dash > 0 ? dash : NULL);
    free(xy);
    if (a->names < CURVES_MAX)
        a->name[a->names++] = xstrdup(name);
}

void axes_dots(struct axes *a, const double *x, const double *y, uint32_t count, uint32_t rgb, double radius)
{
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(x[i]) && isfinite(y[i]) && isfinite(at_x(a, x[i])) && isfinite(at_y(a, y[i])))
            add_dot(a->picture, at_x(a, x[i]), at_y(a, y[i]), radius, rgb);
}

void axes_legend(const struct axes *a)
{
    double x = a->x, y = a->y + a->height + 50;

    for (uint32_t i = 0; i < a->names; i++) {
        const double *dash = dashes[i / COLOURS % (sizeof dashes / sizeof *dashes)];
        double        width = 34 + 6.4 * (double)strlen(a->name[i]);

        if (x + width > a->x + a->width && x > a->x) {
            x = a->x;
            y += 15;
        }
        add_path(a->picture, (const double[]){ x, y - 4, x + 18, y - 4 }, 2, colour(i), 1.8,
                     *dash > 0 ? dash : NULL);
        picture_text(a->picture, x + 23, y, TEXT, ANCHOR_START, a->name[i]);
        x += width;
    }
}
