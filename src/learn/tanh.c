/* src/learn/tanh.c - see tanh.h. Computes in double, so that the final rounding is nearly exact. */
#include "learn/tanh.h"

#include <stdint.h>

/* e^x for 0 <= x < 20: x = n log 2 + r with |r| <= log 2 / 2, so e^x = 2^n e^r; 0.35^12 / 12! is below 2^-45.
 * There is no division, because this dominates the cost of RL-CC's decisions. */
static double small_exp(double x)
{
    static const double log2 = 0x1.62e42fefa39efp-1, per_log2 = 0x1.71547652b82fep+0;
    static const double term[] = { 1.0,         1.0,          1.0 / 2,       1.0 / 6,
                                   1.0 / 24,    1.0 / 120,    1.0 / 720,     1.0 / 5040,
                                   1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800 };
    int n = (int)(x * per_log2 + 0.5);
    double r = x - n * log2, sum = term[11];

    for (int i = 10; i >= 0; i--)
        sum = sum * r + term[i];
    return sum * (double)(1u << n);
}

float tanh_of(float x)
{
    double size = x < 0 ? -x : x, e;

    if (!(size >= 0x1p-13))      /* the next term, x^3 / 3, is below the last place; includes NaN */
        return x;
    if (size > 9.02)             /* 1 - tanh is less than half a unit in the last place */
        return x < 0 ? -1 : 1;
    e = small_exp(2 * size);
    e = (e - 1) / (e + 1);
    return (float)(x < 0 ? -e : e);
}
