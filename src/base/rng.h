/* src/base/rng.h - random numbers that are the same on every machine.
 *
 * rng: xoshiro256**, seeded by splitmix64 from (seed, stream); every node of a
 * simulation has its own stream. Nothing here calls libm, whose last digit
 * differs between processors.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng { uint64_t s[4]; };

void rng_init(struct rng *, uint64_t seed, uint64_t stream);

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->s, x = s[1] * 5, t = s[1] << 17;

    x = (x << 7 | x >> 57) * 9;
    s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return x;
}

/* Uniform in [0, 1), 53 bits. */
static inline double rng_real(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* Uniform in [0, n), without bias; n > 0. */
uint64_t rng_below(struct rng *, uint64_t n);

/* Exponential with mean 1. */
double rng_exp(struct rng *);

/* Natural logarithm of x > 0 from + - * / alone, within 2 units in the last place. */
double rng_log(double x);

/* base^n for n >= 0 by squaring. */
double rng_pow(double base, uint64_t n);

/* rand() of the GNU C library, to reproduce the results of programs that call it. Each number is the sum of
 * the numbers 3 and 31 back, modulo 2^32, without its lowest bit. */
struct crand {
    uint32_t last[31];           /* numbers, the oldest at 'at' */
    uint32_t at;
};

/* As srand(seed). */
void crand_init(struct crand *, uint32_t seed);

/* As rand(): 0 .. 2^31 - 1. */
uint32_t crand_next(struct crand *);

/* ---- points that fill a box more evenly than chance does ----
 *
 * The first n points of a Sobol sequence leave no large part of the box unvisited, whatever n is and in every
 * projection: where a grid of 10 values in 6 dimensions has a million points, 64 of these say what there is.
 *
 * I. M. Sobol, USSR Comput. Math. Math. Phys. 7 (1967) 86; in the order of the Gray code as in I. A. Antonov
 * and V. M. Saleev, ibid. 19 (1979) 252. Direction numbers: S. Joe and F. Y. Kuo, "Constructing Sobol
 * sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008) 2635, the first
 * SOBOL_DIMENSIONS of new-joe-kuo-6.21201.
 */
#define SOBOL_DIMENSIONS 40

/* Coordinate 'dimension' (0 .. SOBOL_DIMENSIONS - 1) of point 'index', as a fraction of 2^32. Point 0 is all
 * zeros. XOR with any constant of one's own per dimension (a digital shift) keeps the evenness. */
uint32_t sobol_at(uint32_t dimension, uint32_t index);

#endif
