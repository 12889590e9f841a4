/* src/plot/out/raster.h - writes a picture as PNG or PDF. The only file that uses cairo. */
#ifndef PLOT_OUT_RASTER_H
#define PLOT_OUT_RASTER_H

#include "base/err.h"
#include "plot/picture.h"

/* PNG has two pixels per point. No creation date is written: the same picture gives the same bytes on one
 * machine. */
int raster_png(const struct picture *, FILE *, struct err *);
int raster_pdf(const struct picture *, FILE *, struct err *);

#endif
