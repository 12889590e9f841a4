/* src/base/bootstrap.h - confidence intervals and tests of the mean of a few values.
 *
 * The bootstrap of Efron: draw as many values as there are, with replacement, take their mean, and do that
 * 10,000 times; the middle 95 % of those means is the interval (percentile method). For few values that is
 * too narrow: 5 normal values give an interval that holds the true mean in 84 % of all cases, not in 95 %.
 * The means vary with the divisor n instead of n - 1, and nothing knows that the spread itself was
 * estimated. So the interval is widened about the mean by
 *
 *     sqrt(n / (n - 1)) * t(n - 1) / z
 *
 * where t and z are the 97.5 % quantiles of Student's and of the normal distribution: what Hesterberg's
 * expanded percentile interval ("What Teachers Should Know About the Bootstrap", 2015) does to the
 * percentages, done to the ends. It keeps the skew of the bootstrap. bootstrap_test.c measures how often
 * the interval is right.
 *
 * The draws use a fixed seed, so equal values have equal intervals, on every machine.
 */
#ifndef BASE_BOOTSTRAP_H
#define BASE_BOOTSTRAP_H

#include <stdint.h>

#define BOOTSTRAP_CONFIDENCE 0.95
#define BOOTSTRAP_DRAWS      10000
#define BOOTSTRAP_VALUES_MAX 65535

struct interval { double low, high; };

struct bootstrap {
    uint32_t  values;            /* n */
    uint16_t *pick;              /* BOOTSTRAP_DRAWS times n indices */
    double   *mean;              /* of each draw; scratch space */
};

/* For 'values' values, 2 .. BOOTSTRAP_VALUES_MAX. */
void bootstrap_init(struct bootstrap *, uint32_t values);
void bootstrap_fini(struct bootstrap *);

/* The 95 % interval of the mean of 'value', which are all finite. */
struct interval bootstrap_mean(struct bootstrap *, const double *value);

/* The same for values that are limited to least .. most (-INFINITY, INFINITY: unlimited). The interval is
 * widened on a logarithmic scale of the distance to the bound. It never crosses the bound, and far from it
 * equals that of bootstrap_mean(). A value outside or on a bound removes that bound, or cuts the interval
 * there. */
struct interval bootstrap_mean_within(struct bootstrap *, const double *value, double least, double most);

/* The 97.5 % quantile of Student's distribution, for 1 degree of freedom or more. */
double student_quantile(uint32_t degrees);

/* The plain mean. */
double mean_of(const double *value, uint32_t count);

/* ---- many comparisons at once ----
 *
 * If each of 200 figures is tested at 5 %, ten are called different by chance. Benjamini and Hochberg
 * ("Controlling the False Discovery Rate", J. R. Stat. Soc. B 57, 1995) bound the share of wrong calls among
 * all calls: sort the p-values, find the largest p(i) <= q * i / n, and call everything up to it. This holds
 * for independent tests, and for those that depend on each other positively, as figures of one network do.
 */
#define FDR_SHARE 0.05           /* of the differences called clear that may be wrong, on average */

/* Two-sided p-value of a paired t test that the mean is 0. All 0, or fewer than two: 1. */
double t_test_p(const double *value, uint32_t count);

/* Two-sided p-value of Student's t with 'df' degrees of freedom. */
double student_p(double t, double df);

/* The largest p-value that counts as clear; below 0: none does. Sorts 'p', which has no NAN. */
double fdr_threshold(double *p, uint32_t count, double share);

#endif
