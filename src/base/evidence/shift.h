/* src/base/evidence/shift.h - a sequential test: has the mean of an autocorrelated series increased?
 *
 * A running setting has no control group, so new values are compared with a reference: the values before.
 * Values of monitor intervals are correlated (lag 1: up to 0.92). A few high values in a row are therefore
 * weak evidence, and a few similar values say little about the spread. The series is modeled as
 * x[t] = m + r (x[t-1] - m) + noise, for several correlations r. For each r the reference gives the mean, the
 * spread, their uncertainty, and the likelihood of r (in closed form, with level and scale eliminated). Bets
 * are placed on the innovations of the series: exp(l z - l^2 / 2) has expectation at most 1 as long as the
 * mean has not risen. Bets of five sizes start at every interval. The result is the smallest evidence over
 * all r.
 *
 * For noise of this form and any of these r, evidence A occurs by chance at most once in A intervals on
 * average, apart from references that are off by more than the allowance. The test may be checked after every
 * interval, without a time limit.
 */
#ifndef BASE_EVIDENCE_SHIFT_H
#define BASE_EVIDENCE_SHIFT_H

#include <stdint.h>

#define SHIFT_CORRELATIONS 5
#define SHIFT_BETS         5
#define SHIFT_LEAST        4     /* smallest number of reference values */

/* Sums over consecutive values. */
struct shift_reference { double sum, squares, products, first, last; uint32_t count; };

void   shift_reference_add(struct shift_reference *, double value);      /* NAN: not measured, ignored */
double shift_reference_mean(const struct shift_reference *);

struct shift {
    double level[SHIFT_CORRELATIONS];        /* upper bound of the reference mean, by correlation */
    double sd[SHIFT_CORRELATIONS];           /* of the series */
    double against[SHIFT_CORRELATIONS];      /* evidence of the reference against that correlation */
    double bet[SHIFT_CORRELATIONS][SHIFT_BETS];
    double last;                             /* previous value; NAN: none */
};

/* Starts the test after a reference. 'also' is another series with its own mean, to estimate the spread, or
 * NULL. 'least' is a lower bound of the standard deviation. */
void shift_init(struct shift *, const struct shift_reference *, const struct shift_reference *also,
                double least);

void shift_add(struct shift *, double value);            /* NAN: not measured */

/* Evidence (>= 0) that the mean is higher than that of the reference. */
double shift_evidence(const struct shift *);

/* ---- fit of x[t] = m + r x[t-1] + noise with unknown m and spread; public for tests ---- */

struct shift_fit {
    double mean;
    double squares;              /* sum of squared innovations around the mean */
    double weight;               /* effective number of independent values */
};
struct shift_fit shift_fit(const struct shift_reference *, double correlation);

#endif
