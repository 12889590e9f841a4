/* src/study/plot/charts.h - the standard charts of a run, a comparison or a sweep, drawn from its
 * charts.json. */
#ifndef STUDY_PLOT_CHARTS_H
#define STUDY_PLOT_CHARTS_H

#include "base/err.h"
#include "study/plot/picture.h"

#include <jansson.h>

enum chart { CHART_SLOWDOWN, CHART_FCT, CHART_TIME, CHART_PARETO, CHARTS };

extern const char *const chart_names[CHARTS + 1];        /* "slowdown", ...; NULL-terminated; also used as
                                                          * file names */

/* Reads a charts.json (study/report/page.h) into a new object. */
int charts_read(const char *path, json_t **page, struct err *);

/* Draws a chart. Returns false if there is no data for it. */
bool charts_draw(enum chart, const json_t *page, struct picture *);

/* Computes the Pareto front: the points that no other point beats in both coordinates, ordered by x. Sign -1:
 * higher is better. Returns their number. */
uint32_t charts_front(const double *x, const double *y, uint32_t count, int x_sign, int y_sign,
                      uint32_t *front);

#endif
