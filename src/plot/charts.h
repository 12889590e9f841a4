/* src/plot/charts.h - the usual pictures of a run, a comparison or a sweep, from the data of its report. */
#ifndef PLOT_CHARTS_H
#define PLOT_CHARTS_H

#include "base/err.h"
#include "plot/picture.h"

#include <jansson.h>

enum chart { CHART_SLOWDOWN, CHART_FCT, CHART_TIME, CHART_PARETO, CHARTS };

extern const char *const chart_names[CHARTS + 1];        /* "slowdown", ...; ends with NULL: names of files, too */

/* The data in a report.html (interface Page of web/src/data.ts), new. 'name' is for messages. */
int charts_read(const char *name, const char *html, size_t length, json_t **page, struct err *);

/* Draws one; false: the data have nothing for it. */
bool charts_draw(enum chart, const json_t *page, struct picture *);

/* Which of 'count' points nobody beats in both, in the order of x; sign -1: high is good. Returns how many. */
uint32_t charts_front(const double *x, const double *y, uint32_t count, int x_sign, int y_sign, uint32_t *front);

#endif
