/* src/plot/out/raster.h - a picture as PNG or PDF: the only place that knows cairo. */
#ifndef PLOT_OUT_RASTER_H
#define PLOT_OUT_RASTER_H

#include "base/err.h"
#include "plot/picture.h"

/* PNG at twice the points. Neither says when it was made: the same picture gives the same bytes on one machine. */
int raster_png(const struct picture *, FILE *, struct err *);
int raster_pdf(const struct picture *, FILE *, struct err *);

#endif
