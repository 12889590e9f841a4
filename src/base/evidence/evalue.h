/* src/base/evidence/evalue.h - how much evidence there is that one setting is better than another.
 *
 * Input are differences d = mean(B) - mean(A) of pairs of blocks, whose order a fair coin chose (pairing.h).
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

/* Lower bound of the gain with confidence 1 - 1/e, valid at all times simultaneously; -INFINITY: unknown so
 * far. */
double evalue_bound(const struct evalue *, double e);

#endif
