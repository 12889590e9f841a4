/* src/sim/event/mrg.h - the random numbers of the HPCC and ConWeave ns-3 forks.
 *
 * HPCC's fork takes the first number of a new MRG32k3a stream for every draw. Consecutive streams differ by
 * one multiplication with A^(2^127), so the n-th draw costs one 3x3 matrix-vector product per component.
 * ConWeave's fork draws consecutive numbers of one stream.
 */
#ifndef SIM_EVENT_MRG_H
#define SIM_EVENT_MRG_H

#include <stdint.h>

struct mrg {
    uint64_t s1[3], s2[3];       /* state before the next number */
};

/* 'seed': ns-3's RngSeed, not 0; 'stream': number of the first stream; 'run': ns-3's RngRun. */
void mrg_init(struct mrg *, uint32_t seed, uint64_t stream, uint64_t run);

/* Returns the first number of the current stream and moves to the next stream. */
double mrg_next(struct mrg *);

/* Returns the next number of the current stream. */
double mrg_step(struct mrg *);

#endif
