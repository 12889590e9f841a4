/* src/base/evidence/evalue.h - how much evidence there is that one setting is better than another.
 *
 * Input are differences d = mean(B) - mean(A) of pairs of blocks, whose order a fair coin chose (see below).
 * If the setting makes no difference, the coin makes d symmetric around 0, whatever correlation, drift or
 * tails the noise has. So exp(l S - l^2 V / 2), with S = sum d and V = sum d^2, is for every l a bet that
 * cannot be expected to win (de la Pena). The e-value is the mean gain of such bets with l > 0 drawn from
 * half-normal distributions of three widths.
 *
 * By Ville's inequality it ever reaches 1 / alpha with a chance of at most alpha: one may look after every
 * pair and stop whenever one likes. "Gain above m" is tested with d - m.
 */
#ifndef BASE_EVIDENCE_EVALUE_H
#define BASE_EVIDENCE_EVALUE_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

struct evalue {
    double   sd;                 /* of d if the arms are equal; a wrong value costs time, not validity */
    double   sum, squares;       /* of d */
    uint32_t pairs;
};

/* sd > 0 and known before the first pair. */
void evalue_init(struct evalue *, double sd);
void evalue_add(struct evalue *, double d);

/* Evidence that the gain is above m, or that it is below m: >= 0, 1 at the start. */
double evalue_above(const struct evalue *, double m);
double evalue_below(const struct evalue *, double m);

/* Mean of d; 0 without pairs. */
double evalue_gain(const struct evalue *);

/* Lower bound of the gain with confidence 1 - 1/e, at all times at once; -INFINITY: unknown so far. */
double evalue_bound(const struct evalue *, double e);

/* ---- pairs of blocks: alternates two settings in blocks, and compares them ----
 *
 * Time is divided into blocks of intervals. In each block a group of devices has one arm (setting), A or B. A
 * pair has one block of each arm, in random order. The first intervals of a block do not count, because the
 * network still shows the effects of the previous block. The value of an interval is the group's metric minus
 * that of the control group, or, if two halves alternate, the first half's minus the second's.
 */
enum arm { ARM_A, ARM_B };

struct pairing {
    uint32_t   length, burn_in;  /* of a block, in intervals; burn_in < length */
    uint32_t   interval;         /* of the block, from 0 */
    bool       is_second;        /* block of its pair */
    enum arm   arm;              /* current */
    enum arm   next_pair;        /* first arm of the next pair */
    double     sum[2];           /* by arm, over the intervals that count */
    uint32_t   count[2];
    struct rng coin;
};

void pairing_init(struct pairing *, uint32_t length, uint32_t burn_in, uint64_t seed);

/* The arm of the next interval, and of the following block, to prepare devices for it. */
enum arm pairing_arm(const struct pairing *);
enum arm pairing_next_arm(const struct pairing *);

/* Adds the value of an interval; NAN: not measured. True: a pair is complete, *d is mean(B) - mean(A). */
bool pairing_add(struct pairing *, double value, double *d);

/* ---- a sequential test: has the mean of an autocorrelated series increased? ----
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
