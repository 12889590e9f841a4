/* src/base/crand.h - rand() of the GNU C library, to reproduce the results of programs that call it.
 *
 * Each number is the sum of the numbers 3 and 31 back, modulo 2^32, without its lowest bit. For other
 * purposes use rng.h.
 */
#ifndef BASE_CRAND_H
#define BASE_CRAND_H

#include <stdint.h>

struct crand {
    uint32_t last[31];           /* numbers, the oldest at 'at' */
    uint32_t at;
};

/* As srand(seed). */
void crand_init(struct crand *, uint32_t seed);

/* As rand(): 0 .. 2^31 - 1. */
uint32_t crand_next(struct crand *);

#endif
