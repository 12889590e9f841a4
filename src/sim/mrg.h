/* src/sim/mrg.h - the random numbers of the HPCC ns-3 fork.
 *
 * That program takes the first number of a new MRG32k3a stream for every draw. Consecutive streams differ
 * by one multiplication with A^(2^127), so the n-th draw costs one 3x3 matrix-vector product
 * per component.
 */
#ifndef SIM_MRG_H
#define SIM_MRG_H

#include <stdint.h>

struct mrg {
    uint64_t s1[3], s2[3];       /* state of the next stream */
};

/* 'stream': number of the first stream; 'run': ns-3's RngRun. */
void mrg_init(struct mrg *, uint64_t stream, uint64_t run);

double mrg_next(struct mrg *);

#endif
