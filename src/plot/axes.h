/* src/plot/axes.h - a frame with two axes, marks with units, curves, a legend and shaded ranges.
 *
 *   axes_init(&a, &picture, x, y, width, height, &x_axis, &y_axis);
 *   axes_frame(&a);
 *   axes_curve(&a, xs, ys, count, 0, "p99");
 *   axes_legend(&a);
 */
#ifndef PLOT_AXES_H
#define PLOT_AXES_H

#include "plot/picture.h"

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

uint32_t axes_colour(uint32_t i);

/* Formats the text of a mark: "10 KB", "1 ms", "50". Returns buf. */
char *axis_text(char buf[32], const struct axis *, double value);

#endif
