/* src/base/rng.c - xoshiro256** (Blackman and Vigna, 2018) and what is made from it. */
#include "base/rng.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#define GOLDEN 0x9e3779b97f4a7c15ull         /* splitmix64's step: 2^64 / golden ratio, odd */

/* The output function of splitmix64: one to one, and every input bit reaches every output bit. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

void rng_init(struct rng *r, uint64_t seed, uint64_t stream)
{
    /* Mixed between the two, so that (1, 2) and (2, 1) differ. For one seed no two streams start alike,
     * and the four words, outputs for four different inputs, are never all zero. */
    uint64_t x = mix(mix(seed + GOLDEN) + stream);

    for (int i = 0; i < 4; i++)
        r->s[i] = mix(x += GOLDEN);
}

/* Lemire, "Fast Random Integer Generation in an Interval", 2019. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    uint64_t excess;

    assert(n > 0);
    unsigned __int128 product = (unsigned __int128)rng_next(r) * n;
    if ((uint64_t)product < n) {
        excess = -n % n;         /* 2^64 mod n: so many draws are one too many for some results */
        while ((uint64_t)product < excess)
            product = (unsigned __int128)rng_next(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double rng_exp(struct rng *r)
{
    return 0 - rng_log(1 - rng_real(r));     /* 1 - [0, 1): never the logarithm of 0 */
}

/* x = m * 2^e with m in [sqrt(1/2), sqrt(2)). */
static double split(double x, int *e)
{
    uint64_t bits;
    int below = 0;

    if (x < DBL_MIN) {
        x *= 0x1p54;
        below = 54;
    }
    memcpy(&bits, &x, sizeof(bits));
    *e = (int)(bits >> 52) - 1023 - below;
    bits = (bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull;
    if (bits >= 0x3ff6a09e667f3bcdull) {     /* sqrt(2) */
        bits -= 1ull << 52;
        ++*e;
    }
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* log x = e log 2 + log m. With f = m - 1 and s = f / (2 + f),
 *
 *   log m = 2 s + s R,   R = 2 (s^2/3 + s^4/5 + ...),   |s| < 0.1716
 *
 * and 2 s = f - f^2/2 + s f^2/2, which takes the exact f as the large term and leaves the
 * rounding to the small ones. log 2 is split so that e times its high part is exact. */
double rng_log(double x)
{
    static const double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;
    static const double term[] = {           /* 0.1716^24 / 25 is below 2^-65: no more are needed */
        2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
        2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
    };
    double sum = 0;
    int e;

    assert(x > 0 && x <= DBL_MAX);
    double f = split(x, &e) - 1;
    double s = f / (2 + f);
    double z = s * s;
    for (int i = 0; i < 11; i++)
        sum = (sum + term[i]) * z;
    double half = f * f / 2;
    return e * log2_high - ((half - (s * (half + sum) + e * log2_low)) - f);
}

double rng_pow(double base, uint64_t n)
{
    double result = 1;

    for (; n; n >>= 1, base *= base)
        if (n & 1)
            result *= base;
    return result;
}

/* ---- rand() of the GNU C library ---- */

#define NUMBERS 31
#define BACK    3                /* the other summand */
#define WARM_UP (10 * NUMBERS)

uint32_t crand_next(struct crand *r)
{
    uint32_t *oldest = &r->last[r->at];

    *oldest += r->last[(r->at + NUMBERS - BACK) % NUMBERS];
    r->at = (r->at + 1) % NUMBERS;
    return *oldest >> 1;
}

void crand_init(struct crand *r, uint32_t seed)
{
    int64_t x = (int32_t)(seed ? seed : 1);

    for (int i = 0; i < NUMBERS; i++) {
        r->last[i] = (uint32_t)x;
        x = 16807 * x % 2147483647;
        x = x < 0 ? x + 2147483647 : x;
    }
    r->at = BACK;
    for (int i = 0; i < WARM_UP; i++)
        crand_next(r);
}

/* ---- Sobol points ---- */

#define BITS 32

/* A primitive polynomial x^degree + a_1 x^(degree-1) + ... + 1 over two elements, and its first terms. */
struct polynomial {
    uint8_t  degree, a;          /* the coefficients between first and last, as bits */
    uint16_t m[8];
};

/* From the second dimension on; the first is all ones. */
static const struct polynomial polynomials[SOBOL_DIMENSIONS - 1] = {
    { 1, 0, { 1 } },
    { 2, 1, { 1, 3 } },
    { 3, 1, { 1, 3, 1 } },
    { 3, 2, { 1, 1, 1 } },
    { 4, 1, { 1, 1, 3, 3 } },
    { 4, 4, { 1, 3, 5, 13 } },
    { 5, 2, { 1, 1, 5, 5, 17 } },
    { 5, 4, { 1, 1, 5, 5, 5 } },
    { 5, 7, { 1, 1, 7, 11, 19 } },
    { 5, 11, { 1, 1, 5, 1, 1 } },
    { 5, 13, { 1, 1, 1, 3, 11 } },
    { 5, 14, { 1, 3, 5, 5, 31 } },
    { 6, 1, { 1, 3, 3, 9, 7, 49 } },
    { 6, 13, { 1, 1, 1, 15, 21, 21 } },
    { 6, 16, { 1, 3, 1, 13, 27, 49 } },
    { 6, 19, { 1, 1, 1, 15, 7, 5 } },
    { 6, 22, { 1, 3, 1, 15, 13, 25 } },
    { 6, 25, { 1, 1, 5, 5, 19, 61 } },
    { 7, 1, { 1, 3, 7, 11, 23, 15, 103 } },
    { 7, 4, { 1, 3, 7, 13, 13, 15, 69 } },
    { 7, 7, { 1, 1, 3, 13, 7, 35, 63 } },
    { 7, 8, { 1, 3, 5, 9, 1, 25, 53 } },
    { 7, 14, { 1, 3, 1, 13, 9, 35, 107 } },
    { 7, 19, { 1, 3, 1, 5, 27, 61, 31 } },
    { 7, 21, { 1, 1, 5, 11, 19, 41, 61 } },
    { 7, 28, { 1, 3, 5, 3, 3, 13, 69 } },
    { 7, 31, { 1, 1, 7, 13, 1, 19, 1 } },
    { 7, 32, { 1, 3, 7, 5, 13, 19, 59 } },
    { 7, 37, { 1, 1, 3, 9, 25, 29, 41 } },
    { 7, 41, { 1, 3, 5, 13, 23, 1, 55 } },
    { 7, 42, { 1, 3, 7, 3, 13, 59, 17 } },
    { 7, 50, { 1, 3, 1, 3, 5, 53, 69 } },
    { 7, 55, { 1, 1, 5, 5, 23, 33, 13 } },
    { 7, 56, { 1, 1, 7, 7, 1, 61, 123 } },
    { 7, 59, { 1, 1, 7, 9, 13, 61, 49 } },
    { 7, 62, { 1, 3, 3, 5, 3, 55, 33 } },
    { 8, 14, { 1, 3, 1, 15, 31, 13, 49, 245 } },
    { 8, 21, { 1, 3, 5, 15, 31, 59, 63, 97 } },
    { 8, 22, { 1, 3, 1, 11, 11, 11, 77, 249 } },
};

uint32_t sobol_at(uint32_t dimension, uint32_t index)
{
    uint32_t direction[BITS], gray = index ^ index >> 1, at = 0;

    assert(dimension < SOBOL_DIMENSIONS);
    /* Fills the direction numbers of a dimension: the coordinate of point 2^k, in the plain order. */
    const struct polynomial *p = &polynomials[dimension ? dimension - 1 : 0];
    assert(p->degree > 0);
    for (uint32_t n = 0; n < BITS; n++) {
        if (dimension == 0) {
            direction[n] = 1u << (BITS - 1 - n);
        } else if (n < p->degree) {
            direction[n] = (uint32_t)p->m[n] << (BITS - 1 - n);
        } else {
            direction[n] = direction[n - p->degree] ^ direction[n - p->degree] >> p->degree;
            for (uint32_t i = 1; i < p->degree; i++)
                if (p->a >> (p->degree - 1 - i) & 1)
                    direction[n] ^= direction[n - i];
        }
    }
    for (uint32_t k = 0; k < BITS; k++)
        if (gray >> k & 1)
            at ^= direction[k];
    return at;
}
