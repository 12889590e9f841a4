/* src/base/evidence/shift.h - has a series become larger than it was, where one value resembles the next?
 *
 * There is nobody to compare with while a setting is in force: all that is known is what was seen before. Values of monitor
 * intervals resemble each other (lag-1 correlation up to 0.92), so a few that are high in a row mean less than they seem to, and a
 * few that were alike say little of how much values differ. So values are taken for x[t] = m + r (x[t-1] - m) + noise, for each of
 * several correlations r: the reference tells the mean and the spread of such a series, how far they may be off, and how well r
 * explains it (the likelihood of what is left when level and scale are taken away, which is a closed form). What is new in a
 * value, beside r times the one before it, is what bets are made on: exp(l z - l^2 / 2) cannot be expected to win as long as the
 * mean has not risen. Bets of five sizes begin at every interval. The evidence is that of the correlation by which there is least.
 *
 * If noise is such, whatever r among these, evidence reaches A by chance once in A intervals at most, in the mean; beside that, the
 * reference may be off by more than is allowed for. One may look after every interval, for as long as one likes.
 */
#ifndef BASE_EVIDENCE_SHIFT_H
#define BASE_EVIDENCE_SHIFT_H

#include <stdint.h>

#define SHIFT_CORRELATIONS 5
#define SHIFT_BETS         5
#define SHIFT_LEAST        4     /* values of a reference */

/* What was seen before: values in a row. */
struct shift_reference { double sum, squares, products, first, last; uint32_t count; };

void   shift_reference_add(struct shift_reference *, double value);      /* NAN: was not measured, and is left out */
double shift_reference_mean(const struct shift_reference *);

struct shift {
    double level[SHIFT_CORRELATIONS];        /* the mean is not above this, by correlation */
    double sd[SHIFT_CORRELATIONS];           /* of the series */
    double against[SHIFT_CORRELATIONS];      /* evidence of the reference against that correlation */
    double bet[SHIFT_CORRELATIONS][SHIFT_BETS];
    double last;                             /* NAN: there is none */
};

/* Values that follow a reference. 'also': another stretch, with a mean of its own, that tells of the spread; NULL: there is none. 'least' is
 * the least standard deviation that is believed. */
void shift_init(struct shift *, const struct shift_reference *, const struct shift_reference *also, double least);

void shift_add(struct shift *, double value);            /* NAN: was not measured */

/* Evidence that the mean is higher than that of the reference: >= 0. */
double shift_evidence(const struct shift *);

/* ---- a series x[t] = m + r x[t-1] + noise, of which m and the spread are not known ---- */

struct shift_fit { double mean, squares, weight; };      /* squares: around the mean, as far as values are new; weight: of how many
                                                            independent values the mean is worth */
struct shift_fit shift_fit(const struct shift_reference *, double correlation);

#endif
