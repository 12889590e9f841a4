/* src/learn/tanh.c - see tanh.h. Inside, numbers are double: what is rounded at the end is all but exact. */
#include "learn/tanh.h"
#include "base/rng.h"

#define TERMS 11                 /* 0.35^12 / 12! is below 2^-45 */

/* e^x for 0 <= x < 20: x = n log 2 + r with |r| <= log 2 / 2, so e^x = 2^n e^r. */
static double small_exp(double x)
{
    static const double log2 = 0x1.62e42fefa39efp-1;
    int n = (int)(x / log2 + 0.5);
    double r = x - n * log2, sum = 1;

    for (int i = TERMS; i > 0; i--)
        sum = 1 + sum * r / i;
    return sum * rng_pow(2, (uint64_t)n);
}

float tanh_of(float x)
{
    double size = x < 0 ? -x : x, e;

    if (!(size >= 0x1p-13))      /* the next term, x^3 / 3, is below the last place; here is NaN, too */
        return x;
    if (size > 9.02)             /* 1 - tanh is less than half of the last place */
        return x < 0 ? -1 : 1;
    e = small_exp(2 * size);
    e = (e - 1) / (e + 1);
    return (float)(x < 0 ? -e : e);
}
