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

/* Lower bound of the gain with confidence 1 - 1/e, valid at all times simultaneously; -INFINITY: unknown so
 * far. */
double evalue_bound(const struct evalue *, double e);

/* ---- pairs of blocks ----
 *
 * Alternates two settings in blocks, and compares pairs of blocks.
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

/* Adds the value of an interval; NAN: not measured. Returns true if a pair is complete; *d is its mean(B) -
 * mean(A). */
bool pairing_add(struct pairing *, double value, double *d);

#endif
