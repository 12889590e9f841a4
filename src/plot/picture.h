/* src/plot/picture.h - a picture as a list of shapes, drawn on a white page; what writes it as SVG, PNG or PDF goes through
 * the list. Coordinates are points from the upper left corner. */
#ifndef PLOT_PICTURE_H
#define PLOT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum shape_kind { SHAPE_PATH, SHAPE_RECT, SHAPE_DOT, SHAPE_TEXT };
enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct shape {
    enum shape_kind kind;
    uint32_t        rgb;
    double          opacity;     /* of what is filled */
    double          width;       /* of a line, of a rectangle, radius of a dot, size of a text */
    double          height;
    const double   *dash;        /* ends with 0; NULL: none */
    double         *xy;          /* of a path: pairs; of all others one */
    uint32_t        points;
    char           *text;
    enum anchor     anchor;
    bool            is_upright, is_bold;
};

struct picture {
    double        width, height;
    char         *title, *source;        /* the line that says where it comes from */
    struct shape *shape;
    uint32_t      shapes;
};

void picture_init(struct picture *, double width, double height, const char *title, const char *source);
void picture_fini(struct picture *);

/* A line through points; NAN in a y breaks it. */
void picture_path(struct picture *, const double *xy, uint32_t points, uint32_t rgb, double width, const double *dash);
void picture_line(struct picture *, double x1, double y1, double x2, double y2, uint32_t rgb, double width);
void picture_rect(struct picture *, double x, double y, double width, double height, uint32_t rgb, double opacity);
void picture_dot(struct picture *, double x, double y, double radius, uint32_t rgb);
void picture_text(struct picture *, double x, double y, double size, enum anchor, const char *text);
void picture_heading(struct picture *, double x, double y, double size, const char *text);      /* bold */
void picture_upright(struct picture *, double x, double y, double size, const char *text);      /* from below to above, centred */

/* The same bytes for the same picture, everywhere. */
void picture_svg(const struct picture *, FILE *);

#endif
