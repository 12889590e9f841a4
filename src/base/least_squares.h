/* src/base/least_squares.h - fits a few positive parameters to measured figures, with intervals.
 *
 * Errors are relative: the sum of squares of ln(predicted / measured) is minimized over the logarithms of the
 * parameters (Gauss-Newton with halved steps, derivatives by differences). Intervals are those of the linear
 * model at the minimum, with Student's t. A fit is refused if the figures cannot tell the parameters: there
 * are too few, a parameter changes none of them, or changes them as a combination of others does.
 */
#ifndef BASE_LEAST_SQUARES_H
#define BASE_LEAST_SQUARES_H

#include "base/err.h"

#include <stdint.h>

#define LEAST_SQUARES_PARAMETERS_MAX 6

struct least_squares {
    uint32_t           parameters, figures;
    const char *const *name;     /* of the parameters, for messages */
    const double      *low, *high;           /* bounds of each, above 0 */
    const double      *measured;             /* above 0 */
    int (*predict)(void *arg, const double *parameter, double *figure, struct err *);
    void              *arg;
};

struct least_squares_fit {
    double   value[LEAST_SQUARES_PARAMETERS_MAX];
    double   low[LEAST_SQUARES_PARAMETERS_MAX], high[LEAST_SQUARES_PARAMETERS_MAX];  /* 95 % */
    double   rms;                /* of ln(predicted / measured), by degrees of freedom */
    uint32_t predictions;        /* how often all figures were predicted */
};

int least_squares(const struct least_squares *, struct least_squares_fit *, struct err *);

#endif
