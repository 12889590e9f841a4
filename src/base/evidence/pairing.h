/* src/base/evidence/pairing.h - alternates two settings in blocks, and compares pairs of blocks.
 *
 * Time is divided into blocks of intervals. In each block a group of devices has one arm (setting), A or B. A
 * pair has one block of each arm, in random order. The first intervals of a block do not count, because the
 * network still shows the effects of the previous block. The value of an interval is the group's metric minus
 * that of the control group, or, if two halves alternate, the first half's minus the second's.
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
