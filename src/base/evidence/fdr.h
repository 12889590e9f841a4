/* src/base/evidence/fdr.h - many comparisons at once: how many of the differences that are called clear are
 * not there.
 *
 * If each of 200 figures is tested at 5 %, ten would be called different by chance. Benjamini and Hochberg
 * ("Controlling the False Discovery Rate", J. R. Stat. Soc. B 57, 1995) bound the share of wrong calls among
 * all calls instead: sort the p-values, find the largest p(i) <= q * i / n, and call everything up to it.
 * This holds for independent tests, and for those that depend on each other positively, as figures of one
 * network do.
 */
#ifndef BASE_EVIDENCE_FDR_H
#define BASE_EVIDENCE_FDR_H

#include <stdint.h>

#define FDR_SHARE 0.05           /* of the differences called clear that may be wrong, on average */

/* Two-sided p-value of a paired t test that the mean of 'value' is 0. 1 if all are 0 or there are fewer than
 * two. */
double t_test_p(const double *value, uint32_t count);

/* Two-sided p-value of Student's t with 'df' degrees of freedom. */
double student_p(double t, double df);

/* The largest p-value that counts as clear; below 0: none does. Sorts 'p', which has no NAN. */
double fdr_threshold(double *p, uint32_t count, double share);

#endif
