#include "plot/out/raster.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>

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
    cairo_set_source_rgba(c, (s->rgb >> 16 & 255) / 255.0, (s->rgb >> 8 & 255) / 255.0, (s->rgb & 255) / 255.0,
                          s->opacity);
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

int raster_png(const struct picture *p, FILE *out, struct err *err)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(p->width * SCALE),
                                                          (int)(p->height * SCALE));

    draw_picture(surface, p, SCALE);
    return finish_surface(surface, cairo_surface_write_to_png_stream(surface, write_bytes, out), err);
}

int raster_pdf(const struct picture *p, FILE *out, struct err *err)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write_bytes, out, p->width, p->height);

    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, p->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, p->source);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    draw_picture(surface, p, 1);
    return finish_surface(surface, CAIRO_STATUS_SUCCESS, err);
}
