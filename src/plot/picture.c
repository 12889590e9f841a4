#include "plot/picture.h"

#include "base/err.h"

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

void picture_path(struct picture *p, const double *xy, uint32_t points, uint32_t rgb, double width,
                  const double *dash)
{
    add_shape(p, (struct shape){ .kind = SHAPE_PATH, .rgb = rgb, .width = width, .dash = dash, .opacity = 1 },
              xy, points);
}

void picture_line(struct picture *p, double x1, double y1, double x2, double y2, uint32_t rgb, double width)
{
    picture_path(p, (const double[]){ x1, y1, x2, y2 }, 2, rgb, width, NULL);
}

void picture_rect(struct picture *p, double x, double y, double width, double height, uint32_t rgb,
                  double opacity)
{
    add_shape(p, (struct shape){ .kind = SHAPE_RECT, .rgb = rgb, .width = width, .height = height,
                                 .opacity = opacity },
              (const double[]){ x, y }, 1);
}

void picture_dot(struct picture *p, double x, double y, double radius, uint32_t rgb)
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

void picture_upright(struct picture *p, double x, double y, double size, const char *text)
{
    add_text(p, (struct shape){ .width = size, .anchor = ANCHOR_MIDDLE, .is_upright = true }, x, y, text);
}

/* ---- SVG ---- */

/* Replaces characters that XML does not allow by '?'. */
static void print_escaped(const char *text, FILE *out)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        switch (*c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default:  fputc(*c < 0x20 ? '?' : *c, out); break;
        }
}

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
    print_escaped(s->text, out);
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
    print_escaped(p->title, out);
    fputs("</title>\n<desc>", out);
    print_escaped(p->source, out);
    fprintf(out, "</desc>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", p->width, p->height);
    for (uint32_t i = 0; i < p->shapes; i++)
        print_shape(&p->shape[i], out);
    fputs("</svg>\n", out);
}
