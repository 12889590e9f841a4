/* src/base/evidence/pairing.h - which of two settings is in force when, and what a pair of blocks says.
 *
 * Time is divided into blocks of so many intervals; in a block a group of devices has one arm, A or B. Two blocks are a pair,
 * one of each arm, and a coin decides which comes first. The first intervals of a block are not counted: the network
 * still shows what was before. The value of an interval is what tells the arms apart: the group's metric less that of
 * the devices that stay as they are, or, of two halves that take turns, the first half's less the second's.
 */
#ifndef BASE_EVIDENCE_PAIRING_H
#define BASE_EVIDENCE_PAIRING_H

#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum arm { ARM_A, ARM_B };

struct pairing {
    uint32_t   length, burn_in;  /* of a block, in intervals; burn_in < length */
    uint32_t   interval;         /* of the block, from 0 */
    bool       is_second;        /* block of its pair */
    enum arm   arm;              /* in force */
    enum arm   next_pair;        /* with which the next pair will begin */
    double     sum[2];           /* by arm, of the intervals that count */
    uint32_t   count[2];
    struct rng coin;
};

void pairing_init(struct pairing *, uint32_t length, uint32_t burn_in, uint64_t seed);

/* The arm of the next interval; and that of the block after, so that devices can be made ready for it. */
enum arm pairing_arm(const struct pairing *);
enum arm pairing_next_arm(const struct pairing *);

/* An interval has ended; NAN: it was not measured. Returns whether a pair is complete, and then its mean(B) - mean(A). */
bool pairing_add(struct pairing *, double value, double *d);

#endif
