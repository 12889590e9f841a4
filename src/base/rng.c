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
    unsigned __int128 product;
    uint64_t excess;

    assert(n > 0);
    product = (unsigned __int128)rng_next(r) * n;
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
    double f, s, z, half, sum = 0;
    int e;

    assert(x > 0 && x <= DBL_MAX);
    f = split(x, &e) - 1;
    s = f / (2 + f);
    z = s * s;
    for (int i = 0; i < 11; i++)
        sum = (sum + term[i]) * z;
    half = f * f / 2;
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
