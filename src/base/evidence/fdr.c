#include "base/evidence/fdr.h"
#include "base/minmax.h"

#include <math.h>
#include <stdlib.h>

#define STEPS_MAX 300            /* of the continued fraction; it converges in fewer */
#define TINY      1e-300

/* Continued fraction of the incomplete beta function by Lentz's method; converges quickly for x < (a + 1) /
 * (a + b + 2). */
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
    double front;

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
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
