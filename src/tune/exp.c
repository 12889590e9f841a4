#include "tune/exp.h"
#include "base/rng.h"

#include <stdint.h>

#define TERMS 15                 /* 0.35^16 / 16! is below 2^-65 */

/* x = n log 2 + r, |r| <= log 2 / 2; e^x = 2^n e^r. log 2 is split so that n times its high part is exact. */
double exp_of(double x)
{
    static const double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;
    double r, sum = 1, power;
    int n;

    if (x < -700)
        return 0;
    x = x < 700 ? x : 700;
    n = (int)(x / (log2_high + log2_low) + (x < 0 ? -0.5 : 0.5));
    r = (x - n * log2_high) - n * log2_low;
    for (int i = TERMS; i > 0; i--)
        sum = 1 + sum * r / i;
    power = rng_pow(2, (uint64_t)(n < 0 ? -n : n));
    return n < 0 ? sum / power : sum * power;
}
