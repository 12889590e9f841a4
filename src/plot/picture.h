/* src/plot/picture.h - a picture as a list of shapes on a white page. Writers for SVG, PNG and PDF iterate
 * over the list. Coordinates are in points from the upper left corner. */
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
    double          opacity;     /* of filled shapes */
    double          width;       /* of a line or rectangle; radius of a dot; size of a text */
    double          height;
    const double   *dash;        /* terminated by 0; NULL: solid */
    double         *xy;          /* path: pairs of coordinates; otherwise one pair */
    uint32_t        points;
    char           *text;
    enum anchor     anchor;
    bool            is_upright, is_bold;
};

struct picture {
    double        width, height;
    char         *title, *source;        /* source: origin of the data, printed as a line */
    struct shape *shape;
    uint32_t      shapes;
};

void picture_init(struct picture *, double width, double height, const char *title, const char *source);
void picture_fini(struct picture *);

/* Draws a line through points; a NAN as y breaks it. */
void picture_path(struct picture *, const double *xy, uint32_t points, uint32_t rgb, double width,
                  const double *dash);
void picture_line(struct picture *, double x1, double y1, double x2, double y2, uint32_t rgb, double width);
void picture_rect(struct picture *, double x, double y, double width, double height, uint32_t rgb,
                  double opacity);
void picture_dot(struct picture *, double x, double y, double radius, uint32_t rgb);
void picture_text(struct picture *, double x, double y, double size, enum anchor, const char *text);
void picture_heading(struct picture *, double x, double y, double size, const char *text);      /* bold */
/* reads upwards, centered */
void picture_upright(struct picture *, double x, double y, double size, const char *text);

/* Writes SVG. The same picture gives the same bytes on all machines. */
void picture_svg(const struct picture *, FILE *);

#endif
