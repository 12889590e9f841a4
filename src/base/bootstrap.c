#include "base/bootstrap.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED 20240607u           /* arbitrary, but always the same */
#define Z    1.959963984540054   /* 97.5 % of a normal distribution lie below */
#define CUT  (BOOTSTRAP_DRAWS / 40)  /* 2.5 % of the means lie below the interval, and as many above */

void bootstrap_init(struct bootstrap *b, uint32_t values)
{
    struct rng rng;

    assert(values >= 2 && values <= BOOTSTRAP_VALUES_MAX);
    b->values = values;
    b->pick = xmalloc(sizeof(*b->pick) * BOOTSTRAP_DRAWS * values);
    b->mean = xmalloc(sizeof(*b->mean) * BOOTSTRAP_DRAWS);
    rng_init(&rng, SEED, values);
    for (uint64_t i = 0; i < (uint64_t)BOOTSTRAP_DRAWS * values; i++)
        b->pick[i] = (uint16_t)rng_below(&rng, values);
}

void bootstrap_fini(struct bootstrap *b)
{
    free(b->pick);
    free(b->mean);
}

double mean_of(const double *value, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += value[i];
    return sum / count;
}

/* Beyond the table: the expansion in 1 / degrees (Cornish and Fisher), right to four digits there. */
double student_quantile(uint32_t degrees)
{
    static const double table[] = {
        12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
        2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
        2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
    };
    double z3 = Z * Z * Z, z5 = z3 * Z * Z, n = degrees;

    assert(degrees >= 1);
    if (degrees <= sizeof(table) / sizeof(*table))
        return table[degrees - 1];
    return Z + (z3 + Z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * Z) / (96 * n * n);
}

/* The middle 95 % of the means of draws. */
static struct interval percentiles(struct bootstrap *b, const double *value)
{
    const uint16_t *pick = b->pick;
    double n = b->values;

    for (uint32_t draw = 0; draw < BOOTSTRAP_DRAWS; draw++) {
        double sum = 0;

        for (uint32_t i = 0; i < b->values; i++)
            sum += value[*pick++];
        b->mean[draw] = sum / n;
    }
    qsort(b->mean, BOOTSTRAP_DRAWS, sizeof(*b->mean), compare_reals);
    return (struct interval){ b->mean[CUT], b->mean[BOOTSTRAP_DRAWS - 1 - CUT] };
}

struct interval bootstrap_mean(struct bootstrap *b, const double *value)
{
    return bootstrap_mean_within(b, value, -INFINITY, INFINITY);
}

/* Distance of a widened end from the bound; 'end' and 'mean' are distances from it, too. */
static double widened(double mean, double end, double widen)
{
    char text[32];

    if (mean <= 0 || end <= 0)
        return 0;
    /* Powers differ in their last digits from machine to machine; results do not. */
    snprintf(text, sizeof(text), "%.10g", mean * pow(end / mean, widen));
    return strtod(text, NULL);
}

struct interval bootstrap_mean_within(struct bootstrap *b, const double *value, double least, double most)
{
    struct interval i = percentiles(b, value);
    double n = b->values, mean = mean_of(value, b->values), min = value[0], max = value[0];
    double widen = sqrt(n / (n - 1)) * student_quantile(b->values - 1) / Z;

    for (uint32_t k = 1; k < b->values; k++) {
        min = value[k] < min ? value[k] : min;
        max = value[k] > max ? value[k] : max;
    }
    struct interval wide = { mean - widen * (mean - i.low), mean + widen * (i.high - mean) };
    if (min >= least && isfinite(least) && i.low < mean)
        wide.low = least + widened(mean - least, i.low - least, widen);
    if (max <= most && isfinite(most) && i.high > mean)
        wide.high = most - widened(most - mean, most - i.high, widen);
    return wide;
}

/* ---- tests ---- */

#define STEPS_MAX 300            /* of the continued fraction; it converges in fewer */
#define TINY      1e-300

/* Continued fraction of the incomplete beta function by Lentz's method; for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / fmax(TINY, 1 - (a + b) * x / (a + 1)), h = d;

    for (int m = 1; m < STEPS_MAX; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return h;
}

/* Regularised incomplete beta function I_x(a, b). */
static double beta_regular(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double df)
{
    return beta_regular(df / 2, 0.5, df / (df + t * t));
}

double t_test_p(const double *value, uint32_t count)
{
    double mean = 0, squares = 0;

    if (count < 2)
        return 1;
    for (uint32_t i = 0; i < count; i++)
        mean += value[i] / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    if (mean == 0)
        return 1;
    return student_p(mean / sqrt(squares / (count - 1) / count), count - 1);
}

double fdr_threshold(double *p, uint32_t count, double share)
{
    qsort(p, count, sizeof(*p), compare_reals);
    for (uint32_t i = count; i > 0; i--)
        if (p[i - 1] <= share * i / count)
            return p[i - 1];
    return -1;
}
