/* src/study/plot/picture.h - a picture as a list of shapes on a white page. Writers for SVG, PNG and PDF
 * iterate over the list. Coordinates are in points from the upper left corner. */
#ifndef STUDY_PLOT_PICTURE_H
#define STUDY_PLOT_PICTURE_H

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

void picture_text(struct picture *, double x, double y, double size, enum anchor, const char *text);
void picture_heading(struct picture *, double x, double y, double size, const char *text);      /* bold */

/* Writes SVG. The same picture gives the same bytes on all machines. */
void picture_svg(const struct picture *, FILE *);

struct axis {
    const char *label;           /* "flow size" */
    const char *unit;            /* unit of the values, as in web/src/data.ts: "", "us", "bytes", "bps",
                                  * "share", "count" */
    bool        is_log;
    double      low, high;       /* visible range; see axis_fit() */
};

/* axis_new() returns an empty axis. axis_fit() extends it to show all values. It skips NAN and, on a
 * logarithmic axis, values that are not positive. */
struct axis axis_new(const char *label, const char *unit, bool is_log);
void        axis_fit(struct axis *, const double *value, uint32_t count);

#define CURVES_MAX 16

struct axes {
    struct picture *picture;
    double          x, y, width, height;     /* of the frame */
    struct axis     across, up;
    char           *name[CURVES_MAX];
    uint32_t        names;
};

/* Rounds the axes to their marks. */
void axes_init(struct axes *, struct picture *, double x, double y, double width, double height,
               struct axis across, struct axis up);
void axes_fini(struct axes *);

void axes_shade(const struct axes *, double from, double to, const char *name);
void axes_frame(const struct axes *);
void axes_curve(struct axes *, const double *x, const double *y, uint32_t count, bool has_points,
                const char *name);
void axes_dots(struct axes *, const double *x, const double *y, uint32_t count, uint32_t rgb, double radius);
void axes_legend(const struct axes *);

/* Formats the text of a mark: "10 KB", "1 ms", "50". Returns buf. */
char *axis_text(char buf[32], const struct axis *, double value);

#endif
